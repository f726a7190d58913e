"""The steps of gold, VP and PP: gain, lose, tribute, score, pardon. Nobody decides anything here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from agon_engine.elysium import moves, vocabulary as v
from agon_engine.elysium.counting import value
from agon_engine.elysium.effects import always
from agon_engine.elysium.enums import Family
from agon_engine.elysium.layout import Power
from agon_engine.elysium.tables import PP, VP, Node
from agon_engine.elysium.words import Who

if TYPE_CHECKING:
    from agon_engine.elysium.effects import Steps
    from agon_engine.elysium.state import ElysiumState

_ARES: Final = int(Family.ARES)


def _amount(state: ElysiumState, node: Node[Any], power: Power) -> int:
    return node.plain if node.plain >= 0 else value(state, node.amount, power)


# -- gain, score ---------------------------------------------------------------------------------------------


def can_gain(state: ElysiumState, node: Node[v.Gain], power: Power) -> bool:
    """Return whether there is something to gain; without Ares there are no PP (O1)."""
    if node.resource == PP and _ARES not in state.families:
        return False

    return _amount(state, node, power) > 0


def gain(state: ElysiumState, node: Node[v.Gain], power: Power) -> None:
    if can_gain(state, node, power):
        seat = power.owner if node.step.to is Who.OWNER else power.subject
        moves.gain(state, seat, node.resource, _amount(state, node, power))


def score(state: ElysiumState, node: Node[v.Score], power: Power) -> None:
    moves.gain(state, power.subject, VP, max(0, _amount(state, node, power)))


def pardon(state: ElysiumState, node: Node[v.Pardon], power: Power) -> None:
    state.pardons[power.owner] += node.step.n


# -- lose, tribute -------------------------------------------------------------------------------------------


def can_lose(state: ElysiumState, node: Node[Any], power: Power) -> bool:
    has = state.purses[node.resource][power.subject] > 0
    return has and not moves.is_shielded(state, power, node.resource)


def _loss(state: ElysiumState, node: Node[Any], power: Power) -> int:
    """Return what the subject loses: never more than it has (ruling 8), nothing where it is shielded."""
    if not can_lose(state, node, power):
        return 0

    return min(max(0, _amount(state, node, power)), state.purses[node.resource][power.subject])


def lose(state: ElysiumState, node: Node[v.Lose], power: Power) -> None:
    moves.gain(state, power.subject, node.resource, -_loss(state, node, power))


def tribute(state: ElysiumState, node: Node[v.Tribute], power: Power) -> None:
    given = _loss(state, node, power)
    moves.gain(state, power.subject, node.resource, -given)
    moves.gain(state, power.owner, node.resource, given)


STEPS: Final[Steps] = {
    v.Gain: (can_gain, gain),
    v.Lose: (can_lose, lose),
    v.Tribute: (can_lose, tribute),
    v.Score: (always, score),
    v.Pardon: (always, pardon),
}
