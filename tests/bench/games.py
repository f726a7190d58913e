"""What each game promises of its speed and sizes, and what else is to be known of it. A game without a line promises
what all do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Promise:
    """The bars of a game. Speed: plain Python on one core."""

    decisions: int = 40_000
    """Random playouts: decisions a second, at least."""
    view_ratio: float | None = None
    """A view for the acting seat at each decision, over the cost of the decisions themselves, at most."""
    view_us: float | None = 60
    """A view for the acting seat: microseconds at most, p50."""
    clone_us: float | None = 15
    """A clone to look ahead with: microseconds at most, p50."""
    decide_bytes: int = 4_096
    """A Decide with a full view at the most seats: p50 at most."""
    decide_bytes_max: int = 32_768
    """And the largest."""
    counts: str = ""
    """A number of the state that says how far a match has come, as `cycle`: its mean at the end is shown."""
    reveal: Callable[[Any], None] | None = None
    """Lets every seat of a state know all that it can come to know: how large can a view get?"""


def _reveal_elysium(state: Any) -> None:
    state.known_by = [(1 << state.seats) - 1] * len(state.known_by)
    state.stale = -1


_PROMISES = {
    "cyclades": Promise(counts="cycle"),
    "elysium": Promise(reveal=_reveal_elysium),
    "ephyran": Promise(decisions=60_000, view_ratio=1.0, clone_us=None),  # its clone shuffles the deck at once
}


def promise(game: str) -> Promise:
    """Return what a game promises."""
    return _PROMISES.get(game, Promise())
