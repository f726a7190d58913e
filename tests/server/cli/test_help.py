"""`--help` that teaches: every noun and verb has one, with examples that are commands."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest
from tests.support.cli import run

COMMANDS = [
    ("serve",),
    ("demo",),
    ("play",),
    ("doctor",),
    ("games",),
    ("cards",),
    ("settings",),
    ("bot", "register"),
    ("bot", "ls"),
    ("bot", "run"),
    ("bot", "log"),
    ("bot", "suspend"),
    ("bot", "resume"),
    ("bot", "retire"),
    ("bot", "trust"),
    ("ladder", "create"),
    ("ladder", "close"),
    ("ladder", "ls"),
    ("ladder", "show"),
    ("ladder", "file"),
    ("ladder", "rebuild"),
    ("ladder", "audit"),
    ("ladder", "export"),
    ("ladder", "report"),
    ("ladder", "season"),
    ("ladder", "seasons"),
    ("ladder", "purge"),
    ("ladder", "purges"),
    ("ladder", "accept-loss"),
    ("match", "ls"),
    ("match", "show"),
    ("match", "record"),
    ("match", "cancel"),
    ("queue", "ls"),
    ("queue", "dead"),
    ("queue", "discard"),
    ("queue", "requeue"),
    ("replay", "show"),
    ("replay", "verify"),
    ("tournament", "run"),
    ("tournament", "resume"),
    ("tournament", "status"),
    ("tournament", "report"),
    ("tournament", "show"),
]


def listed(*path: str) -> list[str]:
    lines = run(*path, "--help").out.partition("Commands:\n")[2].partition("\n\n")[0].splitlines()
    return [line.split()[0] for line in lines if line.startswith("  ") and line[2] != " "]


def test_the_commands_are_these() -> None:
    nouns = [name for name in listed() if listed(name)]
    found: list[tuple[str, ...]] = [(noun, verb) for noun in nouns for verb in listed(noun)]
    found += [(name,) for name in listed() if name not in nouns]

    assert sorted(found) == sorted(COMMANDS)


@pytest.mark.parametrize("noun", sorted({name[0] for name in COMMANDS if len(name) > 1}))
def test_the_readme_names_every_verb_of_a_noun(noun: str) -> None:
    readme = (Path(__file__).parents[3] / "README.md").read_text(encoding="utf-8")
    also = re.findall(rf"^agon {noun} .*# .*?also: (.*(?:\n +#.*)*)", readme, re.MULTILINE)
    named = {*re.findall(rf"agon {noun} ([a-z-]+)", readme), *re.findall(r"[a-z][a-z-]+", " ".join(also))}

    assert set() == {name[1] for name in COMMANDS if name[0] == noun and len(name) > 1} - named


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_each_command_tells_what_it_does_and_shows_examples(path: tuple[str, ...]) -> None:
    ran = run(*path, "--help")

    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith(f"Usage: agon {' '.join(path)}")
    examples = ran.out.partition("Examples:\n")[2].splitlines()
    assert examples
    for line in examples:
        words = shlex.split(line, comments=True)
        assert any(words[at : at + 1 + len(path)] == ["agon", *path] for at in range(len(words))), line


@pytest.mark.parametrize("path", [path for path in COMMANDS if path not in (("serve",), ("bot", "run"))], ids=" ".join)
def test_each_command_that_answers_has_json_and_debug(path: tuple[str, ...]) -> None:
    text = run(*path, "--help").out

    assert "--json" in text
    assert "--debug" in text


def test_all_settings_are_listed_with_their_defaults() -> None:
    from agon_server.settings import SETTINGS

    listed = json.loads(run("settings", "--json").out)
    lines = run("settings").out.splitlines()

    assert [setting.key for setting in SETTINGS] == [item["key"] for item in listed]
    assert {"key": "ping", "default": "10", "meaning": "seconds between Pings", "environment": "AGON_PING"} in listed
    assert len(lines) == 1 + len(SETTINGS)


def test_a_noun_without_a_verb_shows_its_help() -> None:
    ran = run("bot")

    assert (ran.code, ran.err) == (2, "")
    assert "register" in ran.out


def test_the_top_tells_first_steps_and_exit_codes() -> None:
    text = run("--help").out

    assert "agon demo" in text
    assert "0 ok   1 a negative result   2 the command or a file is wrong   3 its surroundings are" in text
    assert run().code == 2


def test_the_version_is_that_of_the_package() -> None:
    from agon_engine import __version__

    assert run("--version") == (0, f"agon {__version__}\n", "")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nonsense",), "agon: no such command 'nonsense'; see `agon --help`\n"),
        (("bot", "nonsense"), "agon: no such command 'nonsense'; see `agon bot --help`\n"),
        (("bot", "register"), "agon: missing argument 'NAME"),
        (("games", "--nonsense"), "agon: no such option"),
        (("queue", "ls", "--limit", "0"), "agon: invalid value for '--limit': "),
        (("queue", "requeue", "id", "--all"), "agon: name one dead letter, or all by --all"),
    ],
)
def test_wrong_usage_is_one_line_that_says_where_help_is(arguments: tuple[str, ...], message: str) -> None:
    ran = run(*arguments)

    ran.assert_one_line(2)
    assert ran.err.startswith(message)
    assert ran.err.endswith("--help`\n") or "dead letter" in message
