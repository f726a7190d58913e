"""Pairing on a real store with bots and versions of bots that are retired."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from tests.support.ladder_store import Ladders, first_wins, opened, score, stored_blocks
from tests.support.valkey import present

from agon_server.queue.entry import MatchEntry
from agon_server.queue.queue import Queue
from agon_server.retirements import Retirements


async def retire(ladders: Ladders, bot: str, version: str | None = None) -> None:
    await Retirements(ladders.store).retire(bot, version, actor="priam", reason="tests")


def bots(played: list[MatchEntry]) -> set[str]:
    return {seat.bot for match in played for seat in match.seats}


async def test_a_retired_bot_ends_its_running_match_and_its_block_is_given_up_at_once(
    ladders: Ladders, caplog: pytest.LogCaptureFixture
) -> None:
    await opened(ladders, 2)
    await ladders.join("a", "b", slots=1)
    await ladders.pairing.round()
    (running,) = await ladders.claim_all()
    await ladders.join("c", slots=1)

    await retire(ladders, "a")
    await ladders.pairing.round()
    (block,) = [one for one in ladders.pairing.blocks if "a" in one.bots]
    assert (block.abandoned, block.pending) == ("a is retired", 1)
    await ladders.finish(running, score(1, 2))
    await ladders.take()
    played = await ladders.play_rounds(3, first_wins)

    assert bots(played) == {"b", "c"}
    assert f"block {block.id} of ladder ephyran-2 is given up: a is retired" in caplog.text
    state = await ladders.fold.state("ephyran-2")
    assert state.bots["a"].games == 1
    assert sum(state.bots["a"].blocks.values()) == 0


async def test_a_block_of_a_retired_bot_that_is_away_is_given_up_too(ladders: Ladders) -> None:
    await opened(ladders, 2)
    await ladders.join("a", "b", slots=1)
    await ladders.play_rounds(1, first_wins)
    await ladders.leave("a")
    await ladders.pairing.round()
    assert await stored_blocks(ladders) == 1

    await retire(ladders, "a")
    await ladders.pairing.round()

    assert await stored_blocks(ladders) == 0


async def test_a_bot_that_is_retired_no_more_plays_again(ladders: Ladders) -> None:
    await opened(ladders, 2)
    await ladders.join("a", "b", slots=1)
    await retire(ladders, "a")
    assert await ladders.play_rounds(2, first_wins) == []

    await Retirements(ladders.store).unretire("a", None)

    assert bots(await ladders.play_rounds(1, first_wins)) == {"a", "b"}


async def test_where_the_newest_version_is_retired_the_one_before_plays_on_in_the_same_block(ladders: Ladders) -> None:
    await opened(ladders, 2)
    await ladders.join("a", slots=1)
    await ladders.accounts.register("b")
    for version in ("1", "2"):
        one = replace(present("b", instance=version, token=version, slots=1), bot_version=version)
        await ladders.presence.put(one)
    (first,) = await ladders.play_rounds(1, first_wins)

    await retire(ladders, "b", "2")
    (second,) = await ladders.play_rounds(1, first_wins)
    await retire(ladders, "b", "1")

    assert [[seat.instance for seat in match.seats if seat.bot == "b"] for match in (first, second)] == [["2"], ["1"]]
    assert (second.block, second.index) == (first.block, 1)
    assert await ladders.play_rounds(2, first_wins) == []


async def test_a_bot_that_is_retired_in_the_middle_of_a_round_gets_nothing_of_it(
    ladders: Ladders, monkeypatch: pytest.MonkeyPatch
) -> None:
    await opened(ladders, 2)
    await ladders.join("a", "b", "c", slots=1)
    enqueue_many = Queue.enqueue_many

    async def late(self: Queue, entries: Sequence[MatchEntry], *, token: int | None = None) -> list[str]:
        await retire(ladders, "a")
        monkeypatch.setattr(Queue, "enqueue_many", enqueue_many)
        return await enqueue_many(self, entries, token=token)

    monkeypatch.setattr(Queue, "enqueue_many", late)
    await ladders.presence.set_slots("c", "", "c", 0)
    await ladders.pairing.round()
    assert await ladders.claim_all() == []
    assert await stored_blocks(ladders) == 1
    await ladders.presence.set_slots("c", "", "c", 1)

    assert bots(await ladders.play_rounds(2, first_wins)) == {"b", "c"}
