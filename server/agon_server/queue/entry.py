"""What a queue entry says: one match to play, complete, so that any referee can run it. Pure values and their JSON.

JSON comes from a store that others can write to, so it is checked strictly: what is not understood is an error with
its place and value, and the queue makes a dead letter of it.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Self

from agon_engine.core import OptionsError, OptionValue
from agon_engine.core.policy import FaultPolicy, Termination
from agon_engine.core.record import MAX_SEATS, Deals
from agon_engine.core.timing import TimeControl
from agon_server.names import BOT_NAME, GAME_NAME, LADDER_NAME
from agon_server.queue.ids import is_id, new_id
from agon_server.store import keys
from agon_server.store.errors import QueueEntryError

MAX_INSTANCE = 64
"""Characters of an instance, all printable."""
_SEED = re.compile(r"[0-9a-f]{32}")
_OPTION_NAME = re.compile(r"[a-z][a-z0-9_]{0,31}")
_WITHOUT_RESULT = frozenset({Termination.NO_SHOW, Termination.INFRASTRUCTURE})
_MAX_INT = 2**53 - 1


def is_instance(text: object) -> bool:
    """Tell whether the value can be a bot's instance: at most 64 printable characters, empty for the only one."""
    return isinstance(text, str) and len(text) <= MAX_INSTANCE and text.isprintable()


@dataclass(frozen=True, slots=True)
class SeatEntry:
    """Who sits at one seat: the bot, its owner, and which of its processes."""

    bot: str
    owner: str
    instance: str = ""

    def __post_init__(self) -> None:
        _match("bot", BOT_NAME, self.bot)
        _match("owner", BOT_NAME, self.owner)
        if not is_instance(self.instance):
            raise QueueEntryError(f"instance is at most {MAX_INSTANCE} printable characters, not {self.instance!r}")

    @property
    def place(self) -> str:
        """`BOT/INSTANCE`: whose slot the seat takes."""
        return keys.place(self.bot, self.instance)


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchEntry:
    """One match to play. Raise QueueEntryError when a field has a value that no entry can have.

    Does not check that this installation has the game or its options: another one may.
    """

    match: str
    """Its id, made by `new_id`."""
    game: str
    version: int
    """Rules version."""
    seats: tuple[SeatEntry, ...]
    seed: str = field(repr=False)
    """128 bits in hex. Secret until no match with this deal is left to play."""
    options: Mapping[str, OptionValue] = field(default_factory=dict)
    ladder: str = ""
    """Empty: played for no ladder."""
    rated: bool = False
    block: str = ""
    """Id of its block; empty: it belongs to none."""
    index: int = 0
    """Which match of its block it is, from 0."""
    block_size: int = 1
    attempt: int = 0
    """How often this place of the block was played before."""
    max_attempts: int = 3
    """How often it is played at most, where a match ends without counting."""
    deals: Deals = Deals.FRESH
    time: TimeControl = field(default_factory=TimeControl)
    policy: FaultPolicy
    created: int = field(default_factory=lambda: time.time_ns() // 1_000_000)
    """UTC, milliseconds since 1970."""

    def __post_init__(self) -> None:
        for name in ("match", "block"):
            value = getattr(self, name)
            if not is_id(value) and not (name == "block" and value == ""):
                raise QueueEntryError(f"{name} is an id of 20 characters, not {value!r}")
        _match("game", GAME_NAME, self.game)
        _match("seed", _SEED, self.seed, secret=True)
        if self.ladder != "":
            _match("ladder", LADDER_NAME, self.ladder)
        _whole("version", self.version, 1)
        _whole("block_size", self.block_size, 1)
        _whole("index", self.index, 0, self.block_size - 1)
        _whole("attempt", self.attempt, 0)
        _whole("max_attempts", self.max_attempts, 1)
        _whole("created", self.created, 0)
        if type(self.rated) is not bool:
            raise QueueEntryError(f"rated is true or false, not {self.rated!r}")
        if not 1 <= len(self.seats) <= MAX_SEATS:
            raise QueueEntryError(f"seats are 1 to {MAX_SEATS}, not {len(self.seats)!r}")
        if self.deals is Deals.SHARED and not self.block:
            raise QueueEntryError(f"shared deals need a block, not {self.block!r}")
        for name, value in self.options.items():
            _match("an option's name", _OPTION_NAME, name)
            if type(value) not in (bool, int, str):
                raise QueueEntryError(f"option {name} is a boolean, a whole number or a text, not {value!r}")

    def plays_again(self, termination: Termination) -> bool:
        """Tell whether this place of its block is to be played again after such an end."""
        return termination in _WITHOUT_RESULT and self.attempt + 1 < self.max_attempts

    def again(self, *, seed: str) -> Self:
        """Return the entry that plays this place of the block as a new match."""
        return replace(self, match=new_id(), seed=seed, attempt=self.attempt + 1, created=time.time_ns() // 1_000_000)

    # -- JSON ------------------------------------------------------------------------------------------------

    def to_json(self) -> str:
        """Return the entry as one line of JSON, its seed included."""
        data: dict[str, Any] = {item.name: getattr(self, item.name) for item in fields(self)}
        data["seats"] = [[seat.bot, seat.owner, seat.instance] for seat in self.seats]
        data["options"] = dict(self.options)
        data["deals"] = self.deals.value
        data["time"] = self.time.to_json()
        data["policy"] = self.policy.to_json()
        return json.dumps(data, separators=(",", ":"), ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Read what `to_json` wrote: exactly its fields. Raise QueueEntryError for anything else."""
        try:
            data = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise QueueEntryError(f"an entry is JSON in UTF-8: {error}") from None

        if not isinstance(data, dict):
            raise QueueEntryError(f"an entry is a JSON object, not {type(data).__name__!r}")
        names = {item.name for item in fields(cls)}
        if unknown := sorted(set(data) - names):
            raise QueueEntryError(f"an entry has no {unknown!r}")
        if missing := sorted(names - set(data)):
            raise QueueEntryError(f"an entry lacks {missing!r}")

        try:
            return cls(
                **{
                    **data,
                    "seats": tuple(_seat(item) for item in _typed("seats", list, data["seats"])),
                    "options": _typed("options", dict, data["options"]),
                    "deals": Deals(data["deals"]),
                    "time": TimeControl.from_json(_typed("time", dict, data["time"])),
                    "policy": FaultPolicy.from_json(_typed("policy", dict, data["policy"])),
                }
            )
        except OptionsError as error:
            raise QueueEntryError(str(error)) from None
        except QueueEntryError:
            raise
        except ValueError:
            raise QueueEntryError(f"deals is one of {', '.join(Deals)}, not {data['deals']!r}") from None


def _seat(item: object) -> SeatEntry:
    if not isinstance(item, list) or len(item) != 3:
        raise QueueEntryError(f"a seat is [bot, owner, instance], not {item!r}")
    return SeatEntry(*item)


def _typed(name: str, kind: type, value: Any) -> Any:
    if type(value) is not kind:
        raise QueueEntryError(f"{name} is a JSON {'array' if kind is list else 'object'}, not {type(value).__name__!r}")
    return value


def _match(name: str, pattern: re.Pattern[str], value: object, *, secret: bool = False) -> None:
    if not isinstance(value, str) or pattern.fullmatch(value) is None:
        raise QueueEntryError(f"{name} must match {pattern.pattern}" + ("" if secret else f", not {value!r}"))


def _whole(name: str, value: object, low: int, high: int = _MAX_INT) -> None:
    if type(value) is not int or not low <= value <= high:
        raise QueueEntryError(f"{name} is a whole number from {low} to {high}, not {value!r}")
