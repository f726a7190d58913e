"""One round of pairing over all open ladders: what starts of the open blocks, and which blocks are opened for the slots
that are left. Pure: it is told who is there and what was played, and names matches to queue; queueing is the server's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from agon_engine.core.chance import Chance
from agon_engine.core.record import Deals
from agon_ladder.pairing.blocks import OpenBlock
from agon_ladder.pairing.dispatch import Dispatcher, Start
from agon_ladder.pairing.endless import next_line_up
from agon_ladder.pairing.players import Candidate, Player, deals_for
from agon_ladder.pairing.slots import Slots

MAX_OPENED: Final = 32
"""Blocks that one round opens at most, so that a round takes milliseconds; the next one goes on."""


@dataclass(frozen=True, slots=True)
class Entrant:
    """A connected bot that plays in a ladder, and what the ladder's table says of it."""

    player: Player
    games: int
    """Rated games."""
    rating: int
    """In thousandths of a point."""
    uncertainty: int
    """Roughly its ±, in thousandths of a point."""


@dataclass(frozen=True, slots=True)
class OpenLadder:
    """A ladder that makes new blocks, with all connected bots that play in it."""

    name: str
    seats: int
    deals: Deals
    """What its blocks have where they may."""
    entrants: Sequence[Entrant]


@dataclass(frozen=True, slots=True)
class Plan:
    """What a round decided."""

    opened: tuple[OpenBlock, ...]
    """New blocks, to be stored before anything of them is queued."""
    starts: tuple[Start, ...]
    """Places to queue now, oldest block first; a block that was opened may have none yet."""
    more: bool
    """Whether the next round may find more to open at once."""


@dataclass(slots=True)
class Planner:
    """What is remembered from round to round, and how new blocks get their ids and seeds."""

    chance: Chance
    new_id: Callable[[], str]
    new_seed: Callable[[], str]
    """Makes the seed of a block with shared deals, in hex."""
    dispatcher: Dispatcher = field(default_factory=Dispatcher)

    def plan(self, blocks: Sequence[OpenBlock], ladders: Iterable[OpenLadder], slots: Slots, now: int) -> Plan:
        """Decide what to open and to start now. `blocks` are all open blocks, oldest first; `slots` are taken from.

        Blocks are not changed: who queues a match of a place says so by `OpenBlock.queued`. `now` is in milliseconds
        since 1970.
        """
        starts = self.dispatcher.begin(blocks, slots, now)
        pools = _pools(blocks, starts, ladders, slots)
        opened: list[OpenBlock] = []
        active = pools
        while active and len(opened) < MAX_OPENED:
            # The ladder whose bots have played least goes first; each opens one block a turn.
            turn = sorted(active, key=_Pool.turn)
            active = [pool for pool in turn if self._open(pool, pools, slots, now, opened, starts)]
        return Plan(tuple(opened), tuple(starts), more=bool(active))

    def _open(
        self,
        pool: _Pool,
        pools: Sequence[_Pool],
        slots: Slots,
        now: int,
        opened: list[OpenBlock],
        starts: list[Start],
    ) -> bool:
        """Open a block in the ladder and start what can start of it; return False where there is none to open."""
        ladder = pool.ladder
        line_up = next_line_up(pool.candidates, ladder.seats, self.chance)
        if line_up is None:
            return False

        deals = deals_for(ladder.deals, (pool.of[bot].player for bot in line_up))
        seed = self.new_seed() if deals is Deals.SHARED else ""
        block = OpenBlock(self.new_id(), ladder.name, line_up, deals, seed, now)
        opened.append(block)
        started = self.dispatcher.start(block, block.left(), slots)
        starts += started
        pool.planned(line_up, ladder.seats, waits=len(started) < ladder.seats)
        for other in pools:
            other.refresh(line_up, slots)
        return True


class _Pool:
    """The candidates of one ladder during a round."""

    __slots__ = ("ladder", "of")

    def __init__(
        self, ladder: OpenLadder, slots: Slots, pending: Counter[tuple[str, str]], waiting: Counter[tuple[str, str]]
    ) -> None:
        self.ladder = ladder
        self.of = {
            entrant.player.bot: Candidate(
                player=entrant.player,
                free=slots.free(entrant.player.bot, ladder.name),
                games=entrant.games + pending[ladder.name, entrant.player.bot],
                rating=entrant.rating,
                uncertainty=entrant.uncertainty,
                waiting=waiting[ladder.name, entrant.player.bot],
            )
            for entrant in ladder.entrants
        }

    @property
    def candidates(self) -> list[Candidate]:
        return list(self.of.values())

    def turn(self) -> tuple[int, str]:
        return min((candidate.games for candidate in self.of.values() if candidate.free), default=0), self.ladder.name

    def planned(self, line_up: Iterable[str], games: int, *, waits: bool) -> None:
        for bot in line_up:
            known = self.of[bot]
            self.of[bot] = replace(known, games=known.games + games, waiting=known.waiting + waits)

    def refresh(self, bots: Iterable[str], slots: Slots) -> None:
        for bot in bots:
            if bot in self.of:
                self.of[bot] = replace(self.of[bot], free=slots.free(bot, self.ladder.name))


def _pools(
    blocks: Sequence[OpenBlock], starts: Sequence[Start], ladders: Iterable[OpenLadder], slots: Slots
) -> list[_Pool]:
    pending: Counter[tuple[str, str]] = Counter()
    waiting: Counter[tuple[str, str]] = Counter()
    started = Counter(start.block.id for start in starts)
    for block in blocks:
        waits = len(block.left()) > started[block.id]
        for bot in block.bots:
            pending[block.ladder, bot] += block.pending
            waiting[block.ladder, bot] += waits
    return [_Pool(ladder, slots, pending, waiting) for ladder in ladders]
