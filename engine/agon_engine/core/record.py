"""The replayable account of a match, as one canonical line of JSON.

A line is read strictly, whoever wrote it: a record that was read gives the same line again, byte for byte. Whether
what it states is true is the replay's question (`core.replay`); files of records are `core.record_file`'s.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from hashlib import blake2b
from typing import Any, NamedTuple, TypeVar

from agon_engine.core.errors import OptionsError, RecordError
from agon_engine.core.options import OptionValue, option_text
from agon_engine.core.policy import FaultPolicy, Result, Termination
from agon_engine.core.record_rows import (
    By,
    Fault,
    FaultKind,
    Move,
    check_faults,
    check_moves,
    faults_from_json,
    moves_from_json,
    moves_to_json,
)
from agon_engine.core.record_values import (
    MAX_INT,
    check_hex,
    check_int,
    check_moment,
    check_text,
    to_enum,
    to_object,
    typed,
)
from agon_engine.core.timing import TimeControl

__all__ = [
    "FORMAT",
    "MAX_LINE",
    "MAX_SEATS",
    "By",
    "Deals",
    "Fault",
    "FaultKind",
    "MatchRecord",
    "Move",
    "SeatRow",
    "commitment",
    "line_hash",
]

FORMAT = 2
MAX_LINE = 1 << 20
"""No line is longer than this, in bytes."""
MAX_SEATS = 16

R = TypeVar("R")


class Deals(StrEnum):
    """Whether a deal is used by one match or by all matches of its block."""

    FRESH = "fresh"
    SHARED = "shared"


class SeatRow(NamedTuple):
    """Who sat at a seat."""

    bot: str
    owner: str
    bot_version: str
    """As the bot named it; empty where it named none."""
    alias: str
    """What the other seats saw."""


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
            check_text(name, getattr(self, name), lowest)
        check_int("version", self.version, 1)
        check_int("epoch", self.epoch, 1)
        if type(self.rated) is not bool:
            raise RecordError(f"rated is true or false, not {self.rated!r}")
        for name, value in self.options.items():
            check_text("an option's name", name, 1)
            if type(value) is str:
                check_text(f"option {name}", value, 0)
            elif type(value) is not bool:
                check_int(f"option {name}", value, -MAX_INT)
        check_hex("seed", self.seed, 32)
        check_hex("commitment", self.commitment, 64)
        if self.digest != "":
            check_hex("digest", self.digest, 64)
        for name in ("started", "ended"):
            check_moment(name, getattr(self, name))
        for server in self.servers:
            check_text("a server", server, 1)
        self._check_seats()
        check_moves(self.moves, len(self.seats))
        check_faults(self.faults, len(self.seats), len(self.moves))

    def _check_seats(self) -> None:
        count = len(self.seats)
        if not 1 <= count <= MAX_SEATS:
            raise RecordError(f"a record has 1 to {MAX_SEATS} seats, not {count!r}")
        for row in self.seats:
            check_text("bot", row.bot, 1)
            for name in ("owner", "bot_version", "alias"):
                check_text(name, getattr(row, name), 0)
        for name in ("placements", "scores", "seats"):
            values = getattr(self.result, name)
            if len(values) != count:
                raise RecordError(f"result.{name} has one value a seat, that is {count}, not {len(values)!r}")
        for placement in self.result.placements:
            if type(placement) is not int or not 1 <= placement <= count:
                raise RecordError(f"a placement is 1 to {count}, not {placement!r}")
        for score in self.result.scores:
            check_int("a score", score, -MAX_INT)

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
            "moves": moves_to_json(self.moves),
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
    values = to_object("the record", data, _KEYS)
    del values["format"]
    try:
        values["time"] = TimeControl.from_json(typed("time", values["time"], dict))
        values["policy"] = FaultPolicy.from_json(typed("policy", values["policy"], dict))
    except OptionsError as error:
        raise RecordError(str(error)) from None

    typed("options", values["options"], dict)
    values["deals"] = to_enum("deals", Deals, values["deals"])
    values["seats"] = tuple(
        SeatRow(**to_object("a seat", row, SeatRow._fields)) for row in typed("seats", values["seats"], list)
    )
    values["moves"] = moves_from_json(values["moves"])
    values["faults"] = faults_from_json(values["faults"])
    values["result"] = _result(values["result"])
    values["servers"] = tuple(typed("servers", values["servers"], list))
    return cls(**values)


def _result(data: Any) -> Result:
    values = to_object("result", data, ("termination", "placements", "scores", "seats"))
    return Result(
        to_enum("termination", Termination, values["termination"]),
        tuple(typed("placements", values["placements"], list)),
        tuple(typed("scores", values["scores"], list)),
        tuple(to_enum("a seat's termination", Termination, item) for item in typed("seats", values["seats"], list)),
    )


_KEYS = ("format", *MatchRecord.__dataclass_fields__)
