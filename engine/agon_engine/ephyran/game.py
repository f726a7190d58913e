"""Ephyran as the engine sees it: its facts, how a match begins, and the hooks that every game has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from agon_engine.core import Action, Chance, Decision, Game, GameSpec, Option, OptionValue
from agon_engine.ephyran import events, reference, render, sample, turn
from agon_engine.ephyran.data import CARD_SUPPORT, CELLS, DECK_SIZE, FIRST_DIONYSOS, MATERIAL, TOKENS
from agon_engine.ephyran.enums import Support, TieBreak
from agon_engine.ephyran.notation import DONE, KIND, MAX_SEATS, NOTATION, PASS, Kind, X
from agon_engine.ephyran.state import EphyranState
from agon_engine.ephyran.view import View

MIN_SEATS: Final = 2
DEALT: Final = 4
"""Deck cards in a first hand, beside one Dionysos (P2.1)."""


def decisions_bound(seats: int) -> int:
    """Return a number of decisions that no match of so many seats exceeds. README.md gives the argument."""
    deck = DECK_SIZE - DEALT * seats
    copies = {support: CARD_SUPPORT.count(support) for support in Support if support}
    defences = copies[Support.SHIELD] + copies[Support.HECATE]
    added = CELLS * seats + copies[Support.ARES_DESTROY]
    turns = deck + added + sum(copies.values()) + defences + seats
    draws = turns + copies[Support.DRAW_TWO] + 2 * copies[Support.ATHENA_DOUBLE_BUILD] + defences
    targets = (
        defences
        + 2 * added
        + sum(
            copies[support]
            for support in (
                Support.ARES_DESTROY,
                Support.ARES_STEAL_ZONE,
                Support.ARES_STEAL_TOKEN,
                Support.ATHENA_BUILD_FROM_DISCARD,
            )
        )
    )
    kinds = MATERIAL.support_kinds
    reactions = sum(
        number * {"ares": 1, "athena": seats - 1}.get(kinds[support], 0) for support, number in copies.items()
    )
    tokens = TOKENS + copies[Support.ARES_STEAL_TOKEN]
    return turns + draws + targets + reactions + tokens + 2 * copies[Support.ATHENA_DOUBLE_BUILD]


class Ephyran(Game[View]):
    """The game; stateless, one object for all matches."""

    spec = GameSpec(
        name="ephyran",
        version=1,
        min_seats=MIN_SEATS,
        max_seats=MAX_SEATS,
        has_hidden_information=True,
        max_decisions=max(decisions_bound(seats) for seats in range(MIN_SEATS, MAX_SEATS + 1)),
        options=(
            Option(
                name="defender_redraws",
                default=False,
                allowed=(False, True),
                help="who cancels a support draws a card at once",
            ),
            Option(
                name="tie_break",
                default="shared",
                allowed=("shared", "zones"),
                help="equal scores share a place, or the city with more zones is better",
            ),
        ),
    )
    notation = NOTATION

    def reference(self) -> Mapping[str, str]:
        return reference.reference()

    def start(self, seats: int, chance: Chance, options: Mapping[str, OptionValue] | None = None) -> EphyranState:
        self.spec.check_seats(seats)
        chosen = self.check_options(options or {})
        state = EphyranState(seats, chosen["defender_redraws"] is True, tie_break_of(chosen["tie_break"]))
        _set_up(state, chance)
        turn.begin_turn(state)
        return state

    def sample(self, view: View, chance: Chance) -> EphyranState:
        return sample.sample_state(view, chance)

    def substitute(self, decision: Decision, chance: Chance) -> Action:
        """Choose a harmless move: no reaction, no second zone, a discard that is no Dionysos, else any."""
        for harmless in (PASS, DONE):
            if harmless in decision.actions:
                return harmless

        discards = [action for action in decision.actions if KIND[action] is Kind.DISCARD]
        plain = [action for action in discards if X[action] < FIRST_DIONYSOS]
        return chance.choice("substitute", plain or discards or decision.actions)

    def render(self, view: View) -> str:
        return render.render_view(view)


def tie_break_of(option: OptionValue) -> TieBreak:
    return TieBreak.ZONES if option == "zones" else TieBreak.SHARED


def _set_up(state: EphyranState, chance: Chance) -> None:
    """Deal gods and cards (P2.1). All chance is spent here: the deck and the tokens are in order from now on."""
    state.first_seat = state.turn = chance.below("first", state.seats)
    state.tell(events.first(state.first_seat))
    gods = [colour for _, colour in MATERIAL.god_colour]
    chance.shuffle("gods", gods)
    state.deck = list(range(1, DECK_SIZE + 1))
    chance.shuffle("deck", state.deck)
    tokens = list(MATERIAL.tokens)
    chance.shuffle("tokens", tokens)
    state.token_items[1:] = tokens
    for seat in range(state.seats):
        state.gods[seat] = gods[seat]
        state.tell(events.god(seat, gods[seat]))
    for seat in range(state.seats):
        dionysos = FIRST_DIONYSOS + seat
        cards = [state.deck.pop() for _ in range(DEALT)]
        state.hands[seat] = [dionysos, *cards]
        state.known[seat] = [dionysos]
        state.tell(events.dealt(seat, dionysos, cards))
