"""Real Play streams for tests of the referee, over a wire that the test holds: frames go up and come down as bytes,
nothing is a network."""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass, field
from typing import Any

from tests.support.journals import StoredJournal
from tests.support.referee import GAME, TOGETHER, FakeHost, Frames, ManualClock, make_entry

from agon.codec import down
from agon.codec.frames import Hello, HelloGame, Join, NoticeKind, Ready, RejectedCode, Slots, Up, UpBody
from agon.codec.up import encode_up
from agon_engine.core.timing import MICROSECONDS
from agon_engine.registry import get_game
from agon_server.accounts import Bot
from agon_server.metrics import Metrics
from agon_server.queue.entry import MatchEntry
from agon_server.referee.clock import Clock, LoopClock
from agon_server.referee.match import Match
from agon_server.referee.stream import BotStream, Ending, StreamLimits

LIMITS = StreamLimits(unsent_bytes=50_000, frames_per_second=10, refused_per_minute=20)
"""Low ones, which tests of limits reach soon."""
TURNS = 40
"""Turns of the loop after which everything that is ready has been read, has had its consequences and is written."""


async def settle() -> None:
    """Let the loop turn until nothing is left to do."""
    for _ in range(TURNS):
        await asyncio.sleep(0)


class FakeWire(Frames):
    """The two calls of a gRPC context. `pieces` are the messages that were written, one each; a wire that is `blocked`
    takes no more of them."""

    def __init__(self) -> None:
        super().__init__()
        self._up: deque[object] = deque()
        self._arrived = asyncio.Event()
        self._free = asyncio.Event()
        self._free.set()
        self.broken: Exception | None = None
        """What reading and writing raise from now on."""
        self.writing = 0

    async def read(self) -> Any:
        while not self._up:
            if self.broken is not None:
                raise self.broken
            self._arrived.clear()
            await self._arrived.wait()
        return self._up.popleft()

    async def write(self, message: bytes) -> None:
        self.writing += 1
        await self._free.wait()
        self.writing -= 1
        if self.broken is not None:
            raise self.broken
        self.pieces.append(message)

    def arrive(self, message: object) -> None:
        """Let a message arrive; anything that is no bytes is the end of the stream."""
        self._up.append(message)
        self._arrived.set()

    def break_down(self, error: Exception) -> None:
        """Let the other side be gone, which gRPC tells by an error."""
        self.broken = error
        self._arrived.set()
        self._free.set()

    def block(self) -> None:
        self._free.clear()

    def unblock(self) -> None:
        self._free.set()


class Client:
    """A bot's end of a stream."""

    def __init__(self, bot: str, wire: FakeWire, stream: BotStream, serving: asyncio.Task[Ending]) -> None:
        self.bot = bot
        self.wire = wire
        self.stream = stream
        self.serving = serving

    def put(self, *bodies: UpBody, match: str = "", seat: int = 0) -> None:
        """Let frames arrive, all in one message."""
        self.wire.arrive(b"".join(encode_up(body, match, seat) for body in bodies))

    async def say(self, *bodies: UpBody, match: str = "", seat: int = 0) -> None:
        """Let frames arrive and have all their consequences."""
        self.put(*bodies, match=match, seat=seat)
        await settle()

    async def close(self) -> Ending:
        """Close the stream from the bot's side."""
        self.wire.arrive(None)
        return await self.serving

    @property
    def messages(self) -> list[bytes]:
        return self.wire.pieces


@dataclass
class Owner:
    """Who is asked about frames that are no joined match's: knows some matches, whose tickets are `ticket 0` …"""

    matches: dict[str, Match] = field(default_factory=dict)
    over: set[str] = field(default_factory=set)
    slots_asked: list[int] = field(default_factory=list)

    def join(self, stream: BotStream, frame: Up, body: Join) -> None:
        match = self.matches.get(frame.match)
        if match is None or body.ticket != f"ticket {frame.seat}":
            stream.reject(frame, RejectedCode.NO_TICKET, "the ticket is not the one for this seat of this match")
        else:
            match.join(frame.seat, stream, body.sequence)

    def slots(self, _stream: BotStream, _frame: Up, body: Slots) -> None:
        self.slots_asked.append(body.slots)

    def ended(self, match: str) -> bool:
        return match in self.over


class StreamBench:
    """A match, its host and clock, and any number of streams to it. Use as an async context manager."""

    def __init__(
        self,
        entry: MatchEntry | None = None,
        *,
        limits: StreamLimits | None = None,
        real_clock: LoopClock | None = None,
        **facts: Any,
    ) -> None:
        self.clock = ManualClock()
        self.time: Clock = real_clock or self.clock
        self.host = FakeHost()
        self.owner = Owner()
        self.metrics = Metrics([GAME])
        self.limits = limits or StreamLimits()
        self.entry = entry or make_entry(**facts)
        self.clients: list[Client] = []
        self.overheads: list[float] = []
        self.rejected: list[RejectedCode] = []
        self.journal = StoredJournal()

    async def __aenter__(self) -> StreamBench:
        self.storing = asyncio.create_task(self.journal.serve())
        self.match = self.new_match(self.entry)
        return self

    async def __aexit__(self, *_: object) -> None:
        for match in self.owner.matches.values():
            match.abandon()
        for client in self.clients:
            client.serving.cancel()
        self.storing.cancel()
        await asyncio.gather(*(client.serving for client in self.clients), self.storing, return_exceptions=True)
        for client in self.clients:
            client.wire.unblock()
        await asyncio.gather(*(client.stream.last_write() for client in self.clients), return_exceptions=True)

    def new_match(self, entry: MatchEntry) -> Match:
        match = Match(
            entry,
            1,
            get_game(GAME),
            self.time,
            self.journal,
            self.host,
            self.metrics.for_game(GAME),
            together=TOGETHER,
            started="2030-01-31T12:00:00Z",
        )
        self.owner.matches[entry.match] = match
        return match

    def connect(
        self,
        bot: str = "bot0",
        *,
        changed: bool = False,
        waiting: list[Up] | None = None,
        wire: FakeWire | None = None,
        slots: int = 1,
    ) -> Client:
        """Open a stream of a bot; frames in `waiting` have come with its Hello."""
        wire = wire or FakeWire()
        hello = Hello(token="t", games=(HelloGame(GAME),), slots=slots, changed_views=changed, bot_version="1")
        stream = BotStream(
            wire,
            self.time,
            self.limits,
            self.owner,
            Bot(bot, bot, 0),
            hello,
            self.overheads.append,
            self.rejected.append,
        )
        client = Client(bot, wire, stream, asyncio.create_task(stream.run(waiting or [])))
        self.clients.append(client)
        return client

    async def join(self, seat: int, *, sequence: int = 0, changed: bool = False) -> Client:
        """Join a seat on a new stream."""
        client = self.connect(f"bot{seat}", changed=changed)
        await client.say(Join(f"ticket {seat}", sequence), match=self.entry.match, seat=seat)
        return client

    async def advance(self, seconds: float, *, host: float = 0.0, steps: int = 1) -> None:
        """Let time pass, and everything that follows from it."""
        for _ in range(steps):
            self.clock.advance(seconds / steps, host=host / steps)
            await settle()


def notice(length: int) -> bytes:
    """Return a message of a little more than that length."""
    return down.notice(kind=NoticeKind.WAIT, message="x" * length)


async def has_begun(bench: StreamBench) -> list[Client]:
    """Let two seats play."""
    clients = [await bench.join(seat) for seat in range(2)]
    for seat, client in enumerate(clients):
        await client.say(Ready(), match=bench.entry.match, seat=seat)
    return clients


def seconds(value: float) -> int:
    return round(value * MICROSECONDS)
