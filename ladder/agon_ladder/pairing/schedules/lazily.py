"""Sequences whose items are made when they are asked for, and the numbering of combinations that they rest on.

So a million planned blocks take no more memory than one.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from math import comb, factorial, gcd
from typing import TypeVar, overload

T = TypeVar("T")


class Lazy(Sequence[T]):
    """A sequence of a known length that makes each item from its index, whenever it is asked for."""

    @abstractmethod
    def item(self, index: int) -> T:
        """Make the item of an index from 0 to the length - 1."""

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[T]: ...
    def __getitem__(self, index: int | slice) -> T | Sequence[T]:
        if isinstance(index, slice):
            return LazyMap(range(len(self))[index], self.item)

        return self.item(range(len(self))[index])


class LazyMap(Lazy[T]):
    """What a function makes of each number of a range."""

    __slots__ = ("_make", "_numbers")

    def __init__(self, numbers: range, make: Callable[[int], T]) -> None:
        self._numbers = numbers
        self._make = make

    def __len__(self) -> int:
        return len(self._numbers)

    def item(self, index: int) -> T:
        return self._make(self._numbers[index])


def combination(number: int, of: int, size: int) -> tuple[int, ...]:
    """Return one of the `comb(of, size)` combinations of 0 to `of` - 1, ascending, by its number in colexicographic
    order.

    >>> [combination(number, 4, 2) for number in range(6)]
    [(0, 1), (0, 2), (1, 2), (0, 3), (1, 3), (2, 3)]
    """
    found = []
    for left in range(size, 0, -1):
        # The greatest member is the greatest one with at least `number` combinations below it.
        low, high = left - 1, of - 1
        while low < high:
            middle = (low + high + 1) // 2
            if comb(middle, left) <= number:
                low = middle
            else:
                high = middle - 1
        found.append(low)
        number -= comb(low, left)
        of = low
    return tuple(reversed(found))


def permutation(number: int, items: Sequence[T]) -> tuple[T, ...]:
    """Return one of the orders of the items by its number in lexicographic order, from 0.

    >>> [permutation(number, "abc") for number in (0, 1, 5)]
    [('a', 'b', 'c'), ('a', 'c', 'b'), ('c', 'b', 'a')]
    """
    left = list(items)
    found = []
    while left:
        which, number = divmod(number, factorial(len(left) - 1))
        found.append(left.pop(which))
    return tuple(found)


def stride(length: int) -> int:
    """Return a step that has nothing in common with the length and is near its golden section: the multiples of it
    visit every index once, and any run of them is spread evenly.

    >>> [step * stride(5) % 5 for step in range(5)]
    [0, 3, 1, 4, 2]
    """
    step = max(1, length * 618_033_988_749_895 // 10**15)
    while gcd(step, length) != 1:
        step += 1
    return step
