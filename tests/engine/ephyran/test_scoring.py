"""Scoring (P7.3 to P7.6), each clause a row; and a second count of whole random matches."""

import json
from importlib.resources import files

import pytest
from tests.engine.ephyran.positions import Table, full_city, lay_out, random_match

from agon_engine.ephyran import city_score, view_parts
from agon_engine.ephyran.enums import TieBreak


def parts(table: Table, seat: int = 0) -> dict[str, int]:
    return dict(table.state.standing().parts[seat])


NOTHING = dict.fromkeys(["creatures", "variety", "items", "tokens", "dionysos", "god", "city"], 0)


@pytest.mark.parametrize(
    ("city", "tokens", "expected"),
    [
        ("", {}, {}),
        ("TT01 a", {}, {"creatures": 1}),
        ("TT01 a, TT05 a", {}, {"creatures": 1}),
        ("TT01 a, TT13 a", {}, {"creatures": 2}),
        ("TT01 a, TT13 a, TT24 b, TT26 b", {}, {"creatures": 4, "variety": 1}),
        ("TT01 a, TT13 a, TT24 b, TT02 b", {}, {"creatures": 3}),
        ("TT01 a, TT13 a, TT24 b, D1 blue 4", {}, {"creatures": 3, "dionysos": 1}),
        ("TS01 a, TS06 a, TS10 a, TS13 a", {}, {"creatures": 2, "items": 5}),
        ("TT25 a", {}, {"creatures": 1, "items": 1}),
        ("TT01 a, TT05 a", {"blue 1": "thunderbolt", "blue 2": "helmet"}, {"creatures": 1, "tokens": 2}),
        ("TT25 a", {"blue 1": "trident"}, {"creatures": 1, "items": 1, "tokens": 2}),
        ("TT01 a", {"blue 1": "helmet"}, {"creatures": 1, "tokens": -1}),
        ("D1 blue 1, D2 blue 2, D3 red 1", {}, {"dionysos": 1}),
    ],
)
def test_a_column_counts_creatures_items_and_tokens(
    city: str, tokens: dict[str, str], expected: dict[str, int]
) -> None:
    """P7.3, P7.4."""
    table = lay_out(
        cities={0: city}, tokens={(0, zone): item for zone, item in tokens.items()}, gods="brown red", hands={0: "D4"}
    )

    assert {**NOTHING, **expected} == parts(table)
    assert sum(expected.values()) == table.state.standing().scores[0]


def test_the_column_of_the_own_god_counts_double_all_of_it() -> None:
    """P7.3."""
    table = lay_out(
        cities={0: "TT25 a, TT13 a, TT24 b, TT02 b, TT10 a"},
        tokens={(0, "blue 1"): "trident"},
        gods="blue red",
        hands={0: "D4"},
    )

    assert parts(table) == {
        "creatures": 5,
        "variety": 1,
        "items": 1,
        "tokens": 2,
        "dionysos": 0,
        "god": 4 + 1 + 1 + 2,
        "city": 0,
    }


@pytest.mark.parametrize(
    ("city", "god", "doubled"),
    [
        ("D1 blue 1", "blue", 1),
        ("D1 red 1", "blue", 0),
        ("D1 blue 1, D2 green 1", "green", 1),
        ("D1 green 1, D2 brown 1", "brown", 1),
        ("D1 green 1, D2 brown 1", "red", 0),
        ("D1 blue 1, D2 blue 2", "blue", 1),
    ],
)
def test_dionysos_is_one_point_in_the_whole_city_doubled_in_the_gods_column(city: str, god: str, doubled: int) -> None:
    """P7.4."""
    table = lay_out(cities={0: city}, gods=f"{god} {'red' if god != 'red' else 'blue'}", hands={0: "D4"})

    assert {**NOTHING, "dionysos": 1, "god": doubled} == parts(table)


def test_the_city_completed_first_gets_three_and_every_other_complete_one_gets_one() -> None:
    """P7.5."""
    table = lay_out(3, hands={0: "TT01", 1: "D2", 2: "D3"}, cities={1: full_city("brown 4"), 2: "TT01 a"}, on_turn=1)
    table.do("build D2 brown 4", "draw deck")

    assert [parts(table, seat)["city"] for seat in range(3)] == [0, 3, 0]

    table.state.completed = [2, 1, 3]

    assert [parts(table, seat)["city"] for seat in range(3)] == [1, 3, 1]


def test_a_city_that_lost_a_zone_and_was_completed_again_counts_from_the_later_moment() -> None:
    """P7.5. The last round leaves no time for it in play, so the round is made longer here."""
    table = lay_out(
        hands={0: "D1 D3", 1: "TS01 D2"}, cities={0: full_city("brown 4"), 1: ""}, deck="TT30 TT31 TT32 TT29"
    )
    table.do("build D1 brown 4", "draw deck")

    assert table.view(None).cities[0].completed == 1

    table.state.completed[1] = 2
    table.do("play TS01", "target 0 brown", "pass")

    assert table.state.completed == [0, 2]

    table.state.first_seat = 1
    table.do("draw deck", "build D3 brown 4")

    assert table.state.completed == [3, 2]
    assert parts(table, 0)["city"] == 1


def test_an_exchange_does_not_undo_the_completion_of_a_city() -> None:
    """P3.3, P7.5."""
    table = lay_out(hands={0: "D1"}, cities={0: full_city()})
    table.state.completed[0] = 1
    table.do("exchange D1 blue 4")

    assert table.state.completed == [1, 0]


@pytest.mark.parametrize(("tie_break", "placements"), [(TieBreak.SHARED, (1, 1, 3)), (TieBreak.ZONES, (2, 1, 3))])
def test_ties_share_a_place_or_go_to_more_zones(tie_break: TieBreak, placements: tuple[int, ...]) -> None:
    """P7.6, option `tie_break`."""
    table = lay_out(
        3,
        cities={0: "TT01 a", 1: "TT09 a, TS06 a", 2: ""},
        gods="brown red green",
        tie_break=tie_break,
        hands={0: "D4"},
    )

    assert table.state.standing().scores == (1, 1, 0)
    assert placements == table.state.standing().placements


def test_the_place_after_a_tie_is_skipped() -> None:
    """P7.6."""
    table = lay_out(
        4, cities={0: "TT09 a, TT05 a", 1: "TT17 a", 2: "TT25 a", 3: ""}, gods="red green brown blue", hands={0: "D4"}
    )

    assert table.state.standing().scores == (2, 1, 2, 0)
    assert table.state.standing().placements == (1, 3, 1, 4)


def points_of_a_city(view_names: dict[str, str], tokens: dict[str, int], items: dict[int, int], god: str) -> int:
    """Count a city anew from the card file, by zone name, without the bonus for complete cities."""
    data = json.loads(files("agon_engine.ephyran").joinpath("cards.json").read_text("utf-8"))
    deck = {card["id"]: card for card in data["deck"]}
    worth = {row["item"]: row["points"] for row in data["tokens"]}
    columns = {}
    for colour in ("blue", "red", "green", "brown"):
        zones = {zone: name.split() for zone, name in view_names.items() if zone.startswith(colour)}
        halves = [deck[name[0]][name[1]] for name in zones.values() if not name[0].startswith("D")]
        creatures = {half["creature"] for half in halves}
        columns[colour] = len(creatures) + (len(creatures) == 4)
        columns[colour] += sum(worth[half["item"]] for half in halves if "item" in half)
        columns[colour] += sum(items[token] for zone, token in tokens.items() if zone.startswith(colour))
    dionysos = [zone.split()[0] for zone, name in view_names.items() if name.startswith("D")]
    if dionysos:
        columns[god if god in dionysos else min(dionysos, key=list(columns).index)] += 1
    return sum(columns.values()) + columns[god]


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_scores_of_random_matches_are_those_of_a_second_count_and_the_sum_of_their_parts(seats: int) -> None:
    """P7.3, P7.4."""
    for number in range(25):
        *_, state = random_match(seats, number, supports=number % 2 == 0)
        table = Table(state)
        outcome = state.outcome()
        assert outcome is not None
        items = {token: {1: 3, 2: 2, 3: 1, 4: -1}[item] for token, item in enumerate(state.token_items) if token}
        for seat in range(seats):
            bonus = dict(outcome.parts[seat])["city"]
            god = state.gods[seat].name.lower()

            assert outcome.scores[seat] - bonus == points_of_a_city(table.city(seat), table.tokens(seat), items, god)
            assert outcome.scores[seat] == sum(points for _, points in outcome.parts[seat])
            assert outcome.scores[seat] == city_score(state.view(None), seat)
            assert outcome.parts[seat] == view_parts(state.view(seat), seat)


def test_a_view_counts_a_token_that_it_does_not_show_as_the_mean_one_or_as_told() -> None:
    """The helper that bots use."""
    table = lay_out(
        cities={0: "TT01 a, TT05 a"},
        tokens={(0, "blue 1"): "thunderbolt", (0, "blue 2"): "helmet"},
        seen={1: [0]},
        gods="red blue",
        hands={0: "D4"},
    )

    assert city_score(table.view(0), 0) == 1 + 3 + 1
    assert city_score(table.view(1), 0) == 1 + 1 + 1
    assert city_score(table.view(0), 0, unknown_token=-1) == 1 + 3 - 1
    assert city_score(table.view(None), 0, unknown_token=0) == 1 + 0 + 0
