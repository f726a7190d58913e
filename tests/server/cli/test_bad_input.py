"""Everything that people get wrong: one clear line that says what to do, the right exit code, no traceback.

2: the command or a file is wrong; 3: its surroundings are.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import os
import resource
import socket
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from tests.server.cli.conftest import Served, game
from tests.support.cli import PROGRAM, Ran, run, run_process
from tests.support.fake_server import FakeServer
from tests.support.matches import new_table, play_out, record_of

from agon.codec.frames import RefusedCode
from agon_engine.core import Chance
from agon_engine.core.record import MatchRecord
from agon_engine.core.record_file import write_records
from agon_engine.registry import get_game
from agon_server.archive.folder import INDEX, ArchiveFolder
from agon_server.store.folder import DataFolder

GAME = game()


@pytest.fixture(scope="module")
def record() -> MatchRecord:
    table = new_table(2, game=get_game(GAME))
    play_out(table, Chance(bytes(16)))
    return record_of(table)


@pytest.fixture
def busy() -> Iterator[str]:
    """The address of a port that something else listens on."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield f"127.0.0.1:{listener.getsockname()[1]}"


@pytest.fixture
def short() -> Iterator[Path]:
    """A folder whose path is short enough for a socket, which pytest's own may not be."""
    with tempfile.TemporaryDirectory(prefix="agon-test-") as folder:
        yield Path(folder)


def assert_says(ran: Ran, code: int, *words: str) -> None:
    ran.assert_one_line(code)
    for word in words:
        assert word in ran.err


# -- games, seats, options -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("play", "chess", "--bots", "random,greedy"), ("unknown game 'chess'", GAME)),
        (("play", GAME, "--bots", "random,greedy", "--seats", "9"), ("seats, not 9",)),
        (("play", GAME, "--bots", "random,greedy", "--option", "nonsense=1"), ("has no option 'nonsense'",)),
        (("play", GAME, "--bots", "random,greedy", "--option", "nonsense"), ("name=value, not 'nonsense'",)),
        (("play", GAME, "--bots", ","), ("--bots names at least one bot",)),
        (("play", GAME, "--bots", "random,nobody", "--jobs", "1"), ("no bot is called 'nobody'", "greedy, random")),
        (("play", GAME, "--bots", "random", "--jobs", "5000"), ("jobs is a number of processes",)),
        (("play", GAME, "--bots", "random", "--records", "/proc/agon/x.gz"), ("cannot write '/proc/agon/x.gz'",)),
        (("demo", "--out", "/proc/agon"), ("cannot write to '/proc/agon'",)),
        (("play", GAME, "--bots", "random", "--seed", "\udcff"), (r"not valid UTF-8: '\udcff",)),
    ],
    ids=lambda item: " ".join(item[-2:]) if isinstance(item, tuple) and item[0] in ("play", "demo") else "",
)
def test_a_game_a_seat_count_or_a_bot_that_is_not_there(arguments: tuple[str, ...], words: tuple[str, ...]) -> None:
    assert_says(run(*arguments), 2, *words)


# -- bots ----------------------------------------------------------------------------------------------------------

BOT = "from agon_bots import Bot\nclass Bad(Bot):\n    "
BOT_FILES = {
    "no such module": ("import nonsense_module\n", "bad.py does not import, line 1: ModuleNotFoundError"),
    "no Python": ("class Bad(:\n", "bad.py does not import, line 1: SyntaxError"),
    "no method": (BOT + "pass\n", "lacks its one method: def choose(self, turn)"),
    "no bot": ("class Bad:\n    pass\n", "is no subclass of agon_bots.Bot"),
    "no class": ("Good = None\n", "has no class 'Bad'"),
    "another game": (
        BOT + "games = ['chess']\n    def choose(self, turn):\n        return 0\n",
        "unknown game 'chess'",
    ),
}


@pytest.mark.parametrize(("source", "words"), BOT_FILES.values(), ids=BOT_FILES)
def test_a_bots_file_that_cannot_be_used(tmp_path: Path, source: str, words: str) -> None:
    file = tmp_path / "bad.py"
    file.write_text(source, encoding="utf-8")

    assert_says(run("play", GAME, "--bots", f"{file}:Bad,random", "--matches", "2", "--jobs", "0"), 2, words)


def test_a_bots_file_is_judged_the_same_by_workers_and_on_servers(tmp_path: Path) -> None:
    file = tmp_path / "bad.py"
    source, words = BOT_FILES["no method"]
    file.write_text(source, encoding="utf-8")

    played = run("play", GAME, "--bots", f"{file}:Bad,random", "--jobs", "1")
    ran = run_process("bot", "run", f"{file}:Bad", "--server", "127.0.0.1:1", env={"AGON_TOKEN": "agon_x"})

    assert_says(played, 2, words)
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert words in ran.err


def test_a_bots_file_that_is_not_there() -> None:
    assert_says(run("play", GAME, "--bots", "/none/bot.py:Bot,random"), 2, "no such file: '/none/bot.py'")


def refusal(code: RefusedCode, message: str, needed: str) -> Ran:
    """Run a bot against a server that refuses it."""

    async def serve() -> Ran:
        async with FakeServer() as server:
            arguments = ("bot", "run", "random", "--server", str(server.address))
            running = asyncio.create_task(
                asyncio.to_thread(run_process, *arguments, env={"AGON_TOKEN": "agon_x"}, timeout=60)
            )
            stream = await server.stream()
            stream.refuse(code, message, needed)
            return await running

    return asyncio.run(serve())


@pytest.mark.parametrize(
    ("refused", "message", "needed", "code"),
    [
        (RefusedCode.TOKEN, "the token is unknown", "", 2),
        (RefusedCode.PROTOCOL, "this server speaks protocol 9", "protocol 9 to 9", 3),
        (RefusedCode.SUSPENDED, "the bot is suspended: plays for two owners", "", 1),
    ],
)
def test_a_server_that_refuses_a_bot(refused: RefusedCode, message: str, needed: str, code: int) -> None:
    """Requirement L6: a mismatch gives a typed refusal with the needed version."""
    ran = refusal(refused, message, needed)

    assert ran.code == code
    errors = [line for line in ran.err.splitlines() if "ERROR" in line]
    assert len(errors) == 1
    assert message in errors[0]
    assert needed in errors[0]
    assert "Traceback" not in ran.err


# -- files ---------------------------------------------------------------------------------------------------------


def half(line: bytes) -> bytes:
    return line[: len(line) // 2]


LINES: dict[str, tuple[Callable[[bytes], bytes] | bytes, str]] = {
    "cut off": (half, "line 1: cut off"),
    "no JSON": (b"{nonsense}\n", "line 1: not a line of JSON"),
    "no record": (b"[]\n", "line 1: a record is a JSON object, not list"),
    "no text": (b"\xff\xfe\n", "line 1: not ASCII"),
    "empty": (b"", "has no record"),
    "other keys": (lambda line: line.replace(b'"match":', b'"game_id":', 1), "line 1: "),
    "other format": (lambda line: line.replace(b'"format":2', b'"format":99', 1), "reads records of format 2, not 99"),
    "damaged gzip": (lambda line: gzip.compress(line)[:-9], "gzip data"),
}


@pytest.mark.parametrize(("spoil", "words"), LINES.values(), ids=LINES)
def test_a_damaged_file_of_records(
    tmp_path: Path, record: MatchRecord, spoil: Callable[[bytes], bytes] | bytes, words: str
) -> None:
    file = tmp_path / "records.jsonl"
    line = record.to_line().encode() + b"\n"
    file.write_bytes(spoil if isinstance(spoil, bytes) else spoil(line))

    verified, shown = (run("replay", verb, str(file)) for verb in ("verify", "show"))

    assert_says(verified, 2, str(file), words)
    # What could be read before the damage has been told by then.
    assert (shown.code, shown.err) == (2, verified.err)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"version": 99}, "rules version 99, this installation has"),
        ({"game": "chess"}, "is of a game that is not installed: 'chess'"),
    ],
)
def test_a_record_of_other_rules(tmp_path: Path, record: MatchRecord, changes: dict[str, object], words: str) -> None:
    file = tmp_path / "records.jsonl.gz"
    file.write_bytes(write_records([replace(record, **changes)]))  # type: ignore[arg-type]  # fields of a record

    for verb in ("show", "verify"):
        assert_says(run("replay", verb, str(file)), 2, words)


def test_a_file_of_records_that_cannot_be_read() -> None:
    assert_says(run("replay", "verify", "/none/matches.jsonl.gz"), 2, "cannot read '/none/matches.jsonl.gz'")
    assert_says(run("replay", "show", "/"), 2, "cannot read '/'")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("lease = 1\nping = = 2\n", "agon.toml:2: not TOML"),
        ("nonsense = 1\n", "agon.toml: nonsense is no setting"),
        ("[limits]\nstreams = 'many'\n", "agon.toml: limits.streams: expected a whole number"),
        ("listen = '0.0.0.0:7420'\n", "needs TLS"),
    ],
)
def test_a_settings_file_that_is_wrong(tmp_path: Path, text: str, words: str) -> None:
    file = tmp_path / "agon.toml"
    file.write_text(text, encoding="utf-8")

    assert_says(run("serve", "--config", str(file)), 2, words)


def test_a_certificate_that_is_not_there() -> None:
    assert_says(run("serve", "--tls-cert", "/none.pem", "--tls-key", "/none.key"), 2, "there is no file '/none.pem'")
    assert_says(run("ladder", "ls", "--server", "h:1", "--ca", "/none.pem"), 2, "--ca: cannot read '/none.pem'")


# -- surroundings --------------------------------------------------------------------------------------------------


def serve(data: Path, *arguments: str, env: dict[str, str] | None = None) -> Ran:
    """Start a server that is expected to fail."""
    ports = () if "--listen" in arguments else ("--listen", "127.0.0.1:0")
    metrics = () if "--metrics" in arguments else ("--metrics", "127.0.0.1:0")
    return run_process("serve", "--data", str(data), *ports, *metrics, *arguments, "--log", "error", env=env)


def test_a_port_in_use(short: Path, busy: str) -> None:
    """By the console script itself: what it loads first decides whether gRPC adds a line of its own."""
    program = Path(sys.executable).with_name("agon")
    ports = ["--listen", busy, "--metrics", "127.0.0.1:0"]
    done = subprocess.run(
        [program, "serve", "--data", str(short), *ports], capture_output=True, text=True, timeout=60, check=False
    )

    assert_says(Ran(done.returncode, done.stdout, done.stderr), 3, "the port is in use", busy)
    assert_says(serve(short, "--listen", busy), 3, "the port is in use", busy)
    assert_says(serve(short / "new", "--metrics", busy), 3, "metrics", busy)
    assert (short / "name").is_file()
    assert not (short / "new").exists(), "a server that did not start leaves no new folder behind"


def test_an_address_or_a_certificate_that_cannot_be_listened_with(short: Path) -> None:
    """gRPC itself says only that it did not work."""
    pem = short / "nonsense.pem"
    pem.write_text("nonsense", encoding="utf-8")
    foreign = serve(short, "--listen", "192.0.2.1:0", "--insecure")
    tls = serve(short, "--tls-cert", str(pem), "--tls-key", str(pem))

    assert_says(foreign, 3, "cannot listen there (cannot assign requested address)", "'192.0.2.1:0'")
    assert_says(tls, 3, "cannot listen with TLS", str(pem))


def test_a_second_server_on_one_data_folder(served: Served) -> None:
    assert_says(serve(served.data), 3, "the data folder is in use by process", str(served.data))


def test_a_data_folder_that_is_none(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()

    assert_says(serve(file), 3, "the data folder is not a folder")
    assert_says(serve(file / "below"), 3, "the data folder is not a folder")


def test_an_archive_of_a_later_version(short: Path) -> None:
    records = short / "data" / "records"
    ArchiveFolder(records).close()
    with closing(sqlite3.connect(records / INDEX)) as index:
        index.execute("PRAGMA user_version = 99")

    assert_says(serve(short / "data"), 3, "its index is of a later version of Agon (99, ", "install that one")


def test_a_data_folder_that_cannot_be_written() -> None:
    """As root a mode keeps nobody out, so this is a file system that takes no folders."""
    assert_says(serve(Path("/proc/agon")), 3, "the data folder cannot be made", "'/proc/agon'")


def test_a_data_folder_too_deep_for_a_socket_with_no_other_place_for_it(tmp_path: Path) -> None:
    deep = tmp_path / ("d" * 100) / ("e" * 100)
    deep.mkdir(parents=True)

    assert_says(serve(deep, env={"TMPDIR": str(deep)}), 3, "too deep for a socket")


def test_too_few_file_descriptors(short: Path) -> None:
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))

    done = subprocess.run(
        [*PROGRAM, "serve", "--data", str(short), "--listen", "127.0.0.1:0", "--metrics", "127.0.0.1:0"],
        capture_output=True,
        preexec_fn=limit,
        timeout=60,
        check=False,
    )

    assert_says(Ran(done.returncode, done.stdout.decode(), done.stderr.decode()), 3, "file descriptors", "ulimit -n")


READS = (
    *(("bot", "ls"), ("bot", "log", "x"), ("ladder", "ls"), ("ladder", "show", "x"), ("ladder", "audit")),
    *(("match", "ls"), ("match", "show", "x"), ("match", "record", "x"), ("queue", "ls"), ("queue", "dead")),
    # And what changes only what there is.
    *(
        ("ladder", "close", "x"),
        ("bot", "suspend", "x", "--reason", "y"),
        ("bot", "resume", "x"),
        ("bot", "retire", "x", "--reason", "y"),
        ("bot", "retire", "x", "--undo"),
        ("bot", "trust", "x"),
    ),
    *(("match", "cancel", "x"), ("queue", "requeue", "--all"), ("queue", "discard", "x"), ("ladder", "rebuild", "x")),
)


@pytest.mark.parametrize("command", READS, ids=" ".join)
def test_no_command_makes_a_store_where_there_is_none_to_look_into(short: Path, command: tuple[str, ...]) -> None:
    there, none = short / "there", short / "none"
    there.mkdir()

    for folder in (there, none):
        assert_says(run(*command, "--data", str(folder)), 2, "there is no data folder", str(folder), "AGON_DATA")
    assert list(short.iterdir()) == [there]
    assert list(there.iterdir()) == []


@pytest.mark.parametrize("command", [("bot", "register", "x"), ("ladder", "create", "--game", GAME, "--seats", "2")])
def test_a_first_bot_or_ladder_makes_the_folder_that_is_named_and_says_so(
    short: Path, command: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(short)

    assert_says(run(*command), 2, "there is no data folder", "--data or AGON_DATA", "'agon-data'")
    assert list(short.iterdir()) == []

    for folder, made in (
        ("one", run(*command, "--data", "one")),
        ("two", run(*command, env={"AGON_DATA": "two"})),
    ):
        assert (made.code, made.err) == (0, f"agon: made a new installation in the data folder '{folder}'\n")
        assert run("bot", "ls", "--data", folder).err == ""


def test_a_command_that_was_told_no_folder_says_where_it_looked_when_no_server_runs_there(
    short: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server may run on another folder, and what was meant for it would be written here without a word."""
    monkeypatch.chdir(short)
    assert run("bot", "register", "x", "--data", "agon-data").code == 0

    ran = run("bot", "register", "y")

    assert ran.code == 0
    assert ran.err.startswith("agon: opened the data folder 'agon-data' itself, as no server runs on it; ")
    assert ran.err.count("\n") == 1


def test_no_data_folder_and_no_server(short: Path) -> None:
    assert_says(run("bot", "ls", "--data", str(short / "none")), 2, "there is no data folder", "agon serve --data")
    assert_says(run("bot", "ls", "--server", "127.0.0.1:1"), 3, "the server at 127.0.0.1:1 does not answer")
    assert_says(run("bot", "ls", "--server", "nonsense"), 2, "an address is HOST:PORT")


def test_a_store_that_does_not_answer(short: Path) -> None:
    assert_says(serve(short, "--redis", "redis://127.0.0.1:1/0"), 3, "127.0.0.1:1")
    assert_says(run("bot", "ls", "--data", str(short), env={"AGON_REDIS": "nonsense"}), 2, "AGON_REDIS: expected a URL")


def test_a_wrong_admin_token(served: Served) -> None:
    for token in ("nonsense", served.admin.token[:-1]):
        ran = run("queue", "ls", "--server", served.admin.address, env={"AGON_ADMIN_TOKEN": token})
        assert_says(ran, 2, "the token is unknown")


def test_a_damaged_admin_file(short: Path) -> None:
    (short / "admin.json").write_text("{", encoding="utf-8")

    assert_says(run("bot", "ls", "--data", str(short)), 3, "is damaged; stop the server, remove the file")


def test_the_embedded_store_of_another_data_folder(short: Path) -> None:
    """The archive there takes all others for gone, and what those have not taken would be trimmed."""
    with DataFolder.open(short / "theirs"):
        url = f"unix://{short}/theirs/store/valkey.sock"
        ran = run("serve", "--data", str(short / "mine"), "--redis", url)

    assert_says(ran, 2, "the embedded one of the data folder", "run a Redis >= 7 or Valkey of your own")
    assert not (short / "mine").exists()


@pytest.mark.parametrize(
    ("house", "words"),
    [
        ("nobody", "house: the installed bots are greedy, random, not 'nobody'"),
        ("random,greedy,random", "house names a bot twice: 'random, greedy, random'"),
        ("mybot.py:MyBot", "--house: a bot's name is 1 to 40"),
    ],
)
def test_a_house_bot_that_is_not_installed(house: str, words: str) -> None:
    assert_says(run("serve", "--house", house), 2, words)


def test_a_log_level_that_is_none() -> None:
    assert_says(run("serve", "--log", "loud"), 2, "'--log'")


def test_debug_shows_the_traceback_of_the_same_errors(served: Served) -> None:
    ran = run_process("serve", "--data", str(served.data), "--listen", "127.0.0.1:0", "--debug")

    assert ran.code == 3
    assert "Traceback" in ran.err
    assert ran.err.splitlines()[-1].startswith("agon: the data folder is in use")


def test_an_installation_without_the_server_extra_is_told_so() -> None:
    """The light base has the command, and not what it needs."""
    code = (
        "import importlib.util as u, sys; find = u.find_spec\n"
        "u.find_spec = lambda name, *rest: None if name == 'typer' else find(name, *rest)\n"
        "from agon_server.cli import main; sys.exit(main())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, env=dict(os.environ), check=False)

    assert (done.returncode, done.stdout) == (3, b"")
    assert done.stderr == b"agon needs the server extra: pip install 'agon-arena[server]'\n"


def test_json_output_stays_json_where_a_command_succeeds(served: Served) -> None:
    ran = run("bot", "ls", "--data", str(served.data), "--json")

    assert isinstance(json.loads(ran.out), list)
