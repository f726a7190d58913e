"""What a seat knows since it put cards under the deck (P8.1): place by place, and for whole random matches."""

import pytest
from tests.engine.ephyran.positions import Table, lay_out, random_match

from agon_engine.ephyran import EphyranState
from agon_engine.ephyran.data import CARD_NAMES
from agon_engine.ephyran.memory import Accounts

DECK = "TT20 TT21 TT22 TT23 TT24"


def texts(accounts: Accounts) -> list[str]:
    """Return each account as `card@place` for the deck and `card>seat` for a hand."""
    return [
        " ".join(
            f"{CARD_NAMES[card]}{f'@{place}' if holder == -1 else f'>{holder}'}" for card, holder, place in account
        )
        for account in accounts
    ]


def knows(table: Table, seat: int) -> list[str]:
    return texts(table.view(seat).own_memory.accounts)


def test_the_cards_put_under_the_deck_and_their_places_stay_known_to_the_one_who_put_them_there() -> None:
    """P8.1."""
    table = lay_out(3, hands={0: "TS09 TT01", 1: "TT02", 2: "TT03"}, deck=DECK)
    table.do("play TS09", "keep TT21")

    assert table.deck == "TT23 TT24 TT20 TT22"
    assert knows(table, 0) == ["TT20@1 TT22@0"]
    assert [] == knows(table, 1) == knows(table, 2)
    assert table.view(1).table.under == (0, 0)


def test_a_draw_of_another_seat_from_a_known_place_is_known_as_a_card_in_its_hand() -> None:
    """P8.1: until the card leaves it openly."""
    table = lay_out(hands={0: "TS09 TT01", 1: "TT02 TT03"}, deck="TT20 TT21 TT22")
    table.do("play TS09", "keep TT21", "discard TT02", "draw deck")

    assert knows(table, 0) == ["TT20>1 TT22@0"]
    assert table.view(1).table.under == (0,)

    table.do("build TT01 a", "draw discard", "build TT20 a")

    assert knows(table, 0) == ["TT22@0"]


def test_an_own_draw_of_a_known_card_needs_no_memory_any_more() -> None:
    """P8.1."""
    table = lay_out(hands={0: "TS09 TS03", 1: "TT02 TT03"}, deck="TT20 TT21 TT22", first_discard="TT30")
    table.do("play TS09", "keep TT21", "build TT02 a", "draw discard", "play TS03", "draw deck")

    assert knows(table, 0) == ["TT22@0"]


def test_cards_put_under_later_lie_below() -> None:
    """P8.1."""
    table = lay_out(hands={0: "TS09 TT01", 1: "TS21 TT03"}, deck=f"{DECK} TT27")
    table.do("play TS09", "keep TT20", "play TS21", "keep TT23")

    assert table.deck == "TT21 TT22 TT24 TT27"
    assert knows(table, 0) == ["TT21@3 TT22@2"]
    assert knows(table, 1) == ["TT24@1 TT27@0"]
    assert table.view(None).table.under == (1, 1, 0, 0)


def pick_over_known_cards() -> Table:
    """Seat 0 knows two of the three cards that seat 1 then looks at."""
    table = lay_out(
        hands={0: "TS09 TT01 TT02 TT04", 1: "TS21 TT03"},
        deck="TT20 TT21 TT22 TT23",
        first_discard="TT10 TT11 TT12 TT13 TT14",
    )
    return table.do("play TS09", "keep TT20", "play TS21")


@pytest.mark.parametrize("kept", ["TT23", "TT21", "TT22"])
def test_who_looks_at_known_cards_may_have_kept_any_of_them(kept: str) -> None:
    """P8.1: three accounts, one of them true."""
    table = pick_over_known_cards()

    assert table.codes == ["keep TT23", "keep TT21", "keep TT22"]
    assert knows(table, 0) == ["TT21@1 TT22@0"]

    table.do(f"keep {kept}")

    assert knows(table, 0) == ["TT21@1 TT22@0", "TT21>1 TT22@0", "TT21@0 TT22>1"]
    assert len(knows(table, 1)[0].split()) == 2


@pytest.mark.parametrize(
    ("kept", "shown", "left"),
    [
        ("TT21", "discard TT21", ["TT22@0"]),
        ("TT22", "discard TT22", ["TT21@0"]),
        ("TT23", "discard TT23", ["TT21@1 TT22@0", "TT21>1 TT22@0", "TT21@0 TT22>1"]),
    ],
)
def test_what_is_shown_later_rules_accounts_out(kept: str, shown: str, left: list[str]) -> None:
    """P8.1."""
    table = pick_over_known_cards()
    table.do(f"keep {kept}", "build TT01 a", "draw discard", shown)

    assert left == knows(table, 0)


def test_a_hand_that_has_no_room_for_a_card_rules_its_account_out() -> None:
    """P8.1: seat 1 shows both cards that could be the one it has kept, and what it holds then is known to all."""
    table = pick_over_known_cards()
    table.do("keep TT23", "build TT01 a", "draw discard", "build TT03 a", "draw discard", "build TT02 a")

    assert len(knows(table, 0)) == 3

    table.do("draw discard", "build TT23 a")

    assert knows(table, 0) == ["TT21@1 TT22@0"]


def test_an_own_look_at_the_deck_settles_what_was_open() -> None:
    """P8.1."""
    table = lay_out(hands={0: "TS09 TT01 TS33", 1: "TS21 TT03"}, deck="TT20 TT21 TT22 TT23", first_discard="D3 D4")
    table.do("play TS09", "keep TT20", "play TS21", "keep TT21", "play TS33")

    assert knows(table, 0) == ["TT21>1 TT22@0"]
    assert table.codes == ["keep TT23", "keep TT22"]

    table.do("keep TT22")

    assert knows(table, 0) == ["TT21>1 TT23@0"]


def holds(state: EphyranState, card: int, holder: int, place: int) -> bool:
    return state.deck[place : place + 1] == [card] if holder == -1 else card in state.hands[holder]


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_in_random_matches_exactly_one_account_is_true_and_places_lie_where_cards_were_put_under(seats: int) -> None:
    """P8.1."""
    several = 0
    for number in range(40):
        for state in random_match(seats, number, supports=True, defender_redraws=number % 2 == 0):
            for accounts in state.accounts:
                several += len(accounts) > 1

                assert not accounts or sum(all(holds(state, *fact) for fact in account) for account in accounts) == 1
                assert len({frozenset(fact.card for fact in account) for account in accounts}) <= 1
                assert all(
                    fact.place < len(state.under) for account in accounts for fact in account if fact.holder == -1
                )
    assert several > 20


def test_the_true_account_stands_at_no_particular_place() -> None:
    """P8.1: the order of the accounts is that of the rules, not of the truth."""
    accounts = [pick_over_known_cards().do(f"keep {kept}").state.accounts[0] for kept in ("TT21", "TT22", "TT23")]

    assert accounts[0] == accounts[1] == accounts[2]
