"""Before the welcome: places are bounded, and the silent make room."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from agon.codec.frames import RefusedCode
from agon_server.referee.stream import Ending
from agon_server.services.hall import Hall, Places


class Guest:
    """A stream that has come in."""

    def __init__(self, hall: Hall) -> None:
        self.message: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        self.judged = asyncio.Event()
        self.task = asyncio.create_task(self._stay(hall))

    async def _stay(self, hall: Hall) -> object:
        with hall.place() as has_place:
            if not has_place:
                return None
            heard = await hall.first_message(self.message)
            if not isinstance(heard, Ending):
                await self.judged.wait()
            return heard


@asynccontextmanager
async def guests(hall: Hall, count: int) -> AsyncIterator[list[Guest]]:
    made = [Guest(hall) for _ in range(count)]
    try:
        await asyncio.sleep(0)  # each has its place
        yield made
    finally:
        for guest in made:
            guest.task.cancel()
        await asyncio.gather(*(guest.task for guest in made), return_exceptions=True)


async def test_who_has_been_silent_longest_makes_room() -> None:
    hall = Hall(places=3, hello_seconds=60)
    async with guests(hall, 4) as (first, second, third, fourth):
        ending = await first.task
        assert isinstance(ending, Ending)
        assert (ending.code, ending.retry_delay) == (RefusedCode.LIMIT, 5_000_000)
        second.message.set_result(b"hello")
        await asyncio.sleep(0)
        async with guests(hall, 1) as (fifth,):
            assert isinstance(await third.task, Ending)
            assert not any(guest.task.done() for guest in (second, fourth, fifth))


async def test_who_has_said_hello_makes_no_room() -> None:
    hall = Hall(places=2, hello_seconds=60)
    async with guests(hall, 2) as there:
        for guest in there:
            guest.message.set_result(b"hello")
        await asyncio.sleep(0)
        async with guests(hall, 1) as (late,):
            assert await late.task is None
        for guest in there:
            guest.judged.set()
        assert [await guest.task for guest in there] == [b"hello", b"hello"]
        async with guests(hall, 2) as others:
            assert not any(guest.task.done() for guest in others)


async def test_who_is_silent_too_long_is_told_so() -> None:
    hall = Hall(places=2, hello_seconds=0.001)
    async with guests(hall, 1) as (guest,):
        assert await guest.task == Ending(RefusedCode.HELLO_FIRST, "no Hello within 0.001 seconds")


async def test_who_leaves_frees_its_place() -> None:
    hall = Hall(places=1, hello_seconds=60)
    for _ in range(3):
        async with guests(hall, 1) as (guest,):
            guest.message.set_exception(ConnectionError())
            await asyncio.wait([guest.task])
    async with guests(hall, 1) as (guest,):
        assert not guest.task.done()


def test_places_are_bounded_in_all_and_for_each_bot_and_a_stream_that_replaces_another_needs_none_more() -> None:
    places = Places(streams=3, per_bot=2)
    for bot in ("a", "a", "b"):
        assert places.refusal(bot, replaces=False) is None
        places.take(bot)

    full = places.refusal("c", replaces=False)
    assert full is not None
    assert (full.code, full.retry_delay) == (RefusedCode.LIMIT, 5_000_000)
    assert places.refusal("b", replaces=True) is None

    places.take("b")  # the one that it replaces is not gone yet
    assert places.refusal("b", replaces=True) is not None
    places.give_back("b")
    places.give_back("b")
    assert places.refusal("b", replaces=False) is None
    its_own = places.refusal("a", replaces=False)
    assert its_own is not None
    assert "a bot has at most 2 streams" in its_own.message
