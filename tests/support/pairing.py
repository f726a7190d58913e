"""A simulated endless ladder: no game is played, matches end after a while. What the server's pairing does each round,
without a store, so that fairness and use of slots can be measured over thousands of matches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from heapq import heappop, heappush
from time import thread_time

from agon_engine.core import Chance, Deals
from agon_ladder.pairing.blocks import OpenBlock, rotation
from agon_ladder.pairing.dispatch import Start
from agon_ladder.pairing.planner import Entrant, OpenLadder, Planner
from agon_ladder.pairing.players import Candidate, Player
from agon_ladder.pairing.slots import Process, Slots
from agon_ladder.pairing.verify import PlannedMatch


@dataclass
class Arena:
    """Ladders by name with their seats, bots with their slots, and how long a match of some bots takes."""

    ladders: Mapping[str, int]
    players: Mapping[str, Player]
    slots: dict[str, int]
    duration: Callable[[tuple[str, ...]], int]
    house_games: int = 1_000_000
    own_house_games: Mapping[str, int] = field(default_factory=dict)
    """By ladder, where it has another number."""
    gather: int = 0
    """How long after a round the next one is made at the earliest, as a server does."""
    ratings: dict[str, int] = field(default_factory=dict)
    chance: Chance = field(default_factory=lambda: Chance(bytes(16)))
    now: int = 0
    blocks: list[OpenBlock] = field(default_factory=list)
    complete: list[OpenBlock] = field(default_factory=list)
    games: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Ended games, by ladder and bot."""
    planned: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Games of open blocks that are not ended."""
    first_game: dict[tuple[str, str], int] = field(default_factory=dict)
    busy: Counter[str] = field(default_factory=Counter)
    busy_time: Counter[str] = field(default_factory=Counter)
    matches: list[PlannedMatch] = field(default_factory=list)
    widest: Counter[str] = field(default_factory=Counter)
    """By ladder, the largest difference of games, planned ones included, that there ever was."""
    watches_spread: bool = True
    """Whether `widest` is kept, which costs a look at every bot for every block."""
    spent: float = 0.0
    """Processor seconds that planning took."""
    _planner: Planner = field(init=False)
    _running: list[tuple[int, int, Start]] = field(default_factory=list)
    _number: int = 0

    def __post_init__(self) -> None:
        self._planner = Planner(self.chance, lambda: f"block-{self._next()}", lambda: f"{self._next():032x}")

    def _next(self) -> int:
        self._number += 1
        return self._number

    def run(self, matches: int) -> None:
        """Pair and play until so many more matches have ended, or none is under way."""
        ended = 0
        while ended < matches:
            self.pair()
            if not self._running:
                return
            release = self._planner.next_due()
            if release is not None and release < self._running[0][0]:
                self.now = release
                continue
            self.now = max(self._running[0][0], self.now + self.gather)
            while self._running and self._running[0][0] <= self.now:
                self._end(heappop(self._running)[2])
                ended += 1

    def pair(self) -> None:
        """Pair as long as a round may find more to open."""
        more = True
        while more:
            busy = self.busy
            processes = [
                Process(bot, "", count - busy[bot], self.ladders) for bot, count in self.slots.items() if count
            ]
            ladders = [
                OpenLadder(
                    ladder,
                    seats,
                    Deals.FRESH,
                    self.own_house_games.get(ladder, self.house_games),
                    partial(self._entrant, ladder),
                )
                for ladder, seats in self.ladders.items()
            ]
            began = thread_time()
            plan = self._planner.plan(self.blocks, ladders, Slots(processes), self.now)
            self.spent += thread_time() - began
            more = plan.more
            for block in plan.opened:
                self.blocks.append(block)
                for bot in block.bots:
                    self.planned[block.ladder, bot] += block.size
                if self.watches_spread:
                    played = [self._played(block.ladder, bot) for bot in self.slots]
                    self.widest[block.ladder] = max(self.widest[block.ladder], max(played) - min(played))
            for start in plan.starts:
                self._begin(start)

    def _entrant(self, ladder: str, bot: str) -> Entrant:
        return Entrant(self.players[bot], self.games[ladder, bot], self.ratings.get(bot, 0), 0)

    def _played(self, ladder: str, bot: str) -> int:
        return self.games[ladder, bot] + self.planned[ladder, bot]

    def _begin(self, start: Start) -> None:
        block = start.block
        match = f"match-{self._next()}"
        block.queued(start.place, match)
        bots = rotation(block.bots, start.place)
        self.matches.append(PlannedMatch(match, block.id, start.place, bots, block.deals, match))
        took = self.duration(bots)
        for bot in bots:
            self.busy[bot] += 1
            self.busy_time[bot] += took
            self.first_game.setdefault((block.ladder, bot), self.now)
            assert self.busy[bot] <= self.slots[bot]
        heappush(self._running, (self.now + took, self._next(), start))

    def _end(self, start: Start) -> None:
        block = start.block
        block.ended(start.place, 0, counts=True, again=False)
        for bot in block.bots:
            self.busy[bot] -= 1
            self.games[block.ladder, bot] += 1
            self.planned[block.ladder, bot] -= 1
        if block.is_over:
            self.blocks.remove(block)
            self.complete.append(block)

    def complete_matches(self) -> list[PlannedMatch]:
        ids = {block.id for block in self.complete}
        return [match for match in self.matches if match.block in ids]


def players(count: int, owners: int | None = None, house: int = 0) -> dict[str, Player]:
    """Return bots with so many owners (None: each has its own), the first `house` of them house bots."""
    return {
        f"bot-{number}": Player(
            f"bot-{number}", f"owner-{number if owners is None else number % owners}", house=number < house
        )
        for number in range(count)
    }


def candidate(
    bot: str,
    games: int = 0,
    *,
    free: int = 1,
    owner: str = "",
    house: bool = False,
    behind: bool = False,
    far_behind: bool = False,
) -> Candidate:
    """Return a bot of 1500 points, well known, with an owner of its own unless another is named."""
    player = Player(bot, owner or f"owner of {bot}", house=house)
    return Candidate(player, free, games, 1500_000, 0, behind=behind or far_behind, far_behind=far_behind)
