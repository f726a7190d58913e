"""All operations: which function answers which call, and who may call it. The one list that the gRPC services serve and
the command line looks in when no server runs.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any, Generic, TypeVar

from agon.codec import admin, ladder, tournament
from agon.codec.calls import Method
from agon_server.operations import audits, bots, ladders, matches, queue, rulings, tournaments
from agon_server.operations.doctor.diagnose import diagnose
from agon_server.operations.installation import Installation

Q = TypeVar("Q")
R = TypeVar("R")


class Access(Enum):
    """Who may call an operation."""

    PUBLIC = "public"
    OWNER = "owner"
    """The admin, and the bot that the request names, by its own token."""
    ADMIN = "admin"


@dataclass(frozen=True, slots=True)
class Operation(Generic[Q, R]):
    """One call with one answer."""

    method: Method[Q, R]
    run: Callable[[Installation, Q], Awaitable[R]]
    access: Access
    changes: bool = False
    """It is answered once what it has changed is on the store's disk."""


@dataclass(frozen=True, slots=True)
class Watch(Generic[Q, R]):
    """One call with a stream of answers."""

    method: Method[Q, R]
    run: Callable[[Installation, Q], AsyncIterator[R]]
    access: Access


OPERATIONS: tuple[Operation[Any, Any] | Watch[Any, Any], ...] = (
    Operation(ladder.LIST_LADDERS, ladders.list_ladders, Access.PUBLIC),
    Operation(ladder.GET_STANDINGS, ladders.get_standings, Access.PUBLIC),
    Watch(ladder.WATCH_STANDINGS, ladders.watch_standings, Access.PUBLIC),
    Operation(ladder.GET_TOURNAMENT_STANDINGS, tournaments.get_tournament_standings, Access.PUBLIC),
    Operation(ladder.LIST_SEASONS, rulings.list_seasons, Access.PUBLIC),
    Operation(ladder.LIST_PURGES, rulings.list_purges, Access.PUBLIC),
    Operation(ladder.LIST_BOTS, bots.list_bots, Access.PUBLIC),
    Operation(ladder.LIST_MATCHES, matches.list_matches, Access.PUBLIC),
    Operation(ladder.GET_MATCH, matches.get_match, Access.PUBLIC),
    Operation(ladder.GET_RECORD, matches.get_record, Access.PUBLIC),
    Operation(ladder.GET_BLOCK, matches.get_block, Access.PUBLIC),
    Operation(ladder.LIST_QUEUE, queue.list_queue, Access.PUBLIC),
    Operation(ladder.GET_FILE, ladders.get_file, Access.PUBLIC),
    Operation(admin.REGISTER_BOT, bots.register_bot, Access.ADMIN, changes=True),
    Operation(admin.SUSPEND_BOT, bots.suspend_bot, Access.ADMIN, changes=True),
    Operation(admin.RESUME_BOT, bots.resume_bot, Access.ADMIN, changes=True),
    Operation(admin.RETIRE_BOT, bots.retire_bot, Access.ADMIN, changes=True),
    Operation(admin.UNRETIRE_BOT, bots.unretire_bot, Access.ADMIN, changes=True),
    Operation(admin.TRUST_BOT, bots.trust_bot, Access.ADMIN, changes=True),
    Operation(admin.READ_BOT_LOG, bots.read_bot_log, Access.OWNER),
    Operation(admin.CREATE_LADDER, ladders.create_ladder, Access.ADMIN, changes=True),
    Operation(admin.CLOSE_LADDER, ladders.close_ladder, Access.ADMIN, changes=True),
    Operation(admin.REBUILD_LADDER, audits.rebuild_ladder, Access.ADMIN, changes=True),
    Operation(admin.AUDIT_LADDER, audits.audit_ladder, Access.ADMIN),
    Watch(admin.AUDIT_RECORDS, audits.audit_records, Access.ADMIN),
    Operation(admin.FIND_TRADES, audits.find_trades, Access.ADMIN),
    Operation(admin.START_SEASON, rulings.start_season, Access.ADMIN, changes=True),
    Operation(admin.PURGE_MATCHES, rulings.purge_matches, Access.ADMIN, changes=True),
    Operation(admin.UNDO_PURGE, rulings.undo_purge, Access.ADMIN, changes=True),
    Operation(admin.ACCEPT_LOSS, rulings.accept_loss, Access.ADMIN, changes=True),
    Watch(admin.EXPORT_LADDER, audits.export_ladder, Access.ADMIN),
    Watch(admin.REPORT_LADDER, audits.report_ladder, Access.ADMIN),
    Operation(tournament.CREATE_TOURNAMENT, tournaments.create_tournament, Access.ADMIN, changes=True),
    Operation(tournament.RESUME_TOURNAMENT, tournaments.resume_tournament, Access.ADMIN, changes=True),
    Operation(tournament.GET_TOURNAMENT, tournaments.get_tournament, Access.ADMIN),
    Operation(admin.INSPECT_QUEUE, queue.inspect_queue, Access.ADMIN),
    Operation(admin.LIST_DEAD_LETTERS, queue.list_dead_letters, Access.ADMIN),
    Operation(admin.REQUEUE_DEAD_LETTERS, queue.requeue_dead_letters, Access.ADMIN, changes=True),
    Operation(admin.DISCARD_DEAD_LETTER, queue.discard_dead_letter, Access.ADMIN, changes=True),
    Operation(admin.CANCEL_MATCH, queue.cancel_match, Access.ADMIN, changes=True),
    Operation(admin.DIAGNOSE, diagnose, Access.ADMIN),
    Operation(admin.DRAIN, queue.drain, Access.ADMIN),
)

_BY_PATH = {operation.method.path: operation for operation in OPERATIONS}


def operation_of(method: Method[Any, Any]) -> Operation[Any, Any] | Watch[Any, Any]:
    """Return what answers a call."""
    return _BY_PATH[method.path]
