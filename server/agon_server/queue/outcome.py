"""Who played a match and how it ended for each: what tables, pairing and lists need of a result. It stands in the
results stream, so that nobody who only counts has to read a record."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple, Self

from agon_engine.core.policy import Termination
from agon_server.names import BOT_NAME
from agon_server.queue.record_line import read_parts


class Outcome(NamedTuple):
    """The end of a match that was played; all by seat. Whether the placements are some is for those who count them."""

    bots: tuple[str, ...]
    placements: tuple[int, ...]
    terminations: tuple[Termination, ...]

    def to_json(self) -> dict[str, Any]:
        """Return it as values of JSON."""
        return {"bots": self.bots, "placements": self.placements, "terminations": self.terminations}

    @classmethod
    def from_json(cls, data: Any) -> Self:
        """Read what `to_json` gave. Raise LookupError, TypeError or ValueError for anything else."""
        return cls._read(data["bots"], data["placements"], data["terminations"])

    @classmethod
    def of_record(cls, line: str) -> Self:
        """Read it from a record's line. Raise as `from_json` does, or RecursionError."""
        head, _, end = read_parts(line)
        return cls.of_parts(head, end)

    @classmethod
    def of_parts(cls, head: Any, end: Any) -> Self:
        """Read it from a record's head and end. Raise as `from_json` does."""
        result = end["result"]
        return cls._read([seat["bot"] for seat in head["seats"]], result["placements"], result["seats"])

    @classmethod
    def _read(cls, bots: Any, placements: Any, terminations: Any) -> Self:
        read = cls(_read_bots(bots), _read_placements(placements), read_terminations(terminations))
        if not len(read.bots) == len(read.placements) == len(read.terminations):
            raise ValueError(f"not as many of each as there are seats: {read!r}")

        return read

    @classmethod
    def stored(cls, data: Any, record: str) -> Self | None:
        """Read what is stored beside a record; of earlier versions, which stored none, from the record itself.

        None where there is no record, or an old one that cannot be read. Raise as `from_json` does.
        """
        if not record:
            return None
        if data is not None:
            return cls.from_json(data)

        try:
            return cls.of_record(record)
        except (LookupError, RecursionError, TypeError, ValueError):
            return None


def read_terminations(values: Any) -> tuple[Termination, ...]:
    """Read a list of terminations. Raise TypeError or ValueError for anything else."""
    return _terminations(_listed(values))


@lru_cache(maxsize=1024)
def _terminations(values: tuple[Any, ...]) -> tuple[Termination, ...]:
    return tuple(map(Termination, values))


def _read_bots(values: Any) -> tuple[str, ...]:
    bots = _listed(values)
    if not all(map(_is_bot, bots)):
        raise ValueError(f"not the names of bots: {bots!r}")

    return bots


@lru_cache(maxsize=16_384)
def _is_bot(name: Any) -> bool:
    return isinstance(name, str) and BOT_NAME.fullmatch(name) is not None


def _read_placements(values: Any) -> tuple[int, ...]:
    placements = _listed(values)
    if not {int}.issuperset(map(type, placements)):
        raise ValueError(f"not whole numbers: {placements!r}")

    return placements


def _listed(values: Any) -> tuple[Any, ...]:
    if type(values) is not list:
        raise ValueError(f"not a list: {values!r}")

    return tuple(values)
