"""Who met whom is remembered for so many blocks."""

from __future__ import annotations

from agon_ladder.pairing.meetings import MEMORY_BLOCKS, Meetings


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
