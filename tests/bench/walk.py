"""The walk of a choice without gRPC: real streams, matches and a journal in one loop, with wires in memory. What the
bots' side of the wires costs is measured too, and taken off."""

from __future__ import annotations

import asyncio
import random
import time

from tests.bench.load import duel

from agon.codec.frames import Hello, HelloGame, Join, Slots, Up
from agon.v1 import play_pb2 as pb
from agon_engine.registry import get_game
from agon_server.accounts import Bot
from agon_server.metrics import Metrics
from agon_server.referee.clock import LoopClock
from agon_server.referee.journal import Follower, Journal
from agon_server.referee.match import Match
from agon_server.referee.stream import BotStream, StreamLimits

STARTED = "2030-01-31T12:00:00Z"


class Wire:
    """A stream's two calls, with a bot behind them that answers every message at once, at random."""

    def __init__(self, seed: int) -> None:
        self.decides = 0
        self.spent = 0.0
        """Seconds of CPU time that the bot took."""
        self._messages: asyncio.Queue[bytes] = asyncio.Queue()
        self._random = random.Random(seed)

    async def read(self) -> bytes:
        return await self._messages.get()

    async def write(self, message: bytes) -> None:
        began = time.process_time()
        frames = []
        for frame in pb.PlayResponse.FromString(message).frames:
            kind = frame.WhichOneof("body")
            if kind == "decide":
                self.decides += 1
                index = self._random.randrange(len(frame.decide.actions))
                choose = pb.Choose(decision=frame.decide.decision, index=index)
                frames.append(pb.UpFrame(match=frame.match, seat=frame.seat, choose=choose))
            elif kind == "start":
                frames.append(pb.UpFrame(match=frame.match, seat=frame.seat, ready=pb.Ready()))
            elif kind == "ping":
                frames.append(pb.UpFrame(pong=pb.Pong(id=frame.ping.id)))
        if frames:
            self._messages.put_nowait(pb.PlayRequest(frames=frames).SerializeToString())
        self.spent += time.process_time() - began


class _Line:
    """Takes every entry at once."""

    async def call(self, count: int, _arguments: str) -> list[int]:
        return [1] * (count // 3)


async def _mend(_matches: list[Follower]) -> None:
    raise AssertionError("every entry is taken")


class Process:
    """What a match and a stream need of the process that they run in: it begins a new match where one has ended."""

    def __init__(self, game: str, matches: int) -> None:
        self._game = get_game(game)
        self._metrics = Metrics([game]).for_game(game)
        self._clock = LoopClock()
        self._journal = Journal(_Line(), "", _mend, lambda _: None)
        self._matches = matches
        self.wires = [Wire(seat) for seat in range(2)]
        self._streams = [self._stream(wire, f"bot{seat}", game) for seat, wire in enumerate(self.wires)]

    def _stream(self, wire: Wire, bot: str, game: str) -> BotStream:
        hello = Hello(token="", games=(HelloGame(game, 0, ()),), slots=self._matches, changed_views=False)
        observe = self._metrics.overhead_seconds.observe
        limits = StreamLimits(frames_per_second=1_000_000)
        return BotStream(wire, self._clock, limits, self, Bot(bot, bot, 0), hello, observe, lambda _: None)

    async def play(self, seconds: float) -> None:
        """Play so long."""
        self._clock.start()
        serving: list[asyncio.Task[object]] = [asyncio.create_task(stream.run([])) for stream in self._streams]
        serving.append(asyncio.create_task(self._store()))
        for _ in range(self._matches):
            self._begin()
        await asyncio.sleep(seconds)
        for task in serving:
            task.cancel()
        await asyncio.gather(*serving, return_exceptions=True)
        self._clock.stop()

    async def _store(self) -> None:
        while True:
            await self._journal.run()

    def _begin(self) -> None:
        entry = duel("bot0", "bot1", random.randbytes(16), self._game.spec.name)
        match = Match(
            entry,
            1,
            self._game,
            self._clock,
            self._journal,
            self,
            self._metrics,
            together=10_000_000,
            started=STARTED,
        )
        for seat, stream in enumerate(self._streams):
            match.join(seat, stream, 0)

    def over(self, match: Match) -> None:
        match.tell_over("", match.entry.seed)
        self._begin()

    def note(self, bot: str, match: str, seat: int, text: str) -> None:
        """These bots say nothing."""

    def join(self, stream: BotStream, frame: Up, body: Join) -> None:
        """They are joined as the match begins."""

    def slots(self, stream: BotStream, frame: Up, body: Slots) -> None:
        """They ask for none."""

    def ended(self, match: str) -> bool:  # noqa: ARG002  # all that is asked about have just ended
        return True


def cost_of_walk(game: str, matches: int, seconds: float) -> float:
    """Return the microseconds of CPU time a decision of so many matches between two bots, without what the bots
    took."""

    async def walk() -> float:
        process = Process(game, matches)
        began = time.process_time()
        await process.play(seconds)
        spent = time.process_time() - began - sum(wire.spent for wire in process.wires)
        return 1e6 * spent / sum(wire.decides for wire in process.wires)

    return asyncio.run(walk())
