"""The steps by which cards come into a Domain and leave it again: take, take_citizen, lose_card, sacrifice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from agon_engine.core import Action, Seat
from agon_engine.elysium import events, happening, moves
from agon_engine.elysium import vocabulary as v
from agon_engine.elysium.enums import Activation, Todo
from agon_engine.elysium.layout import AGORA, DISCARD, ORACLE
from agon_engine.elysium.moves import CARD_LOSS
from agon_engine.elysium.tables import Node

if TYPE_CHECKING:
    from agon_engine.elysium.state import ElysiumState

ROWS: Final = {v.Zone.AGORA: AGORA, v.Zone.ORACLE: ORACLE, v.Zone.DISCARD: DISCARD}
_INSTANT: Final = int(Activation.INSTANT)
_INSTANT_STEP: Final = int(Todo.INSTANT)
_TAKE: Final = int(Todo.TAKE)
_LOSE_CARD: Final = int(Todo.LOSE_CARD)
_SACRIFICE: Final = int(Todo.SACRIFICE)

# -- a card is taken -----------------------------------------------------------------------------------------


def take_in(state: ElysiumState, seat: Seat, card: int) -> None:
    """Put a card that was just taken into a Domain: its ring, then what happens by it, then its Instantaneous power."""
    moves.enter_domain(state, seat, card)
    if state.tables.activation[state.tables.design[card]] == _INSTANT:
        state.agenda.append((_INSTANT_STEP, 0, seat, seat, card, 0, 0))
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


# -- take ----------------------------------------------------------------------------------------------------


def run_take(state: ElysiumState, node: Node, owner: Seat, subject: Seat, source: int) -> None:
    ask_take(state, node.number, owner, subject, source, 0, 0)


def can_take(state: ElysiumState, node: Node, _: Seat, subject: Seat, __: int) -> bool:
    fits = node.fits
    return any(fits[design] for design in takeable(state, subject, _row_of(node)))


def ask_take(state: ElysiumState, number: int, owner: Seat, subject: Seat, source: int, _: int, __: int) -> None:
    node = state.tables.nodes[number]
    row = _row_of(node)
    actions = state.tables.actions
    codes = (actions.take, actions.take_oracle, actions.take_discard)[row]
    cards = [codes[design] for design in sorted(takeable(state, subject, row)) if node.fits[design]]
    if cards:
        prompt = f"take {state.tables.ids[state.tables.design[source]]}"
        step = (_TAKE, number, owner, subject, source, 0, 0)
        moves.ask(state, step, subject, prompt, [*cards, actions.skip])


def _row_of(node: Node) -> int:
    step = node.step
    assert isinstance(step, v.Take)
    return ROWS[step.source]


def take_answered(
    state: ElysiumState, action: Action, number: int, _: Seat, subject: Seat, __: int, ___: int, ____: int
) -> None:
    actions = state.tables.actions
    if action != actions.skip:
        row = _row_of(state.tables.nodes[number])
        card = takeable(state, subject, row)[actions.x[action]]
        moves.leave_row(state, row, card)
        take_in(state, subject, card)


def run_take_citizen(state: ElysiumState, _: Node, __: Seat, subject: Seat, ___: int) -> None:
    moves.draw_citizen(state, subject)


def can_take_citizen(state: ElysiumState, _: Node, __: Seat, ___: Seat, ____: int) -> bool:
    return moves.can_draw(state)


# -- lose_card -----------------------------------------------------------------------------------------------


def run_lose_card(state: ElysiumState, node: Node, owner: Seat, subject: Seat, source: int) -> None:
    ask_lose_card(state, node.number, owner, subject, source, 0, 0)


def can_lose_card(state: ElysiumState, node: Node, owner: Seat, subject: Seat, source: int) -> bool:
    return bool(_losable(state, node, owner, subject, source))


def ask_lose_card(state: ElysiumState, number: int, owner: Seat, subject: Seat, source: int, _: int, __: int) -> None:
    node = state.tables.nodes[number]
    cards = _losable(state, node, owner, subject, source)
    if cards:
        step = node.step
        assert isinstance(step, v.LoseCard)
        chooser = owner if step.chooser is v.Who.OWNER else subject
        ids, design = state.tables.ids, state.tables.design
        prompt = f"lose {ids[design[source]]}"
        if chooser != subject:
            prompt = f"{prompt} {subject}"
        asked = (_LOSE_CARD, number, owner, subject, source, 0, 0)
        moves.ask(state, asked, chooser, prompt, [state.tables.actions.lose[design[card]] for card in cards])


def _losable(state: ElysiumState, node: Node, owner: Seat, subject: Seat, source: int) -> list[int]:
    """Return the Family cards that a Domain may lose, none where it is shielded; never a Citizen (ruling 9)."""
    if moves.is_shielded(state, subject, owner, CARD_LOSS):
        return []

    return [card for card in _matching(state, node, subject, source) if card > 0]


def _matching(state: ElysiumState, node: Node, seat: Seat, source: int) -> list[int]:
    design, fits = state.tables.design, node.fits
    return [
        card
        for card in state.domains[seat]
        if fits[design[card] if card > 0 else 0] and not (node.not_source and card == source)
    ]


def lose_card_answered(
    state: ElysiumState, action: Action, number: int, _: Seat, subject: Seat, __: int, ___: int, ____: int
) -> None:
    step = state.tables.nodes[number].step
    assert isinstance(step, v.LoseCard)
    card = own_card(state, subject, state.tables.actions.x[action])
    moves.leave_domain(state, subject, card)
    moves.lay(state, ROWS[step.to], card)


def own_card(state: ElysiumState, seat: Seat, design: int) -> int:
    """Return the card of that design in a Domain, where there is at most one; 0: the oldest Citizen."""
    if not design:
        return moves.oldest_citizen(state, seat)

    designs = state.tables.design
    return next(card for card in state.domains[seat] if card > 0 and designs[card] == design)


# -- sacrifice -----------------------------------------------------------------------------------------------


def sacrifices(state: ElysiumState, node: Node, seat: Seat, source: int) -> list[Action]:
    """Return how a seat can sacrifice a card: Citizens are all one."""
    actions, design = state.tables.actions.sacrifice, state.tables.design
    cards = _matching(state, node, seat, source)
    citizen = [actions[0]] if cards and min(cards) < 0 else []
    return [*(actions[design[card]] for card in cards if card > 0), *citizen]


def ask_sacrifice(state: ElysiumState, number: int, owner: Seat, subject: Seat, source: int, _: int, __: int) -> None:
    cards = sacrifices(state, state.tables.nodes[number], subject, source)
    prompt = f"sacrifice {state.tables.ids[state.tables.design[source]]}"
    asked = (_SACRIFICE, number, owner, subject, source, 0, 0)
    moves.ask(state, asked, subject, prompt, [*cards, state.tables.actions.skip])


def sacrifice_answered(
    state: ElysiumState, action: Action, number: int, owner: Seat, subject: Seat, source: int, _: int, __: int
) -> None:
    actions = state.tables.actions
    if action == actions.skip:
        return

    card = own_card(state, subject, actions.x[action])
    moves.leave_domain(state, subject, card)
    if card > 0:
        moves.lay(state, DISCARD, card)
    else:
        state.gone.append(card)
        state.tell(events.about("gone", "citizen", subject))
    moves.resolve(state, state.tables.nodes[number].kids[0], owner, subject, source)
