"""Drawing a full state that is consistent with a view: what the seat knows stays, what is hidden is drawn at random.

All that is public follows from the view, the steps of a half-done turn included. Copies of a card are given to the
places that the view names in any way, since nobody can tell them apart.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from agon_engine.core import Chance, Seat
from agon_engine.elysium import peeking, play
from agon_engine.elysium.enums import NOBODY, Todo
from agon_engine.elysium.layout import AGORA, FAMILY_BONUS, THIS_TURN, Legend, Power, Task
from agon_engine.elysium.tables import GOLD, PP, VP
from agon_engine.elysium.view import Due, Row, View

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


class _Laying:
    """Gives cards to places: first to those whose design is known, then at random to the others."""

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
        self.faces = {(face.owner, face.legend, face.at): face.design for face in view.own.faces}

    def lay_out(self) -> None:
        """Fill every field of the state but its agenda and chance."""
        self._lay_table()
        self._lay_players()
        state, view = self.state, self.view
        state.rows = [self._row(row) for row in (view.agora, view.oracle, view.discard)]
        for seat, at in view.agora.reserved:
            state.reserved[seat] = state.rows[AGORA][at]
        gone = [self._take(design) if design else 0 for design in view.table.gone]
        hidden = self._hidden(len(gone) - len([card for card in gone if card]))
        state.gone = [card or -hidden.pop() for card in gone]
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
        """Give a copy of a design a place."""
        card = self.left[design].pop()
        self.state.marks[card] = marks
        return card

    def _row(self, row: Row) -> list[int]:
        return [self._take(design, marks) for design, marks in zip(row.cards, row.marks, strict=True)]

    # -- what is hidden --------------------------------------------------------------------------------------

    def _hidden(self, gone: int) -> list[int]:
        """Lay out Domains, Elysiums and the draw pile, with Citizens drawn at random; return as many cards more as have
        left the game face down."""
        state, view = self.state, self.view
        domains = [self._open(domain.cards, domain.marks) for domain in view.domains]
        elysiums = [[self._open(legend.cards, legend.marks) for legend in elysium.legends] for elysium in view.elysiums]
        self._veil()
        faces = {place: self._take_hidden(design) for place, design in sorted(self.faces.items())}
        known = {known.place: self._take_hidden(known.design) for known in view.own.deck}
        rest = [card for design in sorted(self.left) for card in self.left[design]]
        self.chance.shuffle("hidden", rest)

        for seat, domain in enumerate(view.domains):
            cards = self._covered(domains[seat], domain.known, (seat, 0), faces, rest)
            state.domains[seat] = cards
            for number, legend in enumerate(view.elysiums[seat].legends, 1):
                cards = self._covered(elysiums[seat][number - 1], legend.known, (seat, number), faces, rest)
                state.elysiums[seat].append(
                    Legend(legend.kind, int(legend.family), legend.level, tuple(cards), legend.held)
                )
        state.deck = [known[place] if place in known else rest.pop() for place in range(view.table.deck)]
        for place, seats in view.table.sightings:
            state.known_by[state.deck[place]] = seats
        return [rest.pop() for _ in range(gone)]

    def _open(self, cards: tuple[int, ...], marks: tuple[int, ...]) -> list[int]:
        """Return the cards of a Domain or Legend, 0 for a Citizen."""
        return [self._take(design, mark) if design else 0 for design, mark in zip(cards, marks, strict=True)]

    def _veil(self) -> None:
        """Choose the copies that lie face down with marks on them."""
        for design, marks in self.view.table.veiled:
            card = next(card for card in self.left[design] if not self.state.marks[card])
            self.state.marks[card] = marks
            self.state.veiled.append(card)

    def _take_hidden(self, design: int) -> int:
        copies = self.left[design]
        return copies.pop(self.chance.below("copy", len(copies)))

    def _covered(
        self,
        cards: list[int],
        known: tuple[int, ...],
        at: tuple[Seat, int],
        faces: dict[tuple[Seat, int, int], int],
        rest: list[int],
    ) -> list[int]:
        """Give Citizens their faces, the known ones or any."""
        laid = []
        for index, (card, seats) in enumerate(zip(cards, known, strict=True)):
            if not card:
                face = faces.get((*at, index)) or rest.pop()
                self.state.known_by[face] = seats
                card = -face
            laid.append(card)
        return laid


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
