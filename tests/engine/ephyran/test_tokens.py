"""Magic tokens: won, stolen, known to some, lost unseen (P4)."""

from tests.engine.ephyran.positions import lay_out

from agon_engine.ephyran.enums import Item


def test_a_token_won_is_looked_at_and_goes_on_an_own_zone_without_a_token() -> None:
    """P4.1: any own column, locked or not, covered or not."""
    table = lay_out(
        hands={0: "TS02"},
        cities={0: "TT01 a, TT05 a, TT02 a, TT03 a"},
        tokens={(0, "green 1"): "owl"},
        locks={(0, "red"): "TS04"},
        next_tokens="helmet",
    )
    table.do("play TS02", "pass")

    assert table.told(0)[-2:] == ["win 2", "see 2 helmet"]
    assert table.codes == ["place blue 1", "place blue 2", "place red 1"]
    assert (table.seat, table.prompt, table.view(1).pending.token) == (0, "place 2", 2)

    table.do("place red 1")

    assert table.tokens(0) == {"green 1": 1, "red 1": 2}


def test_a_zone_with_a_printed_item_can_carry_a_token() -> None:
    """P4.1."""
    table = lay_out(hands={0: "TS02"}, cities={0: "TT02 a"})

    assert table.do("play TS02", "pass").codes == ["place red 1"]


def test_a_token_stays_where_it_is_when_its_zone_is_covered() -> None:
    """P4.1."""
    table = lay_out(hands={0: "TT05"}, cities={0: "TT01 a"}, tokens={(0, "blue 1"): "owl"})
    table.do("build TT05 a")

    assert table.tokens(0) == {"blue 1": 1}


def test_a_stolen_token_is_looked_at_and_then_placed() -> None:
    """P4.2."""
    table = lay_out(
        hands={0: "TS14"},
        cities={0: "TT02 a, TT03 a", 1: "TT01 a"},
        tokens={(1, "blue 1"): "thunderbolt"},
        seen={1: [1]},
    )
    table.do("play TS14", "token 1", "pass")

    assert table.tokens(1) == {}
    assert table.codes == ["place red 1", "place green 1"]
    assert table.told(0)[-1] == "see 1 thunderbolt"
    assert table.told(1)[-1] == "see 1"

    table.do("place green 1")

    assert table.tokens(0) == {"green 1": 1}


def test_whoever_has_looked_at_a_token_keeps_knowing_it_and_nobody_else_does() -> None:
    """P4.3."""
    table = lay_out(
        3,
        hands={0: "TS14"},
        cities={0: "TT02 a", 1: "TT01 a"},
        tokens={(1, "blue 1"): "trident"},
        seen={1: [1]},
    )
    table.do("play TS14", "token 1", "pass", "place red 1")

    assert [list(table.view(seat).own_tokens.tokens) for seat in range(3)] == [
        [(1, Item.TRIDENT)],
        [(1, Item.TRIDENT)],
        [],
    ]
    assert (0b011,) == table.view(2).token_lore.seen_by == table.view(None).token_lore.seen_by
    assert table.view(2).token_lore.shown == ()


def test_a_token_that_leaves_the_game_is_not_shown_but_still_known_to_those_who_looked() -> None:
    """P4.3, P4.4."""
    table = lay_out(hands={0: "TS01"}, cities={1: "TT01 a"}, tokens={(1, "blue 1"): "trident"}, seen={1: [1]})
    table.do("play TS01", "target 1 blue", "pass")

    assert table.told(0)[-1] == "gone 1"
    assert not any("trident" in told for told in table.told(0) + table.told(None))
    assert list(table.view(1).own_tokens.tokens) == [(1, Item.TRIDENT)]
    assert list(table.view(0).own_tokens.tokens) == []


def test_tokens_in_cities_are_shown_at_the_end_those_gone_are_not() -> None:
    """P4.3, P4.4."""
    table = lay_out(
        hands={0: "TS01"},
        cities={1: "TT01 a, TT02 a"},
        tokens={(1, "blue 1"): "trident", (1, "red 1"): "helmet"},
        deck="TT30",
    )
    table.do("play TS01", "target 1 blue", "pass", "draw deck")

    assert table.state.decision is None
    assert table.view(None).token_lore.shown == (Item.NONE, Item.HELMET)
    assert "show 2 helmet" in table.told(0)
    assert not any(told.startswith("show 1") for told in table.told(0))


def test_numbers_of_tokens_follow_the_order_in_which_they_are_won_not_what_they_are() -> None:
    """P4.3."""
    owls = lay_out(hands={0: "TS02"}, cities={0: "TT01 a"}, next_tokens="owl").do("play TS02", "pass")
    helm = lay_out(hands={0: "TS02"}, cities={0: "TT01 a"}, next_tokens="helmet").do("play TS02", "pass")

    assert owls.view(1) == helm.view(1)
    assert owls.told(1) == helm.told(1)
    assert owls.codes == helm.codes
