"""Knockout: tables of bots of which the best go on to the next stage, until the last table decides.

With two seats this is the bracket by seeds: the field is brought to a power of two by byes for the best seeds, and the
winner of a pair goes on in the place of its better seed. With more seats the best `advance` of a table go on in its
best places; where a stage lacks bots then, those with the most points of all who came next fill it, as in athletics.

A tie for going on is decided by further blocks of that table, each a round of its own, and after `extra_blocks` of them
by the seed.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from agon_engine.core.chance import Chance
from agon_ladder.errors import ScheduleError
from agon_ladder.pairing.schedules.schedule import PlannedBlock, Played
from agon_ladder.pairing.schedules.seating import check_field, line_up
from agon_ladder.pairing.schedules.table import Row, Tally, block_points
from agon_ladder.stats.blocks import PlayedBlock


@dataclass(frozen=True, slots=True)
class Stage:
    """How many play at a stage: `byes` best places go on unplayed, the others sit at `tables`."""

    bots: int
    tables: int
    byes: int
    next: int
    """Bots of the next stage; 0 after the last one."""


def stages(bots: int, seats: int, advance: int) -> list[Stage]:
    """Return the stages of a field. Full stages end in one table; the first ones bring the field to such a size.

    >>> [(stage.bots, stage.tables, stage.byes) for stage in stages(11, 2, 1)]
    [(11, 3, 5), (8, 4, 0), (4, 2, 0), (2, 1, 0)]
    """
    full = [seats]
    while full[-1] < bots:
        full.append(full[-1] // advance * seats)
    found = []
    while bots > seats:
        wanted = max(size for size in full if size < bots)
        tables = min(-(-(bots - wanted) // (seats - advance)), bots // seats)
        byes = bots - tables * seats
        after = max(wanted, byes + tables * advance)
        found.append(Stage(bots, tables, byes, after))
        bots = after
    return [*found, Stage(seats, 1, 0, 0)]


class Knockout:
    """Stages of tables, `blocks` blocks a table; who wins the last one wins the tournament."""

    is_adaptive = True
    promise = None
    tie_breaks: tuple[str, ...] = ()

    def __init__(
        self,
        bots: Sequence[str],
        seats: int,
        chance: Chance,
        *,
        blocks: int = 1,
        extra_blocks: int = 2,
        advance: int = 1,
    ) -> None:
        """`bots` are in the order of their seeds, the best first. Raise ScheduleError for numbers that cannot be."""
        check_field(bots, seats)
        if not 1 <= advance <= seats // 2:
            raise ScheduleError(f"advance is 1 to {seats // 2} at tables of {seats}, not {advance!r}")
        if blocks < 1 or extra_blocks < 0:
            raise ScheduleError(
                f"blocks is a number from 1 and extra_blocks one from 0, not {blocks!r} and {extra_blocks!r}"
            )

        self.bots = tuple(bots)
        self._seats = seats
        self._chance = chance
        self._blocks = blocks
        self._extra = extra_blocks
        self._advance = advance
        self._stages = stages(len(bots), seats, advance)

    @property
    def rounds(self) -> int:
        return len(self._stages) * (1 + self._extra)

    @property
    def extent(self) -> str:
        return f"{len(self._stages)} stage{'s' if len(self._stages) != 1 else ''}"

    @property
    def planned_blocks(self) -> int:
        return sum(stage.tables for stage in self._stages) * (self._blocks + self._extra)

    def round(self, number: int, played: Played) -> Sequence[PlannedBlock]:
        tables, count = self._replay(played[:number]).due
        blocks: list[PlannedBlock] = []
        for again in range(count):
            for table in tables:
                bots = [self.bots[seed] for seed in table.seeds]
                seats = line_up(bots, table.number, number + again, self._chance)
                blocks.append(PlannedBlock(number, len(blocks), seats))
        return blocks

    def table(self, played: Played, under_way: Sequence[PlayedBlock] = ()) -> list[Row]:
        """Rank by how far a bot came and by its place at its last table; those that fell alike share a place.

        Points do not rank here. While a stage is under way, all that are in it share its best place.
        """
        tally = Tally(self.bots)
        for blocks in (*played, under_way):
            tally.add_all(blocks)
        progress = self._replay(played)
        for round_ in progress.rounds:
            for bot in round_.byes:
                tally.add_bye(bot, 0)
        reached = progress.reached
        order = sorted(range(len(self.bots)), key=lambda seed: (-reached[seed][0], -reached[seed][1], seed))
        return tally.ranked(
            [self.bots[seed] for seed in order], {bot: reached[seed] for seed, bot in enumerate(self.bots)}
        )

    def round_name(self, number: int, played: Played) -> str:
        return self._replay(played[:number]).rounds[number].name

    def byes(self, number: int, played: Played) -> tuple[str, ...]:
        return self._replay(played[:number]).rounds[number].byes

    def _replay(self, played: Played) -> _Progress:
        """Go through the rounds that were played, all of them over."""
        rounds = iter(played)
        progress = _Progress()
        places: Sequence[int] = range(len(self.bots))
        for number, stage in enumerate(self._stages):
            progress.reached |= dict.fromkeys(places, (number, 0))
            tables = _deal(places, stage, self._seats)
            # How many of a table are told from the others: all that go on, and in the last stage the winner.
            told = self._advance if stage.next else 1
            due = tables
            for extra in range(1 + self._extra):
                progress.due = (due, self._blocks if extra == 0 else 1)
                if not due:
                    break
                byes = tuple(self.bots[seed] for seed in places[: stage.byes]) if extra == 0 else ()
                more = f", further blocks {extra}" if extra else ""
                progress.rounds.append(_Round(f"stage {number + 1} of {len(self._stages)}{more}", byes))
                round_ = next(rounds, None)
                if round_ is None:
                    return progress
                self._count(round_, due, main=extra == 0)
                due = [table for table in due if table.is_tied(told)]
            for table in tables:
                progress.reached |= {seed: (number, -place) for place, seed in enumerate(table.order())}
            if stage.next:
                places = _go_on(places, tables, stage, self._advance)
        progress.due = ((), 0)
        return progress

    def _count(self, played: Sequence[PlayedBlock], tables: Sequence[_Table], *, main: bool) -> None:
        blocks = defaultdict(list)
        for block in played:
            blocks[frozenset(block.line_up)].append(block)
        for table in tables:
            bots = {self.bots[seed]: seed for seed in table.seeds}
            for block in blocks[frozenset(bots)]:
                for bot, points in block_points(block).items():
                    table.points[bots[bot]] += points
                    table.main_points[bots[bot]] += points if main else 0


@dataclass(slots=True)
class _Table:
    """Bots of one stage that play each other, as numbers of their seeds."""

    number: int
    seeds: list[int]
    """The bot in the best place of the stage first."""
    points: Counter[int] = field(default_factory=Counter)
    """In half points, further blocks included."""
    main_points: Counter[int] = field(default_factory=Counter)

    def order(self) -> list[int]:
        """Return the bots by points, of equal ones the better place first."""
        return sorted(self.seeds, key=lambda seed: -self.points[seed])

    def is_tied(self, told: int) -> bool:
        """Tell whether points do not tell the first so many from the others."""
        order = self.order()
        return self.points[order[told - 1]] == self.points[order[told]]


class _Round(NamedTuple):
    name: str
    byes: tuple[str, ...]


@dataclass(slots=True)
class _Progress:
    """How far a tournament has come."""

    due: tuple[Sequence[_Table], int] = ((), 0)
    """The tables of the next round and how many blocks each plays; none when all is over."""
    rounds: list[_Round] = field(default_factory=list)
    """Of each round, the one that is due too."""
    reached: dict[int, tuple[int, int]] = field(default_factory=dict)
    """By seed: the last stage, and minus the place at its table (0 = best, and while the stage goes on)."""


def _deal(places: Sequence[int], stage: Stage, seats: int) -> list[_Table]:
    """Seat a stage as a snake: the best place meets the last, and no table is stronger than the others."""
    rows = []
    for row in range(seats):
        first = stage.byes + row * stage.tables
        cut = list(places[first : first + stage.tables])
        rows.append(cut[::-1] if row % 2 else cut)
    return [_Table(number, [row[number] for row in rows]) for number in range(stage.tables)]


def _go_on(places: Sequence[int], tables: Sequence[_Table], stage: Stage, advance: int) -> list[int]:
    """Return the places of the next stage: who came first at a table takes its best place, and so on."""
    orders = [table.order() for table in tables]
    found = list(places[: stage.byes])
    for place in range(advance):
        row = [order[place] for order in orders]
        found += row[::-1] if place % 2 else row
    left = [(-table.main_points[seed], seed) for table in tables for seed in table.order()[advance:]]
    return [*found, *(seed for _, seed in sorted(left)[: stage.next - len(found)])]
