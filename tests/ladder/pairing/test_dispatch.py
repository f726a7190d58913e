"""Which places start: oldest first, passed by younger ones but not for ever, and slots are not held for long."""

from __future__ import annotations

from agon_engine.core import Deals
from agon_ladder.pairing.blocks import OpenBlock
from agon_ladder.pairing.dispatch import MAX_PASSED, Dispatcher
from agon_ladder.pairing.slots import Process, Slots


def block(name: str, *bots: str) -> OpenBlock:
    return OpenBlock(name, "toy", bots, Deals.FRESH, "", 0)


def slots(**free: int) -> Slots:
    return Slots(Process(bot, "", count, {"toy"}) for bot, count in free.items())


def started(dispatcher: Dispatcher, blocks: list[OpenBlock], free: Slots, now: int = 0) -> list[tuple[str, int]]:
    return [(start.block.id, start.place) for start in dispatcher.begin(blocks, free, now)]


def test_the_oldest_block_comes_first_with_as_many_places_as_slots_allow() -> None:
    blocks = [block("old", "a", "b"), block("young", "a", "c")]

    assert started(Dispatcher(), blocks, slots(a=2, b=2, c=2)) == [("old", 0), ("old", 1)]
    assert started(Dispatcher(), blocks, slots(a=3, b=1, c=2)) == [("old", 0), ("young", 0), ("young", 1)]


def test_a_block_that_waits_for_one_bot_is_passed() -> None:
    assert started(Dispatcher(), [block("old", "a", "b"), block("young", "a", "c")], slots(a=1, b=0, c=1)) == [
        ("young", 0)
    ]


def test_a_block_of_an_absent_bot_neither_starts_nor_holds() -> None:
    dispatcher = Dispatcher()
    blocks = [block("old", "a", "gone"), *(block(f"young-{number}", "a", "c") for number in range(MAX_PASSED + 3))]

    for number in range(MAX_PASSED + 3):
        assert len(started(dispatcher, [blocks[0], blocks[1 + number]], slots(a=1, c=1), now=1_000 * number)) == 1
    assert dispatcher.next_release() is None


def pass_often(dispatcher: Dispatcher, old: OpenBlock) -> None:
    """Let the block be passed as often as it bears, once a second."""
    for number in range(MAX_PASSED):
        passing = block(f"young-{number}", "a", "c")
        assert started(dispatcher, [old, passing], slots(a=1, b=0, c=1), now=1_000 * number) == [(passing.id, 0)]


def test_a_block_that_was_passed_too_often_holds_the_slots_it_can_get() -> None:
    dispatcher, old = Dispatcher(), block("old", "a", "b")
    pass_often(dispatcher, old)
    now = 1_000 * MAX_PASSED

    free = slots(a=1, b=0, c=1)
    assert started(dispatcher, [old, block("young", "a", "c")], free, now) == []
    assert (free.free("a", "toy"), free.free("c", "toy")) == (0, 1)
    assert dispatcher.next_release() == now + now // 4

    assert started(dispatcher, [old, block("young", "a", "c")], slots(a=1, b=1, c=1), now + 1) == [("old", 0)]
    assert dispatcher.next_release() is None


def test_slots_are_let_go_after_a_quarter_of_the_time_waited_and_not_held_again_at_once() -> None:
    dispatcher, old = Dispatcher(), block("old", "a", "b")
    pass_often(dispatcher, old)
    begun = 1_000 * MAX_PASSED
    free = {"a": 1, "b": 0, "c": 1}
    young = block("young", "a", "c")
    assert started(dispatcher, [old, young], slots(**free), begun) == []

    let_go = begun + begun // 4
    assert started(dispatcher, [old, young], slots(**free), let_go - 1) == []
    assert started(dispatcher, [old, young], slots(**free), let_go) == [("young", 0)]

    for number in range(2 * MAX_PASSED):
        passing = block(f"again-{number}", "a", "c")
        assert started(dispatcher, [old, passing], slots(**free), let_go + number) == [(passing.id, 0)]
    assert started(dispatcher, [old, block("last", "a", "c")], slots(**free), 2 * let_go) == []


def test_new_blocks_pass_older_ones_too() -> None:
    dispatcher, old = Dispatcher(), block("old", "a", "b")
    for number in range(MAX_PASSED):
        free = slots(a=1, b=0, c=1)
        assert dispatcher.begin([old], free, 1_000 * number) == []
        new = block(f"new-{number}", "a", "c")
        assert len(dispatcher.start(new, new.left(), free)) == 1

    free = slots(a=1, b=0, c=1)
    dispatcher.begin([old], free, 1_000 * MAX_PASSED)
    assert free.free("a", "toy") == 0
