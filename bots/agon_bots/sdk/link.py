"""One Play stream to one server: connects, says Hello, batches what is to be said, answers pings, notices when the
other end has gone silent, and ends without leaving anything behind. Which match a frame is for is the client's.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import grpc
from grpc import aio

from agon.address import Address
from agon.codec import rpc
from agon.codec.client import decode_down
from agon.codec.errors import CodecError
from agon.codec.frames import PROTOCOL, Down, Hello, Ping, Pong, Refused, UpBody, Welcome
from agon.codec.up import encode_up

CONNECT_SECONDS = 10.0
"""How long a server may take to answer Hello."""
SILENT_INTERVALS = 2
"""Pings that may be missed in a row before the stream is taken for dead."""
PING_SECONDS = 10.0
"""How often a server pings that does not say so."""
LONGEST_PING_SECONDS = 300.0
"""A server that pings more seldom than that is not waited for longer."""
FAREWELL_SECONDS = 2.0
"""How long a server may take to end a stream after its Refused."""
_NO_CONNECTION = re.compile(r"failed to connect to all addresses; last error: (?:[A-Z_]+: )?(?:ipv\d:\S+: )?(.*)")
MESSAGE_BYTES = 96 * 1024
"""A message is cut here, well below the 128 KiB at which gRPC would end the stream."""
UNSENT_BYTES = 4 * 1024 * 1024
"""A server that leaves more than this unread does not read: the stream ends."""


@dataclass(frozen=True, slots=True)
class Ended:
    """Why a stream ended: the server's Refused, or a sentence about what broke."""

    why: str
    refused: Refused | None = None


class Receiver(Protocol):
    """Who a link hands on to."""

    def welcomed(self, link: Link, welcome: Welcome) -> None:
        """The stream is open."""

    def received(self, link: Link, frames: list[Down]) -> None:
        """Frames came, in this order; Welcome, Refused and Ping are dealt with."""


class Link:
    """A stream, from `run` to its end. It is used once; whoever wants to come back makes another."""

    def __init__(self, address: Address, slots: int, receiver: Receiver) -> None:
        self.address = address
        self.slots = slots
        """Matches at a time that Hello asks for; 0: it only joins."""
        self.welcome: Welcome | None = None
        self.is_open = False
        """Welcome has come, and the stream has not ended."""
        self._receiver = receiver
        self._outbox: list[bytes] = []
        self._unsent = 0
        """Bytes that were said and are not written yet."""
        self._filled = asyncio.Event()
        self._free = asyncio.Event()
        """Something may be said now."""
        self._free.set()
        self._hold: asyncio.TimerHandle | None = None
        """Lets it be free again."""
        self._channel: aio.Channel | None = None
        self._call: aio.StreamStreamCall[bytes, bytes] | None = None
        self.is_paused = False
        """The server has said that no choice can be stored now, and not yet that play goes on."""
        self._cut = ""
        """Why this side ended the stream."""
        self._refused: Refused | None = None
        self.heard_at = 0.0
        """When the last message came, by the loop's clock; 0 before the first."""
        self._welcomed = asyncio.Event()

    @property
    def patience(self) -> float:
        """How many seconds may pass without a word, by what Welcome said of the pings; nonsense is not believed."""
        said = self.welcome.ping_interval_us / 1e6 if self.welcome is not None else 0.0
        return max(0.1, SILENT_INTERVALS * min(said or PING_SECONDS, LONGEST_PING_SECONDS))

    def say(self, body: UpBody, match: str = "", seat: int = 0) -> None:
        """Send a frame, in one message with all others that are said before the stream can take them."""
        if self._unsent > UNSENT_BYTES:
            self.cut("the server does not read what it is sent")
            return

        piece = encode_up(body, match, seat)
        self._unsent += len(piece)
        self._outbox.append(piece)
        self._filled.set()

    def hold(self, seconds: float) -> None:
        """Say nothing for so long, since the server asked for it; what is said meanwhile goes out together then."""
        loop = asyncio.get_running_loop()
        if self._hold is not None and not self._free.is_set():
            if self._hold.when() >= loop.time() + seconds:
                return
            self._hold.cancel()
        self._free.clear()
        self._hold = loop.call_later(seconds, self._free.set)

    def cut(self, why: str) -> None:
        """End the stream from this side, at once."""
        if not self._cut:
            self._cut = why
        if self._call is not None:
            self._call.cancel()

    async def call(self, path: str, request: bytes, seconds: float) -> bytes | None:
        """Make a call with one answer on the stream's own connection; None where that is gone.

        Raise AioRpcError as the call does.
        """
        channel = self._channel
        if channel is None:
            return None
        call: Any = channel.unary_unary(path)
        try:
            answer: bytes = await call(request, timeout=seconds)
        except (asyncio.CancelledError, aio.UsageError):
            # The end of the channel looks like the cancellation of this task.
            if self._channel is channel or ((task := asyncio.current_task()) is not None and task.cancelling()):
                raise
            return None
        return answer

    async def run(self, open_channel: Callable[[Address], aio.Channel], hello: Hello) -> Ended:
        """Connect, and hand on what comes until the stream ends; return why it did."""
        if self._cut:
            return Ended(self._cut)

        loop = asyncio.get_running_loop()
        channel = open_channel(self.address)
        # Bytes in, bytes out: the codec's functions are called here, where their errors are understood.
        call: aio.StreamStreamCall[bytes, bytes] = channel.stream_stream(rpc.PLAY)()
        self._channel, self._call = channel, call
        self._outbox.insert(0, encode_up(hello))
        self._filled.set()
        writer = loop.create_task(self._write(call))
        watch = loop.create_task(self._watch())
        try:
            why = await self._read(call)
        except CodecError as error:
            why = f"the server said what this version does not understand: {error}"
        finally:
            self.is_open = False
            self._channel = self._call = None
            if self._hold is not None:
                self._hold.cancel()
            writer.cancel()
            watch.cancel()
            call.cancel()
            await asyncio.gather(writer, watch, return_exceptions=True)
            await channel.close()
        return Ended(self._reason(why), self._refused)

    def _reason(self, why: str) -> str:
        return self._cut or why

    async def _read(self, call: aio.StreamStreamCall[bytes, bytes]) -> str:
        loop = asyncio.get_running_loop()
        while True:
            try:
                async with asyncio.timeout(None if self._refused is None else FAREWELL_SECONDS):
                    message: Any = await call.read()
            except aio.AioRpcError as error:
                return _status(error)
            except TimeoutError:
                return "the server has refused the stream, and does not end it"
            except asyncio.CancelledError:
                # Both our own cut and the cancellation of this task come like this.
                if not self._cut or (task := asyncio.current_task()) is None or task.cancelling():
                    raise
                return self._cut

            if message is aio.EOF:
                return await _ending(call)

            self.heard_at = loop.time()
            self._take(decode_down(message))

    def _take(self, frames: list[Down]) -> None:
        others: list[Down] = []
        for frame in frames:
            body = frame.body
            if self._refused is not None:
                break  # nothing follows it
            if isinstance(body, Ping):
                self.say(Pong(body.id))
            elif isinstance(body, Refused):
                self._refused = body
                self.is_open = False
            elif isinstance(body, Welcome):
                self._open(body)
            elif self.is_open:
                others.append(frame)
        if others:
            self._receiver.received(self, others)

    def _open(self, welcome: Welcome) -> None:
        if self.welcome is not None:
            return  # once is enough
        if welcome.protocol != PROTOCOL:
            raise CodecError(f"version {welcome.protocol} of the protocol, and not {PROTOCOL}")

        self.welcome = welcome
        self.is_open = True
        self._welcomed.set()
        self._receiver.welcomed(self, welcome)

    async def _write(self, call: aio.StreamStreamCall[bytes, bytes]) -> None:
        try:
            while True:
                await self._filled.wait()
                await self._free.wait()
                self._filled.clear()
                pieces, self._outbox = self._outbox, []
                for message in cut_messages(pieces):
                    await call.write(message)
                    self._unsent = max(0, self._unsent - len(message))
        except (aio.AioRpcError, asyncio.InvalidStateError, aio.UsageError):
            return  # the stream has ended; the reader says why

    async def _watch(self) -> None:
        """End a stream whose other end says nothing: half open, or a server that never answers Hello."""
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                await self._welcomed.wait()
        except TimeoutError:
            self.cut(f"no answer to Hello for {CONNECT_SECONDS:g} s")
            return

        patience = self.patience
        while True:
            left = self.heard_at + patience - loop.time()
            if left <= 0:
                self.cut(f"nothing came from the server for {patience:g} s")
                return

            await asyncio.sleep(left)


def cut_messages(pieces: list[bytes]) -> list[bytes]:
    """Join encoded frames into as few messages as the size limit allows, in their order."""
    messages: list[bytes] = []
    batch: list[bytes] = []
    size = 0
    for piece in pieces:
        if batch and size + len(piece) > MESSAGE_BYTES:
            messages.append(b"".join(batch))
            batch, size = [], 0
        batch.append(piece)
        size += len(piece)
    if batch:
        messages.append(b"".join(batch))
    return messages


async def _ending(call: aio.StreamStreamCall[bytes, bytes]) -> str:
    code = await call.code()
    return "the server ended the stream" if code is grpc.StatusCode.OK else f"{code.name}: {await call.details()}"


def _status(error: aio.AioRpcError) -> str:
    details = (error.details() or "").partition("\n")[0][:300]
    if error.code() is grpc.StatusCode.UNAVAILABLE and (found := _NO_CONNECTION.match(details)):
        return f"cannot connect: {found[1]}"

    if error.code() is grpc.StatusCode.UNAVAILABLE and "resol" in details:
        return f"cannot connect: no address is known for this name ({details})"

    return f"{error.code().name}: {details}"
