"""Where a card may go in an Elysium, and what it costs there (E5.4 to E5.6, rulings 22 and 23). Pure functions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from agon_engine.core import Action, Seat
from agon_engine.elysium.enums import LegendKind
from agon_engine.elysium.layout import Legend
from agon_engine.elysium.notation import Kind
from agon_engine.elysium.words import Price

if TYPE_CHECKING:
    from agon_engine.elysium.state import ElysiumState

_LONE: Final = LegendKind.LONE
_FAMILY: Final = LegendKind.FAMILY
_LEVEL: Final = LegendKind.LEVEL
FAMILY_SIZE: Final = 3
LEVEL_SIZE: Final = 5
_LEVELS: Final = 3
_PLACE: Final = int(Kind.PLACE)
_PLACE_FAMILY: Final = int(Kind.PLACE_FAMILY)


def reduction(state: ElysiumState, seat: Seat, price: Price) -> int:
    """Return how much less than its level a transfer costs the seat now."""
    if price is Price.FREE:
        return _LEVELS

    tables = state.tables
    less = 1 if price is Price.ONE_LESS else 0
    for minus, _ in state.discounts[seat]:
        less += minus
    for card in state.domains[seat]:
        passive = tables.passive[tables.design[card]] if card > 0 else None
        if passive is not None:
            less += passive.cost_minus
    return less


def places(state: ElysiumState, seat: Seat, card: int) -> list[tuple[Action, int]]:
    """Return the places for a card of a Domain or of the Agora, or a Citizen (below 0), each with the level that is to
    be paid; Legends that are equal are named once, by the first of them."""
    found = _citizen_places(state, seat) if card < 0 else _card_places(state, seat, card)
    return found if len(found) < 2 else _distinct(state, seat, found)


def has_citizen_place(state: ElysiumState, seat: Seat, purse: int) -> bool:
    """Return whether a Citizen has a place that costs no more than this."""
    return any(level <= purse for _, level in _citizen_places(state, seat))


def _card_places(state: ElysiumState, seat: Seat, card: int) -> list[tuple[Action, int]]:
    tables = state.tables
    design = tables.design[card]
    family, level = tables.family[design], tables.level[design]
    codes = tables.actions.place
    found = [(codes[0], level)]
    for number, legend in enumerate(state.elysiums[seat], 1):
        if _takes(legend, family, level):
            found.append((codes[number], level))
    return found


def _takes(legend: Legend, family: int, level: int) -> bool:
    kind = legend.kind
    if kind is _LONE:
        return (legend.family == family) != (legend.level == level)
    if kind is _FAMILY:
        return legend.family == family and not legend.held >> level & 1

    return legend.level == level and not legend.held >> family & 1 and len(legend.cards) < LEVEL_SIZE


def _citizen_places(state: ElysiumState, seat: Seat) -> list[tuple[Action, int]]:
    actions = state.tables.actions
    found: list[tuple[Action, int]] = []
    with_lone = _least_cards(state, seat) < 2
    for number, legend in enumerate(state.elysiums[seat], 1):
        kind = legend.kind
        if kind is _FAMILY:
            if len(legend.cards) < FAMILY_SIZE:
                found.append((actions.place[number], _missing(legend.held)))
        elif kind is _LEVEL:
            if len(legend.cards) < LEVEL_SIZE:
                found.append((actions.place[number], legend.level))
        elif with_lone:
            found.append((actions.place_family[number], legend.level))
            levels = [level for level in range(1, _LEVELS + 1) if level != legend.level]
            found += [(actions.place_level[number][level], level) for level in levels]
    return found


def _least_cards(state: ElysiumState, seat: Seat) -> int:
    """Return how many cards a Legend must hold for a Citizen to be added (E5.6)."""
    tables = state.tables
    least = 2
    for card in state.domains[seat]:
        passive = tables.passive[tables.design[card]] if card > 0 else None
        if passive is not None:
            least = min(least, passive.citizen_min)
    return least


def _distinct(state: ElysiumState, seat: Seat, found: list[tuple[Action, int]]) -> list[tuple[Action, int]]:
    """Leave out places at Legends that are equal to one before them."""
    seen: set[object] = set()
    kept = []
    for action, level in found:
        number, kind = placed(state, action)
        look = (kind, level, _look(state, state.elysiums[seat][number - 1]) if number else None)
        if look not in seen:
            seen.add(look)
            kept.append((action, level))
    return kept


def _look(state: ElysiumState, legend: Legend) -> object:
    design = state.tables.design
    return legend.kind, legend.held, tuple(sorted(design[card] if card > 0 else 0 for card in legend.cards))


def placed(state: ElysiumState, action: Action) -> tuple[int, int]:
    """Return the number of the Legend (0: a new one) that a place action names, and the kind of the action."""
    actions = state.tables.actions
    kind, x = actions.kind[action], actions.x[action]
    return (x if kind in (_PLACE, _PLACE_FAMILY) else x // 4), kind


def added(state: ElysiumState, seat: Seat, card: int, action: Action) -> tuple[int, Legend]:
    """Return the number of the Legend that a place action makes or adds to (new ones come last), and the Legend
    then."""
    tables = state.tables
    number, kind = placed(state, action)
    design = tables.design[card] if card > 0 else 0
    family, level = tables.family[design], tables.level[design]
    if not number:
        return len(state.elysiums[seat]) + 1, Legend(_LONE, family, level, (card,), 0)

    before = state.elysiums[seat][number - 1]
    cards = (*before.cards, card)
    if before.kind is _FAMILY:
        return number, Legend(_FAMILY, before.family, 0, cards, before.held | 1 << (level or _missing(before.held)))
    if before.kind is _LEVEL:
        return number, Legend(_LEVEL, 0, before.level, cards, before.held | (1 << family if family else 0))
    if kind == _PLACE_FAMILY or (card > 0 and level == before.level):
        return number, Legend(_LEVEL, 0, before.level, cards, 1 << before.family | (1 << family if family else 0))

    stands_for = level or tables.actions.x[action] % 4
    return number, Legend(_FAMILY, before.family, 0, cards, 1 << before.level | 1 << stands_for)


def _missing(held: int) -> int:
    """Return the level that a family Legend of two cards lacks."""
    return next(level for level in range(1, _LEVELS + 1) if not held >> level & 1)
