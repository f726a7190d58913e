"""What may lie face down, by what a seat was told: a process of its own, which knows nothing of lots.

All orders of the cards that lay face down at the beginning are tried, all orders of what was shuffled since, and all
ways in which others may have put back what they looked at; those that fit what the seat was told are left. A card that
is marked for all to see when it is shuffled in (T1) has a `*` behind its name until the turn ends.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import permutations
from typing import NamedTuple

from tests.engine.elysium.positions import Table

from agon_engine.elysium import ElysiumState
from agon_engine.elysium.layout import DISCARD

Faces = tuple[str, ...]


class Hidden(NamedTuple):
    """What lies face down."""

    deck: Faces
    """The top card is the last one."""
    citizens: tuple[Faces, ...]
    """By seat, as they came; those that have left the game come last."""


class _World(NamedTuple):
    hidden: Hidden
    discard: tuple[str, ...]
    looked: Faces = ()
    """The cards off the pile, the top one first."""
    kept: str = ""


class Watch:
    """Follows what a seat is told from a position on, in all worlds that the seat cannot tell apart."""

    def __init__(self, table: Table, seat: int | None, marked: str = "") -> None:
        """Begin; `marked` names cards that will have marks when they are sacrificed."""
        self._marked = marked.split()
        self._table = table
        self._seat = seat
        self._heard = len(table.events())
        ids, design = table.game.tables.ids, table.game.tables.design
        true = faces(table, table.state)
        discard = tuple(ids[design[card]] for card in table.state.rows[DISCARD])
        every = [*true.deck, *(face for group in true.citizens for face in group)]
        worlds = set()
        for order in set(permutations(every)):
            left = list(order)
            citizens = tuple(tuple(left.pop() for _ in group) for group in true.citizens)
            worlds.add(_World(Hidden(tuple(left), citizens), discard))
        self._worlds = worlds

    def worlds(self) -> set[Hidden]:
        """Return what may lie face down now."""
        events = self._table.events()[self._heard :]
        self._heard += len(events)
        for event in events:
            told = event.told_to(self._seat)
            if told:
                words, seat = self._with_marks(told.split()), event.seat
                self._worlds = {
                    after for world in self._worlds for after in _after(world, words, seat, seat == self._seat)
                }
        return {world.hidden for world in self._worlds}

    def _with_marks(self, words: list[str]) -> list[str]:
        """Mark the name of a card that is sacrificed with marks, or that lies with marks on the discard pile now, of
        copies the upper one."""
        ids, pile = self._table.game.tables.ids, self._table.view(None).discard
        latest = {ids[design]: marks for design, marks in zip(pile.cards, pile.marks, strict=True)}
        seen = [name for name, marks in latest.items() if marks]
        marked = {"sacrifice": self._marked, "discard": seen}.get(words[0], ())
        return [words[0], *(f"{name}*" if name in marked else name for name in words[1:])]


def faces(table: Table, state: ElysiumState) -> Hidden:
    """Return what lies face down in a state of the table's game."""
    ids, design, marks = table.game.tables.ids, table.game.tables.design, state.marks

    def names(cards: Iterable[int]) -> Faces:
        return tuple(ids[design[card]] + "*" * bool(marks[card]) for card in cards)

    groups = [*state.domains, state.gone]
    return Hidden(names(state.deck), tuple(names(-card for card in cards if card < 0) for cards in groups))


def _after(world: _World, told: Sequence[str], seat: int | None, own: bool) -> Iterable[_World]:
    """Return the worlds that may follow from one by what the seat was told."""
    word, words = told[0], told[1:]
    match word:
        case "shuffle":
            return _shuffled(world)
        case "look":
            return _looked(world, words)
        case "keep" | "skip" if own and world.looked:
            return [world._replace(kept=words[0] if words else "")]
        case "put":
            return _put(world, int(words[0]), int(words[1]))
        case "top" | "bottom":
            return [_put_as(world, told)]
        case "takes":
            return _taken(world, words[0])
        case "agora" | "oracle" | "discard":
            return _turned_up(world, word, words[0])
        case "gets" if words == ["citizen"]:
            assert seat is not None
            return [_drawn(world, seat)]
        case "sacrifice" if words[0] != "citizen":
            return [world._replace(discard=(*world.discard, words[0]))]
        case "turn":
            return [_unmarked(world)]
        case "gone":
            assert seat is not None
            return [_left(world, seat)]
    return [world]


def _bare(names: Faces) -> Faces:
    return tuple(name.rstrip("*") for name in names)


def _with_deck(world: _World, deck: Faces) -> _World:
    return world._replace(hidden=world.hidden._replace(deck=deck))


def _shuffled(world: _World) -> Iterator[_World]:
    for order in set(permutations(world.discard)):
        yield _with_deck(world._replace(discard=()), order + world.hidden.deck)


def _looked(world: _World, words: Sequence[str]) -> list[_World]:
    """Others are told how many, the seat itself which."""
    count = int(words[0]) if words[0].isdigit() else len(words)
    deck = world.hidden.deck
    looked = deck[-count:][::-1]
    if words[0].isdigit() or _bare(looked) == tuple(words):
        return [_with_deck(world._replace(looked=looked), deck[:-count])]
    return []


def _put(world: _World, top: int, bottom: int) -> Iterator[_World]:
    """Put cards back in every way; one that is left over is kept."""
    for order in set(permutations(world.looked)):
        put, left = order[: top + bottom], order[top + bottom :]
        deck = put[top:][::-1] + world.hidden.deck + put[:top][::-1]
        yield _with_deck(world._replace(looked=left), deck)


def _put_as(world: _World, told: Sequence[str]) -> _World:
    """Put cards back as the seat did, by their places among those that it did not keep."""
    looked, left = list(world.looked), Faces()
    place: dict[str, list[str]] = {"top": [], "bottom": []}
    if world.kept:
        looked.remove(world.kept)
        left = (world.kept,)
    where = ""
    for word in told:
        if word in place:
            where = word
        else:
            place[where].append(looked[int(word) - 1])
    deck = tuple(place["bottom"][::-1]) + world.hidden.deck + tuple(place["top"][::-1])
    return _with_deck(world._replace(looked=left, kept=""), deck)


def _taken(world: _World, name: str) -> list[_World]:
    return [world._replace(looked=(), kept="")] if world.looked == (name,) else []


def _turned_up(world: _World, row: str, name: str) -> list[_World]:
    *deck, top = world.hidden.deck
    if top != name:
        return []

    discard = (*world.discard, name) if row == "discard" else world.discard
    return [_with_deck(world._replace(discard=discard), tuple(deck))]


def _drawn(world: _World, seat: int) -> _World:
    *deck, top = world.hidden.deck
    citizens = list(world.hidden.citizens)
    citizens[seat] = (*citizens[seat], top)
    return world._replace(hidden=Hidden(tuple(deck), tuple(citizens)))


def _unmarked(world: _World) -> _World:
    deck, citizens = world.hidden
    hidden = Hidden(_bare(deck), tuple(map(_bare, citizens)))
    return world._replace(hidden=hidden, discard=_bare(world.discard))


def _left(world: _World, seat: int) -> _World:
    citizens = list(world.hidden.citizens)
    first, *others = citizens[seat]
    citizens[seat] = tuple(others)
    citizens[-1] = (*citizens[-1], first)
    return world._replace(hidden=world.hidden._replace(citizens=tuple(citizens)))
