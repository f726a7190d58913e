"""PlayService: the door for bots. Reads Hello, decides whether it is welcome, runs the stream, and passes what is
about matches on to the lobby and the referee.

Messages stay bytes here: gRPC gets and gives them as they are, and the codec reads and writes them.
"""

from __future__ import annotations

import asyncio
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING

import grpc
import grpc.aio

from agon.codec import down, up
from agon.codec.frames import Hello, Join, RefusedCode, RejectedCode, Slots
from agon.codec.rpc import PLAY, PLAY_SERVICE
from agon_engine.registry import game_names, get_game
from agon_server.config import FRAME_WEIGHTS
from agon_server.lobby.hello import Terms, judge_hello
from agon_server.referee.stream import FLUSH_SECONDS, BotStream, Ending, StreamLimits
from agon_server.services.hall import RETRY, Hall, Places
from agon_server.store.errors import StoreUnavailableError

if TYPE_CHECKING:
    from agon.codec.up import Up
    from agon_server.accounts import Accounts, Bot
    from agon_server.config import ServerConfig
    from agon_server.lobby.lobby import Lobby
    from agon_server.metrics import Metrics
    from agon_server.referee.clock import Clock
    from agon_server.referee.referee import Referee

FULL = Ending(RefusedCode.LIMIT, "too many streams say Hello at once", retry_delay=RETRY)
"""For a stream that comes while all places before the door are taken."""

STATUS = {
    RefusedCode.PROTOCOL: grpc.StatusCode.FAILED_PRECONDITION,
    RefusedCode.TOKEN: grpc.StatusCode.UNAUTHENTICATED,
    RefusedCode.GAME: grpc.StatusCode.FAILED_PRECONDITION,
    RefusedCode.LIMIT: grpc.StatusCode.RESOURCE_EXHAUSTED,
    RefusedCode.SUSPENDED: grpc.StatusCode.PERMISSION_DENIED,
    RefusedCode.DRAINING: grpc.StatusCode.UNAVAILABLE,
    RefusedCode.NOT_SERVING: grpc.StatusCode.UNAVAILABLE,
    RefusedCode.HELLO_FIRST: grpc.StatusCode.INVALID_ARGUMENT,
    RefusedCode.REPLACED: grpc.StatusCode.ABORTED,
    RefusedCode.SILENT: grpc.StatusCode.DEADLINE_EXCEEDED,
    RefusedCode.FLOOD: grpc.StatusCode.RESOURCE_EXHAUSTED,
    RefusedCode.NOT_READING: grpc.StatusCode.RESOURCE_EXHAUSTED,
    RefusedCode.RETIRED: grpc.StatusCode.PERMISSION_DENIED,
}
"""The gRPC status that a stream ends with, by why it was refused."""


class PlayService:
    """Serves Play streams; the owner of all of them."""

    def __init__(
        self,
        config: ServerConfig,
        clock: Clock,
        accounts: Accounts,
        lobby: Lobby,
        referee: Referee,
        metrics: Metrics,
    ) -> None:
        self._accounts = accounts
        self._lobby = lobby
        self._referee = referee
        self._clock = clock
        self._metrics = metrics
        self._limits = config.limits
        self._stream_limits = StreamLimits(
            unsent_bytes=config.limits.unsent_bytes,
            frames_per_second=config.limits.frames_per_second,
            weights=FRAME_WEIGHTS,
            refused_per_minute=config.limits.rejected_per_minute,
            ping_interval=int(config.ping * 1e6),
        )
        self._specs = {name: get_game(name).spec for name in game_names()}
        self._hall = Hall()
        self._places = Places(config.limits.streams, config.limits.streams_per_bot)
        self._open = 0
        self._asked: set[asyncio.Task[None]] = set()

    def handler(self) -> grpc.GenericRpcHandler:
        """Return the handler to add to a gRPC aio server."""
        method: grpc.RpcMethodHandler[bytes, bytes] = grpc.stream_stream_rpc_method_handler(self.play)
        return grpc.method_handlers_generic_handler(PLAY_SERVICE, {PLAY.rpartition("/")[2]: method})

    async def play(self, _requests: object, context: grpc.aio.ServicerContext[bytes, bytes]) -> None:
        """Serve one stream from its Hello to its end."""
        with ExitStack() as kept:
            self._count_open(1)
            kept.callback(self._count_open, -1)
            ending = await self._serve(context, kept)
            if ending.code is not None:
                try:
                    # It waits behind all that is unread: for ever where the bot is there and does not read.
                    await context.abort(STATUS[ending.code], ending.message)
                except grpc.aio.InternalError:
                    # The bot has gone in this very moment: there is nobody to tell, and no fault to log.
                    raise asyncio.CancelledError from None

    def _count_open(self, change: int) -> None:
        self._open += change
        self._metrics.streams.set(self._open)

    async def _serve(self, context: grpc.aio.ServicerContext[bytes, bytes], kept: ExitStack) -> Ending:
        """Serve a stream until it ends; what it holds until its bot is told so goes to `kept`."""
        with self._hall.place() as has_place:
            greeted = await self._greet(context) if has_place else FULL
            if isinstance(greeted, Ending):
                if greeted.code is not None:
                    piece = down.refused(greeted.code, greeted.message, greeted.needed, greeted.retry_delay)
                    # Where it has gone already, or takes nothing, it cannot be told.
                    with suppress(grpc.aio.InternalError, TimeoutError):
                        async with asyncio.timeout(FLUSH_SECONDS):
                            await context.write(piece)
                self._count_refused(greeted)
                return greeted

            bot = greeted[0].name
            self._places.take(bot)
            kept.callback(self._places.give_back, bot)
        return await self._play(context, *greeted)

    async def _play(
        self,
        context: grpc.aio.ServicerContext[bytes, bytes],
        bot: Bot,
        hello: Hello,
        terms: Terms,
        frames: list[Up],
    ) -> Ending:
        """Serve a stream that is welcome, first the frames that came with its Hello."""
        game = self._metrics.for_game(terms.games[0].name)
        stream = BotStream(
            context,
            self._clock,
            self._stream_limits,
            self,
            bot,
            hello,
            on_overhead=game.overhead_seconds.observe,
            on_rejected=self._count_rejected,
        )
        try:
            await self._lobby.enter(stream, terms, int(self._stream_limits.ping_interval))
            ending = await stream.run(frames)
            if ending.code is RefusedCode.FLOOD:
                self._lobby.shut_out(bot.name, ending.retry_delay / 1e6)
        finally:
            self._lobby.leave(stream)
        self._count_refused(ending)
        if not await stream.last_write():
            raise asyncio.CancelledError  # nobody is there to be told the end
        return ending

    async def _greet(
        self, context: grpc.aio.ServicerContext[bytes, bytes]
    ) -> Ending | tuple[Bot, Hello, Terms, list[Up]]:
        """Read the first message and judge its Hello."""
        message = await self._hall.first_message(context.read())
        if isinstance(message, Ending):
            return message
        if not isinstance(message, bytes):  # the end of the stream
            return Ending(None)

        try:
            frames = up.decode_up(message)
        except up.CodecError as error:
            return Ending(RefusedCode.HELLO_FIRST, f"the first message cannot be read: {error}")
        hello = frames[0].body if frames else None
        if not isinstance(hello, Hello):
            reason = getattr(hello, "reason", "")
            return Ending(RefusedCode.HELLO_FIRST, f"the first frame is a Hello; {reason or 'this was none'}")

        try:
            bot = await self._accounts.authenticate(hello.token)
        except StoreUnavailableError:
            return Ending(RefusedCode.NOT_SERVING, "the store is away", retry_delay=RETRY)
        if bot is None:
            return Ending(
                RefusedCode.TOKEN, "the token is unknown; `agon bot register NAME --renew` replaces a lost one"
            )
        if bot.suspended:
            return Ending(RefusedCode.SUSPENDED, f"the bot is suspended: {bot.suspended}")

        terms = judge_hello(hello, self._specs, self._limits.slots_per_bot)
        if isinstance(terms, Ending):
            return terms

        try:
            retired = await self._lobby.retired(bot.name, hello)
        except StoreUnavailableError:
            return Ending(RefusedCode.NOT_SERVING, "the store is away", retry_delay=RETRY)
        if retired is not None:
            return retired

        replaces = self._lobby.has(bot.name, hello.instance)
        refusal = self._lobby.refusal(bot.name, hello) or self._places.refusal(bot.name, replaces=replaces)
        return refusal if refusal is not None else (bot, hello, terms, frames[1:])

    def _count_refused(self, ending: Ending) -> None:
        if ending.code is not None:
            self._metrics.refused[ending.code.name.lower()].inc()

    def _count_rejected(self, code: RejectedCode) -> None:
        self._metrics.rejected[code.name.lower()].inc()

    # -- what streams ask their owner ------------------------------------------------------------------------

    def join(self, stream: BotStream, frame: Up, body: Join) -> None:
        """Let a bot take a seat, here at once or as the store says."""
        self._referee.join(stream, frame, body)

    def slots(self, stream: BotStream, frame: Up, body: Slots) -> None:
        """Let a bot play fewer or more matches at a time."""
        if not self._lobby.set_slots(stream, body.slots):
            stream.reject(frame, RejectedCode.OUT_OF_ORDER, "this stream gets no matches: its Hello had no slots")

    def ended(self, match: str) -> bool:
        """As the referee says."""
        return self._referee.ended(match)
