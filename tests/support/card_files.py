"""Card sets as files, for tests of options that are files: another set than the house's, and sets with mistakes."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from agon_engine.elysium.cards import HOUSE
from agon_engine.elysium.vocabulary import Gain
from agon_engine.elysium.words import VP
from agon_engine.elysium.writing import set_object
from agon_engine.registry import get_game

GAME = "elysium"
OPTION = "cards"
OTHER_ID = "zeus-other"
"""A card that the house set does not have, as zeus-leda is one that the other one does not have."""


def other_object(vp: int = 9) -> dict[str, Any]:
    """Return another set as JSON types: instead of Leda a card that is worth some VP at once."""
    renamed = replace(HOUSE.cards[0], id=OTHER_ID, name="Other", effect=Gain(VP, vp))
    return set_object(replace(HOUSE, cards=(renamed, *HOUSE.cards[1:])))


def other_text(vp: int = 9) -> str:
    """Return another set as somebody would write it: in many lines, with a field that is not read."""
    return json.dumps({"about": "not read", **other_object(vp)}, indent=2)


def hash_of(text: str) -> str:
    """Return the option's value of a set."""
    return get_game(GAME).with_file(OPTION, text).files[OPTION].hash


def broken_text() -> str:
    """Return a set with three mistakes: of an effect, of a column, of a level."""
    data = other_object()
    data["cards"][0]["effect"] = {"op": "explode"}
    data["cards"][1]["columns"] = ["pink"]
    data["cards"][2]["level"] = 7
    return json.dumps(data)


def write(folder: Path, text: str | None = None, name: str = "cards.json") -> Path:
    """Write a set to a file; another one where no text is given."""
    path = folder / name
    path.write_text(other_text() if text is None else text, encoding="utf-8")
    return path
