"""The leak test: whatever a seat sees, it sees the same in two states that differ only in what it may not know.

From such a pair (`worlds`) both states are played on with the same choices. All that a seat, or a spectator, can
observe is a `Look`: the view, the events told, who is asked, and where it is the seat itself the prompt, the actions
and the words in which a wrong action is refused. Numbers need no comparison of their own: a seat's sequence counts
the events it is told, its decision id the questions it is asked.

When may two looks differ at all? When a hidden fact shows, and then by the contract two things come together: the
seat is *told* of it by an event, and from then on its *view* holds it, since a view is everything that the seat may
know. So at the first step after which anything differs

- events and view differ, and the first event that differs is there in both worlds, with the same first word, seat and
  maker, naming another fact: it has shown as it should, the worlds part, and the comparison ends;
- events and view differ, but one world tells an event where the other tells none yet or one of another kind: what is
  done next, or who is asked, has depended on the fact before it showed;
- events differ, the view does not: an event told something that the seat may not know (a code that names the card, an
  audience too wide, an event more or fewer);
- the view differs, the events do not: the view holds something that nobody told the seat;
- neither differs, but who is asked, the prompt, the actions or a refusal do: the question itself is the leak.

Who is asked must be the same even where it is another seat, since the others notice whom the table waits for. Choices
are those that both worlds list; where there is none, a choice that only one world has would show the fact, legally,
and the comparison ends too. What this cannot find is a fact that an event and the view give away together, at the
same step and consistently: that is not a slip of the code but a rule, and wrong only if the rulebook says otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from itertools import takewhile
from typing import Any

from agon_engine.conformance.require import require
from agon_engine.conformance.views import first_difference
from agon_engine.conformance.walk import Case
from agon_engine.conformance.worlds import Swaps, World, worlds
from agon_engine.core import Action, Chance, IllegalActionError, Seat, State, Told

_STEPS = 80
"""How far a pair is followed at most."""


@dataclass(frozen=True, slots=True)
class Look:
    """All that one seat (None: spectators) can observe after a step."""

    told: tuple[Told, ...]
    view: Any
    asked: Seat | None
    question: tuple[object, ...] = ()
    """Where the seat is asked: the prompt, the actions and the words of refusals."""


class Parting(Enum):
    """Why a pair of worlds was followed no further."""

    SHOWN = "a hidden fact has shown"
    CHOICE = "the worlds list no choice in common"
    OVER = "the match is over"
    FAR = "it was followed far enough"


def follow(world: World, choices: Chance, steps: int = _STEPS) -> Parting:
    """Play both states on with the same choices and compare what the seat and spectators observe.

    Return why it ended. Raise AssertionError, with what was seen in each world, at a leak.
    """
    known, other = world.known, world.other
    counts = known.events_count, other.events_count
    _compare(world, "at once", counts, at_once=True)
    for step in range(1, steps + 1):
        if known.decision is None or other.decision is None:
            return Parting.OVER
        both = set(other.decision.actions)
        common = [action for action in known.decision.actions if action in both]
        if not common:
            return Parting.CHOICE
        action = choices.choice("action", common)
        counts = known.events_count, other.events_count
        known.apply(action)
        other.apply(action)
        code = known.notation.code(action)
        if _compare(world, f"at step {step}, the choice {code!r}", counts):
            return Parting.SHOWN
    return Parting.FAR


def _compare(world: World, at: str, counts: tuple[int, int], *, at_once: bool = False) -> bool:
    """Return whether a fact has shown, to the seat or to spectators. Raise AssertionError at a leak."""
    shown = False
    for watcher in (world.seat, None):
        one, two = look(world.known, watcher, counts[0]), look(world.other, watcher, counts[1])
        who = "spectators" if watcher is None else f"seat {watcher}"
        where = f"{world.name}, {at}: {who}"
        told, seen = one.told != two.told, one.view != two.view
        by = f"{where} can tell the worlds apart by"
        differs = first_difference(one.view, two.view) if seen else ""
        require(not (seen and at_once), f"{by} the view: {differs}")
        require(seen or not told, f"{by} events alone: {one.told!r} and {two.told!r}")
        require(told or not seen, f"{by} the view alone: {differs}")
        if told:
            kinds = _first_kinds(one.told, two.told)
            require(kinds[0] == kinds[1], f"{by} what happens: {one.told!r} and {two.told!r}")
            shown = True
            continue
        require(one.asked == two.asked, f"{by} who is asked: {one.asked!r} and {two.asked!r}")
        require(one.question == two.question, f"{by} the question: {one.question!r} and {two.question!r}")
    return shown


def _first_kinds(one: tuple[Told, ...], two: tuple[Told, ...]) -> list[tuple[object, ...] | None]:
    """Return of the first event that differs, in each world, its first word, seat and maker; None: there is none."""
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, two, strict=False)))
    return [(told[same][0].split()[0], *told[same][1:]) if same < len(told) else None for told in (one, two)]


def look(state: State[Any], watcher: Seat | None, since: int) -> Look:
    """Return what the watcher can observe now, with the events from the given one on."""
    told: list[Told] = []
    for event in state.events_since(since):
        code = event.told_to(watcher)
        if code:
            told.append((code, event.seat, event.maker))
    decision = state.decision
    if decision is None:
        return Look(tuple(told), state.view(watcher), None)

    question: tuple[object, ...] = ()
    if decision.seat == watcher:
        question = (decision.prompt, decision.actions, tuple(_refusals(state, decision.actions)))
    return Look(tuple(told), state.view(watcher), decision.seat, question)


def _refusals(state: State[Any], actions: tuple[Action, ...]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield how unlisted actions are refused, which changes nothing: one before the notation, one in it, one after."""
    listed = set(actions)
    inside = next((action for action in range(len(state.notation)) if action not in listed), -1)
    for action in (-1, inside, len(state.notation)):
        try:
            state.apply(action)
        except IllegalActionError as error:
            yield str(error), error.legal


def check_leaks(case: Case, swaps: Swaps | None = None) -> None:
    """No seat and no spectator can tell states apart that differ only in what it may not know: see this module."""
    choices = case.chance("leaks")
    for world in worlds(case.game, case.seats, case.seed, case.positions, swaps=swaps):
        follow(world, choices)
