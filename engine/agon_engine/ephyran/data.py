"""The cards, tokens and gods, read once from `cards.json` and laid out as tables that rules index by number.

Numbers are those of `view.py`: cards from 1 in the order of the data, then the Dionysos cards; halves `2 * card` and
`2 * card + 1`; a cell is a zone's place in a city, `4 * (colour - 1) + number - 1`. Index 0 (0 and 1 for halves) is
never a card. No rules here.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Final

from agon_engine.ephyran.enums import Colour, Item, Support

COLUMNS: Final = 4
ZONES: Final = 4
"""In a column."""
CELLS: Final = COLUMNS * ZONES
NO_CELL: Final = -1
SIDES: Final = ("a", "b")


@dataclass(frozen=True, slots=True)
class Material:
    """Everything printed, by number."""

    deck_size: int
    dionysos: int
    """How many Dionysos cards there are; their numbers follow those of the deck cards."""
    card_names: tuple[str, ...]
    card_support: tuple[Support, ...]
    half_cell: tuple[int, ...]
    """The zone that a half is, or NO_CELL: a support half, or a Dionysos."""
    half_creature: tuple[int, ...]
    """The number of the creature, from 1; 0: none."""
    half_item: tuple[Item, ...]
    creature_names: tuple[str, ...]
    tokens: tuple[Item, ...]
    """All tokens, in the order of the data."""
    item_points: tuple[int, ...]
    """By item."""
    god_colour: tuple[tuple[str, Colour], ...]
    support_names: tuple[str, ...]
    support_kinds: tuple[str, ...]
    """By support: `defence`, `ares`, `athena` or `draw`."""
    countered_by: tuple[Support, ...]
    """By support: the defence that cancels it, or NONE."""


def read_material(text: str) -> Material:
    """Lay the JSON text of a card file out. Raise ValueError, naming the first thing that is wrong with it."""
    data = json.loads(text)
    colours = {colour.name.lower(): colour for colour in Colour if colour}
    supports = {support.name.lower(): support for support in Support if support}
    items = {item.name.lower(): item for item in Item if item}

    rows = {row["id"]: row for row in data["supports"]}
    _check(set(rows) == set(supports), "the supports are not those of rule P5", sorted(rows))
    tokens: list[Item] = []
    points = [0] * len(Item)
    for row in data["tokens"]:
        item = items[row["item"]]
        tokens += [item] * row["count"]
        points[item] = row["points"]

    names, card_support = [""], [Support.NONE]
    half_cell, half_creature, half_item = [NO_CELL] * 2, [0] * 2, [Item.NONE] * 2
    creatures: dict[str, int] = {"": 0}
    home: dict[str, Colour] = {}
    for card in data["deck"]:
        names.append(card["id"])
        on_card: list[Support] = []
        for side in SIDES:
            half = card[side]
            if "support" in half:
                on_card.append(supports[half["support"]])
                half_cell.append(NO_CELL)
                half_creature.append(0)
                half_item.append(Item.NONE)
                continue

            colour, number = colours[half["zone"][0]], half["zone"][1]
            item = items[half["item"]] if "item" in half else Item.NONE
            creature = half["creature"]
            _check(number in range(1, ZONES + 1), f"{card['id']} has a zone of no such number", number)
            _check(item != Item.HELMET, f"{card['id']} has an item that is only on tokens", item.name)
            _check(home.setdefault(creature, colour) == colour, "a creature lives in two territories", creature)
            half_cell.append((colour - 1) * ZONES + number - 1)
            half_creature.append(creatures.setdefault(creature, len(creatures)))
            half_item.append(item)
        _check(len(on_card) < 2, "a card has two support halves", card["id"])
        card_support.append(on_card[0] if on_card else Support.NONE)

    deck_size = len(names) - 1
    copies = Counter(card_support)
    for name, row in rows.items():
        _check(copies[supports[name]] == row["copies"], f"{name} has another number of copies", row["copies"])
    for number in range(1, data["dionysos"] + 1):
        names.append(f"D{number}")
        card_support.append(Support.NONE)
        half_cell += [NO_CELL] * 2
        half_creature += [0] * 2
        half_item += [Item.NONE] * 2
    _check(len(set(names)) == len(names), "two cards have the same name", names)
    _check(sorted(data["gods"].values()) == sorted(colours), "the gods are not one a colour", data["gods"])

    def by_support(key: str, missing: str) -> tuple[str, ...]:
        return (missing, *(rows[support.name.lower()][key] or missing for support in Support if support))

    return Material(
        deck_size=deck_size,
        dionysos=data["dionysos"],
        card_names=tuple(names),
        card_support=tuple(card_support),
        half_cell=tuple(half_cell),
        half_creature=tuple(half_creature),
        half_item=tuple(half_item),
        creature_names=tuple(creatures),
        tokens=tuple(tokens),
        item_points=tuple(points),
        god_colour=tuple((god, colours[colour]) for god, colour in data["gods"].items()),
        support_names=by_support("name", ""),
        support_kinds=by_support("kind", ""),
        countered_by=tuple(supports.get(name, Support.NONE) for name in by_support("countered_by", "")),
    )


def _check(holds: bool, problem: str, value: Any) -> None:
    if not holds:
        raise ValueError(f"{problem}: {value!r}")


MATERIAL: Final = read_material(files("agon_engine.ephyran").joinpath("cards.json").read_text("utf-8"))

DECK_SIZE: Final = MATERIAL.deck_size
CARDS: Final = DECK_SIZE + MATERIAL.dionysos
"""All cards with a number; gods have none."""
FIRST_DIONYSOS: Final = DECK_SIZE + 1
TOKENS: Final = len(MATERIAL.tokens)
CARD_NAMES: Final = MATERIAL.card_names
CARD_SUPPORT: Final = MATERIAL.card_support
HALF_CELL: Final = MATERIAL.half_cell
HALF_CREATURE: Final = MATERIAL.half_creature
HALF_ITEM: Final = MATERIAL.half_item
ITEM_POINTS: Final = MATERIAL.item_points
COUNTERED_BY: Final = MATERIAL.countered_by
HALF_NAMES: Final = tuple(
    CARD_NAMES[half // 2] if half // 2 > DECK_SIZE else f"{CARD_NAMES[half // 2]} {SIDES[half % 2]}"
    for half in range(2 * CARDS + 2)
)
"""The name of each half; a Dionysos has no halves and goes by its card's."""
COLOUR_NAMES: Final = tuple(colour.name.lower() for colour in Colour)
CELL_NAMES: Final = tuple(f"{COLOUR_NAMES[cell // ZONES + 1]} {cell % ZONES + 1}" for cell in range(CELLS))
SUPPORT_IDS: Final = tuple(support.name.lower() for support in Support)


def is_dionysos(card: int) -> bool:
    return card > DECK_SIZE
