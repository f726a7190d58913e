"""One round of pairing over all open ladders: what starts of the open blocks, and which blocks are opened for the slots
that are left. Pure: it is told who is there and what was played, and names matches to queue; queueing is the server's.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from agon_engine.core.chance import Chance
from agon_engine.core.record import Deals
from agon_ladder.pairing.blocks import OpenBlock, Rotations
from agon_ladder.pairing.dispatch import Dispatcher, Start
from agon_ladder.pairing.endless import Market
from agon_ladder.pairing.meetings import Meetings
from agon_ladder.pairing.pace import Pace
from agon_ladder.pairing.players import Candidate, Player, can_seat, deals_for
from agon_ladder.pairing.shares import Shares
from agon_ladder.pairing.slots import Slots
from agon_ladder.pairing.waiting import Patience

BEHIND_BLOCKS: Final = 3
"""A ladder in which bots had so many blocks fewer than in another is not kept to one block that waits for slots."""
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
    fewest: int | None = None
    """With so many seats it is played where too few bots for its own are there, unrated; None: never with fewer."""
    plays: Callable[[str, int], bool] = lambda _bot, _seats: True
    """Tells whether a connected bot that plays in it also plays with so many seats."""

    def seats_for(self, present: Collection[str]) -> int:
        """Return with how many seats these bots play: its own, or fewer where they are too few and that is allowed."""
        if self.fewest is None or can_seat((self.entrant(bot).player for bot in present), self.seats):
            return self.seats

        for seats in range(self.seats - 1, self.fewest - 1, -1):
            if can_seat((self.entrant(bot).player for bot in present if self.plays(bot, seats)), seats):
                return seats
        return self.seats

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
    _histories: dict[str, _History] = field(default_factory=dict)
    """By ladder."""
    _shares: Shares = field(default_factory=Shares)

    def plan(self, blocks: Sequence[OpenBlock], ladders: Iterable[OpenLadder], slots: Slots, now: int) -> Plan:
        """Decide what to open and to start now. `blocks` are all open blocks, oldest first; `slots` are taken from.

        Blocks are not changed: who queues a match of a place says so by `OpenBlock.queued`. `now` is in milliseconds
        since 1970.
        """
        for history in self._histories.values():
            history.patience.begin()
        starts = self.dispatcher.begin(blocks, slots, now)
        known = list(ladders)
        round_ = _Round(blocks, starts, slots, self._histories, self._shares, alone=len(known) == 1)
        opened: list[OpenBlock] = []
        active = [pool for ladder in known if (pool := round_.pool(ladder)) is not None]
        self._shares.begin(round_.bots)
        while active and len(opened) < MAX_OPENED:
            # Each opens one block a turn.
            turn = sorted(active, key=lambda pool: (self._shares.of(pool.ladder.name), pool.ladder.name))
            active = []
            for pool in turn:
                block = self._open(pool, now)
                if block is None:
                    continue
                opened.append(block)
                self._shares.opened(block.ladder, block.size * len(block.bots))
                started = self.dispatcher.start(block, block.left(), slots)
                starts += started
                round_.opened(block, waits=len(started) < block.size)
                active.append(pool)
        return Plan(tuple(opened), tuple(starts), more=bool(active))

    def recall(self, ladder: str, meetings: Meetings) -> None:
        """Take what another one remembered of whom the bots of a ladder met, instead of what this one does."""
        self._histories.setdefault(ladder, _History()).meetings = meetings

    def next_due(self) -> int | None:
        """Return when a round is due though nothing happens, in the milliseconds of `now`; None while nobody waits."""
        due = [self.dispatcher.next_release(), *(history.patience.next_end for history in self._histories.values())]
        return min((at for at in due if at is not None), default=None)

    def _open(self, pool: _Pool, now: int) -> OpenBlock | None:
        ladder = pool.ladder
        line_up = pool.market.next_line_up(self.chance, now)
        if line_up is None:
            return None

        deals = deals_for(ladder.deals, (ladder.entrant(bot).player for bot in line_up))
        seed = self.new_seed() if deals is Deals.SHARED else ""
        return OpenBlock(self.new_id(), ladder.name, line_up, deals, seed, now, rotations=ladder.rotations)


@dataclass(slots=True)
class _History:
    """What is remembered of one ladder."""

    pace: Pace = field(default_factory=Pace)
    meetings: Meetings = field(default_factory=Meetings)
    patience: Patience = field(default_factory=Patience)


@dataclass(frozen=True, slots=True)
class _Pool:
    """One ladder during a round."""

    ladder: OpenLadder
    market: Market


class _Round:
    """What is known of all bots after the open blocks have had their turn. Counted only where a block may be opened,
    and of the busy bots only where the free ones do not suffice."""

    def __init__(
        self,
        blocks: Sequence[OpenBlock],
        starts: Sequence[Start],
        slots: Slots,
        histories: dict[str, _History],
        shares: Shares,
        *,
        alone: bool,
    ) -> None:
        """`alone`: there is one ladder, which shares its bots with none."""
        self._blocks = blocks
        self._histories = histories
        self._shares = shares
        self._slots = slots
        self._started = Counter(start.block.id for start in starts)
        self._alone = alone
        self._pools: list[_Pool] = []
        self._free = slots.free_bots()
        self._pending: dict[str, Counter[str]] = defaultdict(Counter)
        """By ladder and bot, what it has to play in open blocks; of free bots only, until all are counted."""
        self._waiting: dict[str, Counter[str]] = defaultdict(Counter)
        """By ladder and bot, blocks with places left; of free bots only, until all are counted."""
        self._has_counted_all = False
        self._in_line: set[str] | None = None
        """The ladders of which a block waits for slots; None until somebody asks."""
        self.bots: dict[str, int] = {}
        """How many bots are there, busy or not, in each ladder that was asked for and can be played."""
        for block in blocks:
            if not self._free.isdisjoint(block.bots):
                self._count(block)

    def _count(self, block: OpenBlock) -> None:
        pending, waiting = self._pending[block.ladder], self._waiting[block.ladder]
        waits = len(block.left()) > self._started[block.id]
        for bot in block.bots:
            pending[bot] += block.pending
            if waits:
                waiting[bot] += 1

    def pool(self, ladder: OpenLadder) -> _Pool | None:
        """Return the ladder with its candidates; None where it is clear without them that it opens no block now. Notes
        in `bots` whether it can be played at all."""
        history = self._histories.setdefault(ladder.name, _History())
        free = self._slots.free_by_bot(ladder.name)
        seats = ladder.seats_for(free)
        if seats < ladder.seats:
            free = {bot: slots for bot, slots in free.items() if ladder.plays(bot, seats)}
        if can_seat((ladder.entrant(bot).player for bot in free), seats):
            self.bots[ladder.name] = len(free)
        able = [bot for bot in self._free if free.get(bot)]
        waiting = self._waiting[ladder.name]
        if (
            all(waiting[bot] for bot in able)
            and not can_seat((ladder.entrant(bot).player for bot in able), seats)
            and self._is_in_line(ladder)
        ):
            return None

        history.pace.begin(free)
        market = Market(
            [self._candidate(ladder, bot, free[bot]) for bot in able],
            seats,
            busy=lambda: self._busy(ladder, free),
            present=free,
            player=lambda bot: ladder.entrant(bot).player,
            meetings=history.meetings,
            patience=history.patience,
            in_line=self._is_in_line(ladder),
        )
        pool = _Pool(ladder, market)
        self._pools.append(pool)
        return pool

    def _is_in_line(self, ladder: OpenLadder) -> bool:
        if self._alone:
            return True
        if self._in_line is None:
            self._in_line = {block.ladder for block in self._blocks if len(block.left()) > self._started[block.id]}
        return ladder.name in self._in_line and not self._is_behind(ladder)

    def _is_behind(self, ladder: OpenLadder) -> bool:
        return self._shares.is_behind(ladder.name, BEHIND_BLOCKS * ladder.seats)

    def _busy(self, ladder: OpenLadder, free: Mapping[str, int]) -> list[Candidate]:
        if not self._has_counted_all:
            self._has_counted_all = True
            for block in self._blocks:
                if self._free.isdisjoint(block.bots):
                    self._count(block)
        return [self._candidate(ladder, bot, 0) for bot, slots in free.items() if not slots]

    def _candidate(self, ladder: OpenLadder, bot: str, free: int) -> Candidate:
        known = ladder.entrant(bot)
        games = known.games + self._pending[ladder.name][bot]
        history = self._histories[ladder.name]
        pace = history.pace
        pace.settle(bot, settled=ladder.is_settled(known.player, games))
        return Candidate(
            known.player,
            free,
            games,
            known.rating,
            known.uncertainty,
            self._waiting[ladder.name][bot],
            ahead=pace.is_ahead(bot, ladder.seats),
            behind=pace.is_behind(bot),
            far_behind=pace.is_far_behind(bot, ladder.seats),
            met=len(history.meetings.of(bot)),
            settled=ladder.is_settled(known.player, games),
        )

    def opened(self, block: OpenBlock, *, waits: bool) -> None:
        """Count a new block, of which what could start has started."""
        history = self._histories[block.ladder]
        history.pace.seated(block.bots)
        history.meetings.seated(block.bots)
        history.patience.seated(block.bots, block.opened)
        self._pending[block.ladder].update(dict.fromkeys(block.bots, block.size))
        if waits:
            self._waiting[block.ladder].update(block.bots)
        for pool in self._pools:
            if waits and pool.ladder.name == block.ladder:
                pool.market.in_line = not self._is_behind(pool.ladder)
            for bot in block.bots:
                if pool.market.get(bot) is not None:
                    free = self._slots.free(bot, pool.ladder.name)
                    pool.market.update(self._candidate(pool.ladder, bot, free))
