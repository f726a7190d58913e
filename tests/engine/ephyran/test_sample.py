"""Sampling: full states that are consistent with a view, in any position, mid-effect too (P8)."""

from collections import Counter
from itertools import islice

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from tests.engine.ephyran.positions import Dice, Table, lay_out, names, random_match, seed

from agon_engine.ephyran import GAME, EphyranState
from agon_engine.ephyran.enums import Item, Phase
from agon_engine.ephyran.memory import Accounts


def check_sample(state: EphyranState, seat: int | None, number: int) -> EphyranState:
    """Sample from a seat's view, compare, and return the sample."""
    view = state.view(seat)
    sample = GAME.sample(view, seed(number))
    assert sample.view(seat) == view
    assert sample.inventory() == state.inventory()
    assert sample.agenda == state.agenda
    if state.decision is None:
        assert sample.decision is None
    else:
        assert sample.decision is not None
        assert (sample.decision.seat, sample.decision.prompt) == (state.decision.seat, state.decision.prompt)
        if state.decision.seat == seat:
            assert sample.decision.actions == state.decision.actions
    return sample


def play_to_the_end(state: EphyranState, dice: Dice) -> None:
    pieces = state.inventory()
    for _ in range(GAME.spec.max_decisions):
        if state.decision is None:
            break
        state.apply(state.decision.actions[dice.below(len(state.decision.actions))])
    assert state.outcome() is not None
    assert state.inventory() == pieces


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.integers(2, 4),
    st.integers(0, 10_000),
    st.integers(0, 400),
    st.integers(-1, 3),
    st.integers(0, 2**64),
    st.booleans(),
    st.sampled_from(["shared", "zones"]),
)
def test_a_sampled_state_has_the_view_it_came_from_and_can_be_played_to_the_end(
    seats: int, number: int, stop: int, viewer: int, chance: int, redraws: bool, tie_break: str
) -> None:
    """P8, H4."""
    match = random_match(seats, number, supports=number % 2 == 0, defender_redraws=redraws, tie_break=tie_break)
    *_, state = islice(match, stop + 1)
    seat = None if viewer < 0 else viewer % seats
    play_to_the_end(check_sample(state, seat, chance), Dice(number))


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_every_phase_can_be_sampled_by_those_asked_those_who_wait_and_spectators(seats: int) -> None:
    """P8."""
    met: Counter[tuple[Phase, bool]] = Counter()
    dice = Dice(seats)
    for number in range(15):
        for state in random_match(seats, number, supports=True, defender_redraws=number % 2 == 0):
            for seat in (None, *range(seats)):
                asked = state.decision is not None and state.decision.seat == seat
                if met[state.phase, asked] < 20 and not dice.below(3):
                    met[state.phase, asked] += 1
                    check_sample(state, seat, sum(met.values()))

    assert {phase for phase, _ in met} == set(Phase)
    assert {phase for phase, asked in met if asked} == set(Phase) - {Phase.OVER}


def hands_of_rival(table: Table, seat: int) -> set[str]:
    return {names(GAME.sample(table.view(seat), seed(number)).hands[1 - seat]) for number in range(30)}


def test_what_is_hidden_is_drawn_anew_and_what_is_known_stays() -> None:
    """P8, P8.1."""
    table = lay_out(hands={0: "TT01 TT02", 1: "D2 TT05 TT09"}, known={1: "D2"})

    assert len(hands_of_rival(table, 0)) > 25
    assert all(hand.startswith("D2") for hand in hands_of_rival(table, 0))
    assert {"TT01 TT02"} == {names(GAME.sample(table.view(0), seed(number)).hands[0]) for number in range(9)}


def test_a_rival_who_plays_the_masons_holds_something_to_build() -> None:
    """P5.4."""
    table = lay_out(hands={0: "TS12 TT05", 1: ""}, cities={0: "TT09 a, TT02 a, TT03 a, TT04 a"})
    table.do("play TS12")
    for number in range(200):
        sample = GAME.sample(table.view(1), seed(number))
        after = Table(sample).do("pass")

        assert after.prompt == "build"
        assert after.codes_of("build")


def test_known_tokens_keep_their_items_and_the_others_are_drawn_from_those_left() -> None:
    """P4.3."""
    table = lay_out(
        hands={0: "TT05"},
        cities={0: "TT01 a", 1: "TT09 a, TT02 a"},
        tokens={(0, "blue 1"): "thunderbolt", (1, "blue 1"): "thunderbolt", (1, "red 1"): "owl"},
        seen={1: [0], 2: [1], 3: [0, 1]},
    )
    samples = [GAME.sample(table.view(0), seed(number)).token_items for number in range(60)]

    assert {(Item.THUNDERBOLT, Item.OWL)} == {(items[1], items[3]) for items in samples}
    assert {Item.THUNDERBOLT, Item.TRIDENT, Item.OWL, Item.HELMET} == {items[2] for items in samples}
    assert all(items.count(Item.THUNDERBOLT) == 2 for items in samples)


def test_cards_put_under_the_deck_lie_there_in_every_sample_of_the_one_who_knows_them() -> None:
    """P8.1."""
    table = lay_out(hands={0: "TS09 TT01", 1: "TT02"}, deck="TT20 TT21 TT22 TT23 TT24 TT27 TT28")
    table.do("play TS09", "keep TT21")
    mine = {names(GAME.sample(table.view(0), seed(number)).deck[:2]) for number in range(30)}
    others = {names(GAME.sample(table.view(1), seed(number)).deck[:2]) for number in range(30)}

    assert {"TT22 TT20"} == mine
    assert len(others) > 10


def test_a_rival_knows_in_a_sample_the_cards_that_it_has_put_under_the_deck() -> None:
    """P8.1."""
    table = lay_out(hands={0: "TS09 TT01", 1: "TT02"}, deck="TT20 TT21 TT22 TT23 TT24")
    table.do("play TS09", "keep TT21")
    sample = GAME.sample(table.view(1), seed(1))
    facts = {(fact.place, fact.card) for fact in sample.view(0).own_memory.accounts[0]}

    assert set(enumerate(sample.deck[:2])) == facts


def test_each_account_of_a_seat_is_sampled() -> None:
    """P8.1."""
    table = lay_out(hands={0: "TS09 TT01", 1: "TS21 TT03"}, deck="TT20 TT21 TT22 TT23")
    table.do("play TS09", "keep TT20", "play TS21", "keep TT23")
    tracked = {"TT21", "TT22"}
    decks = {
        " ".join(name for name in names(GAME.sample(table.view(0), seed(number)).deck).split() if name in tracked)
        for number in range(60)
    }

    assert {"TT22 TT21", "TT22", "TT21"} == decks


def test_the_cards_being_looked_at_lie_on_top_for_the_one_who_looks() -> None:
    """P8."""
    table = lay_out(hands={0: "TS09", 1: "TT30"}, deck="TT20 TT21 TT22 TT23 TT24 TT27")
    table.do("play TS09")

    assert {"TT22 TT21 TT20"} == {names(GAME.sample(table.view(0), seed(number)).deck[-3:]) for number in range(20)}
    assert len({names(GAME.sample(table.view(1), seed(number)).deck[-3:]) for number in range(20)}) > 1


def test_sampling_is_the_same_for_a_seed_and_leaves_the_match_alone() -> None:
    state = next(random_match(3, 1))
    before = state.digest()

    assert GAME.sample(state.view(0), seed(5)).digest() == GAME.sample(state.view(0), seed(5)).digest()
    assert GAME.sample(state.view(0), seed(5)).digest() != GAME.sample(state.view(0), seed(6)).digest()
    assert before == state.digest()


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_sampling_finds_an_account_in_which_the_seat_on_turn_can_do_what_it_does(seats: int) -> None:
    """P8.1, P5.4: many accounts and the masons at once."""
    found: list[Accounts] = []
    for number in range(60):
        for state in random_match(seats, number, supports=True):
            if len(state.deck) > 12 or state.decision is None:
                continue
            for seat in range(seats):
                if len(state.accounts[seat]) > 1:
                    found.append(state.accounts[seat])
                    check_sample(state, seat, len(found))

    assert len(found) > 10
