"""Swiss: in every round bots with about the same points meet, and nobody meets a bot again as long as that can be
avoided. Tables of 2 to 5 seats; who sits together is `tables`'.

Where the field does not fill its tables, those over sit the round out: those with the fewest byes, of these the last of
the standings. A bye gives the points of a block that is won throughout, or the share of them that is asked for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Final

from agon_engine.core.chance import Chance
from agon_ladder.errors import ScheduleError
from agon_ladder.pairing.schedules.schedule import PlannedBlock, Played, Promise
from agon_ladder.pairing.schedules.seating import check_field, line_up
from agon_ladder.pairing.schedules.table import Row, Tally, opposition
from agon_ladder.pairing.schedules.tables import Pair, Table, seat_tables
from agon_ladder.stats.blocks import PlayedBlock

MAX_BYE_TRIES: Final = 8
"""Other choices of who sits out that are tried so that nobody meets again."""


class Swiss:
    """So many rounds; points are pairwise points of all matches, and Buchholz and Sonneborn–Berger break ties."""

    is_adaptive = True
    tie_breaks = ("Buchholz", "Sonneborn–Berger")

    def __init__(
        self, bots: Sequence[str], seats: int, chance: Chance, *, rounds: int, places: int, bye: float = 1.0
    ) -> None:
        """`bots` are in the order of their seeds, the best first; `places` are the matches of a block, and `bye` is the
        share of a won block that a bye gives. Raise ScheduleError for numbers that cannot be.
        """
        check_field(bots, seats)
        if rounds < 1:
            raise ScheduleError(f"rounds is a number from 1, not {rounds!r}")
        if not 0 <= bye <= 1:
            raise ScheduleError(f"bye is a share from 0 to 1, not {bye!r}")

        self.bots = tuple(bots)
        self.rounds = rounds
        self.promise = Promise((self.bots,), 1 if len(bots) % seats else 0, None)
        self._seats = seats
        self._chance = chance
        self._bye = bye
        self._bye_points = round(bye * 2 * (seats - 1) * places)

    @property
    def planned_blocks(self) -> int:
        return self.rounds * (len(self.bots) // self._seats)

    def round(self, number: int, played: Played) -> Sequence[PlannedBlock]:
        if not 0 <= number < self.rounds:
            return ()

        field = self._field(played[:number])
        tables, _ = self._pair(field, number)
        # The best of a round sit in its first block.
        return [
            PlannedBlock(number, block, line_up([self.bots[bot] for bot in table], block, number, self._chance))
            for block, table in enumerate(tables)
        ]

    @property
    def extent(self) -> str:
        return f"{self.rounds} round{'s' if self.rounds != 1 else ''}"

    def round_name(self, number: int, _played: Played) -> str:
        return f"round {number + 1} of {self.rounds}"

    def byes(self, number: int, played: Played) -> tuple[str, ...]:
        """Return the bots that sit a round out."""
        _, byes = self._pair(self._field(played[:number]), number)
        return tuple(self.bots[bot] for bot in byes)

    def table(self, played: Played, under_way: Sequence[PlayedBlock] = ()) -> list[Row]:
        rounds = (*played, under_way) if under_way else played
        tally = self._field(rounds).tally
        return tally.rows(opposition(rounds, tally, self._bye, self._seats - 1))

    def _field(self, played: Played) -> _Field:
        field = _Field(self.bots)
        for number, round_ in enumerate(played):
            field.add(round_, self._byes_of(field, number, round_), self._bye_points)
        return field

    def _byes_of(self, field: _Field, number: int, played: Sequence[PlayedBlock]) -> Sequence[int]:
        """Return who sat a round out, given the field before it."""
        over = len(self.bots) % self._seats
        if not over:
            return ()

        # Where the round was played whole, those that are missing are those that sat it out.
        if len(played) == len(self.bots) // self._seats:
            seated = {bot for block in played for bot in block.line_up}
            return [number for number, bot in enumerate(self.bots) if bot not in seated]

        return self._pair(field, number)[1]

    def _pair(self, field: _Field, number: int) -> tuple[list[Table], Sequence[int]]:
        """Return the tables of a round and who sits it out, as numbers of the seeds."""
        best: tuple[int, list[Table], Sequence[int]] | None = None
        for byes in field.byes(len(self.bots) % self._seats):
            order = [bot for bot in field.order() if bot not in byes]
            place = {bot: at for at, bot in enumerate(order)}
            met = {
                (min(place[one], place[other]), max(place[one], place[other])): times
                for (one, other), times in field.met.items()
                if one in place and other in place
            }
            points = [field.points(bot) for bot in order]
            seated = seat_tables(points, met, self._seats, self._chance.fork(f"round {number}"))
            again = sum(met.get(pair, 0) for table in seated for pair in combinations(table, 2))
            if best is None or again < best[0]:
                best = (again, [tuple(order[at] for at in table) for table in seated], byes)
            if not again:
                break
        assert best is not None
        return best[1], best[2]


class _Field:
    """The bots with what they have scored and whom they have met. Bots are numbers of their seeds, from 0."""

    def __init__(self, bots: Sequence[str]) -> None:
        self.tally = Tally(bots)
        self.met: Counter[Pair] = Counter()
        self._bots = bots
        self._number = {bot: number for number, bot in enumerate(bots)}

    def add(self, played: Sequence[PlayedBlock], byes: Sequence[int], bye_points: int) -> None:
        self.tally.add_all(played)
        for block in played:
            self.met.update(combinations(sorted(self._number[bot] for bot in block.line_up), 2))
        for bot in byes:
            self.tally.add_bye(self._bots[bot], bye_points)

    def points(self, bot: int) -> int:
        return self.tally.points[self._bots[bot]]

    def order(self) -> list[int]:
        """Return the standings as pairing reads them: by points, then by seed."""
        return sorted(range(len(self._bots)), key=lambda bot: (-self.points(bot), bot))

    def byes(self, over: int) -> Iterator[tuple[int, ...]]:
        """Iterate over choices of so many bots to sit out, the one that is due first."""
        if not over:
            yield ()
            return

        due = sorted(self.order(), key=lambda bot: (self.tally.byes[self._bots[bot]], self.points(bot), -bot))
        yield tuple(due[:over])
        fewest = self.tally.byes[self._bots[due[over - 1]]]
        for bot in due[over : over + MAX_BYE_TRIES]:
            if self.tally.byes[self._bots[bot]] == fewest:
                yield (*due[: over - 1], bot)
