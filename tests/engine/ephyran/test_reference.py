"""The cards as people read them, against the card file and the README."""

from __future__ import annotations

import json
import re
from importlib.resources import files

from agon_engine.ephyran import GAME
from agon_engine.ephyran.data import CARD_NAMES
from agon_engine.ephyran.reference import EFFECTS

REFERENCE = GAME.reference()
DATA = json.loads(files("agon_engine.ephyran").joinpath("cards.json").read_text("utf-8"))
README = files("agon_engine.ephyran").joinpath("README.md").read_text("utf-8")


def test_every_support_and_card_is_there_in_the_order_of_the_data() -> None:
    assert list(REFERENCE) == [row["id"] for row in DATA["supports"]] + list(CARD_NAMES[1:])


def test_a_support_is_told_as_the_readme_tells_it() -> None:
    """P5."""
    rows = re.findall(r"^\| `(\w+)` \| (\d+) \| (.+?) \| (\w*) ?\|$", README, re.MULTILINE)

    assert [row[0] for row in rows] == [support.name.lower() for support in EFFECTS]
    for (name, copies, effect, counter), told in zip(rows, EFFECTS.values(), strict=True):
        assert effect == told
        head = REFERENCE[name].split("\n")[0]
        assert head.endswith(f"{copies} in the game" + (f", cancelled by {counter}" if counter else ""))


def test_a_card_is_told_by_its_halves() -> None:
    assert REFERENCE["TT02"] == "TT02: two zones\na: red 1, Chimera, owl; b: blue 4, Triton"
    assert REFERENCE["TS03"].split("\n")[1] == "a: blue 1, Hippocamp; b: Hermes' Haste (draw_two)"
    assert REFERENCE["TS03"].split("\n")[2] == "  Hermes' Haste: two draws"
    assert REFERENCE["D4"] == "D4: a Dionysos, 4 in the game\nbuilt as any zone"
    for row in DATA["deck"]:
        told = REFERENCE[row["id"]].split("\n")[1]
        for half in (row["a"], row["b"]):
            assert half.get("support", half.get("creature")) in told
