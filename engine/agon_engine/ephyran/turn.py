"""A turn and its plain actions: build, exchange, discard, take a Dionysos, draw; and how rounds and the match end.

Supports and reactions are in `supports.py`. The functions here are steps of the agenda and answers to decisions;
which is called when, `play.py` says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from agon_engine.core import Action, Decision, Seat
from agon_engine.ephyran import events, moves, scoring
from agon_engine.ephyran.data import (
    CARDS,
    CELLS,
    DECK_SIZE,
    HALF_CELL,
    NO_CELL,
    ZONES,
    is_dionysos,
)
from agon_engine.ephyran.enums import COLOURS, Ending, Phase, Step
from agon_engine.ephyran.fitting import ZONE_HALVES, builds
from agon_engine.ephyran.notation import BUILD, DISCARD, DRAW_DECK, DRAW_DISCARD, EXCHANGE, FROM, MAX_SEATS, PLAY, TAKE
from agon_engine.ephyran.playable import CAN_PLAY

if TYPE_CHECKING:
    from agon_engine.ephyran.state import EphyranState

QUIET_ROUNDS: Final = 3
"""So many full rounds in which nothing moved end the match (P7.2)."""

_TURN: Final = Phase.TURN
_TARGET: Final = Phase.TARGET
_BUILD: Final = Phase.BUILD
_DRAW: Final = Phase.DRAW
_NO_ENDING: Final = Ending.NONE
_END_TURN_STEP: Final = (Step.END_TURN,)
_DRAW_STEP: Final = Step.DRAW
_HEIGHTS: Final = ZONES + 1

# -- the turn ------------------------------------------------------------------------------------------------


def begin_turn(state: EphyranState) -> None:
    """Ask the seat on turn for its action; an empty hand has none (P3.7)."""
    seat = state.turn
    state.tell(events.TURN[seat])
    state.agenda.append(_END_TURN_STEP)
    if state.hands[seat]:
        ask_turn(state)
    else:
        moves.draw_at_end(state, 1)


def ask_turn(state: EphyranState) -> None:
    seat = state.turn
    moves.ask(state, _TURN, seat, "turn", tuple(turn_actions(state, seat)))


def end_turn(state: EphyranState) -> None:
    """Pass the turn on, or end the match with the round."""
    if state.support:
        moves.close_effect(state)
    seat = state.turn + 1
    if seat == state.seats:
        seat = 0
    if seat == state.first_seat and not _begin_round(state):
        end_match(state)
        return

    state.turn = seat
    state.closed = False
    state.table_part = None
    begin_turn(state)


def _begin_round(state: EphyranState) -> bool:
    """Close the round; return whether there is another one."""
    if state.ending is not _NO_ENDING:
        return False

    state.quiet_rounds = 0 if state.stirred else state.quiet_rounds + 1
    state.stirred = False
    state.table_part = None
    if state.quiet_rounds == QUIET_ROUNDS:
        state.ending = Ending.STALL
        return False

    state.round += 1
    return True


def end_match(state: EphyranState) -> None:
    """Show the tokens in cities and tell the scores."""
    state.phase = Phase.OVER
    state.pending_part = None
    if state.tokens_won:
        state.lore_part = None
    for seat, row in enumerate(state.zone_tokens):
        for token in row:
            if token:
                state.tell(events.shown_token(seat, token, state.token_items[token]))
    for seat, score in enumerate(scoring.final_outcome(state).scores):
        state.tell(events.scored(seat, score))
    state.tell(events.over(state.ending))


# -- what can be done ----------------------------------------------------------------------------------------


def _plain_actions(card: int) -> tuple[int, int, tuple[tuple[Action, ...], ...]]:
    """Return a deck card's two columns and what can be done with it, by 5 * height of the one + height of the other.

    That is to discard it, and to build its halves or exchange a zone for them where their column has that height.
    """
    halves = [half for half in (2 * card, 2 * card + 1) if HALF_CELL[half] != NO_CELL]
    columns = [HALF_CELL[half] // ZONES for half in halves] or [0]
    table = []
    for heights in ((one, other) for one in range(_HEIGHTS) for other in range(_HEIGHTS)):
        actions = [DISCARD[card]]
        for half, height in zip(halves, heights, strict=False):
            cell = HALF_CELL[half]
            if cell % ZONES == height:
                actions.append(BUILD[half][cell])
            elif cell % ZONES == height - 1:
                actions.append(EXCHANGE[half][cell])
        table.append(tuple(actions))
    return columns[0], columns[-1], tuple(table)


_ROWS: Final = tuple((*_plain_actions(card), CAN_PLAY[card], PLAY[card]) for card in range(CARDS + 1))
"""By card: its plain actions, the check of its support, if it has one, and the action that plays it."""


def turn_actions(state: EphyranState, seat: Seat) -> list[Action]:
    """List every action of a turn (P3.1 to P3.6)."""
    heights = state.heights[seat]
    hand = state.hands[seat]
    actions: list[Action] = []
    for card in hand:
        column, other, plain, can_play, play = _ROWS[card]
        actions += plain[heights[column] * _HEIGHTS + heights[other]]
        if can_play is not None:
            if can_play(state, seat, card):
                actions.append(play)
        elif card > DECK_SIZE:
            actions += [BUILD[half][cell] for half, cell in builds(heights, card)]
            actions += _dionysos_exchanges(state, seat, card)
    cells = _takeable_cells(state, seat)
    if cells and sum(heights) < CELLS:
        for card in hand:
            for half, cell in ZONE_HALVES[card]:
                if cell in cells:
                    actions.append(TAKE[half])
    return actions


def _dionysos_exchanges(state: EphyranState, seat: Seat, card: int) -> list[Action]:
    zones = state.zones[seat]
    row = EXCHANGE[2 * card]
    uncovered = [column * ZONES + height - 1 for column, height in enumerate(state.heights[seat]) if height]
    return [row[cell] for cell in uncovered if not is_dionysos(zones[cell] // 2)]


def _takeable_cells(state: EphyranState, seat: Seat) -> list[int]:
    """Return the cells in which an opponent has a Dionysos in an unlocked column (P3.6)."""
    cells = []
    for at in state.dionysos_at:
        if at >= 0:
            owner, cell = divmod(at, CELLS)
            if owner != seat and not state.locks[owner][cell // ZONES]:
                cells.append(cell)
    return cells


# -- plain actions -------------------------------------------------------------------------------------------


def build(state: EphyranState, seat: Seat, half: int, cell: int) -> None:
    """Build as the turn's action (P3.1, P3.5)."""
    moves.leave_hand(state, seat, half // 2)
    moves.add_zone(state, seat, cell, half)
    moves.draw_at_end(state, 1)


def exchange(state: EphyranState, seat: Seat, half: int, cell: int) -> None:
    """Exchange an uncovered zone (P3.3)."""
    moves.leave_hand(state, seat, half // 2)
    before, token = moves.replace_zone(state, seat, cell, half)
    state.tell(events.exchanged(seat, before))
    moves.put_on_first(state, before // 2)
    if token:
        moves.drop_token(state, seat, token)
    moves.draw_at_end(state, 1)


def discard(state: EphyranState, seat: Seat, card: int, _: int) -> None:
    """Discard a card (P3.4)."""
    moves.leave_hand(state, seat, card)
    moves.put_on_first(state, card)
    moves.draw_at_end(state, 1)


def take(state: EphyranState, seat: Seat, half: int, cell: int) -> None:
    """Play the half that will stand in for a Dionysos and ask whose (P3.6)."""
    moves.leave_hand(state, seat, half // 2)
    state.card = half // 2
    state.half = half
    state.colour = COLOURS[cell // ZONES + 1]
    ask_owner(state)


def ask_owner(state: EphyranState) -> None:
    cell = HALF_CELL[state.half]
    owners = [
        FROM[at // CELLS]
        for at in sorted(state.dionysos_at)
        if at >= 0 and at % CELLS == cell and at // CELLS != state.turn
        if not state.locks[at // CELLS][cell // ZONES]
    ]
    moves.ask(state, _TARGET, state.turn, "take", tuple(owners))


def take_from(state: EphyranState, _: Seat, owner: int, __: int) -> None:
    """Choose whose Dionysos is taken."""
    state.target = owner
    ask_dionysos(state)


def ask_dionysos(state: EphyranState) -> None:
    """Ask where the Dionysos that is taken is to be built."""
    taken = state.zones[state.target][HALF_CELL[state.half]] // 2
    places = builds(state.heights[state.turn], taken)
    moves.ask(state, _BUILD, state.turn, "settle", tuple([BUILD[half][cell] for half, cell in places]))


def settle_dionysos(state: EphyranState, seat: Seat, dionysos: int, cell: int) -> None:
    """Swap the half and the Dionysos and build the latter, its token included (P3.6)."""
    owner, half = state.target, state.half
    _, token = moves.replace_zone(state, owner, HALF_CELL[half], half)
    state.card = 0
    moves.close_effect(state)
    moves.add_zone(state, seat, cell, dionysos, token)
    if token:
        moves.look_at_token(state, seat, token)
    moves.draw_at_end(state, 1)


# -- drawing -------------------------------------------------------------------------------------------------

_SOURCES: Final = ((), (DRAW_DECK,), (DRAW_DISCARD,), (DRAW_DECK, DRAW_DISCARD))
_DRAWS: Final = tuple(
    tuple(Decision(seat, "draw", sources) if sources else None for sources in _SOURCES) for seat in range(MAX_SEATS)
)
"""By seat and sources (1: deck, 2: discard): the decision, one object for all matches, since it never differs."""


def draw(state: EphyranState, seat: Seat, draws: int) -> None:
    """Ask from where the seat draws; with nothing to draw from there is no draw (P3.7)."""
    if state.support:
        moves.close_effect(state)
    sources = 1 if state.deck else 0
    if state.first_discard and not (state.closed and seat == state.turn):
        sources += 2
    if sources:
        state.draws = draws
        state.phase = _DRAW
        state.pending_part = None
        state.decision = _DRAWS[seat][sources]


def draw_deck(state: EphyranState, seat: Seat, _: int, __: int) -> None:
    moves.take_from_deck(state, seat)
    _next_draw(state, seat)


def draw_discard(state: EphyranState, seat: Seat, _: int, __: int) -> None:
    card = state.first_discard[-1]
    state.tell(events.DRAWN_FROM_DISCARD[seat][card])
    moves.take_from_first(state, seat, card)
    _next_draw(state, seat)


def _next_draw(state: EphyranState, seat: Seat) -> None:
    if state.draws > 1:
        state.agenda.append((_DRAW_STEP, seat, state.draws - 1))
    state.draws = 0
