"""What operators ask of the queue: how full it is, what is in it, dead letters and what to do with them."""

from __future__ import annotations

import json
import secrets
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import replace

from agon_engine.core.record import Deals
from agon_server.presence import Presence, Present
from agon_server.queue.claim import Cancelled, DeadLetter, Depth, Listed, Phase, SetAside
from agon_server.queue.entry import MatchEntry, SeatEntry
from agon_server.queue.results import order
from agon_server.queue.submit import submit
from agon_server.store import keys
from agon_server.store.connection import Store
from agon_server.store.errors import DuplicateMatchError, QueueEntryError, UnknownMatchError

MAX_LOOKED = 1_000
"""Entries of one game's queue that a list looks at."""
_PAGE = 100
"""Matches that one call lists, so that it holds neither the store nor this process up."""
_KEPT_PAGE = 50
"""The same for dead letters, whose entries are read."""


class Desk:
    """The queue as an operator uses it."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._presence = Presence(store)

    async def depth(self) -> Depth:
        """Return how full the queue is; one call, for metrics."""
        return Depth(*await self._store.script("depth"))

    async def ls(self, limit: int = 1_000, *, of_ladders: bool = False) -> list[Listed]:
        """List matches in the queue, or those of ladders alone; without their seeds. Those that run come first, then
        the oldest. Of each game no more than the oldest `MAX_LOOKED` are looked at.
        """
        now = await self._store.now_ms()
        found: list[Listed] = []
        for stream in sorted(await self._store.command("SMEMBERS", keys.QUEUES)):
            found += await self._ls_stream(stream, limit, now, of_ladders=of_ladders)
        found.sort(key=lambda listed: (listed.phase is Phase.WAITING, -listed.age_ms))
        return found[:limit]

    async def _ls_stream(self, stream: bytes, limit: int, now: int, *, of_ladders: bool) -> list[Listed]:
        found: list[Listed] = []
        cursor, looked = b"0-0", 0
        while len(found) < limit and looked < MAX_LOOKED:
            page = await self._store.script("list_queue", stream, cursor, min(_PAGE, MAX_LOOKED - looked))
            if not page:
                break
            listed = [item for row in page if (item := _listed(row, now)) is not None]
            found += [item for item in listed if item.ladder or not of_ladders]
            cursor, looked = page[-1][0], looked + len(page)
        return found

    async def find(self, match: str) -> Listed | None:
        """Return one match that waits or runs; how long ago its lease was renewed is not asked (0)."""
        flat = await self._store.command("HGETALL", keys.MATCH + match)
        return _listed([b"", match.encode(), b"0", *flat], await self._store.now_ms())

    async def dead_letter(self, match: str) -> DeadLetter | None:
        """Return one dead letter."""
        value = await self._store.command("HGET", keys.DEAD, match)
        return None if value is None else _letter(match.encode(), value)

    async def dead(self) -> list[DeadLetter]:
        """List the dead letters, oldest first."""
        letters = {name: _letter(name, value) async for name, value in self._kept(keys.DEAD)}
        return sorted(letters.values(), key=lambda letter: (letter.when, letter.match))

    async def set_aside(self) -> list[SetAside]:
        """List the results that no ladder could take, oldest first."""
        found = {name: SetAside(name.decode(), **json.loads(value)) async for name, value in self._kept(keys.SET_ASIDE)}
        return sorted(found.values(), key=lambda item: order(item.id))

    async def dropped(self) -> tuple[int, int]:
        """Return how many dead letters and how many results to set aside were not kept, since too many are already."""
        counts = await self._store.command("HMGET", keys.DROPPED, keys.DEAD, keys.SET_ASIDE)
        return int(counts[0] or 0), int(counts[1] or 0)

    async def _kept(self, key: str) -> AsyncIterator[tuple[bytes, bytes]]:
        """Iterate over a hash, some at a time; what is given twice is the same."""
        cursor = b"0"
        while True:
            cursor, flat = await self._store.command("HSCAN", key, cursor, "COUNT", _KEPT_PAGE)
            for name, value in zip(flat[::2], flat[1::2], strict=True):
                yield name, value
            if cursor == b"0":
                return

    async def requeue(self, match: str) -> str | None:
        """Play a dead letter as a new match (new id, next attempt; with fresh deals a new seed) and return its id.

        Its seats go to any connected process of their bots. Return None while a slot is not free; it stays a dead
        letter then. Raise UnknownMatchError when there is no such letter or it could never be understood, and
        DuplicateMatchError when its place is being played again already.
        """
        letter = await self.dead_letter(match)
        if letter is None:
            raise UnknownMatchError(f"there is no dead letter {match!r}")
        entry = letter.entry
        if entry is None:
            raise UnknownMatchError(f"the dead letter has no entry that could be played {match!r}")

        seed = entry.seed if entry.deals is Deals.SHARED else secrets.token_hex(16)
        again = replace(entry.again(seed=seed), seats=_seated(entry.seats, await self._presence.online()))
        return again.match if await submit(self._store, again, replaces=match) else None

    async def requeue_all(self) -> tuple[list[str], list[str]]:
        """Requeue every dead letter; return the new ids and those that stayed, for any of `requeue`'s reasons."""
        new: list[str] = []
        stayed: list[str] = []
        for letter in await self.dead():
            try:
                match = await self.requeue(letter.match)
            except (UnknownMatchError, DuplicateMatchError):
                match = None
            if match is None:
                stayed.append(letter.match)
            else:
                new.append(match)
        return new, stayed

    async def discard(self, name: str) -> None:
        """Throw away a dead letter, or the note of a result that is set aside. Raise UnknownMatchError without one."""
        for key in (keys.DEAD, keys.SET_ASIDE):
            if await self._store.command("HDEL", key, name):
                return
        raise UnknownMatchError(f"there is no dead letter and no result set aside of that id {name!r}")

    async def cancel(self, match: str, reason: str) -> Cancelled:
        """End a match on the organiser's behalf: at once while it waits, else by its referee's next renewal."""
        return Cancelled((await self._store.script("cancel", match, reason)).decode())


def _letter(name: bytes, value: bytes) -> DeadLetter:
    data = json.loads(value.decode("utf-8", "replace"))
    try:
        entry = MatchEntry.from_json(data["entry"])
    except QueueEntryError:
        entry = None
    return DeadLetter(name.decode("utf-8", "replace"), data["reason"], int(data["when"]), int(data["epoch"]), entry)


def _listed(row: list[bytes], now: int) -> Listed | None:
    """Read one row of `list_queue`; None where the entry was not put there by the queue."""
    _, match, idle, *flat = row
    state = {name.decode(): value.decode() for name, value in zip(flat[::2], flat[1::2], strict=True)}
    if not state:
        return None
    facts = json.loads(state["facts"])
    return Listed(
        match=match.decode(),
        phase=Phase.RUNNING if "owner" in state else Phase.WAITING,
        game=facts["game"],
        version=facts["version"],
        ladder=facts["ladder"],
        block=facts["block"],
        index=facts["index"],
        attempt=facts["attempt"],
        bots=tuple(keys.split_place(place)[0] for place in json.loads(state["seats"])),
        age_ms=max(0, now - int(state["queued"])),
        owner=state.get("owner", ""),
        epoch=int(state["epoch"]),
        deliveries=int(state["deliveries"]),
        progress=int(state["progress"]),
        idle_ms=max(0, int(idle)),
    )


def _seated(seats: tuple[SeatEntry, ...], online: list[Present]) -> tuple[SeatEntry, ...]:
    """Give each seat a process of its bot with a free slot, if possible the one that it had."""
    taken: Counter[str] = Counter()
    seated = []
    for seat in seats:
        free = [
            present.instance
            for present in online
            if present.bot == seat.bot and present.free > taken[keys.place(present.bot, present.instance)]
        ]
        if free and seat.instance not in free:
            seat = replace(seat, instance=free[0])
        taken[seat.place] += 1
        seated.append(seat)
    return tuple(seated)
