"""One round of pairing over all open ladders: what starts of the open blocks, and which blocks are opened for the slots
that are left. Pure: it is told who is there and what was played, and names matches to queue; queueing is the server's.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from agon_engine.core.chance import Chance
from agon_engine.core.record import Deals
from agon_ladder.pairing.blocks import OpenBlock, Rotations
from agon_ladder.pairing.dispatch import Dispatcher, Start
from agon_ladder.pairing.endless import next_line_up
from agon_ladder.pairing.players import Candidate, Player, deals_for, most_together
from agon_ladder.pairing.slots import Slots

MAX_OPENED: Final = 32
"""Blocks that one round opens at most, so that a round takes milliseconds; the next one goes on."""

AHEAD_RATIO: Final = 2
AHEAD_BLOCKS: Final = 4


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
    """A ladder that makes new blocks; who plays in it is what `Slots` says."""

    name: str
    seats: int
    deals: Deals
    """What its blocks have where they may."""
    house_games: int
    """With so many games a house bot is only company for others."""
    entrant: Callable[[str], Entrant]
    """Looks up a connected bot that plays in it."""
    rotations: Rotations = Rotations.CYCLIC
    """What its blocks have."""

    def is_settled(self, player: Player, games: int) -> bool:
        """Tell whether a bot with so many games gets no more blocks for its own sake."""
        return player.house and games >= self.house_games


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
    _paces: dict[str, Pace] = field(default_factory=dict)

    def plan(self, blocks: Sequence[OpenBlock], ladders: Iterable[OpenLadder], slots: Slots, now: int) -> Plan:
        """Decide what to open and to start now. `blocks` are all open blocks, oldest first; `slots` are taken from.

        Blocks are not changed: who queues a match of a place says so by `OpenBlock.queued`. `now` is in milliseconds
        since 1970.
        """
        starts = self.dispatcher.begin(blocks, slots, now)
        round_ = _Round(blocks, starts, slots, self._paces)
        opened: list[OpenBlock] = []
        active = [pool for ladder in ladders if (pool := round_.pool(ladder)) is not None]
        while active and len(opened) < MAX_OPENED:
            # The ladder whose bots have played least goes first; each opens one block a turn.
            turn = sorted(active, key=_Pool.turn)
            active = []
            for pool in turn:
                block = self._open(pool, now)
                if block is None:
                    continue
                opened.append(block)
                started = self.dispatcher.start(block, block.left(), slots)
                starts += started
                round_.opened(block, waits=len(started) < block.size)
                active.append(pool)
        return Plan(tuple(opened), tuple(starts), more=bool(active))

    def _open(self, pool: _Pool, now: int) -> OpenBlock | None:
        ladder = pool.ladder
        line_up = next_line_up(list(pool.of.values()), ladder.seats, self.chance)
        if line_up is None:
            return None

        deals = deals_for(ladder.deals, (pool.of[bot].player for bot in line_up))
        seed = self.new_seed() if deals is Deals.SHARED else ""
        return OpenBlock(self.new_id(), ladder.name, line_up, deals, seed, now, rotations=ladder.rotations)


@dataclass(frozen=True, slots=True)
class _Pool:
    """The candidates of one ladder during a round."""

    ladder: OpenLadder
    of: dict[str, Candidate]

    def turn(self) -> tuple[int, str]:
        waiting = (candidate.games for candidate in self.of.values() if candidate.free and not candidate.settled)
        return min(waiting, default=0), self.ladder.name

    def pace(self) -> set[str]:
        """Return the bots whose pace is compared: who plays only as company for others neither leads nor lags."""
        return {bot for bot, candidate in self.of.items() if not candidate.settled}


class Pace:
    """How much each bot was seated in one ladder since the planner was made, so that the fast do not run away.

    A bot that is new here counts as the others do by then: it is neither held back nor holds anybody back.
    """

    __slots__ = ("_games",)

    def __init__(self) -> None:
        self._games: dict[str, int] = {}

    def ahead(self, bots: Collection[str], seats: int) -> set[str]:
        """Return those that have over `AHEAD_RATIO` times the games of the lower median, and `AHEAD_BLOCKS` more."""
        known = sorted(self._games[bot] for bot in bots if bot in self._games)
        middle = known[(len(known) - 1) // 2] if known else 0
        most = AHEAD_RATIO * middle + AHEAD_BLOCKS * seats
        return {bot for bot in bots if self._games.setdefault(bot, middle) > most}

    def seated(self, line_up: Sequence[str]) -> None:
        """Count a new block."""
        for bot in line_up:
            self._games[bot] = self._games.get(bot, 0) + len(line_up)


class _Round:
    """What is known of all bots after the open blocks have had their turn. Counted only where a block may be opened."""

    def __init__(
        self, blocks: Sequence[OpenBlock], starts: Sequence[Start], slots: Slots, paces: dict[str, Pace]
    ) -> None:
        self._blocks = blocks
        self._paces = paces
        self._slots = slots
        self._free = slots.free_bots()
        self._started = Counter(start.block.id for start in starts)
        self._pools: list[_Pool] = []
        self._pending: dict[str, Counter[str]] | None = None
        self._waiting: dict[str, Counter[str]] = defaultdict(Counter)
        """By ladder and bot, blocks with places left; of free bots only, until all are counted."""
        for block in blocks:
            if not self._free.isdisjoint(block.bots) and self._waits(block):
                self._waiting[block.ladder].update(block.bots)

    def _waits(self, block: OpenBlock) -> bool:
        return len(block.left()) > self._started[block.id]

    def pool(self, ladder: OpenLadder) -> _Pool | None:
        """Return the candidates of a ladder; None where it is clear without them that it opens no block now."""
        free = self._slots.free_by_bot(ladder.name)
        able = [bot for bot in self._free if free.get(bot)]
        waiting = self._waiting[ladder.name]
        if all(waiting[bot] for bot in able) and (
            most_together(ladder.entrant(bot).player for bot in able) < ladder.seats
        ):
            return None

        if self._pending is None:
            self._pending = self._count_all()
        pending, waiting = self._pending[ladder.name], self._waiting[ladder.name]
        of = {}
        for bot, slots in free.items():
            known = ladder.entrant(bot)
            games = known.games + pending[bot]
            settled = ladder.is_settled(known.player, games)
            of[bot] = Candidate(
                known.player, slots, games, known.rating, known.uncertainty, waiting[bot], settled=settled
            )
        pool = _Pool(ladder, of)
        self._find_ahead(pool)
        self._pools.append(pool)
        return pool

    def _find_ahead(self, pool: _Pool) -> None:
        ahead = self._paces.setdefault(pool.ladder.name, Pace()).ahead(pool.pace(), pool.ladder.seats)
        for bot, known in pool.of.items():
            if known.ahead != (bot in ahead):
                pool.of[bot] = replace(known, ahead=bot in ahead)

    def _count_all(self) -> dict[str, Counter[str]]:
        """Count what all bots have to play in open blocks, and the blocks in which they wait; return the former."""
        counted: dict[str, Counter[str]] = defaultdict(Counter)
        self._waiting = defaultdict(Counter)
        for block in self._blocks:
            pending, waits = block.pending, self._waits(block)
            of_ladder, waiting = counted[block.ladder], self._waiting[block.ladder]
            for bot in block.bots:
                of_ladder[bot] += pending
                if waits:
                    waiting[bot] += 1
        return counted

    def opened(self, block: OpenBlock, *, waits: bool) -> None:
        """Count a new block, of which what could start has started."""
        self._paces[block.ladder].seated(block.bots)
        for pool in self._pools:
            same = pool.ladder.name == block.ladder
            for bot in block.bots:
                known = pool.of.get(bot)
                if known is not None:
                    games = known.games + (block.size if same else 0)
                    pool.of[bot] = replace(
                        known,
                        free=self._slots.free(bot, pool.ladder.name),
                        games=games,
                        waiting=known.waiting + (same and waits),
                        settled=pool.ladder.is_settled(known.player, games),
                    )
            if same:
                self._find_ahead(pool)
