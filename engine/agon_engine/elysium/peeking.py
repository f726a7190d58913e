"""The steps that look into the draw pile: peek and peek_take. What is seen and how it is put back is private (D2); that
the seat is asked, how often, and how many cards go to the bottom depends on nothing hidden."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from agon_engine.core import Action, Seat
from agon_engine.elysium import events, moves
from agon_engine.elysium import vocabulary as v
from agon_engine.elysium.enums import Todo
from agon_engine.elysium.layout import STALE_OWN
from agon_engine.elysium.notation import ORDERS
from agon_engine.elysium.tables import Node
from agon_engine.elysium.taking import take_in

if TYPE_CHECKING:
    from agon_engine.elysium.state import ElysiumState

_PEEK: Final = int(Todo.PEEK)
_KEEP: Final = int(Todo.KEEP)
_ORDER: Final = int(Todo.ORDER)
_PUT_UNDER: Final = int(Todo.PUT_UNDER)


def can_peek(state: ElysiumState, _: Node, __: Seat, ___: Seat, ____: int) -> bool:
    return moves.can_draw(state)


# -- peek ----------------------------------------------------------------------------------------------------


def run_peek(state: ElysiumState, node: Node, owner: Seat, subject: Seat, source: int) -> None:
    step = node.step
    assert isinstance(step, v.Peek)
    n = moves.ready(state, step.n)
    if n:
        moves.look(state, subject, n)
        if n == 1 and step.put is v.Put.TOP:
            state.tell(events.put(subject, 1, 0, "top 1"))
            return
        state.agenda.append((_PEEK, node.number, owner, subject, source, n, 0))


def ask_peek(state: ElysiumState, number: int, owner: Seat, subject: Seat, source: int, n: int, _: int) -> None:
    step = state.tables.nodes[number].step
    assert isinstance(step, v.Peek)
    asked = (_PEEK, number, owner, subject, source, n, 0)
    orders = _orders(state, looked(state, n), with_top=True, with_bottom=step.put is v.Put.TOP_OR_BOTTOM)
    moves.ask(state, asked, subject, f"peek {state.tables.ids[state.tables.design[source]]}", orders)


def peek_answered(
    state: ElysiumState, action: Action, _: int, __: Seat, subject: Seat, ___: int, n: int, ____: int
) -> None:
    cards = looked(state, n)
    top, bottom = ORDERS[state.tables.actions.x[action]]
    del state.deck[-n:]
    moves.put_back(state, [cards[place] for place in top], [cards[place] for place in bottom])
    state.tell(events.put(subject, len(top), len(bottom), state.tables.actions.notation.codes[action]))


def looked(state: ElysiumState, n: int) -> list[int]:
    """Return the cards that are being looked at, the top one first."""
    return state.deck[: -n - 1 : -1]


def _orders(state: ElysiumState, cards: list[int], *, with_top: bool, with_bottom: bool) -> list[Action]:
    """List the ways to put cards back, those that look the same once."""
    design = state.tables.design
    seen = set()
    orders = []
    for action, (top, bottom) in zip(state.tables.actions.order, ORDERS, strict=True):
        if len(top) + len(bottom) == len(cards) and (with_top or not top) and (with_bottom or not bottom):
            outcome = tuple(design[cards[place]] for place in top), tuple(design[cards[place]] for place in bottom)
            if outcome not in seen:
                seen.add(outcome)
                orders.append(action)
    return orders


# -- peek_take -----------------------------------------------------------------------------------------------


def run_peek_take(state: ElysiumState, node: Node, owner: Seat, subject: Seat, source: int) -> None:
    step = node.step
    assert isinstance(step, v.PeekTake)
    n = moves.ready(state, step.n)
    if n:
        moves.look(state, subject, n)
        state.agenda.append((_KEEP, node.number, owner, subject, source, n, 0))


def ask_keep(state: ElysiumState, number: int, owner: Seat, subject: Seat, source: int, n: int, _: int) -> None:
    """Ask which card is taken, if any: whether there is one that may be, only the seat knows."""
    actions = state.tables.actions
    keeps = [actions.keep[design] for design in sorted(keepable(state, number, subject, n))]
    asked = (_KEEP, number, owner, subject, source, n, 0)
    moves.ask(state, asked, subject, f"keep {state.tables.ids[state.tables.design[source]]}", [*keeps, actions.skip])


def keepable(state: ElysiumState, number: int, seat: Seat, n: int) -> dict[int, int]:
    """Return the cards looked at that the seat may take, by design."""
    design, fits = state.tables.design, state.tables.nodes[number].fits
    own = {design[card] for card in state.domains[seat] if card > 0}
    cards = [card for card in reversed(looked(state, n)) if fits[design[card]]]
    return {design[card]: card for card in cards if design[card] not in own}


def keep_answered(
    state: ElysiumState, action: Action, number: int, owner: Seat, subject: Seat, source: int, n: int, _: int
) -> None:
    actions = state.tables.actions
    kept = 0 if action == actions.skip else keepable(state, number, subject, n)[actions.x[action]]
    state.kept = kept
    state.stale |= STALE_OWN << subject
    state.tell(events.kept(subject, actions.notation.codes[action]))
    rest = n - 1 if kept else n
    kind = _ORDER if rest > 1 else _PUT_UNDER
    state.agenda.append((kind, number, owner, subject, source, n, 0))


def others(state: ElysiumState, n: int) -> list[int]:
    """Return the cards looked at that are not taken."""
    return [card for card in looked(state, n) if card != state.kept]


def ask_order(state: ElysiumState, number: int, owner: Seat, subject: Seat, source: int, n: int, _: int) -> None:
    orders = _orders(state, others(state, n), with_top=False, with_bottom=True)
    asked = (_ORDER, number, owner, subject, source, n, 0)
    moves.ask(state, asked, subject, f"order {state.tables.ids[state.tables.design[source]]}", orders)


def order_answered(
    state: ElysiumState, action: Action, _: int, __: Seat, subject: Seat, ___: int, n: int, ____: int
) -> None:
    cards = others(state, n)
    bottom = ORDERS[state.tables.actions.x[action]][1]
    _put_under(state, subject, n, [cards[place] for place in bottom], state.tables.actions.notation.codes[action])


def put_under(state: ElysiumState, _: int, __: Seat, subject: Seat, ___: int, n: int, ____: int) -> None:
    """Put what is left under the draw pile where there is nothing to order."""
    rest = others(state, n)
    _put_under(state, subject, n, rest, "bottom 1" if rest else "")


def _put_under(state: ElysiumState, seat: Seat, n: int, bottom: list[int], code: str) -> None:
    """Put cards at the bottom, then let the one taken enter the Domain, where all see it."""
    card = state.kept
    state.kept = 0
    del state.deck[-n:]
    moves.put_back(state, [], bottom)
    if bottom:
        state.tell(events.put(seat, 0, len(bottom), code))
    if card:
        moves.show(state, card)
        state.tell(events.about("takes", state.tables.ids[state.tables.design[card]], seat))
        take_in(state, seat, card)
