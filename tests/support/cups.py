"""A small tournament that is played here, and its commands."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.support.cli import run

GAME = "ephyran"
HERE = ("--jobs", "0")
FILE = """\
name = "cup"
game = "{game}"
seats = {seats}
seed = "7"

[format]
{format}
"""
BOT = """
[[bots]]
name = "{name}"
bot = "{bot}"
"""
SWISS = 'kind = "swiss"\nrounds = 2'
PLAIN = """\
from agon_bots import Bot

class Plain(Bot):
    def choose(self, turn):
        return 0
"""


def write(folder: Path, *bots: str, seats: int = 2, format_: str = SWISS) -> Path:
    file = folder / "cup.toml"
    text = FILE.format(game=GAME, seats=seats, format=format_)
    text += "".join(BOT.format(name=f"bot-{number}", bot=bot) for number, bot in enumerate(bots))
    file.write_text(text)
    return file


def tournament(verb: str, file: Path, *arguments: str) -> dict[str, Any]:
    """Run a command that succeeds; return what it told as JSON."""
    ran = run("tournament", verb, str(file), "--json", *arguments)
    assert (ran.code, ran.err) == (0, ""), ran
    told: dict[str, Any] = json.loads(ran.out)
    return told
