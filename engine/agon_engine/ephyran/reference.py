"""The cards as people read them: the supports, then the deck card by card, then the Dionysos cards."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from agon_engine.ephyran.data import (
    CARD_NAMES,
    CARD_SUPPORT,
    CARDS,
    CELL_NAMES,
    DECK_SIZE,
    HALF_CELL,
    HALF_CREATURE,
    HALF_ITEM,
    MATERIAL,
    NO_CELL,
    SIDES,
    SUPPORT_IDS,
)
from agon_engine.ephyran.enums import Item, Support

EFFECTS: Final = {
    Support.SHIELD: "reaction to an Ares support aimed at you; as an action: lock or unlock",
    Support.HECATE: "reaction to any opponent's Athena support; as an action: lock or unlock",
    Support.ARES_DESTROY: "the uncovered zone of an opponent's unlocked column goes to the second discard",
    Support.ARES_STEAL_ZONE: "such a zone that you could build now moves to your city, token included",
    Support.ARES_STEAL_TOKEN: "a token of an opponent's unlocked column, covered or not; needs an own zone without one",
    Support.ATHENA_WIN_TOKEN: "win a token; needs an own zone without one and a token left",
    Support.ATHENA_DOUBLE_BUILD: (
        "build one or two zones from hand; then draw one card for each card used, this one included"
    ),
    Support.ATHENA_BUILD_FROM_DISCARD: "build a half of any card of the first discard",
    Support.DRAW_TWO: "two draws",
    Support.DRAW_PICK_THREE: (
        "look at the top three of the deck, keep one, put the others under it, the last seen lowest"
    ),
    Support.DRAW_DIG_DISCARD: "take any card of the first discard",
}
"""What each support does, as the README has it (P5)."""


def reference() -> Mapping[str, str]:
    """Return all supports and cards, by id."""
    return {**dict(_supports()), **dict(_cards())}


def _supports() -> Iterator[tuple[str, str]]:
    for support, effect in EFFECTS.items():
        name, copies = SUPPORT_IDS[support], CARD_SUPPORT.count(support)
        defence = MATERIAL.countered_by[support]
        cancelled = f", cancelled by {SUPPORT_IDS[defence]}" if defence else ""
        text = effect.replace("such a zone", "an uncovered zone of an opponent's unlocked column")
        yield name, f"{MATERIAL.support_names[support]} ({name}): a support, {copies} in the game{cancelled}\n{text}"


def _cards() -> Iterator[tuple[str, str]]:
    for card in range(1, CARDS + 1):
        name, support = CARD_NAMES[card], CARD_SUPPORT[card]
        if card > DECK_SIZE:
            yield name, f"{name}: a Dionysos, {CARDS - DECK_SIZE} in the game\nbuilt as any zone"
            continue

        kind = "a zone and a support" if support else "two zones"
        halves = [f"{side}: {_half(2 * card + place, support)}" for place, side in enumerate(SIDES)]
        lines = [f"{name}: {kind}", "; ".join(halves)]
        if support:
            lines.append(f"  {MATERIAL.support_names[support]}: {EFFECTS[support]}")
        yield name, "\n".join(lines)


def _half(half: int, support: Support) -> str:
    if HALF_CELL[half] == NO_CELL:
        return f"{MATERIAL.support_names[support]} ({SUPPORT_IDS[support]})"

    item = HALF_ITEM[half]
    printed = f", {item.name.lower()}" if item != Item.NONE else ""
    return f"{CELL_NAMES[HALF_CELL[half]]}, {MATERIAL.creature_names[HALF_CREATURE[half]]}{printed}"
