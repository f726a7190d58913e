"""The same commands through a running server and through the data folder itself: one implementation, two doors."""

from __future__ import annotations

import json
import re
import secrets
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.server.cli.conftest import Served, game
from tests.support.cli import run


@pytest.fixture(params=["server", "folder"])
def data(request: pytest.FixtureRequest) -> str:
    """The data folder of an installation, with a server running on it or not."""
    if request.param == "server":
        served: Served = request.getfixturevalue("served")
        return str(served.data)
    unserved: Path = request.getfixturevalue("unserved")
    return str(unserved)


def name(prefix: str) -> str:
    return f"{prefix}-{secrets.token_hex(4)}"


def answer(*arguments: str) -> Any:
    ran = run(*arguments, "--json")
    assert (ran.code, ran.err) == (0, ""), ran
    return json.loads(ran.out)


def test_a_bot_is_registered_listed_suspended_and_renewed(data: str) -> None:
    bot = name("hector")

    token = run("bot", "register", bot, "--owner", "priam", "--data", data)
    again = run("bot", "register", bot, "--data", data)
    renewed = run("bot", "register", bot, "--renew", "--data", data)
    assert run("bot", "suspend", bot, "--reason", "plays for two owners", "--data", data).code == 0
    assert run("bot", "trust", bot, "--data", data).code == 0
    listed = [item for item in answer("bot", "ls", "--data", data) if item["name"] == bot]
    log = answer("bot", "log", bot, "--data", data)
    assert run("bot", "resume", bot, "--data", data).code == 0

    assert token.out.startswith("agon_")
    assert token.out.count("\n") == 1
    again.assert_one_line(2)
    assert renewed.out != token.out
    assert [(item["owner"], item["suspended"], item["trusted"]) for item in listed] == [("priam", True, True)]
    assert log == {"lines": [], "truncated": 0, "suspended": "plays for two owners", "retirements": []}


def test_a_bot_is_retired_and_comes_back(data: str) -> None:
    bot = name("hector")
    assert run("bot", "register", bot, "--data", data).code == 0

    retired = run("bot", "retire", bot, "--reason", "it fell", "--by", "priam", "--data", data)
    other = run("bot", "retire", bot, "--version", "1.3", "--reason", "crashes", "--data", data)
    listed = [item for item in answer("bot", "ls", "--data", data) if item["name"] == bot]
    log = run("bot", "log", bot, "--data", data)
    back = run("bot", "retire", bot, "--undo", "--data", data)
    again = run("bot", "retire", bot, "--undo", "--data", data)

    assert retired.out == f"{bot} is retired; `agon bot retire {bot} --undo` lets it play again\n"
    other.assert_one_line(2)
    assert "connected with are none yet, not '1.3'" in other.err
    assert [(item["retired"], item["retired_versions"]) for item in listed] == [(True, [])]
    assert re.fullmatch(r"the bot is retired since \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ, by priam: it fell\n", log.out)
    assert back.out == f"{bot} may play again\n"
    again.assert_one_line(2)


def test_a_ladder_is_made_shown_audited_rebuilt_and_closed(data: str) -> None:
    ladder = name("blitz")

    made = answer(
        "ladder",
        "create",
        ladder,
        "--game",
        game(),
        "--seats",
        "3",
        "--move",
        "0.5",
        "--house-games",
        "7",
        "--system",
        "weng-lin",
        "--rotations",
        "all",
        "--short-handed",
        "--data",
        data,
    )
    listed = [item for item in answer("ladder", "ls", "--data", data) if item["name"] == ladder]
    shown = answer("ladder", "show", ladder, "--data", data)
    audit = answer("ladder", "audit", ladder, "--data", data)
    rebuild = answer("ladder", "rebuild", ladder, "--data", data)
    closed = answer("ladder", "close", ladder, "--data", data)

    assert (made["time"]["move"], made["policy"]["on_fault"], made["open"]) == (500_000, "substitute", True)
    assert (made["house_games"], made["system"], made["rotations"]) == (7, "weng-lin", "all")
    assert made["short_handed"]
    assert listed == [made]
    assert (shown["ladder"], shown["rows"]) == (made, [])
    counts = dict.fromkeys(("matches", "records", "unreadable", "rated", "ratings", "purged"), 0)
    assert audit == {
        ladder: {"findings": [], "results": 0, "counts": counts, "losses": [], "replayed": 0, "skipped": 0}
    }
    assert rebuild == {"findings": [], "results": 0}
    assert not closed["open"]
    assert ladder not in [item["name"] for item in answer("ladder", "ls", "--open", "--data", data)]


def test_a_ladder_is_reported_on_in_every_form(data: str, tmp_path: Path) -> None:
    ladder = name("report")
    answer("ladder", "create", ladder, "--game", game(), "--seats", "2", "--data", data)
    page, tables = tmp_path / "report.html", tmp_path / "tables"

    text = run("ladder", "report", ladder, "--data", data)
    told = answer("ladder", "report", ladder, "--data", data)
    html = run("ladder", "report", ladder, "--format", "html", "--out", str(page), "--data", data)
    csv = run("ladder", "report", ladder, "--format", "csv", "--out", str(tables), "--data", data)

    assert text.out.startswith(f"Ladder {ladder}\n")
    assert (told["title"], told["matches"], told["standings"]) == (f"Ladder {ladder}", 0, [])
    assert (html.code, html.out) == (csv.code, csv.out) == (0, "")
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert {file.name for file in tables.iterdir()} == {
        f"{table}.csv" for table in ("standings", "history", "pairs", "seats", "faults", "times")
    }


def test_a_report_that_has_no_place_to_go_is_refused(data: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    report = ("ladder", "report", "none", "--data", data)

    run(*report).assert_one_line(2)
    ran = run(*report, "--format", "csv")
    ran.assert_one_line(2)
    assert "name a folder for them by --out DIR" in ran.err
    run(*report, "--format", "html", "--out", str(tmp_path / "none" / "report.html")).assert_one_line(2)


def test_seasons_are_made_and_listed_and_a_purge_of_nothing_is_refused(data: str, tmp_path: Path) -> None:
    ladder, purge = name("cup"), name("p")
    made = ("--game", game(), "--seats", "2", "--data", data)
    assert run("ladder", "create", ladder, *made).code == 0
    told = ("--why", "the summer is over", "--by", "ann", "--id", name("s"), "--data", data)

    begun = answer("ladder", "season", ladder, "--start", "autumn", "--soft", "25", *told)
    again = run("ladder", "season", ladder, "--start", "autumn", "--soft", "25", *told)
    dry = run("ladder", "purge", ladder, "--server-name", "east", "--dry-run", "--data", data)
    since = ("--server-name", "east", "--since", "2026-01-31")
    empty = run("ladder", "purge", ladder, *since, "--why", "x", "--id", purge, "--data", data)
    unknown = run("ladder", "purge", ladder, "--bot", "nobody", "--dry-run", "--data", data)
    undone = run("ladder", "purge", ladder, "--undo", purge, "--why", "y", "--data", data)
    listed = answer("ladder", "purges", ladder, "--data", data)
    seasons = answer("ladder", "seasons", ladder, "--data", data)
    export = run("ladder", "export", ladder, "--out", str(tmp_path / "results.csv"), "--data", data)

    assert not begun["repeated"]
    began = datetime.fromtimestamp(int(begun["position"].partition("-")[0]) // 1000, UTC)
    begins = f"season autumn of ladder {ladder} begins at {began:%Y-%m-%dT%H:%M:%SZ}\n"
    assert again.out == f"{begins}it was there already, and is not done twice\n"
    assert dry.out == f"0 rated matches of ladder {ladder} would not count any more\n"
    empty.assert_one_line(2)
    assert "is one of server east, since 2026-01-31T00:00:00.000Z" in empty.err
    unknown.assert_one_line(2)
    assert "there is no bot of this name" in unknown.err
    undone.assert_one_line(2)
    assert listed == []
    assert seasons[0]["label"] == "first"
    assert export.out == f"results of ladder {ladder} written to {tmp_path / 'results.csv'}\n"
    assert (tmp_path / "results.csv").read_text().startswith("id,match,ladder,season,block,place,attempt,purge,ended,")
    assert [file.name for file in tmp_path.iterdir()] == ["results.csv"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("season", "x", "--start", "a", "--why", "b", "--soft", "1", "--hard"), "goes without --soft"),
        (("purge", "x", "--why", "b"), "name what is purged by --bot, --server-name or --match"),
        (("purge", "x", "--bot", "a"), "a purge needs a reason: --why TEXT"),
        (("purge", "x", "--bot", "a", "--why", "b", "--since", "soon"), "--since is a time as 2030-03-17 or"),
        (("purge", "x", "--bot", "a", "--undo", "p", "--why", "b"), "--undo takes a whole purge back"),
        (("purge", "x", "--undo", "p"), "to take a purge back needs a reason"),
        (("show", "x", "--watch", "--season", "a"), "goes without --season: 'a'"),
        (("audit", "x", "--all", "--sample", "3"), "--all and --sample exclude each other: 3"),
        (("audit", "x", "--trades", "--all"), "--trades plays no records"),
        (("audit", "x", "--min-matches", "3"), "--min-matches needs --trades: 3"),
        (("export", "x", "--json"), "an export is written in its own form"),
    ],
)
def test_what_makes_no_sense_is_told_before_anybody_is_asked(arguments: tuple[str, ...], words: str) -> None:
    ran = run("ladder", *arguments, "--data", "/nowhere")

    ran.assert_one_line(2)
    assert words in ran.err


def test_a_table_in_a_pipe_has_a_header(data: str) -> None:
    assert run("ladder", "ls", "--data", data).out.splitlines()[0].split("\t")[:4] == [
        "ladder",
        "game",
        "rules",
        "seats",
    ]
    assert run("ladder", "audit", "--data", data).code == 0


def test_an_idle_queue_and_a_ladder_without_matches(data: str) -> None:
    """Others of the server may have some."""
    ladder = name("idle")
    answer("ladder", "create", ladder, "--game", game(), "--seats", "2", "--data", data)

    assert answer("queue", "dead", "--data", data) == {
        "letters": [],
        "set_aside": [],
        "letters_dropped": 0,
        "set_aside_dropped": 0,
    }
    assert answer("queue", "ls", "--data", data)["items"] == []
    assert answer("match", "ls", "--ladder", ladder, "--data", data) == []
    assert run("queue", "requeue", "--all", "--data", data).out == "there is no dead letter\n"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("match", "show", "nonsense"), "no match is called 'nonsense'"),
        (("match", "record", "nonsense"), "no match is called 'nonsense'"),
        (("match", "cancel", "nonsense"), "no match that waits or runs is called 'nonsense'"),
        (("queue", "requeue", "nonsense"), "there is no dead letter 'nonsense'"),
        (("queue", "discard", "nonsense"), "no result set aside of that id 'nonsense'"),
        (("ladder", "show", "nonsense"), "not 'nonsense'"),
        (("ladder", "audit", "nonsense"), "not 'nonsense'"),
        (("ladder", "close", "nonsense"), "not 'nonsense'"),
        (("bot", "log", "nonsense"), "no bot is called 'nonsense'"),
        (("bot", "suspend", "nonsense", "--reason", "x"), "no bot is called 'nonsense'"),
        (("bot", "retire", "nonsense", "--reason", "x"), "no bot is called 'nonsense'"),
        (("bot", "retire", "nonsense"), "a retirement needs a reason: --reason TEXT"),
        (("bot", "retire", "nonsense", "--undo", "--reason", "x"), "--undo goes only with --version"),
        (("bot", "register", "No Name"), "'No Name'"),
        (("ladder", "create", "--game", "chess", "--seats", "2"), "unknown game 'chess'"),
        (("ladder", "create", "--game", game(), "--seats", "9"), "seats, not 9"),
        (("ladder", "create", "--game", game(), "--seats", "2", "--option", "x=y"), "has no option 'x'"),
        (("ladder", "create", "--game", game(), "--seats", "2", "--on-fault", "void"), "not 'void'"),
        (("ladder", "create", "--game", game(), "--seats", "2", "--move", "0", "--bank", "0"), "cannot both be 0"),
    ],
    ids=lambda item: " ".join(item[:3]) if isinstance(item, tuple) else "",
)
def test_what_cannot_be_is_said_in_the_same_words(data: str, arguments: tuple[str, ...], words: str) -> None:
    ran = run(*arguments, "--data", data)

    ran.assert_one_line(2)
    assert words in ran.err


def test_only_a_running_server_can_be_drained_or_watched_by_address(served: Served, unserved: Path) -> None:
    ladder = run("ladder", "ls", "--server", served.admin.address)
    register = run("bot", "register", name("paris"), "--server", served.admin.address)
    by_admin = run(
        "bot", "register", name("paris"), "--server", served.admin.address, env={"AGON_ADMIN_TOKEN": served.admin.token}
    )

    assert ladder.code == 0
    register.assert_one_line(2)
    assert "AGON_ADMIN_TOKEN" in register.err
    assert "metadata" not in register.err
    assert by_admin.code == 0


def test_an_owner_reads_the_bots_log_by_its_token(served: Served) -> None:
    """Requirement L5: visible only to the owner."""
    bot, other = name("hector"), name("paris")
    tokens = {one: run("bot", "register", one, "--data", str(served.data)).out.strip() for one in (bot, other)}

    own = run("bot", "log", bot, "--server", served.admin.address, env={"AGON_TOKEN": tokens[bot]})
    foreign = run("bot", "log", bot, "--server", served.admin.address, env={"AGON_TOKEN": tokens[other]})

    assert (own.code, own.out) == (0, "")
    foreign.assert_one_line(2)
    assert f"the token of bot {other} is not good for this" in foreign.err


def test_the_folder_is_taken_from_the_environment(unserved: Path) -> None:
    assert run("ladder", "ls", env={"AGON_DATA": str(unserved)}).code == 0


def test_the_address_of_a_server_that_was_killed_is_no_hindrance(unserved: Path) -> None:
    from agon_server.services.admin_file import write_admin_file

    write_admin_file(unserved, "127.0.0.1:1")
    try:
        assert run("ladder", "ls", "--data", str(unserved)).code == 0
    finally:
        write_admin_file(unserved, "")
