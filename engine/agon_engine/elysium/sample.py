"""Drawing a full state that is consistent with a view: what the seat knows stays, what is hidden is drawn at random.

All that is public follows from the view, the steps of a half-done turn included. Copies of a card are given to the
places that the view names in any way, since nobody can tell them apart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from agon_engine.core import Chance, Seat
from agon_engine.elysium import peeking, play
from agon_engine.elysium.enums import NOBODY, Todo
from agon_engine.elysium.layout import AGORA, FAMILY_BONUS, THIS_TURN, Legend, Power, Task
from agon_engine.elysium.tables import GOLD, PP, VP
from agon_engine.elysium.tracing import Tracing
from agon_engine.elysium.view import Domain, Due, Group, Row, View

if TYPE_CHECKING:
    from agon_engine.elysium.state import ElysiumState

_PLACE: Final = Todo.PLACE
_ORDER: Final = Todo.ORDER


def sample_state(kind: type[ElysiumState], cards_hash: str, view: View, chance: Chance) -> ElysiumState:
    """Return a state whose view for the same seat equals the given one, with the same decision open."""
    deal = view.deal
    state = kind(len(view.players), tuple(int(family) for family in deal.families), deal.side, cards_hash)
    _Laying(state, view, chance).lay_out()
    state.chance = chance.fork("match")
    if view.pending.steps:
        state.agenda = [_task(state, due) for due in view.pending.steps]
        _draw_kept(state, view, chance)
        play.run(state)
    return state


Place = tuple[int, int, int]
"""Where a card lies face down: the owner, the number of the Legend (0: the Domain), the index in its cards. In place of
an owner: NOBODY for what has left the game, _DECK for the draw pile."""
_DECK: Final = -2


class _Laying:
    """Gives cards to places: first to those that all see, then to those where one lies face down."""

    def __init__(self, state: ElysiumState, view: View, chance: Chance) -> None:
        self.state = state
        self.view = view
        self.chance = chance
        tables = state.tables
        self.left: dict[int, list[int]] = {}
        """By design: the copies that lie nowhere yet."""
        for family in state.families:
            for card in tables.by_family[family]:
                self.left.setdefault(tables.design[card], []).append(card)

    def lay_out(self) -> None:
        """Fill every field of the state but its agenda and chance."""
        self._lay_table()
        self._lay_players()
        state, view = self.state, self.view
        state.rows = [self._row(row) for row in (view.agora, view.oracle, view.discard)]
        for seat, at in view.agora.reserved:
            state.reserved[seat] = state.rows[AGORA][at]
        open_cards = self._open_cards()
        self._lay_all(open_cards, self._faces())
        state.marked = [card for card, marks in enumerate(state.marks) if marks & THIS_TURN]

    # -- what everybody knows --------------------------------------------------------------------------------

    def _lay_table(self) -> None:
        state, view = self.state, self.view
        table = view.table
        state.first_seat = view.deal.first
        state.epoch, state.phase, state.round = table.epoch, table.phase, table.round
        state.order = list(table.order)
        state.place = 0 if table.turn == NOBODY else state.order.index(table.turn)
        state.took, state.written = table.took, table.written
        state.oracle_open, state.leave_out = table.oracle_open, list(table.leave_out)
        state.moved_level = table.moved_level
        for family, level, vp, holder in view.tiles.tiles:
            if level:
                state.level_tiles[level] = holder
            else:
                state.family_tiles[2 * family + FAMILY_BONUS.index(vp)] = holder

    def _lay_players(self) -> None:
        state = self.state
        for seat, player in enumerate(self.view.players):
            state.purses[GOLD][seat] = player.gold
            state.purses[VP][seat] = player.vp
            state.purses[PP][seat] = player.pp
            state.columns[seat] = player.columns
            state.quests[seat], state.incomplete[seat] = player.quest, player.incomplete
            state.taken[seat], state.extra[seat] = player.taken, player.extra
            state.transferred[seat] = player.transferred
            state.discounts[seat] = [(discount.minus, discount.uses) for discount in player.discounts]
            state.scores[seat] = [won - lost for won, lost in zip(player.scored, player.lost, strict=True)]
            state.played[seat] = player.scored[0] if player.scored else 0

    def _take(self, design: int, marks: int = 0) -> int:
        """Give a copy of a design, which all see, a place."""
        card = self.left[design].pop()
        self.state.marks[card] = marks
        return card

    def _row(self, row: Row) -> list[int]:
        return [self._take(design, marks) for design, marks in zip(row.cards, row.marks, strict=True)]

    def _groups(self) -> Iterator[tuple[Seat, int, Domain | Group]]:
        """Yield the owner, the number (0: the Domain) and what lies there."""
        for domain, elysium in zip(self.view.domains, self.view.elysiums, strict=True):
            yield domain.seat, 0, domain
            for number, legend in enumerate(elysium.legends, 1):
                yield domain.seat, number, legend

    def _open_cards(self) -> dict[tuple[Seat, int], list[int]]:
        """Give the open cards of Domains, of Elysiums and of what is gone their places; 0 stands for a Citizen."""
        laid = {
            (owner, number): [
                self._take(design, marks) if design else 0
                for design, marks in zip(group.cards, group.marks, strict=True)
            ]
            for owner, number, group in self._groups()
        }
        laid[NOBODY, 0] = [self._take(design) if design else 0 for design in self.view.table.gone]
        return laid

    # -- what is hidden --------------------------------------------------------------------------------------

    def _places(self) -> Iterator[tuple[Place, int, int]]:
        """Yield the places of cards that lie face down, each with its lot and the seats that know the card."""
        table = self.view.table
        for owner, number, group in self._groups():
            for at, (design, seats) in enumerate(zip(group.cards, group.known, strict=True)):
                if not design:
                    yield (owner, number, at), group.lots[at] if group.lots else 0, seats
        for at, (design, seats) in enumerate(zip(table.gone, table.gone_known, strict=True)):
            if not design:
                yield (NOBODY, 0, at), table.gone_lots[at] if table.gone_lots else 0, seats
        sighted, layers = dict(table.sightings), dict(table.layers)
        lot = table.deck_lot
        for place in range(table.deck):
            lot = layers.get(place, lot)
            yield (_DECK, 0, place), lot, sighted.get(place, 0)

    def _deal(self) -> Counter[int]:
        """Return the designs of lot 0: those that lie nowhere yet or were shown, but for what other lots list."""
        table = self.view.table
        deal = Counter({design: len(copies) for design, copies in self.left.items()})
        deal.update(shown.design for shown in table.shown)
        for lot in table.lots:
            deal.subtract(lot.cards)
        return deal

    def _faces(self) -> dict[Place, int]:
        """Choose a card for each place where one lies face down."""
        state, table, own, places = self.state, self.view.table, self.view.own, list(self._places())
        known = {(_DECK, 0, card.place): (card.design, card.lots) for card in own.deck}
        known |= {(face.owner, face.legend, face.at): (face.design, face.lots) for face in own.faces}
        tracing = Tracing(table, self.view.seat, own.origins, self._deal())
        cards = tracing.draw([(lot, known.get(place)) for place, lot, _ in places], self.chance)
        marks = {lot.number: lot.marks for lot in table.lots if lot.marks}
        faces: dict[Place, int] = {}
        for (place, lot, seats), (design, base) in zip(places, cards, strict=True):
            card = faces[place] = self.left[design].pop()
            if lot:
                state.lots[card] = lot
            if seats:
                state.known_by[card] = seats
            if base in marks:
                state.marks[card] = marks[base]
            if seats and place in known and known[place][1]:
                state.told.append((card, known[place][1]))
        state.mixes = tracing.mixes()
        state.shown = list(table.shown)
        state.veils = list(marks.items())
        state.told.sort()
        return faces

    def _lay_all(self, open_cards: dict[tuple[Seat, int], list[int]], faces: dict[Place, int]) -> None:
        """Lay out Domains, Elysiums, what is gone and the draw pile."""
        state, view = self.state, self.view
        laid = {
            (owner, number): [card or -faces[owner, number, at] for at, card in enumerate(cards)]
            for (owner, number), cards in open_cards.items()
        }
        for seat, elysium in enumerate(view.elysiums):
            state.domains[seat] = laid[seat, 0]
            state.elysiums[seat] = [
                Legend(legend.kind, int(legend.family), legend.level, tuple(laid[seat, number]), legend.held)
                for number, legend in enumerate(elysium.legends, 1)
            ]
        state.gone = laid[NOBODY, 0]
        state.deck = [faces[_DECK, 0, place] for place in range(view.table.deck)]


# -- the steps to be done ------------------------------------------------------------------------------------


def _task(state: ElysiumState, due: Due) -> Task:
    """Return a task of the agenda with its cards in the place of their designs."""
    source = _source(state, due.owner, due.source) if due.source else 0
    x = due.x
    if due.todo is _PLACE:
        cards = state.rows[AGORA] if due.y else state.domains[due.subject]
        meant = state.reserved[due.subject]
        found = [card for card in cards if (state.tables.design[card] if card > 0 else 0) == due.x]
        x = meant if due.y and meant in found else next(card for card in found if card not in state.reserved)
    return Task(due.todo, Power(due.owner, due.subject, source), due.node, x, due.y)


def _source(state: ElysiumState, owner: Seat, design: int) -> int:
    """Return the card of that design whose power is being resolved: as a rule it lies in its owner's Domain."""
    elysium = [card for legend in state.elysiums[owner] for card in legend.cards]
    others = [card for domain in state.domains for card in domain]
    rows = [card for row in state.rows for card in row]
    everywhere = (*state.domains[owner], *elysium, *rows, *others, *state.deck)
    return next(card for card in everywhere if card > 0 and state.tables.design[card] == design)


def _draw_kept(state: ElysiumState, view: View, chance: Chance) -> None:
    """Choose which card was taken of those looked at: only the seat itself knows (D2)."""
    task = state.agenda[-1]
    if task.todo is not _ORDER:
        return

    looked = peeking.looked_at(state, task)
    if task.power.subject == view.seat:
        design = state.tables.design
        state.kept = next((card for card in looked if design[card] == view.own.kept), 0)
    elif len(looked) > 2:
        # With two cards looked at, that there is something to order says that none was taken.
        found = peeking.keepable(state, task)
        state.kept = chance.choice("kept", (0, *(found[design] for design in sorted(found))))
