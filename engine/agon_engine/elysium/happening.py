"""What happens because of something else: the `on`s of Permanent cards. They hold no decision and start no other
`on`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from agon_engine.core import Seat
from agon_engine.elysium import vocabulary as v
from agon_engine.elysium.effects import always, just_is, matching, resolve
from agon_engine.elysium.layout import COUNT, STALE_DOMAIN, Power
from agon_engine.elysium.words import Happening

if TYPE_CHECKING:
    from agon_engine.elysium.effects import Steps
    from agon_engine.elysium.state import ElysiumState
    from agon_engine.elysium.tables import Node

Due = list[tuple[int, Power]]
"""Steps to be resolved, and as whose power, in this order."""


def card_taken(state: ElysiumState, seat: Seat, card: int) -> None:
    """A seat has taken a card: its own Permanent cards first, but for the card itself, then those of the others."""
    due = _due(state, seat, Happening.TAKE_CARD, card, but=card)
    for other in state.after(seat):
        due += _due(state, other, Happening.OPPONENT_TAKE, card)
    _push(state, due)


def quest_taken(state: ElysiumState, seat: Seat) -> None:
    _push(state, _due(state, seat, Happening.TAKE_QUEST))


def card_transferred(state: ElysiumState, seat: Seat, card: int, *, was_own: bool) -> None:
    """A seat has transferred a card or a Citizen (below 0); a card of the own Domain sees its own transfer too."""
    _push(state, _due(state, seat, Happening.TRANSFER, card, left=card if was_own else 0))


def quests_paid(state: ElysiumState) -> None:
    """All quest rewards are paid: in disc order."""
    due: Due = []
    for seat in state.order:
        due += _due(state, seat, Happening.INCOME)
    _push(state, due)


def _due(state: ElysiumState, seat: Seat, event: Happening, card: int = 0, *, but: int = 0, left: int = 0) -> Due:
    """Return what the seat's Permanent cards do, in the order of their ids: all in its Domain `but` one, and one that
    has just `left` it. `card` is the card of the event."""
    tables = state.tables
    listening = [
        source
        for source in (*state.domains[seat], left)
        if source > 0 and source != but and tables.passive[tables.design[source]] is not None
    ]
    if len(listening) > 1:
        listening.sort(key=lambda source: tables.rank[tables.design[source]])
    due: Due = []
    for source in listening:
        passive = tables.passive[tables.design[source]]
        assert passive is not None
        due += [
            (node.kids[0], Power(seat, seat, source))
            for node in passive.on
            if node.step.event is event
            and (not card or matching(state, node, Power(seat, seat, source), (card,)))
            and _counts(state, node, seat, source)
        ]
    return due


def _counts(state: ElysiumState, node: Node[v.On], seat: Seat, source: int) -> bool:
    """Return whether it is within its limit for this epoch, and count it."""
    if node.step.per_epoch is None:
        return True
    if state.marks[source] // COUNT >= node.step.per_epoch:
        return False

    state.marks[source] += COUNT
    state.stale |= STALE_DOMAIN << seat
    return True


def _push(state: ElysiumState, due: Due) -> None:
    for node, power in reversed(due):
        resolve(state, node, power)


STEPS: Final[Steps] = {
    v.On: (always, just_is),
    v.Shield: (always, just_is),
}
