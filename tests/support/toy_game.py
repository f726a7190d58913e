"""A tiny synthetic game with all that makes the contract hard: hidden hands, a hidden deck that one seat may know the
top of, public dice, a reaction that is asked whether or not it can be given, options, an agenda. For tests of what
follows from the contract; no real game's rules are needed there.

A turn is one action (play a card to the own row, drop a ward, attack a seat with a row, gamble, or a peek), then a
draw; whoever peeks looks at the top of the deck after it. An attacked seat is asked to react; unless it wards, its
last card goes to the attacker's row. The match is over when a turn would begin with an empty deck; a row counts its
cards, and chips count too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, TypeVar

from agon_engine.core import (
    Action,
    Chance,
    Decision,
    Event,
    Game,
    GameSpec,
    Maker,
    Notation,
    Option,
    OptionValue,
    Outcome,
    Seat,
    State,
    run_agenda,
    standard_placements,
)

WARD = 0
CARDS = (WARD, WARD, WARD, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3)
UNKNOWN = -1

NOTATION = Notation(
    "toy",
    [
        "drop ward",
        *(f"play {value}" for value in (1, 2, 3)),
        *(f"attack {seat}" for seat in range(4)),
        "peek",
        "gamble",
        "pass",
        "ward",
    ],
)
DROP, PLAY, ATTACK = NOTATION.parse("drop ward"), NOTATION.parse("play 1") - 1, NOTATION.parse("attack 0")
PEEK, GAMBLE, PASS, USE_WARD = (NOTATION.parse(code) for code in ("peek", "gamble", "pass", "ward"))

TURN, DRAW, LOOK = 0, 1, 2

P = TypeVar("P")


@dataclass(frozen=True, slots=True)
class ToyTable:
    """What lies open on the table."""

    asked: Seat
    attacker: Seat
    """The seat whose attack is reacted to; -1: none."""
    deck: int
    discard: int
    roll: int
    peeked: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class ToyArea:
    """What lies open before a seat."""

    seat: Seat
    row: tuple[int, ...]
    chips: int
    hand: int


@dataclass(frozen=True, slots=True)
class ToyView:
    seat: Seat | None
    options: tuple[int, bool]
    table: ToyTable
    areas: tuple[ToyArea, ...]
    hand: tuple[int, ...]
    top: int
    """The top of the deck for whoever has peeked at it."""


class ToyState(State[ToyView]):
    __slots__ = (
        "agenda",
        "attacker",
        "chance",
        "chips",
        "deck",
        "discard",
        "hands",
        "options",
        "parts",
        "peeked",
        "roll",
        "rows",
        "seats",
        "turn",
    )
    FIELDS: ClassVar[tuple[str, ...]] = (
        "seats",
        "options",
        "deck",
        "hands",
        "rows",
        "chips",
        "discard",
        "peeked",
        "roll",
        "turn",
        "attacker",
        "agenda",
        "chance",
    )
    CACHES = ("parts",)
    notation = NOTATION

    def __init__(self, seats: int, options: tuple[int, bool], chance: Chance) -> None:
        super().__init__()
        self.seats = seats
        self.options = options
        self.chance = chance
        self.deck: list[int] = [card for card in CARDS if options[1] or card != WARD]
        self.hands: list[list[int]] = [[] for _ in range(seats)]
        self.rows: list[list[int]] = [[] for _ in range(seats)]
        self.chips = [0] * seats
        self.discard = 0
        self.peeked = [False] * seats
        self.roll = 0
        self.turn = 0
        self.attacker = UNKNOWN
        self.agenda: list[tuple[int, ...]] = []
        self.parts: list[object] = [None] * (seats + 1)

    # -- play ------------------------------------------------------------------------------------------------

    def _play(self, decision: Decision, action: Action) -> None:
        seat = decision.seat
        self.decision = None
        if action in (PASS, USE_WARD):
            self._react(seat, warded=action == USE_WARD)
        else:
            self.agenda.append((TURN, (seat + 1) % self.seats))
            if action == PEEK:
                self.agenda.append((LOOK, seat))
            self.agenda.append((DRAW, seat))
            self._act(seat, action)
        run_agenda(self, HANDLERS)

    def _act(self, seat: Seat, action: Action) -> None:
        code = NOTATION.code(action)
        self._tell(Event(code, seat, Maker.SEAT))
        if action == GAMBLE:
            self.roll = 1 + self.chance.below("die", 6)
            self.chips[seat] += self.roll % 2
            self._tell(Event(f"roll {self.roll}", seat, Maker.CHANCE))
        elif action == DROP:
            self.hands[seat].remove(WARD)
            self.discard += 1
        elif ATTACK <= action < PEEK:
            self.attacker = seat
            self._ask_to_react(action - ATTACK)
        elif action != PEEK:
            self.hands[seat].remove(action - PLAY)
            self.rows[seat].append(action - PLAY)

    def _ask_to_react(self, seat: Seat) -> None:
        actions = (PASS, USE_WARD) if WARD in self.hands[seat] else (PASS,)
        self.decision = Decision(seat, f"react {self.attacker}", actions)

    def _react(self, seat: Seat, *, warded: bool) -> None:
        self._tell(Event("ward" if warded else "pass", seat, Maker.SEAT))
        if warded:
            self.hands[seat].remove(WARD)
            self.discard += 1
        else:
            card = self.rows[seat].pop()
            self.rows[self.attacker].append(card)
            self._tell(Event(f"steal {card} {seat}", self.attacker, Maker.SEAT))
        self.attacker = UNKNOWN

    def _draw(self, seat: Seat) -> None:
        card = self.deck.pop()
        self.peeked = [False] * self.seats
        self.hands[seat] = sorted([*self.hands[seat], card])
        self._tell(self._drawn(seat, card))

    def _look(self, seat: Seat) -> None:
        if self.deck:
            self.peeked[seat] = True
            self._tell(Event("look", seat, Maker.CHANCE, (seat,), f"look {self.deck[-1]}"))

    def _drawn(self, seat: Seat, card: int) -> Event:
        return Event("draw", seat, Maker.CHANCE, (seat,), f"draw {card}")

    def _begin_turn(self, seat: Seat) -> None:
        self.turn = seat
        if self.deck:
            self.decision = Decision(seat, self._prompt(seat), self._turn_actions(seat))

    def _prompt(self, seat: Seat) -> str:
        return f"turn {seat}"

    def _turn_actions(self, seat: Seat) -> tuple[Action, ...]:
        cards = [DROP if card == WARD else PLAY + card for card in sorted(set(self.hands[seat]))]
        targets = [ATTACK + other for other in range(self.seats) if other != seat and self.rows[other]]
        return (*cards, *targets, PEEK, GAMBLE)

    def _tell(self, event: Event) -> None:
        self._events.append(event)

    # -- what it is worth ------------------------------------------------------------------------------------

    def outcome(self) -> Outcome | None:
        return self.standing() if self.decision is None else None

    def standing(self) -> Outcome:
        parts = tuple((("row", sum(self.rows[seat])), ("chips", self.chips[seat])) for seat in range(self.seats))
        scores = tuple(sum(points for _, points in part) for part in parts)
        return Outcome(scores, standard_placements(scores), parts)

    def inventory(self) -> Mapping[str, int]:
        cards = len(self.deck) + self.discard + sum(map(len, self.hands)) + sum(map(len, self.rows))
        return {"cards": cards}

    # -- what a seat may know --------------------------------------------------------------------------------

    def view(self, seat: Seat | None) -> ToyView:
        known = seat is not None and self.peeked[seat] and self.deck
        return ToyView(
            seat,
            self.options,
            self._kept(self.seats, self._table()),
            tuple(self._kept(other, self._area(other)) for other in range(self.seats)),
            () if seat is None else tuple(self.hands[seat]),
            self.deck[-1] if known else UNKNOWN,
        )

    def _table(self) -> ToyTable:
        asked = UNKNOWN if self.decision is None else self.decision.seat
        return ToyTable(asked, self.attacker, len(self.deck), self.discard, self.roll, tuple(self.peeked))

    def _area(self, seat: Seat) -> ToyArea:
        return ToyArea(seat, tuple(self.rows[seat]), self.chips[seat], len(self.hands[seat]))

    def _kept(self, index: int, part: P) -> P:
        """Return the part of an earlier view where it is equal."""
        before = self.parts[index]
        if type(before) is type(part) and before == part:
            return before

        self.parts[index] = part
        return part


def _begin_turn(state: ToyState, seat: Seat) -> None:
    state._begin_turn(seat)


def _draw(state: ToyState, seat: Seat) -> None:
    state._draw(seat)


def _look(state: ToyState, seat: Seat) -> None:
    state._look(seat)


HANDLERS = (_begin_turn, _draw, _look)


class Toy(Game[ToyView]):
    spec = GameSpec(
        name="toy",
        version=1,
        min_seats=2,
        max_seats=4,
        has_hidden_information=True,
        max_decisions=26,
        options=(
            Option("hand", 2, (1, 2, 3), "cards dealt to each seat"),
            Option("wards", True, (True, False), "whether wards are in the deck"),
        ),
    )
    notation = NOTATION

    def __init__(self, state_class: type[ToyState] = ToyState) -> None:
        """Take another state class for a game that breaks the contract on purpose."""
        self.state_class = state_class

    def start(self, seats: int, chance: Chance, options: Mapping[str, OptionValue] | None = None) -> ToyState:
        self.spec.check_seats(seats)
        values = self.spec.check_options(options or {})
        hand, wards = int(values["hand"]), bool(values["wards"])
        state = self.state_class(seats, (hand, wards), chance)
        chance.shuffle("deck", state.deck)
        for seat in range(seats):
            state.hands[seat] = sorted(state.deck.pop() for _ in range(hand))
            cards = " ".join(map(str, state.hands[seat]))
            state._tell(Event("deal", seat, Maker.CHANCE, (seat,), f"deal {cards}"))
        state.agenda.append((TURN, chance.below("first", seats)))
        run_agenda(state, HANDLERS)
        return state

    def sample(self, view: ToyView, chance: Chance) -> ToyState:
        seats = len(view.areas)
        state = self.state_class(seats, view.options, chance)
        hidden = list(state.deck)
        for card in (*view.hand, *(card for area in view.areas for card in area.row), *[WARD] * view.table.discard):
            hidden.remove(card)
        if view.top != UNKNOWN:
            hidden.remove(view.top)
        chance.shuffle("sample", hidden)
        if view.top != UNKNOWN:
            hidden.insert(0, view.top)
        state.deck = [hidden.pop(0) for _ in range(view.table.deck)][::-1]
        for area in view.areas:
            known = area.seat == view.seat
            state.hands[area.seat] = sorted(view.hand if known else (hidden.pop() for _ in range(area.hand)))
            state.rows[area.seat] = list(area.row)
            state.chips[area.seat] = area.chips
        table = view.table
        state.discard, state.roll, state.peeked = table.discard, table.roll, list(table.peeked)
        state.turn = table.asked if table.attacker == UNKNOWN else table.attacker
        state.attacker = table.attacker
        if table.attacker != UNKNOWN:
            state.agenda = [(TURN, (table.attacker + 1) % seats), (DRAW, table.attacker)]
            state._ask_to_react(table.asked)
        elif table.asked != UNKNOWN:
            state._begin_turn(table.asked)
        return state

    def render(self, view: ToyView) -> str:
        lines = [f"deck {view.table.deck}, discard {view.table.discard}, roll {view.table.roll}"]
        lines += [f"seat {area.seat}: row {area.row}, chips {area.chips}, hand {area.hand}" for area in view.areas]
        if view.seat is not None:
            lines.append(f"you are {view.seat}, your hand {view.hand}")
        return "\n".join(lines)


def codes(actions: Sequence[Action]) -> list[str]:
    return [NOTATION.code(action) for action in actions]


GAME = Toy()
