"""The game's README against the game: every rule has its tests, every code its line."""

import json
import re
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from tests.engine.cyclades.positions import random_match

from agon_engine.core import Chance
from agon_engine.cyclades import GAME
from agon_engine.cyclades.enums import CREATURES
from agon_engine.cyclades.reference import EFFECTS

CREATURE_TESTS = ("test_creatures", "test_havoc", "test_wealth", "test_figurines")
README = files("agon_engine.cyclades").joinpath("README.md").read_text("utf-8")
HERE = Path(__file__).parent
RULES = ["C9"] + [
    f"C{chapter}.{rule}"
    for chapter, count in ((1, 4), (2, 1), (3, 2), (4, 5), (5, 1), (6, 6), (7, 14), (8, 5), (9, 3), (10, 8))
    for rule in range(1, count + 1)
]


def cited_in(rule: str, module: str) -> bool:
    text = (HERE / f"{module}.py").read_text("utf-8")
    return re.search(rf"\b{re.escape(rule)}\b(?!\.\d)", text) is not None


def test_every_rule_has_a_line_and_each_test_file_named_there_cites_it() -> None:
    lines = dict(re.findall(r"^\| (C[\d.]+) \|.*\| (.*) \|$", README, re.MULTILINE))

    assert sorted(RULES) == sorted(lines)
    for rule, modules in lines.items():
        named = re.findall(r"`(test_\w+)`", modules)

        assert named
        assert [module for module in named if not cited_in(rule, module)] == [], rule


def test_every_creature_has_a_line_and_tests_of_its_clauses() -> None:
    """C9."""
    tests = "".join((HERE / f"{module}.py").read_text("utf-8") for module in CREATURE_TESTS)
    for creature in CREATURES:
        name = creature.name.lower()

        assert f"`{name}`" in README.partition("### Creatures")[2].partition("## Options")[0]
        assert re.search(rf"C9 [a-z, ]*{name}", tests), name


def test_a_creature_is_told_as_the_readme_tells_it() -> None:
    """C9."""
    rows = re.findall(r"^\| `(\w+)` \| (.+) \|$", README.partition("### Creatures")[2].partition("## Options")[0], re.M)

    assert [(creature.name.lower(), EFFECTS[creature]) for creature in CREATURES] == rows
    assert GAME.reference()["siren"].split("\n") == ["Siren (siren): a creature, 1 in the game", rows[0][1]]
    assert GAME.reference()["medusa"].startswith("Medusa (medusa): an island figurine, 1 in the game\na figurine: ")
    assert list(GAME.reference()) == [name for name, _ in rows]


def test_every_verb_of_an_action_an_event_and_a_prompt_is_in_the_readme() -> None:
    documented = {words.split()[0] for words in re.findall(r"`([a-z]+[^`]*)`", README)}
    verbs = {code.split()[0] for code in GAME.notation.codes}
    for number in range(12):
        for state in random_match(2 + number % 4, number, busy=True):
            if state.decision is not None:
                verbs.add(state.decision.prompt.split()[0])
        verbs |= {event.code.split()[0] for event in state.events_since(0)}

    assert set() == verbs - documented


def test_every_option_is_in_the_readme_with_its_values() -> None:
    for option in GAME.spec.options:
        values = ", ".join(f"`{str(value).lower()}`" for value in option.allowed)

        assert f"| `{option.name}` | {values} |" in README


def test_every_module_is_in_the_readme() -> None:
    modules = {entry.name for entry in files("agon_engine.cyclades").iterdir() if entry.name.endswith((".py", ".json"))}

    assert {"__init__.py"} == {module for module in modules if f"`{module}`" not in README}


@pytest.mark.parametrize("seats", GAME.spec.seat_counts)
def test_what_the_readme_says_of_places_holds(seats: int) -> None:
    """Its example runs, and finds in every map what `maps.json` has there."""
    entry = json.loads(files("agon_engine.cyclades").joinpath("maps.json").read_text("utf-8"))["maps"][str(seats)]
    (example,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    found: dict[str, Any] = {"view": GAME.start(seats, Chance(bytes(16))).view(None)}
    exec(example, found)

    fleets = {cell for start in entry["starts"] for cell in start["fleets"]}
    shores = {sea["id"]: [int(name[2:]) for name in sea["adjacent_islands"]] for sea in entry["seas"]}
    assert fleets == set(found["cells"])
    assert [sea["id"] for sea in entry["seas"]] == [sea.cell for sea in found["printed"].seas[1:]]
    assert len(entry["islands"]) == len(found["free"])
    assert [island["building_slots"] for island in entry["islands"]] >= found["free"]
    assert [shores[sea] for sea in entry["islands"][0]["adjacent_seas"]] == [list(near) for near in found["near"]]
