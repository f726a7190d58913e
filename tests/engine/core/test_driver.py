"""The match driver: what it accepts, how a match ends, and who is told what (J3, J4, T12, T18, T20)."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from tests.support.matches import SEED, misbehave, new_table, play_out
from tests.support.toy_game import GAME, NOTATION, Toy, ToyState

from agon_engine.core import (
    Action,
    By,
    Chance,
    Deal,
    Decision,
    Event,
    FaultKind,
    FaultPolicy,
    IllegalActionError,
    Maker,
    OnFault,
    OptionsError,
    OptionValue,
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

    table.choose(seat, action, Timing(elapsed=1_300, host=100, latency=40, thought=900))

    assert table.moves == [(seat, NOTATION.code(action), By.SEAT, 1_200, 1_300, 100, 40, 900, False, 2)]
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

    assert len(table.moves) >= 6
    assert isinstance(table.state, ToyState)
    assert table.moves[-1].seat == table.state.turn


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


# -- what the seats are told ---------------------------------------------------------------------------------


def test_each_is_told_in_its_own_words() -> None:
    table = new_table(2)
    dealt = [table.news(listener)[:2] for listener in (0, 1, None)]
    assert isinstance(table.state, ToyState)
    first, second = (" ".join(["deal", *map(str, sorted(table.state.hands[seat]))]) for seat in (0, 1))

    assert [[code for code, _, _ in told] for told in dealt] == [[first, "deal"], ["deal", second], ["deal", "deal"]]


def test_numbers_follow_from_the_match_alone() -> None:
    """The same choices give the same sequences and decision ids, whoever asked for news and when."""
    asking, silent = new_table(3), new_table(3)
    while asking.decision is not None:
        asking.news(asked(asking))
        action = first_action(asking)
        asking.choose(asked(asking), action)
        silent.choose(asked(silent), action)

        assert [asking.sequence(seat) for seat in range(3)] == [silent.sequence(seat) for seat in range(3)]
        assert asking.asked == silent.asked

    assert sum(asking.asked) == len(asking.moves)


def test_news_are_told_once() -> None:
    table = new_table()
    told = []
    while table.decision is not None:
        told += table.news(0)
        table.choose(asked(table), first_action(table))
    told += table.news(0)

    assert len(told) == table.sequence(0)
    assert not table.news(0)
    assert table.events_after(0, 0) == told


def test_a_seat_that_comes_back_is_told_what_it_missed() -> None:
    table = new_table()
    seen = table.news(1)
    table.choose(asked(table), first_action(table))
    missed = table.events_after(1, len(seen))

    assert missed
    assert seen + missed == table.events_after(1, 0)
    assert not table.news(1)


@pytest.mark.parametrize("sequence", [-1, 10_000])
def test_a_number_that_no_event_has_gets_all_events(sequence: int) -> None:
    table = new_table()

    assert table.events_after(0, sequence) == table.events_after(0, 0)


def test_a_seat_is_told_exactly_what_the_events_audience_says() -> None:
    table = new_table(4)
    choices = Chance(SEED)
    play_out(table, choices, misbehave(choices))

    for listener in (0, 1, 2, 3, None):
        expected = [(event.told_to(listener), event.seat, event.maker) for event in table.events]
        assert table.events_after(listener, 0) == [told for told in expected if told[0]]


class SilentState(ToyState):
    """Tells others nothing of a draw."""

    __slots__ = ()

    def _drawn(self, seat: Seat, card: int) -> Event:
        return super()._drawn(seat, card)._replace(code="")


def test_an_event_without_a_public_code_leaves_no_gap_for_others() -> None:
    table = new_table(game=Toy(SilentState))
    drawer = asked(table)
    table.choose(drawer, first_action(table))

    assert any(code.startswith("draw") for code, _, _ in table.events_after(drawer, 0))
    assert not any(code.startswith("draw") for code, _, _ in table.events_after(1 - drawer, 0))
    assert table.sequence(drawer) == table.sequence(1 - drawer) + 1


# -- deals ---------------------------------------------------------------------------------------------------


def test_a_deal_has_all_options_and_hides_its_seed() -> None:
    """H1."""
    deal = Deal.of(GAME, 3, {"hand": 1}, SEED)

    assert deal.options == {"hand": 1, "wards": True}
    assert SEED.hex() not in repr(deal)
    assert str(SEED) not in repr(deal)


@pytest.mark.parametrize(
    ("seats", "options"), [(1, {}), (5, {}), (2, {"hand": 9}), (2, {"hand": True}), (2, {"cheat": True})]
)
def test_a_deal_that_the_game_does_not_have_is_refused(seats: int, options: Mapping[str, OptionValue]) -> None:
    with pytest.raises(OptionsError):
        Deal.of(GAME, seats, options, SEED)


def test_a_seed_of_another_length_is_refused() -> None:
    with pytest.raises(ValueError, match=r"not 3$"):
        Deal.of(GAME, 2, {}, b"abc")


@pytest.mark.parametrize("deal", [Deal("toy", 2, 2, {}, SEED), Deal("other", 1, 2, {}, SEED)])
def test_a_deal_of_another_game_or_version_is_not_played(deal: Deal) -> None:
    with pytest.raises(OptionsError, match=r"toy version 1$"):
        Table(GAME, deal, FaultPolicy.default(2), TimeControl())


def test_two_tables_of_a_deal_play_the_same_match() -> None:
    one, other = new_table(3), new_table(3)
    play_out(one, Chance(SEED))
    play_out(other, Chance(SEED))

    assert one.moves == other.moves
    assert one.state.digest() == other.state.digest()


def test_a_table_can_go_on_from_a_position() -> None:
    table = new_table(3)
    for _ in range(4):
        table.choose(asked(table), first_action(table))
    state = table.state.clone()

    later = Table(GAME, table.deal, table.policy, table.time, state=state)

    assert later.sequence(0) == 0
    assert sum(later.asked) == 1

    play_out(later, Chance(SEED))

    assert later.result is not None
