"""A ladder of bots of known strength: the table comes into their order, everybody meets many, games stay even."""

from __future__ import annotations

import pytest
from hypothesis import Phase, given, settings, strategies as st
from tests.support.pairing import Arena
from tests.support.simulated_ladder import simulated_ladder

from agon_engine.core import Chance
from agon_ladder.pairing.meetings import MEMORY_BLOCKS
from agon_ladder.pairing.players import Player


@pytest.mark.parametrize(("seats", "bar"), [(2, 0.93), (4, 0.96)])
def test_the_table_comes_into_the_order_of_strengths_and_games_are_even(seats: int, bar: float) -> None:
    """M1, M4: with one slot a bot, where whoever is free has just played."""
    arena = simulated_ladder(60, seats)

    arena.run(60 * 60 // seats)
    early = arena.rank_correlation()
    arena.run(60 * 140 // seats)

    games = arena.games_of_all()
    assert arena.rank_correlation() > bar
    assert arena.rank_correlation() > early > 0.8
    assert games[-1] <= 1.2 * games[0]
    assert arena.use() > 0.93


def test_blocks_that_have_begun_are_ended_before_others_begin() -> None:
    """Else bots with one slot would sit in ever more blocks, and wait in each for one that plays in another."""
    arena = simulated_ladder(100, 3)

    arena.run(1_200)

    assert len(arena.blocks) < 50
    assert arena.use() > 0.93


def test_bots_whose_matches_end_together_do_not_meet_for_ever() -> None:
    """M2: of 190 pairs nearly all have met when the mean is four blocks, and none has met much more often."""
    arena = simulated_ladder(20, 2)

    arena.run(190 * 2 * 4)

    meetings = arena.meetings()
    assert len(meetings) >= 186
    assert max(meetings.values()) <= 2.5 * 4


def test_the_same_simulation_twice_is_the_same() -> None:
    one, other = simulated_ladder(30, 3), simulated_ladder(30, 3)

    one.run(300)
    other.run(300)

    assert one.state.canonical() == other.state.canonical()


def test_what_is_remembered_of_meetings_does_not_grow_with_the_matches() -> None:
    arena = simulated_ladder(20, 2)

    arena.run(1_600)

    meetings = arena._planner._histories["simulated"].meetings
    assert {MEMORY_BLOCKS} == {sum(meetings.of(bot).values()) for bot in arena.players}


# -- owners ----------------------------------------------------------------------------------------------------


def _games_of_others(many: int, seats: int, luck: bytes) -> tuple[dict[str, int], float]:
    """Return what each bot of ten other owners played in five minutes beside one owner's so many bots, and the share of
    all seats that this owner had."""
    known = {f"other-{number}": Player(f"other-{number}", f"owner-{number}") for number in range(10)}
    known |= {f"many-{number}": Player(f"many-{number}", "many") for number in range(many)}
    time = Chance(luck)
    arena = Arena({"toy": seats}, known, dict.fromkeys(known, 1), lambda _: 2_000 + time.below("time", 2_000))
    while arena.now < 300_000:
        arena.run(10)
    games = {bot: arena.games["toy", bot] for bot in known}
    of_many = sum(count for bot, count in games.items() if bot.startswith("many"))
    return {bot: count for bot, count in games.items() if bot.startswith("other")}, of_many / sum(games.values())


@pytest.mark.parametrize("seats", [2, 3])
@given(many=st.integers(2, 20), luck=st.binary(min_size=16, max_size=16))
@settings(deadline=None, max_examples=2, phases=[Phase.generate], derandomize=True)
def test_an_owner_with_many_bots_takes_nothing_from_others_and_has_its_share_of_each_block(
    seats: int, many: int, luck: bytes
) -> None:
    alone, _ = _games_of_others(1, seats, luck)
    beside, share = _games_of_others(many, seats, luck)

    assert sum(beside.values()) > 0.9 * sum(alone.values())
    assert min(beside.values()) > 0.7 * min(alone.values())
    assert share <= 1 / seats
