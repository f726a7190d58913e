"""The documents tell the truth: commands exist, code runs, links lead somewhere, CI runs what it says."""

from __future__ import annotations

import argparse
import os
import re
import shlex
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from tests.support.cli import run
from tests.support.tree import ROOT, named, text_of, tracked, tracked_files

from agon_bots import LocalRules, play_matches
from agon_bots.sdk.settings import add_arguments
from agon_engine.registry import game_names, get_game

DOCUMENTS = tracked(".md")
_FENCED = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
_INLINE = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_TARGET = re.compile(r"^([a-z]+):.*?## ", re.MULTILINE)


def blocks(path: Path, language: str) -> list[str]:
    return [body for found, body in _FENCED.findall(text_of(path)) if found == language]


def written_commands(program: str) -> Iterator[tuple[str, str]]:
    """Yield the document and the text of each command of a program that is written somewhere."""
    for path in DOCUMENTS:
        lines = [line for block in blocks(path, "sh") for line in block.splitlines()]
        lines += _INLINE.findall(_FENCED.sub("", text_of(path)))
        for line in lines:
            command = re.sub(r"\s+#.*", "", line).strip()
            command = re.sub(r"^(?:[A-Z_]+=\S+ +)+", "", command)
            if command.startswith(f"{program} "):
                yield named(path), command


def anchors(path: Path) -> set[str]:
    headings = re.findall(r"^#+ (.*)$", _FENCED.sub("", text_of(path)), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_written_commands_are_those_of_the_command_line() -> None:
    help_of = cache(lambda *names: run(*names, "--help"))
    unknown = []
    for document, command in sorted(set(written_commands("agon"))):
        words = shlex.split(command)[1:]
        names: list[str] = []
        for word in words:
            if not re.fullmatch(r"[a-z]+(-[a-z]+)*", word) or "Commands:" not in help_of(*names).out:
                break
            names.append(word)
        shown = help_of(*names)
        # The flags of a running bot are the SDK's.
        known = sdk_help() if names == ["bot", "run"] else shown.out
        flags = {word.partition("=")[0] for word in words if word.startswith("--")}
        if shown.code != 0 or any(flag not in known for flag in flags):
            unknown.append((document, command))

    assert unknown == []


def sdk_help() -> str:
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    return parser.format_help()


def test_written_make_targets_exist() -> None:
    targets = set(_TARGET.findall(text_of(ROOT / "Makefile")))

    assert [place for place in written_commands("make") if place[1].split()[1] not in targets] == []


def test_every_make_target_is_listed_by_make_help_and_is_phony() -> None:
    makefile = text_of(ROOT / "Makefile")
    phony = re.search(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)

    assert phony is not None
    assert sorted(phony[1].split()) == sorted(_TARGET.findall(makefile))


def test_ci_runs_check_and_test_and_nothing_else() -> None:
    path = ROOT / ".ci/run"
    commands = [line for line in text_of(path).splitlines() if line and not line.startswith("#")]

    assert commands == ["set -euo pipefail", 'cd "$(dirname "$0")/.."', "make check", "make test"]
    assert os.access(path, os.X_OK)


def test_links_lead_to_files_and_headings_that_are_there() -> None:
    files = {ROOT / name for name in tracked_files()}
    places = files | {folder for file in files for folder in file.parents}
    broken = []
    for path in DOCUMENTS:
        for link in _LINK.findall(_FENCED.sub("", text_of(path))):
            name, _, anchor = link.partition("#")
            target = (path.parent / name).resolve() if name else path
            is_there = target in places and (not anchor or anchor in anchors(target))
            if not re.match(r"[a-z]+:", link) and not is_there:
                broken.append((named(path), link))

    assert broken == []


def test_paths_that_are_written_exist() -> None:
    """`server/agon_server/config.py` and the like, in whatever document."""
    roots = {name.partition("/")[0] for name in tracked_files() if "/" in name}
    places = {
        (named(path), text)
        for path in DOCUMENTS
        for text in _INLINE.findall(text_of(path))
        if re.fullmatch(r"[\w.]+(/[\w.-]+)+/?", text) and text.partition("/")[0] in roots
    }

    assert places
    assert [place for place in sorted(places) if not (ROOT / place[1]).exists()] == []


def test_the_changelog_has_an_unreleased_part_and_lists_every_game_under_rules() -> None:
    text = text_of(ROOT / "CHANGELOG.md")
    first = re.search(r"^## (.*)$", text, re.MULTILINE)

    assert first is not None
    assert first[1] == "Unreleased"
    for game in game_names():
        assert re.search(rf"^- {game} {get_game(game).spec.version}:", text, re.MULTILINE | re.IGNORECASE)


@pytest.fixture
def readme_bot(tmp_path: Path) -> Path:
    (code,) = blocks(ROOT / "README.md", "python")
    path = tmp_path / "mybot.py"
    path.write_text(code, encoding="utf-8")
    return path


def test_the_bot_of_the_readme_has_twenty_lines(readme_bot: Path) -> None:
    lines = readme_bot.read_text(encoding="utf-8").splitlines()

    assert lines[0] == "# mybot.py"
    assert len(lines) <= 20


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_the_bot_of_the_readme_plays_to_the_end(readme_bot: Path, seats: int) -> None:
    rules = LocalRules("ephyran", seats, seed="readme")
    played = list(play_matches(rules, [f"{readme_bot}:MyBot", "greedy"], seats, jobs=0))

    assert len(played) >= seats
    for match in played:
        assert match.faults == ()
        assert {why.value for why in match.result.seats} == {"score"}
