"""What operators ask of the queue: how full it is, what is in it, dead letters and what to do with them."""

from __future__ import annotations

from agon_server.queue.claim import Cancelled, DeadLetter, Depth, Listed
from agon_server.store.connection import Store


class Desk:
    """The queue as an operator uses it."""

    def __init__(self, store: Store) -> None:
        raise NotImplementedError

    async def depth(self) -> Depth:
        """Return how full the queue is; one call, for metrics."""
        raise NotImplementedError

    async def ls(self, limit: int = 1_000) -> list[Listed]:
        """List matches in the queue, those that run first, oldest first."""
        raise NotImplementedError

    async def dead(self) -> list[DeadLetter]:
        """List the dead letters, oldest first."""
        raise NotImplementedError

    async def requeue(self, match: str) -> str | None:
        """Play a dead letter as a new match (new id, next attempt; with fresh deals a new seed) and return its id.

        Its seats go to any connected process of their bots. Return None while a slot is not free; it stays a dead
        letter then. Raise UnknownMatchError when there is no such letter or it could never be understood, and
        DuplicateMatchError when its place is being played again already.
        """
        raise NotImplementedError

    async def requeue_all(self) -> tuple[list[str], list[str]]:
        """Requeue every dead letter; return the new ids and the letters that had to stay."""
        raise NotImplementedError

    async def discard(self, match: str) -> None:
        """Throw a dead letter away. Raise UnknownMatchError when there is none."""
        raise NotImplementedError

    async def cancel(self, match: str, reason: str) -> Cancelled:
        """End a match on the organiser's behalf: at once while it waits, else by its referee's next renewal."""
        raise NotImplementedError
