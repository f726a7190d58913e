"""The match driver: who is told what, under which numbers, and the deals that it is given."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from tests.support.matches import SEED, misbehave, new_table, play_out
from tests.support.toy_game import GAME, Toy, ToyState

from agon_engine.core import (
    Action,
    Chance,
    Deal,
    Event,
    FaultPolicy,
    OptionsError,
    OptionValue,
    Seat,
    Table,
    TimeControl,
)


def asked(table: Table) -> Seat:
    assert table.decision is not None
    return table.decision.seat


def first_action(table: Table) -> Action:
    assert table.decision is not None
    return table.decision.actions[0]


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
