"""Building a view from the state: each part from what a seat may know, kept until it changes.

A part that has to be made anew and turns out equal stays the object that it was. Nothing is ever taken out of a fuller
view. A rival's gold comes from the ledger of what was told, never from its purse (C10.6).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from agon_engine.core import Seat
from agon_engine.cyclades.battle import defender_of
from agon_engine.cyclades.board import BOARDS, members
from agon_engine.cyclades.data import MAX_ISLANDS, MAX_SEATS
from agon_engine.cyclades.enums import CREATURES, FIGURINES, NOBODY, Building, Todo
from agon_engine.cyclades.layout import (
    KINDS,
    STALE_BATTLE,
    STALE_CREATURES,
    STALE_GODS,
    STALE_ISLAND,
    STALE_PLAYER,
    STALE_PLAYERS,
    STALE_SEAS,
    STALE_SUPPLY,
    STALE_TABLE,
    STALE_TURN,
)
from agon_engine.cyclades.view import (
    NO_GOLD,
    Battle,
    Creatures,
    Deal,
    Figurine,
    Fleet,
    Gods,
    Island,
    Offer,
    Own,
    Pending,
    Player,
    Seas,
    Supply,
    Table,
    Turn,
    View,
)

if TYPE_CHECKING:
    from agon_engine.cyclades.state import CycladesState

_new = tuple.__new__  # half the time of calling a NamedTuple, at each decision

NO_OWN: Final = Own(NO_GOLD)
_NOTHING_PENDING: Final = Pending(Todo.NONE, NOBODY, ())

_DEAL: Final = 0
_TABLE: Final = 1
_GODS: Final = 2
_TURN: Final = 3
_CREATURES: Final = 4
_SUPPLY: Final = 5
_PLAYERS: Final = 6
_ISLANDS: Final = 7
_SEAS: Final = 8
_BATTLE: Final = 9
_PENDING: Final = 10
_ASKED: Final = 11
"""The decision that the part PENDING tells."""
_PLAYER: Final = 12
_ISLAND: Final = _PLAYER + MAX_SEATS
_OWN: Final = _ISLAND + MAX_ISLANDS + 1
PARTS: Final = _OWN + MAX_SEATS
"""How many parts a state keeps: single ones, tuples of those by seat or island, then those one by one."""

_FIRST_KIND: Final = int(Building.PORT)


def build_view(state: CycladesState, seat: Seat | None) -> View:
    """Put the view of a seat (None: a spectator) together."""
    parts = state.parts
    if state.stale:
        _refresh(state, parts)
    if parts[_ASKED] is not state.decision or parts[_PENDING] is None:
        _keep(parts, _PENDING, _pending(state))
        parts[_ASKED] = state.decision
    fields = (
        seat,
        parts[_DEAL],
        parts[_TABLE],
        parts[_GODS],
        parts[_TURN],
        parts[_CREATURES],
        parts[_SUPPLY],
        parts[_PLAYERS],
        parts[_ISLANDS],
        parts[_SEAS],
        parts[_BATTLE],
        parts[_PENDING],
        NO_OWN if seat is None else _own(state, parts, seat),
    )
    return _new(View, fields)


def _own(state: CycladesState, parts: list[Any], seat: Seat) -> Own:
    part: Own | None = parts[_OWN + seat]
    if part is None or part.gold != state.purses[seat]:
        part = parts[_OWN + seat] = Own(state.purses[seat])
    return part


def _keep(parts: list[Any], index: int, part: Any) -> bool:
    """Keep a part unless it equals the one that is there; return whether it is another one."""
    if part == parts[index]:
        return False

    parts[index] = part
    return True


def _refresh(state: CycladesState, parts: list[Any]) -> None:
    """Make the parts anew that are stale."""
    stale = state.stale
    state.stale = 0
    if parts[_DEAL] is None:
        parts[_DEAL] = _deal(state)
    if stale & STALE_TABLE:
        _keep(parts, _TABLE, _table(state))
    if stale & STALE_GODS:
        _keep(parts, _GODS, _gods(state))
    if stale & STALE_TURN:
        _keep(parts, _TURN, _turn(state))
    if stale & STALE_CREATURES:
        _keep(parts, _CREATURES, _creatures(state))
    if stale & STALE_SUPPLY:
        _keep(parts, _SUPPLY, _supply(state))
    if stale & STALE_SEAS:
        _keep(parts, _SEAS, _seas(state))
    if stale & STALE_BATTLE:
        _keep(parts, _BATTLE, _battle(state))
    if stale & STALE_PLAYERS:
        _refresh_players(state, parts, stale)
    if stale >= STALE_ISLAND or stale < 0:
        _refresh_islands(state, parts, stale)


def _refresh_players(state: CycladesState, parts: list[Any], stale: int) -> None:
    news = False
    for seat in range(state.seats):
        if stale & STALE_PLAYER << seat:
            news |= _keep(parts, _PLAYER + seat, _player(state, seat))
    if news:
        parts[_PLAYERS] = tuple(parts[_PLAYER : _PLAYER + state.seats])


def _refresh_islands(state: CycladesState, parts: list[Any], stale: int) -> None:
    news = False
    count = BOARDS[state.seats].islands
    for island in range(1, count + 1):
        if stale & STALE_ISLAND << island:
            news |= _keep(parts, _ISLAND + island, _island(state, island))
    if news:
        parts[_ISLANDS] = tuple(parts[_ISLAND + 1 : _ISLAND + count + 1])


def _deal(state: CycladesState) -> Deal:
    return Deal(
        state.seats,
        state.creature_start,
        state.two_player_gods,
        state.attacker_port_bonus,
        state.over_buildings,
        state.tie_break,
        state.max_cycles,
    )


def _table(state: CycladesState) -> Table:
    values = (
        state.cycle,
        state.phase,
        tuple(state.order),
        state.placed,
        tuple(state.next_order),
        tuple(state.fallen),
        state.ending,
    )
    return _new(Table, values)


def _gods(state: CycladesState) -> Gods:
    offers = tuple([_new(Offer, (god, state.bidders[god], state.bids[god])) for god in state.gods])
    return _new(Gods, (offers, tuple(state.apollo), tuple(state.gods_out), state.acted))


def _turn(state: CycladesState) -> Turn:
    bought = state.bought
    values = (
        state.turn_seat,
        state.turn_god,
        state.recruited,
        state.moves,
        state.changes,
        tuple([creature for creature in CREATURES if bought >> creature & 1]) if bought else (),
        tuple(state.playing),
        tuple(members(state.fought)),
    )
    return _new(Turn, values)


def _creatures(state: CycladesState) -> Creatures:
    owners, isles, cycles = state.figurine_owner, state.figurine_island, state.figurine_cycle
    standing = [
        _new(Figurine, (creature, owners[index], isles[index], cycles[index]))
        for index, creature in enumerate(FIGURINES)
        if owners[index] != NOBODY
    ]
    values = (
        tuple(state.spaces),
        len(state.deck),
        tuple(state.discard),
        tuple(state.gone),
        tuple(standing),
        state.kraken,
    )
    return _new(Creatures, values)


def _supply(state: CycladesState) -> Supply:
    values = (
        tuple(state.buildings_left[_FIRST_KIND:]),
        state.metropolises_left,
        state.prosperity_left,
        state.priests_left,
        state.philosophers_left,
    )
    return _new(Supply, values)


def _player(state: CycladesState, seat: Seat) -> Player:
    gold = state.ledger[seat]
    values = (
        seat,
        gold,
        gold,
        state.priests[seat],
        state.philosophers[seat],
        state.troop_reserve[seat],
        state.fleet_reserve[seat],
        state.discounts_used[seat],
    )
    return _new(Player, values)


def _island(state: CycladesState, island: int) -> Island:
    first = island * KINDS + _FIRST_KIND
    values = (
        island,
        state.island_owner[island],
        state.troops[island],
        tuple(state.buildings[first : first + KINDS - _FIRST_KIND]),
        state.metropolises >> island & 1 == 1,
        state.prosperity[island],
    )
    return _new(Island, values)


def _seas(state: CycladesState) -> Seas:
    owners = state.sea_owner
    held = [_new(Fleet, (sea, owners[sea], count)) for sea, count in enumerate(state.fleets) if count]
    return _new(Seas, (tuple(held),))


def _battle(state: CycladesState) -> Battle:
    defender = defender_of(state) if state.attackers else NOBODY
    place = state.battle_island, state.battle_sea
    return _new(Battle, (*place, state.attacker, state.attackers, defender, tuple(state.rolls)))


def _pending(state: CycladesState) -> Pending:
    decision = state.decision
    if decision is None:
        return _NOTHING_PENDING

    return _new(Pending, (state.agenda[-1].todo, decision.seat, tuple(state.agenda)))
