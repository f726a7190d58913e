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


def plan_of(definition: TournamentDef, schedule: Schedule, *, has_secret_deals: bool) -> list[str]:
    """Return, in lines for people, what is planned, and the proof of all that can be proved of it before the start.

    `has_secret_deals`: they follow from nothing that is known here, as on a server. Raise ScheduleError where something
    is not fair.
    """
    at_most = "at most " if schedule.is_adaptive else ""
    blocks, bots = schedule.planned_blocks, len(definition.bots)
    return [
        f"{definition.name}: {definition.game}, {definition.seats} seats, {bots} bots, {schedule.extent}, "
        f"{at_most}{blocks} blocks, {at_most}{blocks * definition.places} matches",
        *_proof_of(definition, schedule, has_secret_deals=has_secret_deals),
    ]


def _proof_of(definition: TournamentDef, schedule: Schedule, *, has_secret_deals: bool) -> list[str]:
    rounds = 1 if schedule.is_adaptive else schedule.rounds
    promise = None if schedule.is_adaptive else schedule.promise
    blocks = (block for number in range(rounds) for block in schedule.round(number, ()))
    found = prove(definition, blocks, promise)
    turns = definition.places // definition.seats
    later = ", the first round" + ("" if has_secret_deals else "; each other one is checked before it is played")
    lines = [
        f"checked {found.blocks} blocks of {definition.places} matches{later if schedule.is_adaptive else ''}:",
        f"  in each block every bot sits {'once' if turns == 1 else f'{turns} times'} at each seat",
        *_deals(definition, found, is_secret=has_secret_deals),
    ]
    if promise is not None:
        for group in promise.groups:
            if len(group) == 1:
                continue  # one challenger
            who = "the bots" if len(promise.groups) == 1 else ", ".join(group[:3]) + (" …" if len(group) > 3 else "")
            lines.append(f"  {who} differ by {_blocks(promise.blocks_apart)}")
        if promise.meetings_apart is not None:
            lines.append(f"  pairs of them differ by {_blocks(promise.meetings_apart)} together")
    return lines


def _deals(definition: TournamentDef, found: Verifier, *, is_secret: bool) -> list[str]:
    unit = "block" if definition.deals is Deals.SHARED else "match"
    if is_secret:
        return [f"  each {unit} gets a deal of its own, secret and committed to before it is played"]

    deals = found.blocks if definition.deals is Deals.SHARED else found.matches
    return [f"  each {unit} has a deal of its own, {deals} in all, no two alike"]


def _blocks(apart: int) -> str:
    return f"{apart} block{'s' if apart != 1 else ''} at most" if apart else "no block"
