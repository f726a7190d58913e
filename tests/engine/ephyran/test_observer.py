"""An observer fed only with what a seat is told keeps the table that the seat's views show (P8)."""

import pytest
from tests.engine.ephyran.observer import Observer
from tests.engine.ephyran.positions import cards, random_match

from agon_engine.ephyran.data import CARD_NAMES, HALF_NAMES
from agon_engine.ephyran.enums import COLOURS
from agon_engine.ephyran.view import View

NAMES = [colour.name.lower() for colour in COLOURS]


def check(observer: Observer, view: View) -> None:
    """Compare everything that the observer has written down with a view."""
    table = view.table
    assert (observer.round, observer.turn, observer.deck) == (table.round, table.turn, table.deck)
    assert observer.tokens_left == table.tokens
    assert observer.ending == (table.ending.name.lower() if table.ending else "")
    assert observer.closed == table.closed
    assert observer.gods == [god.name.lower() for god in view.deal.gods]
    assert observer.first_discard == [CARD_NAMES[card] for card in view.first_discard.cards]
    assert observer.second_discard == [CARD_NAMES[card] for card in view.second_discard.cards]
    assert observer.sizes == [hand.size for hand in view.hands]
    assert [sorted(known) for known in observer.known] == [
        sorted(CARD_NAMES[card] for card in hand.known) for hand in view.hands
    ]
    assert sorted(cards(" ".join(observer.hand))) == sorted(view.own_hand.cards)
    for seat, city in enumerate(view.cities):
        for colour, column in enumerate(city.columns, 1):
            name = NAMES[colour]
            assert observer.cities[seat][name] == [HALF_NAMES[half] for half in column.zones]
            assert observer.locks[seat].get(name, "") == CARD_NAMES[column.lock]
            assert [observer.tokens[seat].get(f"{name} {number}", 0) for number in range(1, len(column.zones) + 1)] == (
                list(column.tokens)
            )
    shown = {token: item.name.lower() for token, item in enumerate(view.token_lore.shown, 1) if item}
    known = {token: item.name.lower() for token, item in view.own_tokens.tokens}
    assert observer.items == {**shown, **known}
    assert observer.over == (view.pending.seat == -1)


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("redraws", [False, True])
def test_an_observer_of_events_keeps_the_table(seats: int, redraws: bool) -> None:
    """P8: every change that a seat may know of is told."""
    for number in range(8):
        observers = {seat: Observer(seat, seats) for seat in (None, *range(seats))}
        heard = 0
        for state in random_match(seats, number, supports=number % 2 == 0, defender_redraws=redraws):
            for event in state.events_since(heard):
                for seat, observer in observers.items():
                    told = event.told_to(seat)
                    if told:
                        observer.hear(told, event.seat)
            heard = state.events_count
            for seat, observer in observers.items():
                check(observer, state.view(seat))
