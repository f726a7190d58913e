"""The line that shows how a tournament goes on."""

from __future__ import annotations

import pytest

from agon_server.cli.tournament.meter import Meter


def meter(done: int, seconds: float) -> Meter:
    """Return one that began so long ago, with so many matches done."""
    times = iter((0.0, seconds))
    return Meter(done, lambda: next(times))


def test_the_line_tells_how_much_is_done_how_fast_and_how_long_it_takes() -> None:
    line = meter(0, 10.0).line(25, 100, "round 2 of 4")

    assert line == "[=====---------------] 25 %, 25 of 100 matches, round 2 of 4, 2.5/s, 30 s left"


def test_what_was_played_before_is_no_measure_of_the_pace() -> None:
    assert meter(50, 10.0).line(60, 100, "") == "[============--------] 60 %, 60 of 100 matches, 1.0/s, 40 s left"


def test_nothing_is_said_of_the_pace_before_a_match_has_ended() -> None:
    assert meter(50, 10.0).line(50, 100, "") == "[==========----------] 50 %, 50 of 100 matches"


@pytest.mark.parametrize("planned", [0, 7])
def test_what_is_over_is_full_and_nothing_divides_by_zero(planned: int) -> None:
    assert f"{planned} of {planned} matches" in meter(0, 0.0).line(planned, planned, "")
