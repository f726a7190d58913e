"""What a fit says: what does not matter to it, what it cannot tell, intervals, superiority, blocks that cannot be."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from tests.support.strengths import LOSS, TIE, TWO, WIN, line_ups, name_of, pair, played

from agon_engine.core import standard_placements
from agon_ladder.errors import ResultError
from agon_ladder.stats.blocks import PlayedBlock, PlayedMatch
from agon_ladder.stats.comparisons import compare
from agon_ladder.stats.interval import Interval
from agon_ladder.stats.maximum import Problem
from agon_ladder.stats.strength import Fit, UnknownBotError, fit


def sets(placements: Sequence[int], bots: Sequence[str]) -> PlayedBlock:
    """Return a block of which every match ended the same for each bot."""
    matches = []
    for turn in range(len(bots)):
        order = [*range(turn, len(bots)), *range(turn)]
        matches.append(PlayedMatch(tuple(bots[at] for at in order), tuple(placements[at] for at in order)))
    return PlayedBlock("block", tuple(matches))


# -- what does not matter ----------------------------------------------------------------------------------------


def some_blocks(seats: int = 3, bots: int = 6, each: int = 5) -> list[PlayedBlock]:
    rng = np.random.default_rng(seats)
    return played(rng, rng.normal(size=bots).tolist(), line_ups(rng, bots, seats, each), [0.0] * seats, {2: 0.2})


def test_the_order_of_blocks_and_their_ids_do_not_matter() -> None:
    blocks = some_blocks()
    turned = [PlayedBlock(f"other-{number}", block.matches) for number, block in enumerate(blocks)]
    random.Random(1).shuffle(turned)

    assert fit(blocks, seed="x") == fit(turned, seed="x")
    assert fit(blocks, seed="x").superiority("bot-000", "bot-001") == fit(turned, seed="x").superiority(
        "bot-000", "bot-001"
    )


def test_a_seed_decides_what_is_drawn_and_nothing_else() -> None:
    one, other = fit(some_blocks(), seed="one"), fit(some_blocks(), seed="other")

    assert one.strengths == other.strengths
    assert one.intervals != other.intervals


# -- what cannot be told, and how that is said ---------------------------------------------------------------------


def test_bots_that_never_met_are_of_different_components() -> None:
    fitted = fit(pair(WIN, LOSS) + pair(WIN, LOSS, ("c", "d")), resamples=0)

    assert fitted.components == (("a", "b"), ("c", "d"))
    assert fitted.classes == fitted.components
    assert fitted.only_won == fitted.only_lost == ()


def test_bots_that_only_won_or_only_lost_are_named_and_stay_finite() -> None:
    blocks = pair(WIN, WIN, times=50) + pair(WIN, LOSS, ("b", "c"), times=10) + pair(WIN, WIN, ("c", "d"), times=50)

    fitted = fit(blocks)

    assert fitted.components == (("a", "b", "c", "d"),)
    assert fitted.classes == (("a",), ("b", "c"), ("d",))
    assert (fitted.only_won, fitted.only_lost) == (("a",), ("d",))
    assert 500_000 < fitted.strengths["a"] < 2_000_000
    assert fitted.intervals["a"].high is fitted.intervals["d"].low is None


def test_how_far_a_bot_that_only_won_is_above_the_others_is_what_so_many_wins_tell() -> None:
    """E11. By Jeffreys' interval, whose prior is half a win and half a loss too, 30 wins of 30 say with 97.5 % that its
    score is above 0.9203, 425 points; how far above, they do not say."""
    rng = np.random.default_rng(1)
    others = played(rng, [0.0] * 6, line_ups(rng, 6, 2, 20), [0.0] * 2)
    best = [block for number in range(15) for block in pair(WIN, WIN, ("best", name_of(number % 6)))]

    fitted = fit(others + best)

    interval = fitted.intervals["best"]
    # The mean of all seven is 0.
    assert (interval.low or 0) * 7 / 6 == pytest.approx(425_000, abs=30_000)
    assert interval.high is None
    assert fitted.superiority("best", "bot-000") > 0.999


def test_two_bots_that_only_met_each_other_are_not_surer_apart_than_their_wins_tell() -> None:
    """E11. 10 wins of 10 say with 97.5 % that the score is above 0.783, 223 points, by the same interval."""
    fitted = fit(pair(WIN, WIN, times=5))

    least = (fitted.intervals["a"].low or 0) - (fitted.intervals["b"].high or 0)
    assert least == pytest.approx(223_000, abs=60_000)


def test_blocks_of_bots_little_known_and_of_the_others_have_the_likelihood_of_all_together() -> None:
    comparisons = compare(some_blocks())
    some = np.arange(len(comparisons.counts)) % 3 == 0
    parameters = np.linspace(-1, 1, Problem(comparisons).model.size)

    def likelihood(kept: np.ndarray) -> np.ndarray:
        problem = Problem(comparisons.only(kept))
        value, gradient, hessian = problem.likelihood(problem.model.slopes(parameters), problem.once().blocks)
        return np.hstack([value, gradient, hessian.ravel()])

    assert likelihood(some) + likelihood(~some) == pytest.approx(likelihood(some | True))
    assert likelihood(some)[0] < 0


def test_only_what_matches_bound_is_told_as_a_bound() -> None:
    """Of two bots that beat all others and each other, too, nothing says how far above they are; of those between, what
    they lost and won does."""
    blocks = [
        *pair(WIN, LOSS, ("a", "b"), times=20),
        *pair(WIN, WIN, ("a", "c"), times=10),
        *pair(WIN, WIN, ("b", "d"), times=10),
        *pair(WIN, LOSS, ("c", "d"), times=20),
        *pair(WIN, WIN, ("c", "e"), times=10),
        *pair(WIN, LOSS, ("y", "z"), times=10),
    ]

    intervals = fit(blocks).intervals

    assert {bot for bot, interval in intervals.items() if interval.high is None} == {"a", "b"}
    assert {bot for bot, interval in intervals.items() if interval.low is None} == {"e"}


def test_a_bot_of_one_block_has_no_interval() -> None:
    fitted = fit([*pair(WIN, LOSS, times=5), *pair(WIN, LOSS, ("a", "c"))])

    assert fitted.intervals["c"] == Interval(None, None, 1)
    assert None not in (fitted.intervals["b"].low, fitted.intervals["b"].high)


def test_a_tie_joins_two_bots() -> None:
    fitted = fit(pair(WIN, TIE), resamples=0)

    assert fitted.classes == (("a", "b"),)
    assert fitted.only_won == fitted.only_lost == ()


@settings(max_examples=60, deadline=None)
@given(data=st.data(), seats=st.integers(2, 5))
def test_whatever_was_played_every_number_is_finite_and_in_order(data: st.DataObject, seats: int) -> None:
    """1 block, all ties, clean sweeps: no NaN or infinity, no warning."""
    blocks = []
    for number in range(data.draw(st.integers(1, 5))):
        bots = data.draw(st.permutations([name_of(bot) for bot in range(seats + 2)]))[:seats]
        keys = st.lists(st.integers(0, data.draw(st.integers(0, seats))), min_size=seats, max_size=seats)
        matches = [PlayedMatch(tuple(bots), standard_placements(data.draw(keys))) for _ in range(seats)]
        blocks.append(PlayedBlock(str(number), tuple(matches)))

    fitted = fit(blocks, resamples=20)

    for bot, strength in fitted.strengths.items():
        assert abs(strength) < 5_000_000
        assert fitted.intervals[bot].covers(fitted.strengths[bot])
    assert list(fitted.strengths.values()) == sorted(fitted.strengths.values(), reverse=True)
    assert abs(sum(fitted.strengths.values())) <= len(fitted.strengths)
    assert abs(sum(fitted.seat_advantage)) <= seats
    best, *_, worst = fitted.strengths
    assert 0.0 <= fitted.superiority(worst, best) <= 0.5 <= fitted.superiority(best, worst) <= 1.0


def test_equal_bots_that_tied_all_are_equal() -> None:
    fitted = fit([sets((1, 1, 1, 1), "abcd")])

    assert set(fitted.strengths.values()) == {0}
    assert fitted.superiority("a", "b") == 0.5


def test_superiority_is_sure_where_the_difference_is_many_times_its_spread_and_two_sides_make_one() -> None:
    even = pair(WIN, WIN, ("b", "c"), times=30) + pair(LOSS, LOSS, ("b", "c"), times=30)

    fitted = fit(pair(WIN, WIN, times=90) + pair(LOSS, LOSS, times=10) + even)

    assert fitted.superiority("a", "b") > 0.999
    assert fitted.superiority("b", "a") == pytest.approx(1 - fitted.superiority("a", "b"))
    assert fitted.superiority("b", "c") == pytest.approx(0.5, abs=0.05)


def test_four_times_the_blocks_halve_the_interval() -> None:
    few, many = fit(some_blocks(each=10)), fit([block for block in some_blocks(each=10) for _ in range(4)])

    for bot in few.strengths:
        assert many.intervals[bot].plus_minus == pytest.approx(few.intervals[bot].plus_minus / 2, rel=0.35)
        assert many.intervals[bot].blocks == 4 * few.intervals[bot].blocks == 40


def test_a_fit_without_resamples_has_no_intervals_and_says_so() -> None:
    fitted = fit(pair(WIN, LOSS), resamples=0)

    assert fitted.intervals == {}
    assert fitted.seat_intervals == ()
    with pytest.raises(ValueError, match="superiority needs resamples, this fit has 0"):
        fitted.superiority("a", "b")
    with pytest.raises(UnknownBotError, match="no block of this fit seats that bot: 'z'"):
        fitted.superiority("a", "z")


def test_the_example_of_the_readme_runs() -> None:
    text = (Path(__file__).parents[2] / "ladder" / "README.md").read_text(encoding="utf-8")
    _, code, _ = text.replace("```python", "```").split("```")
    names: dict[str, Fit] = {}

    exec(code, names)

    assert list(names["fitted"].strengths) == ["ares", "hera"]
    assert names["fitted"].blocks == 3


@pytest.mark.parametrize(
    ("blocks", "message"),
    [
        ([], "at least one complete block"),
        ([PlayedBlock("x", ())], "a block without matches is not complete: 'x'"),
        (
            [PlayedBlock("x", (PlayedMatch(("a", "b"), (1, 2)), PlayedMatch(("b", "c"), (1, 2))))],
            "block x seats others",
        ),
        ([PlayedBlock("x", (PlayedMatch(("a", "a"), (1, 2)),))], "block x seats others"),
        ([PlayedBlock("x", (PlayedMatch(("a",), (1,)),))], "2 to 8 seats"),
        ([PlayedBlock("x", (PlayedMatch(TWO, (1, 3)),))], "no ranking: .1, 3."),
        ([PlayedBlock("x", (PlayedMatch(TWO, (1, 2, 3)),))], "no ranking"),
        ([*pair(WIN, LOSS), sets((1, 2, 3), "abc")], r"several: \[2, 3\]"),
    ],
)
def test_blocks_that_cannot_be_are_refused(blocks: list[PlayedBlock], message: str) -> None:
    with pytest.raises(ResultError, match=message):
        fit(blocks)
