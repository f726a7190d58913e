"""What operations work on: the parts of an installation that lie in its store and its data folder.

A running server hands its own parts over; `opened` puts them together for a command that finds no server running.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from agon_server.accounts import Accounts
from agon_server.archive.archive import Archive
from agon_server.config import ServerConfig
from agon_server.lobby.presence import Presence
from agon_server.queue.desk import Desk
from agon_server.queue.queue import Queue
from agon_server.queue.results import Results


@dataclass(frozen=True, slots=True, kw_only=True)
class Installation:
    """The parts of an installation."""

    config: ServerConfig
    accounts: Accounts
    presence: Presence
    queue: Queue
    desk: Desk
    results: Results
    archive: Archive
    drain: Callable[[], int] | None = None
    """Lets the server that runs here end, and returns how many matches still run; None where none does."""
