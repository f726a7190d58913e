"""The match driver: what it accepts and how a match ends (J3, J4, T12, T18, T20)."""

from __future__ import annotations

import pytest
from tests.support.matches import SEED, new_table, play_out
from tests.support.toy_game import GAME, NOTATION, Toy, ToyState

from agon_engine.core import (
    Action,
    By,
    Chance,
    Decision,
    FaultKind,
    FaultPolicy,
    IllegalActionError,
    Maker,
    OnFault,
    Outcome,
    RulesBug,
    Seat,
    Table,
    Termination,
    TimeControl,
    Timing,
    Told,
    substitute_action,
)

T = Termination


def asked(table: Table) -> Seat:
    assert table.decision is not None
    return table.decision.seat


def first_action(table: Table) -> Action:
    assert table.decision is not None
    return table.decision.actions[0]


def choose(table: Table, code: str) -> None:
    table.choose(asked(table), NOTATION.parse(code))


# -- choices -------------------------------------------------------------------------------------------------


def test_a_match_is_played_to_its_end_by_the_rules() -> None:
    table = new_table(3)
    play_out(table, Chance(SEED))

    assert table.result is not None
    assert table.result.termination is T.SCORE
    assert table.decision is None
    assert table.state.outcome() == table.state.standing()
    assert table.result.scores == table.state.standing().scores


def test_a_choice_is_kept_with_its_times_and_attempts() -> None:
    table = new_table(time=TimeControl(move=1_000, bank=500))
    seat, action = asked(table), first_action(table)
    table.unusable(seat)

    table.choose(seat, action, Timing(elapsed=1_300, host=100, latency=2_040, thought=1_999))

    assert table.moves == [(seat, NOTATION.code(action), By.SEAT, 1_200, 1_300, 100, 2_000, 1_000, False, 2)]
    assert table.accounts[seat].bank == 300


@pytest.mark.parametrize("action", [-1, 10_000, NOTATION.parse("ward")])
def test_an_action_that_is_not_listed_is_refused_and_changes_nothing(action: Action) -> None:
    table = new_table()
    before = table.state.digest()

    with pytest.raises(IllegalActionError) as refused:
        table.choose(asked(table), action, Timing(elapsed=5_000_000))

    assert refused.value.legal
    assert table.state.digest() == before
    assert not table.moves
    assert table.accounts[asked(table)].bank == TimeControl().bank


def test_a_seat_that_is_not_asked_can_neither_choose_nor_spend_attempts_nor_be_struck() -> None:
    table = new_table()
    other = 1 - asked(table)

    with pytest.raises(IllegalActionError, match=f"not {other}$"):
        table.choose(other, first_action(table))
    with pytest.raises(IllegalActionError, match=f"not {other}$"):
        table.unusable(other)
    with pytest.raises(IllegalActionError, match=f"not {other}$"):
        table.strike(other, T.TIMEOUT)

    assert not table.moves
    assert not table.faults


def test_after_the_end_nothing_is_accepted_and_nothing_changes() -> None:
    table = new_table()
    play_out(table, Chance(SEED))
    result = table.result

    with pytest.raises(IllegalActionError, match="over"):
        table.choose(0, 0)
    with pytest.raises(IllegalActionError, match="over"):
        table.strike(0, T.TIMEOUT)

    assert table.fall(0, T.DISCONNECT) is False
    assert table.abandon(T.CANCELLED) is False
    assert table.result is result
    assert not table.faults


# -- strikes and falls ---------------------------------------------------------------------------------------


def test_a_strike_is_answered_by_the_substitute_and_marked() -> None:
    """T12."""
    table = new_table()
    seat = asked(table)
    assert table.decision is not None
    expected = substitute_action(GAME, table.decision, SEED, 0)
    table.news(seat)

    table.strike(seat, T.TIMEOUT, Timing(elapsed=33_000_000, host=10))

    assert table.moves == [(seat, NOTATION.code(expected), By.SUBSTITUTE, 0, 0, 0, 0, 0, False, 0)]
    assert table.faults == [(0, seat, FaultKind.STRIKE, T.TIMEOUT, 32_000_000, 33_000_000, 10, 0, 0, True, 0)]
    assert table.accounts[seat].bank == 0
    assert table.news(seat)[0] == (NOTATION.code(expected), seat, Maker.SUBSTITUTE)


def test_spent_attempts_are_charged_what_they_took() -> None:
    table = new_table()
    seat = asked(table)
    while table.unusable(seat) > 0:
        pass

    table.strike(seat, T.ILLEGAL, Timing(elapsed=3_000_000))

    assert table.faults[0].attempts == 3
    assert table.faults[0].charge_us == 3_000_000
    assert table.accounts[seat].bank == 29_000_000


def test_a_strike_for_answers_comes_only_after_the_last_attempt_and_a_choice_only_before() -> None:
    table = new_table()
    seat = asked(table)
    table.unusable(seat)
    with pytest.raises(ValueError, match=r"attempts left at this decision: 2$"):
        table.strike(seat, T.ILLEGAL)
    while table.unusable(seat) > 0:
        pass
    with pytest.raises(IllegalActionError, match=r"are spent: 3$"):
        table.choose(seat, first_action(table))

    assert not table.moves
    assert not table.faults

    table.strike(seat, T.ILLEGAL)

    assert len(table.moves) == 1


def test_chance_is_never_told_as_a_substitutes_doing() -> None:
    table = new_table()
    table.strike(asked(table), T.TIMEOUT)

    makers = {event.code: event.maker for event in table.events}

    assert makers["draw"] is Maker.CHANCE


def test_substitutes_do_not_move_the_randomness_of_the_match() -> None:
    """H6: the same choices give the same match, whether a seat makes them or a substitute."""
    struck = new_table()
    while struck.decision is not None:
        if len(struck.moves) % 5 == 2:
            struck.strike(asked(struck), T.TIMEOUT)
        else:
            struck.choose(asked(struck), first_action(struck))
    clean = new_table()
    for move in struck.moves:
        if clean.decision is not None:
            clean.choose(move.seat, NOTATION.parse(move.action))

    assert any(move.by is By.SUBSTITUTE for move in struck.moves)
    assert clean.state.digest() == struck.state.digest()


def test_a_substitute_depends_on_the_number_of_its_decision() -> None:
    decision = Decision(0, "turn", tuple(range(200)))

    drawn = {substitute_action(GAME, decision, SEED, number) for number in range(20)}

    assert len(drawn) > 10


def test_after_the_last_strike_the_seat_is_out_and_never_asked_again() -> None:
    """T20."""
    table = new_table(3, FaultPolicy(OnFault.SUBSTITUTE, strikes=2))
    seat = asked(table)
    while not table.conduct.is_out(seat):
        if asked(table) == seat:
            table.strike(seat, T.TIMEOUT)
        else:
            table.choose(asked(table), first_action(table))
    while table.decision is not None:
        assert asked(table) != seat
        table.choose(asked(table), first_action(table))

    assert [fault.kind for fault in table.faults] == [FaultKind.STRIKE, FaultKind.STRIKE, FaultKind.FALL]
    assert table.result is not None
    assert table.result.placements[seat] == 3
    assert table.result.seats[seat] is T.TIMEOUT
    assert {move.by for move in table.moves if move.seat == seat} == {By.SUBSTITUTE}


def test_a_fall_of_the_asked_seat_lets_a_substitute_answer_at_once() -> None:
    table = new_table(3)
    seat = asked(table)

    assert table.fall(seat, T.DISCONNECT) is True
    assert table.moves[0].by is By.SUBSTITUTE
    assert asked(table) != seat


def test_a_fall_of_another_seat_leaves_the_open_decision() -> None:
    table = new_table(3)
    decision = table.decision
    assert decision is not None

    table.fall((decision.seat + 1) % 3, T.RESIGNED)

    assert table.decision is decision
    assert not table.moves


def test_a_fall_is_told_to_everybody_by_the_referee() -> None:
    table = new_table(3)
    for listener in (0, 1, 2, None):
        table.news(listener)

    table.fall((asked(table) + 1) % 3, T.DISCONNECT)

    seat = table.faults[0].seat
    told: Told = (f"fall {seat} disconnect", seat, Maker.REFEREE)
    assert [table.news(listener) for listener in (0, 1, 2, None)] == [[told]] * 4


def test_a_seat_falls_once() -> None:
    table = new_table(3)
    seat = asked(table)

    assert table.fall(seat, T.RESIGNED) is True
    assert table.fall(seat, T.DISCONNECT) is False
    assert len(table.faults) == 1


def test_under_forfeit_the_last_strike_ends_the_match_before_a_substitute_moves() -> None:
    table = new_table(2, FaultPolicy(OnFault.FORFEIT, strikes=1))
    seat = asked(table)

    table.strike(seat, T.TIMEOUT)

    assert table.result is not None
    assert table.result.placements[seat] == 2
    assert table.result.placements[1 - seat] == 1
    assert table.decision is None
    assert not table.moves


def test_under_void_a_resignation_among_three_plays_on_and_a_later_fault_cancels() -> None:
    table = new_table(3, FaultPolicy(OnFault.VOID))
    table.fall(0, T.RESIGNED)

    assert table.decision is not None

    table.fall(1, T.PROTOCOL)

    assert table.result is not None
    assert table.result.termination is T.CANCELLED


def test_when_all_seats_fall_the_match_ends_with_the_first_to_fall_lowest() -> None:
    table = new_table(3)
    for seat in (2, 0, 1):
        table.fall(seat, T.DISCONNECT)

    assert table.result is not None
    assert table.result.placements == (2, 1, 3)
    assert table.result.termination is T.DISCONNECT


@pytest.mark.parametrize("why", [T.SCORE, T.CAP, T.NO_SHOW, T.INFRASTRUCTURE, T.CANCELLED])
def test_what_is_no_fault_puts_no_seat_out(why: Termination) -> None:
    with pytest.raises(ValueError, match="cannot fall"):
        new_table().fall(0, why)


@pytest.mark.parametrize("why", [T.RESIGNED, T.SCORE, T.DISCONNECT])
def test_a_strike_is_for_time_or_answers_only(why: Termination) -> None:
    table = new_table()

    with pytest.raises(ValueError, match="a strike is for"):
        table.strike(asked(table), why)


# -- ends without counting -----------------------------------------------------------------------------------


def test_a_match_can_be_abandoned_with_a_reason_for_each_seat() -> None:
    table = new_table()

    assert table.abandon(T.NO_SHOW, [T.NO_SHOW, T.CANCELLED]) is True
    assert table.result is not None
    assert table.result.seats == (T.NO_SHOW, T.CANCELLED)
    assert table.result.placements == (1, 1)
    assert table.decision is None


def test_an_abandoned_match_keeps_why_its_seats_fell() -> None:
    table = new_table(3)
    table.fall(1, T.RESIGNED)
    table.abandon(T.INFRASTRUCTURE)

    assert table.result is not None
    assert table.result.seats == (T.INFRASTRUCTURE, T.RESIGNED, T.INFRASTRUCTURE)


def test_a_rated_end_is_no_reason_to_abandon() -> None:
    with pytest.raises(ValueError, match="abandoned"):
        new_table().abandon(T.TIMEOUT)


# -- broken rules --------------------------------------------------------------------------------------------


class BrokenState(ToyState):
    __slots__ = ()

    def _draw(self, seat: Seat) -> None:
        super()._draw(seat)
        if len(self.deck) == 5:
            raise ZeroDivisionError(f"hand {self.hands[seat]}")


class UnrankedState(ToyState):
    __slots__ = ()

    def standing(self) -> Outcome:
        raise KeyError(3)


class EndlessState(ToyState):
    __slots__ = ()

    def _draw(self, seat: Seat) -> None:
        self.deck.append(1)
        super()._draw(seat)


@pytest.mark.parametrize(("state_class", "cause"), [(BrokenState, ZeroDivisionError), (EndlessState, RulesBug)])
def test_broken_rules_end_the_match_as_infrastructure(state_class: type[ToyState], cause: type[Exception]) -> None:
    table = new_table(game=Toy(state_class))

    with pytest.raises(RulesBug) as raised:
        play_out(table, Chance(SEED))

    assert isinstance(raised.value.__cause__, cause)
    assert "hand" not in str(raised.value)
    assert table.broken
    assert table.result is not None
    assert table.result.termination is T.INFRASTRUCTURE
    assert table.result.scores == (0, 0)
    assert table.decision is None
    assert table.abandon(T.CANCELLED) is False


def test_the_move_that_broke_the_rules_is_the_last_one_kept() -> None:
    table = new_table(game=Toy(BrokenState))
    with pytest.raises(RulesBug):
        play_out(table, Chance(SEED))

    sound = new_table()
    play_out(sound, Chance(SEED))

    assert len(table.moves) >= 6
    assert table.moves == sound.moves[: len(table.moves)]
    assert isinstance(table.state, ToyState)
    assert len(table.state.deck) == 5


def test_a_match_asks_no_more_often_than_its_game_says() -> None:
    table = new_table(game=Toy(EndlessState))
    with pytest.raises(RulesBug):
        play_out(table, Chance(SEED))

    assert len(table.moves) == GAME.spec.max_decisions


def test_a_ranking_that_breaks_ends_the_match_too() -> None:
    table = new_table(game=Toy(UnrankedState))

    with pytest.raises(RulesBug):
        table.abandon(T.CANCELLED)

    assert table.result is not None
    assert table.result.termination is T.INFRASTRUCTURE
