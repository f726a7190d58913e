"""The state of a match: its fields, the parts of views that are kept while they hold, and what the engine asks of it.

Nothing here moves a card: the small moves are in `moves.py`, and when one is due says `play.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

from agon_engine.core import Action, Chance, Decision, Event, Outcome, Seat, State
from agon_engine.core.compiled import mypyc_attr
from agon_engine.elysium import play, scoring, viewing
from agon_engine.elysium.enums import NOBODY, Family, Phase, Side, Todo
from agon_engine.elysium.layout import OF_SEAT, Legend, Mix, Task
from agon_engine.elysium.tables import ALL_COLUMNS, Tables
from agon_engine.elysium.view import Shown, View


@mypyc_attr(allow_interpreted_subclasses=True)
class ElysiumState(State[View]):
    """A running match. Each card set has a class of its own, with its tables and notation."""

    FIELDS: ClassVar[tuple[str, ...]] = (
        "seats",
        "cards_hash",
        "families",
        "side",
        "first_seat",
        "epoch",
        "phase",
        "round",
        "order",
        "place",
        "took",
        "purses",
        "columns",
        "quests",
        "incomplete",
        "taken",
        "extra",
        "transferred",
        "written",
        "discounts",
        "reserved",
        "deck",
        "rows",
        "domains",
        "elysiums",
        "gone",
        "marks",
        "marked",
        "known_by",
        "lots",
        "mixes",
        "shown",
        "veils",
        "told",
        "loose",
        "leave_out",
        "oracle_open",
        "moved_level",
        "kept",
        "asked",
        "pardons",
        "level_tiles",
        "family_tiles",
        "played",
        "scores",
        "pending",
        "agenda",
        "chance",
    )
    CACHES: ClassVar[tuple[str, ...]] = ("stale", "parts")
    __slots__ = FIELDS + CACHES

    tables: ClassVar[Tables]

    def __init__(self, seats: int, families: tuple[int, ...], side: Side, cards_hash: str) -> None:
        """Make an empty table: no card is anywhere yet."""
        super().__init__()
        self.seats = seats
        self.cards_hash = cards_hash
        self.families = families
        self.side = side
        self.first_seat: Seat = 0

        self.epoch = 1
        self.phase: Phase = Phase.ACTIONS
        self.round = 1
        self.order: list[Seat] = list(range(seats))
        """By disc: the seat."""
        self.place = 0
        """Index in `order` of the seat whose turn it is."""
        self.took = False
        """The turn's normal take has been made."""

        self.purses: list[list[int]] = [[0] * seats for _ in range(3)]
        """By resource and seat."""
        self.columns: list[int] = [ALL_COLUMNS] * seats
        """Bits of the columns that stand."""
        self.quests: list[int] = [0] * seats
        self.incomplete: list[bool] = [False] * seats
        self.taken: list[int] = [0] * seats
        """Cards and Citizens taken in turns of this epoch: up to three."""
        self.extra: list[int] = [0] * seats
        """Transfers of this epoch over what the quest allows."""
        self.transferred: list[int] = [0] * seats
        """Cards transferred in this Phase III."""
        self.written = 0
        """Transfers made with the quest in the step under way."""
        self.discounts: list[list[tuple[int, int]]] = [[] for _ in range(seats)]
        """Gold less and how often yet (0: all of this epoch)."""
        self.reserved: list[int] = [0] * seats
        """The card of the Agora that the seat has reserved."""

        self.deck: list[int] = []
        """The top card is the last one."""
        self.rows: list[list[int]] = [[], [], []]
        """Agora, Oracle, discard pile."""
        self.domains: list[list[int]] = [[] for _ in range(seats)]
        """Below 0: a Citizen."""
        self.elysiums: list[list[Legend]] = [[] for _ in range(seats)]
        self.gone: list[int] = []
        """Cards that have left the game."""
        self.marks: list[int] = [0] * (self.tables.count + 1)
        """By card: TURNED, RING, …"""
        self.marked: list[int] = []
        """Cards with marks of this turn."""
        self.known_by: list[int] = [0] * (self.tables.count + 1)
        """By card that lies face down: bit s is set while seat s knows it (D2)."""
        self.lots: list[int] = [0] * (self.tables.count + 1)
        """By card that lies face down: its lot, the latest that it went into. 0: the deal. See `lots.py`."""
        self.mixes: list[Mix] = []
        """Mixed lots, by number."""
        self.shown: list[Shown] = []
        """Cards of mixed lots that all have seen since."""
        self.veils: list[tuple[int, int]] = []
        """Base lots of cards with marks, and the marks."""
        self.told: list[tuple[int, tuple[int, ...]]] = []
        """While there are such: cards of mixed lots, and the base lots that they may be of for who has looked."""

        self.loose = False
        """In a look-ahead: the order of the cards that nobody knows is drawn as they come."""
        self.leave_out: list[int] = []
        """Nodes of the acquire_mods of this turn."""
        self.oracle_open = False
        self.moved_level = 0
        self.kept = 0
        """The card that the seat asked in ORDER has chosen; nobody else knows it yet."""
        self.asked = 0
        """How many decisions have been opened; one more than MAX_DECISIONS where that has ended the match."""
        self.pardons: list[int] = [0] * seats
        self.level_tiles: list[Seat] = [NOBODY] * 4
        """By level: who holds it."""
        self.family_tiles: list[Seat] = [NOBODY] * (2 * len(Family))
        """By twice the family: who holds the first tile; one more: the second."""
        self.played: list[int] = [0] * seats
        """At the end: VP gained during play."""
        self.scores: list[list[int]] = [[] for _ in range(seats)]
        """At the end: the parts of each score."""
        self.pending: Task = Task(Todo.NONE, OF_SEAT[0])
        """What opened the decision."""
        self.agenda: list[Task] = []
        """What is to be done, the last one first."""
        self.chance = Chance(bytes(16))

        self.stale = -1
        """Bits of the parts that have to be made anew."""
        self.parts: list[Any] = [None] * viewing.PARTS

    # -- the contract ----------------------------------------------------------------------------------------

    def _play(self, _decision: Decision, action: Action) -> None:
        play.perform(self, action)

    def view(self, seat: Seat | None) -> View:
        return viewing.build_view(self, seat)

    def outcome(self) -> Outcome | None:
        return None if self.decision is not None else scoring.outcome_of(self)

    def standing(self) -> Outcome:
        if self.decision is None:
            return scoring.outcome_of(self)

        ended = self.clone()
        ended.decision = None
        scoring.begin_scoring(ended)
        play.run(ended)
        return scoring.outcome_of(ended)

    def inventory(self) -> Mapping[str, int]:
        cards = [*self.deck, *self.gone, *(card for row in self.rows for card in row)]
        cards += [card for domain in self.domains for card in domain]
        cards += [card for elysium in self.elysiums for legend in elysium for card in legend.cards]
        return {"cards": len(cards), "different cards": len({abs(card) for card in cards})}

    def clone(self, lookahead: Chance | None = None) -> Self:
        """Return an independent copy; with `lookahead` the cards of the draw pile that nobody knows come in an order of
        their own, which is drawn as they come."""
        copy = super().clone(lookahead)
        if lookahead is not None:
            copy.loose = True
        return copy

    # -- used all over the rules -----------------------------------------------------------------------------

    def tell(self, event: Event) -> None:
        self._events.append(event)

    def on_turn(self) -> Seat:
        """Return the seat whose turn or transfer step it is."""
        return self.order[self.place]

    def after(self, seat: Seat) -> list[Seat]:
        """Return the other seats from the next one on in disc order (ruling 15)."""
        at = self.order.index(seat)
        return self.order[at + 1 :] + self.order[:at]
