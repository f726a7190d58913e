"""A match ends once, whatever arrives while its result is being stored."""

from __future__ import annotations

import pytest
from tests.support.referee import Bench, FakeHost

from agon.codec.frames import Over
from agon_engine.core.policy import Termination
from agon_server.referee.match import Match, Phase


class SlowHost(FakeHost):
    """Stores results only when the test says so."""

    def over(self, match: Match) -> None:
        self.ended.append(match)


def bench_that_stores_slowly() -> Bench:
    bench = Bench(2)
    bench.host = SlowHost()
    bench.match._host = bench.host
    return bench


@pytest.mark.parametrize("late", [0, 1])
def test_a_ready_that_comes_while_a_no_show_is_stored_changes_nothing(late: int) -> None:
    bench = bench_that_stores_slowly()
    bench.join(0)
    bench.join(1)
    bench.match.ready(1 - late)
    bench.match.cancel(Termination.CANCELLED)

    bench.match.ready(late)

    assert Phase.OVER is bench.match.phase
    assert [bench.match] == bench.host.ended


def test_whatever_comes_after_the_end_each_seat_gets_one_over() -> None:
    bench = bench_that_stores_slowly()
    bench.begin()
    bench.match.resign(bench.to_act)
    for seat in (0, 1):
        bench.match.ready(seat)
        bench.match.resign(seat)
        bench.match.flooded(seat)
        bench.match.cancel(Termination.INFRASTRUCTURE)
        bench.choose(seat, decision=1)
        bench.join(seat)
    bench.clock.advance(10_000)

    bench.match.tell_over("hash", "")

    assert [bench.match] == bench.host.ended
    assert [len(stream.of(Over)) for stream in bench.streams] == [1, 1]
