"""Supports (P5), reactions to them, tokens (P4) and locks (P6).

A support goes its way in this order: played, its target chosen, opponents asked for reactions, carried out, choices
inside it, draws. For each kind a table says what comes: `CAN_PLAY`, `_PLAYED`, `_EFFECTS`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from agon_engine.core import Action, RulesBug, Seat
from agon_engine.ephyran import events
from agon_engine.ephyran.data import (
    CARD_SUPPORT,
    CELLS,
    COLOUR_NAMES,
    COUNTERED_BY,
    HALF_NAMES,
    SUPPORT_IDS,
    TOKENS,
    ZONES,
)
from agon_engine.ephyran.enums import Colour, Phase, Step, Support
from agon_engine.ephyran.fitting import CARD_CELLS, builds, next_cells
from agon_engine.ephyran.notation import (
    BUILD,
    CANCEL,
    DIG,
    DONE,
    KEEP,
    LOCK,
    PASS,
    PLACE,
    RECALL,
    TARGET,
    TOKEN,
    UNLOCK,
)

if TYPE_CHECKING:
    from agon_engine.ephyran.state import EphyranState

COLOURS: Final = tuple(Colour)
_RESOLVE: Final = (Step.RESOLVE,)
_ASK_PLACE: Final = (Step.ASK_PLACE,)
_ASK_BUILD: Final = (Step.ASK_BUILD,)
_STEAL_ZONE: Final = Support.ARES_STEAL_ZONE
_TARGET: Final = Phase.TARGET
_REACT: Final = Phase.REACT
_PLACE: Final = Phase.PLACE
_BUILD: Final = Phase.BUILD
_KEEP: Final = Phase.KEEP
_DIG: Final = Phase.DIG

# -- what can be played (P5.4) -------------------------------------------------------------------------------


def _has_target_column(state: EphyranState, seat: Seat, _: int) -> bool:
    for other in range(state.seats):
        if other != seat:
            locks = state.locks[other]
            for column, height in enumerate(state.heights[other]):
                if height and not locks[column]:
                    return True
    return False


def _has_zone_to_steal(state: EphyranState, seat: Seat, _: int) -> bool:
    mine = state.heights[seat]
    for other in range(state.seats):
        if other != seat:
            locks = state.locks[other]
            for column, height in enumerate(state.heights[other]):
                if height == mine[column] + 1 and not locks[column]:
                    return True
    return False


def _has_token_to_steal(state: EphyranState, seat: Seat, _: int) -> bool:
    return has_free_zone(state, seat) and bool(_stealable_tokens(state, seat))


def _can_win_token(state: EphyranState, seat: Seat, _: int) -> bool:
    return state.tokens_won < TOKENS and has_free_zone(state, seat)


def _can_double_build(state: EphyranState, seat: Seat, card: int) -> bool:
    cells = next_cells(state.heights[seat])
    for other in state.hands[seat]:
        if CARD_CELLS[other] & cells and other != card:
            return True
    return False


def _can_build_from_discard(state: EphyranState, seat: Seat, _: int) -> bool:
    cells = next_cells(state.heights[seat])
    for card in state.first_discard:
        if CARD_CELLS[card] & cells:
            return True
    return False


def _can_lock_or_unlock(state: EphyranState, seat: Seat, _: int) -> bool:
    locks = state.locks[seat]
    for column, height in enumerate(state.heights[seat]):
        if height and not locks[column]:
            return True
    return any(any(row) for row in state.locks)


def _can_draw(state: EphyranState, _: Seat, __: int) -> bool:
    return bool(state.deck or state.first_discard)


def _can_look(state: EphyranState, _: Seat, __: int) -> bool:
    return bool(state.deck)


def _can_dig(state: EphyranState, _: Seat, __: int) -> bool:
    return bool(state.first_discard)


def _never(_: EphyranState, __: Seat, ___: int) -> bool:
    return False


Check = Callable[["EphyranState", Seat, int], bool]

CAN_PLAY: Final[tuple[Check, ...]] = (
    _never,
    _can_lock_or_unlock,
    _can_lock_or_unlock,
    _has_target_column,
    _has_zone_to_steal,
    _has_token_to_steal,
    _can_win_token,
    _can_double_build,
    _can_build_from_discard,
    _can_draw,
    _can_look,
    _can_dig,
)
"""By support: whether a seat that holds the card could play it with an effect."""


def has_free_zone(state: EphyranState, seat: Seat) -> bool:
    """Return whether the city has a zone without a token (P4.1)."""
    return sum(state.heights[seat]) > CELLS - state.zone_tokens[seat].count(0)


def _stealable_tokens(state: EphyranState, seat: Seat) -> list[int]:
    """Return the tokens in opponents' unlocked columns, by seat and cell."""
    tokens = []
    for other in range(state.seats):
        if other != seat:
            locks = state.locks[other]
            for cell, token in enumerate(state.zone_tokens[other]):
                if token and not locks[cell // ZONES]:
                    tokens.append(token)
    return tokens


# -- played, with its target ---------------------------------------------------------------------------------


def play(state: EphyranState, seat: Seat, card: int, _: int) -> None:
    """Play a support half (P3.2)."""
    state.leave_hand(seat, card)
    state.card = card
    state.support = CARD_SUPPORT[card]
    _PLAYED[state.support](state)


def ask_target(state: EphyranState) -> None:
    """Ask for the target of the support in play (P5.3)."""
    prompt = f"target {SUPPORT_IDS[state.support]}"
    state.ask(_TARGET, state.turn, prompt, tuple(_TARGETS[state.support](state, state.turn)))


def _locks(state: EphyranState, seat: Seat) -> list[Action]:
    """List what a defence card can do as an action: lock an own column or unlock any (P6)."""
    locks = state.locks[seat]
    actions = [LOCK[column] for column, height in enumerate(state.heights[seat]) if height and not locks[column]]
    for owner, row in enumerate(state.locks):
        actions += [UNLOCK[owner][column] for column, lock in enumerate(row) if lock]
    return actions


def _columns(state: EphyranState, seat: Seat) -> list[Action]:
    """List the opponents' unlocked columns; for `ARES_STEAL_ZONE` those whose uncovered zone could be built now."""
    mine = state.heights[seat]
    stealing = state.support is _STEAL_ZONE
    actions = []
    for other in range(state.seats):
        if other != seat:
            locks = state.locks[other]
            for column, height in enumerate(state.heights[other]):
                if height and not locks[column] and (not stealing or height == mine[column] + 1):
                    actions.append(TARGET[other][column])
    return actions


def _tokens(state: EphyranState, seat: Seat) -> list[Action]:
    return [TOKEN[token] for token in _stealable_tokens(state, seat)]


def _halves(state: EphyranState, seat: Seat) -> list[Action]:
    """List the halves of the first discard that can be built, the top card's first."""
    heights = state.heights[seat]
    return [RECALL[half][cell] for card in reversed(state.first_discard) for half, cell in builds(heights, card)]


def lock(state: EphyranState, seat: Seat, column: int, _: int) -> None:
    """Lock an own column (P6.1)."""
    state.set_lock(seat, column, state.card)
    state.card = 0
    _draw(state, 1)


def unlock(state: EphyranState, _: Seat, owner: int, column: int) -> None:
    """Remove a lock; both defence cards are spent (P6.2)."""
    state.put_on_second(state.set_lock(owner, column, 0))
    _spend(state)
    _draw(state, 1)


def target(state: EphyranState, _: Seat, owner: int, column: int) -> None:
    """Aim at a column."""
    state.target = owner
    state.colour = COLOURS[column + 1]
    _ask_target_seat(state)


def aim_at_token(state: EphyranState, _: Seat, token: int, __: int) -> None:
    state.token = token
    owner, cell = find_token(state, token)
    state.target = owner
    state.colour = COLOURS[cell // ZONES + 1]
    _ask_target_seat(state)


def recall(state: EphyranState, _: Seat, half: int, cell: int) -> None:
    """Choose the half of the first discard that is to be built."""
    state.half = half
    state.colour = COLOURS[cell // ZONES + 1]
    _ask_opponents(state)


def find_token(state: EphyranState, token: int) -> tuple[Seat, int]:
    """Return the seat and cell where a token lies."""
    for seat, row in enumerate(state.zone_tokens):
        if token in row:
            return seat, row.index(token)
    raise RulesBug(f"the token lies in no city: {token!r}")


# -- reactions (P5.2) ----------------------------------------------------------------------------------------


def _ask_target_seat(state: EphyranState) -> None:
    state.agenda.append(_RESOLVE)
    state.agenda.append((Step.ASK_REACTION, state.target))


def _ask_opponents(state: EphyranState) -> None:
    """Let the opponents be asked from the left of the seat on turn, round the table."""
    state.agenda += reactions_due(state, state.turn)


def reactions_due(state: EphyranState, asked: Seat) -> list[tuple[int, ...]]:
    """Return the steps that follow on the reaction of a seat to an Athena support: the last one is next."""
    seats, actor = state.seats, state.turn
    left = (actor - asked) % seats or seats
    return [_RESOLVE, *((Step.ASK_REACTION, (actor - back) % seats) for back in range(1, left))]


def _resolve_at_once(state: EphyranState) -> None:
    state.agenda.append(_RESOLVE)


def ask_reaction(state: EphyranState, seat: Seat) -> None:
    """Ask a seat whether it cancels the support in play, whether or not it holds the card (P5.2)."""
    defence = COUNTERED_BY[state.support]
    cards = [CANCEL[card] for card in state.hands[seat] if CARD_SUPPORT[card] is defence]
    state.ask(_REACT, seat, _reaction_prompt(state), (PASS, *cards))


def _reaction_prompt(state: EphyranState) -> str:
    prompt = f"react {SUPPORT_IDS[state.support]}"
    if state.token:
        return f"{prompt} {state.token}"
    if state.half:
        return f"{prompt} {HALF_NAMES[state.half]}"
    if state.colour:
        return f"{prompt} {COLOUR_NAMES[state.colour]}"
    return prompt


def pass_reaction(_: EphyranState, __: Seat, ___: int, ____: int) -> None:
    """Let the support go on."""


def cancel(state: EphyranState, seat: Seat, card: int, _: int) -> None:
    """Cancel the support in play: it is spent, and so is the turn's action (P5.1)."""
    state.leave_hand(seat, card)
    _spend(state)
    state.put_on_second(card)
    state.settle()
    del state.agenda[1:]
    _draw(state, 1)
    if state.defender_redraws:
        state.agenda.append((Step.DRAW, seat, 1))


# -- carried out ---------------------------------------------------------------------------------------------


def resolve(state: EphyranState) -> None:
    """Carry the support in play out; nobody has cancelled it."""
    _spend(state)
    _EFFECTS[state.support](state, state.turn)


def _spend(state: EphyranState) -> None:
    state.put_on_second(state.card)
    state.card = 0


def _draw(state: EphyranState, draws: int) -> None:
    """Put the draws at the end of the turn on the agenda (P3.8)."""
    state.agenda.append((Step.DRAW, state.turn, draws))


def _destroy(state: EphyranState, _: Seat) -> None:
    owner = state.target
    half, token = state.remove_zone(owner, state.colour - 1)
    state.tell(events.lost_zone(owner, half))
    state.put_on_second(half // 2)
    if token:
        state.drop_token(owner, token)
    _draw(state, 1)


def _steal_zone(state: EphyranState, seat: Seat) -> None:
    column = state.colour - 1
    half, token = state.remove_zone(state.target, column)
    state.tell(events.stole_zone(seat, half))
    state.add_zone(seat, column * ZONES + state.heights[seat][column], half, token)
    if token:
        state.look_at_token(seat, token)
    _draw(state, 1)


def _steal_token(state: EphyranState, seat: Seat) -> None:
    owner, cell = find_token(state, state.token)
    state.set_token(owner, cell, 0)
    state.look_at_token(seat, state.token)
    _draw(state, 1)
    state.agenda.append(_ASK_PLACE)


def _win_token(state: EphyranState, seat: Seat) -> None:
    state.token = state.win_token()
    state.tell(events.won_token(seat, state.token))
    state.look_at_token(seat, state.token)
    _draw(state, 1)
    state.agenda.append(_ASK_PLACE)


def _double_build(state: EphyranState, _: Seat) -> None:
    state.agenda.append(_ASK_BUILD)


def _build_from_discard(state: EphyranState, seat: Seat) -> None:
    column = state.colour - 1
    half = state.half
    state.leave_first(half // 2)
    state.add_zone(seat, column * ZONES + state.heights[seat][column], half)
    _draw(state, 1)


def _draw_two(state: EphyranState, _: Seat) -> None:
    _draw(state, 2)


def _look(state: EphyranState, _: Seat) -> None:
    state.agenda.append((Step.LOOK,))


def _dig(state: EphyranState, _: Seat) -> None:
    state.agenda.append((Step.ASK_DIG,))


def _nothing(state: EphyranState, _: Seat) -> None:
    raise RulesBug(f"not a support with an effect of its own: {state.support!r}")


# -- choices inside an effect --------------------------------------------------------------------------------


def ask_place(state: EphyranState) -> None:
    """Ask on which zone the token goes that was just looked at (P4.1)."""
    seat = state.turn
    zones, tokens = state.zones[seat], state.zone_tokens[seat]
    free = [PLACE[cell] for cell in range(CELLS) if zones[cell] and not tokens[cell]]
    state.ask(_PLACE, seat, f"place {state.token}", tuple(free))


def place(state: EphyranState, seat: Seat, cell: int, _: int) -> None:
    state.set_token(seat, cell, state.token)
    state.settle()


def ask_build(state: EphyranState) -> None:
    """Ask for a zone of `ATHENA_DOUBLE_BUILD`; the second one can be left out."""
    seat = state.turn
    heights = state.heights[seat]
    actions = [DONE] if state.built else []
    actions += [BUILD[half][cell] for card in state.hands[seat] for half, cell in builds(heights, card)]
    state.ask(_BUILD, seat, "build", tuple(actions))


def build_one(state: EphyranState, seat: Seat, half: int, cell: int) -> None:
    """Build one of the zones of `ATHENA_DOUBLE_BUILD`, or the Dionysos that was taken."""
    state.leave_hand(seat, half // 2)
    state.add_zone(seat, cell, half)
    state.built += 1
    if state.built == 1:
        state.agenda.append(_ASK_BUILD)
    else:
        done(state, seat, 0, 0)


def done(state: EphyranState, _: Seat, __: int, ___: int) -> None:
    """End `ATHENA_DOUBLE_BUILD`: one draw for each card used, the support included (P3.8)."""
    _draw(state, state.built + 1)


def look(state: EphyranState) -> None:
    """Show the top of the deck to the seat on turn and ask which card it keeps (`DRAW_PICK_THREE`)."""
    seat = state.turn
    cards = state.look_at_deck(seat)
    state.tell(events.looked_at_deck(seat, cards))
    ask_keep(state)


def ask_keep(state: EphyranState) -> None:
    state.ask(_KEEP, state.turn, "keep", tuple([KEEP[card] for card in state.cards_looked_at()]))


def keep(state: EphyranState, seat: Seat, card: int, _: int) -> None:
    state.keep_from_deck(seat, card)
    state.settle()


def ask_dig(state: EphyranState) -> None:
    """Ask which card of the first discard is taken, the top one first (`DRAW_DIG_DISCARD`)."""
    state.ask(_DIG, state.turn, "dig", tuple([DIG[card] for card in reversed(state.first_discard)]))


def dig(state: EphyranState, seat: Seat, card: int, _: int) -> None:
    state.take_from_first(seat, card)
    state.settle()


# -- by support ----------------------------------------------------------------------------------------------

_PLAYED: Final = (
    _resolve_at_once,
    ask_target,
    ask_target,
    ask_target,
    ask_target,
    ask_target,
    _ask_opponents,
    _ask_opponents,
    ask_target,
    _resolve_at_once,
    _resolve_at_once,
    _resolve_at_once,
)
"""By support: what comes once it is played."""

_TARGETS: Final = {
    Support.SHIELD: _locks,
    Support.HECATE: _locks,
    Support.ARES_DESTROY: _columns,
    Support.ARES_STEAL_ZONE: _columns,
    Support.ARES_STEAL_TOKEN: _tokens,
    Support.ATHENA_BUILD_FROM_DISCARD: _halves,
}
"""By support that has a target: what it can be."""

_EFFECTS: Final = (
    _nothing,
    _nothing,
    _nothing,
    _destroy,
    _steal_zone,
    _steal_token,
    _win_token,
    _double_build,
    _build_from_discard,
    _draw_two,
    _look,
    _dig,
)
"""By support: what it does when nobody has cancelled it."""
