"""Files that are no tournament: each mistake with its line and what is allowed, and no traceback."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from tests.support.tournament_files import WHOLE, mistakes

from agon_server.cli.failures import USAGE, exit_code
from agon_server.surroundings import SMALL
from agon_server.tournaments.reading import MAX_TOLD, TournamentFileError, read_tournament

DAMAGES = [
    ('game = "toy"', 'game = "to"', "line 2: game: expected one of toy, not 'to'; did you mean toy?"),
    ("seats = 3", "seats = 7", "line 3: seats: toy has 2 to 4 seats, not 7"),
    ("seats = 3", "seats = true", "line 3: seats: toy has 2 to 4 seats, not True"),
    ("seats = 3", "seats = 4", "line 6: rotations: a block of all permutations is for 2 to 3 seats, with 4: cyclic"),
    ('name = "spring"', 'name = "Spring!"', "line 1: name: a name is 1 to 63 of a-z, 0-9, '.', '_', '-', a letter"),
    ('seed = "s"', "seed = -1", "line 4: seed: expected a text of 1 to 1000 characters, not -1"),
    ('"shared"', '"shard"', "line 5: deals: expected one of fresh, shared, not 'shard'; did you mean shared?"),
    ('"all"', "3", "line 6: rotations: expected one of cyclic, all, not 3"),
    (
        "concurrency = 4",
        "concurency = 4",
        "line 7: concurency: unknown key; did you mean concurrency?; a tournament has",
    ),
    ("concurrency = 4", "concurrency = 0", "line 7: concurrency: expected a whole number from 1 to 10000, not 0"),
    ('"round-robin"', '"roundrobin"', "line 10: format.kind: expected one of round-robin, gauntlet, swiss, knockout"),
    (
        "cycles = 2",
        "cycels = 2",
        "line 11: format.cycels: unknown key; did you mean cycles?; round-robin has kind, cycles",
    ),
    ("cycles = 2", "rounds = 2", "line 11: format.rounds: unknown key; it is for swiss; round-robin has kind, cycles"),
    ("cycles = 2", "cycles = 0", "line 11: format.cycles: expected a whole number from 1 to 1000000, not 0"),
    (
        "cycles = 2",
        "cycles = 1000000",
        "line 9: format: a tournament has at most 10000000 matches: play fewer cycles, rounds or blocks, or by",
    ),
    (
        "cycles = 2",
        "blocks_per_bot = 10",
        "line 9: format: blocks_per_bot is for a part of all line-ups, of which a bot",
    ),
    (
        "cycles = 2",
        "cycles = 2\nblocks_per_bot = 3",
        "line 9: format: cycles repeat all line-ups, blocks_per_bot plays",
    ),
    ('"round-robin"\ncycles = 2', '"swiss"', "line 9: format: rounds is missing: rounds = 7"),
    ('"round-robin"\ncycles = 2', '"gauntlet"', 'line 9: format: challengers is missing: challengers = ["NAME"]'),
    (
        '"round-robin"\ncycles = 2',
        '"gauntlet"\nchallengers = ["min"]',
        "line 11: format.challengers: expected the names of bots of this file, not 'min'; did you mean mine?",
    ),
    ('"round-robin"\ncycles = 2', '"knockout"\nadvance = 2', "line 9: format: advance is 1 to 1 at tables of 3, not 2"),
    (
        '"round-robin"\ncycles = 2',
        '"swiss"\nrounds = 2\nbye = nan',
        "line 12: format.bye: expected a number from 0 to 1",
    ),
    ("[format]", "[formats]", "format: kind is missing: it is one of round-robin, gauntlet, swiss, knockout"),
    ("hand = 1", "hand = 4", "line 14: options.hand: option hand is one of 1, 2, 3, not 4"),
    ("hand = 1", "hands = 1", "line 14: options.hands: unknown option; did you mean hand?; toy has hand, wards, label"),
    ("hand = 1", "hand = 1.5", "line 14: options.hand: expected true, false, a whole number or a text, not 1.5"),
    ("labels.txt", "bad.txt", "line 15: options.label: bad.txt: a label has words, and no @"),
    ("labels.txt", "binary.txt", "line 15: options.label: the file is not UTF-8 at byte 2: 'binary.txt'"),
    ("labels.txt", "none.txt", "line 15: options.label: no such value, and no file that can be read (no such file"),
    ("labels.txt", "0" * 32, "line 15: options.label: give the file by its path, not by its hash '000"),
    ("move = 0.5", 'move = "1s"', "line 18: time.move: expected 0 to 86400 seconds, not '1s'"),
    ("move = 0.5", "move = inf", "line 18: time.move: expected 0 to 86400 seconds, not inf"),
    ("move = 0.5\nbank = 10", "move = 0\nbank = 0", "line 17: time: a time control gives some time: move and bank"),
    ("move = 0.5", "mvoe = 0.5", "line 18: time.mvoe: unknown key; did you mean move?; time has connect, ready, move"),
    ('"forfeit"', '"void"', "line 22: policy.on_fault: expected one of substitute, forfeit, not 'void'"),
    ("strikes = 5", "strikes = 0", "line 23: policy.strikes: expected a whole number from 1 to 100, not 0"),
    (
        'name = "house"',
        'name = "mine"',
        "line 30: bots.name: each bot is there once; another one in line 26 is 'mine' too",
    ),
    ('name = "house"', "", "line 29: bots: name is missing"),
    ("mine.py:MyBot", "gone.py:MyBot", "line 27: bots.bot: there is no such file: '"),
    ("mine.py:MyBot", "mine.py:1", "line 27: bots.bot: expected FILE.py or FILE.py:CLASS, not 'mine.py:1'"),
    (
        '"random"',
        '"rndom"',
        "line 31: bots.bot: expected FILE.py:CLASS, MODULE:CLASS or an installed bot, of which there",
    ),
    ('"some.bots:Good"', '"some bots:Good"', "line 35: bots.bot: expected FILE.py:CLASS, MODULE:CLASS or an installed"),
    ("./program", "./programm", "line 39: bots.command: there is no such file: '"),
    (
        "./program",
        "./script",
        "line 39: bots.command: this file cannot be run as a program (chmod +x), or name what runs",
    ),
    (
        '"sh", ',
        '"no-such-program", ',
        "line 43: bots.command: no program of that name is found by PATH; one beside the",
    ),
    ('["sh", "-c", "true"]', "[]", "line 43: bots.command: expected a list of a program and its arguments, not []"),
    ('["sh", "-c", "true"]', '["sh", 1]', "line 43: bots.command: expected a text of 1 to 1000 characters, not 1"),
    ('bot = "random"', "", "line 29: bots: how it runs is missing: bot = "),
    (
        'bot = "random"',
        'bot = "random"\nconnected = "x"',
        "line 29: bots: bot and connected contradict each other: bot",
    ),
    (
        "trusted = true",
        "",
        "line 5: deals: shared deals need bots that do not remember one match in the next: write trusted",
    ),
    ("trusted = true", 'trusted = "yes"', "line 48: bots.trusted: expected true or false, not 'yes'"),
    ("trusted = true", "trust = true", "line 48: bots.trust: unknown key; did you mean trusted?; a bot has name, bot"),
    ("[options]", "[options", "line 13: not TOML: expected ']' at the end of a table declaration"),
    ("hand = 1", "hand = " + "1" * 5000, "not TOML that can be read: it has a number that is too long"),
    (
        "hand = 1",
        "hand = 0x" + "f" * 5000,
        "line 14: options.hand: expected true, false, a whole number or a text, not a value too long",
    ),
    (
        "cycles = 2",
        "cycles = 0x" + "f" * 5000,
        "line 11: format.cycles: expected a whole number from 1 to 1000000, not a",
    ),
    ("cycles = 2", "cycles = " + "[" * 400 + "]" * 400, "line 11: format.cycles: expected a whole number from 1 to"),
    ("cycles = 2", "cycles = " + "[" * 9999, "not TOML that can be read: nested too deeply"),
]


@pytest.mark.parametrize(("before", "after", "expected"), DAMAGES, ids=[expected[:60] for *_, expected in DAMAGES])
def test_each_mistake_has_its_line_and_what_is_allowed(folder: Path, before: str, after: str, expected: str) -> None:
    assert before in WHOLE

    found = mistakes(folder, WHOLE.replace(before, after, 1))

    assert any(line.startswith(expected) for line in found), found
    assert all(len(line) < 600 and line.isprintable() for line in found)


def test_all_mistakes_are_said_in_one_go_in_the_order_of_the_file(folder: Path) -> None:
    """One of each part of the file, and none hides another."""
    text = WHOLE
    for before, after in (
        ('game = "toy"', 'game = "to"'),
        ('"shared"', '"shard"'),
        ("cycles = 2", "cycels = 2"),
        ("move = 0.5", "move = inf"),
        ('"forfeit"', '"void"'),
        ("mine.py:MyBot", "gone.py:MyBot"),
        ("trusted = true", "trust = true"),
    ):
        text = text.replace(before, after, 1)

    found = mistakes(folder, text)

    assert [int(line.partition(":")[0].removeprefix("line ")) for line in found] == [2, 5, 11, 18, 22, 27, 48]


def test_what_contradicts_what_is_said_in_one_go_too(folder: Path) -> None:
    """That a block cannot have all permutations hides neither too few bots nor a format that cannot be."""
    four = WHOLE.replace("seats = 3", "seats = 4")
    few = four[: four.index('[[bots]]\nname = "module"')]

    hidden = mistakes(folder, four.replace("cycles = 2", "blocks_per_bot = 100"))

    assert [line.partition(": ")[2].partition(":")[0] for line in hidden] == ["rotations", "format"]
    assert [line.partition(": ")[2].partition(":")[0] for line in mistakes(folder, few)] == ["rotations", "bots"]


def test_the_error_is_one_of_usage_and_tells_all(folder: Path) -> None:
    path = folder / "empty.toml"
    path.write_text("")

    with pytest.raises(TournamentFileError) as raised:
        read_tournament(path)

    assert exit_code(raised.value) == USAGE
    told = str(raised.value)
    assert all(f"{key} is missing" in told for key in ("name", "game", "seats", "seed", "kind"))


def test_too_few_and_too_many_bots_are_said(folder: Path) -> None:
    few = WHOLE[: WHOLE.index('[[bots]]\nname = "module"')]
    many = few + "".join(f'[[bots]]\nname = "b{number}"\nbot = "random"\n' for number in range(2_000))

    assert mistakes(folder, few) == ["line 25: bots: a match of 3 seats needs 3 [[bots]] or more, not 2"]
    assert mistakes(folder, many) == ["line 25: bots: a tournament has at most 2000 bots, not 2002"]
    assert any("bots: expected an array of tables, not 3" in line for line in mistakes(folder, "bots = 3"))
    assert any("bots: expected a table, [[bots]], not 3" in line for line in mistakes(folder, "bots = [3]"))


def test_of_a_file_that_is_wrong_as_a_whole_not_all_is_told(folder: Path) -> None:
    found = mistakes(folder, WHOLE + "".join(f"x{number} = 1\n" for number in range(MAX_TOLD + 20)))

    assert len(found) == MAX_TOLD + 1
    assert found[-1] == "and 20 more"


def test_a_byte_order_mark_changes_nothing(folder: Path) -> None:
    assert mistakes(folder, "\ufeff" + WHOLE + "x = 1\n") == mistakes(folder, WHOLE + "x = 1\n")


def test_what_is_no_text_file_is_said_in_one_line(folder: Path) -> None:
    assert mistakes(folder, b"a\n=\xff") == ["line 2: not UTF-8 at byte 3"]
    assert mistakes(folder, b"#" * (SMALL + 1)) == ["cannot read it: it has more than 1 MiB"]
    for path, expected in (
        (folder / "gone.toml", "there is no such file"),
        (folder, "cannot read it: is a directory"),
        (folder / ("x" * 300), "cannot read it: file name too long"),
        (folder / "a\0b", "no file has such a name"),
    ):
        with pytest.raises(TournamentFileError, match=expected):
            read_tournament(path)


PIECES = re.findall(r'[\w-]+|\s+|"[^"]*"|.', WHOLE)


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_no_damage_gives_a_traceback(folder: Path, data: st.DataObject) -> None:
    """Pieces are dropped, doubled, swapped and replaced: a tournament comes of it, or mistakes."""
    pieces = list(PIECES)
    for _ in range(data.draw(st.integers(1, 4))):
        at, other = (data.draw(st.integers(0, len(pieces) - 1)) for _ in range(2))
        match data.draw(st.sampled_from(["drop", "double", "swap", "replace"])):
            case "drop":
                del pieces[at]
            case "double":
                pieces.insert(other, pieces[at])
            case "swap":
                pieces[at], pieces[other] = pieces[other], pieces[at]
            case _:
                pieces[at] = data.draw(
                    st.one_of(
                        st.sampled_from(
                            ["-1", "0", "1e400", "nan", "[]", "{}", "''", "1979-05-27", "[[1]]", "{a.b=1}"]
                        ),
                        st.text(max_size=8),
                        st.integers().map(str),
                    )
                )
    path = folder / "damaged.toml"
    path.write_bytes("".join(pieces).encode("utf-8", "surrogatepass"))

    try:
        made = read_tournament(path)
    except TournamentFileError as error:
        told = error.mistakes
    else:
        told = tuple(map(str, made.schedule().round(0, ())[:1]))

    assert told
    assert all(line and line.isprintable() for line in told)


@given(st.binary(max_size=80))
def test_no_bytes_give_a_traceback(folder: Path, content: bytes) -> None:
    assert mistakes(folder, content)


PLAYS = "class Base: ...\n\nclass MyBot(Base):\n    games = {}\n"


@pytest.mark.parametrize(
    ("source", "spec", "told"),
    [
        ("class My_Bot: ...", "MyBot", "the file has no such class, but My_Bot, not 'MyBot'; did you mean My_Bot?"),
        ("", "MyBot", "the file has no such class, but none, not 'MyBot'"),
        (PLAYS.format('["go", "chess"]'), "MyBot", "MyBot plays go, chess by its `games`, not 'toy'"),
        (PLAYS.format('{"toy": [2, 4]}'), "MyBot", "MyBot plays toy with so many seats: 2, 4, not 3"),
        ('class Only:\n    games: tuple[str, ...] = ("go",)', "", "Only plays go by its `games`, not 'toy'"),
        ("class MyBot:\n    games = [", "MyBot", "line 2 of the file is not Python ('[' was never closed): "),
    ],
)
def test_what_a_bots_file_lacks_is_told_with_all_other_mistakes(
    folder: Path, source: str, spec: str, told: str
) -> None:
    """Issue 6: every error in one go, with line and what is allowed; nothing of the bot is run for that."""
    (folder / "mine.py").write_text(source)
    text = WHOLE.replace("mine.py:MyBot", f"mine.py:{spec}" if spec else "mine.py")

    found = mistakes(folder, text.replace("cycles = 2", "cycles = 0"))

    line = WHOLE[: WHOLE.index('bot = "mine.py')].count("\n") + 1
    assert len(found) == 2
    assert found[1].startswith(f"line {line}: bots.bot: {told}")


@pytest.mark.parametrize(
    "source",
    [
        PLAYS.format("[]"),
        PLAYS.format('["toy"]'),
        PLAYS.format('{"toy": [3]}'),
        PLAYS.format('{"toy": ()}'),
        PLAYS.format("names()"),
        "from elsewhere import MyBot",
        "from elsewhere import Other as MyBot",
        "from elsewhere import *",
        "if True:\n    MyBot = made()",
        "def MyBot(): ...",
    ],
)
def test_what_only_running_a_bots_file_tells_is_no_mistake(folder: Path, source: str) -> None:
    (folder / "mine.py").write_text(source)
    (folder / "whole.toml").write_text(WHOLE)

    assert read_tournament(folder / "whole.toml").bots[0].bot == "mine.py:MyBot"


def test_a_text_without_quotes_is_told_to_need_them(folder: Path) -> None:
    path = folder / "unquoted.toml"
    path.write_text(WHOLE.replace('kind = "round-robin"', "kind = swiss"))

    with pytest.raises(TournamentFileError) as raised:
        read_tournament(path)

    line = WHOLE[: WHOLE.index("kind =")].count("\n") + 1
    assert (f"line {line}: not TOML: invalid value; a text is in quotes",) == raised.value.mistakes
