"""Which places of open blocks start now, where slots are scarce: oldest block first, but nobody waits for the absent.

Blocks that have begun go before those that have not. Were one interrupted, its bots would begin others while it waits
until all of them are free at once, and those be interrupted in their turn: of a hundred bots with one slot at tables of
three, a third idled.

A block whose bots are not all free is passed by younger ones, so that no slot idles. But four free slots at once are
rarer than two, and what is always passed would starve: once `MAX_PASSED` matches have taken a slot of one of its bots,
a block holds the slots it can get, for a quarter of the time it has waited and `HOLD_MS` at most. If that did not
suffice it lets go, and may be passed again for as long as it has waited. So the slots that a block keeps idle are a
fifth of its waiting time at most, and a bot that is slow, or busy with a long match, costs the others little.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from agon_ladder.pairing.blocks import OpenBlock, PlaceState
from agon_ladder.pairing.slots import Slots

MAX_PASSED: Final = 8
"""Matches by which a block lets itself be passed before it holds slots."""
HOLD_MS: Final = 30_000
"""The longest that it holds them."""


@dataclass(frozen=True, slots=True)
class Start:
    """A place of a block to queue now, and by which process of each bot it is played."""

    block: OpenBlock
    place: int
    instances: tuple[str, ...]
    """In the order of the line-up."""


@dataclass(slots=True)
class _Wait:
    """A block that has places left and could not start them. Times are in milliseconds."""

    since: int
    passed: int = 0
    not_before: int = 0
    """When it may hold slots again."""
    until: int | None = None
    """How long it holds slots; None while it does not."""

    def release(self, now: int) -> None:
        """Let the slots go where it has held them for as long as it may."""
        if self.until is not None and now >= self.until:
            self.passed, self.not_before, self.until = 0, now + (now - self.since), None

    def maybe_hold(self, now: int) -> bool:
        """Tell whether it holds slots; begin to where that is due."""
        if self.until is None and self.passed >= MAX_PASSED and now >= self.not_before:
            self.until = now + min(HOLD_MS, (now - self.since) // 4)
        return self.until is not None


@dataclass(slots=True)
class Dispatcher:
    """Remembers from round to round which blocks were passed."""

    _waits: dict[str, _Wait] = field(default_factory=dict)
    _waiting_of: dict[str, list[_Wait]] = field(default_factory=dict)
    """By bot, this round's waits that a match of the bot passes."""

    def begin(self, blocks: Sequence[OpenBlock], slots: Slots, now: int) -> list[Start]:
        """Begin a round: return what starts of the open blocks, given oldest first, and take or hold their slots.

        What is left in `slots` afterwards is free for new blocks. `now` is in milliseconds and never goes back.
        """
        self._waiting_of = {}
        if len(self._waits) > len(blocks):
            known = {block.id for block in blocks}
            self._waits = {block: wait for block, wait in self._waits.items() if block in known}
        for wait in self._waits.values():
            wait.release(now)

        starts: list[Start] = []
        free = slots.free_bots()
        # A block of busy bots alone can neither start nor be passed now. Most are such, so this comes first.
        able = [block for block in blocks if not free.isdisjoint(block.bots)]
        for block in sorted(able, key=_has_not_begun):
            left = block.left()
            if left and all(slots.is_present(bot, block.ladder) for bot in block.bots):
                starts += self._start_or_wait(block, left, slots, now)
        return starts

    def _start_or_wait(self, block: OpenBlock, left: Sequence[int], slots: Slots, now: int) -> list[Start]:
        started = self.start(block, left, slots)
        if len(started) == len(left):
            self._waits.pop(block.id, None)
            return started

        wait = self._waits.get(block.id)
        if wait is None or started:
            wait = self._waits[block.id] = _Wait(now)
        if wait.maybe_hold(now):
            for bot in block.bots:
                slots.take(bot, block.ladder)
        else:
            for bot in block.bots:
                self._waiting_of.setdefault(bot, []).append(wait)
        return started

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

    def next_release(self) -> int | None:
        """Return when the first held slots are let go, in the milliseconds of `now`; None while none is held."""
        return min((wait.until for wait in self._waits.values() if wait.until is not None), default=None)


def _has_not_begun(block: OpenBlock) -> bool:
    return all(place.state is PlaceState.LEFT for place in block.places)
