"""What is kept of a tournament and told beside its table: its bots' files and errors, and why ranks are so."""

from __future__ import annotations

import json
from hashlib import blake2b
from pathlib import Path

import pytest
from tests.support.cli import run
from tests.support.cups import HERE, PLAIN, tournament, write

FAILING = """\
from agon_bots import Bot

class Failing(Bot):
    def choose(self, turn):
        if turn.decision == 1:
            raise ValueError("cannot go there")
        return 0
"""


def test_what_was_played_is_told_from_anywhere_and_without_its_bots(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "here").mkdir()
    (tmp_path / "there" / "mine.py").write_text(PLAIN)
    file = write(tmp_path / "there", "mine.py", "random")
    table = tournament("run", file, *HERE)["standings"]

    monkeypatch.chdir(tmp_path / "here")
    from_elsewhere = tournament("report", Path("../there/../there/cup.toml"))["standings"]
    (tmp_path / "there").rename(tmp_path / "moved")
    (tmp_path / "moved" / "mine.py").unlink()
    moved = tournament("report", tmp_path / "moved" / "cup.toml")
    status = tournament("status", Path("../moved/cup.toml"))

    assert table == from_elsewhere == moved["standings"]
    assert status["is_over"]
    refused = run("tournament", "resume", str(tmp_path / "moved" / "cup.toml"))
    assert (refused.code, "there is no such file" in refused.err) == (2, True)


def test_a_bots_file_that_has_changed_is_refused_or_told(tmp_path: Path) -> None:
    bot = tmp_path / "mine.py"
    bot.write_text(PLAIN)
    file = write(tmp_path, "mine.py", "random")
    begun = tournament("run", file, *HERE)
    bot.write_text(PLAIN + "\n# better\n")

    refused = run("tournament", "resume", str(file), *HERE)
    gone_on = tournament("resume", file, "--changed-bots", *HERE)
    again = tournament("resume", file, *HERE)

    assert begun["changed_bots"] == []
    assert begun["bot_files"] == {"bot-0": {"mine.py": blake2b(PLAIN.encode(), digest_size=32).hexdigest()}}
    assert refused.code == 2
    assert f"mine.py of bot-0 was {begun['bot_files']['bot-0']['mine.py']}, and is " in refused.err
    assert "--changed-bots goes on" in refused.err
    assert gone_on["changed_bots"] == [{"bot": "bot-0", "file": "mine.py", "after": 4}] == again["changed_bots"]
    told = "bot-0: mine.py was changed after 4 matches"
    assert told in run("tournament", "report", str(file)).out
    whole = run("tournament", "report", str(file), "--format", "text").out
    assert told in whole
    assert gone_on["bot_files"]["bot-0"]["mine.py"] in "".join(whole.split())


def test_errors_of_bots_are_told_as_they_happen_and_at_the_end_and_kept(tmp_path: Path) -> None:
    """Demand: nothing is silent, also where the bot went on in other matches."""
    (tmp_path / "failing.py").write_text(FAILING)
    file = write(tmp_path, "failing.py", "random")

    ran = run("tournament", "run", str(file), *HERE)
    report = run("tournament", "report", str(file))
    told = json.loads(run("tournament", "report", str(file), "--json").out)

    line = "bot-0: choose raised ValueError: cannot go there (failing.py, line 6)"
    assert ran.err.count(line) == 1
    assert f"more of it is in {tmp_path / 'cup.agon' / 'errors.json'}" in ran.err
    assert "bot-0: 4 of its 4 matches ended otherwise: resigned 4\n" in ran.out
    assert f"{line}, first in match cup-1.1.1\n  Traceback" in ran.out
    assert ran.out.endswith(report.out)
    assert told["ended_otherwise"] == {"bot-0": {"resigned": 4}}
    (error,) = told["errors"]
    assert "raise ValueError" in error["traceback"]
    assert "resigned 4" in run("tournament", "status", str(file)).out


def test_a_whole_report_justifies_its_ranks_and_tells_who_met_whom(tmp_path: Path) -> None:
    """Of a Swiss tournament of three bots, in which one has a bye in each round."""
    file = write(tmp_path, *["random"] * 3)
    table = tournament("run", file, *HERE)["standings"]

    report = json.loads(run("tournament", "report", str(file), "--format", "json").out)
    text = run("tournament", "report", str(file), "--format", "text").out
    page = run("tournament", "report", str(file), "--format", "html").out

    assert [
        (row["rank"], row["bot"], row["points"], row["byes"], [row["buchholz"], row["sonneborn_berger"]])
        for row in report["ranking"]
    ] == [(row["rank"], row["bot"], row["points"], row["byes"], row["tie_breaks"]) for row in table]
    assert [row["round"] for row in report["rounds"]] == ["round 1 of 2"] * 3 + ["round 2 of 2"] * 3
    byes = [row["bot"] for row in report["rounds"] if row["block"] == "bye"]
    assert sorted(byes) == sorted(row["bot"] for row in table if row["byes"])
    assert all(row["points"] is None for row in report["rounds"] if row["block"] == "bye")
    assert {"rotations", "time", "on fault"} <= set(report["about"])
    assert report["about"]["matches"] == "4 of 4, all"
    for told in ("Buchholz", "Rounds", "round 1 of 2", "bye", "game points"):
        assert told in text
        assert told in page
