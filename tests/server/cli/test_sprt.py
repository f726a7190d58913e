"""`agon play --sprt`: whole blocks in the order of the plan until the test is decided, whoever plays how fast."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest
from tests.server.cli.conftest import game
from tests.support.cli import run

from agon_engine.core.record_file import read_records
from agon_ladder.stats.blocks import PlayedMatch
from agon_ladder.stats.sprt import EloModel, Sprt, Verdict
from agon_server.cli.sequential import InBlocks, SequentialTest, read_test
from agon_server.config import ConfigError

GAME = game()
WIDE = "elo0=-400,elo1=400"
"""A test that a few blocks decide."""

HERE = ("--jobs", "0")

LOSER = """\
from agon_bots import Bot

class Loser(Bot):
    def choose(self, turn):
        return self.resign()
"""


def test_a_test_is_read_as_it_is_typed() -> None:
    assert read_test("elo0=0,elo1=10") == Sprt()
    assert read_test(" elo1=3.5, elo0=-1 ,alpha=0.01,beta=0.1,model=logistic") == Sprt(
        elo0=-1, elo1=3.5, alpha=0.01, beta=0.1, model=EloModel.LOGISTIC
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is written NAME=VALUE"),
        ("elo0", "is written NAME=VALUE"),
        ("elo2=1", "with elo0, elo1, alpha, beta, model, not 'elo2=1'"),
        ("elo0=0,elo0=1", "names elo0 twice"),
        ("elo0=x", "elo0 is a number, not 'x'"),
        ("elo0=nan", "elo0 is a number from -400 to 400"),
        ("elo0=10,elo1=5", "elo0 is less than elo1"),
        ("model=bayesian", "model is normalized or logistic, not 'bayesian'"),
        ("alpha=1", "alpha is a probability above 0 and below 0.5"),
    ],
)
def test_what_is_no_test_is_refused_with_what_is(text: str, words: str) -> None:
    with pytest.raises(ConfigError, match=r"^--sprt") as caught:
        read_test(text)
    assert words in str(caught.value)


@pytest.mark.parametrize("seed", range(5))
def test_blocks_come_in_their_order_whatever_the_order_of_their_matches(seed: int) -> None:
    items = [(block, 3 * block + place) for block in range(1, 8) for place in range(3)]
    shuffled = items.copy()
    Random(seed).shuffle(shuffled)
    blocks: InBlocks[int] = InBlocks(3)

    handed_on = [block for at, number in shuffled for block in blocks.take(at, number, number)]

    assert handed_on == [[3 * block + place for place in range(3)] for block in range(1, 8)]


def test_nothing_is_handed_on_before_the_first_block_is_whole() -> None:
    blocks: InBlocks[str] = InBlocks(2)

    assert list(blocks.take(2, 3, "c")) == list(blocks.take(2, 4, "d")) == list(blocks.take(1, 2, "b")) == []
    assert list(blocks.take(1, 1, "a")) == [["a", "b"], ["c", "d"]]


def test_a_block_with_a_match_that_does_not_count_is_left_out() -> None:
    test = SequentialTest(Sprt(), ["a", "b"], 2, 2)

    assert test.add([PlayedMatch(("a", "b"), (1, 2)), None]) is Verdict.OPEN
    assert (test.left_out, test.comparison.blocks) == (1, 0)


@pytest.mark.parametrize(("order", "code", "accepted"), [(("other", "loser"), 0, "H1"), (("loser", "other"), 1, "H0")])
def test_the_exit_code_says_which_hypothesis_was_accepted(
    tmp_path: Path, order: tuple[str, str], code: int, accepted: str
) -> None:
    (tmp_path / "loser.py").write_text(LOSER)
    bots = {"loser": f"{tmp_path / 'loser.py'}:Loser", "other": "random"}
    named = ",".join(bots[name] for name in order)

    ran = run("play", GAME, "--bots", named, "--seats", "2", "--sprt", WIDE, "--seed", "1", "--jobs", "0")

    assert ran.code == code, ran
    assert f"SPRT: {accepted} was accepted (" in ran.out.splitlines()[-1]
    assert ran.out.splitlines()[-2].startswith("LLR: ")
    assert ran.err == "" if code == 0 else ran.err.startswith("agon: H0 was accepted, Loser is rather -400 than 400 ")


def test_a_test_that_is_not_decided_says_so_with_a_code_of_its_own() -> None:
    arguments = ("--seats", "2", "--matches", "4", "--sprt", "elo1=1", "--json", *HERE)
    ran = run("play", GAME, "--bots", "random,random", *arguments)

    told = json.loads(ran.out)
    assert ran.code == 4
    assert ran.err.startswith("agon: neither hypothesis was accepted, raise --matches to go on; LLR: ")
    assert (told["matches"], told["comparison"]["blocks"], told["comparison"]["sprt"]["verdict"]) == (4, 2, "open")


def test_the_same_seed_gives_the_same_end_whatever_the_number_of_workers(tmp_path: Path) -> None:
    told, numbers = [], []
    for jobs in ("0", "3"):
        file = tmp_path / f"{jobs}.jsonl.gz"
        arguments = ("--seats", "2", "--sprt", "elo0=0,elo1=300", "--seed", "3", "--jobs", jobs, "--records", str(file))
        ran = run("play", GAME, "--bots", "greedy,random", *arguments, "--json")
        assert ran.code == 0, ran
        told.append(json.loads(ran.out))
        numbers.append([record.match for record in read_records(file.read_bytes())])

    assert told[0]["comparison"] == told[1]["comparison"]
    assert numbers[0] == numbers[1] == [f"local-{number}" for number in range(1, told[0]["matches"] + 1)]
    assert told[0]["matches"] == 2 * told[0]["comparison"]["blocks"] < 100


def test_bots_whose_blocks_would_not_be_alike_are_refused() -> None:
    ran = run("play", GAME, "--bots", "random,random,random", "--seats", "2", "--sprt", "elo1=5")

    ran.assert_one_line(2)
    assert (
        "--sprt: a test compares two bots, or as many as there are seats (2): 'random, random#2, random#3'" in ran.err
    )


@pytest.mark.parametrize("text", ["", "elo0=10,elo1=0"])
def test_a_wrong_test_is_one_line(text: str) -> None:
    run("play", GAME, "--bots", "random,random", "--sprt", text).assert_one_line(2)
