"""The values and calls of AdminService; the fields are documented in `agon/v1/admin.proto`. What is done with a
ladder's ledger is in `ledger`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial

from agon.codec.calls import method_of
from agon.codec.ladder import Ladder, MatchPhase
from agon.codec.ledger import (
    AcceptLossRequest,
    AcceptLossResponse,
    AuditLadderRequest,
    AuditLadderResponse,
    AuditRecordsRequest,
    AuditRecordsResponse,
    ExportLadderRequest,
    ExportLadderResponse,
    FindTradesRequest,
    FindTradesResponse,
    PurgeMatchesRequest,
    PurgeMatchesResponse,
    RebuildLadderRequest,
    RebuildLadderResponse,
    ReportLadderRequest,
    ReportLadderResponse,
    StartSeasonRequest,
    StartSeasonResponse,
    UndoPurgeRequest,
    UndoPurgeResponse,
)
from agon.v1 import admin_pb2
from agon_engine.core.policy import OnFault
from agon_engine.core.record import Deals

# -- bots --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RegisterBotRequest:
    name: str
    owner: str = ""
    renew: bool = False
    trusted: bool = False


@dataclass(frozen=True, slots=True)
class RegisterBotResponse:
    name: str
    token: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class SuspendBotRequest:
    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class SuspendBotResponse:
    pass


@dataclass(frozen=True, slots=True)
class ResumeBotRequest:
    name: str


@dataclass(frozen=True, slots=True)
class ResumeBotResponse:
    pass


@dataclass(frozen=True, slots=True)
class RetireBotRequest:
    name: str
    version: str | None
    actor: str
    reason: str


@dataclass(frozen=True, slots=True)
class RetireBotResponse:
    pass


@dataclass(frozen=True, slots=True)
class UnretireBotRequest:
    name: str
    version: str | None = None


@dataclass(frozen=True, slots=True)
class UnretireBotResponse:
    pass


@dataclass(frozen=True, slots=True)
class Retirement:
    version: str | None
    actor: str
    reason: str
    when: str


@dataclass(frozen=True, slots=True)
class TrustBotRequest:
    name: str
    trusted: bool


@dataclass(frozen=True, slots=True)
class TrustBotResponse:
    pass


@dataclass(frozen=True, slots=True)
class ReadBotLogRequest:
    name: str
    count: int = 0


@dataclass(frozen=True, slots=True)
class ReadBotLogResponse:
    lines: tuple[str, ...]
    truncated: int
    suspended: str
    retirements: tuple[Retirement, ...] = ()


# -- ladders -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PartialTimeControl:
    connect_us: int | None = None
    ready_us: int | None = None
    move_us: int | None = None
    bank_us: int | None = None
    increment_us: int | None = None
    grace_us: int | None = None


@dataclass(frozen=True, slots=True)
class PartialFaultPolicy:
    on_fault: OnFault | None = None
    attempts: int | None = None
    strikes: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateLadderRequest:
    name: str = ""
    game: str
    seats: int
    options: Mapping[str, str] = field(default_factory=dict)
    time: PartialTimeControl = PartialTimeControl()
    policy: PartialFaultPolicy = PartialFaultPolicy()
    deals: Deals | None = None
    house_games: int | None = None
    files: Mapping[str, str] = field(default_factory=dict, repr=False)
    system: str = ""
    rotations: str = ""
    short_handed: bool = False


@dataclass(frozen=True, slots=True)
class CreateLadderResponse:
    ladder: Ladder


@dataclass(frozen=True, slots=True)
class CloseLadderRequest:
    ladder: str


@dataclass(frozen=True, slots=True)
class CloseLadderResponse:
    ladder: Ladder


# -- the queue ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class InspectQueueRequest:
    limit: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueItem:
    match: str
    phase: MatchPhase
    game: str
    version: int
    ladder: str
    block: str
    index: int
    attempt: int
    bots: tuple[str, ...]
    age_ms: int
    owner: str
    epoch: int
    deliveries: int
    progress: int
    idle_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class InspectQueueResponse:
    items: tuple[QueueItem, ...]
    waiting: int
    running: int
    dead: int
    oldest_ms: int


@dataclass(frozen=True, slots=True)
class ListDeadLettersRequest:
    pass


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadLetter:
    match: str
    reason: str
    when: str
    epoch: int
    game: str
    ladder: str
    bots: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SetAside:
    id: str
    match: str
    ladder: str
    reason: str


@dataclass(frozen=True, slots=True)
class ListDeadLettersResponse:
    letters: tuple[DeadLetter, ...]
    set_aside: tuple[SetAside, ...] = ()
    letters_dropped: int = 0
    set_aside_dropped: int = 0


@dataclass(frozen=True, slots=True)
class DiscardDeadLetterRequest:
    id: str


@dataclass(frozen=True, slots=True)
class DiscardDeadLetterResponse:
    pass


@dataclass(frozen=True, slots=True)
class RequeueDeadLettersRequest:
    match: str = ""


@dataclass(frozen=True, slots=True)
class RequeueDeadLettersResponse:
    matches: tuple[str, ...]
    kept: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CancelMatchRequest:
    match: str
    reason: str


@dataclass(frozen=True, slots=True)
class CancelMatchResponse:
    removed: bool


# -- the server --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class DrainRequest:
    pass


@dataclass(frozen=True, slots=True)
class DrainResponse:
    running: int


# -- what is wrong -----------------------------------------------------------------------------------------------


class Condition(StrEnum):
    STUCK = "stuck"
    ORPHANED = "orphaned"
    INCONSISTENT = "inconsistent"
    UNSAFE = "unsafe"


@dataclass(frozen=True, slots=True)
class DiagnoseRequest:
    pass


@dataclass(frozen=True, slots=True)
class Symptom:
    check: str
    condition: Condition
    what: str
    where: str
    remedy: str


@dataclass(frozen=True, slots=True)
class Vitals:
    servers: tuple[str, ...] = ()
    leader: str = ""
    waiting: int = 0
    running: int = 0
    bots: int = 0
    results: int = 0
    store: str = ""
    short_of_bots: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DiagnoseResponse:
    symptoms: tuple[Symptom, ...]
    vitals: Vitals | None


_method = partial(method_of, admin_pb2, "AdminService")

REGISTER_BOT = _method("RegisterBot", RegisterBotRequest, RegisterBotResponse)
SUSPEND_BOT = _method("SuspendBot", SuspendBotRequest, SuspendBotResponse)
RESUME_BOT = _method("ResumeBot", ResumeBotRequest, ResumeBotResponse)
RETIRE_BOT = _method("RetireBot", RetireBotRequest, RetireBotResponse)
UNRETIRE_BOT = _method("UnretireBot", UnretireBotRequest, UnretireBotResponse)
TRUST_BOT = _method("TrustBot", TrustBotRequest, TrustBotResponse)
READ_BOT_LOG = _method("ReadBotLog", ReadBotLogRequest, ReadBotLogResponse)
CREATE_LADDER = _method("CreateLadder", CreateLadderRequest, CreateLadderResponse)
CLOSE_LADDER = _method("CloseLadder", CloseLadderRequest, CloseLadderResponse)
REBUILD_LADDER = _method("RebuildLadder", RebuildLadderRequest, RebuildLadderResponse)
AUDIT_LADDER = _method("AuditLadder", AuditLadderRequest, AuditLadderResponse)
AUDIT_RECORDS = _method("AuditRecords", AuditRecordsRequest, AuditRecordsResponse)
FIND_TRADES = _method("FindTrades", FindTradesRequest, FindTradesResponse)
START_SEASON = _method("StartSeason", StartSeasonRequest, StartSeasonResponse)
PURGE_MATCHES = _method("PurgeMatches", PurgeMatchesRequest, PurgeMatchesResponse)
UNDO_PURGE = _method("UndoPurge", UndoPurgeRequest, UndoPurgeResponse)
ACCEPT_LOSS = _method("AcceptLoss", AcceptLossRequest, AcceptLossResponse)
EXPORT_LADDER = _method("ExportLadder", ExportLadderRequest, ExportLadderResponse)
REPORT_LADDER = _method("ReportLadder", ReportLadderRequest, ReportLadderResponse)
INSPECT_QUEUE = _method("InspectQueue", InspectQueueRequest, InspectQueueResponse)
LIST_DEAD_LETTERS = _method("ListDeadLetters", ListDeadLettersRequest, ListDeadLettersResponse)
REQUEUE_DEAD_LETTERS = _method("RequeueDeadLetters", RequeueDeadLettersRequest, RequeueDeadLettersResponse)
DISCARD_DEAD_LETTER = _method("DiscardDeadLetter", DiscardDeadLetterRequest, DiscardDeadLetterResponse)
CANCEL_MATCH = _method("CancelMatch", CancelMatchRequest, CancelMatchResponse)
DIAGNOSE = _method("Diagnose", DiagnoseRequest, DiagnoseResponse)
DRAIN = _method("Drain", DrainRequest, DrainResponse)
