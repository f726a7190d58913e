"""Ladders that share bots go on at one pace, however old they are."""

from __future__ import annotations

import pytest
from tests.support.pairing import Arena, players

from agon_engine.core import Chance
from agon_ladder.pairing.shares import Shares


@pytest.mark.parametrize("seats", [2, 4])
def test_an_old_ladder_does_not_starve_beside_new_ones(seats: int) -> None:
    """M3: nine bots with one slot, where eight new ladders have games to catch up."""
    time = Chance(bytes(16))
    known = players(9)
    ladders = {"old": seats} | {f"new-{number}": seats for number in range(8)}
    arena = Arena(ladders, known, dict.fromkeys(known, 1), lambda _: 2_000 + time.below("time", 8_000))
    arena.games.update({("old", bot): 1_000 for bot in known})

    arena.run(1_500)

    played = {ladder: sum(arena.games[ladder, bot] for bot in known) for ladder in ladders}
    played["old"] -= 9 * 1_000
    assert min(played.values()) > 0.5 * max(played.values())


def test_a_ladder_whose_house_bots_are_settled_does_not_starve_beside_those_where_they_are_not() -> None:
    """House bots are free when others are not, and open blocks for their own sake: those would always come first."""
    time = Chance(bytes(16))
    known = players(4, house=2)
    ladders = {f"ladder-{number}": 2 + number % 3 for number in range(9)} | {"settled": 4}
    arena = Arena(
        ladders,
        known,
        {bot: 8 if player.house else 1 for bot, player in known.items()},
        lambda _: 2_000 + time.below("time", 8_000),
        own_house_games={"settled": 4},
    )

    arena.run(1_000)

    played = {ladder: arena.games[ladder, "bot-3"] for ladder, seats in ladders.items() if seats == 4}
    assert played["settled"] > 0.6 * max(played.values())


def test_a_ladder_that_comes_begins_where_the_least_of_the_others_stands() -> None:
    shares = Shares()
    shares.begin({"one": 4, "other": 8})
    shares.opened("one", 16)
    shares.opened("other", 16)

    shares.begin({"one": 4, "other": 8, "new": 100})

    assert (shares.of("one"), shares.of("other"), shares.of("new")) == (4, 2, 2)


def test_a_ladder_that_was_away_is_owed_nothing_and_owes_what_it_had_more() -> None:
    shares = Shares()
    shares.begin({"stays": 2, "behind": 2, "ahead": 2})
    shares.opened("ahead", 100)
    shares.begin({"stays": 2})
    shares.opened("stays", 40)

    shares.begin({"stays": 2, "behind": 2, "ahead": 2})

    assert (shares.of("stays"), shares.of("behind"), shares.of("ahead")) == (20, 20, 50)


def test_ladders_that_come_together_and_alone_begin_with_what_they_had() -> None:
    shares = Shares()
    shares.begin({"one": 2})
    shares.opened("one", 10)
    shares.begin({})

    shares.begin({"one": 2, "other": 2})

    assert (shares.of("one"), shares.of("other")) == (5, 0)
