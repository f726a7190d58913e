"""From what a person names to a bot's class: each way, and each way in which it can be wrong, in one clear line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agon_bots import Bot, LoadError, load_bot
from agon_bots.house.greedy import GreedyBot
from agon_bots.house.random import RandomBot
from agon_bots.sdk.loading import check_bot
from agon_engine.registry import game_names

GOOD = """
from agon_bots import Bot

class MyBot(Bot):
    games = ["ephyran"]

    def choose(self, turn):
        return 0
"""


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("random", RandomBot),
        ("greedy", GreedyBot),
        ("agon_bots.house.random:RandomBot", RandomBot),
    ],
)
def test_installed_bots_are_loaded_by_name_and_by_module(spec: str, expected: type[Bot]) -> None:
    assert load_bot(spec) is expected


def test_a_file_is_loaded_with_and_without_its_class_named(tmp_path: Path) -> None:
    file = tmp_path / "mybot.py"
    file.write_text(GOOD)

    named, only = load_bot(f"{file}:MyBot"), load_bot(str(file))

    assert named is only
    assert named.__name__ == "MyBot"


def test_two_files_of_the_same_name_are_two_bots_and_import_what_lies_beside_them(tmp_path: Path) -> None:
    bots = []
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / f"helper_{folder}.py").write_text(f"VERSION = {folder!r}")
        file = tmp_path / folder / "mybot.py"
        file.write_text(f"from helper_{folder} import VERSION\n" + GOOD + "\n    version = VERSION\n")
        bots.append(load_bot(f"{file}:MyBot"))

    assert [bot.version for bot in bots] == ["one", "two"]


@pytest.mark.parametrize(
    ("text", "name", "message"),
    [
        (GOOD, ":Mybot", "bot.py has no class 'Mybot'; the bots in it: MyBot"),
        ("x = 1\n", "", "bot.py defines no subclass of agon_bots.Bot"),
        (GOOD + "\nclass Other(MyBot):\n    pass\n", "", "defines several bots (MyBot, Other); name one"),
        ("\n\nimport no_such_library\n", "", "does not import, line 3: ModuleNotFoundError: No module named 'no_such_"),
        ("def choose(self:\n", "", "does not import, line 1: SyntaxError: "),
        ("\nx = 1 / 0\n", "", "does not import, line 2: ZeroDivisionError: division by zero"),
        (GOOD + "\nfrom agon_bots import run\nrun(MyBot, argv=['--help'])\n", "", "put run(…) under if __name__ =="),
        ("class MyBot:\n    pass\n", ":MyBot", "bot.py:MyBot is no subclass of agon_bots.Bot: <class"),
        (GOOD.replace("choose", "decide"), ":MyBot", "bot.py:MyBot lacks its one method: def choose(self, turn)"),
        (GOOD.replace("self, turn", "self"), ":MyBot", "MyBot.choose must take (self, and one value)"),
        (GOOD + "\n    def __init__(self, depth):\n        pass\n", ":MyBot", "MyBot must be made without arguments"),
        (GOOD.replace('["ephyran"]', '["chess"]'), ":MyBot", "MyBot.games: unknown game 'chess'"),
        (GOOD.replace('["ephyran"]', '"ephyran"'), ":MyBot", "MyBot.games is a list of names, or a dict"),
        (GOOD.replace('["ephyran"]', '{"ephyran": [5]}'), ":MyBot", "MyBot.games: ephyran has 2 to 4 seats, not 5"),
        (GOOD + "\n    slots = 0\n", ":MyBot", "MyBot.slots is a whole number of matches from 1, not 0"),
        (GOOD + "\n    version = 2\n", ":MyBot", "MyBot.version is printable text of at most 64 characters, not 2"),
        (GOOD + "\n    version = 'v' * 65\n", ":MyBot", "MyBot.version is printable text of at most 64 characters"),
    ],
)
def test_a_file_that_is_no_bot_is_refused_in_one_line(tmp_path: Path, text: str, name: str, message: str) -> None:
    file = tmp_path / "bot.py"
    file.write_text(text)

    with pytest.raises(LoadError) as caught:
        load_bot(f"{file}{name}")

    told = str(caught.value)
    assert message in told
    assert "\n" not in told
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("nowhere/bot.py:MyBot", "no such file: 'nowhere/bot.py'"),
        ("no_such_module:MyBot", "no_such_module does not import: ModuleNotFoundError"),
        ("gredy", "no bot is called 'gredy'; installed are greedy, random; else name FILE.py:CLASS or MODULE:CLASS"),
        ("agon_bots:Turn", "agon_bots:Turn is no subclass of agon_bots.Bot"),
        ("agon_bots:Bot", "agon_bots:Bot lacks its one method"),
    ],
)
def test_a_name_that_leads_to_no_bot_is_refused_in_one_line(spec: str, message: str) -> None:
    with pytest.raises(LoadError) as caught:
        load_bot(spec)

    assert str(caught.value).startswith(message)


def test_a_bot_without_games_plays_all_of_them() -> None:
    class Any_(Bot):  # noqa: N801  # the name is told to nobody
        def choose(self, turn: Any) -> int:
            return len(turn.actions) - 1

    played = check_bot(Any_)

    assert [(game.name, game.seats) for game in played] == [(name, ()) for name in game_names()]
