"""The steps by which cards come into a Domain and leave it again: take, take_citizen, lose_card, sacrifice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from agon_engine.core import Action, Seat
from agon_engine.elysium import events, happening, moves, vocabulary as v
from agon_engine.elysium.effects import ask, ask_subject, asks, is_legal, matching, prompt, resolve
from agon_engine.elysium.enums import Activation, Todo
from agon_engine.elysium.layout import AGORA, DISCARD, ROWS, STALE_TABLE, Power, Task
from agon_engine.elysium.tables import CARD_LOSS, Node
from agon_engine.elysium.words import Who

if TYPE_CHECKING:
    from agon_engine.elysium.effects import Steps, Tasks
    from agon_engine.elysium.state import ElysiumState

_INSTANT: Final = int(Activation.INSTANT)

# -- a card is taken -----------------------------------------------------------------------------------------


def take_in(state: ElysiumState, seat: Seat, card: int) -> None:
    """Put a card that was just taken into a Domain: its ring, then what happens by it, then its Instantaneous power."""
    moves.enter_domain(state, seat, card)
    if state.tables.activation[state.tables.design[card]] == _INSTANT:
        state.agenda.append(Task(Todo.INSTANT, Power(seat, seat, card)))
    happening.card_taken(state, seat, card)


def free_cards(state: ElysiumState, seat: Seat, row: int) -> dict[int, int]:
    """Return the cards of a row that a seat may take, move or use as far as reservations go, by design: of copies that
    lie together the one that is meant (C1)."""
    design, reserved = state.tables.design, state.reserved
    if row != AGORA or not any(reserved):
        return {design[card]: card for card in reversed(state.rows[row])}

    mine = reserved[seat]
    found = {design[card]: card for card in reversed(state.rows[row]) if card not in reserved}
    if mine:
        found[design[mine]] = mine
    return found


def takeable(state: ElysiumState, seat: Seat, row: int) -> dict[int, int]:
    """Return the cards of a row that a seat may take, by design: none that is identical to one of its Domain (E4.3)."""
    found = free_cards(state, seat, row)
    design = state.tables.design
    for card in state.domains[seat]:
        if card > 0:
            found.pop(design[card], None)
    return found


def own_card(state: ElysiumState, seat: Seat, design: int) -> int:
    """Return the card of that design in a Domain, where there is at most one; 0: the oldest Citizen."""
    if not design:
        return moves.oldest_citizen(state, seat)

    designs = state.tables.design
    return next(card for card in state.domains[seat] if card > 0 and designs[card] == design)


# -- take ----------------------------------------------------------------------------------------------------


def can_take(state: ElysiumState, node: Node[v.Take], power: Power) -> bool:
    return bool(matching(state, node, power, takeable(state, power.subject, ROWS[node.step.source]).values()))


def ask_take(state: ElysiumState, task: Task) -> None:
    node: Node[v.Take] = state.tables.nodes[task.node]
    row = ROWS[node.step.source]
    actions, design = state.tables.actions, state.tables.design
    codes = (actions.take, actions.take_oracle, actions.take_discard)[row]
    cards = matching(state, node, task.power, takeable(state, task.power.subject, row).values())
    if cards:
        ask_subject(state, task, "take", [*(codes[design[card]] for card in sorted(cards)), actions.skip])


def take_answered(state: ElysiumState, action: Action, task: Task) -> None:
    actions = state.tables.actions
    if action == actions.skip:
        return

    node: Node[v.Take] = state.tables.nodes[task.node]
    seat, row = task.power.subject, ROWS[node.step.source]
    card = takeable(state, seat, row)[actions.x[action]]
    moves.leave_row(state, row, card)
    take_in(state, seat, card)


# -- take_citizen --------------------------------------------------------------------------------------------


def can_take_citizen(state: ElysiumState, _node: Node[v.TakeCitizen], _power: Power) -> bool:
    return moves.can_draw(state)


def run_take_citizen(state: ElysiumState, _node: Node[v.TakeCitizen], power: Power) -> None:
    moves.draw_citizen(state, power.subject)


# -- lose_card -----------------------------------------------------------------------------------------------


def _losable(state: ElysiumState, node: Node[v.LoseCard], power: Power) -> list[int]:
    """Return the Family cards that a Domain may lose, none where it is shielded; never a Citizen (ruling 9)."""
    if moves.is_shielded(state, power, CARD_LOSS):
        return []

    return [card for card in matching(state, node, power, state.domains[power.subject]) if card > 0]


def can_lose_card(state: ElysiumState, node: Node[v.LoseCard], power: Power) -> bool:
    return bool(_losable(state, node, power))


def ask_lose_card(state: ElysiumState, task: Task) -> None:
    """Ask the chooser; an owner who chooses is told whose card it is."""
    node: Node[v.LoseCard] = state.tables.nodes[task.node]
    tables = state.tables
    cards = [tables.actions.lose[tables.design[card]] for card in _losable(state, node, task.power)]
    if not cards:
        return

    owner, subject, _ = task.power
    if node.step.chooser is Who.OWNER and owner != subject:
        ask(state, task, owner, f"{prompt(state, task, 'lose')} {subject}", cards)
    else:
        ask_subject(state, task, "lose", cards)


def lose_card_answered(state: ElysiumState, action: Action, task: Task) -> None:
    node: Node[v.LoseCard] = state.tables.nodes[task.node]
    card = own_card(state, task.power.subject, state.tables.actions.x[action])
    moves.leave_domain(state, task.power.subject, card)
    moves.lay(state, ROWS[node.step.to], card)


# -- sacrifice -----------------------------------------------------------------------------------------------


def can_sacrifice(state: ElysiumState, node: Node[v.Sacrifice], power: Power) -> bool:
    return bool(matching(state, node, power, state.domains[power.subject])) and is_legal(state, node.kids[0], power)


def ask_sacrifice(state: ElysiumState, task: Task) -> None:
    """Ask for a card, or none; Citizens are all one."""
    node: Node[v.Sacrifice] = state.tables.nodes[task.node]
    if can_sacrifice(state, node, task.power):
        actions, design = state.tables.actions, state.tables.design
        cards = matching(state, node, task.power, state.domains[task.power.subject])
        codes = [actions.sacrifice[design[card]] for card in cards if card > 0]
        if min(cards) < 0:
            codes.append(actions.sacrifice[0])
        ask_subject(state, task, "sacrifice", [*codes, actions.skip])


def sacrifice_answered(state: ElysiumState, action: Action, task: Task) -> None:
    actions, seat = state.tables.actions, task.power.subject
    if action == actions.skip:
        return

    card = own_card(state, seat, actions.x[action])
    moves.leave_domain(state, seat, card)
    if card > 0:
        moves.lay(state, DISCARD, card)
    else:
        state.gone.append(card)
        state.stale |= STALE_TABLE
        state.tell(events.about("gone", "citizen", seat))
    resolve(state, state.tables.nodes[task.node].kids[0], task.power)


STEPS: Final[Steps] = {
    v.Take: (can_take, asks(Todo.TAKE)),
    v.TakeCitizen: (can_take_citizen, run_take_citizen),
    v.LoseCard: (can_lose_card, asks(Todo.LOSE_CARD)),
    v.Sacrifice: (can_sacrifice, asks(Todo.SACRIFICE)),
}
TASKS: Final[Tasks] = {
    Todo.TAKE: (ask_take, take_answered),
    Todo.LOSE_CARD: (ask_lose_card, lose_card_answered),
    Todo.SACRIFICE: (ask_sacrifice, sacrifice_answered),
}
