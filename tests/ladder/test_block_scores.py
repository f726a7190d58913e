"""One bot against the others, block by block: counts, estimates, and the lines that tell them (E11)."""

from __future__ import annotations

import math

import pytest

from agon_ladder.errors import SprtError
from agon_ladder.report.testing import comparison_json, comparison_lines
from agon_ladder.stats.block_scores import Comparison
from agon_ladder.stats.blocks import PlayedBlock, PlayedMatch
from agon_ladder.stats.sprt import Sprt


def block(*matches: tuple[str, tuple[int, ...]], name: str = "b") -> PlayedBlock:
    """A block of matches, each its bots as one-letter names by seat, and their placements."""
    return PlayedBlock(name, tuple(PlayedMatch(tuple(bots), placements) for bots, placements in matches))


WON = block(("ab", (1, 2)), ("ba", (2, 1)))
LOST = block(("ab", (2, 1)), ("ba", (1, 2)))
SPLIT = block(("ab", (1, 2)), ("ba", (1, 2)))
DRAWN = block(("ab", (1, 1)), ("ba", (1, 1)))


def pairs(won: int, lost: int, split: int, drawn: int) -> Comparison:
    comparison = Comparison("ab", 2)
    for played, count in ((WON, won), (LOST, lost), (SPLIT, split), (DRAWN, drawn)):
        for _ in range(count):
            comparison.add(played)
    return comparison


def test_pairs_are_counted_as_their_five_scores() -> None:
    comparison = pairs(3, 1, 2, 4)

    assert comparison.counts == [1, 0, 6, 0, 3]
    assert (comparison.wins, comparison.losses, comparison.draws) == (8, 4, 8)
    assert (comparison.blocks, comparison.matches, comparison.points) == (10, 20, 12.0)


def test_estimates_are_those_of_the_formulas_by_hand() -> None:
    """Of 100 pairs 30 won, 20 lost, 50 with a point each: mean 0.55, variance 0.1225 a pair."""
    estimate = pairs(30, 20, 25, 25).estimate()

    assert estimate is not None
    error = 1.959964 * math.sqrt(0.1225 / 100)
    ends = [400 * math.log10(score / (1 - score)) for score in (0.55 - error, 0.55 + error)]
    assert estimate.score == pytest.approx(0.55)
    assert estimate.elo == pytest.approx(34.86, abs=0.01)
    assert estimate.elo_error == pytest.approx((ends[1] - ends[0]) / 2, abs=0.001)
    assert estimate.nelo == pytest.approx(0.05 / math.sqrt(2 * 0.1225) * 800 / math.log(10))
    assert estimate.nelo_error == pytest.approx(1.959964 * 800 / math.log(10) / math.sqrt(200), rel=1e-6)
    assert estimate.los == pytest.approx((1 + math.erf(0.05 / math.sqrt(2 * 0.1225 / 100))) / 2)
    assert (estimate.draw_ratio, estimate.block_ratio) == (0.5, 1.5)


def test_with_more_seats_every_other_bot_at_the_table_is_a_comparison() -> None:
    comparison = Comparison("abc", 3)
    comparison.add(block(("abc", (1, 2, 3)), ("bca", (1, 2, 2)), ("cab", (1, 3, 1))))

    assert (comparison.wins, comparison.draws, comparison.losses) == (2, 1, 3)
    assert comparison.counts == [1 if half_points == 5 else 0 for half_points in range(13)]


def test_a_bot_that_sits_twice_is_not_compared_with_itself() -> None:
    comparison = Comparison("ab", 4)
    comparison.add(
        block(("abab", (1, 2, 3, 4)), ("baba", (1, 2, 3, 4)), ("abab", (1, 1, 1, 1)), ("baba", (3, 1, 3, 1)))
    )

    assert comparison.compared == 16
    assert (comparison.wins, comparison.draws, comparison.losses) == (3 + 1 + 4, 4, 1 + 3)


def test_two_bots_at_three_seats_have_blocks_that_are_alike() -> None:
    """One of them sits twice, in one block the first and in the next the second."""
    comparison = Comparison("ab", 3)
    comparison.add(block(("aba", (1, 2, 3)), ("baa", (1, 2, 3)), ("aab", (1, 2, 3))))
    comparison.add(block(("bab", (1, 2, 3)), ("abb", (1, 2, 3)), ("bba", (1, 2, 3))))

    assert (comparison.blocks, comparison.compared, len(comparison.counts)) == (2, 6, 13)
    assert comparison.wins == comparison.losses == 6


def test_a_block_of_all_permutations_has_twice_the_matches() -> None:
    """Here each is a cyclic one twice."""
    cyclic, every = Comparison("abc", 3), Comparison("abc", 3, 6)
    once = (("abc", (1, 2, 3)), ("bca", (1, 2, 2)), ("cab", (1, 3, 1)))
    other = (("abc", (2, 1, 3)), ("bca", (3, 2, 1)), ("cab", (2, 1, 3)))
    for matches in (once, other, other):
        cyclic.add(block(*matches))
        every.add(block(*matches, *matches))
    one, two = cyclic.estimate(), every.estimate()
    assert one is not None
    assert two is not None

    assert (every.compared, every.matches, len(every.counts)) == (12, 18, 25)
    assert (two.score, two.elo, two.los) == (one.score, one.elo, one.los)
    # As whole blocks vary as much, each match of the longer ones varies by the root of two more.
    assert one.nelo is not None
    assert two.nelo == pytest.approx(one.nelo / math.sqrt(2))
    assert comparison_json(every, Sprt())["sprt"]["llr"] == Sprt().llr(every.counts, 6)
    with pytest.raises(SprtError, match="does not compare as often"):
        every.add(block(*once))


@pytest.mark.parametrize(("bots", "seats"), [("a", 2), ("abc", 2), ("abc", 4), ("aa", 2), ("abcd", 3)])
def test_line_ups_whose_blocks_would_not_be_alike_are_refused(bots: str, seats: int) -> None:
    with pytest.raises(SprtError, match=f"two bots, or as many as there are seats \\({seats}\\)"):
        Comparison(bots, seats)


@pytest.mark.parametrize(
    "wrong", [block(("ac", (1, 2)), ("ca", (1, 2))), block(("ab", (1, 2))), block(("aa", (1, 1)), ("ab", (1, 2)))]
)
def test_a_block_of_another_line_up_is_refused_and_changes_nothing(wrong: PlayedBlock) -> None:
    comparison = pairs(1, 0, 0, 0)

    with pytest.raises(SprtError, match="block b "):
        comparison.add(wrong)
    assert comparison.counts == [0, 0, 0, 0, 1]
    assert comparison.wins == 2


def test_lines_have_the_words_and_the_order_of_fastchess() -> None:
    lines = comparison_lines(pairs(30, 20, 25, 25), Sprt(elo0=0, elo1=5), "toy, 2 seats, shared deals")

    assert lines == [
        "Results of a vs b (toy, 2 seats, shared deals):",
        "Elo: 34.86 +/- 48.47, nElo: 35.10 +/- 48.15",
        "LOS: 92.34 %, DrawRatio: 50.00 %, PairsRatio: 1.50",
        "Games: 200, Wins: 85, Losses: 65, Draws: 50, Points: 110.0 (55.00 %)",
        "Ptnml(0-2): [20, 0, 50, 0, 30], WL/DD Ratio: 1.00",
        "LLR: 0.27 (-2.94, 2.94) [0.00, 5.00]",
        "SPRT: neither was accepted",
    ]


def test_what_has_no_finite_number_is_explained() -> None:
    lines = comparison_lines(pairs(0, 0, 0, 9), None, "toy")

    assert lines[1] == "Elo: 0.00 +/- ?, nElo: ? +/- ?"
    assert lines[-1].startswith("?: no finite number follows")


def test_lines_of_more_seats_say_what_is_counted() -> None:
    comparison = Comparison("abc", 3)
    comparison.add(block(("abc", (1, 2, 3)), ("bca", (1, 2, 2)), ("cab", (1, 3, 1))))
    lines = comparison_lines(comparison, None, "toy")

    assert lines[0] == "Results of a vs b, c (toy):"
    assert lines[3:] == [
        "Games: 3, Blocks: 1, Comparisons: 6, Wins: 2, Losses: 3, Draws: 1, Points: 2.5 (41.67 %)",
        "Blocks(0-6): [0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]",
        "?: no finite number follows, as of a ratio to none, or of blocks that all ended alike",
    ]


@pytest.mark.parametrize("counts", [(0, 0, 0, 0), (9, 0, 0, 0), (0, 9, 0, 0), (0, 0, 0, 9), (1, 0, 0, 1)])
def test_nothing_infinite_and_no_nan_is_ever_told(counts: tuple[int, int, int, int]) -> None:
    comparison = pairs(*counts)
    told = comparison_json(comparison, Sprt())

    values = [value for part in (told, told["sprt"]) for value in part.values() if isinstance(value, float)]
    assert all(math.isfinite(value) for value in values)
    assert not {"inf", "nan"} & set(" ".join(comparison_lines(comparison, Sprt(), "toy")).split())


def test_what_has_no_spread_has_no_error_and_no_likelihood() -> None:
    estimate = pairs(7, 0, 0, 0).estimate()

    assert estimate is not None
    assert (estimate.elo, estimate.nelo, estimate.los, estimate.elo_error) == (None, None, None, None)
