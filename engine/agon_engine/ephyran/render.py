"""Drawing a view as text for people: what lies on the table, what is asked, and what only the viewer sees."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from textwrap import fill
from typing import Final

from agon_engine.core import Seat
from agon_engine.ephyran.data import (
    CARD_NAMES,
    CARD_SUPPORT,
    CELL_NAMES,
    COLOUR_NAMES,
    HALF_CELL,
    HALF_CREATURE,
    HALF_ITEM,
    HALF_NAMES,
    ITEM_POINTS,
    MATERIAL,
    NO_CELL,
    SIDES,
    SUPPORT_IDS,
    is_dionysos,
)
from agon_engine.ephyran.enums import NOBODY, Ending, Item, Phase, TieBreak
from agon_engine.ephyran.scoring import city_score
from agon_engine.ephyran.view import Column, Pending, Sighting, View

WIDTH: Final = 80
_CELL_WIDTH: Final = 17
_GODS: Final = {colour: god for god, colour in MATERIAL.god_colour}

_ASKED: Final = {
    Phase.TURN: "for the turn's action",
    Phase.TARGET: "for a target",
    Phase.REACT: "for a reaction",
    Phase.PLACE: "where the token goes",
    Phase.BUILD: "what to build",
    Phase.DRAW: "where to draw",
    Phase.KEEP: "which card to keep",
    Phase.DIG: "which card of the first discard to take",
}
_ENDINGS: Final = {
    Ending.DECK: "the deck is empty",
    Ending.CITY: "a city was completed",
    Ending.STALL: "nothing moved for three rounds",
}


def render_view(view: View) -> str:
    """Return a table that a person can follow, at most 80 columns wide."""
    lines = [*_table(view), ""]
    for seat in range(len(view.cities)):
        lines += _city(view, seat)
    lines += ["", *_piles(view)]
    if view.seat is not None:
        lines += ["", *_own(view)]
    return "\n".join(line.rstrip() for line in lines)


def _wrap(text: str, indent: str = "  ") -> list[str]:
    return fill(text, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False).split("\n")


def _named(cards: Iterable[int]) -> str:
    return " ".join(CARD_NAMES[card] for card in cards) or "none"


# -- what everybody sees -------------------------------------------------------------------------------------


def _table(view: View) -> list[str]:
    table, pending = view.table, view.pending
    under = "".join(f", {table.under.count(seat)} put under it by seat {seat}" for seat in sorted(set(table.under)))
    lines = _wrap(
        f"Round {table.round}, seat {view.deal.first} began. Deck {table.deck}{under}. Tokens left {table.tokens}."
        + (f" Quiet rounds {table.quiet_rounds}." if table.quiet_rounds else "")
        + (" Ties: more zones." if view.deal.tie_break is TieBreak.ZONES else "")
        + (" A defender redraws." if view.deal.defender_redraws else "")
    )
    if pending.phase is Phase.OVER:
        return [*lines, f"The match is over: {_ENDINGS[table.ending]}."]

    last = f" This is the last round: {_ENDINGS[table.ending]}." if table.ending else ""
    asks = "and" if pending.seat == table.turn else f"; {_seat(view, pending.seat)}"
    asked = f"{asks} is asked {_ASKED[pending.phase]}{_about(pending)}."
    return lines + _wrap(f"{_seat(view, table.turn).capitalize()} is on turn {asked}{last}".replace(" ;", ";"))


def _seat(view: View, seat: Seat) -> str:
    return f"seat {seat} (you)" if seat == view.seat else f"seat {seat}"


def _about(pending: Pending) -> str:
    """Return what the choice is about: the support, what it is aimed at, the draws due."""
    facts = [SUPPORT_IDS[pending.support] if pending.support else ""]
    facts += [f"in play {CARD_NAMES[pending.card]}" if pending.card else ""]
    facts += [HALF_NAMES[pending.half] if pending.half else ""]
    facts += [f"aimed at seat {pending.target}" if pending.target != NOBODY else ""]
    facts += [COLOUR_NAMES[pending.colour] if pending.colour else ""]
    facts += [f"token {pending.token}" if pending.token else ""]
    facts += [f"{pending.draws} draws" if pending.draws > 1 else ""]
    told = ", ".join(fact for fact in facts if fact)
    return f" ({told})" if told else ""


def _city(view: View, seat: Seat) -> Iterator[str]:
    city, hand = view.cities[seat], view.hands[seat]
    god = view.deal.gods[seat]
    known = f" ({_named(hand.known)} known)" if hand.known else ""
    whole = f", complete ({city.completed})" if city.completed else ""
    head = f"{_seat(view, seat).capitalize()}, {_GODS[god]}: hand {hand.size}{known}"
    yield from _wrap(f"{head}; {city_score(view, seat)} points so far{whole}")
    for colour, column in enumerate(city.columns, 1):
        marks = ("x2" if colour == god else "  ") + ("#" if column.lock else " ")
        yield f"  {COLOUR_NAMES[colour]:<6}{marks} " + " ".join(_zones(column))


def _zones(column: Column) -> Iterator[str]:
    for half, token in zip(column.zones, column.tokens, strict=True):
        name = "Dionysos" if is_dionysos(half // 2) else MATERIAL.creature_names[HALF_CREATURE[half]]
        item = f"+{ITEM_POINTS[HALF_ITEM[half]]}" if HALF_ITEM[half] else ""
        yield f"{name}{item}{f' t{token}' if token else ''}".ljust(_CELL_WIDTH - 1)


def _piles(view: View) -> Iterator[str]:
    closed = f" (closed to seat {view.table.turn})" if view.table.closed else ""
    yield from _wrap(f"First discard, top first{closed}: {_named(reversed(view.first_discard.cards))}")
    yield from _wrap(f"Second discard: {_named(view.second_discard.cards)}")
    for token, (seen, shown) in enumerate(zip(view.token_lore.seen_by, _shown(view), strict=True), 1):
        seats = " ".join(str(seat) for seat in range(len(view.cities)) if seen >> seat & 1)
        yield f"t{token}: seen by seat {seats}{f'; {shown.name.lower()}' if shown else ''}"


def _shown(view: View) -> Sequence[Item]:
    """Return each token's item as far as the viewer may see it."""
    items = list(view.token_lore.shown) or [Item.NONE] * len(view.token_lore.seen_by)
    for token, item in view.own_tokens.tokens:
        items[token - 1] = item
    return items


# -- what only the viewer sees -------------------------------------------------------------------------------


def _own(view: View) -> Iterator[str]:
    yield "Your hand:"
    yield from (f"  {_card(card)}" for card in view.own_hand.cards)
    if view.own_hand.looking:
        yield "You look at the top of the deck:"
        yield from (f"  {_card(card)}" for card in view.own_hand.looking)
    accounts = ["; ".join(map(_sighting, account)) for account in view.own_memory.accounts]
    if accounts:
        yield from _wrap(f"You know: {' -- or else: '.join(accounts)}.")


def _card(card: int) -> str:
    if is_dionysos(card):
        return f"{CARD_NAMES[card]}: any zone"

    return f"{CARD_NAMES[card]}: " + ", ".join(f"{side} {_half(2 * card + i)}" for i, side in enumerate(SIDES))


def _half(half: int) -> str:
    if HALF_CELL[half] == NO_CELL:
        support = CARD_SUPPORT[half // 2]
        return f"{SUPPORT_IDS[support]} ({MATERIAL.support_names[support]})"

    item = f" +{ITEM_POINTS[HALF_ITEM[half]]}" if HALF_ITEM[half] else ""
    return f"{CELL_NAMES[HALF_CELL[half]]} {MATERIAL.creature_names[HALF_CREATURE[half]]}{item}"


def _sighting(fact: Sighting) -> str:
    where = f"in the deck above {fact.place}" if fact.holder == NOBODY else f"in the hand of seat {fact.holder}"
    return f"{CARD_NAMES[fact.card]} {where}"
