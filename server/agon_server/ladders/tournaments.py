"""Tournaments among the ladders: a tournament is a ladder whose blocks follow from a schedule, and that ends. Its
matches are queued, rated and kept like all others; what is apart is here: which block is opened next, and what was
played.

Deals follow from a secret that is drawn when a tournament is made and kept in its store alone: never from the seed of
the organiser's file, which bots could have read, and yet the same ones whatever is killed meanwhile.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from agon_engine.core.chance import SEED_BYTES, Chance
from agon_engine.core.record import Deals
from agon_ladder.errors import LadderError, ResultError
from agon_ladder.pairing.blocks import OpenBlock
from agon_ladder.pairing.schedules.deals import deal_seed
from agon_ladder.results import MatchResult
from agon_server.ladders.definitions import LadderDef
from agon_server.store import keys
from agon_server.store.connection import Store
from agon_server.tournaments.places import Place, read_block_id
from agon_server.tournaments.played import Reading, given_up_field, match_field
from agon_server.tournaments.progress import Progress

log = logging.getLogger(__name__)

MAX_ASIDE = 1_000
"""Blocks of a tournament that are passed since a bot of theirs is absent; then the first of them is waited for."""


class Tournaments:
    """The tournaments of a store, as the one process that pairs knows them."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._running: dict[str, _Running] = {}
        self._played: list[tuple[str, str, str]] = []
        """What is to be stored: ladder, field and value."""

    async def begin(self, ladders: Iterable[LadderDef]) -> None:
        """Read again what was played of those of the ladders that are tournaments; results of others change nothing."""
        self._running, self._played = {}, []
        for ladder in ladders:
            try:
                await self.know(ladder)
            except LadderError as error:
                log.error("tournament %s does not go on, since what was played cannot be read: %s", ladder.name, error)

    async def know(self, ladder: LadderDef) -> None:
        """Read what was played of a ladder that is a tournament, unless that is known; open its next round where it is
        due, beside the loop, which plays."""
        if ladder.schedule is not None and ladder.name not in self._running:
            progress = await read_progress(self._store, ladder)
            progress.opens_rounds = False
            self._running[ladder.name] = _Running(progress, await deals_of(self._store, ladder.name))

        running = self._running.get(ladder.name)
        if running is not None and running.progress.awaits_round:
            await asyncio.to_thread(running.progress.open_round)

    def is_over(self, ladder: str) -> bool:
        """Tell whether nothing of a tournament is left to play."""
        return ladder in self._running and self._running[ladder].progress.is_over

    def forget(self, ladder: str) -> None:
        """Keep nothing more of a tournament that is over."""
        self._running.pop(ladder, None)

    def refusal(self, block: OpenBlock, result: MatchResult) -> str:
        """Return why a result cannot be one of its tournament; empty where it can."""
        running = self._running.get(block.ladder)
        if running is None:
            return ""

        try:
            running.progress.check(read_block_id(block.scheduled, result.place), result.bots, result.placements)
        except ResultError as error:
            return str(error)
        return ""

    def take(self, block: OpenBlock, result: MatchResult) -> None:
        """Note a result that counts, and that is not refused. What was noted before changes nothing."""
        running = self._running.get(block.ladder)
        if running is None:
            return

        where = read_block_id(block.scheduled, result.place)
        if running.progress.take(where, result.bots, result.placements):
            self._played.append((block.ladder, *match_field(where, result.placements)))

    def give_up(self, block: OpenBlock) -> None:
        """Note that nothing of a block is played any more."""
        running = self._running.get(block.ladder)
        if running is not None:
            where = read_block_id(block.scheduled, 0)
            running.progress.give_up(where)
            self._played.append((block.ladder, *given_up_field(where)))

    def deal_seed(self, ladder: str, block: str, place: int, attempt: int, deals: Deals) -> str:
        """Return the secret seed of a match's deal, in hex, or of its block's where that is shared. Another attempt has
        another deal, since the first one was seen."""
        where = read_block_id(block, place)
        return deal_seed(self._running[ladder].deals, *where, attempt, deals)

    def to_store(self) -> list[str]:
        """Return what has changed, as `ladder_blocks` is told it."""
        return [item for played in self._played for item in played]

    def stored(self) -> None:
        """Note that all of it is stored."""
        self._played = []

    def next_blocks(
        self, ladder: LadderDef, blocks: Sequence[OpenBlock], is_here: Callable[[Sequence[str]], bool]
    ) -> Iterator[tuple[Place, tuple[str, ...]]]:
        """Iterate over the places and line-ups of blocks to open now: whose bots are all here, and so many that the
        tournament's concurrency is not exceeded by more than a block. `blocks` are its open ones."""
        assert ladder.schedule is not None
        running = self._running[ladder.name]
        pending = sum(block.pending for block in blocks if is_here(block.bots))
        opened = {block.scheduled for block in blocks}
        while pending < ladder.schedule.concurrency:
            found = running.next_block(opened, is_here)
            if found is None:
                return
            pending += running.progress.places
            yield found, running.progress.bots(found)


@dataclass(slots=True)
class _Running:
    """One tournament: how far it has come, and how far its schedule was gone through."""

    progress: Progress
    deals: Chance
    """What its deals follow from."""
    feed: Iterator[Place] | None = None
    fed_in: int = -1
    """The round in which the schedule was gone through to its end, as far as that is known."""
    aside: deque[tuple[Place, tuple[str, ...]]] = field(default_factory=deque)
    """Blocks that were passed since a bot was absent, each with its line-up."""

    def next_block(self, opened: set[str], is_here: Callable[[Sequence[str]], bool]) -> Place | None:
        for _ in range(len(self.aside)):
            passed = self.aside.popleft()
            if is_here(passed[1]):
                return passed[0]
            self.aside.append(passed)
        while len(self.aside) < MAX_ASIDE:
            if self.feed is None:
                if self.fed_in == self.progress.round:
                    return None
                skipped = opened | {place.block_id for place, _ in self.aside}
                due = (place for place in self.progress.due_blocks() if place.block_id not in skipped)
                self.feed, self.fed_in = due, self.progress.round
            next_ = next(self.feed, None)
            if next_ is None:
                self.feed = None
            elif is_here(line_up := self.progress.bots(next_)):
                return next_
            else:
                self.aside.append((next_, line_up))
        return None


async def deals_of(store: Store, tournament: str) -> Chance:
    """Return what the deals of a tournament follow from; drawn where that has not been done."""
    return Chance((await store.secret(f"deals:{tournament}"))[:SEED_BYTES])


async def read_progress(store: Store, ladder: LadderDef) -> Progress:
    """Return how far a tournament has come. Raise ResultError where that cannot be read.

    While it is played, by another process, some of the last results may be missing.
    """
    assert ladder.schedule is not None
    key = keys.PLAYED + ladder.name
    count = int(await store.command("HLEN", key))
    # Beside the loop, which plays: a round that follows from results takes up to a second.
    reading = await asyncio.to_thread(Reading, ladder.schedule, ladder.seats, ladder.rotations, count)
    while fields := await asyncio.to_thread(reading.next_fields):
        values = await store.command("HMGET", key, *fields)
        await asyncio.to_thread(reading.take, values)
    return reading.progress
