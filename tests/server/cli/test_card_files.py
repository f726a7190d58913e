"""Options that are files, as people type them: `agon cards`, `play`, `replay`, and what is said of files that cannot be
used. Ladders with one are in the end-to-end tests."""

from __future__ import annotations

import asyncio
import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from tests.support import card_files
from tests.support.card_files import GAME, OTHER_ID
from tests.support.cli import run
from tests.support.shown import ladder_of
from tests.support.toy_game import GAME as TOY

from agon.codec import admin
from agon_engine.core.record_file import read_records
from agon_engine.registry import game_names, get_game
from agon_server.cli.door import Door
from agon_server.cli.ladder import making
from agon_server.cli.output import Output

REFERENCE = get_game(GAME).reference()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return card_files.write(tmp_path)


# -- agon cards -----------------------------------------------------------------------------------------------


def test_all_cards_are_listed_a_line_each() -> None:
    ran = run("cards", GAME)
    head, *rows = ran.out.splitlines()

    assert (ran.code, ran.err, head) == (0, "", "id\twhat it is\ttext")
    assert [row.split("\t")[0] for row in rows] == list(REFERENCE)
    what, text = REFERENCE["zeus-leda"].split("\n")[:2]
    assert rows[0].split("\t")[1:] == [what.removeprefix("Leda (zeus-leda): "), text]
    assert "(zeus-" not in ran.out


def test_one_card_is_told_in_full() -> None:
    ran = run("cards", GAME, "zeus-leda")

    assert (ran.code, ran.out) == (0, REFERENCE["zeus-leda"] + "\n")
    assert len(ran.out.splitlines()) > 2


@pytest.mark.parametrize("name", ["leda", "Leda", "LEDA"])
def test_a_card_is_found_by_the_end_of_its_id_where_no_other_ends_so(name: str) -> None:
    assert run("cards", GAME, name) == run("cards", GAME, "zeus-leda")


def test_cards_as_json() -> None:
    assert json.loads(run("cards", GAME, "--json").out) == [
        {"id": name, "text": text} for name, text in REFERENCE.items()
    ]
    assert json.loads(run("cards", GAME, "zeus-leda", "--json").out) == {
        "id": "zeus-leda",
        "text": REFERENCE["zeus-leda"],
    }


def test_the_cards_of_a_file(file: Path) -> None:
    given = ("--option", f"cards={file}")

    assert run("cards", GAME, OTHER_ID, *given).out.startswith(f"Other ({OTHER_ID}): Zeus, level 1")
    listed = run("cards", GAME, *given).out
    assert "zeus-leda" not in listed
    value = get_game(GAME).with_file("cards", file.read_text()).files["cards"].hash
    assert listed.endswith(f"\ncards={value} is how ladders, matches and records name this file\n")
    assert "records name" not in run("cards", GAME).out


@pytest.mark.parametrize(
    ("card", "message"),
    [
        ("zeus-lede", "elysium has no card 'zeus-lede'; near are zeus-leda, "),
        ("led", "elysium has no card 'led'; near are zeus-leda"),
        ("1", "elysium has several cards '1'; they are quests.players_2.1, quests.players_3_4.1"),
        ("0123456789", "elysium has no card '0123456789'; see `agon cards elysium`"),
    ],
)
def test_an_unknown_card_is_answered_with_near_ones(card: str, message: str) -> None:
    ran = run("cards", GAME, card)
    ran.assert_one_line(2)

    assert message in ran.err


def test_a_game_without_cards_and_one_that_nobody_has(monkeypatch: pytest.MonkeyPatch) -> None:
    unknown = run("cards", "chess")
    monkeypatch.setattr("agon_server.cli.cards.get_game", lambda _: TOY)
    without = run("cards", "toy")

    for ran, message in ((without, "toy has no cards to show"), (unknown, "unknown game 'chess'")):
        ran.assert_one_line(2)
        assert message in ran.err


def test_the_cards_of_every_game_can_be_shown() -> None:
    for name in game_names():
        known = get_game(name).reference()
        assert [row["id"] for row in json.loads(run("cards", name, "--json").out)] == list(known)
        assert all(len(text.split("\n")) > 1 for text in known.values())


def test_the_rest_of_a_file_s_set_is_shown_too(tmp_path: Path) -> None:
    data = card_files.other_object()
    data["quests"]["incomplete"]["gold"] = 7
    data["level_bonus"]["3"] = 8
    listed = run("cards", GAME, "--option", f"cards={card_files.write(tmp_path, json.dumps(data))}").out

    assert "\nquests.incomplete\tthe other side of every tile\t7 gold, 0 VP, 1 transfer\n" in listed
    assert "\nlevel_bonus\tone tile a level\tlevel 1 2 VP, level 2 4 VP, level 3 8 VP\n" in listed
    assert listed.count("\npediment.side_") == 2


def test_a_set_is_exported_as_a_file_to_begin_with_and_never_over_another(tmp_path: Path, file: Path) -> None:
    house, own = tmp_path / "house.json", tmp_path / "own.json"

    assert run("cards", GAME, "--export", str(house)).code == 0
    assert run("cards", GAME, "--export", str(own), "--option", f"cards={file}").code == 0
    assert len(json.loads(house.read_text())["cards"]) == len(house.read_text().split('"estimate"')) - 1 == 88
    assert run("cards", GAME, "--option", f"cards={house}").out.startswith(run("cards", GAME).out)
    assert card_files.hash_of(own.read_text()) == card_files.hash_of(file.read_text())

    before = own.read_text()
    for target, message, code in (
        (own, "--export writes a new file, and there is one", 2),
        (tmp_path / "none" / "own.json", "--export cannot write", 3),
    ):
        ran = run("cards", GAME, "--export", str(target))
        ran.assert_one_line(code)
        assert message in ran.err
    assert own.read_text() == before


@pytest.mark.parametrize("arguments", [("cyclades",), (GAME, "zeus-leda")])
def test_what_is_no_set_is_not_exported(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    ran = run("cards", *arguments, "--export", str(tmp_path / "set.json"))

    ran.assert_one_line(2)
    assert list(tmp_path.iterdir()) == []


def test_one_game_is_shown_with_what_its_options_may_be() -> None:
    shown = run("games", GAME)

    assert (shown.code, shown.err) == (0, "")
    assert shown.out.splitlines()[0] == "elysium: 2 to 4 seats, rules 1, hidden information"
    assert "option\tdefault\tallowed\twhat it does" in shown.out
    assert "cards\thouse\thouse, FILE\tthe card set: the house set, or a file with another one" in shown.out
    assert "families\trandom\trandom, first, …\tthe five families: " in shown.out
    assert "max_cycles\t30\t30, …\tafter so many cycles" in run("games", "cyclades").out
    assert json.loads(run("games", GAME, "--json").out) in json.loads(run("games", "--json").out)
    unknown = run("games", "chess")
    unknown.assert_one_line(2)
    assert "unknown game 'chess'" in unknown.err


@pytest.mark.parametrize("second", ["families=random", "families=first"])
def test_an_option_is_given_once(second: str) -> None:
    for command in (*COMMANDS, ("ladder", "create", "--game", GAME, "--seats", "2")):
        ran = run(*command, "--option", "families=first", "--option", second)
        ran.assert_one_line(2)
        assert f"--option families is given twice; give it once, not also as '{second}'" in ran.err


def test_games_say_which_options_are_files() -> None:
    games = {game["name"]: game for game in json.loads(run("games", "--json").out)}

    assert {option["name"]: option["is_file"] for option in games[GAME]["options"]} == {
        "families": False,
        "cards": True,
    }


def test_games_say_which_options_may_be_more_than_is_listed() -> None:
    options = {option["name"]: option for option in json.loads(run("games", "cyclades", "--json").out)["options"]}

    assert {name for name, option in options.items() if option["is_open"]} == {"max_cycles"}
    assert options["max_cycles"]["allowed"] == ["30"]


# -- files that cannot be used --------------------------------------------------------------------------------


def test_a_ladder_that_is_made_with_a_file_says_its_hash(file: Path) -> None:
    class Server:
        """Makes the ladder that is asked for."""

        async def call(self, _method: Any, request: admin.CreateLadderRequest) -> admin.CreateLadderResponse:
            assert list(request.files) == ["cards"]
            return admin.CreateLadderResponse(replace(ladder_of(2), name="own", options=request.options))

    printed = io.StringIO()
    value = get_game(GAME).with_file("cards", file.read_text()).files["cards"].hash

    asyncio.run(making.create(Output(stream=printed), cast(Door, Server()), GAME, 2, "own", option=[f"cards={file}"]))

    assert printed.getvalue().splitlines() == [
        "ladder own is open",
        f"cards={value}; `agon ladder file {value}` prints the file",
    ]


COMMANDS = (("cards", GAME), ("play", GAME, "--bots", "random,random", "--matches", "2", "--jobs", "0"))
every_command = pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])


@every_command
@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("none.json", None, "cannot read '{path}': no such file or directory"),
        (".", None, "cannot read '{path}': is a directory"),
        ("", None, "expected a file's path, not ''"),
        ("latin.json", b'{"name": "caf\xe9"}', "not UTF-8 at byte 13: '{path}'"),
        ("big.json", b" " * (1 << 20) + b"x", "a file for an option has at most 1 MiB: '{path}'"),
        ("empty.json", b"", "'{path}' cannot be used: the file is no JSON: Expecting value"),
        ("deep.json", b"[" * 100_000, "'{path}' cannot be used: the file is no card set: it is nested too deeply"),
        ("long.json", b'{"cards": "' + b"x" * 500_000 + b'"}', "'{path}' cannot be used"),
    ],
)
def test_a_file_that_cannot_be_used(
    command: tuple[str, ...], tmp_path: Path, name: str, data: bytes | None, message: str
) -> None:
    path = str(tmp_path / name) if name else ""
    if data is not None:
        Path(path).write_bytes(data)
    ran = run(*command, "--option", f"cards={path}")

    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("agon: --option cards: " + message.format(path=path))
    assert all(len(line) < 1_100 for line in ran.err.splitlines())


@every_command
def test_every_mistake_of_a_file_has_a_line(command: tuple[str, ...], tmp_path: Path) -> None:
    path = card_files.write(tmp_path, card_files.broken_text())
    ran = run(*command, "--option", f"cards={path}")
    first, *lines = ran.err.splitlines()

    assert (ran.code, ran.out) == (2, "")
    assert first == f"agon: --option cards: {str(path)!r} cannot be used, 3 mistakes:"
    assert [line.partition(":")[0] for line in lines] == [f"  {OTHER_ID}", "  zeus-semele", "  zeus-dodona"]
    assert lines[1].endswith("columns[0] is one of red, yellow, green, blue, any, not 'pink'")


def test_a_file_cannot_speak_to_the_terminal(tmp_path: Path) -> None:
    data = card_files.other_object()
    data["cards"][0]["id"] = "\x1b[2Jzeus"
    data["cards"][1]["effect"] = {"op": "gain", "\x1b[31m": 1}
    ran = run("cards", GAME, "--option", f"cards={card_files.write(tmp_path, json.dumps(data))}")

    assert ran.code == 2
    assert "\x1b" not in ran.err


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("families=cards.json", "option families is random, first or five different ones"),
        ("deck=cards.json", "elysium has no option 'deck'; its options are families, cards"),
        ("cards", "an option is written name=value, not 'cards'"),
    ],
)
def test_other_options_take_no_file(option: str, message: str) -> None:
    ran = run("cards", GAME, "--option", option)
    ran.assert_one_line(2)

    assert message in ran.err


def given(file: Path) -> tuple[str, ...]:
    return ("--option", "families=first", "--option", f"cards={file}")


# -- play and replay ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("jobs", ["0", "2"])
def test_matches_at_home_are_played_with_a_file_and_replayed_with_it(tmp_path: Path, file: Path, jobs: str) -> None:
    """H7: in this process or in workers, the same matches."""
    records = tmp_path / "records.gz"
    line = ("play", GAME, "--bots", "random,random", "--matches", "2", "--seed", "3", *given(file))
    ran = run(*line, "--records", str(records), "--jobs", jobs)
    assert ran.code == 0, ran
    found = sorted(read_records(records.read_bytes()), key=lambda record: record.match)
    value = card_files.hash_of(file.read_text())

    assert {record.options["cards"] for record in found} == {value}
    assert any(move.action == f"take {OTHER_ID}" for record in found for move in record.moves)
    verified = run("replay", "verify", str(records), "--file", str(file))
    assert verified == (0, "2 records are true: replayed, and nothing differs\n", "")
    assert f"cards={value}" in run("replay", "show", str(records), "--file", str(file)).out


def test_a_record_whose_file_was_not_given_says_which_one_and_how(tmp_path: Path, file: Path) -> None:
    records = tmp_path / "records.gz"
    line = ("play", GAME, "--bots", "random,random", "--matches", "2", "--seed", "3", *given(file))
    assert run(*line, "--records", str(records), "--jobs", "0").code == 0
    value = card_files.hash_of(file.read_text())
    other = card_files.write(tmp_path, card_files.other_text(8), "other.json")
    broken = card_files.write(tmp_path, card_files.broken_text(), "broken.json")
    for verb in ("show", "verify"):
        without = run("replay", verb, str(records))
        wrong = run("replay", verb, str(records), "--file", str(other))
        for ran in (without, wrong):
            ran.assert_one_line(2)
            assert f"match local-1 was played with a file for option cards, {value}; give " in ran.err
        assert "give it by --file FILE" in without.err
        assert f"{str(other)!r} is {card_files.hash_of(other.read_text())}" in wrong.err
        assert run("replay", verb, str(records), "--file", str(other), "--file", str(file)).code == 0

        listed = run("replay", verb, str(records), "--file", str(broken))
        assert listed.code == 2
        assert len(listed.err.splitlines()) == 4


def test_a_hash_alone_cannot_be_played_at_home() -> None:
    ran = run(*COMMANDS[1], "--option", f"cards={'0' * 32}")
    ran.assert_one_line(2)

    assert "option cards names a file that is not here, by its hash '00000000000000000000000000000000'" in ran.err
