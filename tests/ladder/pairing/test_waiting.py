"""A free bot waits for company that tells more, and no longer than it may."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from tests.support.pairing import candidate

from agon_engine.core import Chance
from agon_ladder.pairing.endless import Market
from agon_ladder.pairing.meetings import Meetings
from agon_ladder.pairing.players import Candidate, Player
from agon_ladder.pairing.waiting import LONGEST_WAIT_MS, Patience

SEED = bytes(16)


def test_who_has_not_played_waits_for_nothing() -> None:
    """M3."""
    patience = Patience()

    assert not patience.waits("new", 0.0, 1_000_000)
    assert patience.next_end is None


def test_a_bot_waits_a_quarter_of_the_time_it_was_busy_and_less_for_company_that_is_worth_more() -> None:
    patience = Patience()
    patience.seated(("a", "b"), 1_000)

    patience.begin()
    assert patience.waits("a", 0.0, 5_000)
    assert patience.next_end == 6_000
    assert patience.waits("b", 0.5, 5_000)
    assert patience.next_end == 5_500
    assert not patience.waits("b", 0.5, 5_500)
    assert patience.waits("a", 0.0, 5_999)
    assert not patience.waits("a", 0.0, 6_000)
    assert not patience.waits("a", 1.0, 5_001)


def test_nobody_waits_longer_than_the_longest_wait_however_slow_it_is() -> None:
    """M5."""
    patience = Patience()
    patience.seated(("slow",), 0)

    assert patience.waits("slow", 0.0, 10**9)
    assert not patience.waits("slow", 0.0, 10**9 + LONGEST_WAIT_MS)


def test_a_new_block_ends_the_wait() -> None:
    patience = Patience()
    patience.seated(("a",), 0)
    assert patience.waits("a", 0.0, 4_000)

    patience.seated(("a",), 4_500)

    assert not patience.waits("a", 0.0, 4_500)


# -- in a ladder ----------------------------------------------------------------------------------------------


def test_a_bot_waits_for_better_company_only_while_somebody_is_busy() -> None:
    """M5: for a quarter of the time of its last block at most."""
    meetings, patience = Meetings(), Patience()
    for _ in range(3):
        meetings.seated(("a", "b"))
    patience.seated(("a", "b"), 0)
    pair = [candidate("a"), candidate("b")]

    def line_up(present: str, now: int) -> tuple[str, ...] | None:
        players = {bot: Player(bot, f"owner of {bot}") for bot in present}
        market = Market(pair, 2, present=present, player=players.__getitem__, meetings=meetings, patience=patience)
        return market.next_line_up(Chance(SEED), now)

    assert {"a", "b"} == set(line_up("ab", 4_000) or ())
    assert line_up("abc", 4_000) is None
    assert {"a", "b"} == set(line_up("abc", 5_000) or ())


def test_a_bot_does_not_wait_for_one_that_it_may_not_meet() -> None:
    """M9."""
    meetings, patience = Meetings(), Patience()
    for _ in range(3):
        meetings.seated(("a", "b"))
    patience.seated(("a", "b"), 0)
    pair = [candidate("a", owner="mine"), candidate("b")]
    players = {"a": Player("a", "mine"), "b": Player("b", "owner of b"), "c": Player("c", "mine")}

    market = Market(pair, 2, present="abc", player=players.__getitem__, meetings=meetings, patience=patience)

    assert {"a", "b"} == set(market.next_line_up(Chance(SEED), 4_000) or ())


MANY = {bot: Player(bot, f"owner of {bot}") for bot in (*"abcd", *(f"busy-{number}" for number in range(30)))}


def many_with(free: Sequence[Candidate], met: int) -> Market:
    """Return a large ladder in which `a` and `b` met so often, and all that are free could wait."""
    meetings, patience = Meetings(), Patience()
    for _ in range(met):
        meetings.seated("ab")
    patience.seated("abc", 0)
    return Market(free, 3, present=MANY, player=MANY.__getitem__, meetings=meetings, patience=patience)


@pytest.mark.parametrize(("met", "together"), [(1, True), (2, False)])
def test_two_that_met_twice_are_no_company_of_a_third_while_they_can_wait(met: int, together: bool) -> None:
    """M2: it is new to both, and they would be seated beside each other again."""
    three = [candidate("a"), candidate("b"), candidate("c")]

    at_first = many_with(three, met)
    beside_others = many_with([three[0], three[2], candidate("d")], met)

    assert (at_first.next_line_up(Chance(SEED), 4_000) is not None) is together
    assert set("abc") == set(at_first.next_line_up(Chance(SEED), 5_000) or ())
    assert set("acd") == set(beside_others.next_line_up(Chance(SEED), 4_000) or ())


def test_who_has_to_catch_up_is_not_kept_apart_from_anybody() -> None:
    """M1: it would else fall further behind."""
    free = [candidate("a", behind=True), candidate("b"), candidate("c")]

    assert set("abc") == set(many_with(free, 2).next_line_up(Chance(SEED), 4_000) or ())
