"""What a check suspects, before a second look has confirmed it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from agon.codec.admin import Condition, Symptom

TOLD: Final = 20
"""Of each check no more are told one by one."""


@dataclass(frozen=True, slots=True)
class Suspicion:
    """Something that looked wrong once; it is wrong where a second look finds the same, and it has not moved."""

    check: str
    condition: Condition
    what: str
    where: str
    remedy: str
    mark: object = None
    """What would have changed by the second look if it were alive: a cursor, an epoch, a count."""

    @property
    def identity(self) -> tuple[str, str, object]:
        """What tells whether two suspicions are of the same thing, unmoved. The text may have changed: ages do."""
        return self.check, self.where, self.mark


def confirmed(first: Iterable[Suspicion], second: Iterable[Suspicion]) -> list[Suspicion]:
    """Return what both looks suspect, as the second one tells it."""
    known = {suspicion.identity for suspicion in first}
    return [suspicion for suspicion in second if suspicion.identity in known]


def told(suspicions: Iterable[Suspicion]) -> tuple[Symptom, ...]:
    """Return what is told of them: of each check the first ones, and how many more there are."""
    return tuple(_told(list(suspicions)))


def _told(suspicions: list[Suspicion]) -> Iterator[Symptom]:
    counts = Counter(suspicion.check for suspicion in suspicions)
    seen: Counter[str] = Counter()
    for item in suspicions:
        seen[item.check] += 1
        if seen[item.check] < TOLD or counts[item.check] == TOLD:
            yield Symptom(item.check, item.condition, item.what, item.where, item.remedy)
        elif seen[item.check] == TOLD:
            more = counts[item.check] - TOLD + 1
            yield Symptom(item.check, item.condition, f"{more} more like this", "", item.remedy)


def some(names: Iterable[str], most: int = 3) -> str:
    """Return the first of the names, and how many more there are.

    >>> some(["a", "b", "c", "d", "e"])
    'a, b, c and 2 more'
    """
    listed = list(names)
    more = f" and {len(listed) - most} more" if len(listed) > most else ""
    return ", ".join(listed[:most]) + more
