"""All action codes of Ephyran and what each number stands for. Codes are listed in README.md.

An action is an index into `NOTATION`. `KIND`, `X` and `Y` say what it is; the tables by card, half, cell, seat and
column say which number a move has. Nothing here depends on a state.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final

from agon_engine.core import Action, Notation
from agon_engine.ephyran.data import (
    CARD_NAMES,
    CARD_SUPPORT,
    CARDS,
    CELL_NAMES,
    CELLS,
    COLOUR_NAMES,
    COLUMNS,
    DECK_SIZE,
    FIRST_DIONYSOS,
    HALF_CELL,
    HALF_NAMES,
    NO_CELL,
    TOKENS,
)
from agon_engine.ephyran.enums import Support

MAX_SEATS: Final = 4


class Kind(IntEnum):
    """The kinds of action; X and Y are what follows."""

    BUILD = 0
    """Half, cell."""
    EXCHANGE = 1
    """Half, cell."""
    DISCARD = 2
    """Card."""
    PLAY = 3
    """Card, whose support half is played."""
    TAKE = 4
    """Half, cell: stands in for a Dionysos that an opponent has there."""
    FROM = 5
    """Seat whose Dionysos is taken."""
    TARGET = 6
    """Seat, column."""
    TOKEN = 7
    """Token to be stolen."""
    RECALL = 8
    """Half in the first discard, cell."""
    LOCK = 9
    """Own column."""
    UNLOCK = 10
    """Seat, column."""
    CANCEL = 11
    """Defence card, as a reaction."""
    PASS = 12
    PLACE = 13
    """Own cell for the token."""
    DONE = 14
    """No second zone."""
    DRAW_DECK = 15
    DRAW_DISCARD = 16
    KEEP = 17
    """Card of those looked at."""
    DIG = 18
    """Card of the first discard."""


_codes: list[str] = []
_kinds: list[Kind] = []
_xs: list[int] = []
_ys: list[int] = []

_NO_ACTION: Final = -1
"""Fills the tables where there is no such move; never listed."""


def _add(kind: Kind, code: str, x: int = 0, y: int = 0) -> Action:
    _codes.append(code)
    _kinds.append(kind)
    _xs.append(x)
    _ys.append(y)
    return len(_codes) - 1


def _on_cells(kind: Kind, verb: str) -> tuple[tuple[Action, ...], ...]:
    """Add one code for each zone half, whose cell is printed, and one for each Dionysos and cell; by half and cell."""
    table: list[tuple[Action, ...]] = [(_NO_ACTION,) * CELLS] * (2 * CARDS + 2)
    for half, home in enumerate(HALF_CELL):
        row = [_NO_ACTION] * CELLS
        if home != NO_CELL:
            row[home] = _add(kind, f"{verb} {HALF_NAMES[half]}", half, home)
        elif half // 2 >= FIRST_DIONYSOS and half % 2 == 0:
            row = [_add(kind, f"{verb} {HALF_NAMES[half]} {CELL_NAMES[cell]}", half, cell) for cell in range(CELLS)]
        table[half] = tuple(row)
    return tuple(table)


def _cards(kind: Kind, verb: str, cards: range, only: tuple[Support, ...] = ()) -> tuple[Action, ...]:
    """Add one code for each card (with one of the supports); by card."""
    table = [_NO_ACTION] * (CARDS + 1)
    for card in cards:
        if not only or CARD_SUPPORT[card] in only:
            table[card] = _add(kind, f"{verb} {CARD_NAMES[card]}", card)
    return tuple(table)


def _columns(kind: Kind, verb: str) -> tuple[tuple[Action, ...], ...]:
    """Add one code for each seat and column; by seat and column (from 0)."""
    return tuple(
        tuple(_add(kind, f"{verb} {seat} {COLOUR_NAMES[column + 1]}", seat, column) for column in range(COLUMNS))
        for seat in range(MAX_SEATS)
    )


_ALL = range(1, CARDS + 1)
_DECK = range(1, DECK_SIZE + 1)
_SUPPORTS = tuple(support for support in Support if support)

BUILD: Final = _on_cells(Kind.BUILD, "build")
EXCHANGE: Final = _on_cells(Kind.EXCHANGE, "exchange")
DISCARD: Final = _cards(Kind.DISCARD, "discard", _ALL)
PLAY: Final = _cards(Kind.PLAY, "play", _DECK, _SUPPORTS)
TAKE: Final = tuple(
    _add(Kind.TAKE, f"take {HALF_NAMES[half]}", half, cell) if cell != NO_CELL else _NO_ACTION
    for half, cell in enumerate(HALF_CELL)
)
FROM: Final = tuple(_add(Kind.FROM, f"from {seat}", seat) for seat in range(MAX_SEATS))
TARGET: Final = _columns(Kind.TARGET, "target")
TOKEN: Final = (_NO_ACTION, *(_add(Kind.TOKEN, f"token {token}", token) for token in range(1, TOKENS + 1)))
RECALL: Final = _on_cells(Kind.RECALL, "recall")
LOCK: Final = tuple(_add(Kind.LOCK, f"lock {COLOUR_NAMES[column + 1]}", column) for column in range(COLUMNS))
UNLOCK: Final = _columns(Kind.UNLOCK, "unlock")
CANCEL: Final = _cards(Kind.CANCEL, "cancel", _DECK, (Support.SHIELD, Support.HECATE))
PASS: Final = _add(Kind.PASS, "pass")
PLACE: Final = tuple(_add(Kind.PLACE, f"place {CELL_NAMES[cell]}", cell) for cell in range(CELLS))
DONE: Final = _add(Kind.DONE, "done")
DRAW_DECK: Final = _add(Kind.DRAW_DECK, "draw deck")
DRAW_DISCARD: Final = _add(Kind.DRAW_DISCARD, "draw discard")
KEEP: Final = _cards(Kind.KEEP, "keep", _DECK)
DIG: Final = _cards(Kind.DIG, "dig", _ALL)

NOTATION: Final = Notation("ephyran", _codes)
KIND: Final = tuple(_kinds)
X: Final = tuple(_xs)
Y: Final = tuple(_ys)
