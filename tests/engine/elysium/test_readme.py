"""The game's README and card page against the game: every rule has its tests, every code its line, every card its
row."""

from __future__ import annotations

import ast
import re
from functools import cache
from importlib.resources import files
from pathlib import Path

import pytest
from tests.engine.elysium.positions import random_match

from agon_engine.elysium import GAME
from agon_engine.elysium.reference import card_text, set_page
from agon_engine.elysium.vocabulary import Card

FOLDER = files("agon_engine.elysium")
README = FOLDER.joinpath("README.md").read_text("utf-8")
HERE = Path(__file__).parent
CHAPTERS = {1: 2, 2: 5, 3: 2, 4: 8, 5: 9, 7: 5}
RULES = [f"E{chapter}.{rule}" for chapter, count in CHAPTERS.items() for rule in range(1, count + 1)]
RULES += ["E6", "E8", *(f"T{number}" for number in range(1, 9)), "C1", "C2", "C3", "D1", "D2", "O1"]


@cache
def docstrings_of_tests(module: str) -> str:
    """Return what the tests of a module say that they test; what stands elsewhere in it proves nothing."""
    tree = ast.parse((HERE / f"{module}.py").read_text("utf-8"))
    tests = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")]
    return "\n".join(ast.get_docstring(test) or "" for test in tests)


def cites(module: str, rule: str) -> bool:
    text = docstrings_of_tests(module)
    if rule.isdigit():
        found = re.findall(r"[Rr]ulings? ((?:\d+(?:, | and | to )?)+)", text)
        return any(int(rule) in _numbers(numbers) for numbers in found)
    return re.search(rf"\b{re.escape(rule)}\b(?!\.\d)", text) is not None


def _numbers(text: str) -> set[int]:
    numbers = set(map(int, re.findall(r"\d+", text)))
    for first, last in re.findall(r"(\d+) to (\d+)", text):
        numbers |= set(range(int(first), int(last) + 1))
    return numbers


def test_every_rule_and_ruling_has_a_line_and_each_test_file_named_there_cites_it() -> None:
    """All E rules, T1 to T8, C1 to C3, D1, D2, O1 and rulings 1 to 32: by a test of that file, in its docstring."""
    lines = dict(re.findall(r"^\| ((?:[ETCDO][\d.]+)|\d+) \| .* \| ((?:`test_\w+`(?:, )?)+) \|$", README, re.MULTILINE))

    assert sorted([*RULES, *map(str, range(1, 33))]) == sorted(lines)
    for rule, modules in lines.items():
        named = re.findall(r"`(test_\w+)`", modules)

        assert [module for module in named if not cites(module, rule)] == [], rule


def test_every_verb_of_an_action_an_event_and_a_prompt_is_in_the_readme() -> None:
    documented = {words.split()[0] for words in re.findall(r"`([a-z]+[^`]*)`", README)}
    verbs = {code.split()[0] for code in GAME.notation.codes}
    for number in range(20):
        for state in random_match(2 + number % 3, number):
            if state.decision is not None:
                verbs.add(state.decision.prompt.split()[0])
        for event in state.events_since(0):
            verbs |= {code.split()[0] for code in (event.code, event.secret) if code}

    assert set() == verbs - documented


def test_every_option_is_in_the_readme() -> None:
    for option in GAME.spec.options:
        assert f"| `{option.name}` | `{option.default}`" in README


def test_every_module_is_in_the_readme() -> None:
    modules = {entry.name for entry in FOLDER.iterdir() if entry.name.endswith((".py", ".json"))}

    assert {"__init__.py"} == {module for module in modules if f"`{module}`" not in README}


def test_the_card_page_is_current() -> None:
    """After a change of a card: write `set_page(GAME.cards)` to CARDS.md."""
    assert FOLDER.joinpath("CARDS.md").read_text("utf-8") == set_page(GAME.cards)


@pytest.mark.parametrize("card", GAME.cards.cards, ids=lambda card: card.id)
def test_a_card_is_told_in_full(card: Card) -> None:
    text = card_text(card)

    assert text.splitlines()[1] == card.text
    assert len(text.splitlines()) >= 3


def test_the_reference_has_every_card_by_its_id_and_then_the_rest_of_the_set() -> None:
    reference = GAME.reference()
    cards = [card.id for card in GAME.cards.cards]

    assert list(reference)[: len(cards)] == cards
    assert reference["zeus-io"].startswith("Io (zeus-io): Zeus, level 2, green, Eleusis")
    assert {key: reference[key].split("\n")[1] for key in list(reference)[len(cards) :]} == {
        "quests.players_2.1": "2 gold, 3 VP, 2 transfers",
        "quests.players_2.2": "1 gold, 3 VP, 3 transfers",
        "quests.players_3_4.1": "2 gold, 2 VP, 2 transfers",
        "quests.players_3_4.2": "1 gold, 4 VP, 2 transfers",
        "quests.players_3_4.3": "1 gold, 2 VP, 3 transfers",
        "quests.players_3_4.4": "3 gold, 4 VP, 2 transfers",
        "quests.incomplete": "1 gold, 0 VP, 1 transfer",
        "pediment.side_A": "red, yellow, green, blue; with two players red/yellow, green/blue",
        "pediment.side_B": "green, red, blue, yellow; with two players green/red, blue/yellow",
        "level_bonus": "level 1 2 VP, level 2 4 VP, level 3 6 VP",
    }


def test_options_are_numbered_as_choices_name_them() -> None:
    palladium = next(card for card in GAME.cards.cards if card.id == "athena-palladium")

    assert re.findall(r"option \d:", card_text(palladium))[:3] == ["option 1:", "option 2:", "option 3:"]


def test_no_module_of_the_rules_names_a_card() -> None:
    """Nothing card-specific outside the literals."""
    ids = {card.id for card in GAME.cards.cards}
    for entry in FOLDER.iterdir():
        if entry.name.endswith(".py"):
            code = re.sub(r'"""[\s\S]*?"""', "", entry.read_text("utf-8"))
            assert not ids & set(re.findall(r"[a-z]+(?:-[a-z]+)+", code)), entry.name


def test_files_are_short() -> None:
    folder = Path(str(FOLDER))
    lengths = {path: len(path.read_text("utf-8").splitlines()) for path in folder.rglob("*.py")}

    assert [path for path, length in lengths.items() if length > 500] == []
