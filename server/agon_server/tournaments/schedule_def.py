"""Which line-ups a tournament of a server has: what its ladder keeps beside what all others do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final, Self

from agon_ladder.errors import ScheduleError
from agon_ladder.pairing.blocks import Rotations
from agon_ladder.pairing.schedules.deals import tournament_chance
from agon_ladder.pairing.schedules.schedule import Schedule
from agon_server.tournaments.asking import Asked, Mistakes
from agon_server.tournaments.definition import FormatDef, kind_of, schedule_of
from agon_server.tournaments.formats import read_format

DEFAULT_CONCURRENCY: Final = 64
MAX_CONCURRENCY: Final = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleDef:
    """The schedule of a tournament of a server. `read` makes it from what somebody asked for, `schedule` tells whether
    it can be."""

    bots: tuple[str, ...]
    """Bots of the server; where the format has seeds, the best first."""
    format: FormatDef
    seed: str
    """Pairings follow from it. Deals do not: their seeds are secrets of their own."""
    concurrency: int = DEFAULT_CONCURRENCY
    """About how many matches are queued or run at a time."""
    definition: str = ""
    """What the organiser's file says, as JSON; kept so that it can be told whether it has changed."""

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> Self:
        """Read what `to_json` gives. Raise ScheduleError for anything else. Whether such a schedule can be is not
        checked: to make one takes up to seconds."""
        try:
            bots = tuple(data["bots"])
            seed, concurrency, format_ = data["seed"], data["concurrency"], dict(data["format"])
            definition = data["definition"]
        except (KeyError, TypeError, ValueError) as error:
            raise ScheduleError(f"not a schedule: {error!r}") from None

        if not all(isinstance(text, str) for text in (*bots, seed, definition)):
            raise ScheduleError("the bots, the seed and the definition of a schedule are texts")
        if type(concurrency) is not int or not 1 <= concurrency <= MAX_CONCURRENCY:
            raise ScheduleError(f"concurrency is 1 to {MAX_CONCURRENCY} matches, not {concurrency!r}")
        mistakes = Mistakes({})
        given = {name: value for name, value in format_.items() if value is not None}
        made = read_format(Asked(given, ("format",), mistakes, "a schedule"), bots)
        if made is None or len(mistakes):
            raise ScheduleError(f"not a schedule: {'; '.join(mistakes.told())}")

        return cls(bots=bots, format=made, seed=seed, concurrency=concurrency, definition=definition)

    def to_json(self) -> dict[str, Any]:
        return {
            "bots": list(self.bots),
            "format": {"kind": self.kind, **asdict(self.format)},
            "seed": self.seed,
            "concurrency": self.concurrency,
            "definition": self.definition,
        }

    @property
    def kind(self) -> str:
        """What its format is called in files."""
        return kind_of(self.format)

    def schedule(self, seats: int, rotations: Rotations = Rotations.CYCLIC) -> Schedule:
        """Make the schedule, the same each time. Raise ScheduleError where it cannot be."""
        return schedule_of(self.format, self.bots, seats, rotations, tournament_chance(self.seed))
