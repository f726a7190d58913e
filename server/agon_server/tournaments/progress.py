"""How far a tournament has come: its results folded over its schedule. Pure.

The order in which results come does not matter within a round, so any number of matches may run at once, and a
tournament that was interrupted goes on as if it had not been. What is kept is a sheet of bytes; line-ups come from the
schedule when they are asked for, and those that follow from results are kept as numbers. So a million matches cost
megabytes.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from agon_ladder.errors import ResultError, ScheduleError
from agon_ladder.pairing.blocks import rotation
from agon_ladder.pairing.schedules.lazily import Lazy, LazyMap
from agon_ladder.pairing.schedules.schedule import PlannedBlock, Played, Schedule
from agon_ladder.results import is_ranking
from agon_ladder.stats.blocks import PlayedBlock, PlayedMatch
from agon_server.tournaments.places import Place
from agon_server.tournaments.sheet import GIVEN_UP, OPEN, Sheet

MAX_SEATS: Final = 255
MAX_ATTEMPTS: Final = 3
"""How often a match is played that ends without a result that counts; then its block is given up."""


class Due(NamedTuple):
    """A match that is to be played."""

    place: Place
    attempt: int
    """How often it was played without a result that counts."""
    bots: tuple[str, ...]
    """By seat."""


class Progress:
    """The fold. Results come in any order within a round, and of later rounds too where rounds do not follow from
    results."""

    def __init__(self, schedule: Schedule, seats: int, places: int | None = None) -> None:
        """`places` are the matches of a block; by default one for each seat. Raise ScheduleError where the first round
        cannot be."""
        if not 2 <= seats <= MAX_SEATS:
            raise ScheduleError(f"a match of a tournament has 2 to {MAX_SEATS} seats, not {seats!r}")

        self.seats = seats
        self.places = seats if places is None else places
        self.schedule = schedule
        self.opens_rounds = True
        """Whether the last result of a round opens the next one, which takes up to seconds where it is paired from
        results; else `open_round` does."""
        self.is_over = False
        self.done = 0
        """Matches that have a result that counts."""
        self.lost = 0
        """Matches of blocks that were given up, which nobody plays any more."""
        self._sheet = Sheet(seats, self.places)
        self._paired: list[_Paired] = []
        """The rounds, where they follow from results; others come from the schedule anew."""
        self._over = 0
        """So many first rounds are over, which they then stay; there can be a million of them."""
        self._last: tuple[int, Sequence[PlannedBlock]] = (-1, ())
        """The round that was asked for last, since the next question is mostly about the same."""
        self._known: tuple[int, int, tuple[str, ...]] = (-1, -1, ())
        """Likewise the line-up, with its round and block."""
        self._named = -1, ""
        """The round whose name was asked for last, and it."""
        self._maybe_open()

    @property
    def planned(self) -> int:
        """How many matches there are; while later rounds follow from results: at most."""
        return (self._sheet.blocks if self.is_over else self.schedule.planned_blocks) * self.places

    @property
    def remaining(self) -> int:
        """How many are left to play (R13)."""
        return self.planned - self.done - self.lost

    @property
    def round(self) -> int:
        """The first round that is not over, from 0; of a tournament that is over: how many it had."""
        while self._over < self._sheet.rounds and not self._sheet.open_blocks(self._over):
            self._over += 1
        return self._over

    @property
    def round_name(self) -> str:
        """What people call that round; empty where there is only one, and of a tournament that is over."""
        number = self.round
        if self.is_over or self.schedule.rounds == 1 or number >= self._sheet.rounds:
            return ""
        if self._named[0] != number:
            self._named = number, self.schedule.round_name(number, self.played())
        return self._named[1]

    @property
    def given_up(self) -> list[str]:
        """The blocks that could not be played to their end, by name."""
        return [place.block_id for number in range(self._sheet.rounds) for place in self._blocks_in(number, GIVEN_UP)]

    @property
    def rounds_open(self) -> int:
        """How many rounds have begun."""
        return self._sheet.rounds

    @property
    def blocks(self) -> int:
        """How many blocks these have."""
        return self._sheet.blocks

    def line_ups(self, number: int) -> Iterator[tuple[Place, tuple[str, ...]]]:
        """Iterate over the blocks of a round that has begun."""
        for block in range(self._sheet.size(number)):
            yield Place(number, block, 0), self._line_up(number, block)

    def size(self, number: int) -> int:
        """Return how many blocks a round has, and open it where that can be; 0 where it is not there, or not yet."""
        while number >= self._sheet.rounds and self._maybe_open():
            pass
        return self._sheet.size(number) if number < self._sheet.rounds else 0

    def bots(self, place: Place) -> tuple[str, ...]:
        """Return who sits where in a match of a round that has begun. Raise ResultError where there is none."""
        self._ensure_open(place)
        return rotation(self._line_up(place.round, place.block), place.place)

    def open_blocks(self) -> Sequence[PlannedBlock]:
        """Return the blocks of the first round that is not over."""
        return self._blocks(self.round) if not self.is_over else ()

    def bots_due(self) -> set[str]:
        """Return the bots of which something is left to play in the rounds that are open."""
        found: set[str] = set()
        for number in range(self.round, self._sheet.rounds):
            for place in self._blocks_in(number, OPEN):
                found.update(self._line_up(place.round, place.block))
                if len(found) == len(self.schedule.bots):
                    return found
        return found

    # -- what is to be played ------------------------------------------------------------------------------------

    def due(self) -> Iterator[Due]:
        """Iterate over what is left to play, in the order of the schedule, up to the first round that hangs on results
        which are not there; made one by one.

        A match that has ended meanwhile is left out, one that runs is not: ask once, then again when those have ended.
        """
        for first in self.due_blocks():
            line_up = self._line_up(first.round, first.block)
            for number in range(self.places):
                place = first._replace(place=number)
                if self._sheet.state(place.round, place.block) == OPEN and self._sheet.placements(*place) is None:
                    yield Due(place, self._sheet.missed(*place), rotation(line_up, number))

    def due_blocks(self) -> Iterator[Place]:
        """Iterate over the blocks of which something is left to play, as `due` does over the matches; each by its first
        place. What is over is passed in no time."""
        number = self.round
        while number < self._sheet.rounds:
            yield from self._blocks_in(number, OPEN)
            number += 1
            if number == self._sheet.rounds:
                self._maybe_open()

    def take(self, place: Place, bots: Sequence[str], placements: Sequence[int]) -> bool:
        """Take a result that counts; return False where it is known already.

        Raise ResultError for one that the schedule does not have, or that differs from the one that is known; then
        nothing has changed.
        """
        self.check(place, bots, placements)
        ranking = tuple(placements)
        if self._sheet.placements(*place) is not None:
            return False

        self.lost -= self._sheet.state(place.round, place.block) == GIVEN_UP
        self.done += 1
        self._sheet.note(*place, ranking)
        self._maybe_open_next(place.round)
        return True

    def check(self, place: Place, bots: Sequence[str], placements: Sequence[int]) -> None:
        """Raise ResultError as `take` does."""
        ranking = tuple(placements)
        due = self.bots(place)
        if tuple(bots) != due:
            raise ResultError(f"{place.told} seats {due!r} by its schedule, not {tuple(bots)!r}")
        if len(ranking) != self.seats or not is_ranking(ranking):
            raise ResultError(f"{place.told} has placements that are no ranking: {ranking!r}")
        known = self._sheet.placements(*place)
        if known is not None and known != ranking:
            raise ResultError(f"{place.told} has two results: {[known, ranking]!r}")

    def missed(self, place: Place) -> bool:
        """Note that a match ended without a result that counts; with the last of `MAX_ATTEMPTS` its block is given up.

        Return whether it is to be played again. Raise ResultError for a place that the schedule does not have.
        """
        self._ensure_open(place)
        if self._sheet.note_missed(*place) < MAX_ATTEMPTS:
            return True

        self.give_up(place)
        return False

    def give_up(self, place: Place) -> None:
        """Play nothing of this place's block any more. Raise ResultError for one that the schedule does not have."""
        self._ensure_open(place)
        if self._sheet.state(place.round, place.block) == OPEN:
            self.lost += self._sheet.give_up(place.round, place.block)
            self._maybe_open_next(place.round)

    @property
    def awaits_round(self) -> bool:
        """Whether all rounds that were opened are over, and it is not known yet whether that was all."""
        return not self.is_over and self.round == self._sheet.rounds

    def open_round(self) -> None:
        """Open the next round, or note that there is none and all is over."""
        self._maybe_open()

    def _ensure_open(self, place: Place) -> None:
        """Open rounds up to that of a place. Raise ResultError where it is not in the schedule, or not yet."""
        if place.round < 0 or not (blocks := self.size(place.round)):
            raise ResultError(f"{place.told} is not in the schedule, or a round before it is not over")
        if not (0 <= place.block < blocks and 0 <= place.place < self.places):
            raise ResultError(f"{place.told} is not in the schedule")

    def _maybe_open_next(self, number: int) -> None:
        if self.opens_rounds and not self._sheet.open_blocks(number):
            self._maybe_open()

    def _maybe_open(self) -> bool:
        """Open the next round where that can be; note where there is none and all is over."""
        number = self._sheet.rounds
        is_adaptive = self.schedule.is_adaptive
        if self.is_over or (is_adaptive and number and self._sheet.open_blocks(number - 1)):
            return False

        blocks: Sequence[PlannedBlock] = ()
        if number < self.schedule.rounds:
            blocks = self.schedule.round(number, self.played() if is_adaptive else ())
        if blocks:
            if is_adaptive:
                checked = (self._checked(block, number, index) for index, block in enumerate(blocks))
                self._paired.append(_Paired(number, checked, self.schedule.bots, self.seats))
            self._sheet.add_round(len(blocks))
            return True

        self.is_over = self.round == number
        return False

    # -- line-ups ------------------------------------------------------------------------------------------------

    def _blocks(self, number: int) -> Sequence[PlannedBlock]:
        if self.schedule.is_adaptive:
            return self._paired[number]

        if self._last[0] != number:
            self._last = number, self.schedule.round(number, ())
        return self._last[1]

    def _line_up(self, number: int, index: int) -> tuple[str, ...]:
        if self._known[:2] != (number, index):
            self._known = number, index, self._checked(self._blocks(number)[index], number, index).line_up
        return self._known[2]

    def _checked(self, block: PlannedBlock, number: int, index: int) -> PlannedBlock:
        if (block.round, block.number, len(set(block.line_up))) != (number, index, self.seats):
            raise ScheduleError(f"the schedule gives another block than {(number, index)!r}: {block!r}")

        return block

    def _blocks_in(self, number: int, state: int) -> Iterator[Place]:
        block = self._sheet.next_block(number, state)
        while block is not None:
            yield Place(number, block, 0)
            block = self._sheet.next_block(number, state, block)

    # -- what was played -----------------------------------------------------------------------------------------

    def played(self) -> Played:
        """Return the complete blocks of each round, in the order of the schedule whatever that of their ends; made when
        they are asked for, and of rounds as they are then."""
        return LazyMap(range(self._sheet.rounds), self._played)

    def _played(self, number: int) -> Sequence[PlayedBlock]:
        blocks = self._sheet.complete(number)
        return LazyMap(range(len(blocks)), lambda index: self._played_block(number, blocks[index]))

    def _played_block(self, number: int, block: int) -> PlayedBlock:
        line_up = self._line_up(number, block)
        matches = []
        for place in range(self.places):
            placements = self._sheet.placements(number, block, place)
            assert placements is not None, "the block is complete"
            matches.append(PlayedMatch(rotation(line_up, place), placements))
        return PlayedBlock(Place(number, block, 0).block_id, tuple(matches))

    def matches(self) -> Iterator[tuple[Place, PlayedMatch]]:
        """Iterate over all matches that have a result, in the order of the schedule, those of incomplete blocks too."""
        for number in range(self._sheet.rounds):
            for block in range(self._sheet.size(number)):
                for place in range(self.places):
                    if (placements := self._sheet.placements(number, block, place)) is not None:
                        key = Place(number, block, place)
                        yield key, PlayedMatch(self.bots(key), placements)


class _Paired(Lazy[PlannedBlock]):
    """The blocks of a round that follows from results, which are not asked for again: two bytes a seat."""

    def __init__(self, number: int, blocks: Iterable[PlannedBlock], bots: Sequence[str], seats: int) -> None:
        index = {bot: at for at, bot in enumerate(bots)}
        self._number = number
        self._bots = bots
        self._seats = seats
        self._line_ups = array("H", (index[bot] for block in blocks for bot in block.line_up))

    def __len__(self) -> int:
        return len(self._line_ups) // self._seats

    def item(self, index: int) -> PlannedBlock:
        line_up = self._line_ups[index * self._seats : (index + 1) * self._seats]
        return PlannedBlock(self._number, index, tuple(self._bots[bot] for bot in line_up))
