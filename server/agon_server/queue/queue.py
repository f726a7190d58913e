"""The queue of matches that can start now: enqueue, claim under a lease, renew, finish once. Each step is one script of
the store, so that a process that dies between any two steps loses nothing and doubles nothing.

What operators ask of the queue lives in `desk`, what reads its results in `results`.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from agon_engine.core.policy import Termination
from agon_server.queue.claim import Claim, Dead, Finished, Lease, Running, Whereabouts
from agon_server.queue.entry import MatchEntry
from agon_server.store.connection import Store


class Queue:
    """The queue as one server process uses it."""

    def __init__(
        self, store: Store, *, server: str, address: str = "", lease_ms: int = 10_000, max_deliveries: int = 5
    ) -> None:
        """`server` is the name under which matches are claimed (and taken back after a restart), `address` where its
        referee can be reached as HOST:PORT (empty: by this process alone)."""
        raise NotImplementedError

    async def enqueue(self, entry: MatchEntry) -> bool:
        """Queue a match and reserve a slot of each seat's bot process: all or nothing.

        Return False when a slot is not free (or a bot is offline or suspended). Raise DuplicateMatchError when the
        match, or its place in the block, was queued before.
        """
        raise NotImplementedError

    async def claim(self, games: Collection[tuple[str, int]], block_ms: int = 0) -> Claim | Dead | None:
        """Take the next match of the given (game, version)s: at first what this server had before its restart, then
        what has an expired lease, then what is new. Wait up to `block_ms` for one; None when none came.

        A Dead is a match that could not be delivered any more (too many deliveries, not understood): tell its seats.
        May be cancelled at any time. One caller at a time. After a stall longer than the lease a server may be given a
        match that it still runs, with a higher epoch: then its older claim is lost.
        """
        raise NotImplementedError

    async def renew(self, claim: Claim, progress: int) -> Lease:
        """Keep a claim alive; `progress` is the number of decisions so far."""
        raise NotImplementedError

    async def renew_many(self, claims: Sequence[tuple[Claim, int]]) -> list[Lease]:
        """Keep many claims alive in one call, each with its progress; answers in the same order."""
        raise NotImplementedError

    async def release(self, claim: Claim) -> bool:
        """Give a match back unfinished: the next claim of any server gets it at once, and no delivery is counted.

        False when the claim was lost already.
        """
        raise NotImplementedError

    async def finish(self, claim: Claim, *, record: str, record_hash: str, termination: Termination) -> Finished:
        """End a match: store its record as a result, free the slots, take it off the queue, all at once.

        `record` is the record's line without the line's end. The first record wins; may be repeated after a lost
        answer.
        """
        raise NotImplementedError

    async def bury(self, claim: Claim, reason: str) -> bool:
        """Make a claimed match a dead letter, for example since it cannot be set up. False when the claim was lost."""
        raise NotImplementedError

    async def running_of(self, bot: str, instance: str) -> list[Running]:
        """Return the seats that this process of the bot has in running matches, to offer them again."""
        raise NotImplementedError

    async def whereabouts(self, match: str) -> Whereabouts:
        """Tell where a match is now."""
        raise NotImplementedError

    async def deal_is_open(self, block: str) -> bool:
        """Tell whether a shared deal is still secret: a match with it is left to play."""
        raise NotImplementedError

    async def close_deal(self, block: str) -> None:
        """Let a shared deal be shown although places of its block were never played (its ladder was closed)."""
        raise NotImplementedError

    async def leave(self) -> None:
        """Take this server out of the consumer groups in which it holds no match (at its end)."""
        raise NotImplementedError
