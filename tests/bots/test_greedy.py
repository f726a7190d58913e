"""The greedy bot: what it prefers, position by position, and that it is clearly stronger than chance."""

from __future__ import annotations

from collections import Counter
from time import perf_counter
from typing import Any

import pytest
from tests.engine.ephyran.positions import full_city, lay_out
from tests.support.bots import Recorder

from agon_bots import LocalRules, Summary, play_match, play_matches
from agon_bots.house.greedy import HEURISTICS, GreedyBot, heuristic
from agon_bots.house.random import RandomBot
from agon_engine.core import Chance
from agon_engine.ephyran.enums import Ending
from agon_engine.registry import get_game
from agon_ladder.stats.interval import block_interval, elo_of_score

CLEARLY_STRONGER = 0.65


def best(table: Any) -> str:
    """Return what the seat that is asked would do."""
    worth = heuristic("ephyran")(get_game("ephyran"), table.view(table.seat), table.codes)
    return str(max(zip(worth, table.codes, strict=True))[1])


# -- what it prefers -----------------------------------------------------------------------------------------

POSITIONS: list[tuple[str, dict[str, Any], tuple[str, ...], str]] = [
    # why, the position, what was done in it, what comes next
    ("a zone rather than a discard", {"hands": {0: "TT01 TS06"}}, (), "build TT01 a"),
    (
        "the own god's column, which counts double",
        {"hands": {0: "TT01 TT02"}, "gods": "red blue"},
        (),
        "build TT02 a",
    ),
    (
        "a new creature, not the one that is there",
        {"hands": {0: "TT05 TT13"}, "cities": {0: "TT01 a"}},
        (),
        "build TT13 a",
    ),
    (
        "another zone that fits, and no Dionysos yet",
        {"hands": {0: "D1 TT03"}},
        (),
        "build TT03 a",
    ),
    (
        "a Dionysos, when the match is about to end",
        {"hands": {0: "D1 TT05"}, "ending": Ending.CITY},
        (),
        "build D1 blue 1",
    ),
    (
        "to steal a zone with a thunderbolt rather than to build",
        {"hands": {0: "TS11 TT03"}, "cities": {0: "TT01 a, TT05 a, TS10 a", 1: "TT09 a, TT13 a, TS09 a, TS13 a"}},
        (),
        "play TS11",
    ),
    (
        "the leader as a target, not the one behind",
        {
            "seats": 3,
            "gods": "blue red green",
            "hands": {0: "TS01"},
            "cities": {1: "TT01 a, TT02 a", 2: "TT09 a, TT10 a, TT11 a, TT12 a, TT14 a"},
        },
        ("play TS01",),
        "target 2 green",
    ),
    (
        "to cancel the theft of a thunderbolt",
        {
            "on_turn": 1,
            "hands": {0: "TS04", 1: "TS11"},
            "cities": {0: "TT01 a, TT05 a, TS10 a, TS13 a", 1: "TT09 a, TT13 a, TS09 a"},
        },
        ("play TS11", "target 0 blue"),
        "cancel TS04",
    ),
    (
        "to keep a shield, when little is lost",
        {"on_turn": 1, "hands": {0: "TS44", 1: "TS01"}, "cities": {0: "TT01 a, TT05 a"}, "gods": "green red"},
        ("play TS01", "target 0 blue"),
        "pass",
    ),
    (
        "a good token in the own god's column",
        {
            "hands": {0: "TS02"},
            "cities": {0: "TT01 a, TT02 a, TT03 a"},
            "gods": "green red",
            "next_tokens": "thunderbolt",
        },
        ("play TS02", "pass"),
        "place green 1",
    ),
    (
        "a helmet anywhere but there",
        {"hands": {0: "TS02"}, "cities": {0: "TT02 a, TT03 a"}, "gods": "green red", "next_tokens": "helmet"},
        ("play TS02", "pass"),
        "place red 1",
    ),
    (
        "the top of the first discard, when it is the zone that is missing",
        {"hands": {0: "TT03"}, "cities": {0: "TT01 a"}, "first_discard": "TT13", "gods": "blue red"},
        ("build TT03 a",),
        "draw discard",
    ),
    (
        "an unseen card rather than a bad one",
        {"hands": {0: "TT03"}, "cities": {0: "TT01 a"}, "first_discard": "TT09", "gods": "blue red"},
        ("build TT03 a",),
        "draw deck",
    ),
    (
        "to lock the column in which most stands",
        {"hands": {0: "TS04"}, "cities": {0: "TT10 a, TT09 a, TT05 a"}, "gods": "green red"},
        ("play TS04",),
        "lock blue",
    ),
]


@pytest.mark.parametrize(
    ("position", "done", "expected"), [row[1:] for row in POSITIONS], ids=[row[0] for row in POSITIONS]
)
def test_it_prefers(position: dict[str, Any], done: tuple[str, ...], expected: str) -> None:
    table = lay_out(**position).do(*done)

    assert best(table) == expected


@pytest.mark.parametrize(
    ("lead", "expected"), [("TT01 a", "build TS16 a"), (full_city("green 4, brown 4"), "discard TS16")]
)
def test_it_completes_its_city_unless_that_ends_the_match_lost(lead: str, expected: str) -> None:
    """P7.1: the sixteenth zone ends the match with the round."""
    tokens = {(1, "blue 1"): "thunderbolt", (1, "blue 2"): "thunderbolt"} if "," in lead else {}
    if tokens:
        tokens |= {(1, f"red {zone}"): "trident" for zone in (1, 2, 3)}
    table = lay_out(hands={0: "TS16"}, cities={0: full_city("blue 4"), 1: lead}, tokens=tokens, gods="brown blue")

    assert best(table) == expected


# -- how strong it is ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_it_is_clearly_stronger_than_chance(seats: int) -> None:
    """The lower end of the 95 % interval of its mean pairwise score is above 0.65, by complete blocks."""
    summary = Summary.of(["greedy", "random"])
    for match in play_matches(LocalRules("ephyran", seats, seed="strength"), ["greedy", "random"], 36, jobs=0):
        assert not match.faults
        summary.add(match)

    most = 2 * len(summary.blocks[1][0])
    halves = [round(2 * sum(scores[0])) for scores in summary.blocks.values() if scores[0]]
    interval = block_interval({half: halves.count(half) for half in halves}, most, "strength")
    assert (interval.low or 0) > (elo_of_score(CLEARLY_STRONGER) or 0)
    assert summary.bots[0].mean_score > 2 * summary.bots[1].mean_score


def test_a_decision_takes_well_under_a_millisecond() -> None:
    """The mean over whole matches, of this process alone."""
    game, rate = get_game("ephyran"), heuristic("ephyran")
    took: list[float] = []

    class Timed(GreedyBot):
        def choose(self, turn: Any) -> int:
            began = perf_counter()
            rate(game, turn.view, turn.actions)
            took.append(perf_counter() - began)
            return super().choose(turn)

    play_match("ephyran", Timed, Timed, seed="quick")

    took.sort()
    assert took[len(took) // 2] < 0.001


@pytest.mark.parametrize("seats", [2, 4])
def test_it_decides_by_the_view_alone(seats: int) -> None:
    """H3: in a state that was drawn from the view, hidden facts at random, it rates every action the same."""
    game = get_game("ephyran")
    compared: list[int] = []

    class Checked(GreedyBot):
        def choose(self, turn: Any) -> int:
            if turn.decision % 10 == 0:
                state = game.sample(turn.view, Chance(bytes(16)))
                rate = heuristic("ephyran")
                drawn = state.view(turn.match.seat)
                assert rate(game, drawn, turn.actions) == rate(game, turn.view, turn.actions)
                compared.append(turn.decision)
            return super().choose(turn)

    match = play_match("ephyran", Checked, *[RandomBot] * (seats - 1), seed="view")

    assert not match.faults
    assert len(compared) > 3


def test_there_is_a_heuristic_for_every_game_that_it_says_it_plays() -> None:
    assert tuple(HEURISTICS) == GreedyBot.games
    assert all(callable(heuristic(game)) for game in HEURISTICS)


def test_random_draws_every_action_about_equally_often_and_the_same_again_under_a_seed() -> None:
    bot = Recorder.fresh()
    play_match("ephyran", bot, RandomBot, seed="r")
    turn = max(bot.turns, key=lambda turn: len(turn.actions))

    def draws() -> list[int]:
        turn.random.seed("again")
        return [RandomBot().choose(turn) for _ in range(200 * len(turn.actions))]

    counts = Counter(draws())

    assert sorted(counts) == list(range(len(turn.actions)))
    assert 140 < min(counts.values()) <= max(counts.values()) < 260
    assert draws() == draws()
