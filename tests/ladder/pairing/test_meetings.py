"""Who met whom is remembered for so many blocks, and a free bot waits no longer than it may."""

from __future__ import annotations

from agon_ladder.pairing.meetings import MEMORY_BLOCKS, Meetings
from agon_ladder.pairing.waiting import LONGEST_WAIT_MS, Patience


def test_meetings_are_counted_for_each_pair_of_a_block() -> None:
    meetings = Meetings()

    meetings.seated(("a", "b", "c"))
    meetings.seated(("b", "a"))

    assert meetings.of("a") == {"b": 2, "c": 1}
    assert meetings.of("c") == {"a": 1, "b": 1}
    assert meetings.of("unknown") == {}


def test_a_bot_forgets_what_lies_too_many_of_its_own_blocks_back() -> None:
    meetings = Meetings()
    meetings.seated(("a", "b"))

    for number in range(MEMORY_BLOCKS):
        meetings.seated(("a", f"other-{number % 5}"))

    assert "b" not in meetings.of("a")
    assert meetings.of("b") == {"a": 1}
    assert sum(meetings.of("a").values()) == MEMORY_BLOCKS


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
