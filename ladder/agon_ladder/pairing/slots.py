"""The free slots of connected bots, as one round of pairing hands them out. A bot may have several processes, each with
slots of its own and perhaps not for every ladder."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass


@dataclass(slots=True)
class Process:
    """One connected process of a bot."""

    bot: str
    instance: str
    free: int
    """Matches that it could start now; taken from as slots are handed out."""
    ladders: Collection[str]
    """The open ladders that it plays in."""


class Slots:
    """What is free now, by bot and ladder."""

    def __init__(self, processes: Iterable[Process]) -> None:
        self._of: dict[str, list[Process]] = {}
        self._free: set[str] = set()
        """Bots that have a free slot for some ladder."""
        for process in processes:
            known = self._of.get(process.bot)
            if known is None:
                self._of[process.bot] = [process]
            else:
                known.append(process)
            if process.free:
                self._free.add(process.bot)

    def is_present(self, bot: str, ladder: str) -> bool:
        """Tell whether some process of the bot plays in the ladder, busy or not."""
        return any(ladder in process.ladders for process in self._of.get(bot, ()))

    def free_by_bot(self, ladder: str) -> dict[str, int]:
        """Return the free slots of every bot that plays in the ladder; 0: it is busy."""
        found: dict[str, int] = {}
        for bot, processes in self._of.items():
            for process in processes:
                if ladder in process.ladders:
                    found[bot] = found.get(bot, 0) + process.free
        return found

    def free_bots(self) -> set[str]:
        """Return the bots that have a free slot for some ladder, as of now."""
        return self._free.copy()

    def free(self, bot: str, ladder: str) -> int:
        found = 0
        for process in self._of.get(bot, ()):
            if ladder in process.ladders:
                found += process.free
        return found

    def free_for_all(self, bots: Sequence[str], ladder: str) -> int:
        """Return how many matches all the bots together could start now."""
        return min(self.free(bot, ladder) for bot in bots)

    def take(self, bot: str, ladder: str) -> str | None:
        """Take a slot and return the instance that has it, the one with the most of them; None when none is free."""
        best: Process | None = None
        for process in self._of.get(bot, ()):
            if process.free and ladder in process.ladders and (best is None or process.free > best.free):
                best = process
        if best is None:
            return None

        best.free -= 1
        if not best.free and not any(process.free for process in self._of[bot]):
            self._free.remove(bot)
        return best.instance

    def take_all(self, bots: Sequence[str], ladder: str) -> tuple[str, ...] | None:
        """Take a slot of each bot and return their instances, in the same order; None, with nothing taken, when one
        of them has none."""
        if not self.free_for_all(bots, ladder):
            return None

        return tuple(instance for bot in bots if (instance := self.take(bot, ladder)) is not None)
