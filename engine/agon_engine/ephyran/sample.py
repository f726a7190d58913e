"""Drawing a full state that is consistent with a view: what the seat knows stays, what is hidden is drawn at random.

All that is public follows from the view, the pending steps of a half-done turn included. Where other seats' own
knowledge is not the viewer's to know, they are taken to know what everybody knows that they do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final

from agon_engine.core import Chance, RulesBug, Step as AgendaStep
from agon_engine.ephyran import effects, moves, reactions, supports, turn
from agon_engine.ephyran.data import DECK_SIZE, MATERIAL, TOKENS, ZONES
from agon_engine.ephyran.enums import NOBODY, Item, Phase, Step, Support
from agon_engine.ephyran.fitting import CARD_CELLS, next_cells
from agon_engine.ephyran.memory import Account
from agon_engine.ephyran.state import EphyranState
from agon_engine.ephyran.view import Pending, Sighting, View


def sample_state(view: View, chance: Chance) -> EphyranState:
    """Return a state whose view for the same seat equals the given one, with the same decision open."""
    state = EphyranState(len(view.cities), view.deal.defender_redraws, view.deal.tie_break)
    _lay_out_cities(state, view)
    _lay_out_table(state, view)
    _draw_tokens(state, view, chance)
    _draw_cards(state, view, chance)
    _remember(state, view)
    state.agenda = _pending_steps(state, view.pending)
    _REOPEN[view.pending.phase](state, view.pending)
    return state


# -- what everybody knows ------------------------------------------------------------------------------------


def _lay_out_table(state: EphyranState, view: View) -> None:
    table, pending = view.table, view.pending
    state.first_seat = view.deal.first
    state.gods = list(view.deal.gods)
    state.under = list(table.under)
    state.first_discard = list(view.first_discard.cards)
    state.second_discard = list(view.second_discard.cards)
    state.known = [list(hand.known) for hand in view.hands]
    state.round, state.turn = table.round, table.turn
    state.ending = table.ending
    state.quiet_rounds = table.quiet_rounds
    state.stirred, state.closed = table.stirred, table.closed
    state.phase = pending.phase
    state.support = pending.support
    state.card, state.half = pending.card, pending.half
    state.target, state.colour = pending.target, pending.colour
    state.token = pending.token
    state.built, state.draws = pending.built, pending.draws


def _lay_out_cities(state: EphyranState, view: View) -> None:
    for seat, city in enumerate(view.cities):
        for index, column in enumerate(city.columns):
            state.locks[seat][index] = column.lock
            for cell, (half, token) in enumerate(zip(column.zones, column.tokens, strict=True), index * ZONES):
                moves.lay_zone(state, seat, cell, half, token)
        state.completed[seat] = city.completed


def _pending_steps(state: EphyranState, pending: Pending) -> list[AgendaStep]:
    """Return the agenda that belongs to an open decision."""
    if pending.phase is Phase.OVER:
        return []

    steps: list[AgendaStep] = [(Step.END_TURN,)]
    if pending.phase is Phase.REACT:
        athena = MATERIAL.support_kinds[pending.support] == "athena"
        steps += reactions.reactions_due(state, pending.seat) if athena else [(Step.RESOLVE,)]
    elif pending.phase is Phase.PLACE or (pending.phase is Phase.DRAW and pending.seat != state.turn):
        steps.append((Step.DRAW, state.turn, 1))
    return steps


_REOPEN: Final[dict[Phase, Callable[[EphyranState, Pending], None]]] = {
    Phase.TURN: lambda state, _: turn.ask_turn(state),
    Phase.TARGET: lambda state, _: supports.ask_target(state) if state.support else turn.ask_owner(state),
    Phase.REACT: lambda state, pending: reactions.ask_reaction(state, pending.seat),
    Phase.PLACE: lambda state, _: effects.ask_place(state),
    Phase.BUILD: lambda state, _: effects.ask_build(state) if state.support else turn.ask_dionysos(state),
    Phase.DRAW: lambda state, pending: turn.draw(state, pending.seat, pending.draws),
    Phase.KEEP: lambda state, _: effects.ask_keep(state),
    Phase.DIG: lambda state, _: effects.ask_dig(state),
    Phase.OVER: lambda _, __: None,
}
"""By phase: what asks again."""


# -- what is hidden ------------------------------------------------------------------------------------------


def _draw_tokens(state: EphyranState, view: View, chance: Chance) -> None:
    """Give every token an item: the one that the view shows, or one of those left."""
    lore = view.token_lore
    state.tokens_won = len(lore.seen_by)
    state.token_seen[1 : state.tokens_won + 1] = lore.seen_by
    items = [Item.NONE] * (TOKENS + 1)
    for token, item in enumerate(lore.shown, 1):
        items[token] = item
    for token, item in view.own_tokens.tokens:
        items[token] = item

    left = list((Counter(MATERIAL.tokens) - Counter(items)).elements())
    chance.shuffle("tokens", left)
    state.token_items = [Item.NONE, *(item or left.pop() for item in items[1:])]
    lying = sum(1 for row in state.zone_tokens for token in row if token)
    state.tokens_gone = state.tokens_won - lying - (view.pending.phase is Phase.PLACE)


def _draw_cards(state: EphyranState, view: View, chance: Chance) -> None:
    """Deal the cards that the view does not place, for one of the seat's accounts in which that is possible."""
    accounts = list(view.own_memory.accounts) or [()]
    chance.shuffle("accounts", accounts)
    for account in accounts:
        if _deal(state, view, account, chance):
            return
    raise RulesBug(f"no deal is consistent with the view of seat {view.seat!r}")


def _deal(state: EphyranState, view: View, account: Account, chance: Chance) -> bool:
    """Deal hands and deck by an account; return whether the seat on turn can do what it is known to be able to do."""
    size = view.table.deck
    deck = [0] * size
    hands = [list(hand.known) for hand in view.hands]
    for card, holder, place in account:
        if holder == NOBODY:
            deck[place] = card
        else:
            hands[holder].append(card)
    for depth, card in enumerate(view.own_hand.looking, 1):
        deck[size - depth] = card
    if view.seat is not None:
        hands[view.seat] = list(view.own_hand.cards)

    hidden = _cards_left(state, hands, deck)
    chance.shuffle("deck", hidden)
    actor = view.table.turn
    for seat in (actor, *(other for other in range(state.seats) if other != actor)):
        drawn = view.hands[seat].size - len(hands[seat])
        hands[seat] += [hidden.pop() for _ in range(drawn)]
        if seat == actor and not _let_build(state, hands[actor], drawn, hidden, chance):
            return False
    state.hands = hands
    state.deck = [card or hidden.pop() for card in deck]
    return True


def _cards_left(state: EphyranState, hands: Sequence[Sequence[int]], deck: Sequence[int]) -> list[int]:
    """Return the deck cards that are in no known place."""
    placed = {state.card, *state.first_discard, *state.second_discard, *deck}
    for seat in range(state.seats):
        placed.update(hands[seat], state.locks[seat], [half // 2 for half in state.zones[seat]])
    return [card for card in range(1, DECK_SIZE + 1) if card not in placed]


def _let_build(state: EphyranState, hand: list[int], drawn: int, hidden: list[int], chance: Chance) -> bool:
    """Give a seat that plays `ATHENA_DOUBLE_BUILD` a card that it can build, as it must have one (P5.4).

    Where chance has dealt none, one of those left takes the place of the last card dealt. Return False where that
    cannot be.
    """
    if state.support is not Support.ATHENA_DOUBLE_BUILD or state.built:
        return True

    cells = next_cells(state.heights[state.turn])
    if any(CARD_CELLS[card] & cells for card in hand):
        return True

    fitting = [index for index, card in enumerate(hidden) if CARD_CELLS[card] & cells]
    if not drawn or not fitting:
        return False

    index = chance.choice("fitting", fitting)
    hand[-1], hidden[index] = hidden[index], hand[-1]
    return True


def _remember(state: EphyranState, view: View) -> None:
    for seat in range(state.seats):
        placed = [(state.deck[place], place) for place, other in enumerate(state.under) if other == seat]
        facts = sorted(Sighting(card, NOBODY, place) for card, place in placed)
        state.accounts[seat] = (tuple(facts),) if facts else ()
    if view.seat is not None:
        state.accounts[view.seat] = view.own_memory.accounts
