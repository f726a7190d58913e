"""`agon tournament` where a server plays: of connected bots, and of programs beside a server of its own."""

from __future__ import annotations

import asyncio
import gzip
import json
import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from tests.server.cli.conftest import Served
from tests.support.bots import Recorder, running
from tests.support.cli import PROGRAM, run

from agon_engine.core.record import MatchRecord
from agon_server.store.errors import FolderInUseError
from agon_server.store.folder import DataFolder

GAME = "ephyran"
FILE = """\
name = "{name}"
game = "{game}"
seats = 2
seed = "7"

[format]
kind = "swiss"
rounds = 2
"""


def write(folder: Path, name: str, *bots: str) -> Path:
    file = folder / f"{name}.toml"
    tables = "".join(f'\n[[bots]]\nname = "bot-{number}"\n{how}\n' for number, how in enumerate(bots))
    file.write_text(FILE.format(name=name, game=GAME) + tables)
    return file


def connected(folder: Path, name: str, bots: int = 4) -> Path:
    return write(folder, name, *(f'connected = "{name}-{number}"' for number in range(bots)))


def register(served: Served, *names: str) -> dict[str, str]:
    """Register bots; return their tokens."""
    found = {}
    for name in names:
        ran = run("bot", "register", name, "--data", str(served.data), "--json")
        assert ran.code == 0, ran
        found[name] = json.loads(ran.out)["token"]
    return found


async def test_connected_bots_play_a_tournament_on_a_server(served: Served, tmp_path: Path) -> None:
    """It waits for a bot that is not there; that nobody looks on changes nothing."""
    file = connected(tmp_path, "cup", 2)
    tokens = await asyncio.to_thread(register, served, "cup-0", "cup-1")
    here, address = ("--data", str(served.data)), served.admin.address
    # On the server's endless ladders they play too.
    bots = [Recorder.fresh(name=name, games={GAME: (2,)}, slots=1) for name in tokens]
    async with running(bots[0], address, token=tokens["cup-0"]):
        command = [*PROGRAM, "tournament", "run", str(file), *here]
        process = await asyncio.create_subprocess_exec(*command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert process.stdout is not None
        assert (await process.stdout.readline()).startswith(b"cup: ephyran, 2 seats, 2 bots, 2 rounds, ")
        while (status := await asyncio.to_thread(run, "tournament", "status", str(file), *here)).code != 0:
            pass
        assert status.out.endswith("round 1 of 2\nwaits for cup-1: not connected\n")
        process.send_signal(signal.SIGINT)
        _, err = await process.communicate()
        assert process.returncode == 130
        assert "the server plays on; `agon tournament resume" in err.decode()
        async with running(bots[1], address, token=tokens["cup-1"]):
            over = await told("resume", file, *here)

    assert (over["done"], over["remaining"], over["is_over"], over["absent"]) == (4, 0, True, [])
    assert sum(row["points"] for row in over["standings"]) == 4
    assert (await told("report", file, *here))["standings"] == over["standings"]
    audit = await asyncio.to_thread(run, "ladder", "audit", "cup", *here)
    assert audit.code == 0
    await assert_everybody_sees(over, str(address))


async def assert_everybody_sees(over: dict[str, Any], address: str) -> None:
    """Check that the tournament's own table is shown by its name, without a file and without a token."""
    there = ("cup", "--server", address)
    shown = await asyncio.to_thread(run, "tournament", "show", *there, "--json")
    told = json.loads(shown.out)
    assert told["standings"] == over["standings"]
    assert set(over) - set(told) == {"absent", "awaited", "changed_bots"}
    endless = await asyncio.to_thread(run, "tournament", "show", "ephyran-2", "--server", address)
    endless.assert_one_line(2)


async def told(verb: str, file: Path, *arguments: str) -> dict[str, Any]:
    ran = await asyncio.to_thread(run, "tournament", verb, str(file), "--json", *arguments)
    assert ran.code == 0, ran
    found: dict[str, Any] = json.loads(ran.out)
    return found


def test_a_tournament_of_a_server_is_begun_once_and_by_the_file_it_began_with(served: Served, tmp_path: Path) -> None:
    file = connected(tmp_path, "again")
    here = ("--data", str(served.data))
    run("tournament", "status", str(file), *here).assert_one_line(2)
    missing = run("tournament", "run", str(file), *here)
    assert (missing.code, missing.out, "'again-0'" in missing.err) == (2, "", True)

    register(served, *(f"again-{number}" for number in range(4)))
    process = subprocess.Popen([*PROGRAM, "tournament", "run", str(file), *here], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline().startswith("again: ")
    while run("tournament", "status", str(file), *here).code != 0:
        pass
    process.kill()
    process.communicate()

    again = run("tournament", "run", str(file), *here)
    assert f"go on with `agon tournament resume {file}`" in again.err
    waits = run("tournament", "status", str(file), *here).out
    assert "waits for again-0, again-1, again-2, again-3: not connected\n" in waits
    file.write_text(file.read_text().replace("rounds = 2", "rounds = 3"))
    changed = run("tournament", "resume", str(file), *here)
    assert (changed.code, "format.rounds was 2 at the start, and is 3" in changed.err) == (2, True)
    looked = run("tournament", "status", str(file), *here)
    assert (looked.code, looked.err.count("\n"), "round 1 of 2" in looked.out) == (0, 1, True)
    assert "has changed since the tournament began" in looked.err


def test_a_data_folder_on_which_no_server_runs_plays_nothing(unserved: Path, tmp_path: Path) -> None:
    """Nor is the folder opened for that: a server that is starting needs it."""
    with DataFolder.open(unserved):
        ran = run("tournament", "run", str(connected(tmp_path, "alone")), "--data", str(unserved))

    assert ran.code == 2
    assert "none runs on that data folder" in ran.err


def test_the_folder_that_the_environment_names_is_told(unserved: Path, tmp_path: Path) -> None:
    ran = run("tournament", "run", str(connected(tmp_path, "alone")), env={"AGON_DATA": str(unserved)})

    assert ran.code == 2
    assert ran.err.endswith(f"{str(unserved)!r}\n")


def test_bots_of_both_kinds_are_refused(served: Served, tmp_path: Path) -> None:
    file = write(tmp_path, "mixed", 'connected = "one"', 'bot = "random"')

    run("tournament", "run", str(file), "--data", str(served.data)).assert_one_line(2)


def test_a_server_is_named_for_connected_bots_alone(tmp_path: Path) -> None:
    file = write(tmp_path, "here", 'bot = "random"', 'bot = "random"')

    ran = run("tournament", "run", str(file), "--server", "127.0.0.1:1")

    ran.assert_one_line(2)
    assert "the bots of this one run here" in ran.err


# -- programs beside a server of its own -------------------------------------------------------------------------


def beside(folder: Path) -> Path:
    program = json.dumps([sys.executable, "-P", "-m", "agon_bots", "run", "random", "--slots", "4"])
    return write(folder, "beside", f"command = {program}", f"command = {program}", 'bot = "random"')


def test_programs_play_beside_a_server_of_their_own(tmp_path: Path) -> None:
    ran = run("tournament", "run", str(beside(tmp_path)), "--json")

    assert ran.code == 0, ran
    over = json.loads(ran.out)
    assert (over["done"], over["remaining"], over["is_over"]) == (4, 0, True)
    assert_all_is_kept(tmp_path, over)


@pytest.mark.long
def test_programs_are_killed_with_their_server_and_go_on(tmp_path: Path) -> None:
    """R11: kill -9 of the command; nothing is left running, and what was played is kept."""
    file = beside(tmp_path)
    file.write_text(file.read_text().replace("rounds = 2", "rounds = 8"))
    process = subprocess.Popen([*PROGRAM, "tournament", "run", str(file)], stdout=subprocess.PIPE, text=True)
    while process.poll() is None and not list(tmp_path.glob("beside.agon/server/records/*.jsonl.gz")):
        pass
    process.kill()
    process.communicate()
    assert process.returncode == -signal.SIGKILL

    ran = run("tournament", "resume", str(file), "--json")

    assert ran.code == 0, ran
    over = json.loads(ran.out)
    assert (over["done"], over["remaining"], over["is_over"]) == (16, 0, True)
    assert_all_is_kept(tmp_path, over)


STEADY = """
import sys
from agon_bots import Bot, run

class Steady(Bot):
    def choose(self, turn):
        return turn.decision * STEP % len(turn.actions)

STEP = int(sys.argv.pop())
if __name__ == "__main__":
    run(Steady)
"""


@pytest.mark.long
def test_programs_that_are_killed_again_and_again_come_to_the_table_of_a_run_without_a_break(tmp_path: Path) -> None:
    """R11, demand 5: of two copies of a tournament that has just begun one is killed and interrupted on the way. Both
    end with the same table and the same matches, move by move, since their deals follow from the same secret."""
    bot = tmp_path / "steady.py"
    bot.write_text(STEADY)
    commands = [f"command = {json.dumps([sys.executable, str(bot), str(step)])}" for step in (1, 7, 11)]
    file = write(tmp_path, "beside", *commands)
    file.write_text(file.read_text().replace("rounds = 2", "rounds = 8"))
    ended_at(file, 1, signal.SIGKILL, "run")
    wait_until_free(tmp_path)
    calm = tmp_path / "calm"
    calm.mkdir()
    shutil.copytree(tmp_path / "beside.agon", calm / "beside.agon")
    shutil.copy(file, calm)

    for records, number in ((4, signal.SIGKILL), (7, signal.SIGINT), (10, signal.SIGKILL)):
        ended_at(file, records, number, "resume")
    ended = [run("tournament", "resume", str(each), "--json") for each in (file, calm / "beside.toml")]

    assert [ran.code for ran in ended] == [0, 0], ended
    disturbed, undisturbed = (json.loads(ran.out) for ran in ended)
    assert (disturbed["done"], disturbed["remaining"], disturbed["given_up"]) == (16, 0, [])
    assert disturbed["standings"] == undisturbed["standings"]
    assert matches_of(tmp_path) == matches_of(calm)
    assert len(matches_of(calm)) == 16


def ended_at(file: Path, records: int, number: signal.Signals, verb: str) -> None:
    """Play a tournament until so many records are kept, then end the command by a signal."""
    process = subprocess.Popen(
        [*PROGRAM, "tournament", verb, str(file)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    while process.poll() is None and len(matches_of(file.parent)) < records:
        pass
    process.send_signal(number)
    process.communicate()
    assert process.returncode != 0, "it was over before"


def matches_of(folder: Path) -> dict[str, tuple[object, ...]]:
    """Return what was played, by deal."""
    found: dict[str, tuple[object, ...]] = {}
    for path in folder.glob("beside.agon/server/records/*.jsonl.gz"):
        with suppress(EOFError), gzip.open(path, "rt") as lines:
            for line in lines:
                record = MatchRecord.from_line(line.rstrip("\n"))
                bots = tuple(row.bot for row in record.seats)
                actions = tuple(row.action for row in record.moves)
                found[record.seed] = (bots, actions, record.result.placements)
    return found


def wait_until_free(folder: Path) -> None:
    """Return when the server of a tournament, which was killed, has ended."""
    while True:
        with suppress(FolderInUseError), DataFolder.open(folder / "beside.agon" / "server"):
            return


@pytest.mark.long
def test_programs_that_were_killed_before_the_tournament_was_made_begin_with_it(tmp_path: Path) -> None:
    file = beside(tmp_path)
    made = run("bot", "register", "bot-0", "--data", str(tmp_path / "beside.agon" / "server"))
    assert made.code == 0, made
    assert run("tournament", "run", str(file)).code == 2

    ran = run("tournament", "resume", str(file), "--json")

    assert ran.code == 0, ran
    assert json.loads(ran.out)["done"] == 4


@pytest.mark.long
def test_a_program_that_never_comes_to_play_is_told_with_what_it_said(tmp_path: Path) -> None:
    """L4: every failed start yields a code and its last line."""
    program = json.dumps(["sh", "-c", "echo no such engine; exit 7"])
    file = write(tmp_path, "beside", f"command = {program}", 'bot = "random"')

    ran = run("tournament", "run", str(file))

    assert ran.code == 3
    assert "bot bot-0 ended 5 times, with exit code 7, and never came to play" in ran.err
    assert "'no such engine'" in ran.err


CRASHING = """
import os
from agon_bots import Bot, run

class Crashing(Bot):
    def choose(self, turn):
        if turn.decision == 2:
            os._exit(7)
        return 0

if __name__ == "__main__":
    run(Crashing)
"""


@pytest.mark.long
def test_a_program_that_crashes_in_every_match_loses_them_and_the_tournament_ends(tmp_path: Path) -> None:
    """C1, T20: it is started again, crashes again, and falls when its strikes are spent."""
    bot = tmp_path / "crashing.py"
    bot.write_text(CRASHING)
    file = write(tmp_path, "beside", f"command = {json.dumps([sys.executable, str(bot)])}", 'bot = "random"')
    limits = "[time]\nconnect = 3\nmove = 1\nbank = 0\n\n[[bots]]"
    file.write_text(file.read_text().replace("rounds = 2", "rounds = 1").replace("[[bots]]", limits, 1))

    ran = run("tournament", "run", str(file), "--json")

    assert ran.code == 0, ran
    told = json.loads(ran.out)
    assert [(row["bot"], row["points"]) for row in told["standings"]] == [("bot-1", 2.0), ("bot-0", 0.0)]


def assert_all_is_kept(folder: Path, over: dict[str, Any]) -> None:
    """Check that a tournament that is over is told the same again, and that its records are true."""
    report = run("tournament", "report", str(folder / "beside.toml"), "--json")
    assert json.loads(report.out)["standings"] == over["standings"]
    records = map(str, folder.glob("beside.agon/server/records/*.jsonl.gz"))
    assert run("replay", "verify", *records).out == f"{over['done']} records are true: replayed, and nothing differs\n"


ENDING = """
import os, sys
from agon_bots import Bot, run

class Ending(Bot):
    def over(self, result):
        sys.stderr.write("enough of it\\n")
        sys.stderr.flush()
        os._exit(7)

    def choose(self, turn):
        return 0

if __name__ == "__main__":
    run(Ending)
"""


@pytest.mark.long
def test_a_program_that_ends_by_itself_is_told_at_once_and_at_the_end(tmp_path: Path) -> None:
    (tmp_path / "ending.py").write_text(ENDING)
    file = write(tmp_path, "beside", f"command = {json.dumps([sys.executable, 'ending.py'])}", 'bot = "random"')

    ran = run("tournament", "run", str(file))

    assert ran.code == 0, ran
    assert "agon: the process of bot-0 ended with exit code 7 and is started again" in ran.err
    assert "bot-0: its process ended by itself " in ran.out
    assert str(tmp_path / "beside.agon" / "logs" / "bot-bot-0.log") in ran.out


def test_a_folder_has_one_tournament(tmp_path: Path) -> None:
    file = beside(tmp_path)
    run("tournament", "resume", str(file)).assert_one_line(2)
    run("tournament", "status", str(file)).assert_one_line(2)
    server = tmp_path / "beside.agon" / "server"
    server.mkdir(parents=True)
    (server / "name").write_text("server\n")

    ran = run("tournament", "run", str(file))

    ran.assert_one_line(2)
    assert f"`agon tournament resume {file}`" in ran.err


@pytest.mark.parametrize("name", ["Alice", "a b"])
def test_names_of_bots_that_connect_are_those_of_accounts(tmp_path: Path, name: str) -> None:
    file = beside(tmp_path)
    file.write_text(file.read_text().replace('"bot-0"', f'"{name}"'))

    assert run("tournament", "run", str(file)).code == 2
