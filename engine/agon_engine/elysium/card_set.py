"""A card set: all that a match takes as given and that another set may replace. The house set is in `cards/`; others
are read from JSON (`reading.py`). Data types only."""

from __future__ import annotations

from dataclasses import dataclass

from agon_engine.elysium.enums import Colour
from agon_engine.elysium.vocabulary import Card


@dataclass(frozen=True)
class Quest:
    """A side of a quest tile: what it pays, and how many transfers its lyre allows."""

    number: int
    """0: the incomplete side, which all tiles share."""
    gold: int
    vp: int
    transfers: int
    status: str = "house"


@dataclass(frozen=True)
class CardSet:
    """Cards, quests, pediment and level bonus tiles."""

    status: str
    """`house`: not the printed cards."""
    version: int
    cards: tuple[Card, ...]
    quests_two: tuple[Quest, ...]
    """With two players."""
    quests_more: tuple[Quest, ...]
    """With three or four."""
    incomplete: Quest
    pediment: tuple[tuple[Colour, ...], ...]
    """By side: the colours; quest k lies under the k-th."""
    pediment_two: tuple[tuple[tuple[Colour, ...], ...], ...]
    """By side: the two colours above each of the quests of two players."""
    level_bonus: tuple[int, ...]
    """VP of the tiles of level 1, 2, 3."""
