"""Cyclades as the engine sees it: its facts, how a match begins, and the move that stands in for a missing one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from agon_engine.core import Action, Chance, Decision, Game, GameSpec, Maker, Option, OptionsError, OptionValue
from agon_engine.cyclades import events, pieces, play, reference, render, sample
from agon_engine.cyclades.board import BOARDS
from agon_engine.cyclades.data import (
    BUILDINGS_EACH,
    FLEET_PRICES,
    FLEETS,
    MAX_BID,
    MAX_CYCLES,
    MAX_KRAKEN_SEAS,
    MAX_MOVES,
    MAX_SEATS,
    MAX_STEPS,
    MAX_SYLPH_STEPS,
    MIN_CYCLES,
    MIN_SEATS,
    PHILOSOPHERS,
    PRIESTS,
    SET,
    TROOPS,
    markers_each,
)
from agon_engine.cyclades.enums import CREATURES, SHUFFLED_GODS, CreatureStart, God, OverBuildings, TieBreak, Todo
from agon_engine.cyclades.layout import due
from agon_engine.cyclades.notation import END, FIGHT, GOD, MOVES, NOTATION, STOP, Kind
from agon_engine.cyclades.state import CycladesState
from agon_engine.cyclades.view import View

VERSION: Final = 1
DEFAULT_CYCLES: Final = 30
_CYCLES: Final = {str(number): number for number in range(MIN_CYCLES, MAX_CYCLES + 1)}
"""What `max_cycles` may be, as it is typed."""


def read_cycles(value: object) -> int:
    """Return the option `max_cycles` as it is kept. Raise OptionsError where it is no number in its range."""
    number = _CYCLES.get(value) if isinstance(value, str) else value
    if type(number) is not int or not MIN_CYCLES <= number <= MAX_CYCLES:
        raise OptionsError(f"option max_cycles is a number from {MIN_CYCLES} to {MAX_CYCLES}, not {value!r}")

    return number


def turn_bound(seats: int) -> int:
    """Return a number of decisions that no god turn of so many seats exceeds. README.md gives the argument."""
    recruits = len(FLEET_PRICES)
    sets = BUILDINGS_EACH + 2 + 2
    razes = sets * max(max(board.covered) for board in BOARDS[MIN_SEATS:])
    builds = BUILDINGS_EACH + sets + 2 + razes
    exchanges = sets * (SET + 1) + razes
    moves = MAX_MOVES * MAX_STEPS
    rounds = (TROOPS + FLEETS) * seats + recruits + 2 + 2
    sales = TROOPS + FLEETS + PRIESTS + PHILOSOPHERS + 1
    pushes = max(max(map(len, board.island_seas)) for board in BOARDS[MIN_SEATS:])
    effects = sales + MAX_SYLPH_STEPS + 1 + MAX_KRAKEN_SEAS + 1 + pushes + len(CREATURES)
    purchases = len(CREATURES)
    return recruits + builds + exchanges + moves + MAX_MOVES + 2 * rounds + purchases + effects + sales + 1


def decisions_bound(seats: int, cycles: int) -> int:
    """Return a number of decisions that no match of so many seats and cycles exceeds."""
    markers = seats * markers_each(seats)
    bids = len(SHUFFLED_GODS) * MAX_BID
    return cycles * (2 * bids + markers + markers * turn_bound(seats))


MAX_DECISIONS: Final = max(decisions_bound(seats, MAX_CYCLES) for seats in range(MIN_SEATS, MAX_SEATS + 1))


class Cyclades(Game[View]):
    """The game; stateless, one object for all matches."""

    spec = GameSpec(
        name="cyclades",
        version=VERSION,
        min_seats=MIN_SEATS,
        max_seats=MAX_SEATS,
        has_hidden_information=True,
        max_decisions=MAX_DECISIONS,
        options=(
            Option(
                name="creature_start",
                default="full",
                allowed=("full", "gradual"),
                help="three creatures from cycle 1 on, or one more each cycle up to three",
            ),
            Option(
                name="two_player_gods",
                default=4,
                allowed=(4, 3),
                help="how many gods beside Apollo are up in a cycle with two players",
            ),
            Option(
                name="attacker_port_bonus",
                default=False,
                allowed=(False, True),
                help="the attacker's own ports at the sea of a battle count for him too",
            ),
            Option(
                name="metropolis_over_buildings",
                default="remove",
                allowed=("remove", "forbid"),
                help="a Metropolis removes buildings under its frame, or is not founded over any",
            ),
            Option(
                name="tie_break",
                default="gold",
                allowed=("gold", "metropolises_then_gold"),
                help="what ranks the seats that have the winning number of Metropolises",
            ),
            Option(
                name="max_cycles",
                default=DEFAULT_CYCLES,
                allowed=(DEFAULT_CYCLES,),
                help=f"after so many cycles the match ends as it stands: {MIN_CYCLES} to {MAX_CYCLES}",
                read=read_cycles,
                examples=(MIN_CYCLES, 12),
            ),
        ),
    )
    notation = NOTATION

    def reference(self) -> Mapping[str, str]:
        return reference.reference()

    def start(self, seats: int, chance: Chance, options: Mapping[str, OptionValue] | None = None) -> CycladesState:
        self.spec.check_seats(seats)
        chosen = self.check_options(options or {})
        state = CycladesState(
            seats,
            CreatureStart[str(chosen["creature_start"]).upper()],
            int(chosen["two_player_gods"]),
            chosen["attacker_port_bonus"] is True,
            OverBuildings[str(chosen["metropolis_over_buildings"]).upper()],
            TieBreak[str(chosen["tie_break"]).upper()],
            int(chosen["max_cycles"]),
        )
        state.chance = chance
        _set_up(state)
        play.run(state)
        return state

    def sample(self, view: View, chance: Chance) -> CycladesState:
        return sample.sample_state(view, chance)

    def substitute(self, decision: Decision, chance: Chance) -> Action:
        """Choose a harmless move: Apollo for a marker, the lowest amount, the end of a turn, no further step, no
        retreat, else any."""
        for harmless in (GOD[God.APOLLO], END, STOP, FIGHT):
            if harmless in decision.actions:
                return harmless

        first = decision.actions[0]
        if MOVES[first].kind is Kind.BID:
            return first

        return chance.choice("substitute", decision.actions)

    def render(self, view: View) -> str:
        return render.render_view(view)


def _set_up(state: CycladesState) -> None:
    """Lay out the start pieces, the track and the creature deck (C2.1)."""
    board = BOARDS[state.seats]
    for seat, start in enumerate(board.starts):
        for island in start.islands:
            state.troop_reserve[seat] -= 1
            pieces.own_island(state, seat, island, 1)
        for sea in start.seas:
            state.fleet_reserve[seat] -= 1
            pieces.add_fleets(state, seat, sea, 1)
    state.order = list(range(state.seats)) * markers_each(state.seats)
    state.chance.shuffle("order", state.order)
    state.tell(events.order(state.order, Maker.CHANCE))
    state.deck = list(CREATURES)
    state.chance.shuffle("deck", state.deck)
    state.agenda.append(due(Todo.BEGIN_CYCLE))
