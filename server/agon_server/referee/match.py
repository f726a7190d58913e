"""One match between remote seats, from its Offers to its Over: who has joined and is ready, the one place where a
choice is accepted, the clocks around it, and the one place where the match ends.

A plain object that the loop calls; no task, no queue, no I/O. Rules, strikes and results are `Table`'s
(agon_engine.core.driver), readings come from the clock, bytes from the codec, storing is the journal's. Whatever
escapes from them ends this match as a fault of the server's, and no other one.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from enum import Enum
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Protocol

from agon.codec.down import PartCache
from agon.codec.frames import Choose, RejectedCode
from agon_engine.core.driver import UNTIMED, Deal, Table, Timing
from agon_engine.core.errors import RulesBug
from agon_engine.core.game import Game, State
from agon_engine.core.policy import Termination
from agon_engine.core.record import MatchRecord, SeatRow, commitment
from agon_server.referee.aliases import aliases_for
from agon_server.referee.answering import AnswerClock
from agon_server.referee.attendance import Attendance
from agon_server.referee.clock import Clock, Deadline, Microseconds
from agon_server.referee.entries import Entry, Kind, Opening, choice_line, fault_line, opening_line, tag_of
from agon_server.referee.journal import AcceptsEntries
from agon_server.referee.seat import SUBSTITUTED, SeatPlay
from agon_server.store.script_line import packed
from agon_server.trace import places

if TYPE_CHECKING:
    from agon.codec.up import Up
    from agon_server.metrics import GameMetrics
    from agon_server.queue.entry import MatchEntry
    from agon_server.referee.stream import BotStream

log = logging.getLogger(__name__)

_new = tuple.__new__  # half the time of calling a NamedTuple, on the path that every choice takes
_CHOICE: Final = Kind.CHOICE


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
        journal: AcceptsEntries,
        host: MatchHost,
        metrics: GameMetrics,
        *,
        together: Microseconds,
        started: str,
        state: State[Any] | None = None,
    ) -> None:
        """Set the match up and start the connect limits.

        `together`: seats whose streams broke within this time of each other were lost together, which is a fault
        of the infrastructure. `game`: with the files that the entry's options name. `state`: go on from there instead
        of the deal's start, see `Table`. Raise OptionsError where the entry does not fit the game as it is installed.
        """
        self.entry = entry
        self.epoch = epoch
        self.phase = Phase.GATHERING
        self.started = started
        self.closed = False
        """It is over, or another referee runs it now: what was accepted and is not stored has no consequence."""
        spec = game.spec
        seats, options = spec.check_seats(len(entry.seats)), game.check_options(entry.options)
        deal = Deal(spec.name, entry.version, seats, options, bytes.fromhex(entry.seed))
        self.table = Table(game, deal, entry.policy, entry.time, state=state)
        self.commitment = commitment(deal.game, deal.version, deal.options, deal.seed)
        self._clock = clock
        self._journal = journal
        self._host = host
        self._metrics = metrics
        self._shown: tuple[int, int] | None = None
        """Seat and id of the decision that was asked last."""
        self._told_out = 0
        """How many of the fallen seats have been told."""
        self._ending = False
        """An end without a count is with the journal."""
        self._read_at: Microseconds = 0
        """When the frame was read that the next Decide answers; 0 where it answers none."""
        self.head = packed(entry.match) + packed(str(epoch))
        self.lines: list[str] = []
        """The journal, kept to the end: what the store loses is written again."""
        self._tag = tag_of(entry.match)
        self._awaited: set[int] = set()
        """Seats that have not come since the match was taken over; no decision of theirs has a clock."""
        self._aliases = aliases_for(entry.match, seats)
        parts = PartCache()
        self.seats = [SeatPlay(self.table, entry, epoch, seat, self._aliases, parts) for seat in range(seats)]
        self._answering = AnswerClock(clock, self._late)
        self._life = Deadline(clock, self._too_long)
        self._life.set(clock.now() + entry.time.longest_life(seats, spec.max_decisions))
        self._attendance = Attendance(clock, entry.time, seats, together=together, gone=self._gone)

    # -- what the process that runs it asks ------------------------------------------------------------------

    @property
    def progress(self) -> int:
        """How many choices have been accepted: what the lease shows."""
        return len(self.table.moves)

    @property
    def missing(self) -> list[int]:
        """The seats without a stream."""
        return [seat for seat, play in enumerate(self.seats) if play.stream is None]

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
                for seat, play, alias in zip(entry.seats, self.seats, self._aliases, strict=True)
            ],
            deals=entry.deals,
            epoch=self.epoch,
            servers=servers,
            started=self.started,
            ended=ended,
        )

    def abandon(self) -> None:
        """Stop at once and say nothing: the match is somebody else's now."""
        self._close()
        for play in self.seats:
            play.detach()

    def cancel(self, why: Termination) -> None:
        """End the match without counting it (`infrastructure`, `cancelled`)."""
        self._end(why)

    # -- taking over -----------------------------------------------------------------------------------------

    def resume(self, opening: Opening | None) -> None:
        """Go on from where `takeover` has led: all seats have to come back, and the open decision waits for its seat;
        or end, where the match had."""
        table = self.table
        self._told_out = len(table.conduct.fallen)
        if opening is not None:
            self.started = opening.started
            for play, version in zip(self.seats, opening.bot_versions, strict=True):
                play.bot_version = version
        self.phase = Phase.PLAYING
        self._awaited = {seat for seat in range(len(self.seats)) if not table.conduct.is_out(seat)}
        self._attendance.resume(self._awaited)
        self._guarded(self._go_on)

    # -- what a seat says ------------------------------------------------------------------------------------

    def join(self, seat: int, stream: BotStream, sequence: int) -> None:
        """Give the seat to a stream; the last Join wins. Does not check the ticket."""
        play = self.seats[seat]
        if self.phase is Phase.OVER:  # its Over is on the way
            play.attach(self, stream, sequence)
            return

        self._attendance.came(seat, anew=play.stream is not stream)
        play.attach(self, stream, sequence)
        play.send_start(self.commitment)
        is_awaited = seat in self._awaited
        self._awaited.discard(seat)
        if self.table.conduct.is_out(seat):
            play.send_out(self.table.conduct.fallen[seat])
        elif play.open:
            self._guarded(partial(play.send_decide, full=True))
            if is_awaited and self.phase is Phase.PLAYING:
                self._start_clock(play)

    def ready(self, seat: int) -> None:
        """The bot is set up; when all are, play begins, and the first decision is asked."""
        if self.phase is Phase.GATHERING and not self._ending and self._attendance.got_ready(seat):
            self.phase = Phase.PLAYING
            versions = tuple(play.bot_version for play in self.seats)
            line = opening_line(self._tag, Opening(self.entry.version, self.started, versions))
            self.lines.append(line)
            self._journal.accept(self, Entry(0, Kind.BEGIN), line)

    def choose(self, frame: Up, body: Choose, read_at: Microseconds) -> None:
        """Judge an answer, read at the given time: the one place where a choice is accepted."""
        seat = frame.seat
        play = self.seats[seat]
        if not play.open or body.decision != self.table.asked[seat]:
            play.reject_other(frame, body)
            return

        timing = self._answering.timing(play, read_at, body.thought_us)
        if self._answering.is_late(timing):
            self._shut(play, SUBSTITUTED)
            play.reject_other(frame, body)
            self._strike(seat, Termination.TIMEOUT, timing)
            return

        decision = self.table.decision
        assert decision is not None
        if body.index >= len(decision.actions):
            self._illegal(frame, body, len(decision.actions), timing)
            return

        self._shut(play, body.index)
        self._read_at = read_at
        action = decision.actions[body.index]
        number, unusable = len(self.lines), self.table.conduct.attempts_used
        line = choice_line(number, self._tag, seat, self.table.game.notation.codes[action], unusable, timing)
        self.lines.append(line)
        self._journal.accept(self, _new(Entry, (number, _CHOICE, seat, action, None, timing, None, unusable)), line)

    def question(self, seat: int) -> tuple[int, int]:
        """Return the id of the seat's open decision and the attempts left for it; zeros where it has none."""
        return self.seats[seat].question

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
        play = self.seats[seat]
        if play.stream is not stream:
            return

        play.detach()
        if self.phase is not Phase.OVER:
            self._attendance.went(seat)

    # -- accepting -------------------------------------------------------------------------------------------

    def _accept(
        self,
        kind: Kind,
        why: Termination,
        seat: int = -1,
        timing: Timing = UNTIMED,
        seats: Sequence[Termination] | None = None,
    ) -> None:
        """Give a fault or an end to the journal; `follow` and `tell` have its consequence once it is stored."""
        unusable = self.table.conduct.attempts_used if kind is Kind.STRIKE else 0
        entry = Entry(len(self.lines), kind, seat, -1, why, timing, seats, unusable)
        line = fault_line(self._tag, entry)
        self.lines.append(line)
        self._journal.accept(self, entry, line)

    def follow(self, entry: Entry) -> None:
        """Let what was accepted and is stored take effect in the rules; `tell` says what came of it."""
        if self.closed:
            return
        try:
            if entry.seat >= 0:
                self.seats[entry.seat].settle()
            if entry.kind is _CHOICE:
                self.table.choose(entry.seat, entry.action, entry.timing)
                self._observe(entry.seat)
            elif self._follow_fault(entry):
                self._count(entry)
        except Exception as error:
            self._break_down(error)

    def tell(self) -> None:
        """Tell what came of what was followed."""
        if self.closed:
            return
        try:
            self._go_on()
        except Exception as error:
            self._break_down(error)

    def _follow_fault(self, entry: Entry) -> bool:
        """Let the table know of it; return False where it changes nothing."""
        why = entry.why
        if why is None:  # BEGIN
            return False
        if entry.kind is Kind.END:
            return self.table.abandon(why, entry.seats)
        if entry.kind is Kind.FALL:
            return self.table.fall(entry.seat, why)

        self.table.strike(entry.seat, why, entry.timing)
        return True

    def _count(self, entry: Entry) -> None:
        why = entry.why
        assert why is not None
        if entry.kind is Kind.STRIKE:
            self._metrics.strikes[why].inc()
            self._observe(entry.seat)
        for each in entry.seats or ():
            if each in self._metrics.faults:
                self._metrics.faults[each].inc()

    def _strike(self, seat: int, why: Termination, timing: Timing) -> None:
        self._read_at = 0
        if self._is_lost_with_all(seat):
            self._end(Termination.INFRASTRUCTURE)
        else:
            self._accept(Kind.STRIKE, why, seat, timing)

    def _observe(self, seat: int) -> None:
        self._metrics.decision_seconds.observe(self.table.accounts[seat].last_charge / 1e6)

    def _fall(self, seat: int, why: Termination) -> None:
        play = self.seats[seat]
        if self.phase is Phase.OVER or play.is_out:
            return
        if self.phase is Phase.GATHERING:
            self._no_show(seat, why)
            return

        play.falling = True
        if play.open:
            self._shut(play, SUBSTITUTED)
        self._read_at = 0
        self._accept(Kind.FALL, why, seat)

    def _no_show(self, absent: int, why: Termination) -> None:
        """A seat fails before the first decision: nothing counts, and the match may be played again."""
        seats = [Termination.CANCELLED] * len(self.seats)
        for seat in self._attendance.overdue():
            seats[seat] = Termination.NO_SHOW
        seats[absent] = why
        self._end(Termination.NO_SHOW, seats)

    def _end(self, why: Termination, seats: Sequence[Termination] | None = None) -> None:
        """End the match without counting it; `seats` says why each seat ended, where that is known better."""
        if self._ending:
            return

        self._ending = True
        self._accept(Kind.END, why, seats=seats)

    def _illegal(self, frame: Up, body: Choose, listed: int, timing: Timing) -> None:
        play = self.seats[frame.seat]
        left = self.table.unusable(frame.seat)
        if left == 0:
            self._shut(play, SUBSTITUTED)
        play.reject(frame, RejectedCode.ILLEGAL, f"an index from 0 to {listed - 1} is listed, not {body.index}")
        if left == 0:
            self._strike(frame.seat, Termination.ILLEGAL, timing)
        else:
            self._guarded(partial(play.send_decide, full=True))

    def _shut(self, play: SeatPlay, answer: int) -> None:
        """Let the seat's open decision be answered."""
        play.open = False
        play.answers.append(answer)
        self._answering.stop()

    def _guarded(self, step: Callable[[], object]) -> None:
        """Take a step into rules or codec."""
        try:
            step()
        except Exception as error:
            self._break_down(error)

    def _break_down(self, error: Exception) -> None:
        """End the match after what escaped from rules or codec: a bug of ours, and never a seat's fault."""
        log.error("match %s broke down and ends unrated:\n%s", self.entry.match, places(error))
        with suppress(RulesBug):  # then the table has ended itself
            self.table.abandon(Termination.INFRASTRUCTURE)
        self._finish()

    # -- time ------------------------------------------------------------------------------------------------

    def _late(self) -> None:
        """The open decision's deadline has come, and all that had arrived is read."""
        assert self._shown is not None
        seat = self._shown[0]
        play = self.seats[seat]
        timing = self._answering.timing(play, self._clock.now(), 0)
        self._shut(play, SUBSTITUTED)
        self._strike(seat, Termination.TIMEOUT, timing)

    def _gone(self, seat: int) -> None:
        """A seat did not join, get ready or come back in time."""
        if self._is_lost_with_all(seat):
            self._end(Termination.INFRASTRUCTURE)
        elif self.phase is Phase.GATHERING:
            self._no_show(seat, Termination.NO_SHOW)
        else:
            self._fall(seat, Termination.DISCONNECT)

    def _is_lost_with_all(self, seat: int) -> bool:
        """Tell whether the seat was lost together with all others that are in."""
        seats = [other for other in range(len(self.seats)) if not self.table.conduct.is_out(other)]
        return seat in seats and self._attendance.lost_together(seats)

    def _too_long(self) -> None:
        log.error("match %s outlived its longest life and ends unrated", self.entry.match)
        self._end(Termination.INFRASTRUCTURE)

    # -- what follows ----------------------------------------------------------------------------------------

    def _go_on(self) -> None:
        """Tell what has changed and ask the next seat, or end."""
        table = self.table
        if len(table.conduct.fallen) != self._told_out:
            self._tell_out()
        if table.result is not None:
            self._finish()
            return

        decision = table.decision
        if decision is None or self.phase is not Phase.PLAYING:
            return

        seat = decision.seat
        shown = (seat, table.asked[seat])
        if shown == self._shown:
            return

        self._shown = shown
        play = self.seats[seat]
        if play.falling:
            return  # its fall is with the journal; an answer accepted behind that could not be followed
        play.open = True
        play.send_decide(read_at=self._read_at)
        if seat not in self._awaited:
            self._start_clock(play)

    def _start_clock(self, play: SeatPlay) -> None:
        """Let the open decision, which is this seat's, have its time from now on."""
        table = self.table
        assert table.decision is not None
        self._answering.start(play, table.accounts[table.decision.seat].allowed + table.time.grace)

    def _tell_out(self) -> None:
        fallen = list(self.table.conduct.fallen.items())
        for seat, why in fallen[self._told_out :]:
            self._metrics.faults[why].inc()
            self.seats[seat].send_out(why)
        self._told_out = len(fallen)

    def _finish(self) -> None:
        """The one place where the match ends, once."""
        if self.phase is Phase.OVER:
            return

        self.phase = Phase.OVER
        self._close()
        self._host.over(self)

    def tell_over(self, record_hash: str, seed: str) -> list[bytes]:
        """Send Over to every seat that is here, once the result is stored; return every seat's Over, for those that
        come back later. `seed` is empty as long as the deal is still secret."""
        result = self.table.result
        assert result is not None
        pieces = [play.send_over(result, record_hash, seed) for play in self.seats]
        for play in self.seats:
            play.detach()
        return pieces

    def _close(self) -> None:
        self.closed = True
        self._answering.close()
        self._life.close()
        self._attendance.close()
        for play in self.seats:
            play.open = False
