"""Toy games with one flaw each, and the check that must find it.

The first group leaks a hidden fact, each in another way; the second breaks another part of the contract.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from tests.support.toy_game import (
    NOTATION,
    UNKNOWN,
    WARD,
    Toy,
    ToyArea,
    ToyState,
    ToyTable,
    ToyView,
)

from agon_engine.core import (
    Action,
    Chance,
    Decision,
    Event,
    GameSpec,
    IllegalActionError,
    Maker,
    Notation,
    OptionValue,
    Outcome,
    Seat,
    State,
)


def swaps(state: State[Any], seat: Seat, chance: Chance) -> Iterator[State[Any]]:
    """Exchange a card of another seat's hand for one of the deck that the seat has not peeked at."""
    assert isinstance(state, ToyState)
    hidden = len(state.deck) - state.peeked[seat]
    for other in range(state.seats):
        if other == seat or not state.hands[other] or hidden < 1:
            continue
        swapped = state.clone()
        mine = chance.below("hand", len(swapped.hands[other]))
        place = chance.below("deck", hidden)
        swapped.hands[other][mine], swapped.deck[place] = swapped.deck[place], swapped.hands[other][mine]
        swapped.hands[other].sort()
        if swapped.attacker != UNKNOWN and swapped.decision is not None and swapped.decision.seat == other:
            swapped._ask_to_react(other)
        elif swapped.attacker == UNKNOWN and swapped.decision is not None and swapped.decision.seat == other:
            swapped._begin_turn(other)
        yield swapped


# -- leaks ---------------------------------------------------------------------------------------------------


class TopInTable(ToyState):
    """The view shows the top of the deck as the last roll."""

    __slots__ = ()

    def _table(self) -> ToyTable:
        return replace(super()._table(), roll=self.deck[-1] if self.deck else 0)


class WardsInAreas(ToyState):
    """The view counts another's ward as a second card, which its sampling takes for granted."""

    __slots__ = ()

    def _area(self, seat: Seat) -> ToyArea:
        area = super()._area(seat)
        return replace(area, chips=area.chips + 100) if WARD in self.hands[seat] else area


class SpectatorsSeeAll(ToyState):
    """Spectators are shown the hand of seat 0."""

    __slots__ = ()

    def view(self, seat: Seat | None) -> ToyView:
        return replace(super().view(seat), hand=tuple(self.hands[seat or 0]))


class PublicDraws(ToyState):
    """The public code of a draw names the card."""

    __slots__ = ()

    def _drawn(self, seat: Seat, card: int) -> Event:
        return Event(f"draw {card}", seat, Maker.CHANCE)


class WideAudience(ToyState):
    """The secret of a draw is told to everybody."""

    __slots__ = ()

    def _drawn(self, seat: Seat, card: int) -> Event:
        return super()._drawn(seat, card)._replace(audience=tuple(range(self.seats)))


class OneEventMore(ToyState):
    """A drawn ward is followed by an event that says nothing, but counts."""

    __slots__ = ()

    def _draw(self, seat: Seat) -> None:
        super()._draw(seat)
        if self.hands[seat].count(WARD):
            self._tell(Event("shuffle", None, Maker.CHANCE))


class OneEventLess(ToyState):
    """A draw is told only when it is no ward, so that a gap in the numbers tells it."""

    __slots__ = ()

    def _drawn(self, seat: Seat, card: int) -> Event:
        event = super()._drawn(seat, card)
        return event._replace(code="") if card == WARD else event


class OtherMaker(ToyState):
    """Who made a draw depends on the card."""

    __slots__ = ()

    def _drawn(self, seat: Seat, card: int) -> Event:
        event = super()._drawn(seat, card)
        return event._replace(maker=Maker.SEAT) if card == WARD else event


class AskedOnlyWithWard(ToyState):
    """The attacked seat is asked only when it could ward."""

    __slots__ = ()

    def _ask_to_react(self, seat: Seat) -> None:
        if WARD in self.hands[seat]:
            super()._ask_to_react(seat)
        else:
            self._react(seat, warded=False)


class OrderUnseen(ToyState):
    """Whose turn it is depends on the top of the deck, in views that do not show it; they cannot be sampled from."""

    __slots__ = ()

    def _begin_turn(self, seat: Seat) -> None:
        super()._begin_turn((seat + 1) % self.seats if self.deck and self.deck[-1] == WARD else seat)

    def _table(self) -> ToyTable:
        return replace(super()._table(), asked=UNKNOWN)


class TellingPrompt(ToyState):
    """The prompt of a turn tells whether the next seat holds a ward."""

    __slots__ = ()

    def _prompt(self, seat: Seat) -> str:
        return "turn carefully" if WARD in self.hands[(seat + 1) % self.seats] else "turn"


class TellingActions(ToyState):
    """A seat that holds a ward cannot be attacked."""

    __slots__ = ()

    def _turn_actions(self, seat: Seat) -> tuple[Action, ...]:
        attack = NOTATION.parse("attack 0")
        safe = {attack + other for other in range(self.seats) if WARD in self.hands[other]}
        return tuple(action for action in super()._turn_actions(seat) if action not in safe)


class TellingOrder(ToyState):
    """The order of the actions depends on the top of the deck."""

    __slots__ = ()

    def _turn_actions(self, seat: Seat) -> tuple[Action, ...]:
        actions = super()._turn_actions(seat)
        return actions[::-1] if self.deck[-1] == WARD else actions


class TellingRefusal(ToyState):
    """The words of a refusal name the top of the deck."""

    __slots__ = ()

    def apply(self, action: Action) -> None:
        try:
            super().apply(action)
        except IllegalActionError as error:
            top = self.deck[-1] if self.deck else UNKNOWN
            raise IllegalActionError(f"{error}, with {top} on top", error.legal) from None


LEAKS: dict[type[ToyState], str] = {
    TopInTable: "by the view",
    WardsInAreas: "by the view",
    SpectatorsSeeAll: "spectators can tell the worlds apart by the view",
    PublicDraws: "by events alone",
    WideAudience: "by events alone",
    OneEventMore: "by events alone",
    OneEventLess: "by events alone",
    OtherMaker: "by (events alone|what happens)",
    AskedOnlyWithWard: "by (the view|what happens)",
    TellingPrompt: "by the question",
    TellingActions: "by the question",
    TellingOrder: "by the question",
    TellingRefusal: "by the question",
}
"""Each leak with what the leak test says of it."""


# -- other flaws ---------------------------------------------------------------------------------------------


class NoAction(ToyState):
    __slots__ = ()

    def _turn_actions(self, seat: Seat) -> tuple[Action, ...]:
        return () if len(self.deck) == 4 else super()._turn_actions(seat)


class TwiceListed(ToyState):
    __slots__ = ()

    def _turn_actions(self, seat: Seat) -> tuple[Action, ...]:
        actions = super()._turn_actions(seat)
        return (*actions, actions[0])


class Endless(ToyState):
    __slots__ = ()

    def _draw(self, seat: Seat) -> None:
        self.deck.insert(0, 1)
        super()._draw(seat)


class Unrefusing(ToyState):
    """Refuses an unlisted action, but has moved by then."""

    __slots__ = ()

    def apply(self, action: Action) -> None:
        self.chips[0] += self.decision is not None and action not in self.decision.actions
        super().apply(action)


class TooWilling(ToyState):
    """Plays what is not listed."""

    __slots__ = ()

    def apply(self, action: Action) -> None:
        if self.decision is not None and action not in self.decision.actions:
            action = self.decision.actions[0]
        super().apply(action)


class SecretForNobody(ToyState):
    __slots__ = ()

    def _drawn(self, seat: Seat, card: int) -> Event:
        return super()._drawn(seat, card)._replace(audience=())


class LostCards(ToyState):
    __slots__ = ()

    def _act(self, seat: Seat, action: Action) -> None:
        super()._act(seat, action)
        self.discard = min(self.discard, 1)
        if NOTATION.code(action) == "gamble":
            self.deck.pop(0)


class WrongSum(ToyState):
    __slots__ = ()

    def standing(self) -> Outcome:
        outcome = super().standing()
        return replace(outcome, scores=tuple(score + (score > 3) for score in outcome.scores))


class DenseRanks(ToyState):
    """Places 1, 1, 2 in place of 1, 1, 3."""

    __slots__ = ()

    def standing(self) -> Outcome:
        outcome = super().standing()
        order = sorted(set(outcome.placements))
        return replace(outcome, placements=tuple(1 + order.index(place) for place in outcome.placements))


class ForgottenField(ToyState):
    __slots__ = ("memory",)

    def __init__(self, seats: int, options: tuple[int, bool], chance: Chance) -> None:
        super().__init__(seats, options, chance)
        self.memory: list[int] = []


class DictField(ToyState):
    __slots__ = ("lore",)
    FIELDS: ClassVar[tuple[str, ...]] = (*ToyState.FIELDS, "lore")

    def __init__(self, seats: int, options: tuple[int, bool], chance: Chance) -> None:
        super().__init__(seats, options, chance)
        self.lore: dict[int, int] = {}


class SharedDeep(ToyState):
    """Lists in lists in a list: the inner ones are shared by clones."""

    __slots__ = ("nested",)
    FIELDS: ClassVar[tuple[str, ...]] = (*ToyState.FIELDS, "nested")

    def __init__(self, seats: int, options: tuple[int, bool], chance: Chance) -> None:
        super().__init__(seats, options, chance)
        self.nested = [[[0]]]


class SharedMixed(ToyState):
    """A list of numbers and lists: clones share the lists."""

    __slots__ = ("mixed",)
    FIELDS: ClassVar[tuple[str, ...]] = (*ToyState.FIELDS, "mixed")

    def __init__(self, seats: int, options: tuple[int, bool], chance: Chance) -> None:
        super().__init__(seats, options, chance)
        self.mixed: list[Any] = [0, [0]]


class SharedClone(ToyState):
    """A clone of its own that shares the rows."""

    __slots__ = ()

    def clone(self, lookahead: Chance | None = None) -> SharedClone:
        copy = super().clone(lookahead)
        copy.rows = self.rows
        return copy


class TellingLookahead(ToyState):
    """A look-ahead clone draws what the match will draw."""

    __slots__ = ()

    def clone(self, lookahead: Chance | None = None) -> TellingLookahead:
        copy = super().clone(lookahead)
        copy.chance = self.chance.clone()
        return copy


class Drifting(ToyState):
    """Depends on what was played in other matches."""

    __slots__ = ()
    played: ClassVar[list[int]] = []

    def _draw(self, seat: Seat) -> None:
        Drifting.played.append(seat)
        self.roll = len(Drifting.played)
        super()._draw(seat)


class StaleParts(ToyState):
    """Keeps the first table part for ever."""

    __slots__ = ()

    def _table(self) -> ToyTable:
        kept = self.parts[self.seats]
        return kept if isinstance(kept, ToyTable) else super()._table()


class FreshParts(ToyState):
    """Builds each part anew."""

    __slots__ = ()

    def _area(self, seat: Seat) -> ToyArea:
        self.parts[seat] = None
        return super()._area(seat)


@dataclass(frozen=True, slots=True)
class LooseView:
    seat: Seat | None
    areas: list[ToyArea]


class MutableView(ToyState):
    __slots__ = ()

    def view(self, seat: Seat | None) -> Any:
        return LooseView(seat, list(super().view(seat).areas))


class WideToy(Toy):
    def render(self, view: ToyView) -> str:
        return super().render(view) + "x" * 60


class ForgetfulToy(Toy):
    """Draws states in which nobody has peeked."""

    def sample(self, view: ToyView, chance: Chance) -> ToyState:
        nobody = (False,) * len(view.areas)
        return super().sample(replace(view, table=replace(view.table, peeked=nobody)), chance)


class OtherQuestionToy(Toy):
    """Draws states in which the actions are listed in another order."""

    def sample(self, view: ToyView, chance: Chance) -> ToyState:
        state = super().sample(view, chance)
        if (asked := state.decision) is not None:
            state.decision = Decision(asked.seat, asked.prompt, asked.actions[::-1])
        return state


class OtherSeatToy(Toy):
    """Draws states in which nobody is asked to react."""

    def sample(self, view: ToyView, chance: Chance) -> ToyState:
        state = super().sample(view, chance)
        if view.table.attacker != UNKNOWN:
            state.decision = None
        return state


class MoodyToy(Toy):
    """Draws other states from the same randomness."""

    moods = 0

    def sample(self, view: ToyView, chance: Chance) -> ToyState:
        self.moods += 1
        return super().sample(view, chance.fork(str(self.moods)))


class ModestToy(Toy):
    spec = GameSpec("toy", 1, 2, 4, False, 26, Toy.spec.options)


class StrictToy(Toy):
    """Does not start with an option that it names."""

    def start(self, seats: int, chance: Chance, options: Mapping[str, OptionValue] | None = None) -> ToyState:
        return super().start(seats, chance, {name: 2 for name in options or {} if name == "hand"})


class ShoutingToy(Toy):
    notation = Notation("toy", [*NOTATION.codes, "two  words"])


FLAWS: list[tuple[Toy, str, str]] = [
    (StrictToy(), "facts", "the game starts with"),
    (ShoutingToy(), "notation", "one short line"),
    (Toy(NoAction), "decisions", "no action is listed"),
    (Toy(TwiceListed), "decisions", "listed twice"),
    (Toy(Endless), "decisions", "more decisions than"),
    (Toy(Unrefusing), "refusals", "has changed the state"),
    (Toy(TooWilling), "refusals", "is accepted"),
    (Toy(SecretForNobody), "events", "need each other"),
    (Toy(LostCards), "pieces", "the pieces are"),
    (Toy(WrongSum), "scores", "sum to"),
    (Toy(DenseRanks), "scores", "not standard"),
    (Toy(ForgottenField), "fields", "'memory'"),
    (Toy(DictField), "fields", "field lore"),
    (Toy(SharedDeep), "fields", "field nested"),
    (Toy(SharedMixed), "fields", "field mixed"),
    (Toy(SharedClone), "clones", "the clone's rows"),
    (Toy(TellingLookahead), "lookahead", "own seed"),
    (Toy(Drifting), "determinism", "differ"),
    (Toy(Drifting), "replay", "not what its replay gives"),
    (Toy(StaleParts), "views", "depends on earlier views"),
    (Toy(MutableView), "views", "can be changed"),
    (Toy(FreshParts), "parts", "areas."),
    (ForgetfulToy(), "samples", "has another view"),
    (OtherQuestionToy(), "samples", "lists other actions"),
    (OtherSeatToy(), "samples", "has another view"),
    (MoodyToy(), "samples", "depends on more than"),
    (WideToy(), "rendering", "wider than 80"),
    (ModestToy(), "hidden information", "nothing is hidden"),
]
"""Each flaw with the check that must find it, and what it says."""
