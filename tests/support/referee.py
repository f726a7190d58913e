"""What tests of the referee play with: a clock that they move, streams that keep what they are sent, matches without
a queue."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from agon.codec.client import decode_down
from agon.codec.frames import Choose, Decide, Down, Hello, HelloGame, Over, Rejected, RejectedCode, Up
from agon_engine.core.policy import FaultPolicy
from agon_engine.core.timing import MICROSECONDS, TimeControl
from agon_engine.registry import get_game
from agon_server.accounts import Bot
from agon_server.metrics import Metrics
from agon_server.queue.entry import MatchEntry, SeatEntry
from agon_server.queue.ids import new_id
from agon_server.referee.journal import Entry
from agon_server.referee.match import Match

GAME = "ephyran"
SEED = "000102030405060708090a0b0c0d0e0f"


@dataclass
class Call:
    """A call that the test's clock will make."""

    call: Callable[[], None]
    cancelled: bool = False

    def cancel(self) -> None:
        self.cancelled = True


class ManualClock:
    """A clock that stands still until the test moves it. `lag` is time that the server itself was late."""

    def __init__(self) -> None:
        self.time = 1_000 * MICROSECONDS
        self.lag = 0
        self._calls: list[tuple[int, int, Call]] = []
        self._number = count()

    def now(self) -> int:
        return self.time

    def host(self) -> int:
        return self.lag

    def call_at(self, when: int, call: Callable[[], None]) -> Call:
        made = Call(call)
        heapq.heappush(self._calls, (when, next(self._number), made))
        return made

    def after_reads(self, call: Callable[[], None]) -> None:
        call()

    @property
    def pending(self) -> int:
        """How many calls are outstanding."""
        return sum(not made.cancelled for _, _, made in self._calls)

    def advance(self, seconds: float, *, host: float = 0) -> None:
        """Let time pass, `host` seconds of it the server's own, and make every call that falls due."""
        end = self.time + round(seconds * MICROSECONDS)
        self.lag += round(host * MICROSECONDS)
        while self._calls and self._calls[0][0] <= end:
            when, _, made = heapq.heappop(self._calls)
            if not made.cancelled:
                self.time = max(self.time, when)
                made.call()
        self.time = end


class DirectJournal:
    """Stores each entry at once, and keeps it for the test."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []

    def accept(self, entry: Entry, then: Callable[[], None]) -> None:
        self.entries.append(entry)
        then()


@dataclass
class FakeHost:
    """The process that runs the match: notes what it is told."""

    ended: list[Match] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def over(self, match: Match) -> None:
        self.ended.append(match)
        match.tell_over("hash", match.entry.seed)

    def note(self, bot: str, match: str, seat: int, text: str) -> None:
        self.notes.append(f"{bot} {seat} {text}")


class FakeStream:
    """A bot's stream that keeps its frames. `last(Decide)` is the newest of a kind."""

    def __init__(self, bot: str, *, changed: bool = False) -> None:
        self.bot = Bot(bot, bot, 0)
        self.hello = Hello(token="t", games=(HelloGame(GAME),), changed_views=changed, bot_version="1")
        self.latency = 0
        self.matches: dict[tuple[str, int], Match] = {}
        self.pieces: list[bytes] = []

    def send(self, piece: bytes, read_at: int = 0) -> None:
        self.pieces.append(piece)

    def reject(self, frame: Up, code: RejectedCode, message: str, **facts: Any) -> None:
        from agon.codec import down

        decision = frame.body.decision if isinstance(frame.body, Choose) else 0
        facts["retry_delay_us"] = facts.pop("retry_delay", 0)
        self.send(
            down.rejected(
                frame.match,
                frame.seat,
                facts.pop("epoch", 0),
                code=code,
                message=message,
                frame=frame.kind,
                decision=decision,
                **facts,
            )
        )

    @property
    def frames(self) -> list[Down]:
        return [frame for piece in self.pieces for frame in decode_down(piece)]

    def of(self, kind: type[Any]) -> list[Any]:
        return [frame.body for frame in self.frames if isinstance(frame.body, kind)]

    def last(self, kind: type[Any]) -> Any:
        found = self.of(kind)
        assert found, f"no {kind.__name__} among {[type(frame.body).__name__ for frame in self.frames]}"
        return found[-1]


def make_entry(
    seats: int = 2,
    *,
    time: TimeControl | None = None,
    policy: FaultPolicy | None = None,
    seed: str = SEED,
    match: str | None = None,
    **facts: Any,
) -> MatchEntry:
    """Return a queue entry of one match, bots named bot0, bot1 …"""
    return MatchEntry(
        match=match or new_id(),
        game=GAME,
        version=get_game(GAME).spec.version,
        seats=tuple(SeatEntry(f"bot{seat}", f"owner{seat}") for seat in range(seats)),
        seed=seed,
        time=time or TimeControl(),
        policy=policy or FaultPolicy.default(seats),
        **facts,
    )


class Bench:
    """A match with its clock, host and one stream a seat."""

    def __init__(self, seats: int = 2, *, entry: MatchEntry | None = None, changed: bool = False, **facts: Any) -> None:
        self.clock = ManualClock()
        self.journal = DirectJournal()
        self.host = FakeHost()
        self.metrics = Metrics([GAME])
        self.entry = entry or make_entry(seats, **facts)
        self.streams = [FakeStream(f"bot{seat}", changed=changed) for seat in range(len(self.entry.seats))]
        self.match = Match(
            self.entry,
            1,
            get_game(GAME),
            self.clock,
            self.journal,  # type: ignore[arg-type]  # the same call, without a loop
            self.host,
            self.metrics.for_game(GAME),
            together=10 * MICROSECONDS,
            started="2030-01-31T12:00:00Z",
        )

    def join(self, seat: int, *, stream: FakeStream | None = None, sequence: int = 0) -> FakeStream:
        """Join a seat, on a new stream if one is given."""
        if stream is not None:
            self.streams[seat] = stream
        self.match.join(seat, self.streams[seat], sequence)  # type: ignore[arg-type]  # what a match uses of a stream
        return self.streams[seat]

    def begin(self) -> None:
        """Join all seats and make them ready, so that the first decision is asked."""
        for seat in range(len(self.streams)):
            self.join(seat)
        for seat in range(len(self.streams)):
            self.match.ready(seat)

    @property
    def to_act(self) -> int:
        """The seat that is asked."""
        decision = self.match.table.decision
        assert decision is not None
        return decision.seat

    def choose(self, seat: int | None = None, index: int = 0, *, decision: int | None = None, thought: int = 0) -> None:
        """Send a Choose, for the open decision of the seat to act by default, read now."""
        seat = self.to_act if seat is None else seat
        if decision is None:
            decision = self.streams[seat].last(Decide).decision
        body = Choose(decision, index, thought)
        self.match.choose(Up(self.entry.match, seat, body, "choose"), body, self.clock.now())

    def lose(self, seat: int) -> None:
        """Let the seat's stream break."""
        stream = self.streams[seat]
        stream.matches.clear()
        self.match.stream_lost(seat, stream)  # type: ignore[arg-type]  # as above

    def play_out(self, *, seconds: float = 0.0, pick: Callable[[Decide], int] = lambda decide: 0) -> None:
        """Answer every decision after that time until the match is over."""
        while not self.host.ended:
            self.clock.advance(seconds)
            seat = self.to_act
            self.choose(seat, pick(self.streams[seat].last(Decide)))

    def rejected(self, seat: int) -> Rejected:
        found = self.streams[seat].last(Rejected)
        assert isinstance(found, Rejected)
        return found

    def over(self, seat: int) -> Over:
        found = self.streams[seat].last(Over)
        assert isinstance(found, Over)
        return found
