"""The values and calls of TournamentService; every field is documented in `agon/v1/tournament.proto`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from agon.codec.admin import CreateLadderRequest
from agon.codec.calls import method_of
from agon.codec.ladder import Ladder
from agon.codec.tournament_standings import TournamentStandings
from agon.v1 import tournament_pb2


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    kind: str
    bots: tuple[str, ...]
    seed: str
    concurrency: int = 0
    cycles: int | None = None
    blocks_per_bot: int | None = None
    challengers: tuple[str, ...] = ()
    rounds: int | None = None
    bye: float | None = None
    seeding: str = ""
    blocks: int | None = None
    extra_blocks: int | None = None
    advance: int | None = None


@dataclass(frozen=True, slots=True)
class CreateTournamentRequest:
    ladder: CreateLadderRequest
    schedule: Schedule
    definition: str = ""


@dataclass(frozen=True, slots=True)
class Awaited:
    bot: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Tournament:
    ladder: Ladder
    standings: TournamentStandings
    definition: str
    absent: tuple[str, ...]
    awaited: tuple[Awaited, ...] = ()


@dataclass(frozen=True, slots=True)
class CreateTournamentResponse:
    tournament: Tournament


@dataclass(frozen=True, slots=True)
class ResumeTournamentRequest:
    tournament: str


@dataclass(frozen=True, slots=True)
class ResumeTournamentResponse:
    tournament: Tournament


@dataclass(frozen=True, slots=True)
class GetTournamentRequest:
    tournament: str


@dataclass(frozen=True, slots=True)
class GetTournamentResponse:
    tournament: Tournament


_method = partial(method_of, tournament_pb2, "TournamentService")

CREATE_TOURNAMENT = _method("CreateTournament", CreateTournamentRequest, CreateTournamentResponse)
RESUME_TOURNAMENT = _method("ResumeTournament", ResumeTournamentRequest, ResumeTournamentResponse)
GET_TOURNAMENT = _method("GetTournament", GetTournamentRequest, GetTournamentResponse)
