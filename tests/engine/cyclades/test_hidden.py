"""Nothing hidden is told (C10.6): gold and the order of the creature deck, in views, events and questions."""

from collections.abc import Sequence

import pytest
from tests.engine.cyclades.positions import lay_out, random_match, seed
from tests.support.swaps import SWAPS

from agon_engine.conformance import follow, worlds
from agon_engine.core import Chance, Event
from agon_engine.cyclades import GAME, CycladesState

SEATS = (2, 3, 4, 5)


def ledger_of(seats: int, events: Sequence[Event]) -> list[int]:
    """Count the gold of each seat from what everybody is told."""
    gold = [5] * seats
    for event in events:
        word, *rest = event.code.split()
        if word in ("revenue", "offerings"):
            gains = [int(amount) if word == "revenue" else -int(amount) for amount in rest]
            gold = [old + gain for old, gain in zip(gold, gains, strict=True)]
        if event.seat is not None and word in ("gain", "pay"):
            gold[event.seat] += int(rest[0]) if word == "gain" else -int(rest[0])
        if word == "eliminated" and event.seat is not None:
            gold[event.seat] = 0
    return gold


@pytest.mark.parametrize("seats", SEATS)
def test_a_view_has_the_own_gold_and_for_others_what_public_events_allow(seats: int) -> None:
    """C10.6: today one number, which is what the seat has; counted here from the event codes alone."""
    for number in range(3):
        for state in random_match(seats, number, busy=True, max_cycles=8):
            counted = ledger_of(seats, state.events_since(0))
            for seat in (None, *range(seats)):
                view = state.view(seat)

                assert counted == [player.least_gold for player in view.players]
                assert counted == [player.most_gold for player in view.players]
                assert view.own.gold == (-1 if seat is None else state.purses[seat])
            assert counted == state.purses


@pytest.mark.parametrize("seats", SEATS)
def test_a_rivals_gold_that_changes_without_an_event_and_another_order_of_the_deck_change_no_view(seats: int) -> None:
    """C10.6: never read from the purse."""
    compared = 0
    for state in random_match(seats, 5, busy=True, max_cycles=8):
        if state.decision is None:
            break
        for seat in (None, *range(seats)):
            before, deck = state.view(seat), state.deck[:]
            purses = state.purses[:]
            state.purses = [gold if other == seat else gold + 7 for other, gold in enumerate(purses)]
            state.deck.reverse()
            # Made anew from the beginning.
            state.stale = -1
            state.parts = [None] * len(state.parts)

            assert before == state.view(seat)
            state.purses, state.deck = purses, deck
            compared += 1
    assert compared > 100


@pytest.mark.parametrize("seats", SEATS)
def test_worlds_that_differ_in_gold_and_deck_alone_look_the_same_until_it_shows(seats: int) -> None:
    """C10.6, H3: with closer pairs than the conformance suite draws by itself."""
    followed = 0
    for pair in worlds(GAME, seats, 3, 4, swaps=SWAPS["cyclades"]):
        followed += pair.origin == "swap"
        follow(pair, seed(followed), steps=300)

    assert followed >= 2 * seats


def test_who_is_asked_does_not_depend_on_gold() -> None:
    """C10.6: a god, an amount, a turn and the Kraken's way are asked for with one answer left too."""
    asked: dict[str, set[int]] = {}
    for number in range(8):
        for state in random_match(3, number, busy=True):
            if state.decision is not None and len(state.decision.actions) == 1:
                asked.setdefault(state.decision.prompt.split()[0], set()).add(1)

    assert {"god", "turn", "bid"} <= set(asked)
    assert set(asked) <= {"god", "bid", "turn", "swim"}


def test_a_bid_that_a_rival_cannot_pay_is_missing_from_its_list_alone() -> None:
    """C10.6, C6.3: others see the same."""

    def rich(gold: int) -> CycladesState:
        table = lay_out(3, isles={"IS1": "0", "IS2": "1", "IS3": "2"}, later="zeus:1 athena:2")
        table.do("end", "end", "end")
        table.state.purses[table.seat or 0] = gold
        return table.state

    poor, well_off = rich(2), rich(9)
    seat = poor.decision.seat if poor.decision else 0
    for other in (None, *(other for other in range(3) if other != seat)):
        assert poor.view(other) == well_off.view(other)


def test_a_look_ahead_says_nothing_of_the_deck() -> None:
    """C10.6: the cards come in an order of their own, which two look-aheads of one chance share."""
    table = lay_out(3, "zeus", isles={"IS1": "0"}, spaces="siren - -")
    shown = []
    for number in range(60):
        tried = table.state.clone(lookahead=Chance(number.to_bytes(16, "big")))
        tried.apply(GAME.notation.parse("change siren"))
        shown.append(tried.spaces[0])

    assert len(set(shown)) > 8
    table.do("change siren")
    assert table.cards("spaces") == "pegasus"


def test_sampled_decks_are_any_order() -> None:
    """C10.6."""
    state = next(random_match(4, 2))
    tops = {GAME.sample(state.view(1), seed(number)).deck[-1] for number in range(120)}

    assert len(tops) == 14
