"""Which steps would do something now (ruling 30): all is judged on the present state, nothing is foreseen."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from agon_engine.core import Seat
from agon_engine.elysium import gaining, peeking, rows, taking, transferring
from agon_engine.elysium import vocabulary as v
from agon_engine.elysium.counting import holds
from agon_engine.elysium.enums import Activation
from agon_engine.elysium.layout import AGORA, REUSED, RING, TURNED
from agon_engine.elysium.tables import KINDS, Node

if TYPE_CHECKING:
    from agon_engine.elysium.state import ElysiumState

    Check = Callable[["ElysiumState", Node, Seat, Seat, int], bool]

_TRIGGER: Final = int(Activation.TRIGGER)


def is_legal(state: ElysiumState, number: int, owner: Seat, subject: Seat, source: int) -> bool:
    """Return whether a step would do something."""
    node = state.tables.nodes[number]
    return _CAN[node.kind](state, node, owner, subject, source)


def _always(_: ElysiumState, __: Node, ___: Seat, ____: Seat, _____: int) -> bool:
    return True


def _any_kid(state: ElysiumState, node: Node, owner: Seat, subject: Seat, source: int) -> bool:
    return any(is_legal(state, kid, owner, subject, source) for kid in node.kids)


def _branch(state: ElysiumState, node: Node, owner: Seat, subject: Seat, source: int) -> bool:
    assert node.check is not None
    branch = 0 if holds(state, node.check, owner, subject) else 1
    return branch < len(node.kids) and is_legal(state, node.kids[branch], owner, subject, source)


def can_pick(state: ElysiumState, node: Node, owner: Seat, source: int) -> list[Seat]:
    """Return the opponents that meet the condition and for whom the inner step would do something."""
    return [
        seat
        for seat in state.after(owner)
        if (node.check is None or holds(state, node.check, owner, seat))
        and is_legal(state, node.kids[0], owner, seat, source)
    ]


def _some_opponent(state: ElysiumState, node: Node, owner: Seat, _: Seat, source: int) -> bool:
    return bool(can_pick(state, node, owner, source))


def can_pay(state: ElysiumState, node: Node, owner: Seat, subject: Seat, source: int) -> bool:
    step = node.step
    assert isinstance(step, v.Pay)
    has = state.purses[node.resource][subject] >= step.n
    return has and is_legal(state, node.kids[0], owner, subject, source)


def _can_sacrifice(state: ElysiumState, node: Node, owner: Seat, subject: Seat, source: int) -> bool:
    has = bool(taking.sacrifices(state, node, subject, source))
    return has and is_legal(state, node.kids[0], owner, subject, source)


# -- reuse and recharge --------------------------------------------------------------------------------------


def reusable(state: ElysiumState, node: Node, owner: Seat, source: int) -> dict[int, int]:
    """Return the cards whose effect the owner may resolve, by design; of copies the first that T1 allows."""
    step = node.step
    assert isinstance(step, v.Reuse)
    found: dict[int, int] = {}
    for zone in step.zones:
        for card in _cards_in(state, owner, zone):
            design = state.tables.design[card]
            if (
                design not in found
                and node.fits[design]
                and state.tables.activation[design] in step.activation
                and not state.tables.uses_others[design]
                and not state.marks[card] & REUSED
                and not (node.not_source and card == source)
                and is_legal(state, state.tables.effect[design], owner, owner, source)
            ):
                found[design] = card
    return found


def _cards_in(state: ElysiumState, owner: Seat, zone: v.Zone) -> list[int]:
    if zone is v.Zone.AGORA:
        mine = state.reserved[owner]
        free = [card for card in state.rows[AGORA] if card == mine or card not in state.reserved]
        return sorted(free, key=lambda card: card != mine)
    if zone is v.Zone.OWN_DOMAIN:
        return [card for card in state.domains[owner] if card > 0]
    if zone is v.Zone.OWN_ELYSIUM:
        return [card for legend in state.elysiums[owner] for card in legend.cards if card > 0]
    return [card for seat in state.after(owner) for card in state.domains[seat] if card > 0]


def _can_reuse(state: ElysiumState, node: Node, owner: Seat, _: Seat, source: int) -> bool:
    return bool(reusable(state, node, owner, source))


def rechargeable(state: ElysiumState, node: Node, seat: Seat, source: int) -> list[int]:
    """Return the turned cards, and the Trigger cards without a ring, that may be made ready again; never the source."""
    step = node.step
    assert isinstance(step, v.Recharge)
    tables = state.tables
    found = []
    for card in state.domains[seat]:
        design = tables.design[card] if card > 0 else 0
        if card > 0 and card != source and node.fits[design] and not tables.uses_others[design]:
            activation = tables.activation[design]
            spent = not state.marks[card] & RING if activation == _TRIGGER else state.marks[card] & TURNED
            if spent and activation in step.activation:
                found.append(card)
    return found


def _can_recharge(state: ElysiumState, node: Node, _: Seat, subject: Seat, source: int) -> bool:
    return bool(rechargeable(state, node, subject, source))


_CHECKS: Final[dict[type[v.Step], Check]] = {
    v.Seq: _any_kid,
    v.Choose: _any_kid,
    v.May: _any_kid,
    v.If: _branch,
    v.EachOpponent: _some_opponent,
    v.PickOpponent: _some_opponent,
    v.Pay: can_pay,
    v.Sacrifice: _can_sacrifice,
    v.Gain: gaining.can_gain,
    v.Lose: gaining.can_lose,
    v.Tribute: gaining.can_lose,
    v.Take: taking.can_take,
    v.TakeCitizen: taking.can_take_citizen,
    v.LoseCard: taking.can_lose_card,
    v.RowMove: rows.can_row_move,
    v.Peek: peeking.can_peek,
    v.PeekTake: peeking.can_peek,
    v.Reserve: rows.can_reserve,
    v.RowAccess: _always,
    v.AcquireMod: _always,
    v.ColumnReturn: rows.can_column_return,
    v.Transfer: transferring.can_transfer,
    v.LimitMod: _always,
    v.CostMod: _always,
    v.CitizenMod: _always,
    v.Reuse: _can_reuse,
    v.Recharge: _can_recharge,
    v.On: _always,
    v.Shield: _always,
    v.Score: _always,
    v.Pardon: _always,
}
_CAN: Final = tuple(_CHECKS[kind] for kind in KINDS)
