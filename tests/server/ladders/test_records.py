"""Records played again by an audit, on a real store and in real processes: true ones, false ones, and those that nobody
can judge (X4, requirement M8)."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import sys
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.support import card_files
from tests.support.ladder_store import Ladders, ladder, score
from tests.support.matches import play_out, record_of

from agon_engine.core import Chance, Deal, FaultPolicy, Game, Table, TimeControl
from agon_engine.core.record import MatchRecord, line_hash
from agon_engine.registry import get_game
from agon_server.files import Files
from agon_server.ladders import replayer, replays
from agon_server.ladders.replays import Checked, _process, drawn, one_by_one, replay_all
from agon_server.queue.outcome import Outcome
from agon_server.queue.results import Result

NAME = "ephyran-2"


@pytest.fixture
async def played(ladders: Ladders) -> Ladders:
    await ladders.catalogue.create(ladder(2))
    await ladders.join("a", "b", slots=50)
    await ladders.lead()
    for _ in range(3):
        await ladders.play_truly("a", "b")
    await ladders.take()
    return ladders


async def checked(ladders: Ladders, sample: int = 0) -> dict[str, Checked]:
    found: dict[str, Checked] = {}

    async def tell(one: Checked) -> None:
        found[one.match] = one

    await ladders.auditor.check_records(NAME, sample, tell)
    return found


def open_pipes() -> int:
    return sum(
        os.path.realpath(file).rpartition("/")[2].startswith("pipe:") for file in Path("/proc/self/fd").iterdir()
    )


async def results_of(ladders: Ladders) -> list[Result]:
    return list((await ladders.results.after("0-0", 1_000)).results)


def with_record(result: Result, record: MatchRecord) -> Result:
    line = record.to_line()
    return replace(result, record=line, record_hash=line_hash(line), outcome=Outcome.of_record(line))


def record_of_cards(game: Game[Any]) -> MatchRecord:
    """Return the record of a match of Elysium, with the set that the game has."""
    options = {option: file.hash for option, file in game.files.items()}
    table = Table(game, Deal.of(game, 2, options, bytes(16)), FaultPolicy.default(2), TimeControl())
    play_out(table, Chance(bytes(16)))
    return record_of(table)


async def check(ladders: Ladders, *results: Result) -> list[Checked]:
    """Check some results in one process; return what it says, in their order."""
    found: dict[str, Checked] = {}

    async def tell(one: Checked) -> None:
        found[one.match] = one

    await replay_all(one_by_one(results), Files(ladders.store), tell, 1)
    return [found[result.match] for result in results]


async def test_true_records_are_true_and_a_false_one_is_found(played: Ladders) -> None:
    """The lie is one that no table can show: who placed where is as it was, the final state is not."""
    assert {(each.found, each.skipped) for each in (await checked(played)).values()} == {((), False)}

    false = await played.play_truly("a", "b", stated={"digest": "0" * 64})
    everything = await checked(played)

    assert len(everything) == 4
    assert [text[:30] for text in everything[false.match].found] == ["the digest of the final state "]
    assert len(await checked(played, sample=2)) == 2


@pytest.mark.parametrize("turns", [1, 2, 3, 4, 5, 8])
async def test_processes_that_nobody_waits_for_leave_no_pipe_open(played: Ladders, turns: int) -> None:
    """Also those that were just being started."""

    async def tell(_: Checked) -> None: ...

    results = one_by_one(await results_of(played))
    before = open_pipes()
    checking = asyncio.create_task(replay_all(results, Files(played.store), tell, 2))
    for _ in range(turns):
        await asyncio.sleep(0)
    checking.cancel()
    await asyncio.wait([checking])

    assert checking.cancelled()
    assert open_pipes() == before


@pytest.mark.parametrize("turns", [1, 2, 3, 5])
async def test_a_process_that_is_cancelled_amid_its_end_comes_to_it(turns: int) -> None:
    """Else its transport stays open, and whoever collects it later is told so."""
    running = _process()
    process = await running.__aenter__()
    ending = asyncio.create_task(running.__aexit__(None, None, None))
    for _ in range(turns):
        await asyncio.sleep(0)
    ending.cancel()

    with pytest.raises(asyncio.CancelledError):
        await ending

    assert process.returncode == -signal.SIGKILL


async def test_what_a_result_says_is_compared_with_its_record(played: Ladders) -> None:
    first, second, third = await results_of(played)
    assert first.outcome is not None
    placements = (1, 2) if first.outcome.placements == (1, 1) else (1, 1)
    wrong = [
        replace(first, record_hash="0" * 64, rated=False, outcome=first.outcome._replace(placements=placements)),
        replace(second, record=second.record + " "),
        with_record(third, replace(MatchRecord.from_line(third.record), commitment="0" * 64)),
    ]

    ends, unreadable, commitment = await check(played, *wrong)

    assert len(ends.found) == 3
    assert "the record's hash is not" in ends.found[0]
    assert "its result has rated False, the record True" in ends.found[1]
    assert f"its result has placements {list(placements)}" in ends.found[2]
    assert "the record cannot be read" in unreadable.found[0]
    assert "the commitment is" in commitment.found[0]


async def test_a_record_of_other_rules_is_skipped_and_one_of_no_game_too(played: Ladders) -> None:
    first, second, _ = await results_of(played)
    record = MatchRecord.from_line(first.record)
    old = with_record(first, replace(record, version=record.version + 1))
    unknown = with_record(second, replace(MatchRecord.from_line(second.record), game="chess"))

    assert [("".join(each.found), each.skipped) for each in await check(played, old, unknown)] == [("", True)] * 2


async def test_a_match_with_a_card_set_is_played_again_with_the_file_of_its_hash(ladders: Ladders) -> None:
    game = get_game(card_files.GAME).with_file(card_files.OPTION, card_files.other_text())
    record = record_of_cards(game)
    await ladders.catalogue.create(ladder(2))
    await ladders.join("a", "b")
    await ladders.end(score(1, 2), "a", "b")
    (other,) = await results_of(ladders)
    result = replace(
        with_record(other, record),
        match=record.match,
        ladder=record.ladder,
        block=record.block,
        rated=record.counts,
        termination=record.result.termination,
    )

    (lacking,) = await check(ladders, result)
    await ladders.catalogue.create(ladder(3), game.files.values())
    (true,) = await check(ladders, result)

    assert "the store lacks the file" in lacking.found[0]
    assert true.found == ()


async def test_a_process_that_dies_is_no_true_record(played: Ladders, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")

    with pytest.raises(replays.ReplayProcessError):
        await checked(played)


def test_a_replay_that_breaks_the_rules_code_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> list[str]:
        raise ZeroDivisionError

    record = record_of_cards(get_game(card_files.GAME))
    line = record.to_line()
    told = Outcome.of_record(line).to_json()
    facts = {name: getattr(record, name) for name in ("match", "ladder", "block")}
    result = {**facts, "rated": True, "termination": "score", **{name: list(value) for name, value in told.items()}}
    monkeypatch.setattr(replayer, "mismatches", broken)

    assert replayer.check({"line": line, "hash": line_hash(line), "result": result}, {}) == {
        "found": ["the replay breaks down: ZeroDivisionError"],
        "skipped": False,
    }


async def test_a_sample_is_drawn_evenly_and_in_order(played: Ladders) -> None:
    (first, *_) = await results_of(played)
    results = [replace(first, id=f"{number}-0", match=f"m{number}") for number in range(1, 11)]
    chance = random.Random(1)
    counts = dict.fromkeys((result.match for result in results), 0)

    async def all_of_them() -> AsyncIterator[Result]:
        for result in results:
            yield result

    for _ in range(2_000):
        sample = await drawn(all_of_them(), 3, chance)
        assert [result.order for result in sample] == sorted(result.order for result in sample)
        for result in sample:
            counts[result.match] += 1

    assert all(500 < count < 700 for count in counts.values())
    assert await drawn(all_of_them(), 99) == results
