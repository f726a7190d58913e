"""What tests of the referee play with: a clock that they move, streams that keep what they are sent, matches without
a queue."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from agon.codec import down
from agon.codec.client import decode_down
from agon.codec.frames import Choose, Decide, Down, Hello, HelloGame, Over, Rejected, RejectedCode, Up
from agon_engine.core import Game, MatchRecord, State
from agon_engine.core.policy import FaultPolicy
from agon_engine.core.timing import MICROSECONDS, TimeControl
from agon_engine.registry import get_game
from agon_server.accounts import Bot
from agon_server.metrics import Metrics
from agon_server.queue.entry import MatchEntry, SeatEntry
from agon_server.queue.ids import new_id
from agon_server.referee.entries import Entry
from agon_server.referee.journal import Follower
from agon_server.referee.match import Match

GAME = "ephyran"
SEED = "000102030405060708090a0b0c0d0e0f"
TOGETHER = 10 * MICROSECONDS
"""Streams that break within this time were lost together."""


class Call:
    """A call that the test's clock will make, unless it is cancelled: then nothing of it is kept."""

    def __init__(self, call: Callable[[], None]) -> None:
        self._call: Callable[[], None] | None = call

    @property
    def cancelled(self) -> bool:
        return self._call is None

    def cancel(self) -> None:
        self._call = None

    def make(self) -> None:
        call, self._call = self._call, None
        if call is not None:
            call()


class ManualClock:
    """A clock that stands still until the test moves it. `lag` is time that the server itself was late; `arriving` are
    messages that have arrived and are read before a deadline that has come fires."""

    def __init__(self) -> None:
        self.time = 1_000 * MICROSECONDS
        self.lag = 0
        self.arriving: list[Callable[[], None]] = []
        self._calls: list[tuple[int, int, Call]] = []
        self._number = count()

    def now(self) -> int:
        return self.time

    def host(self, _at: int) -> int:
        return self.lag

    def call_at(self, when: int, call: Callable[[], None]) -> Call:
        made = Call(call)
        heapq.heappush(self._calls, (when, next(self._number), made))
        return made

    def after_reads(self, call: Callable[[], None]) -> Call:
        def read_first() -> None:
            arriving, self.arriving = self.arriving, []
            for read in arriving:
                read()
            call()

        return self.call_at(self.time, read_first)

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
                made.make()
        self.time = end


class DirectJournal:
    """Stores each entry at once, and keeps it for the test."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.lines: list[bytes] = []
        """As the store would have them."""

    def accept(self, match: Follower, entry: Entry, line: str) -> None:
        self.entries.append(entry)
        self.lines.append(line.encode())
        match.follow(entry)
        match.tell()

    def end_of_turn(self) -> None:
        """Store what waits: nothing does."""


class TurnJournal(DirectJournal):
    """Stores what a turn of the loop has accepted when the test says that the turn is over, or only the first of it."""

    def __init__(self) -> None:
        super().__init__()
        self._waiting: list[tuple[Follower, Entry]] = []

    def accept(self, match: Follower, entry: Entry, line: str) -> None:
        self.entries.append(entry)
        self.lines.append(line.encode())
        self._waiting.append((match, entry))

    def end_of_turn(self) -> None:
        self.store_first(len(self._waiting))

    @property
    def waits(self) -> bool:
        """Whether something is not stored yet."""
        return bool(self._waiting)

    def store_first(self, count: int) -> None:
        """Store so many of the entries that wait: the others have come while the call was under way."""
        stored, self._waiting = self._waiting[:count], self._waiting[count:]
        for match, entry in stored:
            match.follow(entry)
            match.tell()


@dataclass
class FakeHost:
    """The process that runs the match: notes what it is told."""

    ended: list[Match] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    overs: list[bytes] = field(default_factory=list)
    """Each seat's Over, as it is kept for those that come back later."""

    def over(self, match: Match) -> None:
        self.ended.append(match)
        self.overs += match.tell_over("hash", match.entry.seed)

    def note(self, bot: str, _match: str, seat: int, text: str) -> None:
        self.notes.append(f"{bot} {seat} {text}")


class Frames:
    """Frames as a bot reads them, from the pieces that it was sent. `last(Decide)` is the newest of a kind."""

    def __init__(self) -> None:
        self.pieces: list[bytes] = []
        self._read: list[Down] = []
        self._pieces_read = 0

    @property
    def frames(self) -> list[Down]:
        for piece in self.pieces[self._pieces_read :]:
            self._read += decode_down(piece)
        self._pieces_read = len(self.pieces)
        return self._read

    @property
    def kinds(self) -> list[str]:
        return [type(frame.body).__name__ for frame in self.frames]

    def of(self, kind: type[Any]) -> list[Any]:
        return [frame.body for frame in self.frames if isinstance(frame.body, kind)]

    def last(self, kind: type[Any]) -> Any:
        found = self.of(kind)
        assert found, f"no {kind.__name__} among {self.kinds}"
        return found[-1]

    def forget(self) -> None:
        """Begin anew, so that only what comes from now on is looked at."""
        self.pieces.clear()
        self._read.clear()
        self._pieces_read = 0


class FakeStream(Frames):
    """A bot's stream that keeps its frames."""

    def __init__(self, bot: str, *, changed: bool = False, version: str = "1") -> None:
        super().__init__()
        self.bot = Bot(bot, bot, 0)
        self.hello = Hello(token="t", games=(HelloGame(GAME),), changed_views=changed, bot_version=version)
        self.latency = 0
        self.is_open = True
        self.rejections: list[RejectedCode] = []
        self.matches: dict[tuple[str, int], Match] = {}

    def send(self, piece: bytes, _read_at: int = 0) -> None:
        if self.is_open:
            self.pieces.append(piece)

    def reject(self, frame: Up, code: RejectedCode, message: str) -> None:
        self.rejections.append(code)
        match = self.matches.get((frame.match, frame.seat))
        open_decision, attempts_left = match.question(frame.seat) if match is not None else (0, 0)
        self.send(
            down.rejected(
                frame.match,
                frame.seat,
                match.epoch if match is not None else 0,
                code=code,
                message=message,
                frame=frame.kind,
                decision=frame.body.decision if isinstance(frame.body, Choose) else 0,
                open_decision=open_decision,
                attempts_left=attempts_left,
            )
        )


def make_entry(
    seats: int = 2,
    *,
    time: TimeControl | None = None,
    policy: FaultPolicy | None = None,
    seed: str = SEED,
    match: str | None = None,
    game: str = GAME,
    **facts: Any,
) -> MatchEntry:
    """Return a queue entry of one match, bots named bot0, bot1 …"""
    facts.setdefault("rated", True)
    return MatchEntry(
        match=match or new_id(),
        game=game,
        version=get_game(game).spec.version,
        seats=tuple(SeatEntry(f"bot{seat}", f"owner{seat}") for seat in range(seats)),
        seed=seed,
        time=time or TimeControl(),
        policy=policy or FaultPolicy.default(seats),
        **facts,
    )


class Bench:
    """A match with its clock, host and one stream a seat."""

    def __init__(
        self,
        seats: int = 2,
        *,
        entry: MatchEntry | None = None,
        changed: bool = False,
        game: Game[Any] | None = None,
        state: State[Any] | None = None,
        journal: DirectJournal | None = None,
        **facts: Any,
    ) -> None:
        self.clock = ManualClock()
        self.journal = journal or DirectJournal()
        self.host = FakeHost()
        self.entry = entry or make_entry(seats, **facts)
        self.metrics = Metrics([self.entry.game])
        self.streams = [FakeStream(f"bot{seat}", changed=changed) for seat in range(len(self.entry.seats))]
        self.match = Match(
            self.entry,
            1,
            game or get_game(self.entry.game),
            self.clock,
            self.journal,
            self.host,
            self.metrics.for_game(self.entry.game),
            together=TOGETHER,
            started="2030-01-31T12:00:00Z",
            state=state,
        )

    def join(self, seat: int, *, stream: FakeStream | None = None, sequence: int = 0) -> FakeStream:
        """Join a seat, on a new stream if one is given."""
        if stream is not None:
            self.streams[seat] = stream
        self.match.join(seat, self.streams[seat], sequence)  # type: ignore[arg-type]  # what a match uses of a stream
        return self.streams[seat]

    def begin(self) -> Bench:
        """Join all seats and make them ready, so that the first decision is asked."""
        for seat in range(len(self.streams)):
            self.join(seat)
        for seat in range(len(self.streams)):
            self.match.ready(seat)
        self.journal.end_of_turn()
        return self

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

    def come_back(self, seat: int, *, sequence: int = 0, changed: bool = False) -> FakeStream:
        """Join the seat on a new stream."""
        return self.join(seat, stream=FakeStream(f"bot{seat}", changed=changed), sequence=sequence)

    def play(self, decisions: int, *, seconds: float = 0.0, index: int = 0) -> None:
        """Answer so many decisions, each after that time."""
        for _ in range(decisions):
            self.clock.advance(seconds)
            self.choose(index=index)

    def play_until_asked(self, seat: int) -> None:
        """Answer for the other seats until this one is asked."""
        while self.to_act != seat:
            self.choose()

    @property
    def is_over(self) -> bool:
        return bool(self.host.ended)

    def record(self) -> MatchRecord:
        """Return the record of the match, which is over, as it comes back from its line."""
        return MatchRecord.from_line(self.match.record(["server"], "2030-01-31T12:01:00Z").to_line())

    def play_out(self, *, seconds: float = 0.0, pick: Callable[[Decide], int] = lambda _: 0) -> None:
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
