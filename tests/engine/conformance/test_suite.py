"""The conformance suite finds each planted flaw by the check that is there for it, and none in a sound game (H3)."""

from __future__ import annotations

from typing import Any

import pytest
from tests.engine.conformance import hiding, planted_files
from tests.engine.conformance.planted import FLAWS, LEAKS, AskedOnlyWithWard, OrderUnseen, swaps
from tests.support import open_game, toy_files
from tests.support.toy_game import GAME, Toy, ToyState

from agon_engine.conformance import Case, Check, Parting, World, checks, follow, worlds
from agon_engine.core import Chance, Game

SEEDS = range(8)
PLANTED = [*FLAWS, *planted_files.FLAWS]


def run(game: Game[Any], name: str, *, swapped: bool = False) -> None:
    (check,) = [check for check in checks(game, swaps if swapped else None) if check.name == name]
    for seed in SEEDS:
        for seats in game.spec.seat_counts:
            check(seats, seed)


# -- sound games ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("check", checks(GAME, swaps), ids=str)
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_a_sound_game_passes(check: Check, seats: int) -> None:
    for seed in SEEDS:
        check(seats, seed)


@pytest.mark.parametrize("game", [toy_files.GAME, toy_files.GAME.with_file("label", "mine")], ids=["plain", "file"])
def test_a_sound_game_with_an_option_that_is_a_file_passes(game: Toy) -> None:
    for check in checks(game):
        for seed in SEEDS:
            check(2, seed)


@pytest.mark.parametrize("check", checks(open_game.GAME), ids=str)
@pytest.mark.parametrize("seats", [2, 3])
def test_a_sound_game_without_hidden_information_passes(check: Check, seats: int) -> None:
    for seed in SEEDS:
        check(seats, seed)


@pytest.mark.parametrize("game", hiding.SOUND, ids=lambda game: game.state_class.__name__)
@pytest.mark.parametrize("seats", [2, 3])
def test_a_sound_game_whose_hidden_facts_show_to_all_at_once_or_that_only_rolls_passes(
    game: hiding.Drawn, seats: int
) -> None:
    for check in checks(game):
        for seed in SEEDS:
            check(seats, seed)


def test_each_check_has_a_name_of_its_own_and_a_flaw_that_it_finds() -> None:
    names = [check.name for check in checks(GAME)]

    assert len(set(names)) == len(names)
    assert {name for _, name, _ in PLANTED} | {"leaks"} == set(names)


# -- planted flaws -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "name", "message"),
    [pytest.param(*flaw, id=f"{flaw[1]} {type(flaw[0]).__name__} {flaw[0].state_class.__name__}") for flaw in PLANTED],
)
def test_a_planted_flaw_is_found_by_its_check(game: Toy, name: str, message: str) -> None:
    with pytest.raises(AssertionError, match=message) as raised:
        run(game, name)

    assert str(raised.value).startswith(f"{name}: toy, ")


def test_a_game_that_only_says_it_hides_something_is_found() -> None:
    with pytest.raises(AssertionError, match="states drawn from views never differ"):
        run(open_game.SecretiveNim(), "hidden information")


@pytest.mark.parametrize("game", hiding.LIARS, ids=lambda game: game.state_class.__name__)
def test_a_roll_to_come_is_no_hidden_fact_and_the_order_of_a_pile_is_one(game: hiding.Drawn) -> None:
    """Also where no seat ever knows more than another, and where the fact shows at the end alone."""
    with pytest.raises(AssertionError, match=hiding.LIARS[game]):
        run(game, "hidden information")


@pytest.mark.parametrize("swapped", [False, True], ids=["samples", "swaps too"])
@pytest.mark.parametrize("state_class", LEAKS, ids=lambda state_class: state_class.__name__)
def test_a_planted_leak_is_found(state_class: type[ToyState], swapped: bool) -> None:
    with pytest.raises(AssertionError, match=LEAKS[state_class]):
        run(Toy(state_class), "leaks", swapped=swapped)


def test_a_turn_that_depends_on_a_hidden_fact_is_found_where_no_view_shows_whose_it_is() -> None:
    found = 0
    for seed in range(20):
        for _, state in Case(Toy(OrderUnseen), 3, seed).walk():
            if state.decision is None:
                continue
            for watcher in range(3):
                for other in swaps(state, watcher, Chance(bytes(16))):
                    if other.decision is None or other.decision.seat != state.decision.seat:
                        continue
                    try:
                        follow(World(watcher, state.clone(), other, 0, "swap"), Chance(bytes(16)))
                    except AssertionError as error:
                        found += "by who is asked" in str(error)

    assert found > 0


def test_a_question_in_one_world_where_the_other_goes_on_is_found() -> None:
    """P5.2's kind: views and events differ at once, but before any fact has shown."""
    game = Toy(AskedOnlyWithWard)
    found = 0
    for seed in range(20):
        for pair in worlds(game, 3, seed, swaps=swaps):
            try:
                follow(pair, Chance(bytes(16)))
            except AssertionError as error:
                found += "by what happens" in str(error)

    assert found > 0


def test_a_failure_tells_how_to_play_it_again() -> None:
    with pytest.raises(AssertionError, match=r"^decisions: toy, 2 seats, seed 0: after \d+ moves no action is listed"):
        run(FLAWS[2][0], "decisions")


# -- worlds --------------------------------------------------------------------------------------------------


def test_worlds_look_the_same_to_their_seat_and_differ_for_others() -> None:
    pairs = list(worlds(GAME, 3, 1, 10, swaps=swaps))
    hidden = sum(pair.known.key() != pair.other.key() for pair in pairs if pair.origin == "swap")

    assert {pair.origin for pair in pairs} == {"sample", "swap"}
    assert {pair.seat for pair in pairs} == {0, 1, 2}
    assert all(pair.known.view(pair.seat) == pair.other.view(pair.seat) for pair in pairs)
    assert hidden > len(pairs) // 4


def test_worlds_are_the_callers_own() -> None:
    expected = [pair.known.digest() for pair in worlds(GAME, 2, 3, 10)]
    seen = []
    for pair in worlds(GAME, 2, 3, 10):
        seen.append(pair.known.digest())
        follow(pair, Chance(bytes(16)))

    assert seen == expected


def test_worlds_are_followed_until_a_fact_shows_a_choice_is_missing_or_the_match_is_over() -> None:
    endings = [
        follow(pair, Chance(bytes([seed] * 16)))
        for seed in range(10)
        for pair in worlds(GAME, 2, seed, 10, swaps=swaps)
    ]

    assert {Parting.SHOWN, Parting.OVER} <= set(endings)
    assert Parting.FAR not in endings


def test_swaps_stay_together_longer_than_samples() -> None:
    """The toy's own check that swaps are worth having: more of their pairs reach the end of the match."""
    over = {"sample": 0, "swap": 0}
    pairs = {"sample": 0, "swap": 0}
    for seed in range(10):
        for pair in worlds(GAME, 2, seed, 10, swaps=swaps):
            pairs[pair.origin] += 1
            over[pair.origin] += follow(pair, Chance(bytes(16))) is Parting.OVER

    assert over["swap"] / pairs["swap"] > over["sample"] / pairs["sample"]
