"""The values of a ladder's ledger: seasons, purges, audits, exports and reports. Their fields are documented in
`agon/v1/ledger.proto`; the calls that carry them are in `ladder` and `admin`."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


@dataclass(frozen=True, slots=True, kw_only=True)
class Season:
    label: str
    began: str = ""
    ended: str = ""
    results: int = 0
    bots: int = 0
    actor: str = ""
    why: str = ""
    keep: int = 0


@dataclass(frozen=True, slots=True)
class ListSeasonsRequest:
    ladder: str


@dataclass(frozen=True, slots=True)
class ListSeasonsResponse:
    seasons: tuple[Season, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Purge:
    id: str
    made: str
    actor: str
    why: str
    bot: str = ""
    server: str = ""
    match: str = ""
    since: str = ""
    until: str = ""
    undone: str = ""
    undone_by: str = ""
    undone_why: str = ""


@dataclass(frozen=True, slots=True)
class ListPurgesRequest:
    ladder: str


@dataclass(frozen=True, slots=True)
class ListPurgesResponse:
    purges: tuple[Purge, ...]


@dataclass(frozen=True, slots=True)
class Finding:
    check: str
    subject: str
    text: str


@dataclass(frozen=True, slots=True)
class RebuildLadderRequest:
    ladder: str


@dataclass(frozen=True, slots=True)
class RebuildLadderResponse:
    findings: tuple[Finding, ...]
    results: int


@dataclass(frozen=True, slots=True)
class AuditLadderRequest:
    ladder: str


@dataclass(frozen=True, slots=True)
class AuditCounts:
    matches: int = 0
    records: int = 0
    unreadable: int = 0
    rated: int = 0
    ratings: int = 0
    purged: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Loss:
    id: str
    made: str
    actor: str
    why: str
    after: str
    until: str
    results: int = 0


@dataclass(frozen=True, slots=True)
class AuditLadderResponse:
    findings: tuple[Finding, ...]
    results: int
    counts: AuditCounts = AuditCounts()
    losses: tuple[Loss, ...] = ()


@dataclass(frozen=True, slots=True)
class AuditRecordsRequest:
    ladder: str
    sample: int = 0


@dataclass(frozen=True, slots=True)
class AuditRecordsResponse:
    done: int
    skipped: int
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class FindTradesRequest:
    ladder: str
    min_matches: int = 0


@dataclass(frozen=True, slots=True)
class Trade:
    loser: str
    winner: str
    matches: int
    score: float
    expected: float
    chance: float


@dataclass(frozen=True, slots=True)
class FindTradesResponse:
    trades: tuple[Trade, ...]
    matches: int
    bots: int
    pairs: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StartSeasonRequest:
    ladder: str
    label: str
    keep: int
    actor: str
    why: str
    id: str = ""


@dataclass(frozen=True, slots=True)
class StartSeasonResponse:
    id: str
    position: str
    repeated: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PurgeMatchesRequest:
    ladder: str
    bot: str = ""
    server: str = ""
    match: str = ""
    since_ms: int = 0
    until_ms: int = 0
    actor: str
    why: str
    id: str = ""
    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class PurgeMatchesResponse:
    id: str
    position: str
    repeated: bool
    matches: int


@dataclass(frozen=True, slots=True, kw_only=True)
class UndoPurgeRequest:
    ladder: str
    purge: str
    actor: str
    why: str
    id: str = ""


@dataclass(frozen=True, slots=True)
class UndoPurgeResponse:
    id: str
    position: str
    repeated: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceptLossRequest:
    ladder: str
    actor: str
    why: str
    id: str = ""


@dataclass(frozen=True, slots=True)
class AcceptLossResponse:
    id: str
    position: str
    repeated: bool
    after: str = ""
    until: str = ""
    results: int = 0


class ExportKind(StrEnum):
    RECORDS = "records"
    RESULTS = "results"
    RATINGS = "ratings"


class ExportFormat(StrEnum):
    CSV = "csv"
    JSONL = "jsonl"


@dataclass(frozen=True, slots=True)
class ExportLadderRequest:
    ladder: str
    kind: ExportKind
    format: ExportFormat


@dataclass(frozen=True, slots=True)
class ExportLadderResponse:
    text: str


class ReportFormat(StrEnum):
    TEXT = "text"
    JSON = "json"
    CSV = "csv"
    HTML = "html"


@dataclass(frozen=True, slots=True)
class ReportLadderRequest:
    ladder: str
    format: ReportFormat
    season: str = ""


@dataclass(frozen=True, slots=True)
class ReportLadderResponse:
    file: str
    text: str
