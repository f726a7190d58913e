"""Which bots meet: every pair and group once, and balanced parts of them; the numbering that they rest on."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, permutations
from math import comb, factorial, gcd, sqrt

import pytest
from hypothesis import given, strategies as st
from tests.support.schedules import CHANCE

from agon_ladder.pairing.schedules.designs import CyclicDesign, EveryGroup, EveryPair
from agon_ladder.pairing.schedules.lazily import combination, permutation, stride


@given(st.integers(1, 9), st.data())
def test_numbers_stand_for_all_combinations_and_permutations(of: int, data: st.DataObject) -> None:
    size = data.draw(st.integers(1, of))

    assert sorted(combinations(range(of), size)) == sorted(
        combination(number, of, size) for number in range(comb(of, size))
    )
    if of <= 5:
        assert list(permutations(range(of))) == [permutation(number, range(of)) for number in range(factorial(of))]


@given(st.integers(1, 10**12))
def test_a_stride_visits_every_index_once(length: int) -> None:
    assert gcd(stride(length), length) == 1
    if length <= 1000:
        assert length == len({step * stride(length) % length for step in range(length)})


@pytest.mark.parametrize("bots", range(2, 13))
def test_in_a_round_of_the_circle_nobody_plays_twice_and_all_pairs_meet_once(bots: int) -> None:
    pairs = EveryPair(bots)

    assert sorted(combinations(range(bots), 2)) == sorted(tuple(sorted(pair)) for pair in pairs)
    per_round = bots // 2
    for first in range(0, len(pairs), per_round):
        assert 2 * per_round == len({bot for pair in pairs[first : first + per_round] for bot in pair})


@pytest.mark.parametrize(("bots", "size"), [(3, 3), (7, 3), (9, 4), (8, 5), (6, 1)])
def test_every_group_is_there_once(bots: int, size: int) -> None:
    assert sorted(combinations(range(bots), size)) == sorted(EveryGroup(bots, size))


@pytest.mark.parametrize(("bots", "size"), [(20, 3), (30, 4), (16, 5)])
def test_after_any_part_of_all_groups_no_bot_is_far_behind(bots: int, size: int) -> None:
    """So that a table under way is worth reading: five standard deviations of lots from end to end."""
    groups = EveryGroup(bots, size)
    for part in (bots * 5, bots * 20, bots * 40):
        played = Counter(bot for group in groups[:part] for bot in group)
        mean = part * size / bots

        assert max(played.values()) - min(played[bot] for bot in range(bots)) <= 5 * sqrt(mean)


@given(st.integers(6, 40), st.integers(2, 5), st.integers(1, 6))
def test_a_design_seats_all_bots_equally_often_and_says_how_evenly_pairs_meet(bots: int, size: int, bases: int) -> None:
    design = CyclicDesign(bots, size, bases, CHANCE.fork("design"))

    seated = Counter(bot for group in design for bot in group)
    met = Counter(pair for group in design for pair in combinations(sorted(group), 2))
    times = [met[pair] for pair in combinations(range(bots), 2)]

    assert {size * bases} == set(seated.values())
    assert all(size == len(set(group)) for group in design)
    assert design.meetings_apart == max(times) - min(times)


@pytest.mark.parametrize(("bots", "size", "bases"), [(100, 4, 10), (100, 3, 10), (31, 2, 5), (1000, 5, 20), (50, 5, 5)])
def test_pairs_of_a_large_design_meet_evenly_and_no_line_up_twice(bots: int, size: int, bases: int) -> None:
    design = CyclicDesign(bots, size, bases, CHANCE.fork("design"))

    assert design.meetings_apart <= 3
    assert len(design) == len({frozenset(group) for group in design})
