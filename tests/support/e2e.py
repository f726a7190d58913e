"""Real processes for end-to-end tests: servers and bots as a person starts them, on free ports, their output kept, and
proof that nothing of them is left behind. Bots that speak frame by frame are `raw_bot`'s, cut lines `proxy`'s."""

from __future__ import annotations

import asyncio
import inspect
import os
import re
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Coroutine, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

import grpc.aio
from grpc_health.v1 import health_pb2, health_pb2_grpc
from prometheus_client.parser import text_string_to_metric_families
from tests.support.memory import temporary_folder
from tests.support.patience import PATIENCE

from agon.codec import admin, ladder as calls, ledger
from agon.codec.calls import Method
from agon_engine.core.record import MatchRecord
from agon_server.cli.door import open_door
from agon_server.operations.errors import UnreachableError
from agon_server.store import keys
from agon_server.store.connection import Store

T = TypeVar("T")
Q = TypeVar("Q")
R = TypeVar("R")

POLL_SECONDS = 0.02
CALL_SECONDS = 0.1
"""How often something is asked that costs the server a few calls."""
LOG_SHOWN = 2_000
"""Of the log of a process that failed so many characters are shown, the last ones."""
MARK = "MARK_OF_AGON_E2E"
"""An environment variable that every process of a test and all that they start inherit: no setting of Agon's."""

_ANNOUNCED = re.compile(r"^agon (\S+): bots at (\S+), metrics at (\S+)/metrics$", re.MULTILINE)
_FAULT = re.compile(r" (ERROR|CRITICAL) |^Traceback|^Fatal|Task exception was never|was never awaited", re.MULTILINE)


async def until(
    condition: Callable[[], Any], seconds: float = PATIENCE, what: str = "", *, every: float = POLL_SECONDS
) -> Any:
    """Wait until a condition, async or not, is true, by asking again and again; return what it gave.

    A server that cannot answer now is asked again too: on a busy machine its store may be slow.
    """
    deadline = time.monotonic() + seconds
    while True:
        cannot: UnreachableError | None = None
        try:
            value = condition()
            if inspect.isawaitable(value):
                value = await value
        except UnreachableError as error:
            value, cannot = None, error
        if value:
            return value
        if time.monotonic() > deadline:
            raise TimeoutError(f"not within {seconds:g} s: {what or inspect.getsource(condition).strip()}") from cannot
        await asyncio.sleep(every)


class Process:
    """A process of a test, its output in one file."""

    def __init__(self, name: str, command: list[str], log: Path, env: Mapping[str, str]) -> None:
        clean = {key: value for key, value in os.environ.items() if not key.startswith("AGON_")}
        self.name = name
        self.expected_fault = ""
        """A pattern of the error lines that this one may log."""
        self._log = log
        with log.open("wb") as out:
            self._popen = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                env={**clean, **env},
                start_new_session=True,
            )

    @property
    def pid(self) -> int:
        return self._popen.pid

    @property
    def code(self) -> int | None:
        """The exit code, None while it runs."""
        return self._popen.poll()

    @property
    def log(self) -> str:
        return self._log.read_text(encoding="utf-8", errors="replace")

    def signal(self, number: signal.Signals) -> None:
        self._popen.send_signal(number)

    def kill(self) -> None:
        """Kill it, without a chance to clean up, and see it gone."""
        self._popen.kill()
        self._popen.wait(PATIENCE)

    async def wait(self, seconds: float = PATIENCE) -> int:
        """Return its exit code once it has ended."""
        await until(lambda: self.code is not None, seconds, f"{self.name} ends; its log:\n{self.log[-2_000:]}")
        assert self.code is not None
        return self.code

    @property
    def faults(self) -> list[str]:
        """The lines of its log that tell of a fault of its own."""
        lines = [line for line in self.log.splitlines() if _FAULT.search(line)]
        return [line for line in lines if not (self.expected_fault and re.search(self.expected_fault, line))]


class ServerProcess(Process):
    """An `agon serve`."""

    def __init__(self, name: str, data: Path, arguments: list[str], log: Path, env: Mapping[str, str]) -> None:
        local = ["--listen", "127.0.0.1:0"] if "--listen" not in arguments else []
        local += ["--metrics", "127.0.0.1:0"] if "--metrics" not in arguments else []
        command = [sys.executable, "-m", "agon_server", "serve", "--data", str(data), *local, *arguments]
        super().__init__(name, command, log, env)
        self.data = data

    def wait_serving(self) -> None:
        """Return when it has said where it is."""
        deadline = time.monotonic() + PATIENCE
        while (found := _ANNOUNCED.search(self.log)) is None:
            if self.code is not None or time.monotonic() > deadline:
                raise AssertionError(f"{self.name} does not serve (exit code {self.code}):\n{self.log}")
            time.sleep(POLL_SECONDS)
        self.server, self.address, self.metrics = found.groups()

    async def call(self, method: Method[Q, R], request: Q) -> R:
        """Make a call as the commands do."""
        async with open_door(self.data, environ={}) as door:
            return await door.call(method, request)

    async def register(self, name: str) -> str:
        """Register a bot; return its token."""
        return (await self.call(admin.REGISTER_BOT, admin.RegisterBotRequest(name))).token

    async def standings(self) -> list[calls.Standings]:
        """Return the table of each ladder."""
        async with open_door(self.data, environ={}) as door:
            ladders = (await door.call(calls.LIST_LADDERS, calls.ListLaddersRequest())).ladders
            asked = [calls.GetStandingsRequest(ladder.name) for ladder in ladders]
            return [(await door.call(calls.GET_STANDINGS, request)).standings for request in asked]

    async def rated(self) -> int:
        """Return how many results the tables of all ladders rest on."""
        return sum(table.results for table in await self.standings())

    async def close_ladders(self, *but: str) -> None:
        """Let no new matches be made on any ladder but those."""
        async with open_door(self.data, environ={}) as door:
            for ladder in (await door.call(calls.LIST_LADDERS, calls.ListLaddersRequest(open_only=True))).ladders:
                if ladder.name not in but:
                    await door.call(admin.CLOSE_LADDER, admin.CloseLadderRequest(ladder.name))

    async def settled(self, seconds: float = PATIENCE) -> None:
        """Wait until no match waits or runs and every result is folded."""
        await until(self._is_settled, seconds, "the queue is empty and all results are folded", every=CALL_SECONDS)

    async def _is_settled(self) -> bool:
        queue = await self.call(admin.INSPECT_QUEUE, admin.InspectQueueRequest(1))
        if queue.running or queue.waiting:
            return False
        return await self.rated() == sum(match.counts for match in await self.matches())

    async def matches(self) -> list[calls.Match]:
        """Return all matches that are over, the first one first."""
        return [match for match in await self._listed() if match.phase is calls.MatchPhase.PLAYED]

    async def _listed(self) -> list[calls.Match]:
        found: list[calls.Match] = []
        token = ""
        async with open_door(self.data, environ={}) as door:
            while True:
                request = calls.ListMatchesRequest(page_size=1_000, page_token=token)
                page = await door.call(calls.LIST_MATCHES, request)
                found += page.matches
                token = page.next_page_token
                if not token:
                    return found[::-1]

    async def records(self) -> list[MatchRecord]:
        """Return the records of all matches that are over, the first one first."""
        ids = [match.match for match in await self.matches()]
        async with open_door(self.data, environ={}) as door:
            lines = [(await door.call(calls.GET_RECORD, calls.GetRecordRequest(match))).line for match in ids]
        return [MatchRecord.from_line(line) for line in lines]

    async def reserved(self) -> dict[bytes, bytes]:
        """Return the slots that queued and running matches hold, by bot process."""
        store = Store(f"unix://{self.data}/store/valkey.sock")
        try:
            flat = await store.command("HGETALL", keys.RESERVED)
        finally:
            await store.aclose()
        return dict(zip(flat[::2], flat[1::2], strict=True))

    async def scraped(self) -> str:
        """Scrape the metrics."""
        return await asyncio.to_thread(_get, f"http://{self.metrics}/metrics")

    async def samples(self) -> Samples:
        """Scrape the metrics and read them."""
        return Samples(await self.scraped())

    async def serving(self) -> bool:
        """Tell whether grpc.health.v1 says that bots can play here."""
        async with grpc.aio.insecure_channel(self.address) as channel:
            answer = await health_pb2_grpc.HealthStub(channel).Check(health_pb2.HealthCheckRequest())
        return bool(answer.status == health_pb2.HealthCheckResponse.SERVING)

    async def healthz(self) -> int:
        """Return the status of /healthz."""
        return await asyncio.to_thread(_status, f"http://{self.metrics}/healthz")

    async def findings(self) -> list[ledger.Finding]:
        """Audit every ladder; return what is wrong."""
        found: list[ledger.Finding] = []
        async with open_door(self.data, environ={}) as door:
            for ladder in (await door.call(calls.LIST_LADDERS, calls.ListLaddersRequest())).ladders:
                request = ledger.AuditLadderRequest(ladder.name)
                found += (await door.call(admin.AUDIT_LADDER, request)).findings
        return found


class Samples:
    """What /metrics says at one moment."""

    def __init__(self, text: str) -> None:
        self._samples = [sample for family in text_string_to_metric_families(text) for sample in family.samples]

    def sum(self, name: str, **labels: str) -> float:
        """Return the sum of all samples of that name with those labels."""
        return sum(one.value for one in self._samples if one.name == name and labels.items() <= one.labels.items())

    def by(self, name: str, label: str) -> dict[str, float]:
        """Return the sums of the samples of that name that are not zero, by one of their labels."""
        found: dict[str, float] = {}
        for one in self._samples:
            if one.name == name and one.value:
                found[one.labels[label]] = found.get(one.labels[label], 0) + one.value
        return found


def _get(url: str) -> str:
    with urllib.request.urlopen(url, timeout=PATIENCE) as response:
        text: str = response.read().decode()
    return text


def _status(url: str) -> int:
    try:
        with urllib.request.urlopen(url, timeout=PATIENCE) as response:
            return int(response.status)
    except urllib.error.HTTPError as error:
        return error.code


class Site:
    """The folder of a test and the processes in it. Leaving it ends what still runs, and fails where a server logged a
    fault or a process is left behind."""

    def __init__(self) -> None:
        self._folder = temporary_folder("agon-e2e-")
        self.folder = Path(self._folder.name)
        self.mark = str(self.folder)
        self.env = {MARK: self.mark}
        self.processes: list[Process] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        logs = self.end()
        left = marked(self.mark)
        for pid in left:
            os.kill(pid, signal.SIGKILL)
        faults = {process.name: process.log[-LOG_SHOWN:] for process in self.processes if process.faults}
        self._folder.cleanup()
        assert not left, f"processes are left behind: {left}"
        assert not faults, f"{faults}\n{logs}"

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run something async for a fixture that is not."""
        return asyncio.run(work)

    def end(self) -> str:
        """End all processes, the last started first, by a second signal at once; return the servers' logs."""
        for process in reversed(self.processes):
            if process.code is None:
                process.signal(signal.SIGCONT)  # it may stand still
            for number, seconds in ((signal.SIGTERM, 0.3), (signal.SIGTERM, PATIENCE), (signal.SIGKILL, PATIENCE)):
                if process.code is None:
                    process.signal(number)
                    _wait_gone(process, seconds)
        return "\n".join(process.log for process in self.processes if isinstance(process, ServerProcess))

    def launch_server(
        self, *arguments: str, name: str = "server", data: str = "data", env: Mapping[str, str] | None = None
    ) -> ServerProcess:
        """Start a server and wait until it serves. A second start on the same data folder is a restart."""
        server = self.spawn_server(*arguments, name=name, data=data, env=env)
        server.wait_serving()
        return server

    def spawn_server(
        self, *arguments: str, name: str = "server", data: str = "data", env: Mapping[str, str] | None = None
    ) -> ServerProcess:
        """Start a server and do not wait for it."""
        log = self._new_log(name)
        server = ServerProcess(log.stem, self.folder / data, list(arguments), log, {**self.env, **(env or {})})
        self.processes.append(server)
        return server

    async def server(self, *arguments: str, name: str = "server", data: str = "data") -> ServerProcess:
        """Start a server and wait until it serves, without holding the loop up."""
        return await asyncio.to_thread(lambda: self.launch_server(*arguments, name=name, data=data))

    def bot(self, spec: str, token: str, *addresses: str, slots: int = 2, arguments: tuple[str, ...] = ()) -> Process:
        """Start a bot by the SDK's own program."""
        command = ["-m", "agon_bots", "run", spec, "--server", ",".join(addresses), "--slots", str(slots), *arguments]
        return self.python(f"bot-{Path(spec).stem}", command, AGON_TOKEN=token)

    def python(self, name: str, arguments: list[str], **env: str) -> Process:
        """Start any Python program."""
        return self.start(name, [sys.executable, *arguments], **env)

    def start(self, name: str, command: list[str], **env: str) -> Process:
        """Start anything."""
        log = self._new_log(name)
        process = Process(log.stem, command, log, {**self.env, **env})
        self.processes.append(process)
        return process

    def _new_log(self, name: str) -> Path:
        return self.folder / f"{name}-{len(self.processes)}.log"


def _wait_gone(process: Process, seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while process.code is None and time.monotonic() < deadline:
        time.sleep(POLL_SECONDS)


def marked(mark: str) -> list[int]:
    """Return the ids of all processes that have inherited the mark, whoever their parent is now."""
    wanted = f"{MARK}={mark}".encode()
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if wanted in (folder / "environ").read_bytes().split(b"\0") and not _is_zombie(folder):
                found.append(int(folder.name))
        except OSError:
            continue  # it has just ended, or is another user's
    return found


def _is_zombie(folder: Path) -> bool:
    return (folder / "stat").read_text().rpartition(")")[2].split()[0] == "Z"
