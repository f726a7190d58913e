"""The streams of one bot process: the one to a lobby, which is always there or tried again, and those to the referees
that Offers name, each as long as a seat is there. What comes on them is the owner's, and so are the seats.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Collection, Coroutine
from functools import partial
from typing import Any, Protocol

from agon.address import Address
from agon.codec.frames import Hello
from agon_bots.sdk.backoff import Backoff
from agon_bots.sdk.channel import open_channel
from agon_bots.sdk.link import Ended, Link, Receiver
from agon_bots.sdk.lobbies import Lobbies
from agon_bots.sdk.refusals import fatal_error, reason
from agon_bots.sdk.settings import Settings
from agon_bots.sdk.telling import ServerLines

STEADY_SECONDS = 5.0
"""A stream that lived so long worked: the back-off begins anew."""
PLAYING_SECONDS = 2.0
"""No longer than this is waited between two attempts while matches run, however many failed: their clocks run too."""
LOBBY_NOW = "its server is the lobby now"
"""Why a stream to a referee ends whose seats go on by the lobby's."""
MAX_REFEREES = 64
"""Streams to referees at a time; what is offered elsewhere has to wait."""
MAX_DELAY_SECONDS = 600.0
"""A server that asks for a longer delay is not believed."""


class Owner(Receiver, Protocol):
    """Who has the seats."""

    def hello(self, slots: int) -> Hello:
        """Return the greeting of a stream."""

    def wanted_slots(self) -> int:
        """Return how many matches at a time to ask a lobby for now."""

    def spawn(self, job: Coroutine[Any, Any, None]) -> None:
        """Run a task as long as the owner runs; its error ends the run."""

    @property
    def is_playing(self) -> bool:
        """Tell whether any match runs."""

    def seats_at(self, address: Address) -> Collection[object]:
        """Return the seats whose referee is there."""

    def seats_on(self, link: Link) -> Collection[object]:
        """Return the seats that have said Join on a link last."""

    def unseated(self, link: Link) -> None:
        """Find another place for the seats of a link that has ended."""


class Connections:
    """The streams; `keep_lobby` is to run as a task of the owner's."""

    def __init__(
        self, owner: Owner, settings: Settings, new_backoff: Callable[[], Backoff], lines: ServerLines
    ) -> None:
        self.lobbies = Lobbies(settings.servers)
        self.lobby: Link | None = None
        self.why = "not connected yet"
        """Why the last stream that ended did."""
        self.attempts = 0
        """How often a lobby was tried since one was open last."""
        self._owner = owner
        self._open_channel = partial(open_channel, settings=settings)
        self._new_backoff = new_backoff
        self._lines = lines
        self._move: asyncio.Event | None = None
        self._referees: dict[Address, Link] = {}
        self._heard_at = 0.0
        self._told: dict[Address, str] = {}
        """Why there is no stream to an address, as it was said last."""

    # -- what the owner asks ---------------------------------------------------------------------------------

    @property
    def is_open(self) -> bool:
        """Tell whether any stream is open."""
        return any(link.is_open for link in self._links())

    @property
    def heard_at(self) -> float:
        """When the last message came from any server, a refusal too, by the loop's clock; 0 before the first."""
        return max(self._heard_at, *(link.heard_at for link in self._links()), 0.0)

    @property
    def is_paused(self) -> bool:
        """Tell whether a server that is there has said that no clock runs now."""
        return any(link.is_open and link.is_paused for link in self._links())

    def paused(self, link: Link, why: str) -> None:
        """Note that no choice can be stored at a server now; said once, however many servers it concerns."""
        if not self.is_paused:
            self._lines.tell(logging.WARNING, f"{link.address}: paused: {why}")
        link.is_paused = True

    def resumed(self, link: Link, why: str) -> None:
        """Note that play goes on at a server."""
        was_paused, link.is_paused = self.is_paused, False
        if was_paused and not self.is_paused:
            self._lines.tell(logging.INFO, f"{link.address}: resumed: {why}")

    def _links(self) -> list[Link]:
        return [*self._referees.values(), *([self.lobby] if self.lobby else [])]

    @property
    def open_lobby(self) -> Link | None:
        return self.lobby if self.lobby is not None and self.lobby.is_open else None

    def can_reach(self, address: Address) -> bool:
        """Tell whether there is, or may be, a stream to an address."""
        known = address in self._referees or (self.lobby is not None and self.lobby.address == address)
        return known or len(self._referees) < MAX_REFEREES

    def reach(self, address: Address) -> Link:
        """Return the stream to a referee; one that is new opens by itself, and says so then."""
        if self.lobby is not None and self.lobby.address == address:
            return self.lobby
        if address not in self._referees:
            self._referees[address] = link = Link(address, 0, self._owner)
            self._owner.spawn(self._keep_referee(link))
        return self._referees[address]

    def leave_if_unused(self, link: Link) -> None:
        """End a stream to a referee on which no seat is left."""
        if link is self.lobby or self._owner.seats_on(link):
            return
        # One that was the lobby's gets no seats any more.
        if link.slots or not self._owner.seats_at(link.address):
            link.cut("no match is left there")

    def leave_address_if_unused(self, address: Address) -> None:
        """End the stream to a referee where no seat is left."""
        if (link := self._referees.get(address)) is not None:
            self.leave_if_unused(link)

    def lobby_ends(self) -> None:
        """Look for another lobby, since this one takes no new matches; the running ones go on."""
        assert self.lobby is not None
        self.lobbies.ends(self.lobby.address, asyncio.get_running_loop().time())
        if self._move is not None and self.lobbies.has_other(self.lobby.address):
            self._move.set()

    # -- the lobby -------------------------------------------------------------------------------------------

    async def keep_lobby(self) -> None:
        """Be connected to some lobby, the same one as long as it works. Raise a BotError where none can help."""
        backoff = self._new_backoff()
        loop = asyncio.get_running_loop()
        while True:
            address, wait = self.lobbies.pick(loop.time())
            await asyncio.sleep(wait)
            if (there := self._referees.pop(address, None)) is not None:
                # A second stream to one server replaces the first: this one then does what both did.
                there.cut(LOBBY_NOW)
            self.lobby = link = Link(address, self._owner.wanted_slots(), self._owner)
            self._move = asyncio.Event()
            began = loop.time()
            run = loop.create_task(link.run(self._open_channel, self._owner.hello(link.slots)))
            moved = loop.create_task(self._move.wait())
            try:
                await asyncio.wait((run, moved), return_when=asyncio.FIRST_COMPLETED)
            finally:
                moved.cancel()
                if not run.done() and not moved.done():
                    run.cancel()
                    await asyncio.gather(run, return_exceptions=True)
            self.lobby = None
            if not run.done():
                self._referees[address] = link
                self._owner.spawn(self._see_off(link, run))
                continue

            asked = self._ended(link, run.result(), began, backoff, is_lobby=True)
            self.lobbies.failed(address, loop.time(), backoff.spread(asked), welcomed=link.welcome is not None)
            await asyncio.sleep(self._delay(backoff))

    async def _see_off(self, link: Link, run: asyncio.Task[Ended]) -> None:
        """Keep a stream to a server that ends, until the matches there are over."""
        try:
            self.leave_if_unused(link)
            ended = await run
        finally:
            run.cancel()
        if self._referees.get(link.address) is link:
            del self._referees[link.address]
        self._lost(link, ended, is_lobby=False)

    # -- referees --------------------------------------------------------------------------------------------

    async def _keep_referee(self, link: Link) -> None:
        """Be connected to a referee as long as a seat of ours is there."""
        backoff = self._new_backoff()
        loop = asyncio.get_running_loop()
        address = link.address
        while True:
            began = loop.time()
            ended = await link.run(self._open_channel, self._owner.hello(0))
            asked = self._ended(link, ended, began, backoff, is_lobby=False)
            if self._owner.seats_at(address):
                await asyncio.sleep(self._delay(backoff, asked))
            if self._referees.get(address) is not link:
                return  # the lobby is there now
            if not self._owner.seats_at(address):
                del self._referees[address]
                return

            self._referees[address] = link = Link(address, 0, self._owner)

    # -- ends ------------------------------------------------------------------------------------------------

    def _delay(self, backoff: Backoff, asked: float = 0.0) -> float:
        """Return how long to wait before the next attempt; at least what a server asked for."""
        delay = backoff.next()
        return max(min(delay, PLAYING_SECONDS) if self._owner.is_playing else delay, backoff.spread(asked))

    def _ended(self, link: Link, ended: Ended, began: float, backoff: Backoff, *, is_lobby: bool) -> float:
        """Answer the end of a stream; return for how many seconds its server asked to be left alone."""
        self._lost(link, ended, is_lobby=is_lobby)
        if link.welcome is not None and asyncio.get_running_loop().time() - began > STEADY_SECONDS:
            backoff.reset()
        return min(ended.refused.retry_delay_us / 1e6, MAX_DELAY_SECONDS) if ended.refused is not None else 0.0

    def _lost(self, link: Link, ended: Ended, *, is_lobby: bool) -> None:
        """Answer the end of a stream: fatal ones end the run, else its seats look for another one."""
        if (error := fatal_error(link.address, ended.refused, is_lobby=is_lobby)) is not None:
            raise error

        self._heard_at = max(self._heard_at, link.heard_at)
        self.why = f"{link.address}: {reason(ended.refused) if ended.refused is not None else ended.why}"
        if link.welcome is not None:
            self.attempts = 0
            self._told.pop(link.address, None)
        else:
            self.attempts += is_lobby
        if count := len(self._owner.seats_on(link)):
            # Where the lobby's stream takes another one's place nothing is amiss.
            level = logging.INFO if ended.why == LOBBY_NOW else logging.WARNING
            self._lines.tell(level, f"{self.why}; {matches(count)} running there")
        elif link.welcome is not None:
            self._lines.tell(logging.INFO, self.why)
        elif self._told.get(link.address) != self.why:
            # Once is enough while a server is away; that it still is, is the owner's to say now and then.
            self._told[link.address] = self.why
            self._lines.tell(logging.WARNING, f"{self.why}; trying again")
        self._owner.unseated(link)


def matches(count: int) -> str:
    return f"{count} match{'es' if count != 1 else ''}"


def tried(attempts: int) -> str:
    """Return how often something was tried, before why it failed."""
    if attempts == 0:
        return "not tried again yet:"
    return "tried once:" if attempts == 1 else f"tried {attempts} times, at last"
