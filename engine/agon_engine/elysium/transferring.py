"""Transfers (E5.3 to E5.9): which cards can be, the card chosen first and then its place, and what follows. The step
`transfer` of powers and its modifiers: limit_mod, cost_mod, citizen_mod; the transfers of a quest use the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from agon_engine.core import Action, Seat
from agon_engine.elysium import events, happening, moves, placing, vocabulary as v
from agon_engine.elysium.effects import always, ask, ask_subject, asks, just_is, matching
from agon_engine.elysium.enums import NOBODY, Family, LegendKind, Phase, Todo
from agon_engine.elysium.layout import AGORA, STALE_ELYSIUM, STALE_PLAYER, STALE_TILES, Legend, Power, Task
from agon_engine.elysium.placing import FAMILY_SIZE, reduction
from agon_engine.elysium.tables import GOLD, Node
from agon_engine.elysium.taking import free_cards, own_card
from agon_engine.elysium.words import Price, Zone

if TYPE_CHECKING:
    from agon_engine.elysium.effects import Steps, Tasks
    from agon_engine.elysium.state import ElysiumState

_LEVEL: Final = LegendKind.LEVEL
_FAMILY: Final = LegendKind.FAMILY

# -- which cards can be transferred --------------------------------------------------------------------------


def payable(
    state: ElysiumState, seat: Seat, cards: Sequence[int], price: Price, codes: tuple[Action, ...]
) -> list[Action]:
    """Return the codes of those of the cards whose transfer the seat can pay, of Citizens once, as the last."""
    if not cards:
        return []

    design, level = state.tables.design, state.tables.level
    purse = state.purses[GOLD][seat] + reduction(state, seat, price)
    found = [codes[design[card]] for card in cards if card > 0 and level[design[card]] <= purse]
    if min(cards) < 0 and placing.has_citizen_place(state, seat, purse):
        found.append(codes[0])
    return found


# -- the step of powers --------------------------------------------------------------------------------------


def _cards(state: ElysiumState, node: Node[v.Transfer], power: Power) -> list[Action]:
    """List the cards that a power can transfer now."""
    step, seat, actions = node.step, power.subject, state.tables.actions
    if step.source is Zone.AGORA:
        free = sorted(free_cards(state, seat, AGORA).values())
        return payable(state, seat, matching(state, node, power, free), step.cost, actions.transfer_agora)

    return payable(state, seat, matching(state, node, power, state.domains[seat]), step.cost, actions.transfer)


def can_transfer(state: ElysiumState, node: Node[v.Transfer], power: Power) -> bool:
    return bool(_cards(state, node, power))


def ask_transfer(state: ElysiumState, task: Task) -> None:
    cards = _cards(state, state.tables.nodes[task.node], task.power)
    if cards:
        ask_subject(state, task, "transfer", [*cards, state.tables.actions.skip])


def transfer_answered(state: ElysiumState, action: Action, task: Task) -> None:
    actions = state.tables.actions
    if action == actions.skip:
        return

    node: Node[v.Transfer] = state.tables.nodes[task.node]
    from_agora = node.step.source is Zone.AGORA
    seat, design = task.power.subject, actions.x[action]
    card = free_cards(state, seat, AGORA)[design] if from_agora else own_card(state, seat, design)
    left = task.x - 1
    if left:
        state.agenda.append(Task(Todo.TRANSFER, task.power, task.node, left))
    state.agenda.append(Task(Todo.PLACE, task.power, task.node, card, 1 if from_agora else 0))


# -- the place -----------------------------------------------------------------------------------------------


def _price(state: ElysiumState, task: Task) -> Price:
    """Return what the transfer costs: a quest's, which is no card's step, the normal price."""
    if not task.node:
        return Price.NORMAL

    node: Node[v.Transfer] = state.tables.nodes[task.node]
    return node.step.cost


def ask_place(state: ElysiumState, task: Task) -> None:
    """Ask where a card goes, among the places that the seat can pay."""
    seat, card = task.power.subject, task.x
    purse = state.purses[GOLD][seat] + reduction(state, seat, _price(state, task))
    found = [action for action, level in placing.places(state, seat, card) if level <= purse]
    tables = state.tables
    ask(state, task, seat, f"place {tables.ids[tables.design[card] if card > 0 else 0]}", found)


def place_answered(state: ElysiumState, action: Action, task: Task) -> None:
    """Carry a transfer out: pay, move, settle the bonus tiles, then what happens by it."""
    seat, card, from_agora = task.power.subject, task.x, task.y == 1
    level = next(level for place, level in placing.places(state, seat, card) if place == action)
    moves.gain(state, seat, GOLD, -max(0, level - reduction(state, seat, _price(state, task))))
    _use_discounts(state, seat)
    if from_agora:
        moves.leave_row(state, AGORA, card)
    else:
        moves.leave_domain(state, seat, card)
    place, legend = placing.added(state, seat, card, action)
    state.elysiums[seat][place - 1 : place] = [legend]
    state.stale |= STALE_ELYSIUM << seat
    if state.phase is Phase.LEGENDS:
        state.transferred[seat] += 1
        state.stale |= STALE_PLAYER << seat
    if legend.kind is _LEVEL:
        _settle_level(state, seat, legend)
    elif legend.kind is _FAMILY and len(legend.cards) == FAMILY_SIZE:
        _settle_family(state, seat, legend.family)
    happening.card_transferred(state, seat, card, was_own=not from_agora)


def _use_discounts(state: ElysiumState, seat: Seat) -> None:
    """Let each discount lose a use, also where it saved nothing."""
    discounts = state.discounts[seat]
    if discounts:
        left = [(minus, uses - 1 if uses else 0) for minus, uses in discounts if uses != 1]
        state.discounts[seat] = left
        state.stale |= STALE_PLAYER << seat


# -- bonus tiles ---------------------------------------------------------------------------------------------


def _settle_level(state: ElysiumState, seat: Seat, legend: Legend) -> None:
    """Give the level's tile to the first with such a Legend, or to who has a strictly larger one (E5.9, ruling 24)."""
    level = legend.level
    holder = state.level_tiles[level]
    if holder == seat:
        return
    if holder != NOBODY:
        largest = max(
            len(other.cards) for other in state.elysiums[holder] if other.kind is _LEVEL and other.level == level
        )
        if len(legend.cards) <= largest:
            return

    state.level_tiles[level] = seat
    state.stale |= STALE_TILES
    state.tell(events.tile(seat, f"level {level}"))


def _settle_family(state: ElysiumState, seat: Seat, family: int) -> None:
    """Give the family's first tile, then its second, to who completes its Legend (E5.8, ruling 25)."""
    for tile in (2 * family, 2 * family + 1):
        if state.family_tiles[tile] == NOBODY:
            state.family_tiles[tile] = seat
            state.stale |= STALE_TILES
            state.tell(events.tile(seat, f"{Family(family).name.lower()} {1 + tile % 2}"))
            return


# -- modifiers -----------------------------------------------------------------------------------------------


def run_limit_mod(state: ElysiumState, node: Node[v.LimitMod], power: Power) -> None:
    state.extra[power.subject] += node.step.plus
    state.stale |= STALE_PLAYER << power.subject


def run_cost_mod(state: ElysiumState, node: Node[v.CostMod], power: Power) -> None:
    """Let the next transfers of this epoch cost less; a Permanent card's modifier is not run, it just is."""
    state.discounts[power.subject].append((node.step.minus, node.step.uses or 0))
    state.stale |= STALE_PLAYER << power.subject


STEPS: Final[Steps] = {
    v.Transfer: (can_transfer, asks(Todo.TRANSFER, n_times=True)),
    v.LimitMod: (always, run_limit_mod),
    v.CostMod: (always, run_cost_mod),
    v.CitizenMod: (always, just_is),
}
TASKS: Final[Tasks] = {
    Todo.TRANSFER: (ask_transfer, transfer_answered),
    Todo.PLACE: (ask_place, place_answered),
}
