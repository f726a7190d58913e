"""The proof that a tournament's schedule is fair, in words; before anything is played, and before each round that
follows from results."""

from __future__ import annotations

from collections.abc import Iterable

from agon_engine.core.record import Deals
from agon_ladder.errors import ScheduleError
from agon_ladder.pairing.schedules.deals import planned_matches
from agon_ladder.pairing.schedules.schedule import PlannedBlock, Promise, Schedule
from agon_ladder.pairing.verify import Verifier
from agon_server.tournaments.definition import TournamentDef


def prove(definition: TournamentDef, blocks: Iterable[PlannedBlock], promise: Promise | None = None) -> Verifier:
    """Check these blocks and their deals. Raise ScheduleError, with the first thing that is wrong, where they are not
    fair."""
    bots = [bot.name for bot in definition.bots]
    verifier = Verifier(bots, definition.seats, definition.rotations, promise)
    for planned in planned_matches(blocks, definition.rotations, definition.deals, definition.chance):
        verifier.add(planned)
    if verifier.blocks and (problems := verifier.finish()):
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        raise ScheduleError(f"the schedule of {definition.name} is not fair: {problems[0]}{more}")

    return verifier


def proof_of(definition: TournamentDef, schedule: Schedule) -> list[str]:
    """Prove all that can be proved before the start; return what that is, in lines for people. Raise ScheduleError."""
    rounds = 1 if schedule.is_adaptive else schedule.rounds
    promise = None if schedule.is_adaptive else schedule.promise
    blocks = (block for number in range(rounds) for block in schedule.round(number, ()))
    found = prove(definition, blocks, promise)
    turns = definition.places // definition.seats
    is_shared = definition.deals is Deals.SHARED
    deals = found.blocks if is_shared else found.matches
    lines = [
        f"checked {found.blocks} blocks of {definition.places} matches"
        f"{', the first round; each other one is checked before it is played' if schedule.is_adaptive else ''}:",
        f"  in each block every bot sits {'once' if turns == 1 else f'{turns} times'} at each seat",
        f"  each {'block' if is_shared else 'match'} has a deal of its own, {deals} in all, no two alike",
    ]
    if promise is not None:
        for group in promise.groups:
            who = "the bots" if len(promise.groups) == 1 else ", ".join(group[:3]) + (" …" if len(group) > 3 else "")
            lines.append(f"  {who} differ by {_blocks(promise.blocks_apart)}")
        if promise.meetings_apart is not None:
            lines.append(f"  pairs of them differ by {_blocks(promise.meetings_apart)} together")
    return lines


def _blocks(apart: int) -> str:
    return f"{apart} block{'s' if apart != 1 else ''} at most" if apart else "no block"
