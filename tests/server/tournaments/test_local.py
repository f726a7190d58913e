"""Tournaments in local play: killed after any write they go on to the same deals, moves and table (R11-R15)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from tests.support.tournaments import FORMAT_DEFS, FORMATS

from agon_bots import LocalMatch, LocalPlayers, PlannedMatch
from agon_bots.sdk.workers import lost_match
from agon_engine.core import Deals, FaultPolicy, MatchRecord, OnFault, Termination
from agon_engine.core.replay import verify
from agon_engine.core.timing import TimeControl
from agon_engine.registry import get_game
from agon_ladder.pairing.blocks import Rotations
from agon_ladder.pairing.schedules.table import Row
from agon_server.queue.results import Result
from agon_server.tournaments import local
from agon_server.tournaments.definition import BotDef, SwissDef, TournamentDef
from agon_server.tournaments.folder import TournamentFolder, recalled
from agon_server.tournaments.local import play
from agon_server.tournaments.progress import MAX_ATTEMPTS, Progress

GAME = "ephyran"
MOMENT = "2030-01-31T12:00:00Z"


class Killed(BaseException):
    """Stands for `kill -9`: nobody answers it."""


class Dying(TournamentFolder):
    """A folder whose process dies when so many results are kept."""

    lives: int

    def append(self, results: Sequence[Result]) -> None:
        kept = results[: self.lives]
        self.lives -= len(kept)
        if kept:
            super().append(kept)
        if len(kept) < len(results):
            raise Killed


def cup(
    kind: str,
    seats: int,
    bots: int,
    deals: Deals = Deals.FRESH,
    *,
    first: str = "random",
    on_fault: OnFault = OnFault.FORFEIT,
    rotations: Rotations = Rotations.CYCLIC,
) -> TournamentDef:
    specs = (first, *["random"] * (bots - 1))
    return TournamentDef(
        name="cup",
        game=GAME,
        version=get_game(GAME).spec.version,
        seats=seats,
        seed="7",
        bots=tuple(BotDef(name=f"bot-{number}", bot=spec) for number, spec in enumerate(specs)),
        format=FORMAT_DEFS[kind],
        options=get_game(GAME).spec.check_options({}),
        deals=deals,
        rotations=rotations,
        time=TimeControl(),
        policy=FaultPolicy(on_fault),
    )


def played(tournament: TournamentDef, folder: TournamentFolder, jobs: int = 0) -> Progress:
    """Go on with a tournament to its end, in this process."""
    progress = recalled(tournament, folder)
    play(tournament, folder, progress, jobs, lambda _: None)
    return progress


def begin(path: Path) -> TournamentFolder:
    return TournamentFolder.begin(path, {})


def untimed(folder: TournamentFolder) -> dict[str, MatchRecord]:
    """Return the records by match, without what differs from run to run."""
    found = {}
    for item in folder.results():
        record = MatchRecord.from_line(item.record)
        moves = [move._replace(charge_us=0, elapsed_us=0, thought_us=0, late=False) for move in record.moves]
        found[item.match] = replace(record, moves=tuple(moves), started=MOMENT, ended=MOMENT)
    return found


def table(progress: Progress) -> list[Row]:
    return progress.schedule.table(progress.played())


def killed_everywhere(tmp_path: Path, kind: str, seats: int, bots: int, deals: Deals, kills: int = 1_000) -> None:
    """Play a tournament whole, then once for each kill, which are after each write or so many evenly apart."""
    tournament = cup(kind, seats, bots, deals)
    with begin(tmp_path / "whole") as folder:
        whole = played(tournament, folder)
        records = untimed(folder)
    assert len(records) == whole.done == whole.planned

    for writes in range(0, len(records), -(-len(records) // kills)):
        path = tmp_path / f"killed-{writes}"
        begin(path).close()
        with Dying.open(path) as dying:
            dying.lives = writes
            with pytest.raises(Killed):
                played(tournament, dying)
        with TournamentFolder.open(path) as folder:
            assert len(list(folder.results())) == writes
            again = played(tournament, folder)

            assert untimed(folder) == records
            assert len(list(folder.results())) == len(records)
        assert table(again) == table(whole)
        assert (again.done, again.remaining) == (whole.done, 0)


def test_killed_after_any_write_it_goes_on_to_the_same_end(tmp_path: Path) -> None:
    killed_everywhere(tmp_path, "swiss", 2, 4, Deals.FRESH)


@pytest.mark.long
@pytest.mark.parametrize("deals", Deals)
@pytest.mark.parametrize(("seats", "bots"), [(2, 5), (3, 4), (4, 5)])
@pytest.mark.parametrize("kind", FORMATS)
def test_every_format_killed_anywhere_goes_on_to_the_same_end(
    tmp_path: Path, kind: str, seats: int, bots: int, deals: Deals
) -> None:
    killed_everywhere(tmp_path, kind, seats, bots, deals, kills=5)


def test_worker_processes_play_the_same_tournament(tmp_path: Path) -> None:
    tournament = cup("swiss", 2, 4)
    with begin(tmp_path / "here") as here, begin(tmp_path / "there") as there:
        tables = [table(played(tournament, folder, jobs)) for folder, jobs in ((here, 0), (there, 2))]

        assert untimed(here) == untimed(there)
    assert tables[0] == tables[1]


@pytest.mark.parametrize("deals", Deals)
def test_records_are_true_and_deals_are_as_they_must_be(tmp_path: Path, deals: Deals) -> None:
    """R12, H5, H8: a record for each result, which replays; one deal a match, or one a block."""
    with begin(tmp_path / "cup") as folder:
        progress = played(cup("swiss", 3, 4, deals), folder)
        records = untimed(folder)

    for match, record in records.items():
        verify(record, get_game(GAME))
        assert (record.match, record.ladder, record.deals) == (match, "cup", deals)
    assert len(records) == progress.done
    blocks = {record.block for record in records.values()}
    assert len({record.seed for record in records.values()}) == len(blocks if deals is Deals.SHARED else records)
    assert {
        (record.block, tuple(seat.bot for seat in record.seats)): record.result.placements
        for record in records.values()
    } == {(place.block_id, match.bots): match.placements for place, match in progress.matches()}


ENDS = """
import os
from agon_bots import Bot

class Ends(Bot):
    def choose(self, turn):
        os._exit(7)
"""


@pytest.mark.parametrize("on_fault", [OnFault.SUBSTITUTE, pytest.param(OnFault.FORFEIT, marks=pytest.mark.long)])
def test_a_bot_that_ends_its_process_loses_and_its_record_says_so(tmp_path: Path, on_fault: OnFault) -> None:
    """C1, C2: what is counted is what a replay of the record finds."""
    file = tmp_path / "ends.py"
    file.write_text(ENDS)
    tournament = replace(cup("swiss", 2, 2, first=f"{file}:Ends", on_fault=on_fault), format=SwissDef(rounds=1))
    with begin(tmp_path / "cup") as folder:
        progress = played(tournament, folder, jobs=1)
        records = untimed(folder)

    assert [(row.bot, row.half_points) for row in table(progress)] == [("bot-1", 4), ("bot-0", 0)]
    assert len(records) == 2
    for record in records.values():
        verify(record, get_game(GAME))
        assert record.result.termination is Termination.DISCONNECT
    assert {match.placements for _, match in progress.matches()} == {(1, 2), (2, 1)}


@pytest.mark.parametrize("lost", [1, 2, 3])
def test_a_match_without_a_result_is_played_again_so_often_and_then_its_block_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lost: int
) -> None:
    """C7: what came of each try is kept, and a tournament that goes on knows of it."""

    class Failing(LocalPlayers):
        def play(self, plans: Iterable[PlannedMatch]) -> Iterator[LocalMatch]:
            for plan in plans:
                fails = plan.match_id in ["cup-1.1.1", "cup-1.1.1.2", "cup-1.1.1.3"][:lost]
                yield lost_match(plan, None, Termination.DISCONNECT, "") if fails else next(super().play([plan]))

    monkeypatch.setattr(local, "LocalPlayers", Failing)
    with begin(tmp_path / "cup") as folder:
        progress = played(cup("swiss", 2, 4), folder)
        records = untimed(folder)
        again = recalled(cup("swiss", 2, 4), folder)

    unrated = [match for match, record in records.items() if record.result.termination is Termination.INFRASTRUCTURE]
    assert len(unrated) == lost
    assert progress.given_up == again.given_up == (["1.1"] if lost == MAX_ATTEMPTS else [])
    assert (again.is_over, again.remaining) == (progress.is_over, progress.remaining) == (True, 0)
    assert table(again) == table(progress)
    for record in records.values():
        verify(record, get_game(GAME))
    assert len({record.seed for record in records.values()}) == len(records)
