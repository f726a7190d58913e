"""The unary services over real gRPC: who may call what, what a failure's status is, how much is served at a time."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import grpc
import grpc.aio
import pytest

from agon.codec import admin, ladder, tournament
from agon.codec.calls import Method
from agon.codec.errors import CodecError
from agon_engine.core.errors import OptionsError
from agon_ladder.errors import ResultError
from agon_server.accounts import AccountError
from agon_server.cli.server_door import ServerDoor
from agon_server.config import ConfigError
from agon_server.operations import errors
from agon_server.operations.table import OPERATIONS, Access, Operation, Watch
from agon_server.services.serving import Services
from agon_server.services.status import PUSHBACK, error_of
from agon_server.store.errors import Away, DuplicateMatchError, StoreUnavailableError, UnknownMatchError

TOKEN = "the admin's token"


class FakeAccounts:
    """Knows one bot."""

    async def authenticate(self, token: str) -> Any:
        return SimpleNamespace(name="hector") if token == "hector's token" else None


class FullStore:
    """Writes nothing to its disk."""

    async def wait_durable(self) -> None:
        raise StoreUnavailableError("its disk is full", Away.DISK)


def answering(method: Method[Any, Any], answer: Any, access: Access = Access.PUBLIC) -> Operation[Any, Any]:
    async def run(_installation: Any, request: Any) -> Any:
        made = answer(request) if callable(answer) else answer
        if isinstance(made, Awaitable):
            made = await made
        if isinstance(made, Exception):
            raise made
        return made

    return Operation(method, run, access)


@asynccontextmanager
async def serving(
    *operations: Operation[Any, Any] | Watch[Any, Any], calls: int = 10, watches: int = 10
) -> AsyncIterator[Callable[[str], ServerDoor]]:
    """Serve the operations; yield what makes a door for a token."""
    installation: Any = SimpleNamespace(accounts=FakeAccounts(), in_background=asyncio.to_thread, store=FullStore())
    server = grpc.aio.server()
    services = Services(installation, TOKEN, calls=calls, watches=watches, operations=operations)
    server.add_generic_rpc_handlers(services.handlers())
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        yield lambda token: ServerDoor(channel, f"127.0.0.1:{port}", token)
    await server.stop(None)


BOTS = ladder.ListBotsResponse(
    (ladder.Bot(name="hector", owner="priam", created="", house=False, trusted=False, suspended=False),)
)
LOG = admin.ReadBotLogResponse(("a line",), 0, "")


async def test_a_public_call_needs_no_token() -> None:
    async with serving(answering(ladder.LIST_BOTS, BOTS)) as door:
        assert await door("").call(ladder.LIST_BOTS, ladder.ListBotsRequest()) == BOTS


@pytest.mark.parametrize(
    ("token", "name", "expected"),
    [
        (TOKEN, "hector", None),
        (TOKEN, "paris", None),
        ("hector's token", "hector", None),
        ("hector's token", "paris", errors.DeniedError),
        ("nobody's token", "hector", errors.UnauthenticatedError),
        ("", "hector", errors.UnauthenticatedError),
    ],
)
async def test_a_bots_log_is_for_its_owner_and_the_admin(
    token: str, name: str, expected: type[Exception] | None
) -> None:
    """Requirements L5 and H11: a bot's log is visible to its owner alone."""
    async with serving(answering(admin.READ_BOT_LOG, LOG, Access.OWNER)) as door:
        call = door(token).call(admin.READ_BOT_LOG, admin.ReadBotLogRequest(name))
        if expected is None:
            assert await call == LOG
        else:
            with pytest.raises(expected):
                await call


@pytest.mark.parametrize("token", ["", "nobody's token", "hector's token", TOKEN[:-1], TOKEN + "x"])
async def test_what_changes_things_is_for_the_admin_alone(token: str) -> None:
    expected = errors.DeniedError if token == "hector's token" else errors.UnauthenticatedError
    async with serving(answering(admin.DRAIN, admin.DrainResponse(0), Access.ADMIN)) as door:
        with pytest.raises(expected):
            await door(token).call(admin.DRAIN, admin.DrainRequest())
        assert await door(TOKEN).call(admin.DRAIN, admin.DrainRequest()) == admin.DrainResponse(0)


async def test_what_changes_things_is_answered_once_it_is_on_disk() -> None:
    """X9: a token that was shown is not lost with the store's last second."""
    token = admin.RegisterBotResponse("hector", "token")
    operation = replace(answering(admin.REGISTER_BOT, token, Access.ADMIN), changes=True)
    async with serving(operation) as door:
        with pytest.raises(errors.UnreachableError, match="its disk is full"):
            await door(TOKEN).call(admin.REGISTER_BOT, admin.RegisterBotRequest("hector"))


def test_every_admin_call_is_closed_to_the_public() -> None:
    open_calls = {item.method.path for item in OPERATIONS if item.access is Access.PUBLIC}

    assert {path for path in open_calls if "AdminService" in path or "TournamentService" in path} == set()
    assert {item.method.path for item in OPERATIONS if item.access is Access.OWNER} == {admin.READ_BOT_LOG.path}
    assert len({item.method.path for item in OPERATIONS}) == len(OPERATIONS)


def test_every_call_of_the_contract_has_an_operation() -> None:
    found = (item for module in (ladder, admin, tournament) for item in vars(module).values())
    methods = {item.path for item in found if isinstance(item, Method)}

    assert {item.method.path for item in OPERATIONS} == methods


FAILURES: Sequence[tuple[Exception, grpc.StatusCode]] = [
    (errors.InvalidError("no"), grpc.StatusCode.INVALID_ARGUMENT),
    (errors.NotFoundError("no"), grpc.StatusCode.NOT_FOUND),
    (errors.ExistsError("no"), grpc.StatusCode.ALREADY_EXISTS),
    (errors.PreconditionError("no"), grpc.StatusCode.FAILED_PRECONDITION),
    (errors.DeniedError("no"), grpc.StatusCode.PERMISSION_DENIED),
    (errors.LimitError("no", 5), grpc.StatusCode.RESOURCE_EXHAUSTED),
    (errors.UnreachableError("no"), grpc.StatusCode.UNAVAILABLE),
    (OptionsError("no"), grpc.StatusCode.INVALID_ARGUMENT),
    (ConfigError("no"), grpc.StatusCode.INVALID_ARGUMENT),
    (AccountError("no"), grpc.StatusCode.INVALID_ARGUMENT),
    (ResultError("no"), grpc.StatusCode.INVALID_ARGUMENT),
    (UnknownMatchError("no"), grpc.StatusCode.NOT_FOUND),
    (DuplicateMatchError("no", "id"), grpc.StatusCode.FAILED_PRECONDITION),
    (StoreUnavailableError("no"), grpc.StatusCode.UNAVAILABLE),
    (CodecError("no"), grpc.StatusCode.INVALID_ARGUMENT),
]


@pytest.mark.parametrize(("raised", "status"), FAILURES, ids=lambda item: type(item).__name__)
async def test_each_error_has_its_status(raised: Exception, status: grpc.StatusCode) -> None:
    async with serving(answering(ladder.LIST_BOTS, lambda _: raised)) as door:
        channel = door("")._channel
        call: Any = channel.unary_unary(ladder.LIST_BOTS.path)
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await call(b"")

    assert (caught.value.code(), caught.value.details()) == (status, "no")


async def test_a_fault_of_the_server_says_nothing_of_its_inside(caplog: pytest.LogCaptureFixture) -> None:
    """Requirement H1: no value of the server's inside reaches who calls."""
    async with serving(answering(ladder.LIST_BOTS, lambda _: KeyError("seed 0123"))) as door:
        with caplog.at_level(logging.ERROR), pytest.raises(errors.UnreachableError) as caught:
            await door("").call(ladder.LIST_BOTS, ladder.ListBotsRequest())

    assert "seed" not in str(caught.value)
    assert "/agon.v1.LadderService/ListBots failed:\nKeyError\n  " in caplog.text
    assert "seed" not in caplog.text


async def test_bytes_that_are_no_request_are_refused() -> None:
    async with serving(answering(ladder.LIST_MATCHES, BOTS)) as door:
        call: Any = door("")._channel.unary_unary(ladder.LIST_MATCHES.path)
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await call(b"\xff\xff")

    assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT


async def test_one_call_too_many_is_told_when_to_try_again_and_harms_nobody() -> None:
    """Requirement L7: RESOURCE_EXHAUSTED with a retry delay."""
    gate = asyncio.Event()

    async def slow(_: Any) -> ladder.ListBotsResponse:
        await gate.wait()
        return BOTS

    async with serving(answering(ladder.LIST_BOTS, slow), calls=2) as door:
        calls = [asyncio.create_task(door("").call(ladder.LIST_BOTS, ladder.ListBotsRequest())) for _ in range(3)]
        done, waiting = await asyncio.wait(calls, return_when=asyncio.FIRST_COMPLETED)
        refused = done.pop().exception()
        gate.set()
        answers = await asyncio.gather(*waiting)

    assert isinstance(refused, errors.LimitError)
    assert refused.retry_ms > 0
    assert answers == [BOTS, BOTS]


def watching(ended: asyncio.Event) -> Any:
    """Return an operation that answers for ever."""

    async def watch(_installation: Any, _request: Any) -> AsyncIterator[ladder.ListBotsResponse]:
        try:
            while True:
                yield BOTS
                await asyncio.sleep(0)
        finally:
            ended.set()

    like = ladder.WATCH_STANDINGS
    method = Method(like.service, like.name, like.request, ladder.LIST_BOTS.response, streams=True)
    return Watch(method, watch, Access.PUBLIC)


async def test_strangers_leave_the_admin_its_calls() -> None:
    """All public places are taken, by watches that never end and calls that hang; a wrong token helps nobody."""
    gate = asyncio.Event()
    at_work = asyncio.Semaphore(0)

    async def slow(_: Any) -> ladder.ListBotsResponse:
        at_work.release()
        await gate.wait()
        return BOTS

    table = watching(asyncio.Event())
    drain = answering(admin.DRAIN, admin.DrainResponse(0), Access.ADMIN)
    request = ladder.WatchStandingsRequest("x")
    async with serving(table, drain, answering(ladder.LIST_BOTS, slow), calls=1, watches=1) as door:
        watch: Any = door("").watch(table.method, request)
        await anext(watch)
        with pytest.raises(errors.LimitError, match="serves 1 watches at a time") as refused:
            await anext(door("").watch(table.method, request))
        # Watches take no place of calls.
        call = asyncio.create_task(door("").call(ladder.LIST_BOTS, ladder.ListBotsRequest()))
        await at_work.acquire()
        for token in ("", "nobody's token", "hector's token"):
            with pytest.raises(errors.LimitError, match="serves 1 calls at a time"):
                await door(token).call(admin.DRAIN, admin.DrainRequest())

        assert await door(TOKEN).call(admin.DRAIN, admin.DrainRequest()) == admin.DrainResponse(0)
        own: Any = door(TOKEN).watch(table.method, request)
        assert await anext(own) == BOTS

        gate.set()
        assert await call == BOTS
        await own.aclose()
        await watch.aclose()
    assert refused.value.retry_ms > 0


async def test_a_watch_sends_until_its_client_goes_and_then_frees_its_place() -> None:
    ended = asyncio.Event()
    table = watching(ended)
    async with serving(table, watches=1) as door:
        seen = 0
        updates = door("").watch(table.method, ladder.WatchStandingsRequest("x"))
        async for update in updates:
            assert update == BOTS
            seen += 1
            if seen == 3:
                break
        await updates.aclose()  # type: ignore[attr-defined]  # an async generator
        await asyncio.wait_for(ended.wait(), 10)


async def test_a_door_tells_what_a_status_means() -> None:
    async with serving(answering(ladder.LIST_BOTS, lambda _: errors.LimitError("too many", 250))) as door:
        with pytest.raises(errors.LimitError) as caught:
            await door("").call(ladder.LIST_BOTS, ladder.ListBotsRequest())
        with pytest.raises(errors.UnreachableError, match="does not know this call; is its version older"):
            await door("").call(ladder.LIST_QUEUE, ladder.ListQueueRequest())

    assert caught.value.retry_ms == 250


def test_pushback_from_elsewhere_is_read_only_where_it_is_a_number() -> None:
    failed = grpc.aio.AioRpcError(
        grpc.StatusCode.RESOURCE_EXHAUSTED, grpc.aio.Metadata(), grpc.aio.Metadata((PUSHBACK, "soon")), "full"
    )

    error = error_of(failed, "here")

    assert isinstance(error, errors.LimitError)
    assert error.retry_ms == 0
