"""Golden playthroughs: what a match shows has not changed unless somebody looked at the difference."""

from __future__ import annotations

import re
from difflib import unified_diff
from itertools import islice

import pytest
from tests.golden.generate import FOLDER, Playthrough, main, playthrough_text, playthroughs

from agon_engine.registry import game_names, get_game

CASES = [
    pytest.param(name, playthrough, id=playthrough.path(name).stem)
    for name in game_names()
    for playthrough in playthroughs(get_game(name))
]


@pytest.mark.parametrize(("name", "playthrough"), CASES)
def test_a_playthrough_is_what_it_was(name: str, playthrough: Playthrough) -> None:
    path = playthrough.path(name)
    before = path.read_text(encoding="utf-8").splitlines()
    after = playthrough_text(get_game(name), playthrough).splitlines()
    difference = list(islice(unified_diff(before, after, str(path), "now", lineterm="", n=2), 60))

    assert not difference, "\n".join(
        [*difference, f"if this is meant: make golden GAME={name}, and read the difference"]
    )


def test_there_is_no_other_file() -> None:
    expected = {playthrough.path(name) for name in game_names() for playthrough in playthroughs(get_game(name))}

    assert set(FOLDER.rglob("*.txt")) == expected


@pytest.mark.parametrize("name", game_names())
def test_the_playthroughs_of_a_game_are_few_and_small(name: str) -> None:
    sizes = [playthrough.path(name).stat().st_size for playthrough in playthroughs(get_game(name))]

    assert max(sizes) < 90_000
    assert sum(sizes) < 300_000


def test_elysium_is_played_with_apollo_and_ares_with_neither_and_with_one_of_them() -> None:
    lines = [playthrough.path("elysium").read_text("utf-8") for playthrough in playthroughs(get_game("elysium"))]
    dealt = [re.search(r"^    families (.*) side ", text, re.MULTILINE) for text in lines]
    found = [len({"apollo", "ares"} & set(families[1].split())) for families in dealt if families is not None]

    assert sorted(found) == [0, 1, 2]


def test_an_unknown_game_is_refused_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["chess"]) == 2
    assert capsys.readouterr().err.startswith("unknown game 'chess'; this installation has ")
