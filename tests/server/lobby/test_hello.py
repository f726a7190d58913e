"""Which Hello is welcome, with what, and what a refusal tells (L6)."""

from __future__ import annotations

from typing import Any

import pytest
from tests.support.toy_game import GAME

from agon.codec.frames import PROTOCOL, Hello, HelloGame, RefusedCode, WelcomeGame
from agon_engine.core import GameSpec
from agon_server.lobby.hello import Terms, judge_hello
from agon_server.referee.stream import Ending

DUEL = GameSpec("duel", 7, 2, 2, False, 50)
SPECS = {GAME.spec.name: GAME.spec, "duel": DUEL}


def judge(*games: HelloGame, **facts: Any) -> Terms | Ending:
    return judge_hello(Hello("token", games, **facts), SPECS, max_slots=64)


def refused(*games: HelloGame, **facts: Any) -> Ending:
    ending = judge(*games, **facts)
    assert isinstance(ending, Ending)
    return ending


@pytest.mark.parametrize(
    ("games", "expected"),
    [
        ([HelloGame("toy")], {("toy", 1): (2, 3, 4)}),
        ([HelloGame("toy", 1)], {("toy", 1): (2, 3, 4)}),
        ([HelloGame("toy", 1, (3,))], {("toy", 1): (3,)}),
        ([HelloGame("toy", 0, (4, 2, 4, 9, 1))], {("toy", 1): (2, 4)}),
        ([HelloGame("toy"), HelloGame("duel", 7)], {("toy", 1): (2, 3, 4), ("duel", 7): (2,)}),
        ([HelloGame("chess"), HelloGame("toy", 2), HelloGame("duel")], {("duel", 7): (2,)}),
        ([HelloGame("toy", 1, (2,)), HelloGame("toy", 2), HelloGame("toy", 0, (4,))], {("toy", 1): (2, 4)}),
        ([HelloGame("toy", 0, (5,)), HelloGame("duel")], {("duel", 7): (2,)}),
    ],
)
def test_a_bot_is_welcome_for_what_both_play(
    games: list[HelloGame], expected: dict[tuple[str, int], tuple[int, ...]]
) -> None:
    """In the versions and seat counts that both know; a game named twice counts once."""
    assert judge(*games) == Terms(
        games=tuple(WelcomeGame(name, version) for name, version in expected), seats=tuple(expected.values()), slots=1
    )


@pytest.mark.parametrize(("asked", "granted"), [(0, 0), (1, 1), (64, 64), (65, 64), (2**32 - 1, 64)])
def test_slots_are_granted_up_to_the_servers_limit(asked: int, granted: int) -> None:
    terms = judge(HelloGame("toy"), slots=asked)

    assert isinstance(terms, Terms)
    assert terms.slots == granted


@pytest.mark.parametrize("spoken", [(PROTOCOL, PROTOCOL), (0, PROTOCOL), (PROTOCOL, PROTOCOL + 9), (0, 2**32 - 1)])
def test_a_common_protocol_is_enough(spoken: tuple[int, int]) -> None:
    assert isinstance(judge(HelloGame("toy"), protocol_min=spoken[0], protocol_max=spoken[1]), Terms)


@pytest.mark.parametrize("spoken", [(0, 0), (PROTOCOL + 1, PROTOCOL + 1), (PROTOCOL + 1, 0), (PROTOCOL + 3, 2**32 - 1)])
def test_without_a_common_protocol_the_refusal_names_the_servers(spoken: tuple[int, int]) -> None:
    ending = refused(HelloGame("toy"), protocol_min=spoken[0], protocol_max=spoken[1])

    assert ending.code is RefusedCode.PROTOCOL
    assert ending.needed == f"protocol {PROTOCOL} to {PROTOCOL}"
    assert f"{spoken[0]} to {spoken[1]}" in ending.message


@pytest.mark.parametrize(
    ("games", "named"),
    [
        ([HelloGame("chess")], "chess version any"),
        ([HelloGame("toy", 2)], "toy version 2"),
        ([HelloGame("toy", 1, (5, 6))], "toy version 1 with 5 or 6 seats"),
        ([HelloGame("duel", 7, (3,)), HelloGame("toy", 9)], "duel version 7 with 3 seats"),
    ],
)
def test_without_a_common_game_the_refusal_names_what_was_asked_and_what_is_served(
    games: list[HelloGame], named: str
) -> None:
    ending = refused(*games)

    assert ending.code is RefusedCode.GAME
    assert named in ending.message
    assert ending.needed == "toy version 1 with 2 to 4 seats, duel version 7 with 2 to 2 seats"


def test_a_refusal_is_short_whatever_was_asked() -> None:
    """Its text travels in the stream's gRPC status too, which has little room."""
    games = [HelloGame("\N{SNOWMAN}" * 64, 2**32 - 1, tuple(range(10**9, 10**9 + 64)))] * 64
    ending = refused(*games)

    assert "64 games" in ending.message
    assert len(ending.message) < 1_000
