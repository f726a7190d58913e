"""A simulated endless ladder: no game is played, matches end after a while. What the server's pairing does each round,
without a store, so that fairness and use of slots can be measured over thousands of matches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from heapq import heappop, heappush

from agon_engine.core import Chance, Deals
from agon_ladder.pairing.blocks import OpenBlock, PlaceState, rotation
from agon_ladder.pairing.dispatch import Dispatcher, Start
from agon_ladder.pairing.endless import next_line_up
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
    _dispatcher: Dispatcher = field(default_factory=Dispatcher)
    _running: list[tuple[int, int, Start]] = field(default_factory=list)
    _number: int = 0

    def run(self, matches: int) -> None:
        """Pair and play until so many more matches have ended, or none is under way."""
        ended = 0
        while ended < matches:
            self.pair()
            if not self._running:
                return
            self.now, _, start = heappop(self._running)
            self._end(start)
            ended += 1
            while self._running and self._running[0][0] == self.now:
                self._end(heappop(self._running)[2])
                ended += 1

    def pair(self) -> None:
        slots = Slots(
            Process(bot, "", count - self.busy[bot], self.ladders) for bot, count in self.slots.items() if count
        )
        for start in self._dispatcher.begin(self.blocks, slots, self.now):
            self._begin(start)
        opened = True
        while opened:
            opened = False
            for ladder in sorted(self.ladders, key=lambda name: min(self._played(name, bot) for bot in self.slots)):
                opened |= self._open(ladder, slots)

    def _open(self, ladder: str, slots: Slots) -> bool:
        waiting = Counter(bot for block in self.blocks if block.ladder == ladder and block.left() for bot in block.bots)
        candidates = [
            Candidate(
                self.players[bot],
                slots.free(bot, ladder),
                self._played(ladder, bot),
                self.ratings.get(bot, 0),
                0,
                waiting[bot],
            )
            for bot in self.slots
        ]
        line_up = next_line_up(candidates, self.ladders[ladder], self.chance)
        if line_up is None:
            return False

        self._number += 1
        block = OpenBlock(f"block-{self._number}", ladder, line_up, Deals.FRESH, "", self.now)
        self.blocks.append(block)
        for bot in line_up:
            self.planned[ladder, bot] += block.size
        for start in self._dispatcher.start(block, block.left(), slots):
            self._begin(start)
        played = [self._played(ladder, bot) for bot in self.slots]
        self.widest[ladder] = max(self.widest[ladder], max(played) - min(played))
        return True

    def _played(self, ladder: str, bot: str) -> int:
        return self.games[ladder, bot] + self.planned[ladder, bot]

    def _begin(self, start: Start) -> None:
        block = start.block
        self._number += 1
        match = f"match-{self._number}"
        block.queued(start.place, match)
        bots = rotation(block.bots, start.place)
        self.matches.append(PlannedMatch(match, block.id, start.place, bots, block.deals, match))
        took = self.duration(bots)
        for bot in bots:
            self.busy[bot] += 1
            self.busy_time[bot] += took
            self.first_game.setdefault((block.ladder, bot), self.now)
            assert self.busy[bot] <= self.slots[bot]
        heappush(self._running, (self.now + took, self._number, start))

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

    def queued(self) -> int:
        return sum(place.state is PlaceState.QUEUED for block in self.blocks for place in block.places)


def players(count: int, owners: int | None = None, house: int = 0) -> dict[str, Player]:
    """Return bots with so many owners (None: each has its own), the first `house` of them house bots."""
    return {
        f"bot-{number}": Player(
            f"bot-{number}", f"owner-{number if owners is None else number % owners}", house=number < house
        )
        for number in range(count)
    }
