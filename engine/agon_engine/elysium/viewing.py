"""Building a view from the state: each part from the fields that a seat may know, kept until one of them changes.

A part that has to be made anew and turns out equal stays the object that it was. Nothing is ever taken out of a fuller
view.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from agon_engine.core import Seat
from agon_engine.elysium.enums import NOBODY, Family, Phase, Todo
from agon_engine.elysium.layout import (
    AGORA,
    FAMILY_BONUS,
    STALE_DOMAIN,
    STALE_ELYSIUM,
    STALE_OWN,
    STALE_OWNS,
    STALE_PLAYER,
    STALE_ROW,
    STALE_TABLE,
    STALE_TILES,
    Mix,
)
from agon_engine.elysium.lots import listed
from agon_engine.elysium.notation import MAX_SEATS
from agon_engine.elysium.peeking import looked_at
from agon_engine.elysium.tables import GOLD, PP, VP
from agon_engine.elysium.turn import quest_columns
from agon_engine.elysium.view import (
    Deal,
    Discount,
    Domain,
    Due,
    Elysium,
    Face,
    Group,
    Known,
    Layer,
    Lot,
    Mixed,
    Origin,
    Own,
    Pending,
    Player,
    Reservation,
    Row,
    Share,
    Sighting,
    Table,
    Tile,
    Tiles,
    View,
)

if TYPE_CHECKING:
    from agon_engine.elysium.state import ElysiumState

_new = tuple.__new__  # half the time of calling a NamedTuple, at each decision

NO_OWN: Final = Own((), (), (), 0, ())
_NOTHING_PENDING: Final = Pending(Todo.NONE, NOBODY, ())

_DEAL: Final = 0
_TABLE: Final = 1
_PENDING: Final = 2
_TILES: Final = 3
_ROWS: Final = 4
_PLAYERS: Final = 7
_DOMAINS: Final = 8
_ELYSIUMS: Final = 9
_PLAYER: Final = 10
_DOMAIN: Final = _PLAYER + MAX_SEATS
_ELYSIUM: Final = _DOMAIN + MAX_SEATS
_OWN: Final = _ELYSIUM + MAX_SEATS
_ASKED: Final = _OWN + MAX_SEATS
"""The decision that the part PENDING tells."""
PARTS: Final = _ASKED + 1
"""How many parts a state keeps: single ones, tuples of those by seat, then those by seat."""

_FAMILIES: Final = tuple(Family)
_PLACE: Final = Todo.PLACE
_LOOKS: Final = (Todo.PEEK, Todo.KEEP, Todo.ORDER)


def build_view(state: ElysiumState, seat: Seat | None) -> View:
    """Put the view of a seat (None: a spectator) together."""
    parts = state.parts
    if state.stale & ~STALE_OWNS:
        _refresh(state, parts)
    if seat is not None and state.stale & STALE_OWN << seat:
        state.stale &= ~(STALE_OWN << seat)
        _keep(parts, _OWN + seat, _own(state, seat))
    if parts[_ASKED] is not state.decision or parts[_PENDING] is None:
        _keep(parts, _PENDING, _pending(state))
        parts[_ASKED] = state.decision
    fields = (
        seat,
        parts[_DEAL],
        parts[_TABLE],
        parts[_PENDING],
        parts[_TILES],
        parts[_ROWS],
        parts[_ROWS + 1],
        parts[_ROWS + 2],
        parts[_PLAYERS],
        parts[_DOMAINS],
        parts[_ELYSIUMS],
        NO_OWN if seat is None else parts[_OWN + seat],
    )
    return _new(View, fields)


def _keep(parts: list[Any], index: int, part: Any) -> bool:
    """Keep a part unless it equals the one that is there; return whether it is another one."""
    if part == parts[index]:
        return False

    parts[index] = part
    return True


def _refresh(state: ElysiumState, parts: list[Any]) -> None:
    """Make the public parts anew that are stale; what a seat alone knows waits until that seat's view is built."""
    stale = state.stale
    state.stale = stale & STALE_OWNS
    seats = state.seats
    if parts[_DEAL] is None:
        families = tuple(_FAMILIES[family] for family in state.families)
        parts[_DEAL] = Deal(families, state.side, state.first_seat, quest_columns(state))
    if stale & STALE_TABLE:
        _keep(parts, _TABLE, _table(state))
    if stale & STALE_TILES:
        _keep(parts, _TILES, _tiles(state))
    for row in range(3):
        if stale & STALE_ROW << row:
            _keep(parts, _ROWS + row, _row(state, row))
    news = [False, False, False]
    for seat in range(seats):
        if stale & STALE_PLAYER << seat:
            news[0] |= _keep(parts, _PLAYER + seat, _player(state, seat))
        if stale & STALE_DOMAIN << seat:
            news[1] |= _keep(parts, _DOMAIN + seat, _domain(state, seat))
        if stale & STALE_ELYSIUM << seat:
            news[2] |= _keep(parts, _ELYSIUM + seat, _elysium(state, seat))
    for index in range(3):
        if news[index]:
            first = _PLAYER + index * MAX_SEATS
            parts[_PLAYERS + index] = tuple(parts[first : first + seats])


def _table(state: ElysiumState) -> Table:
    known_by = state.known_by
    sightings: tuple[Sighting, ...] = ()
    if any(known_by):
        places = enumerate(state.deck)
        sightings = tuple([Sighting(place, known_by[card]) for place, card in places if known_by[card]])
    gone, _, gone_known, gone_lots = _cards(state, state.gone)
    values = (
        state.epoch,
        state.phase,
        state.round,
        tuple(state.order),
        NOBODY if state.phase is Phase.OVER else state.order[state.place],
        state.took,
        state.written,
        state.oracle_open,
        tuple(state.leave_out),
        state.moved_level,
        len(state.deck),
        sightings,
        gone,
        gone_known,
        gone_lots,
        _lots(state) if state.mixes or any(state.lots) else (),
        tuple([_mixed(mix) for mix in state.mixes]),
        tuple(state.shown),
        state.lots[state.deck[0]] if state.deck else 0,
        _layers(state) if state.mixes else (),
    )
    return _new(Table, values)


def _lots(state: ElysiumState) -> tuple[Lot, ...]:
    marks = dict(state.veils)
    return tuple([Lot(number, tuple(cards), marks.get(number, 0)) for number, cards in sorted(listed(state).items())])


def _mixed(mix: Mix) -> Mixed:
    shares = Counter(parent for parent, _ in mix.origins)
    return Mixed(mix.number, mix.seat, tuple([Share(lot, shares[lot]) for lot in sorted(shares)]))


def _layers(state: ElysiumState) -> tuple[Layer, ...]:
    lots = [state.lots[card] for card in state.deck]
    return tuple([Layer(place, lots[place]) for place in range(1, len(lots)) if lots[place] != lots[place - 1]])


def _pending(state: ElysiumState) -> Pending:
    decision = state.decision
    if decision is None:
        return _NOTHING_PENDING

    design = state.tables.design
    steps = []
    for todo, (owner, subject, source), node, x, y in (*state.agenda, state.pending):
        if todo is _PLACE:
            x = design[x] if x > 0 else 0
        steps.append(_new(Due, (todo, node, owner, subject, design[source], x, y)))
    return _new(Pending, (state.pending.todo, decision.seat, tuple(steps)))


def _tiles(state: ElysiumState) -> Tiles:
    none = _FAMILIES[0]
    values = enumerate(state.tables.cards.level_bonus, 1)
    tiles = [Tile(none, level, vp, state.level_tiles[level]) for level, vp in values]
    for family in state.families:
        for second, vp in enumerate(FAMILY_BONUS):
            tiles.append(Tile(_FAMILIES[family], 0, vp, state.family_tiles[2 * family + second]))
    return Tiles(tuple(tiles))


def _row(state: ElysiumState, row: int) -> Row:
    design, marks = state.tables.design, state.marks
    cards = state.rows[row]
    reserved: tuple[Reservation, ...] = ()
    if row == AGORA and any(state.reserved):
        reserved = tuple([Reservation(seat, cards.index(card)) for seat, card in enumerate(state.reserved) if card])
    return _new(Row, (tuple([design[card] for card in cards]), tuple([marks[card] for card in cards]), reserved))


def _player(state: ElysiumState, seat: Seat) -> Player:
    purses = state.purses
    values = (
        seat,
        purses[GOLD][seat],
        purses[VP][seat],
        purses[PP][seat],
        state.columns[seat],
        state.quests[seat],
        state.incomplete[seat],
        state.taken[seat],
        state.extra[seat],
        state.transferred[seat],
        tuple([Discount(minus, uses) for minus, uses in state.discounts[seat]]),
        tuple([max(0, points) for points in state.scores[seat]]),
        tuple([max(0, -points) for points in state.scores[seat]]),
    )
    return _new(Player, values)


def _cards(state: ElysiumState, cards: list[int] | tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """Return designs, marks, and of Citizens who knows the faces and the lots."""
    design, marks, known_by = state.tables.design, state.marks, state.known_by
    if not cards or min(cards) > 0:
        return tuple([design[card] for card in cards]), tuple([marks[card] for card in cards]), (0,) * len(cards), ()

    lots = [0 if card > 0 else state.lots[-card] for card in cards]
    return (
        tuple([design[card] if card > 0 else 0 for card in cards]),
        tuple([marks[card] if card > 0 else 0 for card in cards]),
        tuple([0 if card > 0 else known_by[-card] for card in cards]),
        tuple(lots) if any(lots) else (),
    )


def _domain(state: ElysiumState, seat: Seat) -> Domain:
    return _new(Domain, (seat, *_cards(state, state.domains[seat])))


def _elysium(state: ElysiumState, seat: Seat) -> Elysium:
    groups = []
    for legend in state.elysiums[seat]:
        cards, marks, known, lots = _cards(state, legend.cards)
        values = (legend.kind, _FAMILIES[legend.family], legend.level, cards, legend.held, marks, known, lots)
        groups.append(_new(Group, values))
    return _new(Elysium, (seat, tuple(groups)))


def _own(state: ElysiumState, seat: Seat) -> Own:
    known_by, design = state.known_by, state.tables.design
    if not state.mixes and not any(known_by):
        return NO_OWN

    bit = 1 << seat
    told = dict(state.told)
    places = enumerate(state.deck)
    deck = tuple([Known(place, design[card], told.get(card, ())) for place, card in places if known_by[card] & bit])
    groups = [(NOBODY, 0, tuple(state.gone))]
    for owner in range(state.seats):
        groups.append((owner, 0, tuple(state.domains[owner])))
        groups += [(owner, number, legend.cards) for number, legend in enumerate(state.elysiums[owner], 1)]
    faces = [
        Face(owner, number, index, design[-card], told.get(-card, ()))
        for owner, number, cards in groups
        for index, card in enumerate(cards)
        if card < 0 and known_by[-card] & bit
    ]
    looking, kept = _looking(state, seat)
    origins = [Origin(mix.number, *origin) for mix in state.mixes if mix.seat == seat for origin in mix.origins]
    own = Own(deck, tuple(faces), looking, kept, tuple(origins))
    return NO_OWN if own == NO_OWN else own


def _looking(state: ElysiumState, seat: Seat) -> tuple[tuple[int, ...], int]:
    """Return what the seat is looking at and the one it has chosen."""
    task, design = state.pending, state.tables.design
    if state.decision is None or task.todo not in _LOOKS or task.power.subject != seat:
        return (), 0

    return tuple([design[card] for card in looked_at(state, task)]), design[state.kept]
