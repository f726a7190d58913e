"""Randomness that the match owns: counter-based, portable, cheap to copy.

Each draw is `blake2b(key = seed, data = stream name and counter)`, so a draw depends on the seed, the
stream's name and how often that stream was drawn from before, and on nothing else: not on the machine,
the Python version, other streams or what bots do. Rules code uses nothing else (no `random`, no clock).
"""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence
from hashlib import blake2b
from typing import TypeVar

T = TypeVar("T")

SEED_BYTES = 16
_WORD = 1 << 64


class Chance:
    """Named streams of random numbers from one secret 128-bit seed.

    >>> chance = Chance(bytes(16))
    >>> chance.below("dice", 6) == Chance(bytes(16)).below("dice", 6)
    True
    """

    __slots__ = ("_drawn", "_seed")

    def __init__(self, seed: bytes) -> None:
        """Start all streams at their beginning. Raise ValueError when `seed` is not 16 bytes long."""
        if len(seed) != SEED_BYTES:
            raise ValueError(f"a seed has {SEED_BYTES} bytes, not {len(seed)}")

        self._seed = seed
        self._drawn: dict[str, int] = {}

    def word(self, stream: str) -> int:
        """Return the next number of the stream, uniform in 0 .. 2**64 - 1."""
        count = self._drawn.get(stream, 0)
        self._drawn[stream] = count + 1
        data = f"{stream}\x00{count}".encode()
        return int.from_bytes(blake2b(data, digest_size=8, key=self._seed).digest(), "little")

    def below(self, stream: str, bound: int) -> int:
        """Return a number uniform in 0 .. bound - 1 (exactly: the tail of the words is rejected).

        Raise ValueError for a bound that is not 1 .. 2**64.
        """
        if not 1 <= bound <= _WORD:
            raise ValueError(f"a bound is 1 to {_WORD}, not {bound!r}")

        limit = _WORD - _WORD % bound
        while True:
            word = self.word(stream)
            if word < limit:
                return word % bound

    def choice(self, stream: str, items: Sequence[T]) -> T:
        """Return one of the items, each equally likely. Raise ValueError when there is none."""
        return items[self.below(stream, len(items))]

    def shuffle(self, stream: str, items: MutableSequence[T]) -> None:
        """Bring the items into a uniformly random order, in place (Fisher–Yates)."""
        for last in range(len(items) - 1, 0, -1):
            other = self.below(stream, last + 1)
            items[last], items[other] = items[other], items[last]

    def fork(self, label: str) -> Chance:
        """Return independent streams under a seed of their own, derived from this seed and the label.

        What is drawn from the fork tells nothing about this object's streams, and drawing does not move them.
        """
        return Chance(blake2b(label.encode(), digest_size=SEED_BYTES, key=self._seed, person=b"agon fork").digest())

    def clone(self) -> Chance:
        """Return a copy that will draw the same numbers as this one."""
        copy = Chance(self._seed)
        copy._drawn = self._drawn.copy()
        return copy

    def key(self) -> tuple[object, ...]:
        """Return everything that decides the next draws, for digests. Secret: it holds the seed."""
        return (self._seed, tuple(sorted(self._drawn.items())))

    def __repr__(self) -> str:
        return f"<Chance, {sum(self._drawn.values())} drawn>"
