"""Which places of open blocks start now, where slots are scarce: oldest block first, but nobody waits for the absent.

A block whose bots are not all free is passed by younger ones, so that no slot idles. What is passed too often would
starve (four free slots at once are rarer than two): after `MAX_PASSED` matches that took a slot of one of its bots, a
block holds the slots it can get for `HOLD_MS`, and then lets go and may be passed again. So a bot that is slow, or busy
with a long match, costs the others little.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from agon_ladder.pairing.blocks import OpenBlock
from agon_ladder.pairing.slots import Slots

MAX_PASSED: Final = 8
HOLD_MS: Final = 30_000


@dataclass(frozen=True, slots=True)
class Start:
    """A place of a block to queue now, and by which process of each bot it is played."""

    block: OpenBlock
    place: int
    instances: tuple[str, ...]
    """In the order of the line-up."""


@dataclass(slots=True)
class _Wait:
    passed: int = 0
    holds_since: int | None = None


@dataclass(slots=True)
class Dispatcher:
    """Remembers from round to round which blocks were passed."""

    _waits: dict[str, _Wait] = field(default_factory=dict)
    _waiting_of: dict[str, list[_Wait]] = field(default_factory=dict)
    """By bot, this round's waits that a match of the bot passes."""

    def begin(self, blocks: Iterable[OpenBlock], slots: Slots, now: int) -> list[Start]:
        """Begin a round: return what starts of the open blocks, given oldest first, and take or hold their slots.

        What is left in `slots` afterwards is free for new blocks. `now` is in milliseconds and never goes back.
        """
        starts: list[Start] = []
        waits: dict[str, _Wait] = {}
        self._waiting_of = {}
        for block in blocks:
            left = block.left()
            if not left or any(not slots.is_present(bot, block.ladder) for bot in block.bots):
                continue

            wait = self._waits.get(block.id) or _Wait()
            started = self.start(block, left, slots)
            if started:
                starts += started
                wait.passed, wait.holds_since = 0, None
            if len(started) < len(left):
                waits[block.id] = wait
                self._hold_or_be_passed(wait, block, slots, now)
        self._waits = waits
        return starts

    def start(self, block: OpenBlock, left: Sequence[int], slots: Slots) -> list[Start]:
        """Start as many of the places as slots allow; older blocks that wait for the same bots note being passed."""
        starts = []
        for place in left:
            instances = slots.take_all(block.bots, block.ladder)
            if instances is None:
                break
            starts.append(Start(block, place, instances))
        if starts:
            passed = {id(wait): wait for bot in block.bots for wait in self._waiting_of.get(bot, ())}
            for wait in passed.values():
                wait.passed += len(starts)
        return starts

    def _hold_or_be_passed(self, wait: _Wait, block: OpenBlock, slots: Slots, now: int) -> None:
        if wait.passed >= MAX_PASSED and wait.holds_since is None:
            wait.holds_since = now
        if wait.holds_since is not None and now - wait.holds_since >= HOLD_MS:
            wait.passed, wait.holds_since = 0, None
        if wait.holds_since is not None:
            for bot in block.bots:
                slots.take(bot, block.ladder)
            return

        for bot in block.bots:
            self._waiting_of.setdefault(bot, []).append(wait)

    def next_release(self) -> int | None:
        """Return when the first held slots are let go, in the milliseconds of `now`; None while none is held."""
        held = [wait.holds_since + HOLD_MS for wait in self._waits.values() if wait.holds_since is not None]
        return min(held, default=None)
