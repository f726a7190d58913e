"""The game's README against the game: every rule has its tests, every code its line."""

import re
from importlib.resources import files
from pathlib import Path

from tests.engine.ephyran.positions import random_match

from agon_engine.ephyran import GAME

README = files("agon_engine.ephyran").joinpath("README.md").read_text("utf-8")
HERE = Path(__file__).parent
RULES = [f"P{number}" for number in (5, 8)] + [
    f"P{chapter}.{rule}"
    for chapter, count in ((1, 3), (2, 1), (3, 8), (4, 4), (5, 5), (6, 2), (7, 6), (8, 2))
    for rule in range(1, count + 1)
]


def cited_in(rule: str, module: str) -> bool:
    text = (HERE / f"{module}.py").read_text("utf-8")
    return re.search(rf"\b{re.escape(rule)}\b(?!\.\d)", text) is not None


def test_every_rule_has_a_line_and_each_test_file_named_there_cites_it() -> None:
    lines = dict(re.findall(r"^\| (P[\d.]+) \|.*\| (.*) \|$", README, re.MULTILINE))

    assert sorted(RULES) == sorted(lines)
    for rule, modules in lines.items():
        named = re.findall(r"`(test_\w+)`", modules)

        assert named
        assert [module for module in named if not cited_in(rule, module)] == [], rule


def test_every_verb_of_an_action_an_event_and_a_prompt_is_in_the_readme() -> None:
    documented = {words.split()[0] for words in re.findall(r"`([a-z]+[^`]*)`", README)}
    verbs = {code.split()[0] for code in GAME.notation.codes}
    for number in range(12):
        for state in random_match(3, number, supports=True):
            if state.decision is not None:
                verbs.add(state.decision.prompt.split()[0])
        verbs |= {event.code.split()[0] for event in state.events_since(0)}

    assert set() == verbs - documented


def test_every_option_is_in_the_readme_with_its_values() -> None:
    for option in GAME.spec.options:
        values = ", ".join(f"`{str(value).lower()}`" for value in option.allowed)

        assert f"| `{option.name}` | {values} |" in README


def test_every_module_is_in_the_readme() -> None:
    modules = {entry.name for entry in files("agon_engine.ephyran").iterdir() if entry.name.endswith((".py", ".json"))}

    assert {"__init__.py"} == {module for module in modules if f"`{module}`" not in README}
