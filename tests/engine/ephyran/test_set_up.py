"""Set-up (P2), piles (P1.3) and options."""

from collections import Counter

import pytest
from tests.engine.ephyran.positions import Table, cards, seed

from agon_engine.core import OptionsError
from agon_engine.ephyran import GAME
from agon_engine.ephyran.enums import Colour, Phase


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_each_seat_gets_a_dionysos_and_four_cards(seats: int) -> None:
    """P2.1."""
    table = Table(GAME.start(seats, seed(1)))
    hands = [table.hand(seat).split() for seat in range(seats)]

    assert [f"D{seat + 1}" for seat in range(seats)] == [hand[0] for hand in hands]
    assert [5] * seats == [len(hand) for hand in hands]
    assert 96 - 4 * seats == len(table.state.deck)
    assert "" == table.first == table.second
    assert table.view(None).table.tokens == 12


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_unused_dionysos_and_gods_leave_the_game(seats: int) -> None:
    """P2.1."""
    state = GAME.start(seats, seed(1))

    assert seats == state.inventory()["dionysos"]
    assert 96 + seats == state.inventory()["cards"]
    assert seats == len(set(state.view(None).deal.gods) - {Colour.NONE})


def test_gods_the_first_seat_and_the_deck_are_random() -> None:
    """P2.1."""
    views = [GAME.start(3, seed(number)).view(0) for number in range(200)]

    assert {0, 1, 2} == {view.deal.first for view in views}
    assert len({view.deal.gods for view in views}) == 24
    assert len({view.own_hand.cards for view in views}) == 200


def test_the_first_seat_begins_and_play_goes_round_upwards() -> None:
    """P2.1."""
    table = Table(GAME.start(4, seed(2)))
    first = table.view(None).deal.first
    asked = []
    for _ in range(5):
        asked.append(table.seat)
        table.do(table.codes_of("discard")[0], "draw deck")

    assert [first, (first + 1) % 4, (first + 2) % 4, (first + 3) % 4, first] == asked
    assert table.state.round == 2


def test_the_gods_the_dionysos_dealt_and_the_first_seat_are_told_to_all_the_hands_to_their_owners() -> None:
    """P2.1, P8.1."""
    table = Table(GAME.start(2, seed(3)))
    hand = table.hand(1)

    assert Counter(["first", "turn", "deal D1 +4", "deal D2 +4"]) == Counter(
        told for told in table.told(None) if not told.startswith("god")
    )
    assert f"deal {hand}" in table.told(1)
    assert not set(hand.split()[1:]) & set(" ".join(table.told(0)).split())
    assert tuple(cards("D1")) == table.view(None).hands[0].known


def test_the_same_seed_gives_the_same_match_and_another_one_another() -> None:
    assert GAME.start(3, seed(4)).digest() == GAME.start(3, seed(4)).digest()
    assert GAME.start(3, seed(4)).digest() != GAME.start(3, seed(5)).digest()


@pytest.mark.parametrize("seats", [0, 1, 5, -2])
def test_other_numbers_of_seats_are_refused(seats: int) -> None:
    with pytest.raises(OptionsError, match="2 to 4 seats"):
        GAME.start(seats, seed(1))


@pytest.mark.parametrize(
    "options", [{"defender_redraws": 1}, {"tie_break": "cards"}, {"tie_break": True}, {"unknown": True}]
)
def test_other_options_are_refused(options: dict[str, bool | int | str]) -> None:
    with pytest.raises(OptionsError):
        GAME.start(2, seed(1), options)


def test_options_have_the_defaults_of_the_rules() -> None:
    """P5.2, P7.6."""
    assert GAME.spec.check_options({}) == {"defender_redraws": False, "tie_break": "shared"}


def test_the_view_tells_the_options() -> None:
    deal = GAME.start(2, seed(1), {"defender_redraws": True, "tie_break": "zones"}).view(None).deal

    assert deal.defender_redraws
    assert deal.tie_break.name == "ZONES"


def test_the_first_discard_is_ordered_and_can_be_drawn_from_and_the_second_cannot() -> None:
    """P1.3."""
    table = Table(GAME.start(2, seed(6)))
    first, other = table.codes_of("discard")[1], None
    table.do(first, "draw deck")
    other = table.codes_of("discard")[1]
    table.do(other, "draw deck")

    assert f"{other.split()[1]} {first.split()[1]}" == table.first
    assert table.view(None).pending.phase == Phase.TURN
