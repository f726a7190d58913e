"""What happens because of something else: the `on`s of Permanent cards. They hold no decision and start no other
`on`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from agon_engine.core import Seat
from agon_engine.elysium import moves
from agon_engine.elysium.layout import COUNT, STALE_DOMAIN
from agon_engine.elysium.vocabulary import Happening, On

if TYPE_CHECKING:
    from agon_engine.elysium.state import ElysiumState

_TAKE: Final = Happening.TAKE_CARD
_OPPONENT_TAKE: Final = Happening.OPPONENT_TAKE
_TRANSFER: Final = Happening.TRANSFER
_INCOME: Final = Happening.INCOME


def card_taken(state: ElysiumState, seat: Seat, card: int) -> None:
    """A seat has taken a card: its own Permanent cards first, but for the card itself, then those of the others."""
    due: list[tuple[int, Seat, int]] = []
    for other in (seat, *state.after(seat)):
        _collect(state, other, _TAKE if other == seat else _OPPONENT_TAKE, card, card, due)
    _push(state, due)


def quest_taken(state: ElysiumState, seat: Seat) -> None:
    due: list[tuple[int, Seat, int]] = []
    _collect(state, seat, Happening.TAKE_QUEST, 0, 0, due)
    _push(state, due)


def card_transferred(state: ElysiumState, seat: Seat, card: int, *, was_own: bool) -> None:
    """A seat has transferred a card or a Citizen (below 0); a card of the own Domain sees its own transfer too."""
    due: list[tuple[int, Seat, int]] = []
    _collect(state, seat, _TRANSFER, card, 0, due, left=card if was_own and card > 0 else 0)
    _push(state, due)


def quests_paid(state: ElysiumState) -> None:
    """All quest rewards are paid: in disc order."""
    due: list[tuple[int, Seat, int]] = []
    for seat in state.order:
        _collect(state, seat, _INCOME, 0, 0, due)
    _push(state, due)


def _collect(
    state: ElysiumState,
    seat: Seat,
    happening: Happening,
    card: int,
    excepted: int,
    due: list[tuple[int, Seat, int]],
    left: int = 0,
) -> None:
    """Add what the seat's Permanent cards do, in the order of their ids, `left` being one that has just gone."""
    tables = state.tables
    listening = [
        source
        for source in (*state.domains[seat], left)
        if source > 0 and source != excepted and tables.passive[tables.design[source]] is not None
    ]
    if not listening:
        return

    design = tables.design[card] if card > 0 else 0
    for source in sorted(listening, key=lambda source: tables.rank[tables.design[source]]):
        passive = tables.passive[tables.design[source]]
        assert passive is not None
        for number in passive.on:
            node = tables.nodes[number]
            step = node.step
            assert isinstance(step, On)
            if step.event is happening and (not card or node.fits[design]):
                if step.per_epoch is not None:
                    if state.marks[source] // COUNT >= step.per_epoch:
                        continue
                    state.marks[source] += COUNT
                    state.stale |= STALE_DOMAIN << seat
                due.append((node.kids[0], seat, source))


def _push(state: ElysiumState, due: list[tuple[int, Seat, int]]) -> None:
    for node, seat, source in reversed(due):
        moves.resolve(state, node, seat, seat, source)
