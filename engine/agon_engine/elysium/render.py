"""A view as text for people: at most 80 columns. Cards are named by their ids, as actions name them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from textwrap import wrap
from typing import Final

from agon_engine.core import Seat
from agon_engine.elysium.enums import COLOURS, NOBODY, LegendKind, Phase
from agon_engine.elysium.layout import COUNT, RING, THIS_TURN, TURNED
from agon_engine.elysium.tables import Tables
from agon_engine.elysium.view import Domain, Elysium, Group, Player, Row, View

WIDTH: Final = 80
_GLUE: Final = "\x1f"
_PHASES: Final = {Phase.ACTIONS: "actions", Phase.LEGENDS: "writing the Legends", Phase.OVER: "the match is over"}
_SYMBOLS: Final = "-IATPELC"
"""By activation: the letter that stands behind a card's level."""
_COLUMNS: Final = "-RYGB*"
"""By colour: the letter of a column that a card is taken with."""


def render_view(tables: Tables, view: View) -> str:
    """Draw a view; the letters and signs are explained at its end."""
    return "\n".join(_Drawing(tables, view).lines())


class _Drawing:
    def __init__(self, tables: Tables, view: View) -> None:
        self.tables = tables
        self.view = view

    def lines(self) -> Iterator[str]:
        view = self.view
        yield from self._head()
        yield ""
        yield from self._row("Agora", view.agora)
        if view.oracle.cards or view.table.oracle_open:
            yield from self._row("Oracle", view.oracle)
        yield from self._row("Discard", view.discard)
        yield from self._lots()
        yield from self._tiles()
        for seat in view.table.order:
            yield ""
            yield from self._player(view.players[seat], view.domains[seat], view.elysiums[seat])
        if view.seat is not None:
            own = list(self._own())
            if own:
                yield ""
                yield from own
        yield ""
        yield from _wrapped(
            "Behind a card: level and I instant, A activate, T trigger, P permanent, E eleusis, L legend, C chronos; "
            "o ring, / turned, ' used this turn, ^ reserved; columns R Y G B, * any.",
            0,
        )

    # -- the table -------------------------------------------------------------------------------------------

    def _head(self) -> Iterator[str]:
        view = self.view
        table = view.table
        families = " ".join(family.name.lower() for family in view.deal.families)
        yield from _wrapped(f"Epoch {table.epoch} of 5, {_PHASES[table.phase]}. Families: {families}.", 0)
        quests = (self._quest(number, columns) for number, columns in enumerate(view.deal.quest_columns, 1))
        yield from _listed("Quests (gold/VP/transfers):", quests)
        yield from _wrapped(f"Draw pile: {table.deck}{self._sightings()}.", 0)
        if view.pending.seat != NOBODY:
            round_ = f"round {table.round}, " if table.phase is Phase.ACTIONS else ""
            asked = self._seat(view.pending.seat)
            due = view.pending.steps[-1]
            about = f" ({self.tables.ids[due.source]})" if due.source else ""
            what = due.todo.name.lower().replace("_", " ")
            yield from _wrapped(
                f"{round_.capitalize()}{self._seat(table.turn)} on turn; {asked} asked: {what}{about}.", 0
            )

    def _quest(self, number: int, columns: int) -> str:
        cards = self.tables.cards
        quest = (cards.quests_two if len(self.view.players) == 2 else cards.quests_more)[number - 1]
        pays = f"{quest.gold}/{quest.vp}/{quest.transfers}"
        return f"{number} {' or '.join(_colours(columns))} {pays}{self._quest_holder(number)}"

    def _quest_holder(self, number: int) -> str:
        for player in self.view.players:
            if player.quest == number:
                return f" (seat {player.seat}{', incomplete' if player.incomplete else ''})"
        return ""

    def _sightings(self) -> str:
        top = self.view.table.deck
        known = [
            f"{top - place} from the top by seat {' '.join(str(seat) for seat in range(4) if seats >> seat & 1)}"
            for place, seats in reversed(self.view.table.sightings)
        ]
        return f" (known: {'; '.join(known)})" if known else ""

    def _row(self, name: str, row: Row) -> Iterator[str]:
        cards = [self._card(design, marks) for design, marks in zip(row.cards, row.marks, strict=True)]
        for seat, at in row.reserved:
            cards[at] += f"^{seat}"
        if row is not self.view.discard:
            cards = [f"{card} {self._columns(design)}" for card, design in zip(cards, row.cards, strict=True)]
        yield from _listed(f"{name}:", cards)

    def _columns(self, design: int) -> str:
        return "".join(_COLUMNS[colour] for colour in self.tables.cards.cards[design - 1].columns)

    def _tiles(self) -> Iterator[str]:
        held = [
            f"{f'level {tile.level}' if tile.level else tile.family.name.lower()} ({tile.vp}) seat {tile.holder}"
            for tile in self.view.tiles.tiles
            if tile.holder != NOBODY
        ]
        if held:
            yield from _wrapped(f"Bonus tiles: {', '.join(held)}.", 0)

    def _lots(self) -> Iterator[str]:
        table, ids = self.view.table, self.tables.ids
        for lot in table.lots:
            yield from _listed(f"Face down of shuffle {lot.number}:", [ids[design] for design in lot.cards])
        mixed = {mix.number for mix in table.mixes}
        for mix in table.mixes:
            shares = [f"{share.cards} of {_lot(share.lot, mixed)}" for share in mix.shares]
            by = "" if mix.seat == NOBODY else f" by {self._seat(mix.seat)}"
            shown = [ids[card.design] for card in table.shown if card.lot == mix.number]
            turned_up = f"; turned up since: {', '.join(shown)}" if shown else ""
            yield from _wrapped(f"Mix {mix.number}, put together{by}: {', '.join(shares)}{turned_up}.", 2)

    # -- seats -----------------------------------------------------------------------------------------------

    def _seat(self, seat: Seat) -> str:
        return f"seat {seat} (you)" if seat == self.view.seat else f"seat {seat}"

    def _player(self, player: Player, domain: Domain, elysium: Elysium) -> Iterator[str]:
        pp = f", {player.pp} PP" if player.pp else ""
        columns = " ".join(_colours(player.columns)) or "no columns"
        quest = f", quest {player.quest}" if player.quest else ""
        extra = f", {player.extra} transfers more" if player.extra else ""
        less = "".join(f", {discount.minus} gold less ({discount.uses or 'all'})" for discount in player.discounts)
        head = f"{self._seat(player.seat).capitalize()}: {player.gold} gold, {player.vp} VP{pp}; {columns}"
        yield from _wrapped(f"{head}; {player.taken} taken{quest}{extra}{less}", 2)
        if player.scored:
            yield f"  score {sum(player.scored) - sum(player.lost)}"
        cards = [self._card(design, marks) for design, marks in zip(domain.cards, domain.marks, strict=True)]
        yield from _listed("  Domain:", cards)
        for number, legend in enumerate(elysium.legends, 1):
            yield from _listed(f"  Legend {number}{self._kind(legend)}:", [self._legend_card(d) for d in legend.cards])

    def _kind(self, legend: Group) -> str:
        if legend.kind is LegendKind.FAMILY:
            levels = "".join(str(level) for level in (1, 2, 3) if legend.held >> level & 1)
            return f" ({legend.family.name.lower()} {levels})"
        return f" (level {legend.level})" if legend.kind is LegendKind.LEVEL else ""

    def _legend_card(self, design: int) -> str:
        return self._card(design, 0)

    def _card(self, design: int, marks: int) -> str:
        if not design:
            return "citizen"

        tables = self.tables
        sign = f"{tables.level[design]}{_SYMBOLS[tables.activation[design]]}"
        signs = ("o" if marks & RING else "") + ("/" if marks & TURNED else "") + ("'" if marks & THIS_TURN else "")
        uses = f"x{marks // COUNT}" if marks >= COUNT else ""
        return f"{tables.ids[design]} {sign}{signs}{uses}"

    # -- what only the viewer sees ---------------------------------------------------------------------------

    def _own(self) -> Iterator[str]:
        own, ids = self.view.own, self.tables.ids
        if own.looking:
            yield from _listed("You look at, the top one first:", [ids[design] for design in own.looking])
        if own.kept:
            yield f"You take {ids[own.kept]}."
        top = self.view.table.deck
        if own.deck and not own.looking:
            known = [f"{top - place}: {ids[design]}" for place, design, _ in reversed(own.deck)]
            yield from _listed("You know of the draw pile, from the top:", known)
        faces = [
            f"{ids[face.design]} (seat {face.owner}{f', legend {face.legend}' if face.legend else ''})"
            for face in own.faces
        ]
        if faces:
            yield from _listed("You know the faces of Citizens:", faces)
        mixed = {mix.number for mix in self.view.table.mixes}
        for number in sorted({origin.lot for origin in own.origins}):
            seen = [f"{ids[card.design]} ({_lot(card.parent, mixed)})" for card in own.origins if card.lot == number]
            yield from _listed(f"You put into mix {number}:", seen)


def _lot(number: int, mixed: Collection[int]) -> str:
    if not number:
        return "the deal"
    return f"mix {number}" if number in mixed else f"shuffle {number}"


def _colours(columns: int) -> list[str]:
    return [colour.name.lower() for colour in COLOURS if columns >> (colour - 1) & 1]


def _listed(head: str, items: Iterable[str]) -> Iterator[str]:
    # What belongs to one card stays on one line.
    whole = ", ".join(item.replace(" ", _GLUE) for item in items)
    yield from _wrapped(f"{head} {whole or '-'}", len(head) - len(head.lstrip()) + 2)


def _wrapped(text: str, indent: int) -> Iterator[str]:
    for line in wrap(text, WIDTH, subsequent_indent=" " * indent, break_on_hyphens=False):
        yield line.replace(_GLUE, " ")
