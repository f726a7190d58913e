"""What an answer means, and where methods run."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest
from tests.support.patience import PATIENCE

from agon_bots import ChoiceError
from agon_bots.sdk.thinking import Done, Thinker, call_here, chosen_index

ACTIONS = ("build TT01 a", "pass", "draw deck")


class Integer:
    """As numpy's integers are: no int, but an index."""

    def __index__(self) -> int:
        return 2


@pytest.mark.parametrize(("value", "index"), [("pass", 1), (0, 0), (2, 2), (Integer(), 2)])
def test_a_code_or_an_index_is_an_answer(value: Any, index: int) -> None:
    assert chosen_index(ACTIONS, value) == index


@pytest.mark.parametrize("value", ["", "Pass", -1, 3, True, 1.0, None, ["pass"], b"pass"])
def test_anything_else_is_none_and_is_named(value: Any) -> None:
    with pytest.raises(ChoiceError, match="choose returned") as caught:
        chosen_index(ACTIONS, value)

    assert str(caught.value).endswith(repr(value))


def test_a_plain_method_that_returns_an_awaitable_is_told_to_be_async() -> None:
    async def later(_: object) -> int:
        return 1

    done = call_here(lambda argument: later(argument), None)

    assert isinstance(done.error, ChoiceError)
    assert "must be async itself" in str(done.error)


async def test_quick_methods_run_in_place_and_others_in_threads_of_their_own() -> None:
    here = threading.current_thread()
    loop = asyncio.get_running_loop()
    quick, slow = Thinker(quick=True), Thinker(quick=False)
    results: list[Done] = []
    barrier = threading.Barrier(3)
    done = asyncio.Event()

    def thread_of(_: object) -> threading.Thread:
        return threading.current_thread()

    def together(_: object) -> threading.Thread:
        barrier.wait(10)
        return threading.current_thread()

    def keep(result: Done) -> None:
        results.append(result)
        if len(results) == 4:
            loop.call_soon(done.set)

    quick.call(thread_of, None, keep)
    assert [result.value for result in results] == [here]
    for _ in range(3):
        slow.call(together, None, keep)
    async with asyncio.timeout(PATIENCE):
        await done.wait()

    threads = {result.value for result in results}
    assert len(threads) == 4
    assert all(thread.daemon for thread in threads - {here})


async def test_a_cancelled_async_method_says_nothing_more() -> None:
    thinker = Thinker(quick=True)
    results: list[Done] = []

    async def never(_: object) -> None:
        await asyncio.Event().wait()

    task = thinker.call(never, None, results.append)
    assert task is not None
    await asyncio.sleep(0)
    thinker.close()
    await asyncio.gather(task, return_exceptions=True)

    assert task.cancelled()
    assert not results
