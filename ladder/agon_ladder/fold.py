"""The fold that makes a ladder's table: results in, in the order of their stream, one at a time. The same code runs
live, in a rebuild and in an audit, so equal results give equal tables, bit for bit.

A state is plain data: whole numbers, names and tuples. Reading results, storing states and fencing are the server's.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from agon_engine.core.policy import Termination
from agon_ladder.errors import MissingLibraryError, OrderError, ResultError
from agon_ladder.pairing.blocks import Rotations, places_of
from agon_ladder.ratings import DEFAULT_SYSTEM, Rating, RatingSystem, get_system
from agon_ladder.results import FAULT_TERMINATIONS, START, MatchResult, Position, half_points
from agon_ladder.rulings import FIRST_SEASON, Season

MAX_PARTIAL_BLOCKS: Final = 4096
"""A ladder keeps no more unfinished blocks than this: the one that began first is dropped for a new one, and never
counts as complete. Only abandoned blocks live that long."""


class RatingRow(NamedTuple):
    """What one match did to the rating of one seat's bot."""

    position: Position
    match: str
    seat: int
    bot: str
    placement: int
    before: Rating
    after: Rating


class Step(NamedTuple):
    """What folding one result changed: the rating of each seat's bot, and blocks that began, went on or left."""

    result: MatchResult
    before: tuple[Rating, ...] = ()
    """By seat; empty where nothing was rated."""
    after: tuple[Rating, ...] = ()
    blocks: tuple[str, ...] = ()

    @property
    def is_rated(self) -> bool:
        return bool(self.after)

    @property
    def bots(self) -> tuple[str, ...]:
        """The bots whose standing changed, by seat."""
        return self.result.bots if self.after else ()

    @property
    def rows(self) -> tuple[RatingRow, ...]:
        """One rating row a seat; none where nothing was rated."""
        result = self.result
        seats = zip(result.bots, result.placements, self.before, self.after, strict=True) if self.after else ()
        return tuple(RatingRow(result.position, result.match, seat, *row) for seat, row in enumerate(seats))


@dataclass(slots=True)
class BotState:
    """Everything that a ladder knows about one bot."""

    rating: Rating
    games: int = 0
    half_points: int = 0
    """In all games together, of `2 * (seats - 1)` a game."""
    faults: int = 0
    """Games in which the bot fell by a fault of its own."""
    resigned: int = 0
    """Games that the bot gave up."""
    blocks: dict[int, int] = field(default_factory=dict)
    """Half points in a complete block, of `LadderState.most_per_block`, to the number of such blocks."""

    def begin_season(self, initial: Rating, keep: int) -> None:
        """Move each number of the rating toward its initial value, so that `keep` percent of the distance are left, the
        fraction of a unit dropped; begin to count anew."""
        moved = []
        for value, start in zip(self.rating, initial, strict=True):
            kept = abs(value - start) * keep // 100
            moved.append(start + kept if value >= start else start - kept)
        self.rating = tuple(moved)
        self.games = self.half_points = self.faults = self.resigned = 0
        self.blocks = {}

    def to_json(self) -> dict[str, Any]:
        return {
            "rating": list(self.rating),
            "games": self.games,
            "half_points": self.half_points,
            "faults": self.faults,
            # Left out where there is none, so that the form of older tables is the one that they had.
            **({"resigned": self.resigned} if self.resigned else {}),
            "blocks": [[scored, self.blocks[scored]] for scored in sorted(self.blocks)],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> BotState:
        """Read what `to_json` wrote. Raise ResultError for anything else."""
        try:
            rating = tuple(_count(value, lowest=None) for value in data["rating"])
            counts = {name: _count(data[name]) for name in ("games", "half_points", "faults")}
            resigned = _count(data.get("resigned", 0))
            blocks = {_count(scored): _count(blocks) for scored, blocks in data["blocks"]}
        except (KeyError, TypeError, ValueError) as error:
            raise ResultError(f"not the state of a bot ({error}): {data!r}") from None

        return cls(rating, **counts, resigned=resigned, blocks=blocks)


@dataclass(slots=True)
class PartialBlock:
    """A block of which some places are rated and some are not yet."""

    began: int
    """The number of the ladder's result, from 1, that was its first."""
    points: dict[str, int]
    """Half points so far, by bot, in the order of the names."""
    places: int = 0
    """The places that are over, as a bit set."""
    broken: bool = False
    """It is complete in no table: a season began within it, or a match of it was purged."""

    def to_json(self) -> dict[str, Any]:
        data: dict[str, Any] = {"began": self.began, "points": self.points, "places": self.places}
        return data | {"broken": True} if self.broken else data

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> PartialBlock:
        """Read what `to_json` wrote. Raise ResultError for anything else."""
        try:
            points = {str(bot): _count(data["points"][bot]) for bot in sorted(data["points"])}
            return cls(
                _count(data["began"], lowest=1), points, _count(data["places"]), data.get("broken", False) is True
            )
        except (KeyError, TypeError, ValueError) as error:
            raise ResultError(f"not the state of a block ({error}): {data!r}") from None


def _count(value: Any, lowest: int | None = 0) -> int:
    if type(value) is not int or (lowest is not None and value < lowest):
        raise ValueError(f"not a whole number that can stand here: {value!r}")

    return value


class SeasonBegun(NamedTuple):
    """Which season a table is of."""

    label: str = FIRST_SEASON
    position: Position = START
    """Of the ruling that began it."""
    results: int = 0
    """Rated results of the ladder before it."""


FIRST: Final = SeasonBegun()


class FinalTable(NamedTuple):
    """A season that is over: its table as it stood at the end."""

    begun: SeasonBegun
    ended: Season
    """The ruling that began the next one."""
    results: int
    """Rated results of the season."""
    table: LadderState


@dataclass(slots=True)
class LadderState:
    """A ladder's table after some prefix of its results and rulings."""

    ladder: str
    seats: int
    system: str = DEFAULT_SYSTEM
    position: Position = START
    """Of the last result folded."""
    results: int = 0
    """Rated results so far, of all seasons."""
    season: SeasonBegun = FIRST
    bots: dict[str, BotState] = field(default_factory=dict)
    partial: dict[str, PartialBlock] = field(default_factory=dict)
    """By block, in the order in which they began."""
    rotations: Rotations = Rotations.CYCLIC

    @property
    def season_results(self) -> int:
        """Rated results of the season so far."""
        return self.results - self.season.results

    @property
    def most_per_block(self) -> int:
        """The half points of a bot that wins every game of a block."""
        return 2 * self.places * (self.seats - 1)

    @property
    def places(self) -> int:
        """How many matches a block has."""
        return places_of(self.seats, self.rotations)

    @property
    def rating_system(self) -> RatingSystem:
        return get_system(self.system)

    def apply(self, result: MatchResult, *, purged: bool = False) -> Step:
        """Fold one result: move ratings and counts where it is rated and not purged, and the position in any case.

        Raise OrderError where it is not later than the last one, ResultError where it cannot be a result of this
        ladder; then nothing has changed.
        """
        self._check_next(result.position, f"match {result.match}")
        if result.ladder != self.ladder:
            raise ResultError(f"match {result.match} belongs to another ladder than {self.ladder}: {result.ladder!r}")
        if not result.rated:
            self.position = result.position
            return Step(result)
        if purged:
            self.position = result.position
            return Step(result, blocks=self._break_block(result))

        if result.seats != self.seats:
            raise ResultError(
                f"match {result.match} of ladder {self.ladder} has not {self.seats} seats: {result.bots!r}"
            )
        result.check(self.rotations)
        partial = self.partial.get(result.block)
        if partial is not None and partial.points.keys() != set(result.bots):
            raise ResultError(f"match {result.match} seats others than block {result.block} did: {result.bots!r}")

        self.position = result.position
        self.results += 1
        points = half_points(result.placements)
        before, after = self._rate(result, points)
        return Step(result, before, after, self._count_block(result, partial, points))

    def begin_season(self, season: Season) -> FinalTable:
        """End the season: return its table, and begin the next one with every count at nothing.

        Matches count in the season in which their results stand; a block that is under way is complete in neither.
        Raise OrderError where the ruling is not later than the last result, ResultError where it is another ladder's,
        or the season has begun already: it is the running one, or the first.
        """
        self._check_next(season.position, f"season {season.label!r}")
        if season.ladder != self.ladder:
            raise ResultError(f"season {season.label!r} is of another ladder than {self.ladder}: {season.ladder!r}")
        if season.label in (self.season.label, FIRST_SEASON):
            raise ResultError(f"the season of this label has begun already: {season.label!r}")

        self.position = season.position
        final = FinalTable(self.season, season, self.season_results, self.copy())
        initial = self.rating_system.initial
        for bot in self.bots.values():
            bot.begin_season(initial, season.keep)
        for block in self.partial.values():
            block.broken = True
        self.season = SeasonBegun(season.label, season.position, self.results)
        return final

    def pass_over(self, position: Position) -> None:
        """Move on over an entry that changes nothing here. Raise OrderError where it is not later than the last one."""
        self._check_next(position, "an entry")
        self.position = position

    def _check_next(self, position: Position, what: str) -> None:
        if position <= self.position:
            raise OrderError(f"{what} stands before the last result of ladder {self.ladder}: {str(position)!r}")

    def _break_block(self, result: MatchResult) -> tuple[str, ...]:
        """Take a match that does not count out of its block; return the blocks that changed."""
        block = self.partial.get(result.block)
        if block is None or block.places >> result.place & 1:
            return ()

        block.places |= 1 << result.place
        block.broken = True
        if block.places == (1 << self.places) - 1:
            del self.partial[result.block]
        return (result.block,)

    def _rate(self, result: MatchResult, points: Sequence[int]) -> tuple[tuple[Rating, ...], tuple[Rating, ...]]:
        """Move ratings and counts; return the ratings before and after, by seat."""
        system = self.rating_system
        bots = self.bots
        for bot in result.bots:
            if bot not in bots:
                bots[bot] = BotState(system.initial)
        states = [bots[bot] for bot in result.bots]
        before = tuple([state.rating for state in states])
        after = tuple(system.update(before, result.placements))
        for state, rating, scored, ended in zip(states, after, points, result.terminations, strict=True):
            state.rating = rating
            state.games += 1
            state.half_points += scored
            if ended in FAULT_TERMINATIONS:
                state.faults += 1
            elif ended is Termination.RESIGNED:
                state.resigned += 1
        return before, after

    def _count_block(self, result: MatchResult, block: PartialBlock | None, points: Sequence[int]) -> tuple[str, ...]:
        """Add a rated match to its block, as far as that is known; return the blocks that changed. A place counts
        once."""
        if not result.block:
            return ()

        changed: tuple[str, ...] = (result.block,)
        if block is None:
            if len(self.partial) >= MAX_PARTIAL_BLOCKS:
                oldest = next(iter(self.partial))
                del self.partial[oldest]
                changed = (result.block, oldest)
            block = self.partial[result.block] = PartialBlock(self.results, dict.fromkeys(sorted(result.bots), 0))
        place = 1 << result.place
        if block.places & place:
            return ()

        block.places |= place
        for bot, scored in zip(result.bots, points, strict=True):
            block.points[bot] += scored
        if block.places == (1 << self.places) - 1:
            del self.partial[result.block]
            for bot, scored in block.points.items() if not block.broken else ():
                histogram = self.bots[bot].blocks
                histogram[scored] = histogram.get(scored, 0) + 1
        return changed

    # -- one canonical form ----------------------------------------------------------------------------------

    def to_json(self) -> dict[str, Any]:
        # Left out where it is cyclic, so that the form of older tables is the one that they had.
        rotations = {} if self.rotations is Rotations.CYCLIC else {"rotations": self.rotations.value}
        return {
            "ladder": self.ladder,
            "seats": self.seats,
            **rotations,
            "system": self.system,
            "position": str(self.position),
            "results": self.results,
            "season": [self.season.label, str(self.season.position), self.season.results],
            "bots": {bot: self.bots[bot].to_json() for bot in sorted(self.bots)},
            "partial": {block: self.partial[block].to_json() for block in sorted(self.partial)},
        }

    def canonical(self) -> bytes:
        """Return the state as bytes that are equal exactly for equal states, on every machine."""
        return json.dumps(self.to_json(), separators=(",", ":"), ensure_ascii=True).encode()

    def copy(self) -> LadderState:
        """Return an independent copy."""
        return LadderState.from_json(self.to_json())

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> LadderState:
        """Read what `to_json` wrote. Raise ResultError for anything else, MissingLibraryError where its rating system
        cannot be had."""
        try:
            bots = {str(bot): BotState.from_json(state) for bot, state in data["bots"].items()}
            blocks = [(str(block), PartialBlock.from_json(state)) for block, state in data["partial"].items()]
            position = Position.parse(data["position"])
            seats, results = _count(data["seats"], lowest=2), _count(data["results"])
            ladder, system = str(data["ladder"]), get_system(data["system"]).name
            rotations = Rotations(data.get("rotations", Rotations.CYCLIC))
            places_of(seats, rotations)
            season = _season(data.get("season"))
        except MissingLibraryError:
            raise
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise ResultError(f"not the state of a ladder: {error}") from None

        blocks.sort(key=lambda item: item[1].began)
        return cls(ladder, seats, system, position, results, season, bots, dict(blocks), rotations)


def _season(data: Any) -> SeasonBegun:
    """Read a season; tables of earlier versions have none, which is the first one."""
    if data is None:
        return FIRST

    label, position, results = data
    return SeasonBegun(str(label), Position.parse(position), _count(results))
