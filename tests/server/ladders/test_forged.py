"""Entries of the results stream that no server wrote, in good form: whoever can write to the store is believed, but
nothing is played twice for it, nothing waits for ever, and an audit tells what no organiser has ruled."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.server.ladders.test_tournaments import begun, by_name, cup, played_out, progress
from tests.support.folds import set_aside
from tests.support.ladder_store import Ladders, first_wins, record_of, score
from tests.support.rulings import NAME, assert_true, live, purge, rule, season

from agon_engine.core.policy import Result
from agon_ladder.pairing.blocks import PlaceState
from agon_ladder.rulings import FIRST_SEASON, Ruling, facts_of, kind_of
from agon_server.archive.archive import Archive
from agon_server.ladders.exports import Form, What
from agon_server.ladders.history import History
from agon_server.ladders.rebuild import Auditor
from agon_server.queue.entry import MatchEntry
from agon_server.queue.ids import new_id
from agon_server.store import keys


async def put(ladders: Ladders, fields: dict[str, Any], record: str = "") -> str:
    """Put an entry into the results stream; return its id."""
    flat = [part for field in fields.items() for part in field]
    entry_id = str((await ladders.store.command("XADD", keys.RESULTS, "*", *flat)).decode())
    if record:
        await ladders.store.command("SET", keys.RECORD + entry_id, record)
    return entry_id


async def forge(ladders: Ladders, match: MatchEntry, end: Result, *, with_record: bool = True, **fields: str) -> str:
    """Put a result of a match into the stream as a server would."""
    record = record_of(match, end)
    facts = {"game": match.game, "version": match.version, "ladder": match.ladder}
    facts |= {"block": match.block, "index": match.index, "attempt": match.attempt}
    outcome = {"bots": [seat.bot for seat in match.seats], "placements": end.placements, "terminations": end.seats}
    told = {
        "kind": "played",
        "match": match.match,
        "facts": json.dumps(facts),
        "termination": end.termination.value,
        "rated": "1",
        "again": "0",
        "server": "server-1",
        "epoch": 1,
        "reason": "",
        "hash": record.hash(),
        "outcome": json.dumps(outcome),
    }
    return await put(ladders, told | fields, record.to_line() if with_record else "")


async def forge_ruling(ladders: Ladders, ruling: Ruling) -> str:
    about = {"ruling": ruling.id, "ladder": ruling.ladder, "actor": ruling.actor, "why": ruling.why}
    return await put(ladders, {"kind": kind_of(ruling), **about, "facts": json.dumps(facts_of(ruling))})


async def test_a_repeat_of_a_result_stops_no_archive(played: Ladders, tmp_path: Path) -> None:
    """X15: not where both are taken at once, either."""
    match = await played.end(score(1, 2, 3), "a", "b", "c")
    first = (await played.results.before("", "0-0", 1)).cursor
    await forge(played, match, score(3, 2, 1))
    later = await played.end(score(1, 2, 3), "a", "b", "c")

    with closing(Archive(tmp_path / "archive", played.store, played.results)) as archive:
        await archive.drain()

        assert archive.places([match.match]) == {match.match: first}
        assert later.match in archive.places([later.match])


async def test_what_comes_of_a_place_that_is_over_gives_no_block_up(played: Ladders) -> None:
    await played.play(first_wins)
    await played.take()
    block = next(each for each in played.pairing.blocks if PlaceState.DONE in {place.state for place in each.places})
    over = next(number for number, place in enumerate(block.places) if place.state is PlaceState.DONE)
    entry = await played.end(score(1, 2, 3), "a", "b", "c")
    forged = replace(entry, match=new_id(), block=block.id, index=over)
    await forge(played, forged, score(1, 2, 3), kind="dead", termination="infrastructure", outcome="")
    await played.take()

    assert block in played.pairing.blocks
    assert not block.abandoned


@pytest.mark.parametrize(
    ("changes", "how"),
    [
        ({}, {"with_record": False}),
        ({}, {"kind": "dead", "termination": "infrastructure", "reason": "because", "outcome": ""}),
        ({}, {"kind": "cancelled", "termination": "cancelled", "outcome": ""}),
        ({"ladder": "other-ladder"}, {}),
        ({"index": 2}, {}),
        ({"attempt": 7}, {}),
    ],
)
async def test_a_result_of_another_match_does_not_touch_a_block_whose_match_is_under_way(
    played: Ladders, changes: dict[str, Any], how: dict[str, Any]
) -> None:
    """X15: else its place would be played once more beside the match that runs, or the whole block be given up."""
    await played.play(first_wins)
    await played.take()
    while await played.pairing.round():
        pass
    claims = await played.claim_all()
    before = {block.id: block.to_json() for block in played.pairing.blocks}
    running = next(claim.entry for claim in claims if claim.entry.index == 0)

    await forge(played, replace(running, match=new_id(), **changes), score(1, 2, 3), **how)
    await played.take()

    assert {block.id: block.to_json() for block in played.pairing.blocks} == before
    for claim in claims:
        await played.finish(claim, first_wins(claim.entry))
    rest = await played.play_rounds(3, first_wins)
    assert (running.block, running.index) not in {(match.block, match.index) for match in rest}


async def test_a_tournament_gives_a_block_up_whose_result_its_schedule_cannot_have(ladders: Ladders) -> None:
    """It does not wait for ever for what nobody plays again, and says what it passed over."""
    await begun(ladders, cup("swiss", 2, 4))
    await ladders.pairing.round()
    claim = await ladders.claim()
    assert claim is not None
    await forge(ladders, claim.entry, score(2, 2))
    await ladders.take()
    await ladders.finish(claim, by_name(claim.entry))

    await played_out(ladders)

    now = await progress(ladders)
    assert (now.is_over, len(now.given_up)) == (True, 1)
    assert now.done + now.lost == now.planned


async def test_what_the_stream_does_not_tell_counts_in_no_rebuild_either(played: Ladders) -> None:
    before = await live(played)
    match = await played.end(score(1, 2, 3), "a", "b", "c")
    forged = await forge(played, replace(match, match=new_id(), block=new_id()), score(3, 2, 1), outcome="")
    await played.take()

    assert forged in await set_aside(played)
    assert (await live(played)).results == before.results + 1
    assert [finding.check for finding in (await played.auditor.audit(NAME)).findings] == ["records"]


async def test_an_audit_tells_a_ruling_that_no_organiser_has_made(played: Ladders) -> None:
    """It is folded, as a rebuild folds it: live = rebuild holds over it."""
    await forge_ruling(played, purge("forged", bot="a"))
    await played.take()

    (finding,) = (await played.auditor.audit(NAME)).findings
    assert (finding.check, finding.subject) == ("rulings", "forged")
    assert "a" not in (await live(played)).bots


async def test_a_second_entry_of_a_season_is_refused_with_its_id(played: Ladders) -> None:
    made = season()
    await rule(played, made)
    await played.take()
    before = await live(played)
    again = await forge_ruling(played, made)
    await played.end(score(1, 2, 3), "a", "b", "c")
    first = await forge_ruling(played, replace(made, id="first", label=FIRST_SEASON))
    await played.take()

    for refused in (again, first):
        assert "has begun already" in (await set_aside(played))[refused]["reason"]
    assert (await played.auditor.trades(NAME)).matches == 1
    assert (await live(played)).season == before.season
    assert {finding.check for finding in (await played.auditor.audit(NAME)).findings} == {"seasons", "rulings"}


async def test_a_second_entry_of_a_purge_changes_nothing(played: Ladders) -> None:
    made = purge("p1", bot="a")
    await rule(played, made)
    await played.end(score(1, 2, 3), "a", "b", "c")
    await played.take()
    before = await live(played)
    await assert_true(played)
    await forge_ruling(played, made)
    await played.take()

    assert (await live(played)).bots == before.bots
    (finding,) = (await played.auditor.audit(NAME)).findings
    assert (finding.check, finding.subject) == ("rulings", "p1")


async def test_an_entry_behind_all_dates_stops_nothing(played: Ladders, tmp_path: Path) -> None:
    """As of a store whose clock was wrong, or who wrote microseconds: all that follow have its moment."""
    later = f"{10**15}-0"
    await played.store.command("XADD", keys.RESULTS, later, "what", "ever")
    match = await played.end(score(1, 2, 3), "a", "b", "c")
    await played.take()

    with closing(Archive(tmp_path / "archive", played.store, played.results)) as archive:
        await archive.drain()
        auditor = Auditor(played.store, played.catalogue, History(played.results, archive))
        exported = [text async for text in auditor.export(NAME, What.RATINGS, Form.CSV)]

        assert archive.places([match.match]) == {match.match: f"{10**15}-1"}
        assert "9999-12-31T23:59:59" in "".join(exported)
        assert (await auditor.audit(NAME)).findings == ()
