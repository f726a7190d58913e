"""Tests of my bot; each plays whole matches in this process, without a server: `pytest`."""

from pathlib import Path

from agon_bots import load_bot, play_match

MyBot = load_bot(str(Path(__file__).with_name("mybot.py")))
Random = load_bot("random")


def test_it_plays_whole_matches_without_a_mistake() -> None:
    for seed in range(5):
        match = play_match("ephyran", MyBot, Random, seed=str(seed))

        assert not match.faults
        assert match.result.termination == "score"


def test_it_scores_more_than_chance_does() -> None:
    matches = [play_match("ephyran", MyBot, Random, seed=str(seed)) for seed in range(20)]

    assert sum(match.result.scores[0] for match in matches) > sum(match.result.scores[1] for match in matches)
