"""The referee of one process: claims matches from the queue, runs them, keeps their leases, stores their results.

What happens inside a match is `match`'s; how a result is stored exactly once is the queue's.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Coroutine
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from agon.codec import down
from agon.codec.frames import Clock, NoticeKind, RejectedCode
from agon_engine.core.errors import OptionsError
from agon_engine.core.policy import Result, Termination
from agon_engine.core.record import Deals, MatchRecord, line_hash
from agon_engine.registry import game_names, get_game
from agon_server.queue.claim import Claim, Dead, Finished, Lease, Phase, Running
from agon_server.referee.journal import Journal
from agon_server.referee.match import Match
from agon_server.referee.notes import Notes
from agon_server.referee.offers import SeatOffer
from agon_server.store.errors import StoreError, StoreUnavailableError
from agon_server.store_watch import forever
from agon_server.trace import places
from agon_server.waiting import Waiting

if TYPE_CHECKING:
    from agon.codec.frames import Join
    from agon.codec.up import Up
    from agon_server.accounts import Accounts
    from agon_server.config import ServerConfig
    from agon_server.metrics import Metrics
    from agon_server.queue.queue import Queue
    from agon_server.referee import clock
    from agon_server.referee.offers import Offers
    from agon_server.referee.stream import BotStream
    from agon_server.referee.tickets import Tickets
    from agon_server.store.state import Back

log = logging.getLogger(__name__)

BLOCK_MS = 1_000
"""How long one look into an empty queue waits."""
MAX_RUNNING = 1_000
"""Matches at a time in one process."""
OFFER_SECONDS = 2.0
"""How often an Offer is repeated for a seat that has not joined."""
NOTES_SECONDS = 1.0
RECENT = 4_096
"""Overs kept for seats that come back after the end, and matches of which late frames are no offence."""
RELEASE_SECONDS = 2.0
"""How long a server that ends tries to give its matches back."""
RETRY_SECONDS = 0.5
MAX_RETRY_SECONDS = 5.0
"""The first and the longest pause before a result is given again to a store that was away."""


def utc_text() -> str:
    """Return the wall clock's time as records write it."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


class Referee:
    """Runs matches. `start` begins to claim, `drain` stops that, `stop` leaves no task behind."""

    def __init__(
        self,
        config: ServerConfig,
        name: str,
        clock: clock.Clock,
        queue: Queue,
        accounts: Accounts,
        tickets: Tickets,
        metrics: Metrics,
        find_record: Callable[[str], Awaitable[MatchRecord | None]],
    ) -> None:
        self._config = config
        self._name = name
        self._clock = clock
        self._queue = queue
        self._tickets = tickets
        self._metrics = metrics
        self._find_record = find_record
        self._journal = Journal()
        self._lobby: Offers
        self._games = {(get_game(name).spec.name, get_game(name).spec.version) for name in game_names()}
        self._running: dict[str, tuple[Match, Claim]] = {}
        self._finishing: set[Match] = set()
        self._recent: OrderedDict[tuple[str, int], tuple[str, bytes]] = OrderedDict()
        self._recent_matches: OrderedDict[str, None] = OrderedDict()
        self._notes = Notes(accounts)
        self._storing = Waiting(log, "storing results")
        self._tasks: set[asyncio.Task[None]] = set()
        self._claiming: asyncio.Task[None] | None = None
        self._loops: list[asyncio.Task[None]] = []
        self._room = asyncio.Event()
        self._room.set()
        self._empty = asyncio.Event()
        self._empty.set()

    @property
    def running(self) -> int:
        """How many matches run here."""
        return len(self._running)

    # -- life ------------------------------------------------------------------------------------------------

    def start(self, lobby: Offers) -> None:
        """Begin to claim and run matches, with Offers through the lobby."""
        self._lobby = lobby
        self._claiming = asyncio.create_task(forever(self._claim_one, "claiming", log))
        self._loops = [
            asyncio.create_task(self._every(self._config.lease / 3, self._renew, "renewing leases")),
            asyncio.create_task(self._every(OFFER_SECONDS, self._offer_again, "repeating offers")),
            asyncio.create_task(self._every(NOTES_SECONDS, self._notes.store, "storing notes")),
        ]

    async def idle(self) -> None:
        """Return when no match is running here."""
        await self._empty.wait()

    async def drain(self) -> None:
        """Take no more matches; return when none is running."""
        await self._cancel_all([self._claiming] if self._claiming is not None else [])
        self._claiming = None
        await self._empty.wait()

    async def stop(self) -> None:
        """End at once: what still runs is given back, so that another server plays it again without delay."""
        await self._cancel_all([task for task in (self._claiming, *self._loops, *self._tasks) if task is not None])
        claims = [claim for _, claim in self._running.values()]
        for match, _ in self._running.values():
            match.abandon()
        self._running.clear()
        try:
            async with asyncio.timeout(RELEASE_SECONDS):
                await self._queue.release_many(claims)
        except (StoreError, TimeoutError) as error:
            log.warning("%d matches wait for the end of their leases: %s", len(claims), str(error) or "no answer")
        try:
            await self._notes.store()
        except StoreError as error:
            log.warning("the last lines of bots' logs are lost: %s", error)

    async def _cancel_all(self, tasks: list[asyncio.Task[None]]) -> None:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _every(self, seconds: float, step: Callable[[], Awaitable[None]], what: str) -> None:
        async def one() -> None:
            await asyncio.sleep(seconds)
            await step()

        await forever(one, what, log)

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # -- the store's state -----------------------------------------------------------------------------------

    def store_away(self) -> None:
        """Nothing can be stored from now on."""

    async def store_back(self, how: Back) -> None:
        """The store answers again."""

    # -- claiming --------------------------------------------------------------------------------------------

    async def _claim_one(self) -> None:
        await self._room.wait()
        claim = await self._queue.claim(self._games, BLOCK_MS)
        if isinstance(claim, Dead):
            self._metrics.dead_letters.inc()
            log.warning("match %s is a dead letter: %s", claim.match, claim.reason)
            self._tell_dead(claim)
        elif claim is not None:
            await self._begin(claim)

    async def _begin(self, claim: Claim) -> None:
        entry = claim.entry
        if claim.epoch > 1:
            self._metrics.redeliveries.inc()
        if entry.match in self._running:
            self._let_go(self._running[entry.match][0])  # a later delivery of our own match: the earlier one is lost
        metrics = self._metrics.for_game(entry.game)
        try:
            match = Match(
                entry,
                claim.epoch,
                get_game(entry.game),
                self._clock,
                self._journal,
                self,
                metrics,
                together=int(self._config.ping * 1e6),
                started=utc_text(),
            )
        except OptionsError as error:
            await self._bury(claim, str(error))
            return
        except Exception as error:
            log.error("match %s cannot be set up:\n%s", entry.match, places(error))
            await self._bury(claim, f"the rules of {entry.game} broke down while it was set up")
            return

        self._running[entry.match] = (match, claim)
        self._count_running(entry.game)
        metrics.started.inc()
        await self._offer(match)

    def _tell_dead(self, dead: Dead) -> None:
        """Tell the seats of a match that nobody could play that it is over, those whose bots are connected here."""
        if dead.entry is None:
            return

        seats = len(dead.entry.seats)
        why = Termination.INFRASTRUCTURE
        result = Result(why, (1,) * seats, (0,) * seats, (why,) * seats)
        for seat, place in enumerate(dead.entry.seats):
            piece = down.over(
                dead.match, seat, dead.epoch, 0, (), result, rated=False, record_hash="", seed="", clock=Clock(0, 0)
            )
            self._lobby.send_to(place.bot, place.instance, piece)

    async def _bury(self, claim: Claim, reason: str) -> None:
        await self._queue.bury(claim, reason)
        self._metrics.dead_letters.inc()
        log.warning("match %s is a dead letter: %s", claim.entry.match, reason)

    def _count_running(self, game: str) -> None:
        here = sum(match.entry.game == game for match, _ in self._running.values())
        self._metrics.for_game(game).running.set(here)
        if self._running:
            self._empty.clear()
        else:
            self._empty.set()
        if len(self._running) < MAX_RUNNING:
            self._room.set()
        else:
            self._room.clear()

    async def _offer(self, match: Match) -> None:
        entry = match.entry
        for seat in match.missing:
            ticket = self._tickets.issue(entry.match, seat)
            place = entry.seats[seat]
            await self._lobby.offer(
                SeatOffer(
                    place.bot,
                    place.instance,
                    match=entry.match,
                    seat=seat,
                    epoch=match.epoch,
                    ticket=ticket,
                    game=entry.game,
                    seats=len(entry.seats),
                )
            )

    async def _offer_again(self) -> None:
        for match, _ in list(self._running.values()):
            if match.missing:
                await self._offer(match)

    async def _renew(self) -> None:
        held = [(match, claim) for match, claim in self._running.values()]
        if not held:
            return

        leases = await self._queue.renew_many([(claim, match.progress) for match, claim in held])
        for (match, _), lease in zip(held, leases, strict=True):
            name = match.entry.match
            if match in self._finishing or self._running.get(name, (None,))[0] is not match:
                continue
            if lease is Lease.LOST:
                log.warning("match %s is another referee's now", name)
                self._let_go(match)
            elif lease is Lease.CANCELLED:
                match.cancel(Termination.CANCELLED)

    # -- the end ---------------------------------------------------------------------------------------------

    def over(self, match: Match) -> None:
        """Store the record of a match that has ended, then tell its seats."""
        _, claim = self._running[match.entry.match]
        self._finishing.add(match)
        self._spawn(self._finish(match, claim))

    async def _finish(self, match: Match, claim: Claim) -> None:
        try:
            await self._store_and_tell(match, claim)
        except Exception as error:
            # Let go, it is delivered again when its lease has run out, and in the end becomes a dead letter.
            log.error("match %s cannot be ended:\n%s", match.entry.match, places(error))
            self._let_go(match)

    async def _store_and_tell(self, match: Match, claim: Claim) -> None:
        entry = match.entry
        record = match.record([self._name], utc_text())
        line = record.to_line()
        record_hash = line_hash(line)
        began = time.perf_counter()
        finished = await self._stored(claim, line, record_hash, match)
        self._metrics.finish_seconds.observe(time.perf_counter() - began)
        if not finished.stored:
            log.warning("the result of match %s was not taken: %s", entry.match, finished.status)
            self._let_go(match)
            return

        pieces = match.tell_over(record_hash, entry.seed if finished.deal_over else "")
        self._remember(match, pieces)
        self._forget(match)
        assert match.table.result is not None
        self._metrics.for_game(entry.game).finished[match.table.result.termination].inc()

    async def _stored(self, claim: Claim, line: str, record_hash: str, match: Match) -> Finished:
        """Store a result, however long the store is away: it is safe to repeat."""
        result = match.table.result
        assert result is not None
        delay = RETRY_SECONDS
        while True:
            try:
                finished = await self._queue.finish(claim, record=line, record_hash=record_hash, result=result)
            except StoreUnavailableError as error:
                self._storing.because(error)
                await asyncio.sleep(delay)
                delay = min(MAX_RETRY_SECONDS, delay * 2)
            else:
                self._storing.over()
                return finished

    def _let_go(self, match: Match) -> None:
        """Play a match no further; what its bots have said of it by then is no offence."""
        match.abandon()
        self._note_recent(match.entry.match)
        self._forget(match)

    def _forget(self, match: Match) -> None:
        name = match.entry.match
        if self._running.get(name, (None,))[0] is match:
            del self._running[name]
        self._finishing.discard(match)
        self._count_running(match.entry.game)

    def _remember(self, match: Match, pieces: list[bytes]) -> None:
        entry = match.entry
        for seat, piece in enumerate(pieces):
            self._recent[entry.match, seat] = (entry.seats[seat].bot, piece)
            if len(self._recent) > RECENT:
                self._recent.popitem(last=False)
        self._note_recent(entry.match)

    def _note_recent(self, match: str) -> None:
        self._recent_matches[match] = None
        if len(self._recent_matches) > RECENT:
            self._recent_matches.popitem(last=False)

    def ended(self, match: str) -> bool:
        """Tell whether the match has ended here, or was let go, not long ago; or runs here, by another delivery."""
        return match in self._recent_matches or match in self._running

    # -- joining ---------------------------------------------------------------------------------------------

    def join(self, stream: BotStream, frame: Up, body: Join) -> None:
        """Answer a Join: with the seat, with Over, or with where the match is."""
        if not self._tickets.fits(body.ticket, frame.match, frame.seat):
            stream.reject(frame, RejectedCode.NO_TICKET, "the ticket is not the one for this seat of this match")
            return

        running = self._running.get(frame.match)
        if running is None:
            self._spawn(self._join_other(stream, frame))
            return

        match, _ = running
        if match.entry.seats[frame.seat].bot != stream.bot.name:
            stream.reject(frame, RejectedCode.NO_TICKET, "the seat is another bot's")
            return
        match.join(frame.seat, stream, body.sequence)

    async def _join_other(self, stream: BotStream, frame: Up) -> None:
        """Answer a Join for a match that does not run here: from what is remembered, or what the store says."""
        recent = self._recent.get((frame.match, frame.seat))
        if recent is not None:
            bot, piece = recent
            if bot == stream.bot.name:
                stream.send(piece)
            else:
                stream.reject(frame, RejectedCode.NO_TICKET, "the seat is another bot's")
            return
        try:
            await self._join_elsewhere(stream, frame)
        except StoreUnavailableError:
            self._send_wait(stream, frame, "the store is away; join again later")
        except Exception as error:
            log.error("a Join of match %s has no answer now:\n%s", frame.match, places(error))
            self._send_wait(stream, frame, "the server cannot tell now; join again later")

    async def _join_elsewhere(self, stream: BotStream, frame: Up) -> None:
        where = await self._queue.whereabouts(frame.match)
        running = await self._running_of(stream, frame) if where.phase is Phase.RUNNING else None
        if running is not None and running.owner != self._name:
            stream.send(
                down.offer(
                    frame.match,
                    frame.seat,
                    running.epoch,
                    ticket=self._tickets.issue(frame.match, frame.seat),
                    address=running.address,
                    game=running.game,
                    seats=running.seats,
                )
            )
        elif where.phase in (Phase.WAITING, Phase.RUNNING):
            self._send_wait(stream, frame, "no referee runs the match now; its Offer follows")
        elif where.phase in (Phase.PLAYED, Phase.UNKNOWN):  # unknown: perhaps it has ended long ago
            await self._send_kept_over(stream, frame)
        else:
            stream.reject(frame, RejectedCode.NO_TICKET, f"the match is {where.phase}")

    def _send_wait(self, stream: BotStream, frame: Up, message: str) -> None:
        stream.send(down.notice(frame.match, frame.seat, kind=NoticeKind.WAIT, message=message))

    async def _running_of(self, stream: BotStream, frame: Up) -> Running | None:
        for running in await self._queue.running_of(stream.bot.name, stream.hello.instance):
            if (running.match, running.seat) == (frame.match, frame.seat):
                return running
        return None

    async def _send_kept_over(self, stream: BotStream, frame: Up) -> None:
        """Make the Over of a match that ended elsewhere, or long ago, from its record."""
        record = await self._find_record(frame.match)
        if record is None or frame.seat >= len(record.seats) or record.seats[frame.seat].bot != stream.bot.name:
            stream.reject(
                frame, RejectedCode.NO_TICKET, "no such match runs, and no record of one with this bot is kept"
            )
            return

        open_deal = record.deals is Deals.SHARED and await self._queue.deal_is_open(record.block)
        stream.send(
            down.over(
                record.match,
                frame.seat,
                record.epoch,
                0,
                (),
                record.result,
                rated=record.counts,
                record_hash=record.hash(),
                seed="" if open_deal else record.seed,
                clock=Clock(0, 0),
            )
        )

    # -- notes -----------------------------------------------------------------------------------------------

    def note(self, bot: str, match: str, seat: int, text: str) -> None:
        """Keep a line of a bot's private log; it is stored with others, within a second or so."""
        self._notes.add(bot, f"{utc_text()} {match} {seat} {text}")
