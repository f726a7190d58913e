"""Writing ahead: what a turn of the loop accepts is stored in one call, and has its consequences after it, in order."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator

import pytest
from tests.support.journals import StoredJournal
from tests.support.referee import Bench
from tests.support.streams import settle

from agon_server.referee.entries import Entry, Kind


class Follows:
    """Notes what it follows, and accepts something in answer to it once."""

    def __init__(self, journal: StoredJournal, then: int | None = None) -> None:
        self.head = "$5\r\nmatch\r\n$1\r\n1\r\n"
        self.closed = False
        self.closes = False
        """What follows next is its end."""
        self.followed: list[int] = []
        self.told: list[int] = []
        """After how many entries it has said what came of them."""
        self._journal = journal
        self._then = then

    def accept(self, number: int) -> None:
        self._journal.accept(self, Entry(number, Kind.CHOICE, 0), f"[{number}]")

    def follow(self, entry: Entry) -> None:
        self.followed.append(entry.number)
        self.closed = self.closes
        then, self._then = self._then, None
        if then is not None:
            self.accept(then)

    def tell(self) -> None:
        self.told.append(len(self.followed))


def numbers(journal: StoredJournal) -> list[list[str]]:
    return [[line for _, _, line in call] for call in journal.line.calls]


@pytest.fixture
async def journal() -> AsyncIterator[StoredJournal]:
    journal = StoredJournal()
    storing = asyncio.create_task(journal.serve())
    await asyncio.sleep(0)
    yield journal
    storing.cancel()
    await asyncio.gather(storing, return_exceptions=True)


async def test_the_choices_of_a_turn_are_stored_in_one_call_and_then_have_their_consequences_in_order(
    journal: StoredJournal,
) -> None:
    match = Follows(journal)
    for number in range(3):
        match.accept(number)

    assert match.followed == []
    assert journal.line.calls == []

    await settle()

    assert match.followed == [0, 1, 2]
    assert match.told == [1, 2, 3]
    assert numbers(journal) == [["[0]", "[1]", "[2]"]]


async def test_the_rules_of_all_matches_run_before_what_came_of_it_is_told(journal: StoredJournal) -> None:
    order: list[str] = []

    class Ordered(Follows):
        def __init__(self, name: str) -> None:
            super().__init__(journal)
            self._name = name

        def follow(self, entry: Entry) -> None:
            super().follow(entry)
            order.append(f"{self._name} follows {entry.number}")

        def tell(self) -> None:
            order.append(f"{self._name} tells")

    first, second = Ordered("first"), Ordered("second")
    first.accept(0)
    second.accept(0)
    second.accept(1)
    await settle()

    # Of one match each entry's consequence is told before the next one takes effect.
    assert order == [
        "first follows 0",
        "second follows 0",
        "second tells",
        "second follows 1",
        "first tells",
        "second tells",
    ]


async def test_what_comes_while_a_call_is_under_way_goes_together_with_the_next_one(journal: StoredJournal) -> None:
    match = Follows(journal)
    journal.line.open.clear()
    for number in range(4):
        match.accept(number)
        await settle()

    assert match.followed == []

    journal.line.open.set()
    await settle()

    assert match.followed == [0, 1, 2, 3]
    assert numbers(journal) == [["[0]"], ["[1]", "[2]", "[3]"]]


async def test_what_a_consequence_accepts_belongs_to_the_next_call(journal: StoredJournal) -> None:
    match = Follows(journal, then=1)
    match.accept(0)
    await settle()

    assert match.followed == [0, 1]
    assert numbers(journal) == [["[0]"], ["[1]"]]


async def test_what_the_store_does_not_take_is_mended_and_tried_again_in_order(journal: StoredJournal) -> None:
    """An entry behind one that is refused waits with it; other matches play on."""
    match, other = Follows(journal), Follows(journal)
    journal.line.answers = [[1, -1, 1, 1]]
    match.accept(0)
    match.accept(1)
    other.accept(0)
    match.accept(2)
    await settle()

    assert journal.refused == [match]
    assert match.followed == [0, 1, 2]
    assert other.followed == [0]
    assert numbers(journal) == [["[0]", "[1]", "[0]", "[2]"], ["[1]", "[2]"]]


async def test_nothing_of_a_match_that_was_let_go_is_stored_or_followed(journal: StoredJournal) -> None:
    match, other = Follows(journal), Follows(journal)
    journal.line.open.clear()
    other.accept(0)
    await settle()
    match.accept(0)
    match.closed = True
    journal.line.open.set()
    await settle()

    assert (match.followed, other.followed) == ([], [0])
    assert numbers(journal) == [["[0]"]]


async def test_an_entry_that_comes_behind_the_end_of_its_match_keeps_nobody_busy(journal: StoredJournal) -> None:
    """The match has ended in the store by then, which takes nothing more of it."""
    match, other = Follows(journal), Follows(journal)
    journal.line.open.clear()
    match.accept(0)
    await settle()
    match.accept(1)
    match.closes = True
    journal.line.open.set()
    await settle()
    other.accept(0)
    await settle()

    assert match.followed == [0]
    assert numbers(journal) == [["[0]"], ["[0]"]]


async def test_a_call_that_fails_is_made_again_with_the_same_entries(journal: StoredJournal) -> None:
    """Whether it took effect is not known; what is stored already is taken again."""
    match = Follows(journal)

    journal.line.away = 2
    match.accept(0)
    await settle()
    match.accept(1)
    await settle()

    assert match.followed == [0, 1]
    assert numbers(journal) == [["[0]"], ["[0]"], ["[0]"], ["[1]"]]


async def test_no_frame_that_follows_from_a_choice_leaves_before_it_is_stored(journal: StoredJournal) -> None:
    bench = Bench(2, journal=journal)  # type: ignore[arg-type]  # the same call
    for seat in range(2):
        bench.join(seat)
    for seat in range(2):
        bench.match.ready(seat)

    assert [stream.kinds for stream in bench.streams] == [["Start"], ["Start"]]

    await settle()
    before = [len(stream.pieces) for stream in bench.streams]
    bench.choose()

    assert [len(stream.pieces) for stream in bench.streams] == before
    assert bench.match.table.moves == []

    await settle()

    assert sum(len(stream.pieces) for stream in bench.streams) == sum(before) + 1
    stored = [json.loads(line) for call in journal.line.calls for _, _, line in call]
    assert [(number, kind) for number, _, kind, *_ in stored] == [(0, "begin"), (1, "choice")]
