"""What goes wrong with one entry or one ladder costs no other one anything, and is told."""

from __future__ import annotations

import sys

import pytest
from tests.support.folds import set_aside, stored
from tests.support.ladder_store import Ladders, ladder, record_of, score
from tests.support.queues import write_result
from tests.support.valkey import entry

from agon_ladder.errors import MissingLibraryError
from agon_ladder.fold import LadderState
from agon_ladder.ratings import get_system
from agon_ladder.results import Position
from agon_server.ladders.encoding import TableDamagedError
from agon_server.queue.entry import MatchEntry
from agon_server.queue.ids import new_id
from agon_server.queue.results import Batch, Unread
from agon_server.store import keys
from agon_server.store.connection import Store

TWO, THREE = "ephyran-2", "ephyran-3"


async def test_an_entry_that_nobody_understands_is_set_aside_and_the_fold_goes_on(open_ladders: Ladders) -> None:
    await open_ladders.end(score(1, 2), "a", "b")
    strange = (await open_ladders.store.command("XADD", keys.RESULTS, "*", "what", "ever")).decode()
    await open_ladders.end(score(1, 2), "a", "b")

    assert await open_ladders.take() == 2

    assert (await stored(open_ladders, TWO)).results == 2
    aside = await set_aside(open_ladders)
    assert set(aside) == {strange}
    assert "no result can be read from it" in aside[strange]["reason"]


async def write_old(ladders: Ladders, match: MatchEntry, record: str) -> None:
    """Write a result as versions did that stored no outcome beside the record."""
    await write_result(ladders.store, match, record=record)


async def test_a_result_of_an_earlier_version_is_folded_from_its_record(open_ladders: Ladders) -> None:
    match = entry("a", "b", ladder=TWO, block=new_id(), block_size=2)
    await write_old(open_ladders, match, record_of(match, score(2, 1)).to_line())

    await open_ladders.take()

    state = await stored(open_ladders, TWO)
    assert state.bots["b"].half_points == 2
    assert (await open_ladders.auditor.audit(TWO)).findings == ()


async def test_a_damaged_record_and_an_unknown_ladder_are_set_aside_with_their_matches(open_ladders: Ladders) -> None:
    damaged = entry("a", "b", ladder=TWO, block=new_id(), block_size=2)
    await write_old(open_ladders, damaged, "{}")
    unknown = await open_ladders.end(score(1, 2), "a", "b", ladder="nowhere")
    await open_ladders.end(score(1, 2), "a", "b")

    await open_ladders.take()

    aside = {kept["match"]: kept for kept in (await set_aside(open_ladders)).values()}
    assert set(aside) == {damaged.match, unknown.match}
    assert "cannot be read" in aside[damaged.match]["reason"]
    assert "not 'nowhere'" in aside[unknown.match]["reason"]
    assert (await stored(open_ladders, TWO)).results == 1


async def test_a_match_of_no_ladder_is_passed_over(open_ladders: Ladders) -> None:
    await open_ladders.end(score(1, 2), "a", "b", ladder="", block="", rated=False, block_size=1)

    await open_ladders.take()

    assert await set_aside(open_ladders) == {}


async def damage(ladders: Ladders, name: str) -> None:
    await ladders.store.command("HSET", keys.STANDING + name, "a", "{}")


async def test_a_ladder_that_fails_does_not_stop_the_others_and_catches_up_after_a_rebuild(
    open_ladders: Ladders, store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    """X15."""
    await open_ladders.end(score(1, 2), "a", "b")
    await open_ladders.take()
    await damage(open_ladders, TWO)
    broken = Ladders(store)
    await broken.lead()
    await broken.end(score(1, 2), "a", "b")
    await broken.end(score(1, 2, 3), "a", "b", "c")

    await broken.take()

    assert broken.fold.failed == {TWO}
    assert (await stored(broken, THREE, 3)).results == 1
    with pytest.raises(TableDamagedError):
        await broken.tables.load(TWO, 2)
    assert "ladder ephyran-2 cannot be folded and is left out until a restart or a rebuild: the table of" in caplog.text

    await broken.auditor.rebuild(TWO)
    await broken.end(score(2, 1), "a", "b")
    await broken.take()
    await broken.fold.retry_failed()

    assert broken.fold.failed == frozenset()
    assert (await stored(broken, TWO)).results == 3
    assert (await broken.tables.load(TWO, 2)).failed == ""
    assert (await broken.auditor.audit(TWO)).findings == ()


async def test_a_ladder_whose_rating_systems_library_is_gone_says_what_is_missing_and_the_others_go_on(
    open_ladders: Ladders, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """X15. It goes on where it stood when the library is back."""
    await open_ladders.catalogue.create(ladder(2, name="bayes", system="weng-lin"))
    await open_ladders.end(score(1, 2), "a", "b", ladder="bayes")
    await open_ladders.take()
    get_system.cache_clear()
    monkeypatch.setitem(sys.modules, "openskill", None)
    without = Ladders(store)
    await without.lead()
    await without.end(score(2, 1), "a", "b", ladder="bayes")
    await without.end(score(1, 2, 3), "a", "b", "c")

    await without.take()

    assert without.fold.failed == {"bayes"}
    assert (await stored(without, THREE, 3)).results == 1
    assert b"pip install 'agon-arena[rate]'" in await store.command("HGET", keys.TABLE + "bayes", "failed")
    with pytest.raises(MissingLibraryError):
        await without.standings.read("bayes")

    monkeypatch.undo()
    await without.fold.retry_failed()

    assert without.fold.failed == frozenset()
    assert (await stored(without, "bayes")).results == 2
    assert (await without.auditor.audit("bayes")).findings == ()


async def test_a_failed_ladder_stays_failed_over_a_restart_until_it_can_be_read(
    open_ladders: Ladders, store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    await open_ladders.end(score(1, 2), "a", "b")
    await open_ladders.take()
    whole = await store.command("HGET", keys.STANDING + TWO, "a")
    await damage(open_ladders, TWO)
    first = Ladders(store)
    await first.lead()
    await first.end(score(1, 2), "a", "b")
    await first.take()

    second = Ladders(store)
    await second.lead()
    assert second.fold.failed == {TWO}

    await store.command("HSET", keys.STANDING + TWO, "a", whole)
    third = Ladders(store)
    await third.lead()
    assert third.fold.failed == frozenset()
    assert (await stored(third, TWO)).results == 2
    assert "cannot be folded" in caplog.text


async def test_a_ladder_that_failed_before_a_gap_is_left_out_alone(open_ladders: Ladders, store: Store) -> None:
    """X15. What it lacks is nowhere, so it cannot catch up; the others go on."""
    await open_ladders.end(score(1, 2), "a", "b")
    await open_ladders.take()
    whole = await store.command("HGET", keys.STANDING + TWO, "a")
    await damage(open_ladders, TWO)
    await open_ladders.lead()
    await open_ladders.end(score(1, 2), "a", "b")
    gone = (await open_ladders.results.before("", "0-0", 1)).cursor
    await open_ladders.take()
    await store.command("XDEL", keys.RESULTS, gone)
    await store.command("HSET", keys.STANDING + TWO, "a", whole)
    await open_ladders.end(score(1, 2, 3), "a", "b", "c")

    await open_ladders.lead()
    await open_ladders.take()

    assert open_ladders.fold.failed == {TWO}
    assert f"lacks results up to {gone}" in (await open_ladders.tables.load(TWO, 2)).failed
    assert (await stored(open_ladders, THREE, 3)).results == 1


async def test_of_a_bug_that_stops_a_ladder_its_place_is_told_and_not_its_words(
    open_ladders: Ladders, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """They could name a card of a deal that is still played."""

    def fails(*_: object) -> None:
        raise RuntimeError("hidden")

    monkeypatch.setattr(LadderState, "apply", fails)
    await open_ladders.end(score(1, 2), "a", "b")
    await open_ladders.take()

    assert (await open_ladders.tables.load(TWO, 2)).failed == "RuntimeError"
    assert "left out until a restart or a rebuild: RuntimeError\nRuntimeError\n  " in caplog.text
    assert "hidden" not in caplog.text


async def test_the_books_of_blocks_survive_in_the_store(open_ladders: Ladders) -> None:
    """R15: an incomplete block counts only when its last place is rated, restart or not."""
    block = new_id()
    await open_ladders.end(score(1, 2), "a", "b", block=block, index=0)
    await open_ladders.take()
    assert set((await stored(open_ladders, TWO)).partial) == {block}

    await open_ladders.lead()
    await open_ladders.end(score(2, 1), "b", "a", block=block, index=1)
    await open_ladders.take()

    state = await stored(open_ladders, TWO)
    assert (state.partial, state.bots["a"].blocks) == ({}, {4: 1})


async def test_a_batch_of_unreadable_entries_moves_the_cursor(open_ladders: Ladders) -> None:
    await open_ladders.fold.take(Batch([], [Unread("5-0", "why")], "5-0"))
    await open_ladders.pairing.save("5-0")

    assert await open_ladders.tables.cursor() == Position(5, 0)
    assert (await set_aside(open_ladders))["5-0"]["reason"] == "why"
