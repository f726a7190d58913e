"""All that one bot process does on the servers of one installation: the seats it plays, which frame is for which of
them, and how it ends. Its streams are `connections`'; what happens in a match is its seat's.

A seat's frames come from the link on which it said Join last; those of other links and of lower epochs are dropped.
What a server says is checked here and below: it may be wrong, and it must not end the bot or fill its memory.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Collection, Coroutine
from contextlib import suppress
from typing import Any

from agon.address import Address, AddressError
from agon.codec.errors import CodecError
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
from agon_bots.sdk.connections import Connections, matches, tried
from agon_bots.sdk.errors import BrokenBotError, SurroundingsError
from agon_bots.sdk.faults import FaultLog, describe
from agon_bots.sdk.files import Files
from agon_bots.sdk.link import Link
from agon_bots.sdk.loading import check_bot
from agon_bots.sdk.seat import OnlineSeat
from agon_bots.sdk.settings import OnError, Settings
from agon_bots.sdk.telling import ServerLines
from agon_bots.sdk.text import printable
from agon_bots.sdk.thinking import Thinker
from agon_engine import __version__

log = logging.getLogger("agon_bots")

SDK = f"agon-arena {__version__}"
LAST_OFFERS_SECONDS = 0.5
"""How long a bot that takes no new matches waits for Offers that were on their way."""
LAST_WORDS_SECONDS = 2.0
"""How long the bots' last methods may take at the end."""
FIRST_REMINDER_SECONDS = 10.0
"""When it is said that there is still no server; then after twice as long, up to a minute."""
LONGEST_REMINDER_SECONDS = 60.0
START_SECONDS = 60.0
"""A match that was offered and does not start for so long is forgotten; an Offer brings it back."""
SPARE_SEATS = 256
"""So many seats more than its slots a bot takes: those of an earlier process of it are offered too."""
LONGEST_HOLD_SECONDS = 5.0
"""For so long at most nothing is said to a server that asks for it: it must hear Pongs."""
MAX_NAME = 256
"""Characters of a match's name."""
MAX_TICKET = 4_096
"""Characters of a ticket."""


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
        self._lines = ServerLines()
        self._connections = Connections(self, settings, backoff, self._lines)
        self._leaving: set[OnlineSeat] = set()
        self._left = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        self._end: asyncio.Future[None] | None = None
        self._draining = False
        self._takes_offers = True
        self._faults = FaultLog()
        self.files = Files()
        self._failures = 0
        """Matches in a row in which the bot's own code failed."""
        self.thinker: Thinker

    # -- life ------------------------------------------------------------------------------------------------

    async def run(self) -> None:
        """Play until `drain` has done its work. Raise a BotError where nothing can be played any more."""
        loop = asyncio.get_running_loop()
        self.thinker = Thinker(quick=self.bot_class.quick)
        self._end = loop.create_future()
        try:
            self.spawn(self._connections.keep_lobby())
            self.spawn(self._watch())
            await self._end
        finally:
            tasks = tuple(self._tasks)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            self.thinker.close()

    def drain(self, error: BaseException | None = None) -> None:
        """Take no new matches, and end when the running ones are over, by an error if one is given.

        For the loop's own thread.
        """
        if self._draining:
            return

        self._draining = True
        log.info("takes no new matches; %s running", matches(len(self.seats)))
        if (lobby := self._connections.open_lobby) is not None:
            lobby.say(Slots(0))
        self.spawn(self._end_when_idle(error))

    def stop(self, error: BaseException | None = None) -> None:
        """End at once, by an error if one is given."""
        if self._end is not None and not self._end.done():
            if error is None:
                self._end.set_result(None)
            else:
                self._end.set_exception(error)

    def spawn(self, job: Coroutine[Any, Any, None]) -> None:
        """Run a task as long as the client runs; its error ends the run."""
        task = asyncio.get_running_loop().create_task(job)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            self.stop(task.exception())

    async def _end_when_idle(self, error: BaseException | None) -> None:
        # An Offer may have been on its way when the server learned that there are no slots any more.
        await asyncio.sleep(LAST_OFFERS_SECONDS)
        self._takes_offers = False
        await self._until_empty(self.seats)
        with suppress(TimeoutError):
            async with asyncio.timeout(LAST_WORDS_SECONDS):
                await self._until_empty(self._leaving)
        self.stop(error)

    async def _until_empty(self, seats: Collection[object]) -> None:
        while seats:
            self._left.clear()
            await self._left.wait()

    async def _watch(self) -> None:
        """Look every second for what does not happen: no word from any server, no stream, no start of a match."""
        loop = asyncio.get_running_loop()
        silence = self.settings.silence
        connections = self._connections
        heard_at = away_since = loop.time()
        reminder = FIRST_REMINDER_SECONDS
        while True:
            now = loop.time()
            heard_at = max(heard_at, connections.heard_at)
            if connections.is_paused:
                self._wait_with(now)
            left = heard_at + silence - now if silence else 1.0
            if left <= 0:
                raise SurroundingsError(
                    f"no word from any server for {silence:g} s: {connections.lobbies}; {printable(connections.why)}"
                )
            if connections.is_open:
                away_since, reminder = now, FIRST_REMINDER_SECONDS
            elif now - away_since >= reminder:
                ends = f"; gives up in {left:.0f} s" if silence else ""
                what = f"{connections.lobbies} {tried(connections.attempts)} {printable(connections.why)}"
                log.warning("no server for %.0f s: %s%s", now - away_since, what, ends)
                reminder = now - away_since + min(reminder, LONGEST_REMINDER_SECONDS)
            for seat in [seat for seat in self.seats.values() if now - seat.waits_since > START_SECONDS]:
                if not seat.is_set_up:
                    seat.forget(f"offered {START_SECONDS:g} s ago, and has not started")
            await asyncio.sleep(min(left, 1.0))

    def _wait_with(self, now: float) -> None:
        """Count no time for the seats whose match has not started: their server waits too."""
        for seat in self.seats.values():
            seat.waits_since = now

    # -- what connections need -------------------------------------------------------------------------------

    def hello(self, slots: int) -> Hello:
        """Return the greeting of a stream."""
        return Hello(
            token=self.settings.token,
            games=self._games,
            slots=slots,
            changed_views=True,
            bot_version=self.bot_class.version,
            instance=self.settings.instance,
            sdk=SDK,
        )

    def wanted_slots(self) -> int:
        """Return how many matches at a time to ask a lobby for now."""
        return 0 if self._draining else self._slots

    @property
    def is_playing(self) -> bool:
        """Tell whether any match runs."""
        return bool(self.seats)

    def seats_at(self, address: Address) -> list[OnlineSeat]:
        """Return the seats whose referee is there."""
        return [seat for seat in self.seats.values() if seat.address == address]

    def seats_on(self, link: Link) -> list[OnlineSeat]:
        """Return the seats that have said Join on a link last."""
        return [seat for seat in self.seats.values() if seat.link is link]

    def unseated(self, link: Link) -> None:
        """Ask the lobby where the seats of a link that has ended are now."""
        lobby = self._connections.open_lobby
        for seat in self.seats_on(link):
            seat.link = None
            if lobby is not None:
                seat.join(lobby)

    # -- what links hand on ----------------------------------------------------------------------------------

    def welcomed(self, link: Link, welcome: Welcome) -> None:
        """Take every seat again that has no other place."""
        connections = self._connections
        if link is connections.lobby:
            granted = min(link.slots, welcome.slots)
            name = welcome.bot or "a bot"
            self._lines.tell(logging.INFO, f"{link.address}: connected as {name}, {granted} matches at a time")
            connections.lobbies.learn(welcome.lobbies)
            if self._draining and link.slots:
                link.say(Slots(0))
        for seat in self.seats.values():
            if self._belongs(seat, link):
                seat.join(link)
        connections.leave_if_unused(link)

    def _belongs(self, seat: OnlineSeat, link: Link) -> bool:
        """Tell whether a seat is to be taken on a link that has just opened."""
        if link is self._connections.lobby:
            return not seat.is_at(None)

        return seat.address == link.address and not seat.is_playing

    def received(self, link: Link, frames: list[Down]) -> None:
        """Hand each frame to its seat."""
        for frame in frames:
            body = frame.body
            if isinstance(body, Offer):
                self._offered(link, frame, body)
                continue
            if isinstance(body, Rejected) and body.code == RejectedCode.RATE:
                # What else is to be said there would be rejected too.
                link.hold(min(body.retry_delay_us / 1e6, LONGEST_HOLD_SECONDS))
            if not frame.match:
                self._told(link, body)
                continue

            seat = self.seats.get((frame.match, frame.seat))
            if seat is None or seat.link is not link:
                continue  # it is over here, or has moved
            if isinstance(body, Rejected):
                # It may concern a match that the server does not know, and then names no delivery.
                seat.on_rejected(body)
            elif not seat.saw_epoch(frame.epoch):
                log.debug("%r: a frame of delivery %d is dropped", seat, frame.epoch)
            else:
                self._hand_on(seat, body)

    def _hand_on(self, seat: OnlineSeat, body: object) -> None:
        try:
            if isinstance(body, Decide):
                seat.on_decide(body)
            elif isinstance(body, Start):
                seat.on_start(body)
            elif isinstance(body, Over):
                self._over(seat, body)
            elif isinstance(body, Notice):
                seat.on_notice(body)
        except CodecError as error:
            seat.unreadable(error)

    def _offered(self, link: Link, frame: Down, offer: Offer) -> None:
        key = (frame.match, frame.seat)
        seat = self.seats.get(key)
        try:
            address = Address.parse(offer.address) if offer.address else link.address
        except AddressError as error:
            self._lines.tell(logging.WARNING, f"{link.address}: an offer names no address: {error}")
            return

        if len(offer.ticket) > MAX_TICKET:
            self._lines.tell(logging.WARNING, f"{link.address}: a ticket has {len(offer.ticket)} characters")
            return

        if seat is None:
            if (why_not := self._why_not(frame.match, address)) is not None:
                self._lines.tell(logging.WARNING, f"{link.address}: an offer is not taken: {why_not}")
                return

            self.seats[key] = seat = OnlineSeat(self, *key)
        elif seat.is_placed(frame.epoch, address) or not self._connections.can_reach(address):
            return
        seat.saw_epoch(frame.epoch)
        before = seat.link
        seat.offered(offer, address)
        there = link if address == link.address else self._connections.reach(address)
        if there.is_open:
            seat.join(there)
        if before is not None:
            self._connections.leave_if_unused(before)

    def _why_not(self, match: str, address: Address) -> str | None:
        """Return why a match that is new here is not taken; None: it is."""
        if not (0 < len(match) <= MAX_NAME and match.isprintable()):
            return f"no match is named {match!r}"
        if not self._takes_offers:
            return "no new matches are taken"
        if len(self.seats) >= self._slots + SPARE_SEATS:
            return f"{len(self.seats)} matches run, which is many more than the {self._slots} that were asked for"
        if not self._connections.can_reach(address):
            return f"there are too many streams for one more, to {address}"
        return None

    def _told(self, link: Link, body: object) -> None:
        connections = self._connections
        if isinstance(body, Rejected):
            what = body.frame or "a frame"
            self._lines.tell(logging.WARNING, f"{link.address}: {what} was rejected: {body.message}")
            if body.code == RejectedCode.RATE and what == "slots":
                link.say(Slots(self.wanted_slots()))
        elif isinstance(body, Notice) and body.kind == NoticeKind.PAUSED:
            connections.paused(link, body.message)
        elif isinstance(body, Notice) and body.kind == NoticeKind.RESUMED:
            connections.resumed(link, body.message)
        elif isinstance(body, Notice):
            level = logging.DEBUG if body.kind == NoticeKind.LOBBIES else logging.INFO
            self._lines.tell(level, f"{link.address}: {body.message or body.kind}")
            connections.lobbies.learn(body.lobbies)
            if body.kind == NoticeKind.DRAINING and link is connections.lobby and not self._draining:
                connections.lobby_ends()

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
        """Log an error of the bot's own code; return it as one line. Too many matches in a row with one end the run."""
        goes_on = {"choose": "a random action is played", "over": "the match is over anyway"}
        gives_up = self.on_error is OnError.RESIGN and method != "over"
        fault = describe(method, error)
        consequence = "the match is given up" if gives_up else goes_on.get(method, "it plays on")
        self._faults.tell(repr(seat), fault, consequence, again=seat.failed)
        self._count_failure(seat, fault.line)
        return fault.line

    def hangs(self, seat: OnlineSeat) -> None:
        """Log that a method has not returned when the seat's time was spent; it counts as an error of the bot."""
        line = "a method has not returned, and the time of the seat is spent"
        if not seat.failed:
            log.error("%r: %s", seat, line)
        self._count_failure(seat, line)

    def _count_failure(self, seat: OnlineSeat, line: str) -> None:
        if seat.failed:
            return

        seat.failed = True
        self._failures += 1
        if self._failures == self.settings.max_errors:
            self.drain(
                BrokenBotError(
                    f"the bot's own code failed in {matches(self._failures)} in a row, so it takes no more"
                    f" (--max-errors): {line}"
                )
            )

    def warn(self, seat: OnlineSeat, text: str) -> None:
        """Log something about a match."""
        self._lines.tell(logging.WARNING, f"{seat!r}: {text}")

    def leave(self, seat: OnlineSeat) -> None:
        """Forget a seat that is over, and the link to its referee when it was the last one there."""
        self._left.set()
        if not seat.is_idle:
            self._leaving.add(seat)
        else:
            self._leaving.discard(seat)
            if seat.has_answered and not seat.failed:
                self._failures = 0
        if self.seats.get((seat.match, seat.number)) is seat:
            del self.seats[seat.match, seat.number]
            if seat.link is not None:
                self._connections.leave_if_unused(seat.link)
            if seat.address is not None:
                self._connections.leave_address_if_unused(seat.address)
