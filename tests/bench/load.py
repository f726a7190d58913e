"""What benchmarks load a server with: the server itself in a process of its own that tells its CPU time, bots that cost
little and answer at once (or after a while), and a feed of matches for them."""

from __future__ import annotations

import asyncio
import ctypes
import gc
import multiprocessing
import os
import random
import resource
import signal
import tempfile
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import grpc.aio
import uvloop

from agon.address import Address
from agon.codec.rpc import PLAY
from agon.v1 import play_pb2 as pb
from agon_engine.core.policy import FaultPolicy
from agon_engine.core.timing import TimeControl
from agon_engine.registry import get_game
from agon_server.accounts import Accounts
from agon_server.app import Server
from agon_server.config import Limits, ServerConfig
from agon_server.garbage import collect_seldom
from agon_server.polling import read_where_it_waits
from agon_server.queue.entry import MatchEntry, SeatEntry
from agon_server.queue.ids import new_id
from agon_server.queue.queue import Queue
from agon_server.store.connection import Store

GAME = "ephyran"
SPAWN = multiprocessing.get_context("spawn")


# -- the server's process ------------------------------------------------------------------------------------


def _serve(pipe: Connection, data: str, config: dict[str, Any]) -> None:
    uvloop.run(_serving(pipe, data, config))


async def _serving(pipe: Connection, data: str, config: dict[str, Any]) -> None:
    loopback = Address("127.0.0.1", 0)
    settings = ServerConfig(data=Path(data), listen=loopback, metrics=loopback, **config)
    async with Server(settings) as server:
        collect_seldom()
        for ladder in await server.installation.catalogue.list():
            await server.installation.catalogue.close(ladder.name)
        questions: asyncio.Queue[str] = asyncio.Queue()
        stopped = asyncio.Event()

        def hear() -> None:
            try:
                question = pipe.recv()
            except EOFError:  # the benchmark is gone
                question = "stop"
            if question == "stop":
                loop.remove_reader(pipe.fileno())
                stopped.set()
            else:
                questions.put_nowait(question)

        loop = asyncio.get_running_loop()
        loop.add_reader(pipe.fileno(), hear)
        pipe.send((str(server.address), server.store.shown_url))
        answering = asyncio.create_task(_answer_all(pipe, server, questions))
        await stopped.wait()
        answering.cancel()


async def _answer_all(pipe: Connection, server: Server, questions: asyncio.Queue[str]) -> None:
    while True:
        question = await questions.get()
        if question == "idle":
            await server.referee.idle()
        pipe.send(_answer(server, question))


def _answer(server: Server, question: str) -> Any:
    if question in ("memory", "memory in use"):
        return resident_memory(trim=question == "memory in use")

    if question == "tasks":
        return len(asyncio.all_tasks())

    usage = resource.getrusage(resource.RUSAGE_SELF)
    samples = {
        (sample.name, sample.labels.get("le", "")): sample.value
        for family in server.metrics.registry.collect()
        for sample in family.samples
        if sample.labels.get("game", GAME) == GAME
    }
    return Reading(usage.ru_utime + usage.ru_stime, samples, server.referee.running)


def resident_memory(*, trim: bool) -> int:
    """Return the bytes of memory that this process has; `trim`: without what the allocator keeps for later."""
    gc.collect()
    if trim and (give_back := getattr(ctypes.CDLL(None), "malloc_trim", None)):
        give_back(0)
    with open("/proc/self/statm", encoding="ascii") as statm:
        return int(statm.read().split()[1]) * resource.getpagesize()


@dataclass(frozen=True, slots=True)
class Reading:
    """What the server process says of itself."""

    cpu: float
    """Seconds of its own CPU time; the store is a process of its own and not in it."""
    samples: dict[tuple[str, str], float]
    running: int

    @property
    def decisions(self) -> float:
        return self.samples["agon_decision_seconds_count", ""]


class ServerProcess:
    """A server in a process of its own. Ask it things; `stop` ends it. It is deaf to Ctrl-C, the benchmark is not."""

    def __init__(self, **config: Any) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="agon-bench-")
        self._pipe, other = SPAWN.Pipe()
        self._unanswered = 0
        self._process = SPAWN.Process(target=_serve, args=(other, f"{self._folder.name}/data", config))
        with deaf_to_interrupts(), environment_of_servers():
            self._process.start()
        other.close()
        try:
            self.address, self.store_url = self._pipe.recv()
        except BaseException:
            self.stop()
            raise

    async def ask(self, question: str) -> Any:
        """Ask one question at a time. Where one is cancelled, the next one waits for both answers."""
        self._pipe.send(question)
        self._unanswered += 1
        while True:
            await self._readable()
            answer = self._pipe.recv()
            self._unanswered -= 1
            if not self._unanswered:
                return answer

    async def read(self) -> Reading:
        reading = await self.ask("read")
        assert isinstance(reading, Reading)
        return reading

    def stop(self) -> None:
        """End the process, and kill it where it does not."""
        with suppress(OSError):  # it is gone
            self._pipe.send("stop")
        self._process.join(30)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()
        self._folder.cleanup()

    async def _readable(self) -> None:
        loop, readable = asyncio.get_running_loop(), asyncio.Event()
        loop.add_reader(self._pipe.fileno(), readable.set)
        try:
            await readable.wait()
        finally:
            loop.remove_reader(self._pipe.fileno())


@contextmanager
def environment_of_servers() -> Iterator[None]:
    """Let the processes that are started here load gRPC as `agon serve` does."""
    before = dict(os.environ)
    read_where_it_waits(os.environ)
    try:
        yield
    finally:
        for name in os.environ.keys() - before:
            del os.environ[name]


@contextmanager
def deaf_to_interrupts() -> Iterator[None]:
    """Let the processes that are started here ignore Ctrl-C, which reaches all that belong to a terminal."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


# -- bots ----------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Tally:
    """What the bots of a load have seen."""

    up_bytes: int = 0
    up_frames: int = 0
    decides: int = 0
    decide_bytes: int = 0
    messages: int = 0
    overs: int = 0
    refused: list[str] = field(default_factory=list)


class CheapBot:
    """A bot on the generated code that picks at random and costs little, so that the server is what is measured."""

    def __init__(self, address: str, token: str, *, slots: int, changed: bool, tally: Tally, think: float = 0) -> None:
        """`think`: seconds that it thinks on average (exponentially distributed); 0: it answers at once."""
        hello = pb.Hello(
            protocol_min=1,
            protocol_max=1,
            sdk="bench",
            token=token,
            games=[pb.HelloGame(name=GAME)],
            slots=slots,
            changed_views=changed,
        )
        self._channel = grpc.aio.insecure_channel(address, options=[("grpc.use_local_subchannel_pool", 1)])
        self._tally = tally
        self._think = think
        self._pick = random.Random(token)
        self._thinking: set[asyncio.TimerHandle] = set()
        self._out: list[pb.UpFrame] = [pb.UpFrame(hello=hello)]
        self._wake = asyncio.Event()
        self.welcome = asyncio.Event()

    async def play(self) -> None:
        """Play until cancelled. What is ready while a message is being written goes together in the next one."""
        call: Any = self._channel.stream_stream(PLAY)()
        writing = asyncio.create_task(self._write(call))
        try:
            while (message := await call.read()) is not grpc.aio.EOF:
                self._read(message)
        finally:
            writing.cancel()
            await asyncio.gather(writing, return_exceptions=True)
            call.cancel()
            for timer in self._thinking:
                timer.cancel()
            await self._channel.close()

    async def _write(self, call: Any) -> None:
        while True:
            while self._out:
                ready, self._out = self._out, []
                await call.write(pb.PlayRequest(frames=ready).SerializeToString())
            self._wake.clear()
            await self._wake.wait()

    def _say(self, frame: pb.UpFrame) -> None:
        self._out.append(frame)
        self._wake.set()

    def _read(self, message: bytes) -> None:
        tally = self._tally
        tally.messages += 1
        for frame in pb.PlayResponse.FromString(message).frames:
            kind = frame.WhichOneof("body")
            if kind == "decide":
                tally.decides += 1
                tally.decide_bytes += frame.ByteSize()
                index = self._pick.randrange(len(frame.decide.actions))
                choose = pb.Choose(decision=frame.decide.decision, index=index)
                up = pb.UpFrame(match=frame.match, seat=frame.seat, choose=choose)
                tally.up_frames += 1
                tally.up_bytes += up.ByteSize()
                self._answer(up)
            elif kind == "offer":
                self._say(pb.UpFrame(match=frame.match, seat=frame.seat, join=pb.Join(ticket=frame.offer.ticket)))
            elif kind == "start":
                self._say(pb.UpFrame(match=frame.match, seat=frame.seat, ready=pb.Ready()))
            elif kind == "ping":
                self._say(pb.UpFrame(pong=pb.Pong(id=frame.ping.id)))
            elif kind == "over":
                tally.overs += 1
            elif kind == "welcome":
                self.welcome.set()
            elif kind in ("refused", "rejected"):
                tally.refused.append(str(getattr(frame, kind)))

    def _answer(self, frame: pb.UpFrame) -> None:
        if not self._think:
            self._say(frame)
            return

        def done() -> None:
            self._thinking.discard(timer)
            self._say(frame)

        timer = asyncio.get_running_loop().call_later(self._pick.expovariate(1 / self._think), done)
        self._thinking.add(timer)


# -- matches -------------------------------------------------------------------------------------------------


def duel(left: str, right: str, seed: bytes, game: str = GAME) -> MatchEntry:
    """Return a match between two bots, with the defaults of its game and clocks."""
    return MatchEntry(
        match=new_id(),
        game=game,
        version=get_game(game).spec.version,
        seats=(SeatEntry(left, left), SeatEntry(right, right)),
        seed=seed.hex(),
        time=TimeControl(),
        policy=FaultPolicy.default(2),
    )


class MatchFeed:
    """Keeps the bots' slots full: 2-seat matches between fixed pairs, queued as slots come free."""

    def __init__(self, queue: Queue, pairs: Sequence[tuple[str, str]]) -> None:
        self._queue = queue
        self._pairs = pairs
        self._seed = random.Random(1)

    async def run(self) -> None:
        """Queue matches until cancelled."""
        while True:
            queued = [await self._queue.enqueue(duel(*pair, self._seed.randbytes(16))) for pair in self._pairs]
            if not any(queued):
                await asyncio.sleep(0.02)


@asynccontextmanager
async def load(
    server: ServerProcess, *, bots: int, slots: int, changed: bool, think: float = 0
) -> AsyncIterator[tuple[Tally, list[str]]]:
    """Keep so many bots playing 2-seat matches, `slots` at a time each; let what runs end on the way out."""
    store = Store(server.store_url)
    accounts, queue = Accounts(store), Queue(store, server="bench")
    tally = Tally()
    names = [f"b{number}-{new_id()[-6:]}" for number in range(bots)]
    playing: list[asyncio.Task[None]] = []
    try:
        players = [
            CheapBot(
                server.address, await accounts.register(name), slots=slots, changed=changed, tally=tally, think=think
            )
            for name in names
        ]
        playing += [asyncio.create_task(player.play()) for player in players]
        await asyncio.gather(*(player.welcome.wait() for player in players))
        feed = asyncio.create_task(MatchFeed(queue, list(zip(names[::2], names[1::2], strict=True))).run())
        try:
            yield tally, names
        finally:
            await _end([feed])
        await server.ask("idle")  # not where it was interrupted: a match takes half a minute where bots think
    finally:
        await _end(playing)
        await store.aclose()


async def _end(tasks: Sequence[asyncio.Task[None]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def server_with_room(**config: Any) -> ServerProcess:
    """Start a server that takes as many streams and frames as benchmarks bring."""
    return ServerProcess(limits=Limits(frames_per_second=1_000_000), **config)
