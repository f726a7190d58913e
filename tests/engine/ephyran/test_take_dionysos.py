"""Taking an opponent's Dionysos (P3.6)."""

from tests.engine.ephyran.positions import full_city, lay_out

from agon_engine.ephyran.enums import Item


def test_the_half_takes_the_place_of_the_dionysos_which_is_built_at_once() -> None:
    """P3.6."""
    table = lay_out(hands={0: "TT05 TS50"}, cities={0: "TT02 a", 1: "TT01 a, D2 blue 2, TT15 b"})

    assert table.codes_of("take") == ["take TT05 a"]
    assert table.do("take TT05 a").codes == ["from 1"]
    assert table.do("from 1").codes == ["build D2 blue 1", "build D2 red 2", "build D2 green 1", "build D2 brown 1"]

    table.do("build D2 red 2")

    assert table.city(0) == {"red 1": "TT02 a", "red 2": "D2"}
    assert table.city(1) == {"blue 1": "TT01 a", "blue 2": "TT05 a", "blue 3": "TT15 b"}
    assert table.hand(0) == "TS50"
    assert table.codes == ["draw deck"]


def test_a_token_stays_with_the_dionysos_and_the_taker_looks_at_it() -> None:
    """P3.6, P4.4."""
    table = lay_out(hands={0: "TT01"}, cities={1: "D2 blue 1"}, tokens={(1, "blue 1"): "trident"}, seen={1: [1]})
    table.do("take TT01 a", "from 1", "build D2 green 1")

    assert table.tokens(0) == {"green 1": 1}
    assert table.tokens(1) == {}
    assert list(table.view(0).own_tokens.tokens) == [(1, Item.TRIDENT)]
    assert table.told(0)[-1] == "see 1 trident"
    assert table.told(1)[-1] == "see 1"


def test_nobody_is_asked_for_a_reaction() -> None:
    """P3.6."""
    table = lay_out(hands={0: "TT01", 1: "TS04 TS22"}, cities={1: "D2 blue 1"})
    table.do("take TT01 a", "from 1", "build D2 blue 1")

    assert table.prompt == "draw"
    assert table.seat == 0


def test_a_locked_column_keeps_its_dionysos() -> None:
    """P3.6, P6.1."""
    table = lay_out(hands={0: "TT01"}, cities={1: "D2 blue 1"}, locks={(1, "blue"): "TS04"})

    assert table.codes_of("take") == []


def test_it_needs_both_a_half_for_its_place_and_a_legal_zone() -> None:
    """P3.6."""
    no_half = lay_out(hands={0: "TT05"}, cities={1: "D2 blue 1"})
    no_zone = lay_out(hands={0: "D1 TS02"}, cities={0: full_city(), 1: "D2 blue 1"})

    assert no_half.codes_of("take") == []
    assert no_zone.codes_of("take") == []


def test_an_own_dionysos_is_not_taken_and_a_dionysos_does_not_stand_in_for_one() -> None:
    """P3.6."""
    table = lay_out(hands={0: "TT01 D3"}, cities={0: "D1 blue 1", 1: "D2 blue 1"})

    assert table.codes_of("take") == ["take TT01 a"]
    assert table.do("take TT01 a").codes == ["from 1"]


def test_whose_dionysos_is_chosen_where_several_have_one_there() -> None:
    """P3.6, P5.5."""
    table = lay_out(
        4, hands={0: "TT01"}, cities={1: "D2 blue 1", 2: "D3 blue 1", 3: "D4 blue 1"}, locks={(2, "blue"): "TS04"}
    )

    assert table.do("take TT01 a").codes == ["from 1", "from 3"]

    table.do("from 3", "build D4 blue 1")

    assert table.city(3) == {"blue 1": "TT01 a"}
    assert table.city(1) == {"blue 1": "D2"}


def test_it_is_told_to_all_as_it_goes_and_the_card_in_play_is_public() -> None:
    """P3.6, P8."""
    table = lay_out(hands={0: "TT01"}, cities={1: "D2 blue 1"})
    table.do("take TT01 a", "from 1")
    pending = table.view(None).pending

    assert (pending.card, pending.half, pending.target) == (1, 2, 1)

    table.do("build D2 blue 1")

    assert table.told(None)[-3:] == ["take TT01 a", "from 1", "build D2 blue 1"]
    assert table.view(None).pending.card == 0


def test_taking_it_can_complete_a_city() -> None:
    """P3.6, P7.1."""
    table = lay_out(hands={0: "TS02"}, cities={0: full_city(without="brown 4"), 1: "D2 blue 1"})
    table.do("take TS02 a", "from 1", "build D2 brown 4")

    assert table.told(None)[-1] == "last round city"
    assert table.view(None).cities[0].completed == 1
