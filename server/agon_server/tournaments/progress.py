"""How far a tournament has come: its results folded over its schedule. Pure.

The order in which results come does not matter within a round, so any number of matches may run at once, and a
tournament that was interrupted goes on as if it had not been. What is kept is one byte a seat of each match: the
line-ups come from the schedule when they are asked for, so a million matches cost megabytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple, overload

from agon_ladder.errors import ResultError, ScheduleError
from agon_ladder.pairing.blocks import rotation
from agon_ladder.pairing.schedules.schedule import PlannedBlock, Schedule
from agon_ladder.results import is_ranking
from agon_ladder.stats.blocks import PlayedBlock, PlayedMatch

MAX_SEATS: Final = 255
MAX_ATTEMPTS: Final = 3
"""How often a match is played that ends without a result that counts; then its block is given up."""


class Place(NamedTuple):
    """Where in the schedule a match stands; all from 0."""

    round: int
    block: int
    """Within the round."""
    place: int
    """Within the block: which rotation of its line-up."""

    @property
    def block_id(self) -> str:
        """What people and records call the block.

        >>> Place(0, 2, 1).block_id
        '1.3'
        """
        return f"{self.round + 1}.{self.block + 1}"

    @property
    def told(self) -> str:
        """How an error names the match."""
        return f"match {self.place + 1} of block {self.block_id}"


def read_block_id(text: str, place: int) -> Place:
    """Return the place in the block of such a name. Raise ResultError for any other name."""
    round_, _, block = text.partition(".")
    found: Place | None
    try:
        found = Place(int(round_) - 1, int(block) - 1, place)
    except ValueError:
        found = None
    if found is None or found.block_id != text or min(found) < 0:
        raise ResultError(f"a block of a tournament is called ROUND.NUMBER, not {text!r}")

    return found


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
        self._rounds: list[_Round] = []
        self._over = 0
        """So many first rounds are over, which they then stay; there can be a million of them."""
        self._attempts: dict[Place, int] = {}
        self._maybe_open()

    @property
    def planned(self) -> int:
        """How many matches there are; while later rounds follow from results: at most."""
        if self.is_over:
            return sum(len(round_.blocks) for round_ in self._rounds) * self.places

        return self.schedule.planned_blocks * self.places

    @property
    def remaining(self) -> int:
        """How many are left to play (R13)."""
        return self.planned - self.done - self.lost

    @property
    def round(self) -> int:
        """The first round that is not over, from 0; of a tournament that is over: how many it had."""
        while self._over < len(self._rounds) and not self._rounds[self._over].left:
            self._over += 1
        return self._over

    @property
    def given_up(self) -> list[str]:
        """The blocks that could not be played to their end, by name."""
        return [Place(round_.number, block, 0).block_id for round_ in self._rounds for block in sorted(round_.given_up)]

    def bots(self, place: Place) -> tuple[str, ...]:
        """Return who sits where in a match of a round that has begun. Raise ResultError where there is none."""
        return self._round_of(place).bots(place)

    def open_blocks(self) -> Sequence[PlannedBlock]:
        """Return the blocks of the first round that is not over."""
        return self._rounds[self.round].blocks if not self.is_over else ()

    # -- what is to be played ------------------------------------------------------------------------------------

    def due(self) -> Iterator[Due]:
        """Iterate over what is left to play, in the order of the schedule, up to the first round that hangs on results
        which are not there; made one by one.

        A match that has ended meanwhile is left out, one that runs is not: ask once, then again when those have ended.
        """
        number = self.round
        while number < len(self._rounds):
            round_ = self._rounds[number]
            for index in range(len(round_.blocks) if round_.left else 0):
                for place in range(self.places):
                    key = Place(number, index, place)
                    if index not in round_.given_up and round_.placements(key) is None:
                        yield Due(key, self._attempts.get(key, 0), round_.bots(key))
            number += 1
            if number == len(self._rounds):
                self._maybe_open()

    def take(self, place: Place, bots: Sequence[str], placements: Sequence[int]) -> bool:
        """Take a result that counts; return False where it is known already.

        Raise ResultError for one that the schedule does not have, or that differs from the one that is known; then
        nothing has changed.
        """
        round_ = self._round_of(place)
        ranking = tuple(placements)
        due = round_.bots(place)
        if tuple(bots) != due:
            raise ResultError(f"{place.told} seats {due!r} by its schedule, not {tuple(bots)!r}")
        if len(ranking) != self.seats or not is_ranking(ranking):
            raise ResultError(f"{place.told} has placements that are no ranking: {ranking!r}")
        if (known := round_.placements(place)) is not None:
            if known != ranking:
                raise ResultError(f"{place.told} has two results: {[known, ranking]!r}")
            return False

        if place.block in round_.given_up:
            self.lost -= 1
        self.done += 1
        round_.take(place, ranking)
        if not round_.left and self.opens_rounds:
            self._maybe_open()
        return True

    def missed(self, place: Place) -> bool:
        """Note that a match ended without a result that counts; with the last of `MAX_ATTEMPTS` its block is given up.

        Return whether it is to be played again. Raise ResultError for a place that the schedule does not have.
        """
        round_ = self._round_of(place)
        round_.bots(place)
        self._attempts[place] = self._attempts.get(place, 0) + 1
        if self._attempts[place] < MAX_ATTEMPTS:
            return True

        self.give_up(place)
        return False

    def give_up(self, place: Place) -> None:
        """Play nothing of this place's block any more. Raise ResultError for one that the schedule does not have."""
        round_ = self._round_of(place)
        round_.bots(place)
        if place.block in round_.given_up or round_.is_complete(place.block):
            return

        places = (place._replace(place=other) for other in range(self.places))
        self.lost += sum(round_.placements(other) is None for other in places)
        round_.give_up(place.block)
        if not round_.left and self.opens_rounds:
            self._maybe_open()

    @property
    def awaits_round(self) -> bool:
        """Whether all rounds that were opened are over, and it is not known yet whether that was all."""
        return not self.is_over and not (self._rounds and self._rounds[-1].left)

    def open_round(self) -> None:
        """Open the next round, or note that there is none and all is over."""
        self._maybe_open()

    def _round_of(self, place: Place) -> _Round:
        while place.round >= len(self._rounds) and self._maybe_open():
            pass
        if not 0 <= place.round < len(self._rounds):
            raise ResultError(f"{place.told} is not in the schedule, or a round before it is not over")

        return self._rounds[place.round]

    def _maybe_open(self) -> bool:
        """Open the next round where that can be; note where there is none and all is over."""
        number = len(self._rounds)
        is_open = any(round_.left for round_ in self._rounds[-1:] if self.schedule.is_adaptive)
        if is_open or self.is_over:
            return False

        blocks = self.schedule.round(number, self.played()) if number < self.schedule.rounds else ()
        if blocks:
            self._rounds.append(_Round(number, blocks, self.seats, self.places))
            return True

        self.is_over = not any(round_.left for round_ in self._rounds)
        return False

    # -- what was played -----------------------------------------------------------------------------------------

    def played(self) -> Sequence[Sequence[PlayedBlock]]:
        """Return the complete blocks of each round, in the order of the schedule whatever that of their ends; lazily,
        and as they are now."""
        return [_Played(round_) for round_ in self._rounds]

    def matches(self) -> Iterator[tuple[Place, PlayedMatch]]:
        """Iterate over all matches that have a result, in the order of the schedule, those of incomplete blocks too."""
        for round_ in self._rounds:
            for block in range(len(round_.blocks)):
                for place in range(self.places):
                    key = Place(round_.number, block, place)
                    if (placements := round_.placements(key)) is not None:
                        yield key, PlayedMatch(round_.bots(key), placements)


class _Round:
    """One round: its blocks, and a byte for each seat's placement in each of its matches, 0 while there is none."""

    def __init__(self, number: int, blocks: Sequence[PlannedBlock], seats: int, places: int) -> None:
        self.number = number
        self.blocks = blocks
        self.left = len(blocks)
        """Blocks that are neither complete nor given up."""
        self.given_up: set[int] = set()
        self.places = places
        self._seats = seats
        self._placements = bytearray(len(blocks) * places * seats)

    def line_up(self, index: int) -> tuple[str, ...]:
        block = self.blocks[index]
        if (block.round, block.number, len(set(block.line_up))) != (self.number, index, self._seats):
            raise ScheduleError(f"the schedule gives another block than {(self.number, index)!r}: {block!r}")

        return block.line_up

    def bots(self, place: Place) -> tuple[str, ...]:
        if not (0 <= place.block < len(self.blocks) and 0 <= place.place < self.places):
            raise ResultError(f"{place.told} is not in the schedule")

        return rotation(self.line_up(place.block), place.place)

    def placements(self, place: Place) -> tuple[int, ...] | None:
        start = (place.block * self.places + place.place) * self._seats
        found = self._placements[start : start + self._seats]
        return tuple(found) if found[0] else None

    def is_complete(self, block: int) -> bool:
        size = self.places * self._seats
        return 0 not in self._placements[block * size : (block + 1) * size]

    def take(self, place: Place, placements: Sequence[int]) -> None:
        start = (place.block * self.places + place.place) * self._seats
        self._placements[start : start + self._seats] = bytes(placements)
        if self.is_complete(place.block):
            self.left -= place.block not in self.given_up
            self.given_up.discard(place.block)

    def give_up(self, block: int) -> None:
        self.given_up.add(block)
        self.left -= 1

    def complete(self) -> Iterator[int]:
        """Iterate over the blocks that are complete."""
        return (block for block in range(len(self.blocks)) if self.is_complete(block))


class _Played(Sequence[PlayedBlock]):
    """The complete blocks of a round, made when they are asked for."""

    def __init__(self, round_: _Round) -> None:
        self._round = round_
        everything = range(len(round_.blocks))
        self._blocks: Sequence[int] = everything if not (round_.left or round_.given_up) else [*round_.complete()]

    def __len__(self) -> int:
        return len(self._blocks)

    @overload
    def __getitem__(self, index: int) -> PlayedBlock: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[PlayedBlock]: ...
    def __getitem__(self, index: int | slice) -> PlayedBlock | Sequence[PlayedBlock]:
        if isinstance(index, slice):
            return [self[number] for number in range(*index.indices(len(self)))]

        block = self._blocks[index]
        matches = []
        for number in range(self._round.places):
            place = Place(self._round.number, block, number)
            placements = self._round.placements(place)
            assert placements is not None
            matches.append(PlayedMatch(self._round.bots(place), placements))
        return PlayedBlock(Place(self._round.number, block, 0).block_id, tuple(matches))
