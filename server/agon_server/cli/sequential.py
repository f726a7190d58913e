"""`agon play --sprt`: what was typed as a test, and the test as it goes on, block by block in the order of the plan.

Workers end their matches in any order. What counts, and what the test decides on, are whole blocks in their order, so
that the same seed gives the same end, however many workers there are and however fast.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import itemgetter
from typing import Any, Final, Generic, TypeVar

from agon_ladder.errors import SprtError
from agon_ladder.report.testing import ELO_NAMES, llr_text
from agon_ladder.stats.block_scores import Comparison
from agon_ladder.stats.blocks import PlayedBlock, PlayedMatch
from agon_ladder.stats.sprt import EloModel, Sprt, Verdict
from agon_server.cli.failures import Negative, Undecided
from agon_server.config import ConfigError

T = TypeVar("T")

_NUMBERS: Final = ("elo0", "elo1", "alpha", "beta")
_KEYS: Final = (*_NUMBERS, "model")


def read_test(text: str) -> Sprt:
    """Read a test as it is typed, `elo0=0,elo1=10,alpha=0.05`; what is left out has its default.

    Raise ConfigError for what is none.
    """
    given: dict[str, Any] = {}
    for part in text.split(","):
        name, separator, value = (item.strip() for item in part.partition("="))
        if name not in _KEYS or not separator:
            raise ConfigError(f"--sprt is written NAME=VALUE,NAME=VALUE with {', '.join(_KEYS)}, not {part!r}")
        if name in given:
            raise ConfigError(f"--sprt names {name} twice: {text!r}")
        given[name] = _number(name, value) if name in _NUMBERS else _model(value)
    try:
        return Sprt(**given)
    except SprtError as error:
        raise ConfigError(f"--sprt: {error}") from None


def _number(name: str, value: str) -> float:
    try:
        return float(value)
    except ValueError:
        raise ConfigError(f"--sprt: {name} is a number, not {value!r}") from None


def _model(value: str) -> EloModel:
    try:
        return EloModel(value)
    except ValueError:
        raise ConfigError(f"--sprt: model is {' or '.join(EloModel)}, not {value!r}") from None


class InBlocks(Generic[T]):
    """Hands on what comes in any order as whole blocks, in the order of their numbers from 1."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._next = 1
        self._waiting: dict[int, list[tuple[int, T]]] = {}

    def take(self, block: int, number: int, item: T) -> Iterator[list[T]]:
        """Take an item of a block, and yield each block whose turn has come, its items by their numbers."""
        self._waiting.setdefault(block, []).append((number, item))
        while len(self._waiting.get(self._next, ())) == self._size:
            yield [item for _, item in sorted(self._waiting.pop(self._next), key=itemgetter(0))]
            self._next += 1

    def rest(self) -> list[T]:
        """Return what is left of blocks that are not whole, by its numbers."""
        left = [numbered for block in self._waiting.values() for numbered in block]
        self._waiting.clear()
        return [item for _, item in sorted(left, key=itemgetter(0))]


class SequentialTest:
    """A test under way."""

    def __init__(self, test: Sprt, bots: Sequence[str], seats: int, places: int) -> None:
        """`places` are the matches of a block. Raise ConfigError for bots whose blocks would not be alike."""
        self.test = test
        try:
            self.comparison = Comparison(bots, seats, places)
        except SprtError as error:
            raise ConfigError(f"--sprt: {error}") from None

        self.left_out = 0
        """Blocks in which a match did not count."""
        self.verdict = Verdict.OPEN

    def add(self, matches: Sequence[PlayedMatch | None]) -> Verdict:
        """Count the next block in, None for a match that does not count, and return where the test stands."""
        counted = [match for match in matches if match is not None]
        if len(counted) < len(matches):
            self.left_out += 1
            return self.verdict

        self.comparison.add(PlayedBlock(f"block-{self.comparison.blocks + 1}", tuple(counted)))
        self.verdict = self.test.verdict(self.test.llr(self.comparison.counts, self.comparison.places))
        return self.verdict

    def running(self) -> str:
        """Return how it stands, for the line that shows progress."""
        estimate = self.comparison.estimate()
        score = "" if estimate is None else f", score {estimate.score:.3f}"
        return f"{self.comparison.blocks} blocks{score}, {llr_text(self.comparison, self.test)}"

    def end(self) -> None:
        """Raise Negative where H0 was accepted, Undecided where nothing was."""
        if self.verdict is Verdict.H0:
            rather = f"{self.test.elo0:g} than {self.test.elo1:g} {ELO_NAMES[self.test.model]} stronger"
            raise Negative(f"H0 was accepted, {self.comparison.first} is rather {rather}; {self._ended()}")
        if self.verdict is Verdict.OPEN:
            raise Undecided(f"neither hypothesis was accepted, raise --matches to go on; {self._ended()}")

    def _ended(self) -> str:
        return llr_text(self.comparison, self.test)
