"""A god turn: its beginning, the actions of each god, and its end (C7)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from agon_engine.core import Action, Seat
from agon_engine.cyclades import cards, creatures, cycle, events, moving, pieces
from agon_engine.cyclades.board import BOARDS, members
from agon_engine.cyclades.data import (
    APOLLO_INCOME,
    APOLLO_RELIEF,
    BUILDING_PRICE,
    FLEET_PRICES,
    MAX_MOVES,
    PHILOSOPHER_PRICES,
    PRIEST_PRICES,
    SPACE_PRICES,
    TROOP_PRICES,
)
from agon_engine.cyclades.enums import BUILDING_OF, FIGURINES, NOBODY, God, Todo
from agon_engine.cyclades.layout import (
    STALE_CREATURES,
    STALE_GODS,
    STALE_ISLAND,
    STALE_PLAYER,
    STALE_SUPPLY,
    STALE_TABLE,
    STALE_TURN,
    due,
    figurine_index,
)
from agon_engine.cyclades.notation import (
    BUILD,
    BUY,
    CHANGE,
    END,
    PROSPER,
    RECRUIT_PHILOSOPHER,
    RECRUIT_PRIEST,
    RECRUIT_TROOP,
    Kind,
    Move,
)

if TYPE_CHECKING:
    from agon_engine.cyclades.state import CycladesState
    from agon_engine.cyclades.view import Due

_APOLLO: Final = God.APOLLO
_NEXT_TURN: Final = due(Todo.NEXT_TURN)
_TURN_PROMPTS: Final = tuple(f"turn {god.name.lower()}" for god in God)

# -- beginning and end ---------------------------------------------------------------------------------------


def next_turn(state: CycladesState, _: Due) -> None:
    """Begin the turn of the next god with a marker, then of Apollo's; after the last one the cycle ends."""
    while state.acted < len(state.gods) + len(state.apollo):
        place = state.acted
        state.acted += 1
        state.stale |= STALE_GODS
        if place < len(state.gods):
            god = state.gods[place]
            seat = state.bidders[god]
        else:
            god = _APOLLO
            seat = state.apollo[place - len(state.gods)]
        if seat != NOBODY and seat not in state.fallen:
            state.agenda.append(_NEXT_TURN)
            _begin_turn(state, seat, god, first=place == len(state.gods))
            return
    cycle.end_cycle(state)


def _begin_turn(state: CycladesState, seat: Seat, god: God, *, first: bool) -> None:
    state.turn_seat = seat
    state.turn_god = god
    state.recruited = state.moves = state.changes = state.bought = 0
    state.stale |= STALE_TURN
    state.tell(events.TURN[seat][god])
    _dismiss_old_figurines(state, seat)
    if god is _APOLLO:
        state.agenda.append(due(Todo.END_TURN, seat))
        _be_blessed(state, seat, first)
    else:
        state.agenda.append(due(Todo.TURN, seat))


def _dismiss_old_figurines(state: CycladesState, seat: Seat) -> None:
    """Discard the cards of figurines that a seat placed in an earlier cycle (C7.1, C9.2)."""
    for creature in FIGURINES:
        index = figurine_index(creature)
        if state.figurine_owner[index] == seat and state.figurine_cycle[index] < state.cycle:
            pieces.dismiss_figurine(state, creature)


def _be_blessed(state: CycladesState, seat: Seat, first: bool) -> None:
    """Give Apollo's gold, and to the first to arrive a prosperity marker (C7.9)."""
    one_island = state.isles[seat].bit_count() <= 1
    pieces.gain(state, seat, APOLLO_RELIEF if one_island else APOLLO_INCOME)
    if first and state.prosperity_left:
        state.agenda.append(due(Todo.PROSPER, seat))


def ask_prosper(state: CycladesState, step: Due) -> None:
    pieces.ask(state, step, "prosper", [PROSPER[island] for island in members(state.isles[step.seat])])


def prosper(state: CycladesState, _: Due, move: Move) -> None:
    state.prosperity[move.place] += 1
    state.prosperity_left -= 1
    state.stale |= STALE_ISLAND << move.place | STALE_SUPPLY


def end_turn(state: CycladesState, step: Due) -> None:
    """Put the marker on the last free space of the next track (C7.2)."""
    state.next_order.insert(0, step.seat)
    state.turn_seat = NOBODY
    state.turn_god = God.NONE
    state.recruited = state.moves = state.changes = state.bought = 0
    state.stale |= STALE_TABLE | STALE_TURN


# -- what can be done ----------------------------------------------------------------------------------------


def ask_turn(state: CycladesState, step: Due) -> None:
    """List every action of a god turn; it can always be ended."""
    seat, god = step.seat, state.turn_god
    actions = _LISTS[god](state, seat)
    actions += builds(state, seat, god)
    actions += purchases(state, seat)
    actions.append(END)
    pieces.ask(state, step, _TURN_PROMPTS[god], actions)


def _can_recruit(state: CycladesState, seat: Seat, prices: tuple[int, ...]) -> bool:
    """Tell whether a seat may recruit another unit in this turn and can pay for it (C7.3)."""
    return state.recruited < len(prices) and prices[state.recruited] <= state.purses[seat]


def _of_poseidon(state: CycladesState, seat: Seat) -> list[Action]:
    """List recruiting and moving of fleets (C7.3, C7.4, C7.6)."""
    board = BOARDS[state.seats]
    actions: list[Action] = []
    if state.fleet_reserve[seat] and _can_recruit(state, seat, FLEET_PRICES):
        shores = 0
        for island in members(state.isles[seat]):
            shores |= board.island_waters[island]
        shores &= ~pieces.seas_of_others(state, seat) & ~pieces.barred_seas(state)
        recruit = board.recruit_fleet
        actions = [recruit[sea] for sea in members(shores)]
    if state.moves < MAX_MOVES and state.purses[seat]:
        actions += moving.steps_from(state, state.waters[seat])
    return actions


def _of_ares(state: CycladesState, seat: Seat) -> list[Action]:
    """List recruiting and moving of troops (C7.3, C7.4, C7.7)."""
    actions: list[Action] = []
    if state.troop_reserve[seat] and _can_recruit(state, seat, TROOP_PRICES):
        actions = [RECRUIT_TROOP[island] for island in members(state.isles[seat])]
    if state.moves < MAX_MOVES and state.purses[seat]:
        actions += moving.marches(state, seat)
    return actions


def _of_zeus(state: CycladesState, seat: Seat) -> list[Action]:
    """List priests and changes of creatures (C7.3, C7.8)."""
    actions: list[Action] = []
    if state.priests_left and _can_recruit(state, seat, PRIEST_PRICES):
        actions = [RECRUIT_PRIEST]
    if state.changes < MAX_MOVES and state.purses[seat]:
        actions += [CHANGE[creature] for creature in state.spaces if creature]
    return actions


def _of_athena(state: CycladesState, seat: Seat) -> list[Action]:
    """List philosophers (C7.3)."""
    if state.philosophers_left and _can_recruit(state, seat, PHILOSOPHER_PRICES):
        return [RECRUIT_PHILOSOPHER]

    return []


def builds(state: CycladesState, seat: Seat, god: God) -> list[Action]:
    """List where the god's building can go (C7.5)."""
    building = BUILDING_OF[god]
    if state.purses[seat] < BUILDING_PRICE or not state.buildings_left[building]:
        return []

    row = BUILD[building]
    return [row[island] for island in members(state.isles[seat]) if pieces.free_slots(state, island) > 0]


def purchases(state: CycladesState, seat: Seat) -> list[Action]:
    """List the creatures that a seat can buy and that have a legal effect (C7.10, C7.14, C9.1)."""
    gold, bought = state.purses[seat], state.bought
    if not gold:
        return []

    discounts = cards.discounts_left(state, seat)
    return [
        BUY[creature]
        for price, creature in zip(SPACE_PRICES, state.spaces, strict=True)
        if creature
        and price - discounts <= gold
        and not bought >> creature & 1
        and creatures.has_effect(state, seat, creature)
    ]


_LISTS: Final[dict[God, Callable[[CycladesState, Seat], list[Action]]]] = {
    God.POSEIDON: _of_poseidon,
    God.ARES: _of_ares,
    God.ZEUS: _of_zeus,
    God.ATHENA: _of_athena,
}

# -- what is done --------------------------------------------------------------------------------------------


def act(state: CycladesState, step: Due, move: Move) -> None:
    """Carry out an action of the turn; the next one is asked for after all that follows from it."""
    if move.kind is Kind.END:
        state.agenda.append(due(Todo.END_TURN, step.seat))
        return

    state.agenda.append(step)
    _ACTS[move.kind](state, step.seat, move)


def _pay_recruit(state: CycladesState, seat: Seat, prices: tuple[int, ...]) -> None:
    price = prices[state.recruited]
    state.recruited += 1
    state.stale |= STALE_TURN | STALE_PLAYER << seat
    if price:
        pieces.pay(state, seat, price)


def _recruit_fleet(state: CycladesState, seat: Seat, move: Move) -> None:
    _pay_recruit(state, seat, FLEET_PRICES)
    state.fleet_reserve[seat] -= 1
    pieces.add_fleets(state, seat, BOARDS[state.seats].sea_of_cell[move.place], 1)


def _recruit_troop(state: CycladesState, seat: Seat, move: Move) -> None:
    _pay_recruit(state, seat, TROOP_PRICES)
    state.troop_reserve[seat] -= 1
    pieces.add_troops(state, move.place, 1)


def _recruit_priest(state: CycladesState, seat: Seat, _: Move) -> None:
    _pay_recruit(state, seat, PRIEST_PRICES)
    state.priests_left -= 1
    state.priests[seat] += 1
    state.stale |= STALE_SUPPLY


def _recruit_philosopher(state: CycladesState, seat: Seat, _: Move) -> None:
    _pay_recruit(state, seat, PHILOSOPHER_PRICES)
    state.philosophers_left -= 1
    state.philosophers[seat] += 1
    state.stale |= STALE_SUPPLY
    state.agenda.append(due(Todo.SETS, seat))


def _build(state: CycladesState, seat: Seat, move: Move) -> None:
    pieces.pay(state, seat, BUILDING_PRICE)
    pieces.add_building(state, move.place, move.what)
    state.agenda.append(due(Todo.SETS, seat))


def _pay_move(state: CycladesState, seat: Seat) -> None:
    pieces.pay(state, seat, 1)
    state.moves += 1
    state.stale |= STALE_TURN


def _sail(state: CycladesState, seat: Seat, move: Move) -> None:
    _pay_move(state, seat)
    moving.sail(state, seat, move)


def _march(state: CycladesState, seat: Seat, move: Move) -> None:
    _pay_move(state, seat)
    moving.go(state, seat, move)


def _change(state: CycladesState, seat: Seat, move: Move) -> None:
    """Discard a creature and replace it from the deck (C7.8)."""
    pieces.pay(state, seat, 1)
    state.changes += 1
    state.stale |= STALE_TURN
    creature = creatures.CREATURE[move.what]
    space = state.spaces.index(creature)
    pieces.discard_card(state, creature)
    cards.reveal_card(state, space)


def _buy(state: CycladesState, seat: Seat, move: Move) -> None:
    """Buy a creature and begin its effect (C7.10)."""
    creature = creatures.CREATURE[move.what]
    space = state.spaces.index(creature)
    price = cards.price_of(state, seat, space)
    state.discounts_used[seat] += SPACE_PRICES[space] - price
    pieces.pay(state, seat, price)
    state.spaces[space] = creatures.CREATURE[0]
    state.bought |= 1 << creature
    state.stale |= STALE_TURN | STALE_CREATURES
    creatures.play_card(state, seat, creature)


_ACTS: Final[dict[Kind, Callable[[CycladesState, Seat, Move], None]]] = {
    Kind.RECRUIT_FLEET: _recruit_fleet,
    Kind.RECRUIT_TROOP: _recruit_troop,
    Kind.RECRUIT_PRIEST: _recruit_priest,
    Kind.RECRUIT_PHILOSOPHER: _recruit_philosopher,
    Kind.BUILD: _build,
    Kind.SAIL: _sail,
    Kind.MARCH: _march,
    Kind.CHANGE: _change,
    Kind.BUY: _buy,
}
