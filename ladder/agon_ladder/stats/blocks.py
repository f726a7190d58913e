"""What was played, as statistics read it: a block is their unit, and only complete ones are given to them."""

from __future__ import annotations

from typing import NamedTuple


class PlayedMatch(NamedTuple):
    """One rated match: who sat where and who came where."""

    bots: tuple[str, ...]
    """By seat."""
    placements: tuple[int, ...]
    """By seat: 1 = best, ties share a place and the next one is skipped (1, 2, 2, 4)."""


class PlayedBlock(NamedTuple):
    """A complete block: one line-up, one match of it for each rotation of its seats."""

    id: str
    matches: tuple[PlayedMatch, ...]
    """By place; the seats of the first are the line-up."""

    @property
    def line_up(self) -> tuple[str, ...]:
        return self.matches[0].bots
