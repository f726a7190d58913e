"""The lobby of one process: its open streams by bot and instance, their presence in the store, the lobbies that there
are, and Offers, to a stream that is here or through the process that has it."""

from __future__ import annotations

import asyncio
import json
import logging
import secrets
from contextlib import suppress
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from agon.codec import down
from agon.codec.frames import Hello, NoticeKind, RefusedCode
from agon_server.lobby.leaving import Leaving
from agon_server.presence import BotGame, Present
from agon_server.referee.offers import SeatOffer
from agon_server.referee.stream import BotStream, Ending
from agon_server.store.errors import StoreUnavailableError
from agon_server.store.state import Back
from agon_server.store_watch import AWAY_SECONDS, forever

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from agon_server.lobby.hello import Terms
    from agon_server.metrics import Metrics
    from agon_server.presence import Presence
    from agon_server.queue.queue import Queue
    from agon_server.referee.tickets import Tickets
    from agon_server.retirements import Retirements

log = logging.getLogger(__name__)

TOUCH_SECONDS = 5.0
"""How often the presence of the streams here is renewed."""
EMPTIED = (
    "the installation has lost all its data, tokens and running matches too, and begins anew; register the bot again "
    "(`agon bot register NAME`)"
)
EMPTIED_HOUSE = "the store was emptied, and the server begins anew; it starts its house bots again by itself"
"""What they say stands in the log of the server, whose operator need not do anything about them."""
DRAINING_RETRY = 5_000_000
"""The delay that bots are asked to keep while the server ends, in microseconds."""


class Lobby:
    """Streams come in by `enter` and go by `leave`; referees of any process reach them by `offer`."""

    def __init__(
        self,
        process: str,
        server: str,
        address: str,
        presence: Presence,
        retirements: Retirements,
        queue: Queue,
        tickets: Tickets,
        metrics: Metrics,
        *,
        listed: bool = True,
    ) -> None:
        """`process`, SERVER.RUN, names this lobby's channel of offers, `server` the one whose referee is here,
        `address` where other processes tell bots to find it; `listed` says whether bots can really dial that."""
        self._process = process
        self._server = server
        self._address = address
        self._presence = presence
        self._leaving = Leaving(retirements, presence)
        self._queue = queue
        self._tickets = tickets
        self._metrics = metrics
        self._listed = listed
        self._lobbies: tuple[str, ...] = ()
        """The addresses of all lobbies, as they are told: none where there is only this one."""
        self._streams: dict[tuple[str, str], BotStream] = {}
        self._by_bot: dict[str, int] = {}
        self._empty = asyncio.Event()
        self._empty.set()
        self._presents: dict[BotStream, Present] = {}
        self._entered: dict[BotStream, tuple[Present, asyncio.Task[None]]] = {}
        """What each stream has put into the store, or is putting there."""
        self._storing: set[BotStream] = set()
        """Streams whose slots are on their way to the store."""
        self._shut_out: dict[str, float] = {}
        """Bots that flooded this server, and until when they are not let in again, by the loop's clock."""
        self._touch_soon = asyncio.Event()
        self._draining = False
        self._tasks: set[asyncio.Task[None]] = set()
        self._loops: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Begin to renew presence and to pass on what other processes offer."""
        await self._list()
        self._loops = [
            asyncio.create_task(forever(self._touch, "renewing presence", log)),
            asyncio.create_task(forever(self._pass_on, "passing offers on", log)),
            asyncio.create_task(forever(self._hear_of_lobbies, "hearing of other lobbies", log)),
        ]

    async def stop(self) -> None:
        """End every stream and leave no task behind."""
        for stream in list(self._streams.values()):
            stream.end(Ending(RefusedCode.DRAINING, "the server has ended", retry_delay=DRAINING_RETRY))
        tasks = [*self._loops, *self._tasks]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._presents.clear()
        entered = list(self._entered.values())
        self._entered.clear()
        await asyncio.gather(*(self._remove(*each) for each in entered))
        await self._unlist()

    def drain(self) -> None:
        """Refuse new bots and tell those that are here, with where else to go; their running matches go on."""
        self._draining = True
        self._tell(NoticeKind.DRAINING, "the server ends when its running matches have")
        for stream in list(self._presents):
            self.set_slots(stream, 0)
        self._spawn(self._unlist())

    @property
    def bots(self) -> int:
        """How many bots are connected here."""
        return len(self._by_bot)

    async def wait_empty(self) -> None:
        """Return when no bot is connected here."""
        await self._empty.wait()

    # -- the store's state -----------------------------------------------------------------------------------

    def store_away(self) -> None:
        """Tell the bots that play stands still."""
        self._send_all(down.notice(kind=NoticeKind.PAUSED, message="no choice can be stored now; clocks stand still"))

    async def store_back(self, how: Back) -> None:
        """Tell the bots that play goes on, or that it cannot."""
        if how is Back.EMPTIED:
            for stream in list(self._streams.values()):
                # House bots are started again with new tokens.
                house = Ending(RefusedCode.DRAINING, EMPTIED_HOUSE)
                stream.end(house if stream.bot.house else Ending(RefusedCode.TOKEN, EMPTIED))
        else:
            self._send_all(down.notice(kind=NoticeKind.RESUMED, message="play goes on"))
            # Meanwhile the presence of all has run out, and perhaps was lost.
            self._touch_soon.set()

    def _send_all(self, piece: bytes) -> None:
        for stream in list(self._streams.values()):
            stream.send(piece)

    def _tell(self, kind: NoticeKind, message: str) -> None:
        lobbies = [address for address in self._lobbies if address != self._address or not self._draining]
        self._send_all(down.notice(kind=kind, message=message, lobbies=lobbies))

    # -- streams ---------------------------------------------------------------------------------------------

    def refusal(self, bot: str, hello: Hello) -> Ending | None:
        """Return why one more stream of the bot is not taken now; None: it is."""
        wait = self._shut_out.get(bot, 0.0) - asyncio.get_running_loop().time()
        if wait > 0:
            return Ending(
                RefusedCode.LIMIT,
                f"the bot flooded this server, which lets it in again in {wait:.0f} seconds",
                retry_delay=int(wait * 1e6),
            )

        if self._draining and hello.slots > 0 and not self.has(bot, hello.instance):
            return Ending(
                RefusedCode.DRAINING, "the server ends when its running matches have", retry_delay=DRAINING_RETRY
            )
        return None

    async def retired(self, bot: str, hello: Hello) -> Ending | None:
        """Return why a bot that is retired is not taken; None: it is. Raise StoreUnavailableError."""
        return await self._leaving.refusal(bot, hello)

    async def is_sent_away(self, bot: str) -> bool:
        """Tell whether the last process of a bot was sent away from here, by a retirement that stands. Raise
        StoreUnavailableError."""
        return await self._leaving.is_sent_away(bot)

    def has(self, bot: str, instance: str) -> bool:
        """Tell whether a stream of the bot process is here, which a newer one replaces."""
        return (bot, instance) in self._streams

    async def enter(self, stream: BotStream, terms: Terms, ping_interval: int) -> None:
        """Take a stream in: it replaces an older one of the same bot and instance, is welcomed, and is offered the
        matches that its bot process has running anywhere."""
        key = (stream.bot.name, stream.hello.instance)
        older = self._streams.get(key)
        if older is not None:
            older.end(Ending(RefusedCode.REPLACED, "a newer stream of the same bot and instance has taken over"))
        self._streams[key] = stream
        self._by_bot[key[0]] = self._by_bot.get(key[0], 0) + 1
        self._empty.clear()
        self._metrics.connected_bots.set(len(self._by_bot))
        stream.slots = terms.slots
        stream.send(down.welcome(stream.bot.name, terms.games, terms.slots, ping_interval, self._lobbies))
        if stream.hello.slots == 0:
            return

        present = Present(
            bot=stream.bot.name,
            instance=stream.hello.instance,
            token=secrets.token_hex(8),
            process=self._process,
            slots=terms.slots,
            games=tuple(
                BotGame(game.name, game.version, seats) for game, seats in zip(terms.games, terms.seats, strict=True)
            ),
            bot_version=stream.hello.bot_version,
        )
        self._presents[stream] = present
        # A task of its own: a handler that gRPC cancels meanwhile must not leave it half done.
        entering = asyncio.create_task(self._presence.put(present))
        self._entered[stream] = present, entering
        try:
            await asyncio.shield(entering)
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
            log.debug("%s/%s cannot be taken in: %s", *key, error)
            stream.end(Ending(RefusedCode.NOT_SERVING, "the store is away", retry_delay=DRAINING_RETRY))

    def leave(self, stream: BotStream) -> None:
        """Let a stream go that has ended; its presence ends a moment later.

        Nothing is awaited here, since gRPC may cancel whoever calls this.
        """
        key = (stream.bot.name, stream.hello.instance)
        if self._streams.get(key) is stream:
            del self._streams[key]
        count = self._by_bot[key[0]] - 1
        if count:
            self._by_bot[key[0]] = count
        else:
            del self._by_bot[key[0]]
            if not self._by_bot:
                self._empty.set()
        self._metrics.connected_bots.set(len(self._by_bot))
        self._presents.pop(stream, None)
        if stream in self._entered:
            self._spawn(self._remove(*self._entered.pop(stream)))

    async def _remove(self, present: Present, entering: asyncio.Task[None]) -> None:
        """Take a presence out of the store, once it is there."""
        await asyncio.gather(entering, return_exceptions=True)
        try:
            await self._presence.remove(present.bot, present.instance, present.token)
        except StoreUnavailableError:
            log.debug("the presence of %s/%s ends by itself: the store is away", present.bot, present.instance)

    def shut_out(self, bot: str, seconds: float) -> None:
        """Do not let a bot in again for so long."""
        now = asyncio.get_running_loop().time()
        self._shut_out = {name: until for name, until in self._shut_out.items() if until > now}
        self._shut_out[bot] = now + seconds

    def set_slots(self, stream: BotStream, slots: int) -> bool:
        """Let a bot play fewer or more matches at a time, at most what Welcome granted; none while the server ends.

        Return False for a stream that gets no matches: its Hello had no slots, or another stream has its place.
        """
        present = self._presents.get(stream)
        if present is None:
            return False

        if self._draining:
            slots = 0
        stream.slots = min(slots, present.slots)
        if stream not in self._storing:
            self._storing.add(stream)
            self._spawn(self._store_slots(stream, present))
        return True

    async def _store_slots(self, stream: BotStream, present: Present) -> None:
        """Store the slots of a stream until what is stored is what it said last: one call at a time, whatever comes."""
        try:
            stored = None
            while stored != stream.slots and self._presents.get(stream) is present:
                wanted = stream.slots
                try:
                    await self._presence.set_slots(present.bot, present.instance, present.token, wanted)
                    stored = wanted
                except StoreUnavailableError:
                    await asyncio.sleep(AWAY_SECONDS)
        finally:
            self._storing.discard(stream)

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def send_to(self, bot: str, instance: str, piece: bytes) -> None:
        """Send a frame to a bot process that is connected here; else do nothing."""
        stream = self._streams.get((bot, instance))
        if stream is not None:
            stream.send(piece)

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
            except (ValueError, TypeError) as error:
                log.warning("an offer from another process cannot be read: %s", error)  # itself it has a ticket
                continue

            stream = self._streams.get((offer.bot, offer.instance))
            if stream is not None and stream in self._presents:
                stream.send(offer.frame())

    async def _touch(self) -> None:
        """Keep the streams here, and this lobby, present in the store."""
        with suppress(TimeoutError):
            async with asyncio.timeout(self._leaving.look_seconds or TOUCH_SECONDS):
                await self._touch_soon.wait()
        self._touch_soon.clear()
        # Whoever is being entered has no place that another one could have taken.
        presents = [each for each in self._presents.items() if self._entered[each[0]][1].done()]
        kept = await self._presence.touch_many([(each.bot, each.instance, each.token) for _, each in presents])
        for (stream, present), sign in zip(presents, kept, strict=True):
            if not sign and self._presents.get(stream) is present:
                await self._come_back(stream, present)
        await self._leaving.look([(stream, sign) for (stream, _), sign in zip(presents, kept, strict=True)])
        await self._list()

    async def _come_back(self, stream: BotStream, present: Present) -> None:
        """Enter a presence again that has expired or was lost, unless a newer stream has the place now."""
        found = await self._presence.get(present.bot, present.instance)
        if found is not None and not self._is_left_over(found):
            self._presents.pop(stream, None)
            return

        await self._presence.put(replace(present, slots=stream.slots))
        if stream not in self._presents:  # it has left meanwhile
            await self._presence.remove(present.bot, present.instance, present.token)

    def _is_left_over(self, present: Present) -> bool:
        """Tell whether it is of an earlier process of this server, as a killed store may have it again."""
        server, _, _ = present.process.rpartition(".")
        return server == self._server and present.process != self._process

    # -- lobbies ---------------------------------------------------------------------------------------------

    async def _hear_of_lobbies(self) -> None:
        async for _ in self._presence.lobby_changes():
            await self._list()
            # A bot may have been retired.
            self._touch_soon.set()

    async def _list(self) -> None:
        """List this lobby with the others, and tell the bots where it has changed who is there."""
        listed = await self._presence.list_lobby(self._address if self._listed and not self._draining else "")
        lobbies = listed if set(listed) - {self._address} else ()
        if lobbies != self._lobbies:
            self._lobbies = lobbies
            self._tell(NoticeKind.LOBBIES, "the addresses of all lobbies")

    async def _unlist(self) -> None:
        try:
            await self._presence.unlist_lobby(self._address)
        except StoreUnavailableError:
            log.info("this lobby stays listed for a while: the store is away")
