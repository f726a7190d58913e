"""One match between remote seats, from its Offers to its Over: who has joined and is ready, the one place where a
choice is accepted, the clocks around it, and the one place where the match ends.

A plain object that the loop calls; no task, no queue, no I/O. Rules, strikes and results are `Table`'s
(agon_engine.core.driver), readings come from the clock, bytes from the codec, storing is the journal's.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from enum import Enum
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from agon.codec.down import PartCache
from agon.codec.frames import Choose, RejectedCode
from agon_engine.core.driver import Deal, Table, Timing
from agon_engine.core.errors import RulesBug
from agon_engine.core.game import Game
from agon_engine.core.policy import Termination
from agon_engine.core.record import MatchRecord, SeatRow, commitment
from agon_server.referee.aliases import aliases_for
from agon_server.referee.clock import Clock, Deadline, Microseconds
from agon_server.referee.journal import Entry, Journal
from agon_server.referee.seat import SUBSTITUTED, SeatPlay

if TYPE_CHECKING:
    from agon.codec.up import Up
    from agon_server.metrics import GameMetrics
    from agon_server.queue.entry import MatchEntry
    from agon_server.referee.stream import BotStream

log = logging.getLogger(__name__)


class Phase(Enum):
    """Where a match is in its life."""

    GATHERING = "gathering"
    """Seats join and get ready; no clock of a decision runs, and nothing is rated."""
    PLAYING = "playing"
    OVER = "over"


class MatchHost(Protocol):
    """What a match needs of the process that runs it."""

    def over(self, match: Match) -> None:
        """The match has ended; store its record, then call its `tell_over`."""

    def note(self, bot: str, match: str, seat: int, text: str) -> None:
        """Keep a line of a bot's private log."""


class Match:
    """A running match. Seats act through `join`, `ready`, `choose`, `note`, `resign`; streams that end or flood
    say so through `stream_lost` and `flooded`; deadlines fire by themselves."""

    def __init__(
        self,
        entry: MatchEntry,
        epoch: int,
        game: Game[Any],
        clock: Clock,
        journal: Journal,
        host: MatchHost,
        metrics: GameMetrics,
        *,
        together: Microseconds,
        started: str,
    ) -> None:
        """Set the match up and start the connect limits.

        `together`: seats whose streams broke within this time of each other were lost together, which is a fault
        of the infrastructure. Raise OptionsError where the entry does not fit the game as it is installed.
        """
        self.entry = entry
        self.epoch = epoch
        self.phase = Phase.GATHERING
        self.started = started
        self.abandoned = False
        """Another referee runs the match now: nothing more is said or stored here."""
        spec = game.spec
        seats, options = spec.check_seats(len(entry.seats)), spec.check_options(entry.options)
        deal = Deal(spec.name, entry.version, seats, options, bytes.fromhex(entry.seed))
        self.table = Table(game, deal, entry.policy, entry.time)
        self.commitment = commitment(deal.game, deal.version, deal.options, deal.seed)
        self._clock = clock
        self._journal = journal
        self._host = host
        self._metrics = metrics
        self._together = together
        self._shown: tuple[int, int] | None = None
        self._pending: tuple[int, int, Timing] | None = None
        self._told_out: set[int] = set()
        self._read_at: Microseconds = 0
        self._numbered = 0
        self._aliases = aliases_for(entry.match, seats)
        parts = PartCache()
        self._seats = [SeatPlay(self.table, entry, epoch, seat, self._aliases, parts) for seat in range(seats)]
        self._decision = Deadline(clock, self._late)
        self._life = Deadline(clock, self._too_long)
        now = clock.now()
        self._life.set(now + entry.time.longest_life(seats, spec.max_decisions))
        for seat, play in enumerate(self._seats):
            play.gone = Deadline(clock, partial(self._gone, seat))
            play.gone.set(now + entry.time.connect)

    # -- what the process that runs it asks ------------------------------------------------------------------

    @property
    def progress(self) -> int:
        """How many choices have been accepted: what the lease shows."""
        return len(self.table.moves)

    @property
    def missing(self) -> list[int]:
        """The seats without a stream."""
        return [seat for seat, play in enumerate(self._seats) if play.stream is None]

    def record(self, servers: Sequence[str], ended: str) -> MatchRecord:
        """Return the record of a match that is over."""
        entry = self.entry
        return self.table.record(
            match=entry.match,
            block=entry.block,
            ladder=entry.ladder,
            rated=entry.rated,
            seats=[
                SeatRow(seat.bot, seat.owner, play.bot_version, alias)
                for seat, play, alias in zip(entry.seats, self._seats, self._aliases, strict=True)
            ],
            deals=entry.deals,
            epoch=self.epoch,
            servers=servers,
            started=self.started,
            ended=ended,
        )

    def abandon(self) -> None:
        """Stop at once and say nothing: the match is somebody else's now."""
        self.abandoned = True
        self._close()
        for play in self._seats:
            play.detach()

    def cancel(self, why: Termination) -> None:
        """End the match without counting it (`infrastructure`, `cancelled`)."""
        self._accept(-1, f"end {why}", 0, partial(self._abandon_table, why))

    # -- what a seat says ------------------------------------------------------------------------------------

    def join(self, seat: int, stream: BotStream, sequence: int) -> None:
        """Give the seat to a stream; the last Join wins. Does not check the ticket."""
        play = self._seats[seat]
        play.attach(self, stream, sequence)
        play.gone.clear()
        play.send_start(self.commitment)
        if self.phase is Phase.GATHERING:
            if not play.ready:
                play.gone.set(self._clock.now() + self.entry.time.ready)
        elif self.table.conduct.is_out(seat):
            play.send_out(self.table.conduct.fallen[seat])
        elif play.open:
            play.send_decide(full=True)

    def ready(self, seat: int) -> None:
        """The bot is set up; when all are, the first decision is asked."""
        play = self._seats[seat]
        if self.phase is not Phase.GATHERING or play.ready:
            return

        play.ready = True
        play.gone.clear()
        if all(other.ready and other.stream is not None for other in self._seats):
            self.phase = Phase.PLAYING
            self._read_at = 0
            self._go_on()

    def choose(self, frame: Up, body: Choose, read_at: Microseconds) -> None:
        """Judge an answer, read at the given time: the one place where a choice is accepted."""
        seat = frame.seat
        play = self._seats[seat]
        if not play.open or body.decision != self.table.asked[seat]:
            play.reject_other(frame, body)
            return

        host = self._clock.host() - play.host_at
        elapsed = read_at - play.asked_at
        account = self.table.accounts[seat]
        if elapsed - host > account.allowed + self.entry.time.grace:
            self._strike(seat, Termination.TIMEOUT, elapsed, host)
            play.reject_other(frame, body)
            return

        decision = self.table.decision
        assert decision is not None
        if body.index >= len(decision.actions):
            self._illegal(frame, body, len(decision.actions), elapsed, host)
            return

        action = decision.actions[body.index]
        play.open = False
        play.answers.append(body.index)
        self._decision.clear()
        self._read_at = read_at
        self._pending = (seat, action, Timing(elapsed, host, play.latency, min(body.thought_us, elapsed)))
        self._accept(seat, self.table.game.notation.codes[action], max(0, elapsed - host), self._chosen)

    def note(self, seat: int, text: str) -> None:
        """Keep a line of the bot's private log."""
        self._host.note(self.entry.seats[seat].bot, self.entry.match, seat, text)

    def resign(self, seat: int) -> None:
        """The seat gives the match up."""
        self._fall(seat, Termination.RESIGNED)

    def flooded(self, seat: int) -> None:
        """The seat's stream ends because it broke its limits."""
        self._fall(seat, Termination.PROTOCOL)

    def stream_lost(self, seat: int, stream: BotStream) -> None:
        """A stream that had joined the seat has ended; the connect limit runs until it comes back."""
        play = self._seats[seat]
        if play.stream is not stream or self.phase is Phase.OVER:
            return

        play.detach()
        play.left_at = self._clock.now()
        if self.phase is Phase.GATHERING:
            play.ready = False  # whatever comes back may have lost its memory
        play.gone.set(play.left_at + self.entry.time.connect)

    # -- accepting -------------------------------------------------------------------------------------------

    def _accept(self, seat: int, what: str, charge: Microseconds, then: Callable[[], None]) -> None:
        """Give a choice or fault to the journal; its consequence follows once it is stored."""
        entry = Entry(self.entry.match, self.epoch, self._numbered, seat, what, charge)
        self._numbered += 1
        self._journal.accept(entry, partial(self._stored, then))

    def _stored(self, then: Callable[[], None]) -> None:
        if self.abandoned or self.phase is Phase.OVER:
            return
        try:
            then()
        except RulesBug:
            log.exception("the rules broke in match %s; it ends unrated", self.entry.match)
        self._go_on()

    def _chosen(self) -> None:
        assert self._pending is not None
        seat, action, timing = self._pending
        self._pending = None
        self.table.choose(seat, action, timing)
        self._metrics.decision_seconds.observe(self.table.accounts[seat].last_charge / 1e6)

    def _strike(self, seat: int, why: Termination, elapsed: Microseconds, host: Microseconds) -> None:
        play = self._seats[seat]
        play.open = False
        play.answers.append(SUBSTITUTED)
        self._decision.clear()
        self._read_at = 0
        timing = Timing(elapsed, host, play.latency, 0)
        self._metrics.strikes[why].inc()
        self._accept(seat, f"strike {why}", max(0, elapsed - host), partial(self._struck, seat, why, timing))

    def _struck(self, seat: int, why: Termination, timing: Timing) -> None:
        if self._lost_together(seat):
            self._abandon_table(Termination.INFRASTRUCTURE)
        else:
            self.table.strike(seat, why, timing)

    def _fall(self, seat: int, why: Termination) -> None:
        if self.phase is Phase.GATHERING:
            self._no_show(seat, why)
            return
        if self.phase is Phase.OVER or self.table.conduct.is_out(seat):
            return

        self._metrics.faults[why].inc()
        play = self._seats[seat]
        if play.open:
            play.open = False
            play.answers.append(SUBSTITUTED)
            self._decision.clear()
        self._read_at = 0
        self._accept(seat, f"fall {why}", 0, partial(self._fallen, seat, why))

    def _fallen(self, seat: int, why: Termination) -> None:
        self.table.fall(seat, why)

    def _abandon_table(self, why: Termination, seats: Sequence[Termination] | None = None) -> None:
        self.table.abandon(why, seats)

    def _no_show(self, absent: int, why: Termination) -> None:
        """A seat fails before the first decision: nothing counts, and the match may be played again."""
        self._metrics.faults[why].inc()
        seats = [why if seat == absent else Termination.CANCELLED for seat in range(len(self._seats))]
        self._accept(absent, f"end {Termination.NO_SHOW}", 0, partial(self._abandon_table, Termination.NO_SHOW, seats))

    def _illegal(self, frame: Up, body: Choose, listed: int, elapsed: Microseconds, host: Microseconds) -> None:
        play = self._seats[frame.seat]
        left = self.table.unusable(frame.seat)
        play.reject(frame, RejectedCode.ILLEGAL, f"an index from 0 to {listed - 1} is listed, not {body.index}")
        if left == 0:
            self._strike(frame.seat, Termination.ILLEGAL, elapsed, host)
        else:
            play.send_decide(full=True)

    # -- time ------------------------------------------------------------------------------------------------

    def _late(self) -> None:
        """The open decision's deadline has come, and all that had arrived is read."""
        decision = self.table.decision
        if decision is None or not self._seats[decision.seat].open:
            return

        seat = decision.seat
        play = self._seats[seat]
        now = self._clock.now()
        host = self._clock.host() - play.host_at
        elapsed = now - play.asked_at
        left = self.table.accounts[seat].allowed + self.entry.time.grace - (elapsed - host)
        if left > 0:  # the server itself was late: the seat gets that time back
            self._decision.set(now + left)
            return

        self._strike(seat, Termination.TIMEOUT, elapsed, host)

    def _gone(self, seat: int) -> None:
        """A seat did not join, get ready or come back in time."""
        if self.phase is Phase.GATHERING:
            self._no_show(seat, Termination.NO_SHOW)
        elif self._lost_together(seat):
            self._accept(
                seat, f"end {Termination.INFRASTRUCTURE}", 0, partial(self._abandon_table, Termination.INFRASTRUCTURE)
            )
        else:
            self._fall(seat, Termination.DISCONNECT)

    def _lost_together(self, seat: int) -> bool:
        """Tell whether the seat is without a stream and so is every other that is not out, all lost within
        `together` of each other: no bot's fault."""
        left = []
        for other, play in enumerate(self._seats):
            if self.table.conduct.is_out(other):
                continue
            if play.stream is not None or play.left_at is None:
                return False
            left.append(play.left_at)
        return self._seats[seat].stream is None and len(left) > 1 and max(left) - min(left) <= self._together

    def _too_long(self) -> None:
        log.error("match %s outlived its longest life; it ends unrated", self.entry.match)
        self.cancel(Termination.INFRASTRUCTURE)

    # -- what follows ----------------------------------------------------------------------------------------

    def _go_on(self) -> None:
        """Tell what has changed and ask the next seat, or end: the one place where the match ends."""
        table = self.table
        if len(self._told_out) != len(table.conduct.fallen):
            for seat in table.conduct.fallen:
                if seat not in self._told_out:
                    self._told_out.add(seat)
                    self._seats[seat].send_out(table.conduct.fallen[seat])
        if table.result is not None:
            self.phase = Phase.OVER
            self._close()
            self._host.over(self)
            return

        decision = table.decision
        if decision is None or self.phase is not Phase.PLAYING:
            return

        seat = decision.seat
        shown = (seat, table.asked[seat])
        if shown == self._shown:
            return

        self._shown = shown
        play = self._seats[seat]
        play.open = True
        play.host_at = self._clock.host()
        play.asked_at = now = self._clock.now()
        self._decision.set(now + table.accounts[seat].allowed + self.entry.time.grace)
        play.send_decide(read_at=self._read_at)

    def tell_over(self, record_hash: str, seed: str) -> list[bytes]:
        """Send Over to every seat that is here, once the result is stored; return every seat's Over, for those that
        come back later. `seed` is empty as long as the deal is still secret."""
        result = self.table.result
        assert result is not None
        pieces = [play.send_over(result, record_hash, seed) for play in self._seats]
        for play in self._seats:
            play.detach()
        return pieces

    def _close(self) -> None:
        self._decision.close()
        self._life.close()
        for play in self._seats:
            play.open = False
            play.gone.close()
