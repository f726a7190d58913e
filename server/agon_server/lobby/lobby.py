"""The lobby of one process: its open streams by bot and instance, their presence in the store, and Offers, to a
stream that is here or through the process that has it."""

from __future__ import annotations

import asyncio
import json
import logging
import secrets
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from agon.codec import down
from agon.codec.frames import Hello, NoticeKind, RefusedCode
from agon_server.lobby.presence import BotGame, Present
from agon_server.referee.stream import BotStream, Ending
from agon_server.store.errors import StoreUnavailableError

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from agon_server.lobby.hello import Terms
    from agon_server.lobby.presence import Presence
    from agon_server.metrics import Metrics
    from agon_server.queue.queue import Queue
    from agon_server.referee.tickets import Tickets

log = logging.getLogger(__name__)

TOUCH_SECONDS = 5.0
"""How often the presence of the streams here is renewed."""
DRAINING_RETRY = 5_000_000
"""The delay that bots are asked to keep while the server ends, in microseconds."""


@dataclass(frozen=True, slots=True)
class SeatOffer:
    """An Offer on its way to a bot process."""

    bot: str
    instance: str
    match: str
    seat: int
    epoch: int
    ticket: str
    game: str
    seats: int
    address: str = ""
    """Where the referee is; empty: in the process that has the stream."""

    def frame(self) -> bytes:
        return down.offer(
            self.match,
            self.seat,
            self.epoch,
            ticket=self.ticket,
            address=self.address,
            game=self.game,
            seats=self.seats,
        )


class Lobby:
    """Streams come in by `enter` and go by `leave`; referees of any process reach them by `offer`."""

    def __init__(
        self,
        process: str,
        server: str,
        address: str,
        presence: Presence,
        queue: Queue,
        tickets: Tickets,
        metrics: Metrics,
        *,
        streams_per_bot: int,
        on_change: Callable[[], None] = lambda: None,
    ) -> None:
        """`process` names this lobby's channel of offers, `server` the one whose referee is here, `address` where
        other processes tell bots to find it. `on_change` is called when somebody comes, goes or changes slots."""
        self._process = process
        self._server = server
        self._address = address
        self._presence = presence
        self._queue = queue
        self._tickets = tickets
        self._metrics = metrics
        self._streams_per_bot = streams_per_bot
        self._on_change = on_change
        self._streams: dict[tuple[str, str], BotStream] = {}
        self._by_bot: dict[str, int] = {}
        self._presents: dict[BotStream, Present] = {}
        self._draining = False
        self._tasks: set[asyncio.Task[None]] = set()
        self._loops: list[asyncio.Task[None]] = []

    def start(self) -> None:
        """Begin to renew presence and to pass on what other processes offer."""
        self._loops = [asyncio.create_task(self._touch()), asyncio.create_task(self._pass_on())]

    async def stop(self) -> None:
        """End every stream and leave no task behind."""
        for stream in list(self._streams.values()):
            stream.end(Ending(RefusedCode.DRAINING, "the server has ended", retry_delay=DRAINING_RETRY))
        tasks = [*self._loops, *self._tasks]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def drain(self) -> None:
        """Refuse new bots and tell those that are here; their running matches go on."""
        self._draining = True
        for stream in self._streams.values():
            stream.send(down.notice(kind=NoticeKind.DRAINING, message="the server ends when its running matches have"))

    # -- streams ---------------------------------------------------------------------------------------------

    def refusal(self, bot: str, hello: Hello) -> Ending | None:
        """Return why one more stream of the bot is not taken now; None: it is."""
        known = (bot, hello.instance) in self._streams
        if self._draining and hello.slots > 0 and not known:
            return Ending(
                RefusedCode.DRAINING, "the server ends when its running matches have", retry_delay=DRAINING_RETRY
            )
        if not known and self._by_bot.get(bot, 0) >= self._streams_per_bot:
            return Ending(
                RefusedCode.LIMIT,
                f"a bot has at most {self._streams_per_bot} streams here",
                retry_delay=DRAINING_RETRY,
            )
        return None

    async def enter(self, stream: BotStream, terms: Terms, ping_interval: int) -> None:
        """Take a stream in: it replaces an older one of the same bot and instance, is welcomed, and is offered the
        matches that its bot process has running anywhere."""
        key = (stream.bot.name, stream.hello.instance)
        older = self._streams.get(key)
        if older is not None:
            older.end(Ending(RefusedCode.REPLACED, "a newer stream of the same bot and instance has taken over"))
        self._streams[key] = stream
        self._by_bot[key[0]] = self._by_bot.get(key[0], 0) + 1
        self._metrics.connected_bots.set(len(self._by_bot))
        stream.slots = terms.slots
        stream.send(down.welcome(stream.bot.name, terms.games, terms.slots, ping_interval))
        if stream.hello.slots == 0:
            return

        present = Present(
            bot=stream.bot.name,
            instance=stream.hello.instance,
            token=secrets.token_hex(8),
            process=self._process,
            address=self._address,
            slots=terms.slots,
            games=tuple(
                BotGame(game.name, game.version, seats) for game, seats in zip(terms.games, terms.seats, strict=True)
            ),
            bot_version=stream.hello.bot_version,
            changed=stream.hello.changed_views,
        )
        self._presents[stream] = present
        try:
            await self._presence.put(present)
            for running in await self._queue.running_of(*key):
                here = running.owner == self._server
                offer = SeatOffer(
                    *key,
                    match=running.match,
                    seat=running.seat,
                    epoch=running.epoch,
                    ticket=self._tickets.issue(running.match, running.seat),
                    game=running.game,
                    seats=running.seats,
                    address="" if here else running.address,
                )
                stream.send(offer.frame())
        except StoreUnavailableError as error:
            stream.end(Ending(RefusedCode.NOT_SERVING, f"the store is away: {error}", retry_delay=DRAINING_RETRY))
        self._on_change()

    async def leave(self, stream: BotStream) -> None:
        """Let a stream go that has ended."""
        key = (stream.bot.name, stream.hello.instance)
        if self._streams.get(key) is stream:
            del self._streams[key]
        count = self._by_bot[key[0]] - 1
        if count:
            self._by_bot[key[0]] = count
        else:
            del self._by_bot[key[0]]
        self._metrics.connected_bots.set(len(self._by_bot))
        present = self._presents.pop(stream, None)
        if present is None:
            return
        try:
            await self._presence.remove(present.bot, present.instance, present.token)
        except StoreUnavailableError:
            log.info("the presence of %s/%s ends by itself: the store is away", present.bot, present.instance)
        self._on_change()

    def set_slots(self, stream: BotStream, slots: int) -> None:
        """Let a bot play fewer or more matches at a time, at most what Welcome granted."""
        present = self._presents.get(stream)
        if present is None:
            return

        stream.slots = min(slots, present.slots)
        self._spawn(self._store_slots(present, stream.slots))

    async def _store_slots(self, present: Present, slots: int) -> None:
        try:
            await self._presence.set_slots(present.bot, present.instance, present.token, slots)
        except StoreUnavailableError as error:
            log.warning("the slots of %s/%s are not stored: %s", present.bot, present.instance, error)
        self._on_change()

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # -- offers ----------------------------------------------------------------------------------------------

    async def offer(self, offer: SeatOffer) -> None:
        """Bring an Offer for a match of this process's referee to the bot process it is for, wherever that is; where
        it is nowhere nothing happens, since Offers are repeated."""
        stream = self._streams.get((offer.bot, offer.instance))
        if stream is not None and stream in self._presents:
            stream.send(offer.frame())
            return

        present = await self._presence.get(offer.bot, offer.instance)
        if present is not None and present.process != self._process:
            away = asdict(offer) | {"address": self._address}
            await self._presence.publish_offer(present.process, json.dumps(away))

    async def _pass_on(self) -> None:
        """Bring what other processes offer to the streams here."""
        async for payload in self._presence.offers(self._process):
            try:
                offer = SeatOffer(**json.loads(payload))
            except (ValueError, TypeError):
                log.warning("an offer from another process cannot be read: %.200r", payload)
                continue

            stream = self._streams.get((offer.bot, offer.instance))
            if stream is not None and stream in self._presents:
                stream.send(offer.frame())

    async def _touch(self) -> None:
        """Keep the streams here present in the store."""
        while True:
            await asyncio.sleep(TOUCH_SECONDS)
            presents = list(self._presents.items())
            if not presents:
                continue
            try:
                kept = await self._presence.touch_many([(each.bot, each.instance, each.token) for _, each in presents])
                for (stream, present), here in zip(presents, kept, strict=True):
                    if not here and self._presents.get(stream) is present:
                        await self._come_back(stream, present)
            except StoreUnavailableError as error:
                log.warning("presence cannot be renewed: %s", error)

    async def _come_back(self, stream: BotStream, present: Present) -> None:
        """Enter a presence again that has expired, unless a newer stream elsewhere has the place now."""
        newer = await self._presence.get(present.bot, present.instance)
        if newer is None:
            await self._presence.put(present)
        else:
            del self._presents[stream]
