"""The vocabulary as a whole: whatever set is free of mistakes is played soundly to its end, with steps inside each
other as no card of the house set has them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.engine.elysium.any_set import any_set
from tests.engine.elysium.positions import seed
from tests.engine.elysium.test_match import ALL, check_end, check_position

from agon_engine.elysium import Elysium, ElysiumState, game_with, read_set, vocabulary as v
from agon_engine.elysium.checking import children, mistakes_in
from agon_engine.elysium.forms import STEP_FORMS
from agon_engine.elysium.writing import set_text

OFTEN = 20
"""Each so many decisions states are drawn from views."""


def steps_of(step: v.Step) -> Iterator[v.Step]:
    yield step
    for child in children(step):
        yield from steps_of(child)


def check_samples(game: Elysium, state: ElysiumState, number: int) -> None:
    """Check that what is drawn from a view, in the middle of whatever power, has the same view and question."""
    assert state.decision is not None
    for seat in (*range(state.seats), None):
        drawn = game.sample(state.view(seat), seed(number))

        assert drawn.view(seat) == state.view(seat)
        assert drawn.decision is not None
        assert drawn.decision.seat == state.decision.seat
        if seat == drawn.decision.seat:
            assert drawn.decision.actions == state.decision.actions


def play(game: Elysium, seats: int, number: int) -> None:
    state = game.start(seats, seed(number), {})
    dice = seed(number).fork("dice")
    while state.decision is not None:
        check_position(state)
        if not state.asked % OFTEN:
            check_samples(game, state, state.asked)
        state.apply(dice.choice("action", state.decision.actions))
    assert dict(state.inventory()) == ALL
    check_end(state)


def check_sets(first: int, last: int) -> None:
    kinds: set[type[v.Step]] = set()
    for number in range(first, last):
        cards = any_set(seed(number))
        assert mistakes_in(cards) == []
        assert read_set(set_text(cards)) == cards
        kinds |= {type(step) for card in cards.cards for step in steps_of(card.effect)}
        for seats in (2, 3, 4):
            play(game_with(cards), seats, number)
    assert {kind for kind, _ in STEP_FORMS.values()} == kinds


def test_any_set_without_mistakes_is_played_soundly() -> None:
    """T1, T4, T5, T8, D2, E8: pieces, purses, Legends, forced choices, samples and scores."""
    check_sets(0, 5)


@pytest.mark.long
@pytest.mark.timeout(3_600)
def test_five_hundred_sets_are_played_soundly() -> None:
    """As above."""
    check_sets(5, 505)
