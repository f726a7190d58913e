"""What operations work on: the parts of an installation that lie in its store and its data folder.

A running server makes one of the parts it has; `opened` makes one for a command that finds no server running.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import ParamSpec, TypeVar

from agon_ladder.audit import Tally
from agon_server.accounts import Accounts
from agon_server.archive.archive import Archive
from agon_server.config import ServerConfig
from agon_server.files import Files
from agon_server.ladders.catalogue import Catalogue
from agon_server.ladders.history import History
from agon_server.ladders.rebuild import Auditor, Audits
from agon_server.ladders.standings import StandingsReader
from agon_server.ladders.tournament_standings import TournamentReader
from agon_server.presence import Presence
from agon_server.queue.desk import Desk
from agon_server.queue.queue import Queue
from agon_server.queue.results import Results
from agon_server.retirements import Retirements
from agon_server.store.connection import Store

P = ParamSpec("P")
T = TypeVar("T")


def one_thread() -> ThreadPoolExecutor:
    """Return a background thread, started when it is first needed.

    One alone, since each that computes can hold up the loop for as long as the interpreter lets a thread run (5 ms).
    """
    return ThreadPoolExecutor(1, "agon-background")


@dataclass(frozen=True, slots=True, kw_only=True)
class Installation:
    """The parts of an installation."""

    config: ServerConfig
    store: Store
    accounts: Accounts
    presence: Presence
    queue: Queue
    desk: Desk
    results: Results
    archive: Archive
    drain: Callable[[], int] | None = None
    """Lets the server that runs here end, and returns how many matches still run; None where none does."""
    background: ThreadPoolExecutor = field(default_factory=one_thread)
    """The one thread for what would hold up the loop that plays: disk, whole records, long answers."""
    audits: Audits | None = None
    """What audits and rebuilds run in beside a loop that plays; None: they run here and now."""
    tally: Callable[[str], Tally | None] = lambda _: None
    """What this process has counted of a ladder for its metrics; None where it does not fold."""
    catalogue: Catalogue = field(init=False)
    files: Files = field(init=False)
    retirements: Retirements = field(init=False)
    standings: StandingsReader = field(init=False)
    tournaments: TournamentReader = field(init=False)
    auditor: Audits = field(init=False)

    def __post_init__(self) -> None:
        catalogue = Catalogue(self.store)
        made = {
            "catalogue": catalogue,
            "files": Files(self.store),
            "retirements": Retirements(self.store),
            "standings": StandingsReader(self.store, catalogue),
            "tournaments": TournamentReader(self.store),
            "auditor": self.audits or Auditor(self.store, catalogue, History(self.results, self.archive)),
        }
        for name, part in made.items():
            object.__setattr__(self, name, part)

    async def in_background(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Do work in the background thread."""
        return await asyncio.get_running_loop().run_in_executor(self.background, partial(work, *args, **kwargs))
