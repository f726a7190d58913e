"""Plays what is due by the SDK's local play: bots in worker processes of this machine, or in this process.

Seeds follow from the tournament's seed and the match's place in the schedule, so that a tournament which is interrupted
and goes on has the same deals; nobody gains by knowing them, since who could is who plays here.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from itertools import count
from typing import Final, cast

from agon_bots import LocalMatch, LocalPlayers, LocalRules, PlannedMatch
from agon_engine.core import Deal, Table
from agon_engine.core.policy import FaultPolicy, OnFault, Termination
from agon_engine.core.record import MatchRecord, SeatRow, line_hash
from agon_ladder.pairing.schedules.deals import deal_seed
from agon_server.queue.outcome import Outcome
from agon_server.queue.results import Kind, Result
from agon_server.tournaments.definition import TournamentDef
from agon_server.tournaments.folder import TournamentFolder, Writer
from agon_server.tournaments.progress import Due, Progress
from agon_server.tournaments.proof import prove

SERVER: Final = "local"
"""Who ran a match, as records and results have it."""


def match_id(definition: TournamentDef, due: Due) -> str:
    """Return what a match is called: after the tournament, its block, its place and how often it was played."""
    again = f".{due.attempt + 1}" if due.attempt else ""
    return f"{definition.name}-{due.place.block_id}.{due.place.place + 1}{again}"


def rules_of(definition: TournamentDef) -> LocalRules:
    """Return how the matches are played."""
    return LocalRules(
        definition.game,
        definition.seats,
        definition.options,
        time=definition.time,
        policy=definition.policy,
        seed=definition.seed,
        ladder=definition.name,
        files=definition.files,
    )


def play(
    definition: TournamentDef,
    folder: TournamentFolder,
    progress: Progress,
    jobs: int,
    seen: Callable[[LocalMatch], None],
    ready: Callable[[], None] = lambda: None,
) -> None:
    """Play all that is left, `jobs` matches at a time (0: in this process, one after the other), and keep it.

    `ready` is called when the bots could be loaded, `seen` with each match that has ended. Whatever ends this, what was
    kept is true, and another call goes on. Raise what the SDK raises for bots.
    """
    names = tuple(bot.name for bot in definition.bots)
    rules = rules_of(definition)
    with (
        LocalPlayers(rules, tuple(bot.loaded for bot in definition.bots), names, jobs=jobs) as players,
        Writer(folder.append) as writer,
    ):
        number = count(1)
        while not progress.is_over:
            if progress.schedule.is_adaptive:
                prove(definition, progress.open_blocks())
            under_way: dict[str, Due] = {}
            played = players.play(_plans(definition, progress, names, number, under_way, ready))
            # Closing it ends what was begun.
            with closing(cast("Generator[LocalMatch]", played)):
                for match in played:
                    due = under_way.pop(match.plan.match_id)
                    again = False
                    if match.result.rated:
                        progress.take(due.place, due.bots, match.result.placements)
                    else:
                        again = progress.missed(due.place)
                    writer.put(_result(rules, folder.next_id(), due, match, again=again))
                    seen(match)


def _plans(
    definition: TournamentDef,
    progress: Progress,
    names: Sequence[str],
    number: Iterator[int],
    under_way: dict[str, Due],
    ready: Callable[[], None],
) -> Iterator[PlannedMatch]:
    chance = definition.chance
    index = {name: at for at, name in enumerate(names)}
    for due in progress.due():
        plan = PlannedMatch(
            number=next(number),
            block=due.place.block + 1,
            bots=tuple(index[bot] for bot in due.bots),
            seed=deal_seed(chance, *due.place, due.attempt, definition.deals),
            deals=definition.deals,
            match_id=match_id(definition, due),
            block_id=due.place.block_id,
        )
        under_way[plan.match_id] = due
        yield plan
        # The first one was taken by who has loaded its bots.
        if plan.number == 1:
            ready()


def _result(rules: LocalRules, id_: str, due: Due, match: LocalMatch, *, again: bool) -> Result:
    record = match.record or _record_of_lost(rules, due, match)
    line = record.to_line()
    return Result(
        id=id_,
        kind=Kind.PLAYED,
        match=record.match,
        game=record.game,
        version=record.version,
        ladder=record.ladder,
        block=record.block,
        index=due.place.place,
        attempt=due.attempt,
        rated=False,
        termination=record.result.termination,
        server=SERVER,
        epoch=1,
        reason="",
        record_hash=line_hash(line),
        record=line,
        plays_again=again,
        outcome=Outcome(due.bots, record.result.placements, record.result.seats),
    )


def _record_of_lost(rules: LocalRules, due: Due, match: LocalMatch) -> MatchRecord:
    """Return the record of a match whose process was lost, and its moves with it.

    It says that the seat whose doing it was fell before the first move, by the end of its process, and that this ended
    the match; or, where it was no seat's doing, that the match was abandoned. So a replay finds what was counted.
    """
    policy = replace(rules.policy or FaultPolicy.default(rules.seats), on_fault=OnFault.FORFEIT)
    deal = Deal.of(rules.engine, rules.seats, rules.options, bytes.fromhex(match.plan.seed))
    table = Table(rules.engine, deal, policy, rules.time)
    if match.result.rated:
        (seat,) = (seat for seat, why in enumerate(match.result.seats) if why is not Termination.SCORE)
        table.fall(seat, Termination.DISCONNECT)
    else:
        table.abandon(Termination.INFRASTRUCTURE)
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    return table.record(
        match=match.plan.match_id,
        block=due.place.block_id,
        ladder=rules.ladder,
        rated=False,
        seats=[SeatRow(bot, "", "", f"seat {seat}") for seat, bot in enumerate(due.bots)],
        deals=match.plan.deals,
        epoch=1,
        servers=[SERVER],
        started=now,
        ended=now,
    )
