"""Nothing goes on for ever: decisions list at most 256 actions, chains of powers end by T1, a match has far fewer
decisions than its bound. Random play of some hundred matches here, of 20,000 in the long profile."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import pytest
from tests.engine.elysium.custom import trying
from tests.engine.elysium.positions import random_match, seed
from tests.engine.elysium.test_match import ALL, check_end

from agon_engine.core import MAX_ACTIONS, Action, Event
from agon_engine.elysium import GAME, ElysiumState, game_with, play as moving
from agon_engine.elysium.cards import HOUSE
from agon_engine.elysium.checking import CARDS_OF_FAMILY, MOST_STEPS, mistakes_in
from agon_engine.elysium.enums import Activation, LegendKind
from agon_engine.elysium.layout import AGORA, Legend
from agon_engine.elysium.moves import MOST_HELD
from agon_engine.elysium.notation import Kind
from agon_engine.elysium.scoring import MAX_DECISIONS, begin_scoring
from agon_engine.elysium.tables import RESOURCES
from agon_engine.elysium.vocabulary import EachOpponent, Gain, Lose, Per, RowMove, Seq
from agon_engine.elysium.words import GOLD, PP, VP, Counter as Counted, Resource, Who, Zone
from agon_engine.elysium.writing import set_text

RESOLUTIONS = 2 * 105
"""In one turn each card is resolved at most once by itself and once by reuse."""
DECLINES = (Kind.SKIP, Kind.END)


@dataclass
class Longest:
    """The largest of each that was met."""

    actions: int = 0
    decisions: int = 0
    resolutions: int = 0
    in_turn: int = 0
    legends: int = 0
    matches: int = field(default=0)


def play(number: int, longest: Longest) -> None:
    """Play a match at random; every other one by seats that decline nothing and use every power first."""
    state = GAME.start(2 + number % 3, seed(number), {})
    dice = seed(number).fork("dice")
    is_eager = number % 2 == 1
    decisions = 0
    while state.decision is not None:
        actions = state.decision.actions
        longest.actions = max(longest.actions, len(actions))
        longest.resolutions = max(longest.resolutions, check_marks(state))
        state.apply(dice.choice("action", eager(actions) if is_eager else actions))
        decisions += 1
    longest.decisions = max(longest.decisions, decisions)
    longest.in_turn = max(longest.in_turn, check_turns(state.events_since(0)))
    longest.legends = max(longest.legends, *(len(elysium) for elysium in state.elysiums))
    longest.matches += 1
    assert dict(state.inventory()) == ALL
    check_end(state)


def eager(actions: tuple[Action, ...]) -> tuple[Action, ...]:
    kinds = GAME.tables.actions.kind
    powers = tuple(action for action in actions if kinds[action] == Kind.POWER)
    return powers or tuple(action for action in actions if kinds[action] not in DECLINES) or actions


def check_marks(state: ElysiumState) -> int:
    """Check T1 by the marks of the turn under way: each card once by itself and once by reuse; return how many."""
    if state.marked:
        assert max(Counter(state.marked).values()) <= 2, "T1"
    return len(state.marked)


def check_turns(events: Sequence[Event]) -> int:
    """Check T1 by what is told: no more uses of a design in one turn than it has copies; return the most powers and
    reuses in one turn."""
    tables = GAME.tables
    copies = {tables.ids[design]: tables.copies[design] for design in range(1, tables.designs + 1)}
    used: Counter[str] = Counter()
    most = 0
    for event in events:
        verb, _, name = event.code.partition(" ")
        if verb in ("turn", "writes", "epoch"):
            used.clear()
        elif verb in ("power", "reuse"):
            used[event.code] += 1
            assert used[event.code] <= copies[name], f"T1: {event.code}"
            most = max(most, used.total())
    return most


def check_bounds(longest: Longest) -> None:
    assert longest.actions <= MAX_ACTIONS
    assert longest.resolutions <= RESOLUTIONS
    assert longest.decisions * 6 < GAME.spec.max_decisions


def test_random_matches_stay_within_all_bounds() -> None:
    """T1, T8: decisions, actions and chains are bounded; pieces and scores hold at the end."""
    longest = Longest()
    for number in range(240):
        play(number, longest)

    check_bounds(longest)
    assert longest.resolutions >= 5, "else nothing was chained"
    assert longest.in_turn > 4


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_a_match_that_reaches_the_bound_ends_there_ranked_as_it_stands(seats: int) -> None:
    """With any card set: the last decisions before the bound, from the middle of a match on."""
    for number in range(20):
        matches = random_match(seats, number)
        state = next(matches)
        for _ in range(30 + number):
            next(matches)
        state.asked = MAX_DECISIONS - 5
        standing = state.standing()
        left = sum(1 for _ in matches)
        outcome = state.outcome()

        assert left == 6
        assert outcome is not None
        assert outcome.by_cap
        assert not standing.by_cap
        assert dict(state.inventory()) == ALL
        check_end(state)


def test_a_set_whose_powers_ask_without_end_is_played_to_the_bound() -> None:
    """A set of somebody's own, in which every power moves the whole Agora away and fills it again, five times."""
    back_and_forth = Seq(*[RowMove(Zone.AGORA, Zone.DISCARD, 99), RowMove(Zone.DECK, Zone.AGORA, 99)] * 5)
    cards = (replace(card, activation=Activation.ACTIVATE, effect=back_and_forth) for card in HOUSE.cards)
    game = GAME.with_file("cards", set_text(replace(HOUSE, cards=tuple(cards))))
    state = game.start(4, seed(1), {"families": "first"})
    dice = seed(1).fork("dice")
    decisions = 0
    while state.decision is not None:
        state.apply(dice.choice("action", eager(state.decision.actions)))
        decisions += 1
    outcome = state.outcome()

    assert decisions == MAX_DECISIONS
    assert outcome is not None
    assert outcome.by_cap


def test_all_cards_in_play_may_happen_at_once() -> None:
    """A set of somebody's own, each card of which does as much for each opponent as an effect may: all 105 are scored
    by one seat of four."""
    each = EachOpponent(Gain(VP, 1, to=Who.OWNER))
    times = (MOST_STEPS - 1) // 2
    firsts = {card.family: card for card in reversed(HOUSE.cards)}
    cards = tuple(
        replace(card, level=1, copies=CARDS_OF_FAMILY, activation=Activation.CHRONOS, effect=Seq(*[each] * times))
        for card in firsts.values()
    )
    others = replace(HOUSE, cards=cards)
    assert mistakes_in(others) == []
    game = game_with(others)
    state = game.start(4, seed(1), {"families": "first"})
    held = sum(1 << family for family in state.families)
    in_play = zip(*(game.tables.by_family[family] for family in state.families), strict=True)
    state.elysiums[0] = [Legend(LegendKind.LEVEL, 0, 1, cards, held) for cards in in_play]
    state.deck.clear()
    state.rows[AGORA].clear()
    state.decision = None
    begin_scoring(state)
    moving.run(state)
    outcome = state.outcome()

    assert dict(state.inventory()) == ALL
    assert outcome is not None
    assert dict(outcome.parts[0])["chronos"] == ALL["cards"] * 3 * times


@pytest.mark.parametrize("resource", [GOLD, VP, PP])
def test_no_seat_holds_more_than_views_and_scores_can_say(resource: Resource) -> None:
    """E1.2: a set of somebody's own, whose gold breeds gold."""
    nearly = MOST_HELD - 500_000
    effect = Seq(*[Gain(resource, Per(Counted.GOLD, times=99))] * 2, Lose(resource, 7))
    table = trying(effect, families="zeus,hades,athena,ares,hermes", gold=nearly, vp=nearly, pp=nearly)
    table.do("power zeus-semele")

    assert table.state.purses[RESOURCES.index(resource)][0] == MOST_HELD - 7
    assert MOST_HELD < 1 << 31


@pytest.mark.long
@pytest.mark.timeout(3_600)
def test_20_000_random_matches_stay_within_all_bounds() -> None:
    """T1, T8: as above, at every seat count and in all choices of families."""
    longest = Longest()
    for number in range(20_000):
        play(number, longest)

    check_bounds(longest)
    assert longest.matches == 20_000
