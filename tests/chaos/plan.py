"""What a run does to the arena and in which order: drawn from its seed alone. Pure."""

from __future__ import annotations

import random
from dataclasses import dataclass
from enum import StrEnum


class Blow(StrEnum):
    """One kind of thing that is done."""

    SERVER_BACK = "kill -9 of a server that is started again at once"
    SERVER_GONE = "kill -9 of a server that stays away beyond its lease"
    BOT = "kill -9 of a bot"
    STORE = "kill -9 of the store"
    SERVER_STILL = "SIGSTOP of a server beyond its lease"
    BOT_STILL = "SIGSTOP of a bot"
    CUT = "all lines to a server cut"
    ROLLING = "rolling restart of all servers by SIGTERM"


KILLS = (Blow.SERVER_BACK, Blow.SERVER_GONE, Blow.BOT)
"""What counts as a kill of a server or a bot."""
FULL = {
    Blow.SERVER_BACK: 8,
    Blow.SERVER_GONE: 6,
    Blow.BOT: 18,
    Blow.STORE: 3,
    Blow.SERVER_STILL: 3,
    Blow.BOT_STILL: 4,
    Blow.CUT: 4,
    Blow.ROLLING: 2,
}
"""Of a whole run."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The blows of a run, one after the other."""

    seed: int
    blows: tuple[Blow, ...]

    @classmethod
    def drawn(cls, seed: int, counts: dict[Blow, int]) -> Plan:
        """Shuffle the blows, so that all kinds come early and late; the store's are spread over the run."""
        rng = random.Random(seed)
        blows: list[Blow] = [blow for blow, count in counts.items() for _ in range(count) if blow is not Blow.STORE]
        rng.shuffle(blows)
        stores = counts.get(Blow.STORE, 0)
        for number in range(stores):
            part = len(blows) // stores
            blows.insert(number * part + rng.randrange(max(1, part)), Blow.STORE)
        return cls(seed, tuple(blows))

    def count(self, *kinds: Blow) -> int:
        return sum(blow in kinds for blow in self.blows)


def counts_for(matches: int, kills: int | None = None, stores: int | None = None) -> dict[Blow, int]:
    """Return how many blows of each kind a run of so many matches has; a whole run has 300."""
    share = matches / 300
    counts = {blow: max(1, round(count * share)) for blow, count in FULL.items()}
    if stores is not None:
        counts[Blow.STORE] = stores
    if kills is not None:
        counts[Blow.BOT] = max(0, kills - counts[Blow.SERVER_BACK] - counts[Blow.SERVER_GONE])
    return counts
