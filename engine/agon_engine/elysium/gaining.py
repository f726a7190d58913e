"""The steps of gold, VP and PP: gain, lose, tribute, score, pardon. Nobody decides anything here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from agon_engine.core import Seat
from agon_engine.elysium import moves, vocabulary
from agon_engine.elysium.counting import value
from agon_engine.elysium.enums import Family
from agon_engine.elysium.tables import PP, VP, Node

if TYPE_CHECKING:
    from agon_engine.elysium.state import ElysiumState

_ARES: Final = int(Family.ARES)


def gain(state: ElysiumState, node: Node, owner: Seat, subject: Seat, _: int) -> None:
    if can_gain(state, node, owner, subject, 0):
        seat = owner if _goes_to_owner(node) else subject
        moves.gain(state, seat, node.resource, _amount(state, node, owner, subject))


def can_gain(state: ElysiumState, node: Node, owner: Seat, subject: Seat, _: int) -> bool:
    if node.resource == PP and _ARES not in state.families:
        return False

    return node.plain > 0 or _amount(state, node, owner, subject) > 0


def lose(state: ElysiumState, node: Node, owner: Seat, subject: Seat, _: int) -> None:
    moves.gain(state, subject, node.resource, -_loss(state, node, owner, subject))


def can_lose(state: ElysiumState, node: Node, owner: Seat, subject: Seat, _: int) -> bool:
    has = state.purses[node.resource][subject] > 0
    return has and not moves.is_shielded(state, subject, owner, node.resource)


def tribute(state: ElysiumState, node: Node, owner: Seat, subject: Seat, _: int) -> None:
    given = _loss(state, node, owner, subject)
    moves.gain(state, subject, node.resource, -given)
    moves.gain(state, owner, node.resource, given)


def score(state: ElysiumState, node: Node, owner: Seat, subject: Seat, _: int) -> None:
    points = _amount(state, node, owner, subject)
    if points > 0:
        moves.gain(state, subject, VP, points)


def pardon(state: ElysiumState, node: Node, owner: Seat, _: Seat, __: int) -> None:
    step = node.step
    assert isinstance(step, vocabulary.Pardon)
    state.pardons[owner] += step.n


def _amount(state: ElysiumState, node: Node, owner: Seat, subject: Seat) -> int:
    return node.plain if node.plain >= 0 else value(state, node.amount, owner, subject)


def _loss(state: ElysiumState, node: Node, owner: Seat, subject: Seat) -> int:
    """Return what the subject loses: never more than it has (ruling 8), nothing where it is shielded."""
    if not can_lose(state, node, owner, subject, 0):
        return 0

    return min(max(0, _amount(state, node, owner, subject)), state.purses[node.resource][subject])


def _goes_to_owner(node: Node) -> bool:
    step = node.step
    return isinstance(step, vocabulary.Gain) and step.to is vocabulary.Who.OWNER
