"""The plain actions of a turn: build, exchange, discard, Dionysos (P3.1 to P3.5)."""

import pytest
from tests.engine.ephyran.positions import full_city, lay_out

from agon_engine.core import IllegalActionError

# -- P3.1 ----------------------------------------------------------------------------------------------------


def test_a_zone_needs_all_lower_zones_of_its_column() -> None:
    """P3.1."""
    table = lay_out(hands={0: "TT01 TT05 TT06 TT02"}, cities={0: "TS01 a"})

    assert table.codes_of("build") == ["build TT05 a", "build TT02 a"]


def test_building_lays_the_half_and_gives_the_other_one_up() -> None:
    """P3.1."""
    table = lay_out(hands={0: "TT01 TS50"})
    table.do("build TT01 a")

    assert table.city(0) == {"blue 1": "TT01 a"}
    assert table.hand(0) == "TS50"
    assert table.prompt == "draw"


def test_each_zone_is_built_once_in_a_city() -> None:
    """P3.1."""
    table = lay_out(hands={0: "TT01 TT09 TT17"}, cities={0: "TS01 a, TS05 a, TS09 a, TS13 a"})

    assert table.codes_of("build") == []


def test_only_the_highest_zone_of_a_column_is_uncovered() -> None:
    """P3.1, P3.3."""
    table = lay_out(hands={0: "TT01 TT05"}, cities={0: "TS01 a, TS05 a"})

    assert table.codes_of("exchange") == ["exchange TT05 a"]


# -- P3.3 ----------------------------------------------------------------------------------------------------


def test_an_exchanged_zone_goes_on_the_first_discard_and_its_token_leaves_the_game() -> None:
    """P3.3, P4.4."""
    table = lay_out(
        hands={0: "TT05"}, cities={0: "TS01 a, TS05 a"}, tokens={(0, "blue 2"): "owl"}, first_discard="TT32"
    )
    table.do("exchange TT05 a")

    assert table.city(0) == {"blue 1": "TS01 a", "blue 2": "TT05 a"}
    assert table.first == "TS05 TT32"
    assert table.tokens(0) == {}
    assert table.state.tokens_gone == 1
    assert table.told(1)[-3:] == ["exchange TT05 a", "drop TS05 a", "gone 1"]


def test_a_zone_may_be_exchanged_for_a_dionysos() -> None:
    """P3.3."""
    table = lay_out(hands={0: "D1"}, cities={0: "TS01 a"})
    table.do("exchange D1 blue 1")

    assert table.city(0) == {"blue 1": "D1"}
    assert table.first == "TS01"


def test_a_dionysos_may_be_exchanged_for_a_zone_but_not_for_a_dionysos() -> None:
    """P3.3."""
    table = lay_out(hands={0: "D2 TT01"}, cities={0: "D1 blue 1"})

    assert table.codes_of("exchange") == ["exchange TT01 a"]

    table.do("exchange TT01 a")

    assert table.city(0) == {"blue 1": "TT01 a"}
    assert table.first == "D1"


def test_the_owner_may_exchange_and_build_on_a_locked_column() -> None:
    """P3.3, P6.1."""
    table = lay_out(hands={0: "TT01 TT05"}, cities={0: "TS01 a"}, locks={(0, "blue"): "TS04"})

    assert table.codes_of("exchange") == ["exchange TT01 a"]
    assert table.codes_of("build") == ["build TT05 a"]


# -- P3.4 ----------------------------------------------------------------------------------------------------


def test_any_card_can_be_discarded_a_dionysos_too() -> None:
    """P3.4."""
    table = lay_out(hands={0: "D1 TT01 TS50"})

    assert table.codes_of("discard") == ["discard D1", "discard TT01", "discard TS50"]

    table.do("discard D1")

    assert table.first == "D1"
    assert table.hand(0) == "TT01 TS50"


def test_a_turn_has_exactly_one_action() -> None:
    """P3: the draw follows at once."""
    table = lay_out(hands={0: "TT01 TT02"}, first_discard="TT32")
    table.do("build TT01 a")

    assert table.codes == ["draw deck", "draw discard"]


# -- P3.5 ----------------------------------------------------------------------------------------------------


def test_a_dionysos_is_built_as_any_zone_that_is_legal_to_build() -> None:
    """P3.5."""
    table = lay_out(hands={0: "D1"}, cities={0: "TS01 a, TS05 a, TT02 a, TT03 a, TT07 a, TT08 b, TT04 b"})

    assert table.codes_of("build") == ["build D1 blue 3", "build D1 red 2", "build D1 brown 1"]


def test_a_built_dionysos_counts_as_that_zone_from_then_on() -> None:
    """P3.5."""
    table = lay_out(hands={0: "TT06 TT01"}, cities={0: "TT09 a, D1 blue 2"})

    assert table.codes_of("build") == ["build TT06 b"]


def test_a_discarded_dionysos_can_be_drawn_from_the_first_discard() -> None:
    """P3.5."""
    table = lay_out(hands={0: "D1 TT01", 1: "TT02"})
    table.do("discard D1", "draw deck", "build TT02 a", "draw discard")

    assert "D1" == table.hand(1) == table.known(1)


def test_a_full_city_has_nowhere_to_build() -> None:
    """P3.1, P3.5."""
    table = lay_out(hands={0: "D1"}, cities={0: full_city()})

    assert table.codes_of("build") == []
    assert len(table.codes_of("exchange")) == 4


@pytest.mark.parametrize("code", ["build TT05 a", "exchange TT01 a", "discard TT09", "play TS02", "draw deck", "pass"])
def test_what_is_not_listed_is_refused_and_moves_nothing(code: str) -> None:
    table = lay_out(hands={0: "TT01 TT05"})
    before = table.state.key()

    with pytest.raises(IllegalActionError) as refused:
        table.do(code)

    assert before == table.state.key()
    assert tuple(table.codes) == refused.value.legal
