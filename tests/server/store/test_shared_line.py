"""Many callers on one connection: each gets its own answer, or learns why there is none."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from redis import exceptions as client_errors
from tests.support.valkey import until

from agon_server.store.client import CLIENT_ERRORS, is_stale, make_connection
from agon_server.store.connection import Store
from agon_server.store.shared_line import AT_ONCE, SharedLine


@pytest_asyncio.fixture
async def line(valkey_url: str) -> AsyncIterator[SharedLine]:
    opened = SharedLine(make_connection(valkey_url))
    yield opened
    await opened.aclose()


async def test_commands_of_one_loop_turn_travel_together(line: SharedLine, store: Store) -> None:
    await line.send("PING")
    before = await _reads(store)
    answers = await asyncio.gather(*(line.send("ECHO", number) for number in range(AT_ONCE)))

    assert [str(number).encode() for number in range(AT_ONCE)] == answers
    # Of these one is the question itself.
    assert await _reads(store) - before < AT_ONCE / 10


async def test_a_refused_command_fails_alone(line: SharedLine) -> None:
    answers = await asyncio.gather(
        line.send("ECHO", "before"), line.send("HGET", "key"), line.send("ECHO", "after"), return_exceptions=True
    )

    assert (answers[0], answers[2]) == (b"before", b"after")
    assert isinstance(answers[1], client_errors.ResponseError)


async def test_what_is_given_up_in_time_is_not_sent(line: SharedLine) -> None:
    given_up = line.send("SET", "given-up", 1)
    given_up.cancel()
    await asyncio.wait([given_up])

    assert await line.send("EXISTS", "given-up") == 0


async def test_a_connection_that_was_closed_while_idle_is_made_anew(valkey_url: str, store: Store) -> None:
    """A server may close what says nothing for long."""
    connection = make_connection(valkey_url)
    line = SharedLine(connection)
    await store.command("CLIENT", "KILL", "ID", await line.send("CLIENT", "ID"))
    await until(lambda: is_stale(connection))

    assert await line.send("ECHO", "here") == b"here"
    await line.aclose()


async def test_a_connection_that_breaks_fails_all_that_wait_on_it_and_no_later_ones(
    line: SharedLine, store: Store
) -> None:
    connection = await line.send("CLIENT", "ID")
    waiting = [line.send("BLPOP", "nothing", 0), line.send("ECHO", "behind")]
    await asyncio.sleep(0)
    await _until_blocked(store)
    await store.command("CLIENT", "KILL", "ID", connection)
    ends = await asyncio.gather(*waiting, return_exceptions=True)

    assert all(isinstance(end, CLIENT_ERRORS) for end in ends)
    assert await line.send("ECHO", "later") == b"later"


async def test_whoever_waits_on_a_line_that_is_closed_learns_it(line: SharedLine, store: Store) -> None:
    waiting = [line.send("BLPOP", "nothing", 0)]
    await _until_blocked(store)
    waiting.append(line.send("ECHO", "not sent yet"))
    await line.aclose()
    ends = await asyncio.gather(*waiting, return_exceptions=True)

    assert [client_errors.ConnectionError] * 2 == [type(end) for end in ends]


async def test_whoever_sends_as_a_line_is_closed_learns_it(line: SharedLine) -> None:
    waiting = line.send("ECHO", "not sent yet")
    await line.aclose()

    with pytest.raises(client_errors.ConnectionError):
        await asyncio.wait_for(waiting, 5)


async def test_a_server_that_does_not_answer_is_given_up(
    line: SharedLine, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agon_server.store.shared_line.ANSWER_SECONDS", 0.05)

    with pytest.raises(TimeoutError):
        await line.send("BLPOP", "nothing", 0)
    assert await line.send("ECHO", "here") == b"here"


async def _reads(store: Store) -> int:
    info = (await store.command("INFO", "stats")).decode()
    return int(next(row for row in info.splitlines() if row.startswith("total_reads_processed:")).partition(":")[2])


async def _until_blocked(store: Store) -> None:
    async def is_blocked() -> bool:
        return b"blocked_clients:1" in await store.command("INFO", "clients")

    await until(is_blocked)
