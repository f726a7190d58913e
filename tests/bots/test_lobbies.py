"""Which lobby a bot tries next."""

from __future__ import annotations

from agon.address import Address
from agon_bots.sdk.lobbies import ENDING_SECONDS, Lobbies

ONE, TWO, THREE = (Address("127.0.0.1", port) for port in (1, 2, 3))


def test_the_one_that_worked_is_tried_again_first_and_then_the_next() -> None:
    lobbies = Lobbies([ONE, TWO])

    assert lobbies.pick(0.0) == (ONE, 0.0)
    lobbies.failed(ONE, 0.0, 0.0, welcomed=True)
    assert lobbies.pick(0.0) == (ONE, 0.0)
    lobbies.failed(ONE, 0.0, 0.0, welcomed=False)
    assert lobbies.pick(0.0) == (TWO, 0.0)


def test_one_that_asked_for_a_delay_is_left_alone_and_waited_for_where_there_is_no_other() -> None:
    lobbies = Lobbies([ONE, TWO])
    lobbies.failed(ONE, 0.0, 7.0, welcomed=False)
    assert lobbies.pick(1.0) == (TWO, 0.0)

    lobbies.failed(TWO, 1.0, 9.0, welcomed=False)
    assert lobbies.pick(2.0) == (ONE, 5.0)


def test_one_that_ends_is_tried_after_the_others() -> None:
    lobbies = Lobbies([ONE, TWO, THREE])
    lobbies.ends(TWO, 0.0)

    assert lobbies.pick(1.0) == (THREE, 0.0)
    lobbies.failed(THREE, 1.0, 0.0, welcomed=False)
    assert lobbies.pick(1.0) == (ONE, 0.0)
    lobbies.failed(ONE, 1.0, 0.0, welcomed=False)
    assert lobbies.pick(1.0) == (THREE, 0.0)
    lobbies.failed(THREE, 1.0, 0.0, welcomed=False)
    assert lobbies.pick(ENDING_SECONDS) == (ONE, 0.0)


def test_where_all_end_one_after_the_other_none_is_waited_for() -> None:
    """C20: a rolling restart; the first is back when the second ends, and says so to nobody who has left it."""
    lobbies = Lobbies([ONE, TWO])
    lobbies.ends(ONE, 0.0)
    lobbies.ends(TWO, 10.0)

    assert lobbies.pick(10.0) == (ONE, 0.0)
    lobbies.failed(ONE, 10.0, 0.0, welcomed=False)
    assert lobbies.pick(10.0) == (TWO, 0.0)
