"""Which exit code each error has: the one table. Loaded only when a command has failed, since it knows all errors."""

from __future__ import annotations

from agon.codec.errors import CodecError
from agon_engine.core.errors import EngineError, ReplayMismatchError, RulesBug
from agon_ladder.errors import LadderError
from agon_server.accounts import AccountError
from agon_server.archive.folder import ArchiveError
from agon_server.cli.failures import (
    INTERRUPTED,
    NEGATIVE,
    SURROUNDINGS,
    UNDECIDED,
    USAGE,
    Failed,
    Interrupted,
    Mistakes,
    Negative,
    Undecided,
    UsageError,
)
from agon_server.config import ConfigError
from agon_server.ladders.encoding import TableDamagedError
from agon_server.operations.errors import OperationError, UnreachableError
from agon_server.store.errors import DuplicateMatchError, StoreError, UnknownMatchError
from agon_server.surroundings import SurroundingsError
from agon_server.tournaments.errors import TournamentError

EXIT_CODES: tuple[tuple[type[BaseException], int], ...] = (
    (Negative, NEGATIVE),
    (Undecided, UNDECIDED),
    (Failed, USAGE),
    (ReplayMismatchError, NEGATIVE),
    (UsageError, USAGE),
    (Mistakes, USAGE),
    (ConfigError, USAGE),
    (AccountError, USAGE),
    (LadderError, USAGE),
    (UnreachableError, SURROUNDINGS),
    (OperationError, USAGE),
    (RulesBug, SURROUNDINGS),
    (EngineError, USAGE),
    (UnknownMatchError, USAGE),
    (DuplicateMatchError, USAGE),
    (StoreError, SURROUNDINGS),
    (CodecError, SURROUNDINGS),
    (SurroundingsError, SURROUNDINGS),
    (TournamentError, USAGE),
    (ArchiveError, SURROUNDINGS),
    (TableDamagedError, SURROUNDINGS),
    (OSError, SURROUNDINGS),
    (UnicodeEncodeError, USAGE),
    (KeyboardInterrupt, INTERRUPTED),
    (Interrupted, INTERRUPTED),
)
"""The first that fits counts. Anything else is a fault of Agon itself: 3, and the line asks for a report."""
