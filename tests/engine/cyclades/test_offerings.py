"""The offerings (C6)."""

from collections.abc import Mapping

import pytest
from tests.engine.cyclades.positions import Table, lay_out

from agon_engine.core import IllegalActionError, OptionValue
from agon_engine.cyclades import play
from agon_engine.cyclades.enums import NOBODY, God, Phase, Todo
from agon_engine.cyclades.layout import due


def offerings(
    seats: int,
    gods: str,
    order: str,
    gold: Mapping[int, int],
    priests: Mapping[int, int] | None = None,
    **options: OptionValue,
) -> Table:
    """Lay out the beginning of phase 4."""
    isles = {f"IS{seat + 1}": f"{seat}" for seat in range(seats)}
    table = lay_out(seats, isles=isles, gold=gold, priests=priests, options=options)
    state = table.state
    state.phase = Phase.OFFERINGS
    state.gods = [God[name.upper()] for name in gods.split()]
    state.gods_out = [god for god in (God.ZEUS, God.ATHENA, God.ARES, God.POSEIDON) if god not in state.gods]
    state.bidders = [NOBODY] * len(God)
    state.bids = [0] * len(God)
    state.acted = 0
    state.order = list(map(int, order.split()))
    state.placed = 0
    state.decision = None
    state.agenda = [due(Todo.NEXT_MARKER)]
    begun = Table(state)
    play.run(state)
    return begun


def test_a_bid_is_god_first_then_amount() -> None:
    """C6.1, C6.6: at least 1, what the seat can pay at most."""
    table = offerings(3, "ares zeus", "1 0 2", {0: 3, 1: 4, 2: 5})

    assert (table.seat, table.prompt, table.listed("god")) == (1, "god", ["ares", "zeus", "apollo"])
    table.do("god ares")
    assert (table.seat, table.prompt) == (1, "bid ares")
    assert table.listed("bid ares") == ["1", "2", "3", "4"]


def test_the_next_bid_on_a_god_is_higher() -> None:
    """C6.1."""
    table = offerings(3, "ares zeus", "1 0 2", {0: 5, 1: 4, 2: 5})
    table.do("god ares", "bid ares 3", "god ares")

    assert table.listed("bid ares") == ["4", "5"]
    with pytest.raises(IllegalActionError):
        table.do("bid ares 3")


def test_a_god_on_which_a_seat_cannot_bid_more_is_not_offered_to_it() -> None:
    """C6.3, C6.6: Apollo always is."""
    table = offerings(3, "ares zeus", "1 0 2", {0: 3, 1: 4, 2: 0})
    table.do("god ares", "bid ares 3")

    assert table.listed("god") == ["zeus", "apollo"]
    table.do("god apollo")
    assert (table.seat, table.listed("god")) == (2, ["apollo"])


def test_an_outbid_marker_bids_again_at_once_on_another_god_and_may_come_back_later() -> None:
    """C6.2: the chain is settled before the next marker is placed."""
    table = offerings(4, "ares zeus athena", "0 1 2 3", dict.fromkeys(range(4), 10))
    table.do("god ares", "bid ares 1", "god ares", "bid ares 2")

    assert (table.seat, table.listed("god")) == (0, ["zeus", "athena", "apollo"])
    table.do("god zeus", "bid zeus 1")
    assert (table.seat, table.listed("god")) == (2, ["ares", "zeus", "athena", "apollo"])
    table.do("god zeus", "bid zeus 2")
    assert (table.seat, table.listed("god")) == (0, ["ares", "athena", "apollo"])
    table.do("god ares", "bid ares 3")
    assert (table.seat, table.listed("god")) == (1, ["zeus", "athena", "apollo"])
    table.do("god apollo")
    assert (table.seat, table.state.apollo) == (3, [1])


def test_markers_on_apollo_stay_and_are_ranked_by_arrival() -> None:
    """C6.2, C6.4: it costs nothing, and takes any number."""
    table = offerings(3, "ares zeus", "2 0 1", {0: 5, 1: 5, 2: 5})
    table.do("god apollo", "god apollo", "god apollo")

    assert table.told[:4] == ["2: god apollo", "0: god apollo", "1: god apollo", "offerings 0 0 0"]
    assert [code for code in table.told if "turn" in code] == ["2: turn apollo", "0: turn apollo", "1: turn apollo"]


@pytest.mark.parametrize(
    ("gold", "priests", "highest"),
    [
        (0, 0, 0),
        (0, 3, 0),
        (1, 0, 1),
        (1, 3, 4),
        (5, 2, 7),
        (199, 0, 199),
        (200, 0, 200),
        (250, 3, 200),
        (190, 15, 200),
    ],
)
def test_what_a_seat_can_bid(gold: int, priests: int, highest: int) -> None:
    """C6.3, C6.6: priests take off, but never below 1; nothing above 200 is offered."""
    table = offerings(3, "ares zeus", "0 1 2", {0: gold}, {0: priests})

    if not highest:
        assert table.listed("god") == ["apollo"]
        return

    table.do("god zeus")
    assert list(map(str, range(1, highest + 1))) == table.listed("bid zeus")


@pytest.mark.parametrize(("amount", "priests", "paid"), [(4, 0, 4), (4, 3, 1), (4, 4, 1), (4, 9, 1), (7, 2, 5)])
def test_what_a_bid_costs(amount: int, priests: int, paid: int) -> None:
    """C6.3, C6.5: everybody pays when all markers stand."""
    table = offerings(3, "ares zeus", "0 1 2", {0: 9, 1: 9, 2: 9}, {0: priests})
    table.do("god ares", f"bid ares {amount}", "god zeus", "bid zeus 2")

    assert table.state.purses == [9, 9, 9]
    table.do("god apollo")
    assert [9 - paid, 7] == table.state.purses[:2]
    assert table.told.count(f"offerings {paid} 2 0") == 1
    assert not [code for code in table.told if "pay" in code]


def test_an_outbid_marker_pays_only_where_it_stands_in_the_end() -> None:
    """C6.5."""
    table = offerings(3, "ares zeus", "0 1 2", {0: 9, 1: 9, 2: 9})
    table.do("god ares", "bid ares 5", "god ares", "bid ares 6", "god zeus", "bid zeus 1", "god apollo")

    assert table.state.purses[:2] == [8, 3]


@pytest.mark.parametrize(
    ("priests", "first", "limits"),
    [
        # Both bids together; each is discounted by all the priests.
        (0, 4, ["1", "2", "3"]),
        (2, 4, ["1", "2", "3", "4", "5", "6", "7"]),
        # Each costs at least 1.
        (9, 4, [str(amount) for amount in range(1, 16)]),
        (0, 7, []),
    ],
)
def test_two_players_pay_both_bids_together(priests: int, first: int, limits: list[str]) -> None:
    """C6.3."""
    table = offerings(2, "ares zeus athena poseidon", "0 0 1 1", {0: 7, 1: 7}, {0: priests})
    table.do("god ares", f"bid ares {first}")

    if not limits:
        assert table.listed("god") == ["apollo"]
        return

    assert table.listed("god") == ["zeus", "athena", "poseidon", "apollo"]
    table.do("god zeus")
    assert limits == table.listed("bid zeus")


def test_two_players_may_hold_no_god_twice_but_apollo() -> None:
    """C6.4: nobody outbids himself."""
    table = offerings(2, "ares zeus athena poseidon", "0 1 0 1", {0: 7, 1: 7})
    table.do("god ares", "bid ares 1", "god apollo")

    assert table.listed("god") == ["zeus", "athena", "poseidon", "apollo"]
    table.do("god apollo", "god apollo")
    assert [table.told[-1], table.codes[-1]] == ["0: turn ares", "end"]
    assert table.state.apollo == [1, 0, 1]


def test_each_apollo_marker_of_a_player_has_its_own_turn_and_income() -> None:
    """C6.4, C7.9."""
    table = offerings(2, "ares zeus athena poseidon", "0 0 1 1", {0: 7, 1: 7})
    table.do("god apollo", "god apollo", "god ares", "bid ares 1", "god zeus", "bid zeus 1", "end", "end")

    assert [code[3:] for code in table.told if code.startswith("0:") and "god" not in code][:5] == [
        "turn apollo",
        "gain 4",
        "prosper IS1",
        "turn apollo",
        "gain 4",
    ]


def test_nothing_is_paid_back_when_the_priests_go() -> None:
    """C6.5: the discount is that at the payment."""
    table = offerings(3, "zeus ares", "0 1 2", {0: 9, 1: 9, 2: 9}, {0: 2})
    table.do("god zeus", "bid zeus 3", "god ares", "bid ares 1", "god apollo")
    before = table.state.purses[0]
    table.state.priests[0] = 0
    table.do("end", "end")

    assert before == 8
    assert [code for code in table.told if code.startswith(("revenue", "0: gain"))] == ["revenue 2 1 2"]


def test_a_bid_above_what_a_seat_can_pay_is_refused_and_changes_nothing() -> None:
    """C6.3: with the reason, to the bidder alone: no event tells of it."""
    table = offerings(3, "ares zeus", "0 1 2", {0: 3, 1: 9, 2: 9})
    table.do("god ares")
    digest, told = table.state.digest(), table.state.events_count

    with pytest.raises(IllegalActionError, match="bid ares 4"):
        table.do("bid ares 4")
    assert (digest, told) == (table.state.digest(), table.state.events_count)
