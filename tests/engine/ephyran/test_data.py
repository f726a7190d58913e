"""The card file against independent tables (P1), and what reading refuses."""

import json
from collections import Counter
from importlib.resources import files
from typing import Any

import pytest
from tests.engine.ephyran.positions import HALF

from agon_engine.ephyran.data import CARD_NAMES, DECK_SIZE, HALF_CELL, HALF_CREATURE, MATERIAL, NO_CELL, read_material
from agon_engine.ephyran.enums import Colour, Item, Support

COPIES = {
    "shield": 8,
    "hecate": 8,
    "ares_destroy": 8,
    "ares_steal_zone": 4,
    "ares_steal_token": 4,
    "athena_win_token": 8,
    "athena_double_build": 4,
    "athena_build_from_discard": 4,
    "draw_two": 8,
    "draw_pick_three": 4,
    "draw_dig_discard": 4,
}
COUNTERS = {"ares": "shield", "athena": "hecate", "draw": None, "defence": None}


def card_file() -> dict[str, Any]:
    text = files("agon_engine.ephyran").joinpath("cards.json").read_text("utf-8")
    loaded: dict[str, Any] = json.loads(text)
    return loaded


def test_the_deck_has_32_cards_of_two_zones_and_64_of_a_zone_and_a_support() -> None:
    """P1.1."""
    halves = [(card["a"], card["b"]) for card in card_file()["deck"]]

    assert 96 == len(halves) == DECK_SIZE
    assert sum("zone" in a and "zone" in b for a, b in halves) == 32
    assert sum("zone" in a and "support" in b for a, b in halves) == 64


def test_each_zone_exists_eight_times_with_each_creature_twice() -> None:
    """P1.1."""
    cells = Counter(cell for cell in HALF_CELL if cell != NO_CELL)
    creatures = Counter(zip(HALF_CELL, HALF_CREATURE, strict=True))

    assert dict.fromkeys(range(16), 8) == cells
    assert {2} == {count for (cell, _), count in creatures.items() if cell != NO_CELL}


def test_printed_items_are_owls_tridents_and_thunderbolts_and_never_a_helmet() -> None:
    """P1.1, P1.2."""
    items = Counter(MATERIAL.half_item)

    assert {item: items[item] for item in items if item} == {Item.OWL: 8, Item.TRIDENT: 4, Item.THUNDERBOLT: 4}


def test_tokens_have_the_printed_points_in_the_house_counts() -> None:
    """P1.2."""
    counts = Counter((item.name, MATERIAL.item_points[item]) for item in MATERIAL.tokens)

    assert counts == {("THUNDERBOLT", 3): 2, ("TRIDENT", 2): 3, ("OWL", 1): 4, ("HELMET", -1): 3}


def test_there_are_four_dionysos_and_one_god_a_colour() -> None:
    """P1.2."""
    gods = {"poseidon": Colour.BLUE, "hephaestus": Colour.RED, "aeolus": Colour.GREEN, "gaia": Colour.BROWN}

    assert MATERIAL.dionysos == 4
    assert CARD_NAMES[DECK_SIZE + 1 :] == ("D1", "D2", "D3", "D4")
    assert gods == dict(MATERIAL.god_colour)


def test_supports_have_the_copies_kinds_and_counters_of_the_rules() -> None:
    """P5, the table."""
    copies = Counter(support.name.lower() for support in MATERIAL.card_support if support)
    counters = {
        support.name.lower(): MATERIAL.countered_by[support].name.lower() if MATERIAL.countered_by[support] else None
        for support in Support
        if support
    }
    kinds = {support.name.lower(): MATERIAL.support_kinds[support] for support in Support if support}

    assert copies == COPIES
    assert {name: COUNTERS[kind] for name, kind in kinds.items()} == counters
    assert {name: kind if kind in name else "defence" for name, kind in kinds.items()} == kinds


def test_a_half_is_numbered_by_its_card_and_side() -> None:
    assert HALF["TT01 a"] == 2 * 1
    assert HALF["TS01 b"] == 2 * 33 + 1
    assert HALF["D1"] == 2 * 97


def test_the_file_says_what_is_printed_and_what_is_house() -> None:
    data = card_file()

    assert data["status"] == "house"
    assert "gods" in data["printed"]


def broken(change: str) -> str:
    """Return the card file with one thing wrong in it."""
    data = card_file()
    card = data["deck"][0]
    if change == "number":
        card["a"]["zone"][1] = 5
    elif change == "helmet":
        card["a"]["item"] = "helmet"
    elif change == "home":
        card["a"]["creature"] = "Chimera"
    elif change == "two supports":
        card["a"] = card["b"] = {"support": "shield"}
    elif change == "copies":
        data["supports"][0]["copies"] = 9
    elif change == "name":
        card["id"] = "TT02"
    elif change == "gods":
        data["gods"]["gaia"] = "blue"
    elif change == "support":
        data["supports"].pop()
    return json.dumps(data)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("number", "TT01 has a zone of no such number: 5"),
        ("helmet", "TT01 has an item that is only on tokens"),
        ("home", "a creature lives in two territories: 'Chimera'"),
        ("two supports", "a card has two support halves: 'TT01'"),
        ("copies", "shield has another number of copies: 9"),
        ("name", "two cards have the same name"),
        ("gods", "the gods are not one a colour"),
        ("support", "the supports are not those of rule P5"),
    ],
)
def test_a_card_file_with_a_fault_is_refused_by_name(change: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read_material(broken(change))


def test_the_card_file_itself_is_read_as_it_is() -> None:
    assert read_material(json.dumps(card_file())) == MATERIAL
