"""One round: with how many seats a ladder is played, and when the next one is due though nothing happens."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count

import pytest
from tests.support.pairing import players

from agon_engine.core import Chance, Deals
from agon_ladder.pairing.planner import Entrant, OpenLadder, Planner
from agon_ladder.pairing.players import Player
from agon_ladder.pairing.slots import Process, Slots


def ladder(
    seats: int,
    known: dict[str, Player],
    *,
    fewest: int | None = None,
    plays: Callable[[str, int], bool] = lambda _bot, _seats: True,
) -> OpenLadder:
    return OpenLadder(
        "toy", seats, Deals.FRESH, 1_000, lambda bot: Entrant(known[bot], 0, 0, 0), fewest=fewest, plays=plays
    )


def slots(**free: int) -> Slots:
    return Slots(Process(bot.replace("_", "-"), "", of_bot, {"toy"}) for bot, of_bot in free.items())


def planner() -> Planner:
    numbers = count()
    return Planner(Chance(bytes(16)), lambda: f"block-{next(numbers)}", lambda: "00" * 16)


@pytest.mark.parametrize(("there", "seats"), [(1, 5), (2, 2), (3, 3), (4, 4), (5, 5), (7, 5)])
def test_a_ladder_is_played_with_as_many_seats_as_there_are_bots_for_where_it_may(there: int, seats: int) -> None:
    """C18."""
    known = players(there)

    assert ladder(5, known, fewest=2).seats_for(known) == seats
    assert ladder(5, known).seats_for(known) == 5


def test_bots_of_one_owner_make_no_more_seats() -> None:
    """M9."""
    known = players(8, owners=3)

    assert ladder(5, known, fewest=2).seats_for(known) == 3


def test_no_fewer_seats_than_the_game_has_and_only_those_that_bots_play() -> None:
    known = players(3)

    assert ladder(5, known, fewest=4).seats_for(known) == 5
    assert ladder(5, known, fewest=2, plays=lambda bot, seats: seats == 2 and bot != "bot-0").seats_for(known) == 2


def test_short_handed_blocks_seat_only_bots_that_play_so() -> None:
    known = players(3)
    short = ladder(4, known, fewest=2, plays=lambda bot, seats: seats == 2 and bot != "bot-0")

    plan = planner().plan((), [short], slots(bot_0=4, bot_1=4, bot_2=4), 0)

    assert {("bot-1", "bot-2")} == {tuple(sorted(block.bots)) for block in plan.opened}


def test_a_wait_ends_with_the_ladders_round_and_does_not_outlive_it() -> None:
    """Two that have just met are free while others are busy: a round is due when the first has waited long enough."""
    known = players(4)
    toy, planned = ladder(2, known), planner()
    first = planned.plan((), [toy], slots(bot_0=2, bot_1=2, bot_2=0, bot_3=0), 0)

    again = planned.plan((), [toy], slots(bot_0=2, bot_1=2, bot_2=0, bot_3=0), 8_000)
    due = planned.next_due()
    planned.plan((), [], slots(), 8_100)

    assert len(first.opened) == 1
    assert again.opened == ()
    assert due is not None
    assert 8_000 < due <= 10_000
    assert planned.next_due() is None
