"""Seasons that are over and rating rows as the store keeps them, written and read. Nothing here knows the store."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from agon_ladder.fold import FinalTable, RatingRow, SeasonBegun, Step
from agon_ladder.results import Position
from agon_ladder.rulings import Season, facts_of, read_ruling

# What is written never contains itself, which else is looked for at every step.
to_json_text = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode


class TableDamagedError(Exception):
    """A stored table that cannot be read; a rebuild makes it anew."""


@dataclass(frozen=True, slots=True)
class SeasonOver:
    """A season that is over, without its table."""

    begun: SeasonBegun
    ended: Season
    """The ruling that began the next one."""
    results: int
    bots: int


def season_list(seasons: Sequence[FinalTable]) -> list[str | int]:
    """Return how many seasons there are, then label, facts and table of each."""
    parts: list[str | int] = [len(seasons)]
    for final in seasons:
        ended = {name: getattr(final.ended, name) for name in ("id", "actor", "why")}
        ended |= {"position": str(final.ended.position), "facts": facts_of(final.ended)}
        bots = sum(known.games > 0 for known in final.table.bots.values())
        about = {"begun": begun_json(final.begun), "ended": ended, "results": final.results, "bots": bots}
        parts += (final.begun.label, to_json_text(about), to_json_text(final.table.to_json()))
    return parts


def begun_json(begun: SeasonBegun) -> list[Any]:
    """Return how a season began, as values of JSON."""
    return [begun.label, str(begun.position), begun.results]


def season_over(ladder: str, text: str) -> SeasonOver:
    """Read the facts of a season as `season_list` wrote them. Raise TableDamagedError for anything else."""
    try:
        about = json.loads(text)
        label, position, results = about["begun"]
        told = about["ended"]
        ruled = {"ladder": ladder, **{name: told[name] for name in ("id", "actor", "why")}}
        ended = read_ruling("season", Position.parse(told["position"]), ruled, told["facts"])
        assert isinstance(ended, Season)
        begun = SeasonBegun(str(label), Position.parse(position), int(results))
        return SeasonOver(begun, ended, int(about["results"]), int(about["bots"]))
    except (KeyError, TypeError, ValueError) as error:
        raise TableDamagedError(f"a season of ladder {ladder} cannot be read ({error}): {text[:200]!r}") from None


def row_list(rated: Sequence[Step]) -> list[str]:
    """Return id, match and rating rows of each result."""
    parts: list[str] = []
    for step in rated:
        result = step.result
        rows = list(zip(result.bots, result.placements, step.before, step.after, strict=True))
        parts += (str(result.position), result.match, to_json_text(rows))
    return parts


def read_rows(ladder: str, entry_id: str, fields: dict[str, str]) -> list[RatingRow]:
    """Read the rating rows of one result as `row_list` wrote them. Raise TableDamagedError for anything else."""
    try:
        position, match = Position.parse(entry_id), fields["match"]
        return [
            RatingRow(position, match, seat, str(bot), int(placement), tuple(before), tuple(after))
            for seat, (bot, placement, before, after) in enumerate(json.loads(fields["rows"]))
        ]
    except (KeyError, TypeError, ValueError) as error:
        raise TableDamagedError(f"a rating row of ladder {ladder} cannot be read ({error}): {entry_id!r}") from None
