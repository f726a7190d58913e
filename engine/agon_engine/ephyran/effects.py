"""What a support does once nobody has cancelled it, and the choices inside its effect: tokens (P4), zones, cards."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from agon_engine.core import Seat
from agon_engine.ephyran import events, moves
from agon_engine.ephyran.data import CELLS, ZONES
from agon_engine.ephyran.enums import Phase, Step, Support
from agon_engine.ephyran.fitting import builds
from agon_engine.ephyran.notation import BUILD, DIG, DONE, KEEP, PLACE

if TYPE_CHECKING:
    from agon_engine.ephyran.state import EphyranState

_ASK_PLACE: Final = (Step.ASK_PLACE,)
_ASK_BUILD: Final = (Step.ASK_BUILD,)
_PLACE: Final = Phase.PLACE
_BUILD: Final = Phase.BUILD
_KEEP: Final = Phase.KEEP
_DIG: Final = Phase.DIG

# -- effects -------------------------------------------------------------------------------------------------


def resolve(state: EphyranState) -> None:
    """Carry the support in play out; nobody has cancelled it."""
    moves.spend(state)
    _EFFECTS[state.support](state, state.turn)


def _destroy(state: EphyranState, _: Seat) -> None:
    owner = state.target
    half, token = moves.remove_zone(state, owner, state.colour - 1)
    state.tell(events.lost_zone(owner, half))
    moves.put_on_second(state, half // 2)
    if token:
        moves.drop_token(state, owner, token)
    moves.draw_at_end(state, 1)


def _steal_zone(state: EphyranState, seat: Seat) -> None:
    column = state.colour - 1
    half, token = moves.remove_zone(state, state.target, column)
    state.tell(events.stole_zone(seat, half))
    moves.add_zone(state, seat, column * ZONES + state.heights[seat][column], half, token)
    if token:
        moves.look_at_token(state, seat, token)
    moves.draw_at_end(state, 1)


def _steal_token(state: EphyranState, seat: Seat) -> None:
    owner, cell = moves.find_token(state, state.token)
    moves.set_token(state, owner, cell, 0)
    state.tell(events.lifted_token(owner, state.token))
    moves.look_at_token(state, seat, state.token)
    moves.draw_at_end(state, 1)
    state.agenda.append(_ASK_PLACE)


def _win_token(state: EphyranState, seat: Seat) -> None:
    state.token = moves.win_token(state)
    state.tell(events.won_token(seat, state.token))
    moves.look_at_token(state, seat, state.token)
    moves.draw_at_end(state, 1)
    state.agenda.append(_ASK_PLACE)


def _double_build(state: EphyranState, _: Seat) -> None:
    state.agenda.append(_ASK_BUILD)


def _build_from_discard(state: EphyranState, seat: Seat) -> None:
    column = state.colour - 1
    half = state.half
    cell = column * ZONES + state.heights[seat][column]
    moves.leave_first(state, half // 2)
    state.tell(events.built(seat, BUILD[half][cell]))
    moves.add_zone(state, seat, cell, half)
    moves.draw_at_end(state, 1)


def _draw_two(state: EphyranState, _: Seat) -> None:
    moves.draw_at_end(state, 2)


def _look(state: EphyranState, _: Seat) -> None:
    state.agenda.append((Step.LOOK,))


def _dig(state: EphyranState, _: Seat) -> None:
    state.agenda.append((Step.ASK_DIG,))


_EFFECTS: Final = {
    Support.ARES_DESTROY: _destroy,
    Support.ARES_STEAL_ZONE: _steal_zone,
    Support.ARES_STEAL_TOKEN: _steal_token,
    Support.ATHENA_WIN_TOKEN: _win_token,
    Support.ATHENA_DOUBLE_BUILD: _double_build,
    Support.ATHENA_BUILD_FROM_DISCARD: _build_from_discard,
    Support.DRAW_TWO: _draw_two,
    Support.DRAW_PICK_THREE: _look,
    Support.DRAW_DIG_DISCARD: _dig,
}
"""By support: what it does when nobody has cancelled it."""


# -- choices inside an effect --------------------------------------------------------------------------------


def ask_place(state: EphyranState) -> None:
    """Ask on which zone the token goes that was just looked at (P4.1)."""
    seat = state.turn
    zones, tokens = state.zones[seat], state.zone_tokens[seat]
    free = [PLACE[cell] for cell in range(CELLS) if zones[cell] and not tokens[cell]]
    moves.ask(state, _PLACE, seat, f"place {state.token}", tuple(free))


def place(state: EphyranState, seat: Seat, cell: int, _: int) -> None:
    moves.set_token(state, seat, cell, state.token)
    moves.close_effect(state)


def ask_build(state: EphyranState) -> None:
    """Ask for a zone of `ATHENA_DOUBLE_BUILD`; the second one can be left out."""
    seat = state.turn
    heights = state.heights[seat]
    actions = [DONE] if state.built else []
    actions += [BUILD[half][cell] for card in state.hands[seat] for half, cell in builds(heights, card)]
    moves.ask(state, _BUILD, seat, "build", tuple(actions))


def build_one(state: EphyranState, seat: Seat, half: int, cell: int) -> None:
    """Build one of the zones of `ATHENA_DOUBLE_BUILD`."""
    moves.leave_hand(state, seat, half // 2)
    moves.add_zone(state, seat, cell, half)
    state.built += 1
    if state.built == 1:
        state.agenda.append(_ASK_BUILD)
    else:
        done(state, seat, 0, 0)


def done(state: EphyranState, _: Seat, __: int, ___: int) -> None:
    """End `ATHENA_DOUBLE_BUILD`: one draw for each card used, the support included (P3.8)."""
    moves.draw_at_end(state, state.built + 1)


def look(state: EphyranState) -> None:
    """Show the top of the deck to the seat on turn and ask which card it keeps (`DRAW_PICK_THREE`)."""
    seat = state.turn
    cards = moves.look_at_deck(state, seat)
    state.tell(events.looked_at_deck(seat, cards))
    ask_keep(state)


def ask_keep(state: EphyranState) -> None:
    moves.ask(state, _KEEP, state.turn, "keep", tuple([KEEP[card] for card in state.cards_looked_at()]))


def keep(state: EphyranState, seat: Seat, card: int, _: int) -> None:
    moves.keep_from_deck(state, seat, card)
    moves.close_effect(state)


def ask_dig(state: EphyranState) -> None:
    """Ask which card of the first discard is taken, the top one first (`DRAW_DIG_DISCARD`)."""
    moves.ask(state, _DIG, state.turn, "dig", tuple([DIG[card] for card in reversed(state.first_discard)]))


def dig(state: EphyranState, seat: Seat, card: int, _: int) -> None:
    moves.take_from_first(state, seat, card)
    moves.close_effect(state)
