"""One Play stream: reads messages and hands each frame to whom it is for, writes what is ready for the bot, all
frames in one message. Knows frames and limits, but no rules: what a frame of a match means is the match's.

Two tasks a stream, one that reads and one that writes, both owned by the handler: the first is gone when `run` returns,
the second after `last_write`.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from agon.codec import down, up
from agon.codec.frames import (
    Choose,
    Hello,
    Join,
    Note,
    Pong,
    Ready,
    RefusedCode,
    RejectedCode,
    Resign,
    Slots,
    TooLarge,
    Unknown,
)
from agon_server.referee.clock import Clock, Microseconds
from agon_server.referee.pulse import Flat, Pulse
from agon_server.trace import places

if TYPE_CHECKING:
    from agon.codec.up import Up
    from agon_server.accounts import Bot
    from agon_server.referee.match import Match

log = logging.getLogger(__name__)

FLUSH_SECONDS = 1.0
"""How long a stream that is ended on purpose may take to read why."""
_MINUTE = 60_000_000
_BURST_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class StreamLimits:
    """What one stream may cost the server."""

    unsent_bytes: int = 1024 * 1024
    frames_per_second: int = 20_000
    """Sustained; two seconds' worth may come at once. A bot that plays many matches fast is far below."""
    weights: Mapping[str, int] = field(default_factory=dict)
    """As how many frames one of a kind counts, where that is more than one: what makes the server ask the store, or
    say much, is not to be had for the price of a Pong."""
    refused_per_minute: int = 100
    ping_interval: Microseconds = 10_000_000
    unused: Microseconds = 20_000_000
    """How long a stream without slots may be without a match: no Offer comes on it, so its bot waits for nothing."""


class Wire(Protocol):
    """The two calls of a gRPC aio context that a stream needs, with bytes for messages."""

    async def read(self) -> Any: ...

    async def write(self, message: bytes) -> None: ...


@dataclass(frozen=True, slots=True)
class Ending:
    """Why a stream ended: on purpose with a code, or (code None) because the other side closed or is gone."""

    code: RefusedCode | None
    message: str = ""
    needed: str = ""
    retry_delay: Microseconds = 0


class StreamOwner(Protocol):
    """Who is asked about frames that are about the stream, or about matches that it has not joined."""

    def join(self, stream: BotStream, frame: Up, body: Join) -> None: ...

    def slots(self, stream: BotStream, frame: Up, body: Slots) -> None: ...

    def ended(self, match: str) -> bool:
        """Tell whether the match has ended here not long ago, so that a late frame for it is no offence."""


class BotStream:
    """A Play stream that has said Hello. `run` serves it to its end and returns why it ended."""

    def __init__(
        self,
        wire: Wire,
        clock: Clock,
        limits: StreamLimits,
        owner: StreamOwner,
        bot: Bot,
        hello: Hello,
        on_overhead: Callable[[float], None],
        on_rejected: Callable[[RejectedCode], None],
    ) -> None:
        self.bot = bot
        self.hello = hello
        self.slots = hello.slots
        self.latency: Microseconds = 0
        self.matches: dict[tuple[str, int], Match] = {}
        """The seats that were joined on this stream and are not over."""
        self._wire = wire
        self._clock = clock
        self._limits = limits
        self._owner = owner
        self._on_overhead = on_overhead
        self._on_rejected = on_rejected
        self._out: deque[bytes] = deque()
        self._unsent = 0
        self._stamps: list[Microseconds] = []
        self._wake: asyncio.Future[None] | None = None
        """What the writer waits for; None while a message is under way."""
        self._writer: asyncio.Task[None] | None = None
        self._is_over = False
        """No further message is begun."""
        self._is_gone = False
        """gRPC has told that nobody is at the other end."""
        self._flushed: asyncio.Future[None] | None = None
        """Somebody waits for all that is ready to be written."""
        self._ended: asyncio.Future[Ending] = asyncio.get_running_loop().create_future()
        self._allowance = limits.frames_per_second * _BURST_SECONDS
        self._allowance_at = clock.now()
        self._refused: deque[Microseconds] = deque()
        self._pulse = Pulse(
            clock,
            interval=limits.ping_interval,
            unused=limits.unused,
            is_used=self._is_used,
            send=self.send,
            ended=self._no_pulse,
        )

    @property
    def is_open(self) -> bool:
        return not self._ended.done()

    # -- life ------------------------------------------------------------------------------------------------

    async def run(self, waiting: list[Up]) -> Ending:
        """Serve frames, first those that came with Hello, until the stream ends; return why it did. `last_write` is to
        follow, when all else that is the stream's has been given up."""
        reader = asyncio.create_task(self._guarded(partial(self._read, waiting)))
        writer = self._writer = asyncio.create_task(self._guarded(self._write))
        self._pulse.start()
        try:
            ending = await asyncio.shield(self._ended)
            if ending.code is not None:
                self._put_last(ending)
                await self._flush(writer)
            return ending
        except asyncio.CancelledError:
            writer.cancel()  # gRPC has ended the call
            raise
        finally:
            self.end(Ending(None))
            self._is_over = True
            self._pulse.stop()
            reader.cancel()
            if self._wake is not None:
                writer.cancel()
            # Before anything is awaited: gRPC may cancel the handler while it already ends by itself.
            self._detach()
            await asyncio.gather(reader, return_exceptions=True)

    async def last_write(self) -> bool:
        """Wait until no message is under way, and tell whether the bot is still there. gRPC cannot send the status of a
        call before that, nor after a message that failed, and logs an error where it is to.

        A bot that is there and does not read keeps this waiting for as long as it likes, as it would the status.
        """
        assert self._writer is not None
        try:
            await asyncio.wait((self._writer,))
        finally:
            self._writer.cancel()
        return not self._is_gone

    def end(self, ending: Ending) -> None:
        """End the stream on purpose, or note that it is gone. The first reason stands."""
        if not self._ended.done():
            self._ended.set_result(ending)

    def _put_last(self, ending: Ending) -> None:
        """Let the stream end with Refused, after all that was still to be said."""
        assert ending.code is not None
        if ending.code is RefusedCode.NOT_READING:
            self._out.clear()
        self._append(down.refused(ending.code, ending.message, ending.needed, ending.retry_delay))

    async def _flush(self, writer: asyncio.Task[None]) -> None:
        if writer.done():
            return  # it is gone
        self._flushed = asyncio.get_running_loop().create_future()
        # Where it does not read, it cannot learn why.
        await asyncio.wait((self._flushed, writer), timeout=FLUSH_SECONDS, return_when=asyncio.FIRST_COMPLETED)

    async def _guarded(self, work: Callable[[], Awaitable[None]]) -> None:
        """Read or write until the stream ends, by whatever."""
        try:
            await work()
        except Exception as error:
            # gRPC tells of a vanished peer by an error of its own; anything else is a bug and must be seen.
            if type(error).__module__.partition(".")[0] == "grpc":
                self._is_gone = True
            else:
                log.error("a stream of bot %s failed:\n%s", self.bot.name, places(error))
                self.end(Ending(RefusedCode.NOT_SERVING, "the server failed on this stream"))
        finally:
            self.end(Ending(None))

    def _detach(self) -> None:
        matches, self.matches = self.matches, {}
        for (_, seat), match in matches.items():
            match.stream_lost(seat, self)

    # -- down ------------------------------------------------------------------------------------------------

    def send(self, piece: bytes, read_at: Microseconds = 0) -> None:
        """Put a framed piece on the stream. `read_at`: when the frame that it answers was read, for the metrics."""
        if self._ended.done():
            return

        self._append(piece)
        if read_at:
            self._stamps.append(read_at)
        if self._unsent > self._limits.unsent_bytes:
            self.end(
                Ending(
                    RefusedCode.NOT_READING,
                    f"more than {self._limits.unsent_bytes} bytes are unsent: the bot does not read",
                )
            )

    def _append(self, piece: bytes) -> None:
        self._out.append(piece)
        self._unsent += len(piece)
        wake = self._wake
        if wake is not None and not wake.done():
            wake.set_result(None)

    async def _write(self) -> None:
        loop = asyncio.get_running_loop()
        while not self._is_over:
            if self._out:
                await self._write_ready()
            else:
                if self._flushed is not None and not self._flushed.done():
                    self._flushed.set_result(None)
                self._wake = loop.create_future()
                await self._wake
                self._wake = None

    async def _write_ready(self) -> None:
        """Write one message of what is ready."""
        out = self._out
        pieces = [out.popleft()]
        size = len(pieces[0])
        while out and size + len(out[0]) <= up.MESSAGE_BYTES:
            piece = out.popleft()
            size += len(piece)
            pieces.append(piece)
        stamps, self._stamps = self._stamps, []
        await self._wire.write(b"".join(pieces))
        self._unsent -= size
        if stamps:
            now = self._clock.now()
            for stamp in stamps:
                self._on_overhead((now - stamp) / 1e6)

    # -- up --------------------------------------------------------------------------------------------------

    async def _read(self, waiting: list[Up]) -> None:
        for frame in waiting:
            self._receive(frame, self._clock.now())
        while True:
            message = await self._wire.read()
            if not isinstance(message, bytes):  # the end of the stream
                return

            read_at = self._clock.now()
            try:
                frames = up.decode_up(message)
            except up.CodecError as error:
                self.reject(None, RejectedCode.UNKNOWN, str(error))
                continue

            for frame in frames:
                self._receive(frame, read_at)

    def _receive(self, frame: Up, read_at: Microseconds) -> None:
        if self._ended.done():
            return
        weight = self._limits.weights.get(frame.kind, 1)
        if not self._within_rate(read_at, weight):
            self.reject(
                frame,
                RejectedCode.RATE,
                f"more than {self._limits.frames_per_second} frames a second",
                retry_delay=int(1e6 * weight / self._limits.frames_per_second) + 1,
            )
        elif type(frame.body) is Choose:
            match = self.matches.get((frame.match, frame.seat))
            if match is None:
                self._no_match(frame)
            else:
                match.choose(frame, frame.body, read_at)
        else:
            self._receive_other(frame, frame.body, read_at)

    def _receive_other(self, frame: Up, body: object, read_at: Microseconds) -> None:
        match body:
            case Pong():
                round_trip = self._pulse.got_pong(body.id, read_at)
                if round_trip is not None:
                    self.latency = round_trip
            case Join():
                self._owner.join(self, frame, body)
            case Slots():
                self._owner.slots(self, frame, body)
            case Hello():
                self.reject(frame, RejectedCode.OUT_OF_ORDER, "hello comes first and once a stream")
            case TooLarge():
                self.reject(
                    frame, RejectedCode.TOO_LARGE, f"a frame has at most {up.FRAME_BYTES} bytes, a note {up.NOTE_BYTES}"
                )
            case Ready() | Note() | Resign():
                match = self.matches.get((frame.match, frame.seat))
                if match is None:
                    self._no_match(frame)
                elif isinstance(body, Ready):
                    match.ready(frame.seat)
                elif isinstance(body, Note):
                    match.note(frame.seat, body.text)
                else:
                    match.resign(frame.seat)
            case Unknown():
                self.reject(frame, RejectedCode.UNKNOWN, body.reason)
            case _:
                self.reject(frame, RejectedCode.UNKNOWN, f"no frame of this protocol: {frame.kind!r}")

    def _no_match(self, frame: Up) -> None:
        self.reject(
            frame,
            RejectedCode.NO_MATCH,
            f"no match that this stream has joined: {frame.match[:64]!r} seat {frame.seat}",
        )

    def reject(self, frame: Up | None, code: RejectedCode, message: str, *, retry_delay: Microseconds = 0) -> None:
        """Answer a frame that did not fit, with what is open for its seat, and end the stream when there were too many
        of them in a minute. None: a message that is no frames."""
        self._on_rejected(code)
        name, seat, kind, decision = "", 0, "", 0
        epoch = open_decision = attempts_left = 0
        if frame is not None:
            name, seat, kind = frame.match[:64], frame.seat, frame.kind
            if isinstance(frame.body, Choose):
                decision = frame.body.decision
            match = self.matches.get((frame.match, seat))
            if match is not None:
                epoch = match.epoch
                open_decision, attempts_left = match.question(seat)
        self.send(
            down.rejected(
                name,
                seat,
                epoch,
                code=code,
                message=message,
                frame=kind,
                decision=decision,
                open_decision=open_decision,
                attempts_left=attempts_left,
                retry_delay_us=retry_delay,
            )
        )
        if frame is not None and code is RejectedCode.NO_MATCH and self._owner.ended(frame.match):
            return  # it crossed the Over on its way

        now = self._clock.now()
        self._refused.append(now)
        while self._refused[0] < now - _MINUTE:
            self._refused.popleft()
        if len(self._refused) > self._limits.refused_per_minute:
            self._flood()

    def _flood(self) -> None:
        for (_, seat), match in list(self.matches.items()):
            match.flooded(seat)
        self.end(
            Ending(
                RefusedCode.FLOOD,
                f"more than {self._limits.refused_per_minute} refused frames in a minute",
                retry_delay=_MINUTE,
            )
        )

    def _within_rate(self, now: Microseconds, weight: int) -> bool:
        if now != self._allowance_at:  # else it is of the same message as the frame before
            rate = self._limits.frames_per_second
            self._allowance = min(rate * _BURST_SECONDS, self._allowance + (now - self._allowance_at) * rate / 1e6)
            self._allowance_at = now
        if self._allowance < weight:
            return False

        self._allowance -= weight
        return True

    # -- pulse -----------------------------------------------------------------------------------------------

    def _is_used(self) -> bool:
        """Tell whether something can come on it."""
        return bool(self.matches) or self.hello.slots > 0

    def _no_pulse(self, why: Flat) -> None:
        if why is Flat.SILENT:
            self.end(Ending(RefusedCode.SILENT, "no Pong for two intervals"))
        else:
            self.end(Ending(None))  # a good end, without Refused: the bot looks for its matches elsewhere
