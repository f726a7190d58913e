"""The referee of one process: claims matches from the queue, runs them, keeps their leases, stores their results.

What happens inside a match is `match`'s; how a result is stored exactly once is the queue's.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from agon.codec.frames import RejectedCode
from agon_engine.core.errors import FileError, MissingFileError, OptionsError
from agon_engine.core.policy import Termination
from agon_engine.core.record import MatchRecord
from agon_engine.registry import game_names, get_game
from agon_server.queue.claim import Claim, Dead, Lease
from agon_server.referee.elsewhere import Elsewhere
from agon_server.referee.ending import Endings
from agon_server.referee.entries import JournalError, Opening
from agon_server.referee.journal import Follower, Journal
from agon_server.referee.match import Match
from agon_server.referee.notes import Notes
from agon_server.referee.offering import Offering
from agon_server.referee.takeover import take_over
from agon_server.store.errors import StoreError, StoreUnavailableError
from agon_server.store.state import Back
from agon_server.store_watch import forever
from agon_server.trace import places

if TYPE_CHECKING:
    from agon.codec.frames import Join
    from agon.codec.up import Up
    from agon_server.accounts import Accounts
    from agon_server.config import ServerConfig
    from agon_server.files import Files
    from agon_server.metrics import Metrics
    from agon_server.queue.queue import Queue
    from agon_server.referee import clock
    from agon_server.referee.offers import Offers
    from agon_server.referee.stream import BotStream
    from agon_server.referee.tickets import Tickets

log = logging.getLogger(__name__)

BLOCK_MS = 1_000
"""How long one look into an empty queue waits."""
MAX_RUNNING = 1_000
"""Matches at a time in one process."""
OFFER_SECONDS = 2.0
"""How often an Offer is repeated for a seat that has not joined."""
NOTES_SECONDS = 1.0
RELEASE_SECONDS = 2.0
"""How long a server that ends tries to hand its matches over."""
SETTLE_SECONDS = 2.0
"""How long after a restart of the store nothing is claimed."""


def utc_text() -> str:
    """Return the wall clock's time as records write it."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _reason(error: OptionsError | JournalError) -> str:
    """Return why a match cannot be set up, in one line."""
    if isinstance(error, JournalError):
        return f"its journal cannot be followed: {error}"
    if isinstance(error, MissingFileError):
        return f"option {error.option} names a file that the store does not have: {error.file!r}"
    if isinstance(error, FileError):
        return f"this version of the game cannot play with the file for option {error.option}: {error.mistakes[0]}"
    return str(error)


class Referee:
    """Runs matches. `start` begins to claim, `drain` stops that, `stop` leaves no task behind."""

    def __init__(
        self,
        config: ServerConfig,
        name: str,
        clock: clock.Clock,
        queue: Queue,
        files: Files,
        accounts: Accounts,
        tickets: Tickets,
        metrics: Metrics,
        find_record: Callable[[str], Awaitable[MatchRecord | None]],
    ) -> None:
        self._config = config
        self._name = name
        self._clock = clock
        self._queue = queue
        self._files = files
        self._tickets = tickets
        self._metrics = metrics
        self._elsewhere = Elsewhere(name, queue, tickets, find_record)
        self._line, server = queue.journal_line()
        self._journal = Journal(self._line, server, self._mend, metrics.journal_seconds.observe)
        self._claimed: deque[Claim] = deque()
        """Claims whose matches are not set up yet."""
        self._offering: Offering
        self._games = {(get_game(name).spec.name, get_game(name).spec.version) for name in game_names()}
        self._running: dict[str, tuple[Match, Claim]] = {}
        self._running_of: Counter[str] = Counter()
        """How many of them are of each game."""
        self._finishing: set[Match] = set()
        self._notes = Notes(accounts)
        self._endings = Endings(name, queue, self._elsewhere, metrics)
        self._tasks: set[asyncio.Task[None]] = set()
        self._claiming: asyncio.Task[None] | None = None
        self._loops: list[asyncio.Task[None]] = []
        self._claim_from = 0.0
        """Nothing is claimed before this time of the loop."""
        self._is_lost = False
        """The store was emptied: there is nothing left to hand over."""
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
        self._offering = Offering(lobby, self._tickets)
        self._claiming = asyncio.create_task(forever(self._claim_some, "claiming", log))
        self._loops = [
            asyncio.create_task(forever(self._journal.run, "storing choices", log)),
            asyncio.create_task(self._every(self._config.lease / 3, self._renew, "renewing leases")),
            asyncio.create_task(self._every(OFFER_SECONDS, self._offer_again, "repeating offers")),
            asyncio.create_task(self._every(NOTES_SECONDS, self._notes.store, "storing notes")),
        ]

    async def idle(self) -> None:
        """Return when no match is running here."""
        await self._empty.wait()

    async def drain(self) -> None:
        """Take no more matches; return when none is running."""
        await self._end_claiming()
        await self._empty.wait()

    async def stop(self) -> None:
        """End at once: what still runs is handed over, so that another server goes on with it without delay."""
        await self._end_claiming()
        await self._cancel_all([*self._loops, *self._tasks])
        claims = [claim for _, claim in self._running.values()]
        for match, _ in self._running.values():
            match.abandon()
        self._running.clear()
        if not self._is_lost:
            await self._release(claims)
        await self._line.aclose()
        try:
            await self._notes.store()
        except StoreError as error:
            log.warning("the last lines of bots' logs are lost: %s", error)

    async def _end_claiming(self) -> None:
        if self._claiming is None:
            return
        await self._cancel_all([self._claiming])
        self._claiming = None
        running = {(match.entry.match, match.epoch) for match, _ in self._running.values()}
        claims = [claim for claim in self._claimed if (claim.entry.match, claim.epoch) not in running]
        self._claimed.clear()
        await self._release(claims)

    async def _release(self, claims: Sequence[Claim]) -> None:
        try:
            async with asyncio.timeout(RELEASE_SECONDS):
                await self._queue.release_many(claims)
        except (StoreError, TimeoutError) as error:
            log.warning("%d matches wait for the end of their leases: %s", len(claims), str(error) or "no answer")

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
        """Nothing can be stored from now on: what is accepted waits in the journal."""

    async def store_back(self, how: Back) -> None:
        """The store answers again: what it has lost of the matches that run here is written before anything else."""
        if how is Back.RESTARTED:
            # Others have to write theirs again first, or what they run would look as if nobody did.
            self._claim_from = asyncio.get_running_loop().time() + SETTLE_SECONDS
            await self._restore([match for match, _ in self._running.values()], early=True)
        elif how is Back.EMPTIED:
            self._is_lost = True

    # -- claiming --------------------------------------------------------------------------------------------

    async def _claim_some(self) -> None:
        await self._room.wait()
        while self._claimed:
            await self._begin_first()
        await asyncio.sleep(self._claim_from - asyncio.get_running_loop().time())
        # Several in one call where many run, as that is cheaper; few where few do, so that servers share them.
        running = len(self._running)
        most = min(MAX_RUNNING - running, 1 + running // 8)
        for claim in await self._queue.claim_many(self._games, most, BLOCK_MS):
            if isinstance(claim, Claim):
                self._claimed.append(claim)
                continue
            self._metrics.dead_letters.inc()
            log.warning("match %s is a dead letter: %s", claim.match, claim.reason)
            self._tell_dead(claim)

    async def _begin_first(self) -> None:
        """Begin the first of the claimed matches; keep it for later where the store is away."""
        try:
            await self._begin(self._claimed[0])
        except (StoreUnavailableError, asyncio.CancelledError):
            raise
        except Exception:
            self._claimed.popleft()  # it is delivered again when its lease has run out
            raise
        self._claimed.popleft()

    async def _begin(self, claim: Claim) -> None:
        """Set a claimed match up, lead it to where its journal ends, and offer its seats."""
        entry = claim.entry
        try:
            match, opening = await self._set_up(claim)
        except (OptionsError, JournalError) as error:
            await self._bury(claim, _reason(error))
            return
        except StoreError:
            raise  # whatever the match needs of the store, it is not to blame
        except Exception as error:
            log.error("match %s cannot be set up:\n%s", entry.match, places(error))
            await self._bury(claim, f"the rules of {entry.game} broke down while it was set up")
            return

        if entry.match in self._running:
            self._let_go(self._running[entry.match][0])  # a later delivery of our own match: the earlier one is lost
        # The match has the journal as its lines: it is not to be kept twice.
        self._running[entry.match] = (match, replace(claim, journal=()))
        self._count_running(entry.game, 1)
        self._metrics.for_game(entry.game).started.inc()
        if claim.epoch > 1:
            self._metrics.redeliveries.inc()
        if claim.journal:
            log.info("match %s goes on after %d entries of its journal", entry.match, len(claim.journal))
            match.resume(opening)
        await self._offering.offer(match)

    async def _set_up(self, claim: Claim) -> tuple[Match, Opening | None]:
        entry = claim.entry
        match = Match(
            entry,
            claim.epoch,
            await self._files.game(entry.game, entry.options),
            self._clock,
            self._journal,
            self,
            self._metrics.for_game(entry.game),
            together=int(self._config.ping * 1e6),
            started=utc_text(),
        )
        try:
            return match, await take_over(match, claim.journal)
        except BaseException:
            match.abandon()
            raise

    def _tell_dead(self, dead: Dead) -> None:
        if dead.entry is not None:
            self._spawn(self._endings.tell_dead(dead, self._offering))

    async def _bury(self, claim: Claim, reason: str) -> None:
        if not await self._queue.bury(claim, reason):
            return

        self._metrics.dead_letters.inc()
        log.warning("match %s is a dead letter: %s", claim.entry.match, reason)
        self._tell_dead(Dead(claim.entry.match, reason, claim.epoch, claim.entry))

    def _count_running(self, game: str, change: int) -> None:
        self._running_of[game] += change
        self._metrics.for_game(game).running.set(self._running_of[game])
        if self._running:
            self._empty.clear()
        else:
            self._empty.set()
        if len(self._running) < MAX_RUNNING:
            self._room.set()
        else:
            self._room.clear()

    async def _offer_again(self) -> None:
        for match, _ in list(self._running.values()):
            if match.missing:
                await self._offering.offer(match)

    async def _renew(self) -> None:
        held = [(match, claim) for match, claim in self._running.values()]
        if not held:
            return

        leases = await self._queue.renew_many([(claim, match.progress) for match, claim in held])
        lost = []
        for (match, _), lease in zip(held, leases, strict=True):
            if match in self._finishing or not self._runs(match):
                continue
            if lease is Lease.LOST:
                lost.append(match)
            elif lease is Lease.CANCELLED:
                match.cancel(Termination.CANCELLED)
        await self._restore(lost)

    def _runs(self, match: Match) -> bool:
        return self._running.get(match.entry.match, (None,))[0] is match

    async def _mend(self, followers: list[Follower]) -> None:
        """See to matches of which the store has not taken an entry."""
        await self._restore([match for match, _ in self._running.values() if match in followers])

    async def _restore(self, matches: Sequence[Match], *, early: bool = False) -> None:
        """Write again what the store should know of these matches, where it may have lost it; let those go that are
        another referee's now."""
        if not matches:
            return

        held = [self._running[match.entry.match] for match in matches]
        reasons = await self._queue.restore_many([(claim, match.lines) for match, claim in held], early=early)
        for (match, _), reason in zip(held, reasons, strict=True):
            if reason and self._runs(match) and match not in self._finishing:
                log.warning("match %s is no longer run here: %s", match.entry.match, reason)
                self._let_go(match)

    # -- the end ---------------------------------------------------------------------------------------------

    def over(self, match: Match) -> None:
        """Store the record of a match that has ended, then tell its seats."""
        _, claim = self._running[match.entry.match]
        self._finishing.add(match)
        self._spawn(self._finish(match, claim))

    async def _finish(self, match: Match, claim: Claim) -> None:
        try:
            is_told = await self._endings.store_and_tell(match, claim, utc_text())
        except Exception as error:
            # Let go, it is delivered again when its lease has run out, and in the end becomes a dead letter.
            log.error("match %s cannot be ended:\n%s", match.entry.match, places(error))
            is_told = False
        if is_told:
            self._forget(match)
        else:
            self._let_go(match)

    def _let_go(self, match: Match) -> None:
        """Play a match no further; what its bots have said of it by then is no offence."""
        match.abandon()
        self._elsewhere.note(match.entry.match)
        self._forget(match)

    def _forget(self, match: Match) -> None:
        name = match.entry.match
        self._finishing.discard(match)
        if self._runs(match):
            del self._running[name]
            self._count_running(match.entry.game, -1)

    def ended(self, match: str) -> bool:
        """Tell whether the match has ended here, or was let go, not long ago; or runs here, by another delivery."""
        return match in self._elsewhere or match in self._running

    # -- joining ---------------------------------------------------------------------------------------------

    def join(self, stream: BotStream, frame: Up, body: Join) -> None:
        """Answer a Join: with the seat, with Over, or with where the match is."""
        if not self._tickets.fits(body.ticket, frame.match, frame.seat):
            stream.reject(frame, RejectedCode.NO_TICKET, "the ticket is not the one for this seat of this match")
            return

        running = self._running.get(frame.match)
        if running is None:
            self._spawn(self._elsewhere.answer(stream, frame))
            return

        match, _ = running
        if match.entry.seats[frame.seat].bot != stream.bot.name:
            stream.reject(frame, RejectedCode.NO_TICKET, "the seat is another bot's")
            return
        match.join(frame.seat, stream, body.sequence)

    # -- notes -----------------------------------------------------------------------------------------------

    def note(self, bot: str, match: str, seat: int, text: str) -> None:
        """Keep a line of a bot's private log; it is stored with others, within a second or so."""
        self._notes.add(bot, f"{utc_text()} {match} {seat} {text}")
