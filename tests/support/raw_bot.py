"""A bot's end of a real Play stream, frame by frame: says what a test wants it to say and keeps what it hears. By
itself it answers pings, unless it is told not to, and once it is told to `play`, all else."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self, TypeVar

import grpc
import grpc.aio
from tests.support.patience import PATIENCE

from agon.codec import rpc
from agon.codec.client import decode_down
from agon.codec.frames import (
    Choose,
    Decide,
    Down,
    Hello,
    HelloGame,
    Join,
    Offer,
    Over,
    Ping,
    Pong,
    Ready,
    Start,
    UpBody,
)
from agon.codec.up import encode_up

B = TypeVar("B")

GAME = "ephyran"
OPTIONS = (("grpc.use_local_subchannel_pool", 1), ("grpc.max_receive_message_length", 16 << 20))
NARROW = (("grpc.http2.bdp_probe", 0), ("grpc.http2.lookahead_bytes", 16 << 10))
"""gRPC itself takes no more than this from the line for a program that does not read."""


class RawBot:
    """An open stream; use as an async context manager. `heard` has all frames so far, pings apart."""

    def __init__(self, address: str, token: str, *, pongs: bool = True, reads: bool = True, **hello: Any) -> None:
        """`hello` holds fields of Hello. One that never `reads` hears nothing, and answers nothing."""
        self.address = address
        self.token = token
        self.pongs = pongs
        self._reads = reads
        self.heard: list[Down] = []
        self.pings = 0
        self.status: grpc.StatusCode | None = None
        """What the stream ended with; None while it is open."""
        self.hello = Hello(**{"token": token, "games": (HelloGame(GAME),), "sdk": "test", **hello})
        self._taken: set[int] = set()
        self._plays = False
        self._here_only = False
        self._answered = 0
        """Up to here `play` has dealt with what was heard."""
        self._came = asyncio.Event()
        self._writing = asyncio.Lock()
        self._channel: grpc.aio.Channel
        self._call: Any = None
        self._reader: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        await self.connect()
        await self.say(self.hello)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def connect(self) -> None:
        """Open the stream and say nothing."""
        options = OPTIONS if self._reads else (*OPTIONS, *NARROW)
        self._channel = grpc.aio.insecure_channel(self.address, options=options)
        self._call = self._channel.stream_stream(rpc.PLAY)()
        if self._reads:
            self._reader = asyncio.create_task(self._read())

    async def close(self) -> None:
        """Be gone at once."""
        self._call.cancel()
        if self._reader is not None:
            await asyncio.gather(self._reader, return_exceptions=True)
        await self._channel.close()

    # -- up --------------------------------------------------------------------------------------------------

    async def say(self, *bodies: UpBody, match: str = "", seat: int = 0) -> None:
        """Send frames in one message. What cannot be sent any more is not missed: the stream has ended."""
        await self.write(b"".join(encode_up(body, match, seat) for body in bodies))

    async def write(self, message: bytes) -> None:
        """Send bytes as one message."""
        try:
            async with self._writing:  # gRPC takes one message at a time
                await self._call.write(message)
        except (grpc.aio.AioRpcError, grpc.aio.UsageError, asyncio.InvalidStateError):
            return

    async def answer(self, frame: Down, body: UpBody) -> None:
        """Say something about the match and seat of a frame."""
        await self.say(body, match=frame.match, seat=frame.seat)

    # -- down ------------------------------------------------------------------------------------------------

    async def _read(self) -> None:
        try:
            while (message := await self._call.read()) is not grpc.aio.EOF:
                for frame in decode_down(message):
                    if isinstance(frame.body, Ping):
                        self.pings += 1
                        if self.pongs:
                            await self.say(Pong(frame.body.id))
                    else:
                        self.heard.append(frame)
                if self._plays:
                    await self._answer_all()
                self._came.set()
        except grpc.aio.AioRpcError:
            pass  # the status tells
        finally:
            self.status = await self._call.code()
            self._came.set()

    def read_after_all(self) -> None:
        """Begin to read, for one that did not."""
        self._reads = True
        self._reader = asyncio.create_task(self._read())

    async def until(self, condition: Callable[[], Any]) -> None:
        """Wait for something that frames, pings or the stream's end bring about."""
        async with asyncio.timeout(PATIENCE):
            while not condition():
                self._came.clear()
                await self._came.wait()

    async def next(self, kind: type[B], *, match: str = "") -> tuple[Down, B]:
        """Return the oldest frame of that kind (and match) that was not returned yet, with its body."""
        frame = await self._take(match, kind)
        assert isinstance(frame.body, kind)
        return frame, frame.body

    async def _take(self, match: str, *kinds: type) -> Down:
        def look() -> int | None:
            for number, frame in enumerate(self.heard):
                if isinstance(frame.body, kinds) and match in ("", frame.match) and number not in self._taken:
                    return number
            return None

        await self.until(lambda: look() is not None or self.status is not None)
        found = look()
        assert found is not None, f"the stream ended with {self.status}: {self.heard[-3:]!r}"
        self._taken.add(found)
        return self.heard[found]

    def all(self, kind: type[B]) -> list[tuple[Down, B]]:
        """Return all frames of a kind so far."""
        return [(frame, frame.body) for frame in self.heard if isinstance(frame.body, kind)]

    async def ended(self) -> grpc.StatusCode:
        """Wait for the stream's end; return its status."""
        await self.until(lambda: self.status is not None)
        assert self.status is not None
        return self.status

    # -- a match ---------------------------------------------------------------------------------------------

    async def start_match(self) -> tuple[Down, Offer]:
        """Take the next Offer up to Ready; return it."""
        frame, offer = await self.next(Offer)
        await self.answer(frame, Join(offer.ticket))
        await self.next(Start, match=frame.match)
        await self.answer(frame, Ready())
        return frame, offer

    async def play(self, *, here_only: bool = False) -> None:
        """Answer everything that was not dealt with yet, and from now on whatever comes: the first action of each.

        `here_only`: leave Offers alone that name another address; else they are joined here all the same.
        """
        self._plays = True
        self._here_only = here_only
        await self._answer_all()

    async def _answer_all(self) -> None:
        while self._answered < len(self.heard):
            number = self._answered
            self._answered += 1
            frame = self.heard[number]
            body = frame.body
            if number in self._taken:
                continue
            if isinstance(body, Offer):
                if not (self._here_only and body.address):
                    await self.answer(frame, Join(body.ticket))
            elif isinstance(body, Start):
                await self.answer(frame, Ready())
            elif isinstance(body, Decide):
                await self.answer(frame, Choose(body.decision, 0))

    async def play_on(self, match: str, decisions: int = 1_000_000) -> Over | None:
        """Answer so many decisions of a match with their first action; return Over when it comes first."""
        for _ in range(decisions):
            frame = await self._take(match, Decide, Over)
            if isinstance(frame.body, Over):
                return frame.body
            assert isinstance(frame.body, Decide)
            await self.answer(frame, Choose(frame.body.decision, 0))
        return None
