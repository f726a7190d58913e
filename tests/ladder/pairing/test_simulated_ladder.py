"""A ladder of bots of known strength: the table comes into their order, everybody meets many, games stay even."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings, strategies as st
from tests.support.pairing import Arena, players
from tests.support.simulated_ladder import simulated_ladder

from agon_engine.core import Chance
from agon_ladder.pairing.meetings import MEMORY_BLOCKS
from agon_ladder.pairing.planner import AHEAD_RATIO, FAIR_BOTS, owner_shares
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


def test_bots_whose_matches_end_together_do_not_meet_for_ever() -> None:
    """M2: of 190 pairs all have met before any has met much more often than the mean."""
    arena = simulated_ladder(20, 2)

    arena.run(190 * 2 * 4)

    meetings = arena.meetings()
    assert len(meetings) == 190
    assert max(meetings.values()) <= 4 * 3


@pytest.mark.parametrize("bots", [6, 8, 12])
def test_where_all_are_free_at_once_every_pair_meets_before_any_meets_a_third_time(bots: int) -> None:
    """M2."""
    known = players(bots)
    arena = Arena({"toy": 2}, known, dict.fromkeys(known, 2), lambda _: 1_000)

    met: Counter[frozenset[str]] = Counter()
    while len(met) < bots * (bots - 1) // 2:
        arena.run(1)
        met = Counter(frozenset(block.bots) for block in [*arena.complete, *arena.blocks])
        assert len(arena.matches) < 40 * bots * bots

        if max(met.values()) > 2:
            break
    assert len(met) >= 0.9 * bots * (bots - 1) // 2


def test_the_same_simulation_twice_is_the_same() -> None:
    one, other = simulated_ladder(30, 3), simulated_ladder(30, 3)

    one.run(300)
    other.run(300)

    assert one.state.canonical() == other.state.canonical()


def test_what_is_remembered_of_meetings_does_not_grow_with_the_matches() -> None:
    arena = simulated_ladder(20, 2)

    arena.run(4_000)

    meetings = arena._planner._histories["simulated"].meetings
    assert {MEMORY_BLOCKS} == {sum(meetings.of(bot).values()) for bot in arena.players}


# -- owners ----------------------------------------------------------------------------------------------------


@given(owners=st.lists(st.integers(0, 9), min_size=1, max_size=60), house=st.integers(0, 4))
def test_an_owners_bots_count_more_only_beyond_a_fair_number_and_no_more_than_the_ratio(
    owners: list[int], house: int
) -> None:
    known = [Player(f"bot-{number}", f"owner-{owner}") for number, owner in enumerate(owners)]
    known += [Player(f"house-{number}", "agon", house=True) for number in range(house)]
    bots = Counter(player.owner for player in known if not player.house)

    shares = owner_shares(known)

    assert all(100 < share <= 100 * AHEAD_RATIO for share in shares.values())
    median = sorted(bots.values())[(len(bots) - 1) // 2]
    assert {owner for owner, count in bots.items() if count > FAIR_BOTS * median} >= set(shares)
    assert all(shares[one] >= shares.get(other, 100) for one in shares for other in bots if bots[one] >= bots[other])


@settings(deadline=None, max_examples=10)
@given(many=st.integers(6, 14), slots=st.integers(1, 3), seed=st.binary(min_size=16, max_size=16))
def test_of_what_is_scarce_an_owner_with_many_bots_gets_no_more_than_its_share(
    many: int, slots: int, seed: bytes
) -> None:
    """Two house bots are the only company of one owner's bots and two bots of others, which may not meet them all."""
    known = {f"house-{number}": Player(f"house-{number}", "agon", house=True) for number in range(2)}
    known |= {f"many-{number}": Player(f"many-{number}", "many") for number in range(many)}
    known |= {f"few-{number}": Player(f"few-{number}", f"few-{number}") for number in range(2)}
    time = Chance(seed)
    arena = Arena(
        {"toy": 2},
        known,
        dict.fromkeys(known, slots),
        lambda _: 500 + time.below("time", 1_000),
        house_games=0,
        chance=Chance(seed),
    )

    arena.run(1_200)

    games = {bot: arena.games["toy", bot] for bot in known}
    of_few = [games[bot] for bot in known if bot.startswith("few")]
    of_many = [games[bot] for bot in known if bot.startswith("many")]
    # Each of the few gets at least what its share by number would be, and near twice as much; none of the many starves.
    assert min(of_few) > 1.5 * sum(of_many) / many
    assert min(of_many) > 0
    assert max(of_few) <= (AHEAD_RATIO + 1) * min(of_many) + 16
