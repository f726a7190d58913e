"""Bots that do not come rest: longer each time, never for ever, and not once they have come (M3, C18)."""

from __future__ import annotations

from agon_ladder.pairing.rests import FIRST_REST_MS, LONGEST_REST_MS, Rests


def test_a_bot_that_did_not_come_rests_and_then_may_play_again() -> None:
    rests = Rests()
    rests.missed("a", 1_000)

    assert rests.rests("a", 1_000)
    assert rests.rests("a", 1_000 + FIRST_REST_MS - 1)
    assert not rests.rests("a", 1_000 + FIRST_REST_MS)
    assert not rests.rests("b", 1_000)
    assert rests.next_end(1_000) == 1_000 + FIRST_REST_MS
    assert rests.next_end(1_000 + FIRST_REST_MS) is None


def test_rests_double_up_to_a_longest_one_until_the_bot_comes() -> None:
    rests = Rests()
    lengths = []
    for _ in range(20):
        rests.missed("a", 0)
        end = rests.next_end(0)
        assert end is not None
        lengths.append(end)

    assert lengths[:3] == [FIRST_REST_MS, 2 * FIRST_REST_MS, 4 * FIRST_REST_MS]
    assert set(lengths[3:]) == {LONGEST_REST_MS}

    rests.came("a")
    assert not rests.rests("a", 0)
    rests.missed("a", 0)
    assert rests.next_end(0) == FIRST_REST_MS
