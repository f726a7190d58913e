"""One seat of a match as its bot is spoken to: the stream that has joined it, its encoder, the answers it has given,
and the frames it gets. Judges nothing: what a frame means is the match's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from agon.codec.down import PartCache, SeatEncoder
from agon.codec.frames import Choose, Clock as ClockAccount, NoticeKind, RejectedCode
from agon_engine.core.driver import Table, Told
from agon_engine.core.policy import Result, Termination
from agon_server.referee.clock import Microseconds

if TYPE_CHECKING:
    from agon.codec.up import Up
    from agon_server.queue.entry import MatchEntry
    from agon_server.referee.match import Match
    from agon_server.referee.stream import BotStream

_new = tuple.__new__  # half the time of calling a NamedTuple, on the path that every choice takes

SUBSTITUTED = -1
"""What stands in a seat's answers where a substitute answered."""


class SeatPlay:
    """A seat, with or without a stream."""

    __slots__ = (
        "_aliases",
        "_encoder",
        "_entry",
        "_epoch",
        "_held",
        "_parts",
        "_resume",
        "_seat",
        "_table",
        "answers",
        "asked_at",
        "bot_version",
        "falling",
        "host_at",
        "open",
        "stream",
    )

    def __init__(
        self, table: Table, entry: MatchEntry, epoch: int, seat: int, aliases: Sequence[str], parts: PartCache
    ):
        self._table = table
        self._entry = entry
        self._epoch = epoch
        self._seat = seat
        self._aliases = [entry.seats[seat].bot if other == seat else alias for other, alias in enumerate(aliases)]
        self._parts = parts
        self._encoder = self._new_encoder(changed=False)
        self._resume: int | None = None
        """After a Join: the sequence from which the next Decide tells events."""
        self._held: tuple[Up, Choose] | None = None
        """The newest frame about an answer that is not stored yet."""
        self.stream: BotStream | None = None
        self.bot_version = ""
        self.falling = False
        """Its fall is accepted, if not yet followed by its consequence."""
        self.open = False
        """A Decide waits for this seat's answer."""
        self.asked_at: Microseconds = 0
        self.host_at: Microseconds = 0
        self.answers: list[int] = []
        """The stored index of each decision asked so far, by id - 1; `SUBSTITUTED` where none was usable."""

    def _new_encoder(self, *, changed: bool) -> SeatEncoder:
        notation, match = self._table.game.notation, self._entry.match
        return SeatEncoder(notation, match, self._seat, self._epoch, changed=changed, shared=self._parts)

    @property
    def is_out(self) -> bool:
        return self.falling or self._table.conduct.is_out(self._seat)

    @property
    def question(self) -> tuple[int, int]:
        """The id of the open decision and the attempts left for it; zeros where there is none."""
        if not self.open:
            return 0, 0

        conduct = self._table.conduct
        return self._table.asked[self._seat], conduct.policy.attempts - conduct.attempts_used

    def attach(self, match: Match, stream: BotStream, sequence: int) -> None:
        """Let a stream have the seat; the one that had it has lost it. The first Decide on it is full."""
        self.detach()
        stream.matches[self._entry.match, self._seat] = match
        self.stream = stream
        self.bot_version = stream.hello.bot_version
        self._resume = sequence
        self._encoder = self._new_encoder(changed=stream.hello.changed_views)

    def detach(self) -> None:
        """Take the seat from its stream."""
        if self.stream is not None:
            self.stream.matches.pop((self._entry.match, self._seat), None)
            self.stream = None
            self._held = None

    # -- frames to the bot -----------------------------------------------------------------------------------

    def send_start(self, commitment: str) -> None:
        """Tell the facts of the match."""
        if self.stream is None:
            return

        entry = self._entry
        self.stream.send(
            self._encoder.start(
                version=entry.version,
                options=self._table.deal.options,
                aliases=self._aliases,
                time=entry.time,
                policy=entry.policy,
                commitment=commitment,
                deals=entry.deals,
                rated=entry.rated,
            )
        )

    def send_decide(self, *, full: bool = False, read_at: Microseconds = 0) -> None:
        """Ask the open decision, which is this seat's. `read_at`: when the frame that led to it was read."""
        if self.stream is None:
            return

        table = self._table
        decision = table.decision
        assert decision is not None
        seat = self._seat
        piece = self._encoder.decide(
            table.sequence(seat),
            table.asked[seat],
            decision.prompt,
            self._news(),
            table.state.view(seat),
            decision.actions,
            self._account(),
            full=full,
        )
        self.stream.send(piece, read_at)

    def send_accepted(self, decision: int, index: int) -> None:
        """Answer the same answer again."""
        if self.stream is not None:
            self.stream.send(self._encoder.accepted(decision, index))

    def send_out(self, why: Termination) -> None:
        """Tell that the seat has fallen."""
        if self.stream is not None:
            self.stream.send(self._encoder.notice(NoticeKind.SEAT_OUT, f"the seat is out: {why}", termination=why))

    def reject(self, frame: Up, code: RejectedCode, message: str) -> None:
        """Answer a frame of this seat that did not fit."""
        if self.stream is not None:
            self.stream.reject(frame, code, message)

    def reject_other(self, frame: Up, body: Choose) -> None:
        """Answer a Choose that is for no open decision: the stored index again, or why it cannot stand. How a decision
        was answered is not told before that is stored: the newest frame about it waits for `settle`."""
        table = self._table
        asked = table.decision
        if (
            asked is not None
            and asked.seat == self._seat
            and body.decision == table.asked[self._seat]
            and not self.is_out
        ):
            self._held = frame, body
        else:
            self._answer(frame, body)

    def settle(self) -> None:
        """What the seat has said is stored: answer the frame that had to wait for that."""
        if self._held is not None:
            held, self._held = self._held, None
            self._answer(*held)

    def _answer(self, frame: Up, body: Choose) -> None:
        if self.is_out:
            self.reject(frame, RejectedCode.SEAT_OUT, "the seat is out of the match")
        elif not 1 <= body.decision <= len(self.answers):
            self.reject(frame, RejectedCode.STALE, f"no decision with this id: {body.decision}")
        elif (stored := self.answers[body.decision - 1]) == SUBSTITUTED:
            self.reject(frame, RejectedCode.EXPIRED, "the decision ran out of time or attempts; a substitute stands")
        elif stored != body.index:
            self.reject(frame, RejectedCode.CONFLICT, f"the decision is answered by another index: {stored}")
        else:
            self.send_accepted(body.decision, stored)

    def send_over(self, result: Result, record_hash: str, seed: str) -> bytes:
        """Tell the end, and return its frame for a bot that comes back later."""
        if self.stream is None:
            self._resume = 0  # who comes back later may have missed anything
        piece = self._encoder.over(
            self._table.sequence(self._seat),
            self._news(),
            result,
            rated=self._entry.rated and result.rated,
            record_hash=record_hash,
            seed=seed,
            clock=self._account(),
        )
        if self.stream is not None:
            self.stream.send(piece)
        return piece

    def _news(self) -> list[Told]:
        """Return what the next frame tells, from the sequence on that the last Join has named."""
        resume, self._resume = self._resume, None
        if resume is None:
            return self._table.news(self._seat)

        return self._table.events_after(self._seat, resume)

    def _account(self) -> ClockAccount:
        account = self._table.accounts[self._seat]
        values = (
            account.allowed,
            account.bank,
            self._table.conduct.strikes[self._seat],
            account.last_charge,
            account.last_elapsed,
            account.last_host,
            account.last_late,
            self.stream.latency if self.stream is not None else 0,
        )
        return _new(ClockAccount, values)
