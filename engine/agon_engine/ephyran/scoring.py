"""Scoring (P7.3 to P7.6): of a running match, and of a city as a view shows it. Pure; moves nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from agon_engine.core import Outcome, Seat, standard_placements
from agon_engine.ephyran.data import CELLS, COLUMNS, HALF_CREATURE, HALF_ITEM, ITEM_POINTS, ZONES, is_dionysos
from agon_engine.ephyran.enums import Colour, Ending, TieBreak
from agon_engine.ephyran.view import View

if TYPE_CHECKING:
    from agon_engine.ephyran.state import EphyranState

Parts = tuple[tuple[str, int], ...]

FIRST_CITY_BONUS: Final = 3
CITY_BONUS: Final = 1
MEAN_TOKEN: Final = 1
"""The points of the mean token, rounded: 13 points on 12 tokens."""


def final_outcome(state: EphyranState) -> Outcome:
    """Score all cities and rank the seats, as if the match ended now."""
    points = [ITEM_POINTS[item] for item in state.token_items]
    parts = tuple(
        city_parts(
            state.gods[seat],
            state.zones[seat],
            [points[token] for token in state.zone_tokens[seat]],
            _bonus(state.completed, seat),
        )
        for seat in range(state.seats)
    )
    scores = tuple(total(part) for part in parts)
    built = [sum(heights) for heights in state.heights]
    with_zones = state.tie_break is TieBreak.ZONES
    keys = [(score, zones if with_zones else 0) for score, zones in zip(scores, built, strict=True)]
    return Outcome(scores, standard_placements(keys), parts, by_cap=state.ending is Ending.STALL)


def city_score(view: View, seat: Seat, unknown_token: int = MEAN_TOKEN) -> int:
    """Return the score of a seat's city as far as the view shows it, with the bonus as if the match ended now.

    A token whose item the view does not show counts `unknown_token` points.
    """
    return total(view_parts(view, seat, unknown_token))


def view_parts(view: View, seat: Seat, unknown_token: int = MEAN_TOKEN) -> Parts:
    """Return the named parts of which `city_score` is the sum."""
    known = {token: ITEM_POINTS[item] for token, item in view.own_tokens.tokens}
    known |= {token: ITEM_POINTS[item] for token, item in enumerate(view.token_lore.shown, 1) if item}
    zones, points = [0] * CELLS, [0] * CELLS
    for index, column in enumerate(view.cities[seat].columns):
        for cell, (half, token) in enumerate(zip(column.zones, column.tokens, strict=True), index * ZONES):
            zones[cell] = half
            points[cell] = known.get(token, unknown_token) if token else 0
    completed = [city.completed for city in view.cities]
    return city_parts(view.deal.gods[seat], zones, points, _bonus(completed, seat))


def city_parts(god: Colour, zones: Sequence[int], token_points: Sequence[int], bonus: int) -> Parts:
    """Score one city from its halves and its tokens' points by cell; the parts are named as in README.md."""
    creatures = variety = items = tokens = doubled = 0
    where = _dionysos_column(god, zones)
    for column in range(COLUMNS):
        cells = range(column * ZONES, (column + 1) * ZONES)
        kinds = {HALF_CREATURE[zones[cell]] for cell in cells} - {0}
        four = 1 if len(kinds) == ZONES else 0
        printed = sum(ITEM_POINTS[HALF_ITEM[zones[cell]]] for cell in cells)
        on_top = sum(token_points[cell] for cell in cells)
        creatures += len(kinds)
        variety += four
        items += printed
        tokens += on_top
        if column == god - 1:
            doubled = len(kinds) + four + printed + on_top + (where == column)
    return (
        ("creatures", creatures),
        ("variety", variety),
        ("items", items),
        ("tokens", tokens),
        ("dionysos", 0 if where is None else 1),
        ("god", doubled),
        ("city", bonus),
    )


def total(parts: Parts) -> int:
    return sum(points for _, points in parts)


def _dionysos_column(god: Colour, zones: Sequence[int]) -> int | None:
    """Return the column in which the one point for Dionysos is scored (P7.4), None without a Dionysos."""
    columns = [cell // ZONES for cell, half in enumerate(zones) if is_dionysos(half // 2)]
    if not columns:
        return None

    return god - 1 if god - 1 in columns else min(columns)


def _bonus(completed: Sequence[int], seat: Seat) -> int:
    """Return the bonus of a seat's city (P7.5) from the numbers in which the cities were completed."""
    if not completed[seat]:
        return 0

    return FIRST_CITY_BONUS if completed[seat] == min(filter(None, completed)) else CITY_BONUS
