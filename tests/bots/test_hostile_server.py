"""A server that is wrong, broken or means harm: the bot neither ends nor fills its memory, and says so in few words."""

from __future__ import annotations

import logging
import random
from typing import Any

import pytest
from tests.support.bots import Recorder, quick_backoff, running, settings
from tests.support.fake_server import FakeMatch, FakeServer, Stream

from agon.address import Address
from agon.codec import down
from agon.codec.client import decode_down
from agon.codec.errors import CodecError
from agon.codec.frames import Choose, Join, NoticeKind, Pong, Ready, RefusedCode, RejectedCode, Resign, Slots
from agon.v1 import play_pb2 as pb
from agon_bots import BotError, Client
from agon_bots.sdk import client as client_module, connections, link, telling
from agon_bots.sdk.link import Link
from agon_bots.sdk.telling import ServerLines
from agon_bots.sdk.thinking import Thinker
from agon_engine.core import Termination


def told(frame: pb.DownFrame) -> bytes:
    """Return a frame as a message of its own; messages that follow each other are one."""
    return pb.PlayResponse(frames=[frame]).SerializeToString()


async def started(server: FakeServer, *matches: FakeMatch) -> Stream:
    stream = await server.stream()
    stream.send(server.welcome())
    for match in matches:
        stream.send(match.offer())
        await stream.next(Join)
        stream.send(match.start())
        await stream.next(Ready)
    return stream


# -- too much --------------------------------------------------------------------------------------------------


async def test_offers_without_end_are_taken_up_to_a_bound_and_told_seldom(
    server: FakeServer, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client_module, "SPARE_SEATS", 10)
    async with running(Recorder.fresh(slots=2), server.address) as client:
        stream = await server.stream()
        stream.send(server.welcome(), *(FakeMatch(f"m-{number}").offer() for number in range(300)))
        await stream.settle()

        assert len(client.seats) == len(stream.waiting) == 12
    warnings = [record for record in caplog.records if "an offer is not taken" in record.getMessage()]
    assert 1 <= len(warnings) <= telling.BURST


async def test_offers_at_ever_new_addresses_open_no_more_than_so_many_streams(
    server: FakeServer, other: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "MAX_REFEREES", 1)
    async with FakeServer() as third, running(Recorder.fresh(), server.address) as client:
        first = await server.stream()
        elsewhere = [FakeMatch("m-1").offer(other.address), FakeMatch("m-2").offer(third.address)]
        first.send(server.welcome(), *elsewhere, FakeMatch("m-3").offer())
        await first.next(Join)
        await other.stream()

        assert sorted(client.seats) == [("m-1", 0), ("m-3", 0)]
        assert not third.streams


async def test_a_server_that_does_not_read_loses_its_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every Ping is owed a Pong, and they must not pile up here."""
    monkeypatch.setattr(link, "UNSENT_BYTES", 1_000)
    client = Client(Recorder.fresh(), settings("nobody:1"))
    there = Link(Address("nobody", 1), 1, client)
    for number in range(1_000):
        there.say(Pong(number))

    connect: Any = None
    ended = await there.run(connect, client.hello(1))

    assert ended.why == "the server does not read what it is sent"


def test_lines_about_servers_are_printable_and_few(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, logger="agon_bots")
    now = 0.0
    lines = ServerLines(lambda: now)
    for number in range(1_000):
        lines.tell(logging.INFO, f"\x1b[2J{number}\n{'x' * 10_000}")
    said = [record.getMessage() for record in caplog.records]
    now = 10.0
    lines.tell(logging.INFO, "calm again")

    assert len(said) == telling.BURST
    assert all(line.isprintable() and len(line) < 600 for line in said)
    assert [record.getMessage() for record in caplog.records][telling.BURST :] == [
        "left out 900 lines about what servers said",
        "calm again",
    ]


async def test_more_than_one_request_to_slow_down_is_answered_once(server: FakeServer) -> None:
    match = FakeMatch()
    async with running(Recorder.fresh(), server.address):
        stream = await started(server, match)
        stream.send(match.decide())
        await stream.next(Choose)
        code = RejectedCode.RATE
        slower = down.rejected("m-1", 0, 1, code=code, message="slower", frame="choose", retry_delay_us=20_000)
        stream.send(*[slower] * 50)
        await stream.next(Choose)
        await stream.settle()

        assert not stream.waiting


# -- out of order ----------------------------------------------------------------------------------------------


async def test_what_comes_before_welcome_counts_for_nothing(server: FakeServer) -> None:
    early, late = FakeMatch("early"), FakeMatch("late")
    async with running(Recorder.fresh(), server.address) as client:
        stream = await server.stream()
        stream.send(early.offer())
        stream.send(server.welcome(), late.offer())

        assert (await stream.next(Join))[0].match == "late"
        assert list(client.seats) == [("late", 0)]


async def test_a_second_welcome_counts_for_nothing(server: FakeServer) -> None:
    match = FakeMatch()
    async with running(Recorder.fresh(), server.address):
        stream = await started(server, match)
        stream.send(server.welcome(), server.welcome())
        await stream.settle()

        assert not stream.waiting


async def test_a_stream_that_was_refused_and_is_not_ended_is_left(
    server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(link, "FAREWELL_SECONDS", 0.05)
    async with running(Recorder.fresh(), server.address) as client:
        stream = await server.stream()
        stream.send(server.welcome(), down.refused(RefusedCode.NOT_SERVING, "away", "", 0), FakeMatch().offer())
        await stream.over()
        await server.stream()

        assert not client.seats


async def test_a_server_that_pings_and_never_says_welcome_is_left(
    server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half open: bytes come, and nothing that helps."""
    monkeypatch.setattr(link, "CONNECT_SECONDS", 0.3)
    async with running(Recorder.fresh(), server.address):
        stream = await server.stream()
        stream.send(down.ping(1))
        await stream.over()

        await server.stream()


@pytest.mark.parametrize("ping", [0.0, 1e9])
async def test_a_server_whose_pings_make_no_sense_is_given_the_usual_time(server: FakeServer, ping: float) -> None:
    """Neither is the stream cut at once, nor is it held for thirty years when nothing comes."""
    async with running(Recorder.fresh(), server.address) as client:
        stream = await server.stream()
        stream.send(server.welcome(ping=ping))
        await stream.settle()
        lobby = client._connections.lobby

        assert lobby is not None
        assert lobby.patience == pytest.approx(2 * (link.LONGEST_PING_SECONDS if ping else link.PING_SECONDS))


async def test_a_server_that_speaks_another_version_is_left(
    server: FakeServer, caplog: pytest.LogCaptureFixture
) -> None:
    async with running(Recorder.fresh(), server.address) as client:
        stream = await server.stream()
        stream.send(told(pb.DownFrame(welcome=pb.Welcome(protocol=7))), FakeMatch().offer())
        await server.stream()

        assert not client.seats
    assert "version 7 of the protocol, and not 1" in caplog.text


async def test_over_counts_once_and_nothing_follows_it(server: FakeServer) -> None:
    bot = Recorder.fresh()
    match = FakeMatch()
    async with running(bot, server.address) as client:
        stream = await started(server, match)
        decide = match.decide()
        stream.send(decide)
        await stream.next(Choose)
        over = match.over()
        stream.send(over, over, decide, over)
        await stream.settle()

        assert not stream.waiting
        assert (client.finished, len(bot.results), len(bot.turns)) == (1, 1, 1)


async def test_an_answer_to_what_was_said_before_a_new_join_does_not_end_the_match(server: FakeServer) -> None:
    """A takeover on the same server: the Choose of the last delivery meets the next one, which has not been joined."""
    match, later = FakeMatch(), FakeMatch(epoch=2)
    async with running(Recorder.fresh(), server.address):
        stream = await started(server, match)
        stream.send(match.decide())
        await stream.next(Choose)
        no_match = down.rejected("m-1", 0, 0, code=RejectedCode.NO_MATCH, message="not joined", frame="choose")
        stream.send(later.offer(), no_match)
        await stream.next(Join)
        stream.send(later.start())

        await stream.next(Ready)


async def test_a_match_that_does_not_start_is_forgotten_until_it_is_offered_again(
    server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client_module, "START_SECONDS", 0.05)
    match = FakeMatch()
    async with running(Recorder.fresh(), server.address) as client:
        stream = await server.stream()
        stream.send(server.welcome(), match.offer())
        await stream.next(Join)
        await client._until_empty(client.seats)

        monkeypatch.undo()
        stream.send(match.offer())
        await stream.next(Join)
        stream.send(match.start())
        await stream.next(Ready)


async def test_a_bot_that_takes_no_new_matches_is_not_held_up_by_offers(
    server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client_module, "LAST_OFFERS_SECONDS", 0.0)
    running_one, new = FakeMatch("m-1"), FakeMatch("m-2")
    async with running(Recorder.fresh(), server.address) as client:
        stream = await started(server, running_one)
        client.drain()
        await stream.next(Slots)
        await stream.settle()
        stream.send(new.offer())
        await stream.settle()

        assert list(client.seats) == [("m-1", 0)]


# -- what cannot be read ---------------------------------------------------------------------------------------


def unreadable_decide(match: str) -> bytes:
    """A decision that lists nothing."""
    decide = pb.Decide(sequence=1, decision=1, full=True)
    decide.view.ephyran.SetInParent()
    return told(pb.DownFrame(match=match, seat=0, epoch=1, decide=decide))


async def test_a_match_whose_frames_cannot_be_read_is_joined_again_then_given_up_and_others_go_on(
    server: FakeServer,
) -> None:
    bad, good = FakeMatch("bad"), FakeMatch("good")
    async with running(Recorder.fresh(), server.address):
        stream = await started(server, bad, good)
        stream.send(unreadable_decide("bad"))
        assert (await stream.next(Join))[0].match == "bad"
        stream.send(bad.start())
        assert (await stream.next(Ready))[0].match == "bad"
        stream.send(unreadable_decide("bad"))
        assert (await stream.next(Resign))[0].match == "bad"
        stream.send(good.decide())

        assert (await stream.next(Choose))[0].match == "good"
    assert len(server.streams) == 1


async def test_a_match_that_can_be_read_after_joining_again_goes_on(server: FakeServer) -> None:
    match = FakeMatch()
    async with running(Recorder.fresh(), server.address):
        stream = await started(server, match)
        for _ in range(3):
            stream.send(unreadable_decide("m-1"))
            await stream.next(Join)
            stream.send(match.start(), match.decide(full=True))
            await stream.next(Ready)
            match.choose((await stream.next(Choose))[1])


@pytest.mark.parametrize(
    "change",
    [
        {"game": "chess"},
        {"version": 99},
        {"options": {"nonsense": "1"}},
        {"aliases": ["one"]},
        {"aliases": [str(number) for number in range(100)]},
    ],
)
async def test_a_match_that_cannot_be_played_here_is_given_up_and_others_go_on(
    server: FakeServer, change: dict[str, Any]
) -> None:
    bad, good = FakeMatch("bad"), FakeMatch("good")
    start: Any = pb.PlayResponse.FromString(bad.start()).frames[0]
    for name, value in change.items():
        start.start.ClearField(name)
        start.start.MergeFrom(pb.Start(**{name: value}))
    async with running(Recorder.fresh(), server.address):
        stream = await server.stream()
        stream.send(server.welcome(), bad.offer(), good.offer())
        await stream.next(Join)
        await stream.next(Join)
        stream.send(told(start))
        assert (await stream.next(Resign))[0].match == "bad"
        stream.send(good.start(), good.decide())
        await stream.next(Ready)

        assert (await stream.next(Choose))[0].match == "good"


@pytest.mark.parametrize("name", ["", "x\x1b[2Jy", "x" * 10_000])
async def test_a_match_needs_a_name_that_can_be_told(server: FakeServer, name: str) -> None:
    async with running(Recorder.fresh(), server.address) as client:
        stream = await server.stream()
        stream.send(server.welcome(), FakeMatch(name).offer())
        await stream.settle()

        assert not client.seats


async def test_a_ticket_without_end_is_not_kept(server: FakeServer) -> None:
    match, later = FakeMatch("m-1"), FakeMatch("m-2")
    match.ticket = "x" * 10_000
    async with running(Recorder.fresh(), server.address) as client:
        stream = await server.stream()
        stream.send(server.welcome(), match.offer(), later.offer())

        assert (await stream.next(Join))[0].match == "m-2"
        assert list(client.seats) == [("m-2", 0)]


@pytest.mark.parametrize("seed", range(4))
async def test_whatever_bytes_come_nothing_but_a_typed_error_comes_of_them(seed: int) -> None:
    """Frames of a real match, spoilt at random and in any order, on a stream that is open."""
    chance = random.Random(seed)
    client = Client(Recorder.fresh(slots=8), settings("nobody:1"), backoff=quick_backoff)
    client.thinker = Thinker(quick=True)
    there = Link(Address("nobody", 1), 8, client)
    client._connections.lobby = there
    there._take(decode_down(down.welcome("tested", [], 8, 10_000_000, [])))
    matches = [FakeMatch(f"m-{number}", number=number + 1) for number in range(4)]
    for _ in range(1_500):
        match = chance.choice(matches)
        notice = down.notice("m-1", 0, 1, kind=NoticeKind.SEAT_OUT, message="x", termination=Termination.TIMEOUT)
        pieces = [match.offer(), match.start(), match.decide(full=chance.random() < 0.5), notice]
        message = bytearray(b"".join(chance.sample(pieces, chance.randint(1, 3))))
        for _ in range(chance.choice((0, 1, 1, 2, 5))):
            place = chance.randrange(len(message))
            message[place : place + chance.randint(0, 3)] = chance.randbytes(chance.randint(0, 3))
        try:
            frames = decode_down(bytes(message))
            there._take(frames)
        except (CodecError, BotError):
            pass
        there._outbox.clear()
        there._unsent = 0

    assert len(client.seats) <= 8 + client_module.SPARE_SEATS
    for task in client._tasks:
        task.cancel()


# -- refusals and words ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("code", [RefusedCode.TOKEN, RefusedCode.GAME, RefusedCode.PROTOCOL, RefusedCode.HELLO_FIRST])
async def test_a_referee_that_is_the_wrong_server_does_not_end_the_run(
    server: FakeServer, other: FakeServer, code: RefusedCode
) -> None:
    """An Offer with a wrong address is no reason to leave the lobby."""
    here = FakeMatch("here")
    async with running(Recorder.fresh(), server.address):
        first = await server.stream()
        first.send(server.welcome(), FakeMatch().offer(other.address))
        (await other.stream()).refuse(code, "who are you")
        await other.stream()  # it tries again, with a back-off
        first.send(here.offer())

        assert (await first.next(Join))[0].match == "here"


async def test_a_delay_of_a_million_years_is_not_believed(
    server: FakeServer, other: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "MAX_DELAY_SECONDS", 0.05)
    async with running(Recorder.fresh(), server.address):
        (await server.stream()).refuse(RefusedCode.LIMIT, "full", retry_delay=1e12)

        await server.stream()


async def test_what_servers_say_cannot_command_a_terminal(server: FakeServer, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, logger="agon_bots")
    evil = "\x1b[2J\x1b]0;owned\x07\n"
    match = FakeMatch()
    async with running(Recorder.fresh(), server.address):
        stream = await started(server, match)
        stream.send(
            down.notice(kind=NoticeKind.PAUSED, message=evil),
            down.rejected("", 0, 0, code=RejectedCode.UNKNOWN, message=evil, frame=evil),
            down.rejected("m-1", 0, 1, code=RejectedCode.ILLEGAL, message=evil, decision=1),
            down.notice("m-1", 0, 1, kind=NoticeKind.SEAT_OUT, message=evil, termination=Termination.TIMEOUT),
        )
        await stream.settle()
        stream.refuse(RefusedCode.NOT_SERVING, evil)
        await server.stream()

    mine = [record.getMessage() for record in caplog.records if record.name == "agon_bots"]
    assert sum("owned" in line for line in mine) >= 5
    assert all(line.isprintable() for line in mine)
