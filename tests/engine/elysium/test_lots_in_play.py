"""Lots in whole matches of few cards and many looks (D1, D2): the truth is among what each view allows, and so is all
that is drawn from it."""

from __future__ import annotations

from collections import Counter

import pytest
from tests.engine.elysium.lot_accounts import check_lots
from tests.engine.elysium.peeking_set import peeking_game, short_of_cards
from tests.engine.elysium.positions import seed
from tests.support.swaps import elysium

from agon_engine.conformance import Parting, World, follow
from agon_engine.elysium import Elysium, ElysiumState

OFTEN = 9
"""Each so many decisions states are drawn from views."""


def check_matches(first: int, last: int) -> Counter[str]:
    """Check the accounts of random matches; return how often there was what they are for."""
    seen: Counter[str] = Counter()
    for number in range(first, last):
        game = peeking_game(seed(number))
        history = History(game)
        for state in short_of_cards(game, 2 + number % 3, number, left=2 + number % 23):
            history.note(state)
            views = [state.view(seat) for seat in (*range(state.seats), None)]
            for view in views:
                check_lots(state, view)
            seen["mixed"] += len(state.mixes) > 0
            seen["nested"] += any(mix.number in {p for m in state.mixes for p, _ in m.origins} for mix in state.mixes)
            seen["shown"] += len(state.shown) > 0
            seen["marked"] += len(state.veils) > 0
            if state.asked % OFTEN or not state.mixes:
                continue
            for view in views:
                drawn = game.sample(view, seed(state.asked))
                assert drawn.view(view.seat) == view
                check_lots(drawn, view)
                history.check(state, drawn)
                for other in (*range(state.seats), None):
                    again = drawn.view(other)
                    check_lots(game.sample(again, seed(number)), again)
    return seen


class History:
    """What the faces of Citizens can be, by nothing but which cards lay face down when they were drawn."""

    def __init__(self, game: Elysium) -> None:
        self._design = game.tables.design
        self._heard = 0
        self._before: tuple[frozenset[int], Counter[int]] = (frozenset(), Counter())
        self._shuffles: list[tuple[frozenset[int], Counter[int]]] = []
        """By shuffle: the Citizens before it, and the designs of all cards that lay face down then."""

    def note(self, state: ElysiumState) -> None:
        if any(event.code.startswith("shuffle") for event in state.events_since(self._heard)):
            self._shuffles.append(self._before)
        self._heard = state.events_count
        citizens = [-card for card in _citizens(state)]
        self._before = (frozenset(citizens), Counter(self._design[card] for card in (*citizens, *state.deck)))

    def check(self, true: ElysiumState, drawn: ElysiumState) -> None:
        face = {-card: self._design[-other] for card, other in zip(_citizens(true), _citizens(drawn), strict=True)}
        for citizens, face_down in self._shuffles:
            assert Counter(face[card] for card in citizens if card in face) <= face_down


def _citizens(state: ElysiumState) -> list[int]:
    """Return the Citizens by their places."""
    groups = [state.gone, *state.domains, *(legend.cards for elysium in state.elysiums for legend in elysium)]
    return [card for cards in groups for card in cards if card < 0]


def test_the_truth_and_all_samples_fit_the_accounts_of_lots() -> None:
    """D1, D2, E8."""
    seen = check_matches(0, 12)

    assert min(seen[word] for word in ("mixed", "nested", "shown", "marked")) > 5, seen


@pytest.mark.long
@pytest.mark.timeout(3_600)
def test_the_truth_and_all_samples_fit_the_accounts_of_lots_in_five_hundred_matches() -> None:
    """As above."""
    check_matches(12, 512)


@pytest.mark.parametrize("seats", [2, 3])
def test_worlds_with_mixed_lots_look_the_same_to_a_seat_that_cannot_tell_them_apart(seats: int) -> None:
    """E8, D1, D2: samples, of which some have a copy that was shown come from another lot; exchanged cards of a lot;
    and another card that somebody else has seen go into a mixed lot."""
    parted: Counter[Parting] = Counter()
    other_ways = 0
    for number in range(8):
        game = peeking_game(seed(number))
        for state in short_of_cards(game, seats, number, left=2 + 3 * number):
            if not state.mixes or state.decision is None or state.asked % 11:
                continue
            for seat in (*range(seats), None):
                chance = seed(state.asked)
                others: list[ElysiumState] = [game.sample(state.view(seat), chance)]
                if seat is not None:
                    others += elysium(state, seat, chance)
                for other in others:
                    other_ways += any(
                        mix.origins != drawn.origins and mix.number in {shown.lot for shown in state.shown}
                        for mix, drawn in zip(state.mixes, other.mixes, strict=True)
                    )
                    world = World(seat, state.clone(), other, state.asked, "mixed lots")
                    parted[follow(world, chance.fork("choices"), steps=40)] += 1

    assert sum(parted.values()) > 60, parted
    assert other_ways > 5
    assert parted[Parting.CHOICE] < sum(parted.values()) / 2
