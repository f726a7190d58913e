"""Whole matches: pieces are kept, ends come in time, substitutes are harmless, look-ahead copies tell nothing."""

import pytest
from tests.engine.ephyran.positions import Dice, lay_out, random_match, seed

from agon_engine.core import Decision
from agon_engine.ephyran import GAME, EphyranState
from agon_engine.ephyran.game import decisions_bound
from agon_engine.ephyran.notation import KIND, Kind


def decide(code: str) -> int:
    return GAME.notation.parse(code)


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("redraws", [False, True])
def test_no_card_and_no_token_is_lost_or_doubled(seats: int, redraws: bool) -> None:
    """P1.1, P1.2, P2.1."""
    pieces = {"cards": 96 + seats, "different cards": 96 + seats, "dionysos": seats, "tokens": 12}
    for number in range(5):
        for state in random_match(seats, number, supports=True, defender_redraws=redraws):
            assert pieces == state.inventory()


def test_the_bound_is_the_greatest_of_all_seat_counts() -> None:
    """README.md, `The bound`."""
    assert [decisions_bound(seats) for seats in (2, 3, 4)] == [624, 698, 772]
    assert GAME.spec.max_decisions == 772


def decisions_of(seats: int, number: int, wanted: tuple[str, ...]) -> int:
    """Count the decisions of a match in which the first wanted kind of move that is listed is made."""
    dice = Dice(number)
    state = GAME.start(seats, seed(number), {"defender_redraws": True})
    count = 0
    while state.decision is not None:
        count += 1
        actions = state.decision.actions
        for verb in wanted:
            chosen = [action for action in actions if GAME.notation.code(action).startswith(verb)]
            if chosen:
                actions = tuple(chosen)
                break
        state.apply(actions[dice.below(len(actions))])
    return count


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize(
    "wanted",
    [
        ("draw discard", "cancel", "take", "play", "build", "done"),
        ("draw discard", "take", "build", "play"),
        ("draw discard", "play", "lock", "cancel"),
        ("draw discard", "exchange", "discard"),
        ("build", "draw deck"),
        (),
    ],
)
def test_matches_end_within_the_bound_whatever_is_preferred(seats: int, wanted: tuple[str, ...]) -> None:
    """P7.1, P7.2."""
    longest = max(decisions_of(seats, number, wanted) for number in range(6))

    assert 50 < longest <= decisions_bound(seats)


def test_every_substitute_is_legal_and_the_same_for_a_seed() -> None:
    """T12."""
    for state in random_match(3, 1, supports=True):
        if state.decision is not None:
            chosen = GAME.substitute(state.decision, seed(3))

            assert chosen in state.decision.actions
            assert chosen == GAME.substitute(state.decision, seed(3))


@pytest.mark.parametrize(
    ("listed", "allowed"),
    [
        ("cancel TS04, pass", {"pass"}),
        ("build TT01 a, done", {"done"}),
        ("discard D1, build TT01 a, discard TT01, play TS01, discard TS01", {"discard TT01", "discard TS01"}),
        ("build D1 blue 1, discard D1", {"discard D1"}),
        ("draw deck, draw discard", {"draw deck", "draw discard"}),
        ("place blue 1, place red 1", {"place blue 1", "place red 1"}),
        ("target 1 blue", {"target 1 blue"}),
    ],
)
def test_a_substitute_is_harmless(listed: str, allowed: set[str]) -> None:
    """T12: no reaction, no second zone, a discard that is no Dionysos, else any."""
    decision = Decision(0, "", tuple(decide(code) for code in listed.split(", ")))

    assert allowed == {GAME.notation.code(GAME.substitute(decision, seed(number))) for number in range(30)}


def test_a_match_of_substitutes_alone_ends() -> None:
    """T12, T20."""
    state = GAME.start(4, seed(1))
    chance = seed(2)
    while state.decision is not None:
        state.apply(GAME.substitute(state.decision, chance))

    assert state.standing().scores == (0, 0, 0, 0)
    assert not state.standing().by_cap


def test_a_look_ahead_copy_has_another_deck_and_other_tokens_to_come() -> None:
    state = GAME.start(2, seed(1))
    copies = [state.clone(seed(number)) for number in range(10)]

    assert len({tuple(copy.deck) for copy in [*copies, state]}) == 11
    assert len({tuple(copy.token_items) for copy in copies}) > 5
    assert all(sorted(copy.deck) == sorted(state.deck) and copy.hands == state.hands for copy in copies)
    assert all(copy.view(0) == state.view(0) for copy in copies)


def test_a_look_ahead_copy_keeps_what_is_known_of_the_deck() -> None:
    """P8.1."""
    table = lay_out(hands={0: "TS09 TT01", 1: "TS21"}, deck=" ".join(f"TT{number}" for number in range(10, 30)))
    table.do("play TS09", "keep TT11", "play TS21")
    copy = table.state.clone(seed(1))

    assert table.state.deck[:2] == copy.deck[:2]
    assert table.state.deck[-3:] == copy.deck[-3:]
    assert table.state.deck != copy.deck


def test_an_exact_copy_plays_the_same_match() -> None:
    for state in random_match(3, 4):
        if state.round == 3:
            break
    copy = state.clone()
    for one, other in zip(play_on(state), play_on(copy), strict=True):
        assert one == other


def play_on(state: EphyranState) -> list[str]:
    dice, digests = Dice(1), []
    while state.decision is not None:
        state.apply(state.decision.actions[dice.below(len(state.decision.actions))])
        digests.append(state.digest())
    return digests


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_a_forced_action_is_still_a_decision(seats: int) -> None:
    """P5.2: nothing is skipped, so the moves of a turn always follow each other in the same order."""
    single = 0
    for state in random_match(seats, 3, supports=True):
        decision = state.decision
        single += decision is not None and len(decision.actions) == 1
        if decision is not None and decision.prompt == "turn":
            assert state.agenda == [(0,)]
            assert any(KIND[action] is Kind.DISCARD for action in decision.actions)

    assert single > 10


def test_the_standing_of_an_ended_match_is_its_outcome() -> None:
    *_, state = random_match(4, 9)

    assert state.outcome() == state.standing()
    assert sorted(state.standing().placements)[0] == 1
