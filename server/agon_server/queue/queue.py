"""The queue of matches that can start now: enqueue, claim under a lease, renew, finish once. Each step is one script of
the store, so that a process that dies between any two steps loses nothing and doubles nothing.

What operators ask of the queue lives in `desk`, what reads its results in `results`.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

from agon_engine.core.policy import RATED_TERMINATIONS, Result
from agon_server.queue.claim import Claim, Dead, Finish, Finished, Lease, Phase, Running, Whereabouts
from agon_server.queue.entry import MatchEntry
from agon_server.queue.outcome import Outcome
from agon_server.queue.submit import queued_args, shared_deal, submit, submit_many
from agon_server.store import keys
from agon_server.store.connection import MAX_BLOCK_MS, Store, Waiter
from agon_server.store.errors import QueueEntryError, StoreUnavailableError
from agon_server.store.script_line import ScriptLine, packed

_START = "0-0"
_AT_ONCE = 200
"""Claims that one call renews or releases; more are by several, so that no call holds the store up."""


_ENQUEUED_AT_ONCE = 32
CLAIMED_AT_ONCE = 16
"""Matches that one claim takes at most: what has journals is to be replayed."""
_RESTORED_AT_ONCE = 20
NO_RECORD = "-"
"""What stands for the hash of the record where a result has none, as that of a dead letter."""


class Queue:
    """The queue as one server process uses it."""

    def __init__(
        self, store: Store, *, server: str, address: str = "", lease_ms: int = 10_000, max_deliveries: int = 5
    ) -> None:
        """`server` is the name under which matches are claimed (and taken back after a restart), `address` where its
        referee can be reached as HOST:PORT (empty: by this process alone)."""
        self._store = store
        self._server = server
        self._address = address
        self._lease_ms = lease_ms
        self._max_deliveries = max_deliveries
        self._claiming = asyncio.Lock()
        self._waiter: Waiter | None = None
        self._own: dict[str, str] = {}
        """By stream the cursor of what this server had before its restart; empty once it has all of it."""
        self._ends: dict[str, bytes] = {}
        """By stream the last id as of a look that left nothing to take; empty where the next look comes first."""
        self._turn = 0

    async def enqueue(self, entry: MatchEntry) -> bool:
        """Queue a match and reserve a slot of each seat's bot process: all or nothing.

        Return False when a slot is not free (or a bot is offline or suspended). Raise DuplicateMatchError when the
        match, or its place in the block, was queued before.
        """
        return await submit(self._store, entry)

    async def enqueue_many(self, entries: Sequence[MatchEntry], *, token: int | None = None) -> list[str]:
        """Queue matches as `enqueue` does each, some in one call; return under which id each one's place is queued.

        That is its own, or that of a match that was queued for the place before; empty where a slot is not free.
        `token` is that of the lease under which they were paired: raise FencedError where there is a newer one.
        """
        found: list[str] = []
        for start in range(0, len(entries), _ENQUEUED_AT_ONCE):
            some = entries[start : start + _ENQUEUED_AT_ONCE]
            for entry, (what, name) in zip(some, await submit_many(self._store, some, token=token), strict=True):
                found.append({"queued": entry.match, "duplicate": name}.get(what, ""))
        return found

    # -- claims --------------------------------------------------------------------------------------------------

    async def claim(self, games: Collection[tuple[str, int]], block_ms: int = 0) -> Claim | Dead | None:
        """Take the next match as `claim_many` does."""
        taken = await self.claim_many(games, 1, block_ms)
        return taken[0] if taken else None

    async def claim_many(self, games: Collection[tuple[str, int]], most: int, block_ms: int = 0) -> list[Claim | Dead]:
        """Take up to `most` matches of the given (game, version)s: at first what this server had before its restart,
        then what has an expired lease, then what is new. Wait up to `block_ms` for the first one; none when none came.

        A Dead is a match that could not be delivered any more (too many deliveries, not understood): tell its seats.
        May be cancelled at any time; what a cancelled call had taken is delivered again when its lease has expired.
        After a stall longer than the lease a server may be given a match that it still runs, with a higher epoch: then
        its older claim is lost.
        """
        streams = sorted(keys.queue_stream(name, version) for name, version in games)
        if not streams:
            raise ValueError(f"a claim names at least one game, not {games!r}")

        loop = asyncio.get_running_loop()
        deadline = loop.time() + block_ms / 1000
        async with self._claiming:
            left_ms = block_ms
            while True:
                ends, self._ends = self._ends, {}
                if left_ms > 0 and ends.keys() == set(streams):
                    await self._wait_for_new(min(left_ms, self._lease_ms // 2 + 1, MAX_BLOCK_MS), ends)
                self._turn += 1
                first = self._turn % len(streams)
                order = streams[first:] + streams[:first]
                taken, last_ids = await self._take(order, most)
                if last_ids:
                    self._ends = dict(zip(order, last_ids, strict=True))
                left_ms = int((deadline - loop.time()) * 1000)
                if taken or left_ms <= 0:
                    return taken

    async def _take(self, streams: list[str], most: int) -> tuple[list[Claim | Dead], list[bytes]]:
        """Take matches; where that leaves none, return the last id of each stream too."""
        cursors = [item for stream in streams for item in (stream, self._own.get(stream, _START))]
        has_own, found, last_ids = await self._store.script(
            "claim",
            self._server,
            self._address,
            # While the store was away nobody could renew a lease, though the store's clock went on.
            self._lease_ms + int(self._store.state.absent(self._lease_ms / 1_000) * 1_000),
            self._max_deliveries,
            min(most, CLAIMED_AT_ONCE),
            *cursors,
        )
        if has_own:
            self._own.update(dict.fromkeys(streams, ""))
        taken: list[Claim | Dead] = []
        for what, stream, entry_id, match, epoch, detail, entry, *more in found:
            if not has_own:
                self._own[stream.decode()] = entry_id.decode()
            if what == b"dead":
                taken.append(Dead(match.decode("utf-8", "replace"), detail.decode(), epoch, _read_or_none(entry)))
            else:
                servers, journal = more
                claim = await self._understand(stream, entry_id, match, epoch, detail, entry)
                if isinstance(claim, Claim):
                    claim = replace(claim, servers=tuple(servers.decode().split()), journal=tuple(journal))
                taken.append(claim)
        return taken, last_ids

    async def _understand(
        self, stream: bytes, entry_id: bytes, match: bytes, epoch: int, deliveries: int, raw: bytes
    ) -> Claim | Dead:
        name = match.decode("utf-8", "replace")
        try:
            entry = MatchEntry.from_json(raw)
            if entry.match != name:
                raise QueueEntryError(f"the entry of match {name} is that of another, {entry.match!r}")
            if keys.queue_stream(entry.game, entry.version) != stream.decode():
                raise QueueEntryError(f"the entry lies in the queue of another game, {stream.decode()!r}")
        except QueueEntryError as error:
            reason = f"not understood: {error}"
            await self._store.script("bury", self._server, match, epoch, raw, reason)
            return Dead(name, reason, epoch, None)
        return Claim(entry, epoch, deliveries, stream.decode(), entry_id.decode())

    async def _wait_for_new(self, block_ms: int, ends: dict[str, bytes]) -> None:
        if self._waiter is None:
            self._waiter = self._store.waiter()
        await self._waiter.command("XREAD", "COUNT", 1, "BLOCK", block_ms, "STREAMS", *ends, *ends.values())

    # -- what becomes of a claim ---------------------------------------------------------------------------------

    async def renew_many(self, claims: Sequence[tuple[Claim, int]]) -> list[Lease]:
        """Keep many claims alive in one call, each with its progress (the number of its decisions so far); answers in
        the same order."""
        leases: list[Lease] = []
        for start in range(0, len(claims), _AT_ONCE):
            args: list[str | int] = []
            for claim, progress in claims[start : start + _AT_ONCE]:
                args += (claim.entry.match, claim.epoch, progress)
            leases += map(Lease, await self._store.script("renew", self._server, *args))
        return leases

    async def restore_many(self, claims: Sequence[tuple[Claim, Sequence[str]]], *, early: bool = False) -> list[str]:
        """Write claims again, each with the lines of its journal, where the store may have lost them, or even that the
        match was queued. Return for each why it is no longer ours, empty where it is. `early`: before the store is let
        through to all others again.

        Raise StoreUnavailableError where the store does not know the installation any more.
        """
        answers: list[str] = []
        for start in range(0, len(claims), _RESTORED_AT_ONCE):
            args: list[str | int] = []
            some = claims[start : start + _RESTORED_AT_ONCE]
            for claim, lines in some:
                args += (*queued_args(claim.entry), claim.entry_id, claim.epoch, claim.deliveries)
                args += (" ".join(claim.servers), len(lines), *lines)
            calls = self._store.early if early else self._store
            found = await calls.script("restore", self._server, self._address, self._store.mark, *args)
            if len(found) != len(some):
                raise StoreUnavailableError("the store does not know this installation any more")
            answers += [why[0].decode() if why else "" for _, *why in found]
        return answers

    async def release_many(self, claims: Sequence[Claim]) -> list[bool]:
        """Give matches back unfinished: the next claim of any server gets them, and this delivery is not counted.

        Answers in the same order; False where a claim was lost already.
        """
        held: list[bool] = []
        for start in range(0, len(claims), _AT_ONCE):
            args: list[str | int] = []
            for claim in claims[start : start + _AT_ONCE]:
                args += (claim.entry.match, claim.epoch)
            held += map(bool, await self._store.script("release", self._server, *args))
        return held

    async def finish(self, claim: Claim, *, record: str, record_hash: str, result: Result) -> Finished:
        """End a match: store its record as a result, free the slots, take it off the queue, all at once.

        `record` is the record's line without the line's end, and `result` what it says of the end. The first record
        wins; may be repeated after a lost answer.
        """
        entry, termination = claim.entry, result.termination
        outcome = Outcome(tuple(seat.bot for seat in entry.seats), tuple(result.placements), tuple(result.seats))
        status, deal_over = await self._store.script(
            "finish",
            self._server,
            entry.match,
            claim.epoch,
            record_hash,
            record,
            termination.value,
            int(entry.rated and termination in RATED_TERMINATIONS),
            int(entry.plays_again(termination)),
            shared_deal(entry),
            json.dumps(outcome.to_json(), separators=(",", ":")),
        )
        return Finished(Finish(status.decode()), bool(deal_over))

    async def is_kept(self, match: str, record_hash: str) -> bool:
        """Return, once it is on disk, whether the store has this result: one that was started again meanwhile may have
        lost it, and then it is to be stored again."""
        await self._store.wait_durable()
        (known,) = await self._store.command("MGET", keys.RESULT + match)  # none where a key of another type is
        return known is not None and known.endswith(f" {record_hash}".encode())

    async def bury(self, claim: Claim, reason: str) -> bool:
        """Make a claimed match a dead letter, for example since it cannot be set up. False when the claim was lost."""
        entry = claim.entry
        return bool(await self._store.script("bury", self._server, entry.match, claim.epoch, entry.to_json(), reason))

    async def leave(self) -> None:
        """Take this server out of the consumer groups in which it holds no match, and close (at its end)."""
        await self.aclose()
        await self._store.script("leave", self._server)

    async def aclose(self) -> None:
        """Close the connection that waits for matches; the store's own stays open."""
        if self._waiter is not None:
            await self._waiter.aclose()
            self._waiter = None

    def journal_line(self) -> tuple[ScriptLine, str]:
        """Return the way to the script that stores entries of journals, and this server's name as it wants it."""
        return self._store.script_line("journal"), packed(self._server)

    # -- questions -----------------------------------------------------------------------------------------------

    async def running_of(self, bot: str, instance: str) -> list[Running]:
        """Return the seats that this process of the bot has in running matches, to offer them again."""
        flat = await self._store.command("HGETALL", keys.RUNNING + bot)
        found = []
        for name, value in zip(flat[::2], flat[1::2], strict=True):
            held, match, seat = name.decode().rsplit("/", 2)
            if held == instance:
                found.append(Running(match=match, seat=int(seat), **json.loads(value)))
        return sorted(found, key=lambda running: (running.match, running.seat))

    async def whereabouts(self, match: str) -> Whereabouts:
        """Tell where a match is now."""
        phase, owner, address, epoch = await self._store.script("whereabouts", match)
        return Whereabouts(Phase(phase.decode()), owner.decode(), address.decode(), epoch)

    async def deal_is_open(self, block: str) -> bool:
        """Tell whether a shared deal is still secret: a match with it is left to play."""
        return bool(await self._store.command("EXISTS", keys.DEAL + block))

    async def block_is_open(self, block: str, ladder: str) -> bool:
        """Tell whether matches of a block are left to play, wait or run."""
        return bool(await self._store.script("block_open", block, ladder))


def _read_or_none(raw: Any) -> MatchEntry | None:
    try:
        return MatchEntry.from_json(raw)
    except QueueEntryError:
        return None
