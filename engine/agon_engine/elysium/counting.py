"""Quantities and conditions: what a card counts and compares. Pure functions of the state."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from agon_engine.core import Seat
from agon_engine.elysium.enums import LegendKind
from agon_engine.elysium.layout import AGORA, ORACLE, Legend, Power
from agon_engine.elysium.tables import ALWAYS, COUNTERS, GOLD, NONE_ABOVE, NONE_BELOW, PP, Amount, Check
from agon_engine.elysium.words import Comparison, Counter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from agon_engine.elysium.state import ElysiumState

    Cards = Callable[[ElysiumState, Seat, Amount], Iterable[int]]
    Count = Callable[[ElysiumState, Seat, Amount], int]

_LONE: Final = LegendKind.LONE


def value(state: ElysiumState, amount: Amount, power: Power) -> int:
    """Return a quantity as it is now."""
    if amount.counter < 0:
        return amount.plus

    seat = power.owner if amount.of_owner else power.subject
    cards = _CARDS.get(amount.counter)
    if cards is not None:
        count = _matching(state, amount, power.source, cards(state, seat, amount))
    else:
        count = _COUNT[amount.counter](state, seat, amount)
    return min(amount.most, amount.plus + amount.times * count)


def _matching(state: ElysiumState, amount: Amount, source: int, cards: Iterable[int]) -> int:
    """Return how many of the cards, and of the Citizens (below 0), the filter lets through."""
    design, fits = state.tables.design, amount.fits
    but = source if amount.not_source else 0
    return sum(1 for card in cards if fits[design[card] if card > 0 else 0] and card != but)


def holds(state: ElysiumState, check: Check, power: Power) -> bool:
    """Return whether a condition is fulfilled now."""
    if check.how == ALWAYS:
        return True
    if check.how == NONE_BELOW:
        purse = state.purses[check.resource]
        return purse[power.owner] == min(purse)
    if check.how == NONE_ABOVE:
        purse = state.purses[check.resource]
        return purse[power.owner] == max(purse)

    left = value(state, check.left, power)
    right = value(state, check.right, power)
    how = _COMPARISONS[check.how]
    if how is Comparison.AT_LEAST:
        return left >= right
    if how is Comparison.MORE:
        return left > right
    if how is Comparison.LESS:
        return left < right
    if how is Comparison.AT_MOST:
        return left <= right
    return left == right


_COMPARISONS: Final = tuple(Comparison)

# -- counters of the cards that a filter lets through --------------------------------------------------------


def _domain_cards(state: ElysiumState, seat: Seat, _amount: Amount) -> Iterable[int]:
    return state.domains[seat]


def _legend_cards(state: ElysiumState, seat: Seat, _amount: Amount) -> Iterator[int]:
    """Yield the Family cards in Legends of two or more cards."""
    for legend in state.elysiums[seat]:
        if legend.kind is not _LONE:
            for card in legend.cards:
                if card > 0:
                    yield card


def _row_cards(state: ElysiumState, _seat: Seat, amount: Amount) -> Iterable[int]:
    return state.rows[ORACLE if amount.oracle else AGORA]


_OF_CARDS: Final[dict[Counter, Cards]] = {
    Counter.DOMAIN_CARDS: _domain_cards,
    Counter.LEGEND_CARDS: _legend_cards,
    Counter.ROW_CARDS: _row_cards,
}

# -- other counters ------------------------------------------------------------------------------------------


def _gold(state: ElysiumState, seat: Seat, _amount: Amount) -> int:
    return state.purses[GOLD][seat]


def _pp(state: ElysiumState, seat: Seat, _amount: Amount) -> int:
    return state.purses[PP][seat]


def _domain_families(state: ElysiumState, seat: Seat, _amount: Amount) -> int:
    design, family = state.tables.design, state.tables.family
    return len({family[design[card]] for card in state.domains[seat] if card > 0})


def _owned_cards(state: ElysiumState, seat: Seat, _amount: Amount) -> int:
    in_elysium = sum(1 for legend in state.elysiums[seat] for card in legend.cards if card > 0)
    return in_elysium + sum(1 for card in state.domains[seat] if card > 0)


def _legend_families(state: ElysiumState, seat: Seat, amount: Amount) -> int:
    design, family = state.tables.design, state.tables.family
    return len({family[design[card]] for card in _legend_cards(state, seat, amount)})


def _legend_symbols(state: ElysiumState, seat: Seat, amount: Amount) -> int:
    design, activation = state.tables.design, state.tables.activation
    return len({activation[design[card]] for card in _legend_cards(state, seat, amount)})


def _legends(state: ElysiumState, seat: Seat, amount: Amount) -> int:
    return sum(1 for legend in state.elysiums[seat] if _is_counted(legend, amount))


def _is_counted(legend: Legend, amount: Amount) -> bool:
    size = len(legend.cards)
    return amount.min_cards <= size <= amount.max_cards and (amount.kind == 0 or amount.kind == legend.kind)


def _bonus_tiles(state: ElysiumState, seat: Seat, _amount: Amount) -> int:
    return state.level_tiles.count(seat) + state.family_tiles.count(seat)


def _transferred_now(state: ElysiumState, seat: Seat, _amount: Amount) -> int:
    return state.transferred[seat]


def _moved_level(state: ElysiumState, _seat: Seat, _amount: Amount) -> int:
    return state.moved_level


_COUNTS: Final[dict[Counter, Count]] = {
    Counter.GOLD: _gold,
    Counter.PP: _pp,
    Counter.DOMAIN_FAMILIES: _domain_families,
    Counter.OWNED_CARDS: _owned_cards,
    Counter.LEGEND_FAMILIES: _legend_families,
    Counter.LEGEND_SYMBOLS: _legend_symbols,
    Counter.LEGENDS: _legends,
    Counter.BONUS_TILES: _bonus_tiles,
    Counter.TRANSFERRED_NOW: _transferred_now,
    Counter.MOVED_LEVEL: _moved_level,
}
_CARDS: Final = {COUNTERS.index(counter): cards for counter, cards in _OF_CARDS.items()}
_COUNT: Final = {COUNTERS.index(counter): count for counter, count in _COUNTS.items()}
