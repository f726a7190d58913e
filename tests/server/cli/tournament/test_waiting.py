"""What is told while a tournament of a server waits."""

from __future__ import annotations

from agon.codec.tournament import Awaited
from agon_server.cli.tournament.waiting import PATIENCE_SECONDS, WaitsFor

GONE = Awaited("a", "not connected")
BARRED = Awaited("b", "suspended (copied)")


def test_what_is_waited_for_is_told_once_and_again_when_it_begins_anew() -> None:
    now = 0.0
    waits_for = WaitsFor(lambda: now)

    at_once = waits_for.news([GONE])
    now = PATIENCE_SECONDS
    later = waits_for.news([GONE, BARRED])
    now *= 2
    then = [waits_for.news([GONE, BARRED]), waits_for.news([GONE, BARRED]), waits_for.news([BARRED])]
    waits_for.news([GONE])
    now *= 2
    anew = waits_for.news([GONE])

    assert (at_once, later) == ([], ["waits for a: not connected"])
    assert then == [["waits for b: suspended (copied)"], [], []]
    assert anew == ["waits for a: not connected"]
