"""Which servers a client is connected to, when it comes back, and when it gives up."""

from __future__ import annotations

import asyncio
import re
from functools import partial

import grpc
import pytest
from tests.support.bots import Recorder, ended, running
from tests.support.fake_server import FakeMatch, FakeServer, offered_elsewhere

from agon.codec import down
from agon.codec.frames import Choose, Join, Note, NoticeKind, Ready, RefusedCode, Slots
from agon_bots import BotError, StoppedError, SurroundingsError, UsageError
from agon_bots.sdk import client as client_module, link
from agon_bots.sdk.backoff import Backoff
from agon_bots.sdk.connections import tried

# -- referees elsewhere --------------------------------------------------------------------------------------


async def test_an_offer_with_an_address_opens_a_second_stream_that_closes_with_its_last_match(
    server: FakeServer, other: FakeServer
) -> None:
    match, here = FakeMatch(), FakeMatch("m-2")
    async with running(Recorder.fresh(), server.address) as client:
        first, second = await offered_elsewhere(server, other, match)
        assert (first.hello.slots, second.hello.slots) == (4, 0)
        assert second.hello.changed_views
        second.send(match.decide())
        await second.next(Choose)
        second.send(match.over())
        await second.over()

        assert not first.ended.is_set()
        first.send(here.offer())
        await first.next(Join)
        assert client.finished == 1


async def test_two_offers_of_one_address_share_a_stream(server: FakeServer, other: FakeServer) -> None:
    matches = [FakeMatch(f"m-{number}") for number in range(2)]
    async with running(Recorder.fresh(), server.address):
        first = await server.stream()
        first.send(server.welcome(), *(match.offer(other.address) for match in matches))
        second = await other.stream()
        second.send(other.welcome())
        await second.next(Join)
        await second.next(Join)

    assert len(other.streams) == 1


async def test_a_broken_stream_to_a_referee_is_tried_again_and_the_lobby_is_asked_too(
    server: FakeServer, other: FakeServer
) -> None:
    """R1: back at the same address, with everything that was unanswered."""
    match = FakeMatch()
    async with running(Recorder.fresh(), server.address):
        first, second = await offered_elsewhere(server, other, match)
        second.send(match.decide())
        answer = (await second.next(Choose))[1]
        second.cut()
        assert (await first.next(Join))[0].match == "m-1"

        back = await other.stream()
        back.send(other.welcome())
        await back.next(Join)
        back.send(match.start(), match.decide(full=True))
        await back.next(Ready)
        assert (await back.next(Choose))[1] == answer


async def test_a_match_whose_referee_is_gone_follows_its_new_offer(server: FakeServer, other: FakeServer) -> None:
    match, later = FakeMatch(), FakeMatch(epoch=2)
    async with running(Recorder.fresh(), server.address):
        async with FakeServer() as gone:
            first, _ = await offered_elsewhere(server, gone, match)
        await first.next(Join)
        first.send(down.notice("m-1", 0, 1, kind=NoticeKind.WAIT, message="between two referees"))
        first.send(later.offer(other.address))
        second = await other.stream()
        second.send(other.welcome())

        assert (await second.next(Join))[1].ticket == later.ticket


async def test_an_answer_that_comes_between_two_referees_waits_for_the_next_start(
    server: FakeServer, other: FakeServer
) -> None:
    """R4: said to a server where the match has not started it would be rejected, and lost."""
    go = asyncio.Event()

    class Slow(Recorder):
        async def choose(self, turn):  # type: ignore[no-untyped-def]  # as authors write it
            await go.wait()
            self.note("thought it over")
            return turn.actions[0]

    match = FakeMatch()
    taken_over = FakeMatch(epoch=2)
    taken_over.table = match.table
    async with running(Slow.fresh(), server.address):
        async with FakeServer() as gone:
            first, second = await offered_elsewhere(server, gone, match)
            second.send(match.decide())
            await second.settle()
        await first.next(Join)
        go.set()
        await first.settle()
        assert not first.waiting

        first.send(taken_over.offer(other.address))
        third = await other.stream()
        third.send(other.welcome())
        await third.next(Join)
        third.send(taken_over.start(), taken_over.decide())
        assert (await third.next(Note))[1].text == "thought it over"
        await third.next(Ready)
        match.choose((await third.next(Choose))[1])


async def test_an_offer_for_a_seat_that_plays_changes_nothing(server: FakeServer, other: FakeServer) -> None:
    match = FakeMatch()
    async with running(Recorder.fresh(), server.address):
        stream = await server.stream()
        stream.send(server.welcome(), match.offer())
        await stream.next(Join)
        stream.send(match.start())
        await stream.next(Ready)
        stream.send(match.offer(), match.offer(other.address))
        await stream.settle()

        assert not stream.waiting
        assert not other.streams


# -- lobbies -------------------------------------------------------------------------------------------------


async def test_a_lobby_that_is_gone_is_replaced_by_one_that_it_named(server: FakeServer, other: FakeServer) -> None:
    match = FakeMatch()
    async with running(Recorder.fresh(), server.address):
        first = await server.stream()
        first.send(server.welcome(server.address, other.address), match.offer())
        await first.next(Join)
        first.send(match.start())
        await first.next(Ready)
        await server.stop()
        second = await other.stream()
        second.send(other.welcome())

        assert second.hello.slots == 4
        assert (await second.next(Join))[1].ticket == match.ticket


async def test_while_matches_run_no_server_is_waited_for_long(server: FakeServer) -> None:
    """However often it went: their clocks run. Without matches it is left alone for as long as it takes."""
    match = FakeMatch()
    backoff = partial(Backoff, first=600.0, longest=600.0)
    async with running(Recorder.fresh(), server.address, backoff=backoff):
        first = await server.stream()
        first.send(server.welcome(), match.offer())
        await first.next(Join)
        first.send(match.start())
        await first.next(Ready)
        first.cut()

        again = await server.stream()
        assert again.hello.slots == 4


async def test_all_addresses_are_tried_until_one_answers(server: FakeServer) -> None:
    async with FakeServer() as dead:
        address = dead.address
    async with running(Recorder.fresh(), address, server.address):
        await server.stream()


async def test_a_server_that_drains_keeps_its_matches_while_new_ones_come_from_another(
    server: FakeServer, other: FakeServer
) -> None:
    """C20: as in a rolling restart."""
    old, new = FakeMatch(), FakeMatch("m-2")
    async with running(Recorder.fresh(), server.address):
        first = await server.stream()
        first.send(server.welcome(), old.offer())
        await first.next(Join)
        first.send(old.start(), old.decide())
        await first.next(Ready)
        old.choose((await first.next(Choose))[1])
        first.send(down.notice(kind=NoticeKind.DRAINING, message="the server ends", lobbies=[other.address]))
        second = await other.stream()
        second.send(other.welcome(), new.offer())
        await second.next(Join)
        assert second.hello.slots == 4

        first.send(old.decide())
        await first.next(Choose)
        first.send(old.over())
        await first.over()
        assert not second.ended.is_set()


async def test_a_lobby_where_matches_run_already_is_a_move_and_no_fault(
    server: FakeServer, other: FakeServer, caplog: pytest.LogCaptureFixture
) -> None:
    """C20: as in a rolling restart; what is in order is no warning, and addresses are for who looks closely."""
    caplog.set_level("DEBUG", "agon_bots")
    async with running(Recorder.fresh(), server.address):
        first, second = await offered_elsewhere(server, other, FakeMatch())
        first.send(down.notice(kind=NoticeKind.LOBBIES, message="all lobbies", lobbies=[other.address]))
        first.send(down.notice(kind=NoticeKind.DRAINING, message="the server ends", lobbies=[other.address]))
        await second.over()
        assert (await other.stream()).hello.slots == 4

    levels = {record.getMessage().partition(": ")[2]: record.levelname for record in caplog.records}
    assert levels["its server is the lobby now; 1 match running there"] == "INFO"
    assert levels["all lobbies"] == "DEBUG"


async def test_a_stream_on_which_nothing_comes_is_left_after_two_ping_intervals(server: FakeServer) -> None:
    """R3: the other end is half open; the client does not wait for TCP to find out."""
    async with running(Recorder.fresh(), server.address):
        first = await server.stream()
        first.send(server.welcome(ping=0.05))
        await first.over()

        await server.stream()


# -- refusals ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "error", "exit_code"),
    [
        (RefusedCode.TOKEN, UsageError, 2),
        (RefusedCode.GAME, UsageError, 2),
        (RefusedCode.PROTOCOL, SurroundingsError, 3),
        (RefusedCode.HELLO_FIRST, SurroundingsError, 3),
        (RefusedCode.SUSPENDED, StoppedError, 1),
        (RefusedCode.REPLACED, StoppedError, 1),
        (RefusedCode.RETIRED, StoppedError, 1),
    ],
)
async def test_a_refusal_that_cannot_heal_ends_the_run_with_one_line(
    server: FakeServer, code: RefusedCode, error: type[BotError], exit_code: int
) -> None:
    """L6: what would be accepted is in the message."""
    async with running(Recorder.fresh(), server.address) as client:
        (await server.stream()).refuse(code, "because it is so", "protocol 2 to 3")
        with pytest.raises(error, match="because it is so: it needs protocol 2 to 3") as caught:
            await ended(client)

    assert caught.value.exit_code == exit_code
    assert "\n" not in str(caught.value)
    assert len(server.streams) == 1


@pytest.mark.parametrize(
    "code", [RefusedCode.LIMIT, RefusedCode.DRAINING, RefusedCode.NOT_SERVING, RefusedCode.SILENT, RefusedCode.FLOOD]
)
async def test_a_refusal_that_can_heal_is_tried_again_after_its_delay(server: FakeServer, code: RefusedCode) -> None:
    """L7: the delay that the server asks for is kept."""
    loop = asyncio.get_running_loop()
    async with running(Recorder.fresh(), server.address):
        (await server.stream()).refuse(code, "later", retry_delay=0.3)
        before = loop.time()
        await server.stream()

    assert loop.time() - before >= 0.29


async def test_a_server_that_asks_for_a_delay_is_left_for_one_that_does_not(
    server: FakeServer, other: FakeServer
) -> None:
    async with running(Recorder.fresh(), server.address, other.address):
        (await server.stream()).refuse(RefusedCode.LIMIT, "full", retry_delay=60.0)
        await other.stream()


# -- ends ----------------------------------------------------------------------------------------------------


async def test_it_gives_up_after_the_silence_that_was_set() -> None:
    """C5: no server answers at all."""
    async with FakeServer() as dead:
        address = dead.address
    async with running(Recorder.fresh(), address, silence=0.2) as client:
        with pytest.raises(SurroundingsError, match=r"no word from any server for 0\.2 s") as caught:
            await ended(client)

    assert address in str(caught.value)
    assert caught.value.exit_code == 3


@pytest.mark.parametrize(
    ("details", "told"),
    [
        (
            "failed to connect to all addresses; last error: UNKNOWN: ipv4:127.0.0.1:9: Connection refused",
            "cannot connect: Connection refused",
        ),
        ("DNS resolution failed for nowhere:1", "cannot connect: no address is known for this name (DNS resolution fa"),
        ("errors resolving nowhere:1: [x]", "cannot connect: no address is known for this name (errors resolving now"),
        ("Socket closed", "UNAVAILABLE: Socket closed"),
    ],
)
def test_why_there_is_no_connection_is_told_in_a_few_words(details: str, told: str) -> None:
    metadata = grpc.aio.Metadata()
    error = grpc.aio.AioRpcError(grpc.StatusCode.UNAVAILABLE, metadata, metadata, details=f"{details}\nand more")

    assert link._status(error).startswith(told)


@pytest.mark.parametrize(
    ("attempts", "told"), [(0, "not tried again yet:"), (1, "tried once:"), (2, "tried 2 times, at last")]
)
def test_how_often_it_was_tried_is_said_in_words(attempts: int, told: str) -> None:
    assert tried(attempts) == told


async def test_that_there_is_no_server_is_said_again_now_and_then(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not each of the many attempts, and with what is tried, why not, and when it gives up."""
    monkeypatch.setattr(client_module, "FIRST_REMINDER_SECONDS", 0.5)
    monkeypatch.setattr(client_module, "LONGEST_REMINDER_SECONDS", 1.0)
    async with FakeServer() as dead, FakeServer() as dead_too:
        addresses = (dead.address, dead_too.address)
    async with running(Recorder.fresh(), *addresses, silence=4.0) as client:
        with pytest.raises(SurroundingsError):
            await ended(client)

    lines = [record.getMessage() for record in caplog.records if record.name == "agon_bots"]
    first, reminders = lines[:2], lines[2:]
    assert sorted(line.partition(": ")[0] for line in first) == sorted(addresses)
    assert 1 <= len(reminders) <= 4
    assert all(line.startswith("no server for ") and "cannot connect" in line for line in reminders)
    assert all(address in reminders[0] for address in addresses)
    assert re.search(r" tried (once:|\d+ times, at last) ", reminders[0])
    assert "; gives up in " in reminders[0]


async def test_draining_ends_running_matches_and_takes_no_new_ones(
    server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client_module, "LAST_OFFERS_SECONDS", 0.05)
    match = FakeMatch()
    async with running(Recorder.fresh(), server.address) as client:
        stream = await server.stream()
        stream.send(server.welcome(), match.offer())
        await stream.next(Join)
        stream.send(match.start())
        await stream.next(Ready)
        client.drain()
        assert (await stream.next(Slots))[1].slots == 0

        stream.cut()
        back = await server.stream()
        assert back.hello.slots == 0
        back.send(server.welcome())
        await back.next(Join)
        back.send(match.start(), match.decide(full=True))
        await back.next(Ready)
        await back.next(Choose)
        back.send(match.over())
        await ended(client)

    assert client.finished == 1


async def test_a_run_that_is_cancelled_leaves_no_task_and_no_stream(server: FakeServer) -> None:
    """G1: streams are cancelled explicitly."""
    before = asyncio.all_tasks()
    async with running(Recorder.fresh(), server.address):
        stream = await server.stream()
        stream.send(server.welcome(), FakeMatch().offer())
        await stream.next(Join)
    await stream.over()

    left = {task for task in asyncio.all_tasks() - before if "agon_bots" in repr(task)}
    assert not left
