"""The state of a match: its fields, the parts of views that are kept while they hold, and what the engine asks of it.

Nothing here moves a piece: the small moves are in `pieces.py`, and when one is due says `play.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

from agon_engine.core import Action, Chance, Decision, Event, Outcome, Seat, State
from agon_engine.core.compiled import mypyc_attr
from agon_engine.cyclades import play, scoring, viewing
from agon_engine.cyclades.board import BOARDS
from agon_engine.cyclades.data import (
    BUILDINGS_EACH,
    FLEETS,
    METROPOLISES,
    PHILOSOPHERS,
    PRIESTS,
    PROSPERITY,
    START_GOLD,
    TROOPS,
)
from agon_engine.cyclades.enums import (
    FIGURINES,
    NOBODY,
    Creature,
    CreatureStart,
    Ending,
    God,
    OverBuildings,
    Phase,
    TieBreak,
)
from agon_engine.cyclades.layout import KINDS, STALE_ALL
from agon_engine.cyclades.notation import NOTATION
from agon_engine.cyclades.view import Due, Roll, View


@mypyc_attr(allow_interpreted_subclasses=True)
class CycladesState(State[View]):
    """A running match. Lists by island or sea have a filler at 0; masks have bit n for island or sea n."""

    FIELDS: ClassVar[tuple[str, ...]] = (
        "seats",
        "creature_start",
        "two_player_gods",
        "attacker_port_bonus",
        "over_buildings",
        "tie_break",
        "max_cycles",
        "cycle",
        "phase",
        "ending",
        "order",
        "placed",
        "next_order",
        "fallen",
        "gods",
        "gods_out",
        "bidders",
        "bids",
        "apollo",
        "acted",
        "turn_seat",
        "turn_god",
        "recruited",
        "moves",
        "changes",
        "bought",
        "playing",
        "fought",
        "spaces",
        "deck",
        "loose",
        "discard",
        "gone",
        "figurine_island",
        "figurine_owner",
        "figurine_cycle",
        "kraken",
        "purses",
        "ledger",
        "priests",
        "philosophers",
        "troop_reserve",
        "fleet_reserve",
        "discounts_used",
        "island_owner",
        "troops",
        "buildings",
        "metropolises",
        "prosperity",
        "isles",
        "sea_owner",
        "fleets",
        "waters",
        "buildings_left",
        "metropolises_left",
        "prosperity_left",
        "priests_left",
        "philosophers_left",
        "lost_priests",
        "lost_philosophers",
        "battle_island",
        "battle_sea",
        "attacker",
        "attackers",
        "rolls",
        "agenda",
        "chance",
    )
    CACHES: ClassVar[tuple[str, ...]] = ("stale", "parts")
    __slots__ = FIELDS + CACHES

    notation = NOTATION

    def __init__(
        self,
        seats: int,
        creature_start: CreatureStart,
        two_player_gods: int,
        attacker_port_bonus: bool,
        over_buildings: OverBuildings,
        tie_break: TieBreak,
        max_cycles: int,
    ) -> None:
        """Make an empty map: no piece, card or god is anywhere yet."""
        super().__init__()
        board = BOARDS[seats]
        self.seats = seats
        self.creature_start = creature_start
        self.two_player_gods = two_player_gods
        self.attacker_port_bonus = attacker_port_bonus
        self.over_buildings = over_buildings
        self.tie_break = tie_break
        self.max_cycles = max_cycles

        self.cycle = 0
        self.phase: Phase = Phase.OFFERINGS
        self.ending: Ending = Ending.NONE
        self.order: list[Seat] = []
        """The markers of the turn track."""
        self.placed = 0
        """Index in `order` of the next marker to be placed."""
        self.next_order: list[Seat] = []
        self.fallen: list[Seat] = []
        """The eliminated seats, the first one first."""

        self.gods: list[God] = []
        """Those that are up, the first to act first; Apollo is not among them."""
        self.gods_out: list[God] = []
        self.bidders: list[Seat] = [NOBODY] * len(God)
        """By god."""
        self.bids: list[int] = [0] * len(God)
        self.apollo: list[Seat] = []
        """By arrival."""
        self.acted = 0
        """Turns of `gods`, then of `apollo`, that have begun or were passed over."""

        self.turn_seat: Seat = NOBODY
        self.turn_god: God = God.NONE
        self.recruited = 0
        self.moves = 0
        self.changes = 0
        self.bought = 0
        """Bits of creatures."""
        self.playing: list[Creature] = []
        """Cards in play that are on no pile yet: one, or a Chimera and what it plays."""
        self.fought = 0
        """Bits of the seas that no fleet may leave by the Sylph in play."""

        self.spaces: list[Creature] = [Creature.NONE] * 3
        self.deck: list[Creature] = []
        """The top card is the last one."""
        self.loose = False
        """In a look-ahead: the order of the deck is drawn as the cards come."""
        self.discard: list[Creature] = []
        self.gone: list[Creature] = []
        self.figurine_island: list[int] = [0] * len(FIGURINES)
        self.figurine_owner: list[Seat] = [NOBODY] * len(FIGURINES)
        self.figurine_cycle: list[int] = [0] * len(FIGURINES)
        self.kraken = 0

        self.purses: list[int] = [START_GOLD] * seats
        """What each seat has."""
        self.ledger: list[int] = [START_GOLD] * seats
        """What each seat has by the gains and payments that were told; never set from `purses` (C10.6)."""
        self.priests: list[int] = [0] * seats
        self.philosophers: list[int] = [0] * seats
        self.troop_reserve: list[int] = [TROOPS] * seats
        self.fleet_reserve: list[int] = [FLEETS] * seats
        self.discounts_used: list[int] = [0] * seats

        self.island_owner: list[Seat] = [NOBODY] * (board.islands + 1)
        self.troops: list[int] = [0] * (board.islands + 1)
        self.buildings: list[int] = [0] * (board.islands + 1) * KINDS
        """By island and kind, as `layout.KINDS` says."""
        self.metropolises = 0
        """Bits of islands."""
        self.prosperity: list[int] = [0] * (board.islands + 1)
        self.isles: list[int] = [0] * seats
        """By seat: bits of its islands."""
        self.sea_owner: list[Seat] = [NOBODY] * (board.seas + 1)
        self.fleets: list[int] = [0] * (board.seas + 1)
        self.waters: list[int] = [0] * seats
        """By seat: bits of the seas with its fleets."""

        self.buildings_left: list[int] = [0, *[BUILDINGS_EACH] * (KINDS - 1)]
        self.metropolises_left = METROPOLISES
        self.prosperity_left = PROSPERITY
        self.priests_left = PRIESTS
        self.philosophers_left = PHILOSOPHERS
        self.lost_priests = 0
        """Those that left the game with eliminated seats."""
        self.lost_philosophers = 0

        self.battle_island = 0
        self.battle_sea = 0
        self.attacker: Seat = NOBODY
        self.attackers = 0
        """Troops or fleets, which are nowhere else meanwhile."""
        self.rolls: list[Roll] = []
        """Of the battle under way, else of the last one."""

        self.agenda: list[Due] = []
        """The step that opened the decision is the last one."""
        self.chance = Chance(bytes(16))

        self.stale = STALE_ALL
        """Bits of the parts that have to be made anew."""
        self.parts: list[Any] = [None] * viewing.PARTS

    # -- the contract ----------------------------------------------------------------------------------------

    def _play(self, decision: Decision, action: Action) -> None:
        play.perform(self, decision.seat, action)

    def view(self, seat: Seat | None) -> View:
        return viewing.build_view(self, seat)

    def outcome(self) -> Outcome | None:
        return None if self.decision is not None else scoring.outcome_of(self)

    def standing(self) -> Outcome:
        return scoring.outcome_of(self)

    def inventory(self) -> Mapping[str, int]:
        cards = [*self.deck, *self.discard, *self.gone, *self.playing]
        cards += [card for card in self.spaces if card]
        cards += [card for card, owner in zip(FIGURINES, self.figurine_owner, strict=True) if owner != NOBODY]
        on_land, at_sea = (self.attackers, 0) if self.battle_island else (0, self.attackers)
        out = len(self.fallen)
        return {
            "troops": sum(self.troops) + sum(self.troop_reserve) + on_land + out * TROOPS,
            "fleets": sum(self.fleets) + sum(self.fleet_reserve) + at_sea + out * FLEETS,
            "buildings": sum(self.buildings) + sum(self.buildings_left),
            "metropolises": self.metropolises.bit_count() + self.metropolises_left,
            "prosperity": sum(self.prosperity) + self.prosperity_left,
            "priests": sum(self.priests) + self.priests_left + self.lost_priests,
            "philosophers": sum(self.philosophers) + self.philosophers_left + self.lost_philosophers,
            "cards": len(cards),
            "different cards": len(set(cards)),
        }

    def clone(self, lookahead: Chance | None = None) -> Self:
        """Return an independent copy; with `lookahead` the cards of the deck come in an order of their own, which is
        drawn as they come."""
        copy = super().clone(lookahead)
        if lookahead is not None:
            copy.loose = True
        return copy

    # -- used all over the rules -----------------------------------------------------------------------------

    def tell(self, event: Event) -> None:
        self._events.append(event)
