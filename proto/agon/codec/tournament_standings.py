"""How a tournament stands; the fields are documented in `agon/v1/tournament_standings.proto`, and the calls that carry
it are in `ladder` and `tournament`."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentRow:
    rank: int
    bot: str
    half_points: int
    matches: int
    blocks: int
    byes: int
    tie_breaks: tuple[float, ...] = ()
    score: float | None = None
    elo: int | None = None
    elo_low: int | None = None
    elo_high: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentStandings:
    format: str
    planned: int
    done: int
    lost: int
    round: int
    rounds: int
    over: bool
    given_up: tuple[str, ...]
    rows: tuple[TournamentRow, ...]
    tie_breaks: tuple[str, ...]
    round_name: str = ""
