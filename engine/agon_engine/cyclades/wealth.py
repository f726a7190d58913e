"""Creatures that bring gold, priests and philosophers: Fates, Griffon, Satyr, Dryad, Sphinx (C9)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agon_engine.core import Action, Seat
from agon_engine.cyclades import pieces
from agon_engine.cyclades.board import BOARDS, members
from agon_engine.cyclades.data import SALE_PRICE
from agon_engine.cyclades.enums import Todo
from agon_engine.cyclades.layout import STALE_PLAYER, STALE_SUPPLY, due
from agon_engine.cyclades.notation import ROB, SELL_PHILOSOPHER, SELL_PRIEST, SELL_TROOP, STOP, Kind, Move

if TYPE_CHECKING:
    from agon_engine.cyclades.state import CycladesState
    from agon_engine.cyclades.view import Due

# -- Fates ---------------------------------------------------------------------------------------------------


def has_income(state: CycladesState, seat: Seat) -> bool:
    return pieces.income(state, seat) > 0


def fates(state: CycladesState, seat: Seat) -> None:
    """Give a seat its revenue again."""
    pieces.gain(state, seat, pieces.income(state, seat))


# -- Griffon, Satyr, Dryad -----------------------------------------------------------------------------------


def others(state: CycladesState, seat: Seat) -> list[Seat]:
    """Return the other seats that are in the match."""
    return [other for other in range(state.seats) if other != seat and other not in state.fallen]


def can_rob(state: CycladesState, seat: Seat) -> bool:
    return bool(others(state, seat))


def can_steal_philosopher(state: CycladesState, seat: Seat) -> bool:
    return any(state.philosophers[other] for other in others(state, seat))


def can_steal_priest(state: CycladesState, seat: Seat) -> bool:
    return any(state.priests[other] for other in others(state, seat))


def ask_griffon(state: CycladesState, step: Due) -> None:
    pieces.ask(state, step, "griffon", [ROB[other] for other in others(state, step.seat)])


def griffon(state: CycladesState, step: Due, move: Move) -> None:
    """Take half of the gold, rounded down; the amount is told (C10.6)."""
    amount = state.purses[move.what] // 2
    pieces.pay(state, move.what, amount)
    pieces.gain(state, step.seat, amount)


def ask_satyr(state: CycladesState, step: Due) -> None:
    rich = [other for other in others(state, step.seat) if state.philosophers[other]]
    pieces.ask(state, step, "satyr", [ROB[other] for other in rich])


def satyr(state: CycladesState, step: Due, move: Move) -> None:
    state.philosophers[move.what] -= 1
    state.philosophers[step.seat] += 1
    state.stale |= STALE_PLAYER << move.what | STALE_PLAYER << step.seat
    state.agenda.append(due(Todo.SETS, step.seat))


def ask_dryad(state: CycladesState, step: Due) -> None:
    rich = [other for other in others(state, step.seat) if state.priests[other]]
    pieces.ask(state, step, "dryad", [ROB[other] for other in rich])


def dryad(state: CycladesState, step: Due, move: Move) -> None:
    state.priests[move.what] -= 1
    state.priests[step.seat] += 1
    state.stale |= STALE_PLAYER << move.what | STALE_PLAYER << step.seat


# -- Sphinx --------------------------------------------------------------------------------------------------


def sales(state: CycladesState, seat: Seat) -> list[Action]:
    """Return what a seat can sell."""
    sell_fleet = BOARDS[state.seats].sell_fleet
    actions = [SELL_TROOP[island] for island in members(state.isles[seat]) if state.troops[island]]
    actions += [sell_fleet[sea] for sea in members(state.waters[seat])]
    if state.priests[seat]:
        actions.append(SELL_PRIEST)
    if state.philosophers[seat]:
        actions.append(SELL_PHILOSOPHER)
    return actions


def can_sell(state: CycladesState, seat: Seat) -> bool:
    return bool(sales(state, seat))


def ask_sphinx(state: CycladesState, step: Due) -> None:
    """Ask for the next sale, if there is anything to sell; the first one is due."""
    actions = sales(state, step.seat)
    if not actions:
        return

    if step.number:
        actions.append(STOP)
    pieces.ask(state, step, "sphinx", actions)


def sphinx(state: CycladesState, step: Due, move: Move) -> None:
    seat, kind = step.seat, move.kind
    if kind is Kind.STOP:
        return

    if kind is Kind.SELL_TROOP:
        pieces.add_troops(state, move.place, -1)
        state.troop_reserve[seat] += 1
    elif kind is Kind.SELL_FLEET:
        pieces.take_fleets(state, BOARDS[state.seats].sea_of_cell[move.place], 1)
        state.fleet_reserve[seat] += 1
    elif kind is Kind.SELL_PRIEST:
        state.priests[seat] -= 1
        state.priests_left += 1
    else:
        state.philosophers[seat] -= 1
        state.philosophers_left += 1
    state.stale |= STALE_SUPPLY
    pieces.gain(state, seat, SALE_PRICE)
    state.agenda.append(due(Todo.SPHINX, seat, number=step.number + 1))
