"""The results stream: every ended match once, in the order that ladder and archive have for ever. Readers keep their
own cursors in the store; what all of them have taken may be trimmed."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from agon_engine.core.policy import Termination
from agon_server.store.connection import Store

START = "0-0"
"""The cursor before the first result."""


class Kind(StrEnum):
    """What a result tells of."""

    PLAYED = "played"
    DEAD = "dead"
    """It became a dead letter: no record, its slots are free, its place in the block is not played."""
    CANCELLED = "cancelled"
    """It was cancelled before any referee had it: no record."""


@dataclass(frozen=True, slots=True)
class Result:
    """One ended match."""

    id: str
    """In the stream, `MS-N`; later results have greater ids (compare with `order`)."""
    kind: Kind
    match: str
    game: str
    version: int
    ladder: str
    block: str
    index: int
    attempt: int
    rated: bool
    """Whether it counts: queued as rated, and its termination does."""
    termination: Termination
    ended: int
    """Milliseconds since 1970, by the store's clock."""
    server: str
    """Who ran it last; empty where nobody did."""
    epoch: int
    reason: str
    """Why it is dead or cancelled."""
    record_hash: str
    record: str
    """The record's line; empty unless played."""
    plays_again: bool
    """Whether its place in the block is to be played again."""

    @property
    def order(self) -> tuple[int, int]:
        """The id as numbers, which compare."""
        return order(self.id)


def order(cursor: str) -> tuple[int, int]:
    """Return a cursor as numbers, which compare."""
    first, _, second = cursor.partition("-")
    return int(first), int(second)


class Results:
    """A reader's access to the results stream."""

    def __init__(self, store: Store) -> None:
        raise NotImplementedError

    async def after(self, cursor: str, count: int = 100) -> list[Result]:
        """Return up to `count` results after the cursor, in order."""
        raise NotImplementedError

    async def wait_after(self, cursor: str, block_ms: int, count: int = 100) -> list[Result]:
        """As `after`, but wait up to `block_ms` for the first one. May be cancelled at any time."""
        raise NotImplementedError

    async def last_id(self) -> str:
        """Return the id of the newest result there ever was (`0-0`: none yet)."""
        raise NotImplementedError

    async def find(self, match: str) -> Result | None:
        """Return the result of a played match while the stream has it; older ones are in the archive."""
        raise NotImplementedError

    async def register(self, reader: str) -> str:
        """Announce a reader before it reads, so that nothing is trimmed before it has taken it; return its cursor."""
        raise NotImplementedError

    async def advance(self, reader: str, cursor: str) -> None:
        """Say that the reader has taken all results up to the cursor for good. Never goes back."""
        raise NotImplementedError

    async def readers(self) -> dict[str, str]:
        """Return all readers with their cursors."""
        raise NotImplementedError

    async def forget(self, reader: str) -> None:
        """Remove a reader that will not come back, so that it holds up no trimming."""
        raise NotImplementedError

    async def trim(self, keep: int = 10_000) -> int:
        """Remove what all readers have taken, but for the newest `keep`; return how many went.

        Does nothing before there is an archive among the readers.
        """
        raise NotImplementedError
