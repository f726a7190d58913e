"""Every frame of the Play contract as a plain, immutable Python value; fields have the names, units and ranges that
`proto/agon/v1/play.proto` documents. No bytes here, and no protobuf: `up` and `down` turn frames into both.

Times are integer microseconds. Enums of the engine are the engine's; those of the contract alone are here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

from agon_engine.core.game import Maker, Seat
from agon_engine.core.policy import FaultPolicy, Termination
from agon_engine.core.record import Deals
from agon_engine.core.timing import TimeControl

PROTOCOL = 1
"""The protocol version of this package; Hello and Welcome name it."""


class RefusedCode(IntEnum):
    """Why a stream is refused or ended on purpose."""

    PROTOCOL = 1
    TOKEN = 2
    GAME = 3
    LIMIT = 4
    SUSPENDED = 5
    DRAINING = 6
    NOT_SERVING = 7
    HELLO_FIRST = 8
    REPLACED = 9
    SILENT = 10
    FLOOD = 11
    NOT_READING = 12
    RETIRED = 13


class RejectedCode(IntEnum):
    """Why a frame was rejected. Only ILLEGAL costs anything."""

    ILLEGAL = 1
    CONFLICT = 2
    EXPIRED = 3
    STALE = 4
    SEAT_OUT = 5
    NO_MATCH = 6
    NO_TICKET = 7
    OUT_OF_ORDER = 8
    TOO_LARGE = 9
    UNKNOWN = 10
    RATE = 11


class NoticeKind(IntEnum):
    """What a Notice is about."""

    LOBBIES = 1
    PAUSED = 2
    RESUMED = 3
    DRAINING = 4
    SEAT_OUT = 5
    WAIT = 6
    RETIRED = 7


# -- up: what a bot says -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class HelloGame:
    """A game that a bot plays; version 0: any; no seats: all that the game has."""

    name: str
    version: int = 0
    seats: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Hello:
    """Opens the stream."""

    token: str
    games: tuple[HelloGame, ...]
    slots: int = 1
    changed_views: bool = False
    bot_version: str = ""
    instance: str = ""
    sdk: str = ""
    protocol_min: int = PROTOCOL
    protocol_max: int = PROTOCOL

    def __repr__(self) -> str:
        return f"Hello(games={self.games!r}, slots={self.slots}, instance={self.instance!r}, sdk={self.sdk!r})"


@dataclass(frozen=True, slots=True)
class Join:
    """Takes a seat, or takes it again."""

    ticket: str
    sequence: int = 0


@dataclass(frozen=True, slots=True)
class Ready:
    """The bot is set up for the match."""


class Choose(NamedTuple):
    """Answers a Decide."""

    decision: int
    index: int  # type: ignore[assignment]  # the contract's name hides `tuple.index`, which nobody needs here
    thought_us: int = 0


@dataclass(frozen=True, slots=True)
class Note:
    """A line for the bot's private log."""

    text: str


@dataclass(frozen=True, slots=True)
class Resign:
    """Gives the match up."""


@dataclass(frozen=True, slots=True)
class Slots:
    """How many matches at a time the bot plays from now on."""

    slots: int


@dataclass(frozen=True, slots=True)
class Pong:
    """Answers a Ping."""

    id: int


@dataclass(frozen=True, slots=True)
class Unknown:
    """A frame that cannot be used: no body that this side knows, or a Hello out of range. `reason` is for people."""

    reason: str


@dataclass(frozen=True, slots=True)
class TooLarge:
    """A frame, or the text of a note, over its limit; both in bytes."""

    size: int
    limit: int


UpBody = Hello | Join | Ready | Choose | Note | Resign | Slots | Pong


class Up(NamedTuple):
    """One frame from a bot."""

    match: str
    seat: Seat
    body: UpBody | Unknown | TooLarge
    kind: str
    """The body's name in the contract (`choose`, `note` …), also of one too large; empty where it is unknown."""


# -- down: what a server says --------------------------------------------------------------------------------


class Clock(NamedTuple):
    """A seat's clock, as of a decision."""

    allowed_us: int
    bank_us: int
    strikes: int = 0
    last_charge_us: int = 0
    last_elapsed_us: int = 0
    last_host_us: int = 0
    last_late: bool = False
    latency_us: int = 0


class ToldEvent(NamedTuple):
    """An event as one seat is told of it."""

    code: str
    seat: Seat | None
    """The seat it happened to or by; None: the whole table."""
    maker: Maker


class WireView(NamedTuple):
    """A view as it came: `views.ViewDecoder` makes the game's own typed view of it."""

    game: str
    data: bytes


@dataclass(frozen=True, slots=True)
class WelcomeGame:
    """A game that the server has."""

    name: str
    version: int


@dataclass(frozen=True, slots=True)
class Welcome:
    """The stream is open."""

    bot: str
    games: tuple[WelcomeGame, ...]
    slots: int
    ping_interval_us: int
    lobbies: tuple[str, ...] = ()
    protocol: int = PROTOCOL


@dataclass(frozen=True, slots=True)
class Refused:
    """The stream is refused or ended on purpose; nothing follows."""

    code: RefusedCode | int
    """An int where a newer server says something that this side does not know."""
    message: str = ""
    needed: str = ""
    retry_delay_us: int = 0


@dataclass(frozen=True, slots=True)
class Offer:
    """A match waits for a Join."""

    ticket: str
    game: str
    seats: int
    address: str = ""


@dataclass(frozen=True, slots=True)
class Start:
    """The facts of a match."""

    game: str
    version: int
    options: Mapping[str, str]
    """As text: `option_text` of the engine's core writes it, `GameSpec.parse_option` reads it."""
    aliases: tuple[str, ...]
    time: TimeControl
    policy: FaultPolicy
    seed_commitment: str
    deals: Deals
    rated: bool


@dataclass(frozen=True, slots=True)
class Decide:
    """The seat must choose."""

    sequence: int
    decision: int
    prompt: str
    events: tuple[ToldEvent, ...]
    view: WireView
    full: bool
    actions: tuple[str, ...]
    """Text codes; the answer is an index into them."""
    clock: Clock


@dataclass(frozen=True, slots=True)
class Rejected:
    """A frame did not fit."""

    code: RejectedCode | int
    """An int where a newer server says something that this side does not know."""
    message: str = ""
    frame: str = ""
    decision: int = 0
    open_decision: int = 0
    attempts_left: int = 0
    retry_delay_us: int = 0


@dataclass(frozen=True, slots=True)
class Accepted:
    """The same answer again to a decision that is already answered by it."""

    decision: int
    index: int


@dataclass(frozen=True, slots=True)
class Over:
    """The match is over."""

    sequence: int
    events: tuple[ToldEvent, ...]
    termination: Termination
    placements: tuple[int, ...]
    scores: tuple[int, ...]
    seats: tuple[Termination, ...]
    rated: bool
    record_hash: str
    seed: str
    """In hex; empty with shared deals until the block's end."""
    clock: Clock


@dataclass(frozen=True, slots=True)
class Notice:
    """Something to know; no answer is expected."""

    kind: NoticeKind | int
    """An int where a newer server says something that this side does not know."""
    message: str = ""
    lobbies: tuple[str, ...] = ()
    termination: Termination | None = None


@dataclass(frozen=True, slots=True)
class Ping:
    """Asks for a Pong."""

    id: int


DownBody = Welcome | Refused | Offer | Start | Decide | Rejected | Accepted | Over | Notice | Ping


class Down(NamedTuple):
    """One frame to a bot."""

    match: str
    seat: Seat
    epoch: int
    body: DownBody
