"""The replayable account of a match, as one canonical line of JSON.

A line is read strictly, whoever wrote it: a record that was read gives the same line again, byte for byte. Whether
what it states is true is the replay's question (`core.replay`); files of records are `core.record_file`'s.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from hashlib import blake2b
from typing import Any, NamedTuple, TypeVar

from agon_engine.core.errors import OptionsError, RecordError
from agon_engine.core.game import OptionValue, Seat, option_text
from agon_engine.core.policy import FaultPolicy, Result, Termination
from agon_engine.core.timing import TimeControl

FORMAT = 1
MAX_LINE = 1 << 20
"""No line is longer than this, in bytes."""
MAX_SEATS = 16
_MAX_TEXT = 200
_MAX_INT = 1 << 53
"""Beyond this many languages read a JSON number as another one."""

_HEX = re.compile(r"[0-9a-f]+")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z")

E = TypeVar("E", bound=StrEnum)
R = TypeVar("R")


class Deals(StrEnum):
    """Whether a deal is used by one match or by all matches of its block."""

    FRESH = "fresh"
    SHARED = "shared"


class By(StrEnum):
    """Who answered a decision."""

    SEAT = "seat"
    SUBSTITUTE = "substitute"


class FaultKind(StrEnum):
    STRIKE = "strike"
    FALL = "fall"


class SeatRow(NamedTuple):
    """Who sat at a seat."""

    bot: str
    owner: str
    bot_version: str
    """As the bot named it; empty where it named none."""
    alias: str
    """What the other seats saw."""


class Move(NamedTuple):
    """An answered decision. Times are in microseconds; a substitute's are 0, since its seat's time is in the strike."""

    seat: Seat
    action: str
    by: By
    charge_us: int = 0
    elapsed_us: int = 0
    """From asked to read, the host's part included."""
    host_us: int = 0
    latency_us: int = 0
    """The round trip as last measured."""
    thought_us: int = 0
    """What the bot said it thought."""
    late: bool = False
    attempts: int = 0
    """Answers that it took, the usable one included."""


class Fault(NamedTuple):
    """A strike or a fall. Times are in microseconds; a fall's are 0."""

    at: int
    """How many moves there were before it."""
    seat: Seat
    kind: FaultKind
    termination: Termination
    """Why: for a strike `timeout` or `illegal`."""
    charge_us: int = 0
    elapsed_us: int = 0
    host_us: int = 0
    latency_us: int = 0
    thought_us: int = 0
    late: bool = False
    attempts: int = 0
    """Unusable answers to the decision."""


def commitment(game: str, version: int, options: Mapping[str, OptionValue], seed: bytes) -> str:
    """Return what a match's Start promises about its seed: BLAKE2b-256, in hex, of these lines in UTF-8, each ended
    by a line feed, the options sorted by name and as text (`true`, `false`, a number or a word):

        agon deal 1
        game <name>
        version <rules version>
        option <name>=<value>       one line for each option of the game
        seed <32 hex digits, lower case>
    """
    lines = ["agon deal 1", f"game {game}", f"version {version}"]
    lines += [f"option {name}={option_text(options[name])}" for name in sorted(options)]
    lines.append(f"seed {seed.hex()}")
    return blake2b("".join(line + "\n" for line in lines).encode(), digest_size=32).hexdigest()


def line_hash(line: str) -> str:
    """Return what a record is known by: the BLAKE2b-256 of its line, in hex."""
    return blake2b(line.encode(), digest_size=32).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchRecord:
    """All that is needed to play a match again and to judge it: the deal, the choices with their times, the faults,
    and what came of them. Building one checks it; RecordError names the field that is wrong."""

    match: str
    block: str
    """The line-up that this match is a part of; empty for a match on its own."""
    ladder: str
    """Empty for a match outside of ladders."""
    rated: bool
    """Whether it was played for a rating; `counts` tells whether it got there."""
    game: str
    version: int
    options: Mapping[str, OptionValue]
    seats: tuple[SeatRow, ...]
    deals: Deals
    seed: str
    """32 hex digits."""
    commitment: str
    time: TimeControl
    policy: FaultPolicy
    moves: tuple[Move, ...]
    faults: tuple[Fault, ...]
    result: Result
    epoch: int
    """The delivery of the match that ended it, from 1."""
    servers: tuple[str, ...]
    """The servers that ran it, in their order."""
    started: str
    ended: str
    digest: str
    """Of the final state, in hex; empty where the rules broke down."""

    def __post_init__(self) -> None:
        for name, lowest in (("match", 1), ("block", 0), ("ladder", 0), ("game", 1)):
            _check_text(name, getattr(self, name), lowest)
        _check_int("version", self.version, 1)
        _check_int("epoch", self.epoch, 1)
        if type(self.rated) is not bool:
            raise RecordError(f"rated is true or false, not {self.rated!r}")
        for name, value in self.options.items():
            _check_text("an option's name", name, 1)
            if type(value) is str:
                _check_text(f"option {name}", value, 0)
            elif type(value) is not bool:
                _check_int(f"option {name}", value, -_MAX_INT)
        _check_hex("seed", self.seed, 32)
        _check_hex("commitment", self.commitment, 64)
        if self.digest != "":
            _check_hex("digest", self.digest, 64)
        for name in ("started", "ended"):
            _check_moment(name, getattr(self, name))
        for server in self.servers:
            _check_text("a server", server, 1)
        self._check_seats()
        self._check_rows()

    def _check_seats(self) -> None:
        count = len(self.seats)
        if not 1 <= count <= MAX_SEATS:
            raise RecordError(f"a record has 1 to {MAX_SEATS} seats, not {count!r}")
        for row in self.seats:
            _check_text("bot", row.bot, 1)
            for name in ("owner", "bot_version", "alias"):
                _check_text(name, getattr(row, name), 0)
        for name in ("placements", "scores", "seats"):
            values = getattr(self.result, name)
            if len(values) != count:
                raise RecordError(f"result.{name} has one value a seat, that is {count}, not {len(values)!r}")
        for placement in self.result.placements:
            if type(placement) is not int or not 1 <= placement <= count:
                raise RecordError(f"a placement is 1 to {count}, not {placement!r}")
        for score in self.result.scores:
            _check_int("a score", score, -_MAX_INT)

    def _check_rows(self) -> None:
        for move in self.moves:
            _check_text("a move's action", move.action, 1)
            self._check_row(move)
        at = 0
        for fault in self.faults:
            _check_int("a fault's place", fault.at, 0)
            if not at <= fault.at <= len(self.moves):
                raise RecordError(f"faults are in order, and within the {len(self.moves)} moves: {fault.at!r}")
            at = fault.at
            self._check_row(fault)

    def _check_row(self, row: Move | Fault) -> None:
        if type(row.seat) is not int or not 0 <= row.seat < len(self.seats):
            raise RecordError(f"a seat is 0 to {len(self.seats) - 1}, not {row.seat!r}")
        for name in ("charge_us", "elapsed_us", "host_us", "latency_us", "thought_us", "attempts"):
            _check_int(name, getattr(row, name), 0)
        if type(row.late) is not bool:
            raise RecordError(f"late is true or false, not {row.late!r}")

    @property
    def counts(self) -> bool:
        """Tell whether the result is to be rated: it was played for a rating and ended in one of the rated ways."""
        return self.rated and self.result.rated

    # -- the line --------------------------------------------------------------------------------------------

    def to_line(self) -> str:
        """Return the record as its one canonical line of ASCII, without a line feed."""
        result = self.result
        data = {
            "format": FORMAT,
            "match": self.match,
            "block": self.block,
            "ladder": self.ladder,
            "rated": self.rated,
            "game": self.game,
            "version": self.version,
            "options": {name: self.options[name] for name in sorted(self.options)},
            "seats": [row._asdict() for row in self.seats],
            "deals": self.deals,
            "seed": self.seed,
            "commitment": self.commitment,
            "time": self.time.to_json(),
            "policy": self.policy.to_json(),
            "moves": self.moves,
            "faults": self.faults,
            "result": {
                "termination": result.termination,
                "placements": result.placements,
                "scores": result.scores,
                "seats": result.seats,
            },
            "epoch": self.epoch,
            "servers": self.servers,
            "started": self.started,
            "ended": self.ended,
            "digest": self.digest,
        }
        return json.dumps(data, separators=(",", ":"), allow_nan=False)

    def hash(self) -> str:
        """Return the `line_hash` of its line."""
        return line_hash(self.to_line())

    @classmethod
    def from_line(cls, line: str) -> MatchRecord:
        """Read what `to_line` wrote, and nothing else: RecordError for any other text.

        The rules version is not judged here; a replay needs it to be the installed one.
        """
        data = _load(line)
        if type(data) is not dict:
            raise RecordError(f"a record is a JSON object, not {type(data).__name__}")
        if data.get("format") != FORMAT or type(data["format"]) is not int:
            raise RecordError(f"this version reads records of format {FORMAT}, not {data.get('format')!r}")

        record = _record(cls, data)
        if record.to_line() != line:
            raise RecordError("not written as records are: keys, their order, spaces or numbers differ")

        return record


# -- reading -------------------------------------------------------------------------------------------------


def _load(line: str) -> Any:
    # Measured in characters, which are bytes in all that passes the comparison with the canonical line.
    if len(line) > MAX_LINE:
        raise RecordError(f"a line has at most {MAX_LINE} bytes, not {len(line)!r}")
    try:
        return json.loads(line, parse_constant=_no_constant)
    except RecursionError:
        raise RecordError("the JSON is nested too deeply") from None
    except ValueError as error:
        raise RecordError(f"not a line of JSON: {error}") from None


def _no_constant(name: str) -> Any:
    raise ValueError(f"no number is {name!r}")


def _record(cls: Callable[..., R], data: dict[str, Any]) -> R:
    values = _object("the record", data, _KEYS)
    del values["format"]
    try:
        values["time"] = TimeControl.from_json(_typed("time", values["time"], dict))
        values["policy"] = FaultPolicy.from_json(_typed("policy", values["policy"], dict))
    except OptionsError as error:
        raise RecordError(str(error)) from None

    _typed("options", values["options"], dict)
    values["deals"] = _enum("deals", Deals, values["deals"])
    values["seats"] = tuple(
        SeatRow(**_object("a seat", row, SeatRow._fields)) for row in _typed("seats", values["seats"], list)
    )
    moves = [_row("a move", row, Move._fields) for row in _typed("moves", values["moves"], list)]
    values["moves"] = tuple(Move(row[0], row[1], _enum("by", By, row[2]), *row[3:]) for row in moves)
    faults = [_row("a fault", row, Fault._fields) for row in _typed("faults", values["faults"], list)]
    values["faults"] = tuple(
        Fault(row[0], row[1], _enum("kind", FaultKind, row[2]), _enum("termination", Termination, row[3]), *row[4:])
        for row in faults
    )
    values["result"] = _result(values["result"])
    values["servers"] = tuple(_typed("servers", values["servers"], list))
    return cls(**values)


def _result(data: Any) -> Result:
    values = _object("result", data, ("termination", "placements", "scores", "seats"))
    return Result(
        _enum("termination", Termination, values["termination"]),
        tuple(_typed("placements", values["placements"], list)),
        tuple(_typed("scores", values["scores"], list)),
        tuple(_enum("a seat's termination", Termination, item) for item in _typed("seats", values["seats"], list)),
    )


_KEYS = ("format", *MatchRecord.__dataclass_fields__)


def _object(what: str, data: Any, keys: tuple[str, ...]) -> dict[str, Any]:
    found: dict[str, Any] = _typed(what, data, dict)
    if missing := [key for key in keys if key not in found]:
        raise RecordError(f"{what} lacks {missing!r}")
    if unknown := [key for key in found if key not in keys]:
        raise RecordError(f"{what} has no {unknown[:5]!r}")

    return dict(found)


def _row(what: str, data: Any, columns: tuple[str, ...]) -> list[Any]:
    row: list[Any] = _typed(what, data, list)
    if len(row) != len(columns):
        raise RecordError(f"{what} has {len(columns)} columns, not {len(row)!r}")

    return row


def _typed(what: str, value: Any, kind: type) -> Any:
    if type(value) is not kind:
        raise RecordError(f"{what} is a JSON {'object' if kind is dict else 'array'}, not {type(value).__name__}")

    return value


def _enum(what: str, kind: type[E], value: Any) -> E:
    try:
        return kind(value)
    except ValueError:
        raise RecordError(f"{what} is one of {', '.join(kind)}, not {value!r}") from None


def _check_text(what: str, value: Any, lowest: int) -> None:
    """Accept printable text only: records are shown on terminals and pages."""
    if type(value) is not str or not lowest <= len(value) <= _MAX_TEXT or not value.isprintable():
        raise RecordError(f"{what} is printable text of {lowest} to {_MAX_TEXT} characters, not {_short(value)}")


def _check_int(what: str, value: Any, lowest: int) -> None:
    if type(value) is not int or not lowest <= value <= _MAX_INT:
        raise RecordError(f"{what} is a whole number of {lowest} to {_MAX_INT}, not {_short(value)}")


def _check_hex(what: str, value: Any, digits: int) -> None:
    if type(value) is not str or len(value) != digits or not _HEX.fullmatch(value):
        raise RecordError(f"{what} is {digits} hex digits in lower case, not {_short(value)}")


def _check_moment(what: str, value: Any) -> None:
    try:
        if type(value) is not str or not _MOMENT.fullmatch(value):
            raise ValueError
        datetime.fromisoformat(value)
    except ValueError:
        raise RecordError(f"{what} is a UTC time as 2030-01-31T12:00:00Z, not {_short(value)}") from None


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."
