"""The values and calls of LadderService; the fields are documented in `agon/v1/ladder.proto`. What it tells of a
ladder's ledger is in `ledger`, of a tournament's table in `tournament_standings`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial

from agon.codec.calls import method_of
from agon.codec.ledger import ListPurgesRequest, ListPurgesResponse, ListSeasonsRequest, ListSeasonsResponse
from agon.codec.tournament_standings import TournamentStandings
from agon.v1 import ladder_pb2
from agon_engine.core.policy import FaultPolicy, Termination
from agon_engine.core.record import Deals
from agon_engine.core.timing import TimeControl


class MatchPhase(StrEnum):
    """Where a match is."""

    WAITING = "waiting"
    RUNNING = "running"
    PLAYED = "played"
    CANCELLED = "cancelled"
    DEAD = "dead"


class AnswerKind(StrEnum):
    """What a row of a time account tells of."""

    SEAT = "seat"
    SUBSTITUTE = "substitute"
    STRIKE = "strike"
    FALL = "fall"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ladder:
    name: str
    game: str
    version: int
    seats: int
    options: Mapping[str, str]
    time: TimeControl
    policy: FaultPolicy
    deals: Deals
    open: bool
    created: str
    house_games: int = 0
    system: str = ""
    rotations: str = ""
    short_handed: bool = False
    format: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    rank: int
    bot: str
    owner: str
    rating: int
    plus_minus: int
    games: int
    blocks: int
    score: float
    faults: int
    provisional: bool
    sigma: int | None = None
    retired: bool = False
    resigned: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Standings:
    ladder: Ladder
    rows: tuple[Standing, ...]
    results: int
    position: str
    failed: str = ""
    season: str = ""
    ended: str = ""
    purges: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Bot:
    name: str
    owner: str
    created: str
    house: bool
    trusted: bool
    suspended: bool
    processes: int = 0
    slots: int = 0
    bot_version: str = ""
    games: tuple[str, ...] = ()
    retired: bool = False
    retired_versions: tuple[str, ...] = ()
    rests_until: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchSeat:
    alias: str
    bot: str = ""
    owner: str = ""
    bot_version: str = ""
    placement: int = 0
    score: int = 0
    termination: Termination | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    match: str
    phase: MatchPhase
    game: str
    version: int
    ladder: str = ""
    block: str = ""
    index: int = 0
    rated: bool = False
    counts: bool = False
    seats: tuple[MatchSeat, ...] = ()
    termination: Termination | None = None
    started: str = ""
    ended: str = ""
    moves: int = 0
    epoch: int = 0
    deals: Deals = Deals.FRESH
    record_hash: str = ""
    reason: str = ""
    purge: str = ""
    purge_reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    number: int
    seat: int
    kind: AnswerKind
    action: str = ""
    termination: Termination | None = None
    charge_us: int = 0
    elapsed_us: int = 0
    host_us: int = 0
    latency_us: int = 0
    thought_us: int = 0
    late: bool = False
    attempts: int = 0
    bank_us: int = 0


# -- requests and responses ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ListLaddersRequest:
    open_only: bool = False


@dataclass(frozen=True, slots=True)
class ListLaddersResponse:
    ladders: tuple[Ladder, ...]


@dataclass(frozen=True, slots=True)
class GetStandingsRequest:
    ladder: str
    season: str = ""


@dataclass(frozen=True, slots=True)
class GetStandingsResponse:
    standings: Standings


@dataclass(frozen=True, slots=True)
class WatchStandingsRequest:
    ladder: str


@dataclass(frozen=True, slots=True)
class WatchStandingsResponse:
    standings: Standings


@dataclass(frozen=True, slots=True)
class GetTournamentStandingsRequest:
    tournament: str


@dataclass(frozen=True, slots=True)
class GetTournamentStandingsResponse:
    ladder: Ladder
    standings: TournamentStandings


@dataclass(frozen=True, slots=True)
class ListBotsRequest:
    pass


@dataclass(frozen=True, slots=True)
class ListBotsResponse:
    bots: tuple[Bot, ...]


@dataclass(frozen=True, slots=True)
class ListMatchesRequest:
    ladder: str = ""
    bot: str = ""
    page_size: int = 0
    page_token: str = ""


@dataclass(frozen=True, slots=True)
class ListMatchesResponse:
    matches: tuple[Match, ...]
    next_page_token: str


@dataclass(frozen=True, slots=True)
class GetMatchRequest:
    match: str


@dataclass(frozen=True, slots=True)
class GetMatchResponse:
    match: Match
    options: Mapping[str, str] = field(default_factory=dict)
    time: TimeControl | None = None
    policy: FaultPolicy | None = None
    answers: tuple[Answer, ...] = ()
    servers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GetRecordRequest:
    match: str


@dataclass(frozen=True, slots=True)
class GetRecordResponse:
    line: str
    record_hash: str


@dataclass(frozen=True, slots=True)
class GetBlockRequest:
    block: str


@dataclass(frozen=True, slots=True)
class GetBlockResponse:
    block: str
    ladder: str
    deals: Deals
    matches: tuple[Match, ...]


@dataclass(frozen=True, slots=True)
class ListQueueRequest:
    limit: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class QueuedMatch:
    match: str
    phase: MatchPhase
    game: str
    ladder: str
    aliases: tuple[str, ...]
    age_ms: int
    moves: int


@dataclass(frozen=True, slots=True)
class ListQueueResponse:
    matches: tuple[QueuedMatch, ...]
    total: int


@dataclass(frozen=True, slots=True)
class GetFileRequest:
    hash: str


@dataclass(frozen=True, slots=True)
class GetFileResponse:
    text: str


_method = partial(method_of, ladder_pb2, "LadderService")

LIST_LADDERS = _method("ListLadders", ListLaddersRequest, ListLaddersResponse)
GET_STANDINGS = _method("GetStandings", GetStandingsRequest, GetStandingsResponse)
WATCH_STANDINGS = _method("WatchStandings", WatchStandingsRequest, WatchStandingsResponse)
GET_TOURNAMENT_STANDINGS = _method(
    "GetTournamentStandings", GetTournamentStandingsRequest, GetTournamentStandingsResponse
)
LIST_SEASONS = _method("ListSeasons", ListSeasonsRequest, ListSeasonsResponse)
LIST_PURGES = _method("ListPurges", ListPurgesRequest, ListPurgesResponse)
LIST_BOTS = _method("ListBots", ListBotsRequest, ListBotsResponse)
LIST_MATCHES = _method("ListMatches", ListMatchesRequest, ListMatchesResponse)
GET_MATCH = _method("GetMatch", GetMatchRequest, GetMatchResponse)
GET_RECORD = _method("GetRecord", GetRecordRequest, GetRecordResponse)
GET_BLOCK = _method("GetBlock", GetBlockRequest, GetBlockResponse)
LIST_QUEUE = _method("ListQueue", ListQueueRequest, ListQueueResponse)
GET_FILE = _method("GetFile", GetFileRequest, GetFileResponse)
