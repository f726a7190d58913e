"""A real gRPC server that speaks the contract and does what a test tells it: for clients, without a referee.

async with FakeServer() as server:
    stream = await server.stream()              # the next one that says Hello
    match = FakeMatch()
    stream.send(server.welcome(), match.offer())
    await stream.next(Join)
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self, TypeVar

import grpc
from tests.support.decides import account_of
from tests.support.patience import PATIENCE

from agon.codec import down, rpc
from agon.codec.down import PartCache, SeatEncoder
from agon.codec.frames import Choose, Hello, Join, Pong, Ready, RefusedCode, Up, WelcomeGame
from agon.codec.ladder import GET_FILE, GetFileResponse
from agon.codec.up import decode_up
from agon_engine.core import Chance, Deal, Deals, FaultPolicy, Game, Result, Table, Termination, TimeControl
from agon_engine.registry import get_game
from agon_server.services.play import STATUS

GAME = "ephyran"

B = TypeVar("B")


class Stream:
    """One Play stream, from the server's side."""

    def __init__(self, hello: Hello, context: Any) -> None:
        self.hello = hello
        self.messages: list[list[Up]] = []
        """What came after Hello, message by message."""
        self.pongs: list[int] = []
        self._context = context
        self._pings = 1_000
        self._frames: deque[Up] = deque()
        self._changed = asyncio.Event()
        self._status = (grpc.StatusCode.UNAVAILABLE, "cut by the test")
        self._out: asyncio.Queue[bytes | None] = asyncio.Queue()
        self.ended = asyncio.Event()
        """The client has ended it, or the test has."""

    def send(self, *pieces: bytes) -> None:
        """Send frames in one message."""
        self._out.put_nowait(b"".join(pieces))

    def cut(self) -> None:
        """End the stream, without a word and with an error, as a server that is killed does."""
        self._out.put_nowait(None)

    def refuse(self, code: RefusedCode, message: str = "no", needed: str = "", retry_delay: float = 0.0) -> None:
        """End the stream on purpose, with the status that the server ends it with."""
        self.send(down.refused(code, message, needed, int(retry_delay * 1e6)))
        self._status = (STATUS[code], message)
        self.cut()

    async def next(self, kind: type[B]) -> tuple[Up, B]:
        """Return the next frame, which must be of that kind (Pongs apart), with its body."""
        async with asyncio.timeout(PATIENCE):
            while not self._frames:
                self._changed.clear()
                await self._changed.wait()
        frame = self._frames.popleft()
        assert isinstance(frame.body, kind), f"expected {kind.__name__}, not {frame!r}"
        return frame, frame.body

    @property
    def waiting(self) -> list[Up]:
        """The frames that have come and were not asked for yet."""
        return list(self._frames)

    async def until(self, condition: Callable[[], object]) -> None:
        """Wait for something that the client's next frames bring about."""
        async with asyncio.timeout(PATIENCE):
            while not condition():
                self._changed.clear()
                await self._changed.wait()

    async def settle(self) -> None:
        """Wait until the client has read all that was sent, and what it says at once has come."""
        self._pings += 1
        number = self._pings
        self.send(down.ping(number))
        await self.until(lambda: number in self.pongs)

    async def over(self) -> None:
        """Wait for the end of the stream."""
        async with asyncio.timeout(PATIENCE):
            await self.ended.wait()

    # -- the handler's part ----------------------------------------------------------------------------------

    def take(self, frames: list[Up]) -> None:
        if frames:
            self.messages.append(frames)
        for frame in frames:
            if isinstance(frame.body, Pong):
                self.pongs.append(frame.body.id)
            else:
                self._frames.append(frame)
        self._changed.set()

    async def serve(self) -> None:
        reader = asyncio.create_task(self._read())
        try:
            while (message := await self._out.get()) is not None:
                await self._context.write(message)
            await self._context.abort(*self._status)
        finally:
            reader.cancel()
            self.ended.set()
            self._changed.set()

    async def _read(self) -> None:
        while isinstance(message := await self._context.read(), bytes):
            self.take(decode_up(message))
        self.ended.set()


class FakeServer:
    """The server; every stream that says Hello comes out of `stream`."""

    def __init__(self, port: int = 0) -> None:
        self.port = port
        self.address = ""
        self.streams: list[Stream] = []
        """All so far, in the order of their Hellos."""
        self.files: dict[str, str] = {}
        """What GetFile answers, by hash."""
        self.refusals: deque[grpc.StatusCode] = deque()
        """What it answers before that, each once."""
        self.asked: list[str] = []
        """The hashes that were asked for, each time."""
        self.may_send = asyncio.Event()
        """Until this is set, no file is sent."""
        self.may_send.set()
        self._taken = 0
        self._came = asyncio.Event()

    async def __aenter__(self) -> Self:
        self._server = grpc.aio.server(options=[("grpc.so_reuseport", 0)])
        method: grpc.RpcMethodHandler[bytes, bytes] = grpc.stream_stream_rpc_method_handler(self._play)
        handlers = {rpc.PLAY.rpartition("/")[2]: method}
        get_file: grpc.RpcMethodHandler[bytes, bytes] = grpc.unary_unary_rpc_method_handler(self._get_file)
        self._server.add_generic_rpc_handlers(
            (
                grpc.method_handlers_generic_handler(rpc.PLAY_SERVICE, handlers),
                grpc.method_handlers_generic_handler(GET_FILE.service, {GET_FILE.name: get_file}),
            )
        )
        self.port = self._server.add_insecure_port(f"127.0.0.1:{self.port}")
        self.address = f"127.0.0.1:{self.port}"
        await self._server.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()

    async def stop(self) -> None:
        """Be gone, with all streams, as a process that is killed."""
        await self._server.stop(0)

    async def _play(self, _: Any, context: Any) -> None:
        message = await context.read()
        if not isinstance(message, bytes):
            return  # it left before it said anything
        frames = decode_up(message)
        assert isinstance(frames[0].body, Hello), frames
        stream = Stream(frames[0].body, context)
        stream.take(frames[1:])
        self.streams.append(stream)
        self._came.set()
        await stream.serve()

    async def _get_file(self, data: bytes, context: Any) -> bytes:
        file = GET_FILE.request.decode(data).hash
        self.asked.append(file)
        self._came.set()
        await self.may_send.wait()
        if self.refusals:
            await context.abort(self.refusals.popleft(), "not now")
        if file not in self.files:
            await context.abort(grpc.StatusCode.NOT_FOUND, "no such file")
        return GET_FILE.response.encode(GetFileResponse(self.files[file]))

    async def file_asked(self) -> None:
        """Wait until a file has been asked for."""
        async with asyncio.timeout(PATIENCE):
            while not self.asked:
                self._came.clear()
                await self._came.wait()

    async def stream(self, patience: float = PATIENCE) -> Stream:
        """Return the next stream, in the order of their Hellos."""
        async with asyncio.timeout(patience):
            while len(self.streams) <= self._taken:
                self._came.clear()
                await self._came.wait()
        self._taken += 1
        return self.streams[self._taken - 1]

    def welcome(self, *lobbies: str, slots: int = 4, ping: float = 10.0) -> bytes:
        """Return the frame that opens a stream."""
        return down.welcome("tested", [WelcomeGame(GAME, 1)], slots, int(ping * 1e6), lobbies)


class FakeMatch:
    """A match of the real game, seen from one seat; the others play at random."""

    def __init__(
        self,
        name: str = "m-1",
        *,
        seat: int = 0,
        seats: int = 2,
        epoch: int = 1,
        number: int = 1,
        game: Game[Any] | None = None,
    ) -> None:
        game = game or get_game(GAME)
        seed = number.to_bytes(16, "big")
        self.id = name
        self.seat = seat
        self.seats = seats
        self.epoch = epoch
        self.ticket = f"ticket of {name}"
        self.table = Table(game, Deal.of(game, seats, {}, seed), FaultPolicy.default(seats), TimeControl())
        self._choices = Chance(seed).fork("others")
        self._encoder = SeatEncoder(game.notation, name, seat, epoch, True, PartCache())

    def offer(self, address: str = "") -> bytes:
        """Return the Offer of the seat."""
        return down.offer(
            self.id,
            self.seat,
            self.epoch,
            ticket=self.ticket,
            game=self.table.deal.game,
            seats=self.seats,
            address=address,
        )

    def start(self) -> bytes:
        """Return Start; the next Decide is full."""
        self._encoder.reset()
        table = self.table
        return self._encoder.start(
            version=table.game.spec.version,
            options=table.deal.options,
            aliases=[f"alias {seat}" for seat in range(self.seats)],
            time=table.time,
            policy=table.policy,
            commitment="c" * 64,
            deals=Deals.FRESH,
            rated=True,
        )

    def decide(self, *, full: bool = False) -> bytes:
        """Let the others play on; return the seat's next Decide, or Over."""
        table = self.table
        while table.decision is not None and table.decision.seat != self.seat:
            actions = table.decision.actions
            table.choose(table.decision.seat, self._choices.choice("other", actions))
        if table.decision is None:
            assert table.result is not None
            return self.over(table.result)

        return self._encoder.decide(
            table.sequence(self.seat),
            table.asked[self.seat],
            table.decision.prompt,
            table.news(self.seat),
            table.state.view(self.seat),
            table.decision.actions,
            account_of(table, self.seat),
            full=full,
        )

    def over(self, result: Result | None = None) -> bytes:
        """Return Over: by the result, or as a match that was cancelled."""
        table = self.table
        if result is None:
            table.abandon(Termination.CANCELLED)
            result = table.result
            assert result is not None
        return self._encoder.over(
            table.sequence(self.seat),
            table.news(self.seat),
            result,
            rated=result.rated,
            record_hash="h" * 64,
            seed=table.deal.seed.hex(),
            clock=account_of(table, self.seat),
        )

    def choose(self, choose: Choose) -> None:
        """Play the seat's answer to the open decision."""
        decision = self.table.decision
        assert decision is not None
        assert (decision.seat, self.table.asked[self.seat]) == (self.seat, choose.decision)
        self.table.choose(self.seat, decision.actions[choose.index])

    @property
    def is_over(self) -> bool:
        return self.table.result is not None


async def play_out(stream: Stream, match: FakeMatch) -> None:
    """Ask the bot for every decision of its seat, and tell it the end."""
    while True:
        stream.send(match.decide())
        if match.is_over:
            return
        match.choose((await stream.next(Choose))[1])


async def offered_elsewhere(lobby: FakeServer, referee: FakeServer, match: FakeMatch) -> tuple[Stream, Stream]:
    """Bring a match to its start on a second stream; return both."""
    first = await lobby.stream()
    first.send(lobby.welcome(), match.offer(referee.address))
    second = await referee.stream()
    second.send(referee.welcome(slots=0))
    await second.next(Join)
    second.send(match.start())
    await second.next(Ready)
    return first, second
