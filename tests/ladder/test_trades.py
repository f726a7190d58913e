"""Win trades (M9): a planted one is found, what chance brings is not told, and tails are exact."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from math import comb

import numpy as np
import pytest

from agon_ladder import trades
from agon_ladder.stats.pairwise import PairwiseFit
from agon_ladder.trades import (
    FALSE_SHARE,
    Meetings,
    TradeReport,
    _benjamini_hochberg,
    _binomial_tails,
    find_trades,
)

DEVIATION = 150 * np.log(10) / 400
"""Of the strengths of simulated bots, in natural logits: 150 Elo points."""


def simulated(seed: int, *, bots: int, rounds: int, seats: int = 2, ties: float = 0.1, trade: bool = False) -> Meetings:
    """Return matches of bots of known strength, each line-up drawn at random; the first two are equally strong. With a
    `trade` the first one always comes in behind the second."""
    random = np.random.default_rng(seed)
    strength = random.normal(0.0, DEVIATION, bots)
    strength[:2] = 0.0
    meetings = Meetings()
    for _ in range(rounds):
        order = random.permutation(bots)
        for start in range(0, bots - seats + 1, seats):
            line_up = order[start : start + seats]
            # Gumbel noise: pairwise it is the logistic curve.
            keys = np.round(strength[line_up] + random.gumbel(size=seats), 6)
            if seats == 2 and random.random() < ties:
                keys[:] = 0
            if trade and {0, 1} <= set(line_up):
                pair = [list(line_up).index(0), list(line_up).index(1)]
                keys[pair] = sorted(keys[pair]) if np.ptp(keys[pair]) else (0, 1)
            placements = [1 + int((keys > key).sum()) for key in keys]
            meetings.add([f"bot-{number}" for number in line_up], placements)
    return meetings


def meetings_of(matches: Iterable[tuple[Sequence[str], Sequence[int]]]) -> Meetings:
    meetings = Meetings()
    for bots, placements in matches:
        meetings.add(bots, placements)
    return meetings


@pytest.mark.parametrize("seats", [2, 4])
def test_what_chance_brings_is_not_told(seats: int) -> None:
    """Ten ladders of 20 bots without trades, about 3,000 ordered pairs together: none is told."""
    reports = [find_trades(simulated(seed, bots=20, rounds=400, seats=seats)) for seed in range(10)]

    assert sum(report.pairs for report in reports) > 2_000
    assert [report.trades for report in reports] == [()] * 10


def test_p_values_err_to_the_side_of_the_bots(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the pairs of honest bots at most 5 % have a p-value up to 5 %, at most 1 % one up to 1 %."""
    monkeypatch.setattr(trades, "DEFICIT", -1.0)
    chances: list[float] = []
    for seed in range(5):
        met, scores = simulated(seed, bots=16, rounds=500).tables()
        chances += trades._judged(met, scores, *np.nonzero(met >= 20))[1].tolist()

    assert len(chances) > 1_000
    assert np.mean(np.array(chances) <= 0.05) <= 0.05
    assert np.mean(np.array(chances) <= 0.01) <= 0.01


@pytest.mark.parametrize("seats", [2, 4])
def test_a_planted_trade_is_found_and_no_other_pair(seats: int) -> None:
    """M9: of two bots of the same strength one loses to the other whenever they meet; in five ladders out of five."""
    for seed in range(5):
        (trade,) = find_trades(simulated(seed, bots=20, rounds=600, seats=seats, trade=True)).trades

        assert (trade.loser, trade.winner) == ("bot-0", "bot-1")
        assert trade.score == 0
        assert 0.4 < trade.expected < 0.6
        assert trade.chance <= FALSE_SHARE


def test_only_so_many_pairs_get_a_fit_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a game without an order of strength, in which each bot loses to the next three: the time is bounded."""
    fits = []
    without = PairwiseFit.without

    def counted(fitted: PairwiseFit, one: int, other: int) -> tuple[float, float]:
        fits.append((one, other))
        return without(fitted, one, other)

    monkeypatch.setattr(PairwiseFit, "without", counted)
    names = "abcdefg"
    circle = [((names[at], names[(at + ahead) % 7]), (2, 1)) for at in range(7) for ahead in (1, 2, 3)] * 60

    every = find_trades(meetings_of(circle))
    assert len(fits) == len(every.trades) == 21
    fits.clear()
    monkeypatch.setattr(trades, "MOST_FITS", 5)
    some = find_trades(meetings_of(circle))

    assert len(fits) == 5
    assert {(each.loser, each.winner) for each in some.trades} == {(each.loser, each.winner) for each in every.trades}


def test_too_few_matches_are_not_judged() -> None:
    report = find_trades(meetings_of([(("a", "b"), (2, 1))] * 19 + [(("a", "c"), (1, 2)), (("b", "c"), (2, 1))] * 9))

    assert report == TradeReport((), 37, 3, 0)


def test_a_bot_that_loses_to_everybody_trades_with_nobody() -> None:
    rounds = [((one, other), (1, 2)) for one, other in combinations("abcdef", 2)] * 60

    report = find_trades(meetings_of(rounds))

    assert report.trades == ()
    assert report.pairs == 30


@pytest.mark.parametrize("matches", [[], [(("a", "b"), (1, 1))], [(("a", "a"), (1, 2))]])
def test_next_to_nothing_is_no_trade(matches: list[tuple[tuple[str, ...], tuple[int, ...]]]) -> None:
    assert find_trades(meetings_of(matches)).trades == ()


def test_the_order_of_matches_and_seats_does_not_matter() -> None:
    rounds = [(("a", "b", "c"), (1, 2, 3)), (("c", "a", "b"), (2, 1, 2))] * 30 + [(("a", "b"), (2, 1))] * 40
    turned = [(bots[::-1], placements[::-1]) for bots, placements in reversed(rounds)]

    first, second = [find_trades(meetings_of(each), false_share=1.0) for each in (rounds, turned)]

    assert [(each.loser, each.winner) for each in first.trades] == [(each.loser, each.winner) for each in second.trades]
    assert [each.expected for each in first.trades] == pytest.approx([each.expected for each in second.trades])


@pytest.mark.parametrize(("most", "matches", "chance"), [(0, 20, 0.5), (3, 25, 0.31), (12, 40, 0.6), (7, 7, 0.2)])
def test_the_tail_is_exact(most: int, matches: int, chance: float) -> None:
    exact = sum(comb(matches, wins) * chance**wins * (1 - chance) ** (matches - wins) for wins in range(most + 1))
    table = np.concatenate(([0.0], np.cumsum(np.log(np.arange(1, matches + 1)))))

    assert _binomial_tails(most, matches, np.array([chance]), table) == pytest.approx([exact], rel=1e-12)


def test_adjusted_p_values_are_those_of_the_paper() -> None:
    """The fifteen p-values of Benjamini and Hochberg's example: four are told at a rate of 5 %."""
    given = [
        0.0001,
        0.0004,
        0.0019,
        0.0095,
        0.0201,
        0.0278,
        0.0298,
        0.0344,
        0.0459,
        0.3240,
        0.4262,
        0.5719,
        0.6528,
        0.759,
        1,
    ]

    adjusted = _benjamini_hochberg(np.array(given))

    assert (adjusted <= 0.05).sum() == 4
    assert adjusted[3] == pytest.approx(0.0095 * 15 / 4)
    assert (np.diff(adjusted) >= 0).all()
