"""What each support does, on what it may be played, and in which order (P5)."""

from typing import Any

import pytest
from tests.engine.ephyran.positions import full_city, lay_out

from agon_engine.ephyran.enums import Item, Phase, Support

# -- P5.1, P5.3: where cards go, and in which order ----------------------------------------------------------


def test_a_played_support_and_what_it_destroys_go_to_the_second_discard() -> None:
    """P5.1, `ares_destroy`."""
    table = lay_out(hands={0: "TS01"}, cities={1: "TT01 a, TT05 a"}, deck="TT20")
    table.do("play TS01", "target 1 blue", "pass")

    assert table.city(1) == {"blue 1": "TT01 a"}
    assert table.second.endswith("TS01 TT05")
    assert table.told(None)[-3:] == ["spend TS01", "lose TT05 a", "spend TT05"]


def test_a_cancelled_support_goes_there_with_the_card_that_cancelled_it() -> None:
    """P5.1, P8.2: all that was named is public."""
    table = lay_out(hands={0: "TS01", 1: "TS04 TT02"}, cities={1: "TT01 a"}, deck="TT20 TT21")
    table.do("play TS01", "target 1 blue", "cancel TS04")

    assert table.city(1) == {"blue 1": "TT01 a"}
    assert table.second.endswith("TS01 TS04")
    assert table.told(None)[-4:] == ["target 1 blue", "cancel TS04", "spend TS01", "spend TS04"]


def test_a_support_in_play_is_in_no_pile_and_in_no_hand_until_it_is_carried_out() -> None:
    """P5.3."""
    table = lay_out(hands={0: "TS01 TT01"}, cities={1: "TT01 a"})
    table.do("play TS01")

    assert table.view(1).pending[3:1:-1] == (33, Support.ARES_DESTROY)
    assert (table.hand(0), table.second) == ("TT01", "")


def test_targets_come_first_then_reactions_the_effect_choices_inside_it_and_draws() -> None:
    """P5.3."""
    table = lay_out(hands={0: "TS14 TT02", 1: "TT03"}, cities={0: "TT01 a", 1: "TT09 a"}, tokens={(1, "blue 1"): "owl"})
    phases = []
    for code in ("play TS14", "token 1", "pass", "place blue 1", "draw deck"):
        phases.append(table.view(None).pending.phase)
        table.do(code)

    assert phases == [Phase.TURN, Phase.TARGET, Phase.REACT, Phase.PLACE, Phase.DRAW]
    assert table.seat == 1


def test_a_half_is_chosen_before_its_target() -> None:
    """P5.5."""
    table = lay_out(hands={0: "TS01 TS08"}, cities={1: "TT01 a, TT02 a"})

    assert table.codes_of("play") == ["play TS01", "play TS08"]
    assert table.do("play TS08").codes == ["target 1 blue", "target 1 red"]


# -- P5.4: a legal effect ------------------------------------------------------------------------------------

EFFECTS: list[tuple[str, dict[str, Any], bool]] = [
    # support, what is on the table besides it, whether it can be played
    ("TS04", {}, False),
    ("TS04", {"cities": {0: "TT01 a"}}, True),
    ("TS04", {"cities": {0: "TT01 a"}, "locks": {(0, "blue"): "TS07"}}, True),
    ("TS04", {"cities": {1: "TT01 a"}}, False),
    ("TS22", {"cities": {1: "TT01 a"}, "locks": {(1, "blue"): "TS07"}}, True),
    ("TS01", {"cities": {0: "TT01 a"}}, False),
    ("TS01", {"cities": {1: "TT01 a"}}, True),
    ("TS01", {"cities": {1: "TT01 a"}, "locks": {(1, "blue"): "TS07"}}, False),
    ("TS01", {"cities": {1: "TT01 a, TT02 a"}, "locks": {(1, "blue"): "TS07"}}, True),
    ("TS11", {"cities": {1: "TT01 a"}}, True),
    ("TS11", {"cities": {1: "TT01 a, TT05 a"}}, False),
    ("TS11", {"cities": {0: "TT09 a", 1: "TT01 a, TT05 a"}}, True),
    ("TS11", {"cities": {0: "TT09 a", 1: "TT01 a"}}, False),
    ("TS11", {"cities": {1: "TT01 a"}, "locks": {(1, "blue"): "TS07"}}, False),
    ("TS14", {"cities": {0: "TT02 a", 1: "TT01 a"}}, False),
    ("TS14", {"cities": {0: "TT02 a", 1: "TT01 a"}, "tokens": {(1, "blue 1"): "owl"}}, True),
    ("TS14", {"cities": {1: "TT01 a"}, "tokens": {(1, "blue 1"): "owl"}}, False),
    (
        "TS14",
        {"cities": {0: "TT02 a", 1: "TT01 a"}, "tokens": {(0, "red 1"): "owl", (1, "blue 1"): "owl"}},
        False,
    ),
    (
        "TS14",
        {
            "cities": {0: "TT02 a", 1: "TT01 a"},
            "tokens": {(1, "blue 1"): "owl"},
            "locks": {(1, "blue"): "TS07"},
        },
        False,
    ),
    ("TS02", {}, False),
    ("TS02", {"cities": {0: "TT01 a"}}, True),
    ("TS02", {"cities": {0: "TT01 a"}, "tokens": {(0, "blue 1"): "owl"}}, False),
    ("TS02", {"cities": {0: "TT01 a, TT05 a"}, "tokens": {(0, "blue 1"): "owl"}}, True),
    ("TS12", {}, False),
    ("TS12", {"hands": {0: "TS12 TT01"}}, True),
    ("TS12", {"hands": {0: "TS12 D1"}}, True),
    ("TS12", {"hands": {0: "TS12 TT05"}}, False),
    ("TS36", {"hands": {0: "TS36 TT05"}}, False),
    ("TS15", {}, False),
    ("TS15", {"first_discard": "TT05"}, False),
    ("TS15", {"first_discard": "TT05 TT01"}, True),
    ("TS15", {"first_discard": "D2"}, True),
    ("TS15", {"first_discard": "D2", "cities": {0: full_city()}}, False),
    ("TS03", {}, True),
    ("TS03", {"deck": ""}, False),
    ("TS03", {"deck": "", "first_discard": "TT05"}, True),
    ("TS09", {}, True),
    ("TS09", {"deck": "", "first_discard": "TT05"}, False),
    ("TS16", {}, False),
    ("TS16", {"first_discard": "TT05"}, True),
]


@pytest.mark.parametrize(("card", "given", "playable"), EFFECTS)
def test_a_support_can_be_played_only_with_a_legal_effect(card: str, given: dict[str, Any], playable: bool) -> None:
    """P3.2, P5.4, P6."""
    table = lay_out(**{"hands": {0: card}, **given})

    assert ([f"play {card}"] if playable else []) == table.codes_of("play")
    assert f"discard {card}" in table.codes


def test_tokens_run_out() -> None:
    """P5.4, `athena_win_token`."""
    cells = [f"{colour} {number}" for colour in ("blue", "red", "green", "brown") for number in (1, 2, 3)]
    items = ["thunderbolt"] * 2 + ["trident"] * 3 + ["owl"] * 4 + ["helmet"] * 3
    tokens = {(1, cell): item for cell, item in zip(cells, items, strict=True)}
    table = lay_out(hands={0: "TS02"}, cities={0: "TS01 a", 1: full_city(without="brown 4")}, tokens=tokens)

    assert table.view(0).table.tokens == 0
    assert table.codes_of("play") == []


# -- one by one ----------------------------------------------------------------------------------------------


def test_destroying_hits_the_uncovered_zone_of_an_unlocked_column() -> None:
    """P5, `ares_destroy`; P3.5: a Dionysos goes to the second discard."""
    table = lay_out(
        3,
        hands={0: "TS01"},
        cities={0: "TT09 a", 1: "TT01 a, D2 blue 2, TT02 a", 2: "TT10 a"},
        locks={(1, "red"): "TS07"},
        tokens={(1, "blue 2"): "owl"},
    )

    assert table.do("play TS01").codes == ["target 1 blue", "target 2 red"]

    table.do("target 1 blue", "pass")

    assert table.city(1) == {"blue 1": "TT01 a", "red 1": "TT02 a"}
    assert table.second.endswith("D2")
    assert table.state.tokens_gone == 1


def test_a_zone_is_stolen_with_its_token_which_the_thief_looks_at() -> None:
    """P5, `ares_steal_zone`; P4.4."""
    table = lay_out(
        hands={0: "TS11"},
        cities={0: "TT09 a", 1: "TT01 a, D2 blue 2"},
        tokens={(1, "blue 2"): "helmet"},
        seen={1: [1]},
    )
    table.do("play TS11", "target 1 blue", "pass")

    assert table.city(0) == {"blue 1": "TT09 a", "blue 2": "D2"}
    assert table.city(1) == {"blue 1": "TT01 a"}
    assert table.tokens(0) == {"blue 2": 1}
    assert list(table.view(0).own_tokens.tokens) == [(1, Item.HELMET)]
    assert table.told(0)[-2:] == ["steal D2", "see 1 helmet"]
    assert table.told(1)[-2:] == ["steal D2", "see 1"]
    assert table.second == "TS11"


def test_a_zone_can_be_stolen_only_if_it_could_be_built_now() -> None:
    """P5, `ares_steal_zone`."""
    table = lay_out(3, hands={0: "TS11"}, cities={0: "TT09 a", 1: "TT01 a, TT02 a", 2: "TS01 a, TS05 a"})

    assert table.do("play TS11").codes == ["target 1 red", "target 2 blue"]


def test_a_covered_token_can_be_stolen_too_and_the_zone_stays() -> None:
    """P5, `ares_steal_token`."""
    table = lay_out(
        hands={0: "TS14"},
        cities={0: "TT09 a", 1: "TT01 a, TT05 a, TT02 a"},
        tokens={(1, "blue 1"): "trident", (1, "red 1"): "owl"},
        locks={(1, "red"): "TS07"},
    )

    assert table.do("play TS14").codes == ["token 1"]

    table.do("token 1", "pass", "place blue 1")

    assert table.tokens(0) == {"blue 1": 1}
    assert table.tokens(1) == {"red 1": 2}
    assert table.city(1) == {"blue 1": "TT01 a", "blue 2": "TT05 a", "red 1": "TT02 a"}


def test_the_gift_wins_the_next_token() -> None:
    """P5, `athena_win_token`."""
    table = lay_out(hands={0: "TS02"}, cities={0: "TT09 a"}, next_tokens="thunderbolt")
    table.do("play TS02", "pass", "place blue 1")

    assert table.tokens(0) == {"blue 1": 1}
    assert list(table.view(0).own_tokens.tokens) == [(1, Item.THUNDERBOLT)]
    assert table.view(1).table.tokens == 11


def test_the_masons_build_one_or_two_zones_one_on_the_other_if_wanted() -> None:
    """P5, `athena_double_build`."""
    table = lay_out(hands={0: "TS12 TT01 TT05 TT02"})

    assert table.do("play TS12", "pass").codes == ["build TT01 a", "build TT02 a"]
    assert table.do("build TT01 a").codes == ["done", "build TT05 a", "build TT02 a"]

    table.do("build TT05 a")

    assert table.city(0) == {"blue 1": "TT01 a", "blue 2": "TT05 a"}
    assert (table.view(0).pending.phase, table.view(0).pending.draws) == (Phase.DRAW, 3)


def test_the_masons_may_build_a_dionysos() -> None:
    """P5, `athena_double_build`; P3.5."""
    table = lay_out(hands={0: "TS12 D1"})
    table.do("play TS12", "pass", "build D1 green 1")

    assert table.city(0) == {"green 1": "D1"}
    assert table.codes == ["done"]


def test_the_question_for_a_second_zone_tells_nothing_of_the_hand() -> None:
    """P5, P8: it is asked whether or not there is one."""
    with_one = lay_out(hands={0: "TS12 TT01 TT02"}).do("play TS12", "pass", "build TT01 a")
    without = lay_out(hands={0: "TS12 TT01 TT15"}).do("play TS12", "pass", "build TT01 a")

    assert (0, "build") == (with_one.seat, with_one.prompt) == (without.seat, without.prompt)
    assert (with_one.codes, without.codes) == (["done", "build TT02 a"], ["done"])


def test_memory_builds_any_zone_half_of_the_first_discard() -> None:
    """P5, `athena_build_from_discard`."""
    table = lay_out(hands={0: "TS15"}, cities={0: "TT09 a"}, first_discard="TT03 TT05 TT02 D2")

    assert table.do("play TS15").codes == [
        "recall TT03 a",
        "recall TT05 a",
        "recall TT02 a",
        "recall D2 blue 2",
        "recall D2 red 1",
        "recall D2 green 1",
        "recall D2 brown 1",
    ]

    table.do("recall TT05 a", "pass")

    assert table.city(0) == {"blue 1": "TT09 a", "blue 2": "TT05 a"}
    assert table.first == "TT03 TT02 D2"


def test_memory_builds_a_dionysos_of_the_first_discard_as_any_legal_zone() -> None:
    """P3.5, `athena_build_from_discard`."""
    table = lay_out(hands={0: "TS15"}, cities={0: "TT09 a"}, first_discard="D2")
    table.do("play TS15", "recall D2 blue 2", "pass")

    assert table.city(0) == {"blue 1": "TT09 a", "blue 2": "D2"}


def test_a_cancelled_memory_leaves_the_card_where_it_was() -> None:
    """P5.1, P5.3."""
    table = lay_out(hands={0: "TS15", 1: "TS22 TT20"}, first_discard="TT03 TT01")
    table.do("play TS15", "recall TT01 a", "cancel TS22")

    assert (table.first, table.city(0), table.second) == ("TT03 TT01", {}, "TS15 TS22")


def test_what_is_looked_at_is_the_top_of_the_deck_and_goes_under_it_in_that_order() -> None:
    """P5, `draw_pick_three`."""
    table = lay_out(hands={0: "TS09"}, deck="TT20 TT21 TT22 TT23 TT24")
    table.do("play TS09", "keep TT20")

    assert table.deck == "TT23 TT24 TT21 TT22"


@pytest.mark.parametrize(("deck", "keep", "left"), [("TT20 TT21", "TT21", "TT20"), ("TT20", "TT20", "")])
def test_of_a_short_deck_what_is_left_is_looked_at(deck: str, keep: str, left: str) -> None:
    """P5, `draw_pick_three`."""
    table = lay_out(hands={0: "TS09"}, deck=deck)
    table.do("play TS09")

    assert [f"keep {card}" for card in deck.split()] == table.codes

    table.do(f"keep {keep}")

    assert (left, keep) == (table.deck, table.hand(0))


def test_draw_supports_are_not_countered() -> None:
    """P5, the table."""
    table = lay_out(4, hands={0: "TS03", 1: "TS04 TS22", 2: "TS07", 3: "TS25"})
    table.do("play TS03")

    assert (table.seat, table.prompt) == (0, "draw")
