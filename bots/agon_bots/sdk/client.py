"""All that one bot process does on the servers of one installation: its stream to a lobby, those to the referees that
Offers name, the seats it plays, and how it ends. Streams are links; what happens in a match is its seat's.

A seat's frames come from the link on which it said Join last; those of other links and of lower epochs are dropped. A
link to a referee lives as long as a seat is there. When one breaks it is tried again, and the lobby is asked too.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Collection, Coroutine
from contextlib import suppress
from functools import partial
from typing import Any

from agon.address import Address, AddressError
from agon.codec.frames import (
    Decide,
    Down,
    Hello,
    HelloGame,
    Notice,
    NoticeKind,
    Offer,
    Over,
    Rejected,
    RejectedCode,
    Slots,
    Start,
    Welcome,
)
from agon_bots.sdk.backoff import Backoff
from agon_bots.sdk.bot import Bot
from agon_bots.sdk.channel import open_channel
from agon_bots.sdk.errors import SurroundingsError
from agon_bots.sdk.faults import FaultLog, describe
from agon_bots.sdk.link import Ended, Link
from agon_bots.sdk.loading import check_bot
from agon_bots.sdk.lobbies import Lobbies
from agon_bots.sdk.refusals import fatal_error
from agon_bots.sdk.seat import OnlineSeat
from agon_bots.sdk.settings import OnError, Settings
from agon_bots.sdk.thinking import Thinker
from agon_engine import __version__

log = logging.getLogger("agon_bots")

SDK = f"agon-arena {__version__}"
LAST_OFFERS_SECONDS = 0.5
"""How long a bot that takes no new matches waits for Offers that were on their way."""
LAST_WORDS_SECONDS = 2.0
"""How long the bots' last methods may take at the end."""
STEADY_SECONDS = 5.0
"""A stream that lived so long worked: the back-off begins anew."""


class Client:
    """A bot on servers: `await run()`; `drain()` ends it when its running matches are over."""

    def __init__(self, bot_class: type[Bot], settings: Settings, *, backoff: Callable[[], Backoff] = Backoff) -> None:
        """Check the bot. Raise LoadError for a class that cannot play."""
        self.bot_class = bot_class
        self.settings = settings
        self.on_error: OnError = settings.on_error
        self.seed = settings.seed
        self.finished = 0
        """Matches that are over."""
        self.seats: dict[tuple[str, int], OnlineSeat] = {}
        self._games = tuple(HelloGame(*game) for game in check_bot(bot_class))
        self._slots = settings.slots if settings.slots is not None else bot_class.slots
        self._open_channel = partial(open_channel, settings=settings)
        self._new_backoff = backoff
        self._lobbies = Lobbies(settings.servers)
        self._lobby: Link | None = None
        self._move: asyncio.Event | None = None
        self._referees: dict[Address, Link] = {}
        self._leaving: set[OnlineSeat] = set()
        self._left = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        self._end: asyncio.Future[None] | None = None
        self._draining = False
        self._heard_at = 0.0
        self._why = "not connected yet"
        self._faults = FaultLog()
        self.thinker: Thinker

    # -- life ------------------------------------------------------------------------------------------------

    async def run(self) -> None:
        """Play until `drain` has done its work. Raise a BotError where nothing can be played any more."""
        loop = asyncio.get_running_loop()
        self.thinker = Thinker(quick=self.bot_class.quick)
        self._end = loop.create_future()
        self._heard_at = loop.time()
        try:
            self._spawn(self._keep_lobby())
            if self.settings.silence:
                self._spawn(self._watch_silence())
            await self._end
        finally:
            tasks = tuple(self._tasks)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            self.thinker.close()

    def drain(self) -> None:
        """Take no new matches, and end when the running ones are over. For the loop's own thread."""
        if self._draining:
            return

        self._draining = True
        log.info("takes no new matches; %s", _running(len(self.seats)))
        if self._lobby is not None and self._lobby.is_open:
            self._lobby.say(Slots(0))
        self._spawn(self._end_when_idle())

    def stop(self, error: BaseException | None = None) -> None:
        """End at once, by an error if one is given."""
        if self._end is not None and not self._end.done():
            if error is None:
                self._end.set_result(None)
            else:
                self._end.set_exception(error)

    def _spawn(self, job: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(job)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            self.stop(task.exception())

    async def _end_when_idle(self) -> None:
        # An Offer may have been on its way when the server learned that there are no slots any more.
        await asyncio.sleep(LAST_OFFERS_SECONDS)
        await self._until_empty(self.seats)
        with suppress(TimeoutError):
            async with asyncio.timeout(LAST_WORDS_SECONDS):
                await self._until_empty(self._leaving)
        self.stop()

    async def _until_empty(self, seats: Collection[object]) -> None:
        while seats:
            self._left.clear()
            await self._left.wait()

    async def _watch_silence(self) -> None:
        loop = asyncio.get_running_loop()
        silence = self.settings.silence
        while True:
            links = [*self._referees.values(), *([self._lobby] if self._lobby else [])]
            self._heard_at = max(self._heard_at, *(link.heard_at for link in links), 0.0)
            left = self._heard_at + silence - loop.time()
            if left <= 0:
                raise SurroundingsError(f"no word from any server for {silence:g} s: {self._lobbies}; {self._why}")

            await asyncio.sleep(min(left, 1.0))

    # -- links -----------------------------------------------------------------------------------------------

    def _hello(self, slots: int) -> Hello:
        return Hello(
            token=self.settings.token,
            games=self._games,
            slots=slots,
            changed_views=True,
            bot_version=self.bot_class.version,
            instance=self.settings.instance,
            sdk=SDK,
        )

    async def _keep_lobby(self) -> None:
        """Be connected to some lobby, the same one as long as it works."""
        backoff = self._new_backoff()
        loop = asyncio.get_running_loop()
        while True:
            address, wait = self._lobbies.pick(loop.time())
            await asyncio.sleep(wait)
            if (there := self._referees.pop(address, None)) is not None:
                # A second stream to one server replaces the first: this one then does what both did.
                there.cut("its server is the lobby now")
            self._lobby = link = Link(address, 0 if self._draining else self._slots, self)
            self._move = asyncio.Event()
            began = loop.time()
            run = loop.create_task(link.run(self._open_channel, self._hello(link.slots)))
            moved = loop.create_task(self._move.wait())
            try:
                await asyncio.wait((run, moved), return_when=asyncio.FIRST_COMPLETED)
            finally:
                moved.cancel()
                if not run.done() and not moved.done():
                    run.cancel()
                    await asyncio.gather(run, return_exceptions=True)
            self._lobby = None
            if not run.done():
                self._referees[address] = link
                self._spawn(self._see_off(link, run))
                continue

            ended = run.result()
            self._lost(link, ended)
            if link.welcome is not None and loop.time() - began > STEADY_SECONDS:
                backoff.reset()
            asked = ended.refused.retry_delay_us / 1e6 if ended.refused is not None else 0.0
            self._lobbies.failed(address, loop.time(), backoff.spread(asked), welcomed=link.welcome is not None)
            await asyncio.sleep(backoff.next())

    async def _see_off(self, link: Link, run: asyncio.Task[Ended]) -> None:
        """Keep a stream to a server that ends, until the matches there are over."""
        try:
            self._leave_if_unused(link)
            ended = await run
        finally:
            run.cancel()
        if self._referees.get(link.address) is link:
            del self._referees[link.address]
        self._lost(link, ended)

    async def _keep_referee(self, link: Link) -> None:
        """Be connected to a referee as long as a seat of ours is there."""
        backoff = self._new_backoff()
        loop = asyncio.get_running_loop()
        address = link.address
        while True:
            began = loop.time()
            ended = await link.run(self._open_channel, self._hello(0))
            self._lost(link, ended)
            if link.welcome is not None and loop.time() - began > STEADY_SECONDS:
                backoff.reset()
            asked = ended.refused.retry_delay_us / 1e6 if ended.refused is not None else 0.0
            if self._seats_at(address):
                await asyncio.sleep(backoff.next(asked))
            if self._referees.get(address) is not link:
                return  # the lobby is there now
            if not self._seats_at(address):
                del self._referees[address]
                return

            self._referees[address] = link = Link(address, 0, self)

    def _seats_at(self, address: Address) -> list[OnlineSeat]:
        return [seat for seat in self.seats.values() if seat.address == address]

    def _lost(self, link: Link, ended: Ended) -> None:
        """Answer the end of a stream: fatal ones end the run, else its seats look for another one."""
        refused = ended.refused
        if (error := fatal_error(link.address, refused)) is not None:
            raise error

        reason = (refused.message or f"refused: {refused.code!r}") if refused is not None else ended.why
        before, self._why = self._why, f"{link.address}: {reason}"
        seats = [seat for seat in self.seats.values() if seat.link is link]
        if seats:
            log.warning("%s; %s there", self._why, _running(len(seats)))
        elif link.welcome is not None:
            log.info("%s", self._why)
        else:
            # Once is enough while a server is away.
            log.log(logging.DEBUG if self._why == before else logging.WARNING, "%s; trying again", self._why)
        for seat in seats:
            seat.link = None
            if self._lobby is not None and self._lobby.is_open:
                seat.join(self._lobby)

    def _leave_if_unused(self, link: Link) -> None:
        if link is self._lobby or any(seat.link is link for seat in self.seats.values()):
            return
        # One that was the lobby's gets no seats any more.
        if link.slots or not self._seats_at(link.address):
            link.cut("no match is left there")

    # -- what links hand on ----------------------------------------------------------------------------------

    def welcomed(self, link: Link, welcome: Welcome) -> None:
        """Take every seat again that has no other place."""
        if link is self._lobby:
            granted = min(link.slots, welcome.slots)
            log.info("%s: connected as %s, %d matches at a time", link.address, welcome.bot or "a bot", granted)
            self._lobbies.learn(welcome.lobbies)
            if self._draining and link.slots:
                link.say(Slots(0))
        for seat in self.seats.values():
            if self._belongs(seat, link):
                seat.join(link)
        self._leave_if_unused(link)

    def _belongs(self, seat: OnlineSeat, link: Link) -> bool:
        """Tell whether a seat is to be taken on a link that has just opened."""
        if link is self._lobby:
            return not seat.is_at(None)

        return seat.address == link.address and not seat.is_playing

    def received(self, link: Link, frames: list[Down]) -> None:
        """Hand each frame to its seat."""
        for frame in frames:
            body = frame.body
            if isinstance(body, Offer):
                self._offered(link, frame, body)
                continue
            if not frame.match:
                self._told(link, body)
                continue

            seat = self.seats.get((frame.match, frame.seat))
            if seat is None or seat.link is not link:
                continue  # it is over here, or has moved
            if isinstance(body, Rejected):
                # It may concern a match that the server does not know, and then names no delivery.
                self._rejected(seat, body)
            elif not seat.saw_epoch(frame.epoch):
                log.debug("%r: a frame of delivery %d is dropped", seat, frame.epoch)
            elif isinstance(body, Decide):
                seat.on_decide(body)
            elif isinstance(body, Start):
                seat.on_start(body)
            elif isinstance(body, Over):
                self._over(seat, body)
            elif isinstance(body, Notice):
                seat.on_notice(body)

    def _offered(self, link: Link, frame: Down, offer: Offer) -> None:
        key = (frame.match, frame.seat)
        seat = self.seats.get(key)
        try:
            address = Address.parse(offer.address) if offer.address else link.address
        except AddressError as error:
            log.warning("%s: an offer names no address: %s", link.address, error)
            return

        if seat is None:
            self.seats[key] = seat = OnlineSeat(self, *key)
        elif frame.epoch < seat.epoch or (frame.epoch == seat.epoch and (seat.is_playing or seat.is_at(address))):
            return
        seat.saw_epoch(frame.epoch)
        seat.offered(offer, address)
        if address == link.address:
            seat.join(link)
            return

        lobby = self._lobby
        there = lobby if lobby is not None and lobby.address == address else self._referees.get(address)
        if there is None:
            self._referees[address] = link = Link(address, 0, self)
            self._spawn(self._keep_referee(link))
        elif there.is_open:
            seat.join(there)

    def _told(self, link: Link, body: object) -> None:
        if isinstance(body, Rejected):
            log.warning("%s: %s was rejected: %s", link.address, body.frame or "a frame", body.message)
        elif isinstance(body, Notice):
            log.info("%s: %s", link.address, body.message or body.kind)
            self._lobbies.learn(body.lobbies)
            if body.kind == NoticeKind.DRAINING and link is self._lobby and not self._draining:
                self._lobbies.ends(link.address, asyncio.get_running_loop().time())
                if self._move is not None and self._lobbies.has_other(link.address):
                    self._move.set()

    def _rejected(self, seat: OnlineSeat, rejected: Rejected) -> None:
        if rejected.code == RejectedCode.RATE:
            log.debug("%r: told to slow down: %s", seat, rejected.message)
            asyncio.get_running_loop().call_later(max(rejected.retry_delay_us / 1e6, 0.01), seat.say_again)
            return

        seat.on_rejected(rejected)

    def _over(self, seat: OnlineSeat, over: Over) -> None:
        self.finished += 1
        number = seat.number
        log.info(
            "%s: %s after %s, seat %d is placed %d of %d, scores %s",
            seat.match,
            "over" if over.rated else "over, unrated",
            over.termination,
            number,
            over.placements[number] if number < len(over.placements) else 0,
            len(over.placements),
            ":".join(map(str, over.scores)),
        )
        seat.on_over(over)

    # -- what seats need -------------------------------------------------------------------------------------

    def failed(self, seat: OnlineSeat, method: str, error: BaseException) -> str:
        """Log an error of the bot's own code; return it as one line."""
        goes_on = {"start": "it plays on", "choose": "a random action is played", "over": "the match is over anyway"}
        gives_up = self.on_error is OnError.RESIGN and method != "over"
        fault = describe(method, error)
        self._faults.tell(repr(seat), fault, "the match is given up" if gives_up else goes_on[method])
        return fault.line

    def warn(self, seat: OnlineSeat, text: str) -> None:
        """Log something about a match."""
        log.warning("%r: %s", seat, text)

    def leave(self, seat: OnlineSeat) -> None:
        """Forget a seat that is over, and the link to its referee when it was the last one there."""
        self._left.set()
        if not seat.is_idle:
            self._leaving.add(seat)
        else:
            self._leaving.discard(seat)
        if self.seats.get((seat.match, seat.number)) is seat:
            del self.seats[seat.match, seat.number]
            there = self._referees.get(seat.address) if seat.address is not None else None
            for link in (seat.link, there):
                if link is not None:
                    self._leave_if_unused(link)


def _running(count: int) -> str:
    return f"{count} match{'es' if count != 1 else ''} running"
