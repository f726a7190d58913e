"""The client against a real gRPC server that a test scripts: from Hello to Over, and back after every kind of cut."""

from __future__ import annotations

import asyncio

from tests.support.bots import Recorder, running
from tests.support.fake_server import FakeMatch, FakeServer, Stream, play_out

from agon.codec import down
from agon.codec.frames import Choose, Join, NoticeKind, Ready, RejectedCode
from agon_engine.core import Termination
from agon_engine.registry import get_game


async def seated(server: FakeServer, match: FakeMatch) -> Stream:
    """Bring the next stream to where the match has started."""
    stream = await server.stream()
    stream.send(server.welcome(), match.offer())
    await stream.next(Join)
    stream.send(match.start())
    await stream.next(Ready)
    return stream


async def test_a_match_is_played_from_hello_to_over(server: FakeServer) -> None:
    bot = Recorder.fresh(version="1.2", games={"ephyran": [2, 4]}, slots=3)
    match = FakeMatch()
    async with running(bot, server.address, instance="a"):
        stream = await seated(server, match)
        await play_out(stream, match)
        await stream.settle()

    hello = stream.hello
    assert (hello.token, hello.bot_version, hello.instance, hello.slots) == ("agon_token", "1.2", "a", 3)
    assert hello.changed_views
    assert [(game.name, game.version, game.seats) for game in hello.games] == [("ephyran", 1, (2, 4))]
    assert len(bot.made) == 1
    assert bot.started[0].aliases == ("alias 0", "alias 1")
    assert dict(bot.started[0].options) == get_game("ephyran").spec.check_options({})
    assert [turn.decision for turn in bot.turns] == list(range(1, len(bot.turns) + 1))
    assert bot.results[0].termination is Termination.SCORE
    assert bot.results[0].seed == match.table.deal.seed.hex()
    told = [event for turn in bot.turns for event in turn.events] + list(bot.results[0].events)
    assert [tuple(event) for event in told] == match.table.events_after(0, 0)


async def test_views_of_changed_parts_are_those_of_the_engine(server: FakeServer) -> None:
    bot = Recorder.fresh()
    match = FakeMatch(number=3)
    async with running(bot, server.address):
        stream = await seated(server, match)
        for _ in range(40):
            stream.send(match.decide())
            choose = (await stream.next(Choose))[1]
            assert bot.turns[-1].view == match.table.state.view(0)
            match.choose(choose)


async def test_after_a_cut_an_unanswered_choice_is_said_again_and_not_chosen_again(server: FakeServer) -> None:
    """R1, R4, R7: the stream breaks when Choose is on its way."""
    bot = Recorder.fresh()
    match = FakeMatch()
    async with running(bot, server.address):
        stream = await seated(server, match)
        stream.send(match.decide())
        match.choose((await stream.next(Choose))[1])
        stream.send(match.decide())
        first = (await stream.next(Choose))[1]
        stream.cut()

        back = await server.stream()
        back.send(server.welcome())
        join = (await back.next(Join))[1]
        back.send(match.start(), match.decide(full=True))
        await back.next(Ready)
        again = (await back.next(Choose))[1]

    assert join == Join(match.ticket, match.table.sequence(0))
    assert again == first
    assert [turn.decision for turn in bot.turns] == [1, 2]
    assert len(bot.made) == 1


async def test_after_a_cut_while_thinking_the_answer_goes_out_on_the_new_stream(server: FakeServer) -> None:
    go = asyncio.Event()

    class Slow(Recorder):
        async def choose(self, turn):  # type: ignore[no-untyped-def]  # as authors write it
            await go.wait()
            return turn.actions[-1]

    match = FakeMatch()
    async with running(Slow.fresh(), server.address):
        stream = await seated(server, match)
        stream.send(match.decide())
        stream.cut()
        back = await server.stream()
        back.send(server.welcome(), match.offer())
        await back.next(Join)
        back.send(match.start(), match.decide(full=True))
        await back.next(Ready)
        assert not back.waiting
        go.set()
        choose = (await back.next(Choose))[1]

    assert choose.decision == 1
    match.choose(choose)
    assert match.table.moves[-1].seat == 0


async def test_ready_is_said_again_after_a_cut(server: FakeServer) -> None:
    bot = Recorder.fresh()
    match = FakeMatch()
    async with running(bot, server.address):
        (await seated(server, match)).cut()
        await seated(server, match)

    assert len(bot.made) == len(bot.started) == 1


async def test_frames_of_a_lower_epoch_are_dropped(server: FakeServer) -> None:
    bot = Recorder.fresh()
    old, new = FakeMatch(), FakeMatch(epoch=2, number=2)
    async with running(bot, server.address):
        stream = await seated(server, new)
        stream.send(old.start(), old.decide(), old.offer(), old.over())
        stream.send(new.decide())
        await stream.next(Choose)

        assert not stream.waiting
        assert len(bot.turns) == 1
        assert bot.turns[0].view == new.table.state.view(0)
        assert not bot.results


async def test_a_match_that_begins_anew_gets_a_new_bot(server: FakeServer) -> None:
    """The next delivery of a match whose numbers begin again at 1."""
    bot = Recorder.fresh()
    old, new = FakeMatch(), FakeMatch(epoch=2)
    async with running(bot, server.address):
        stream = await seated(server, old)
        for _ in range(3):
            stream.send(old.decide())
            old.choose((await stream.next(Choose))[1])
        stream.send(new.offer())
        await stream.next(Join)
        stream.send(new.start())
        await stream.next(Ready)
        stream.send(new.decide())
        await stream.next(Ready)
        new.choose((await stream.next(Choose))[1])
        await play_out(stream, new)
        await stream.settle()

    assert len(bot.made) == 2
    assert [turn.decision for turn in bot.turns[:5]] == [1, 2, 3, 1, 2]
    told = [event for turn in bot.turns[3:] for event in turn.events] + list(bot.results[0].events)
    assert [tuple(event) for event in told] == new.table.events_after(0, 0)


async def test_a_match_that_goes_on_elsewhere_keeps_its_bot(server: FakeServer) -> None:
    """The next delivery of a match that was taken over where it stood: the open decision comes again."""
    bot = Recorder.fresh()
    match = FakeMatch()
    async with running(bot, server.address):
        stream = await seated(server, match)
        stream.send(match.decide())
        match.choose((await stream.next(Choose))[1])
        stream.send(match.decide())
        first = (await stream.next(Choose))[1]
        taken_over = FakeMatch(epoch=2)
        taken_over.table = match.table
        stream.send(taken_over.offer())
        await stream.next(Join)
        stream.send(taken_over.start(), taken_over.decide())
        await stream.next(Ready)

        assert (await stream.next(Choose))[1] == first
        assert len(bot.made) == 1
        assert len(bot.turns) == 2


async def test_many_matches_are_answered_in_few_messages(server: FakeServer) -> None:
    matches = [FakeMatch(f"m-{number}", number=number) for number in range(32)]
    async with running(Recorder.fresh(slots=32), server.address):
        stream = await server.stream()
        stream.send(server.welcome(slots=32), *(match.offer() for match in matches))
        await stream.until(lambda: len(stream.waiting) == 32)
        for _ in matches:
            await stream.next(Join)
        stream.send(*(match.start() for match in matches))
        for _ in matches:
            await stream.next(Ready)
        stream.messages.clear()
        stream.send(*(match.decide() for match in matches))
        answered = {(await stream.next(Choose))[0].match for _ in matches}

    assert answered == {match.id for match in matches}
    assert len(stream.messages) == 1


async def test_a_slow_match_holds_up_neither_others_nor_pings(server: FakeServer) -> None:
    loop = asyncio.get_running_loop()
    release = asyncio.Event()

    class Sluggish(Recorder):
        quick = False

        def choose(self, turn):  # type: ignore[no-untyped-def]  # as authors write it
            if turn.match.id == "slow":
                asyncio.run_coroutine_threadsafe(release.wait(), loop).result()
            return turn.actions[-1]

    slow, brisk = FakeMatch("slow"), FakeMatch("brisk")
    async with running(Sluggish.fresh(), server.address):
        stream = await server.stream()
        stream.send(server.welcome(), slow.offer(), brisk.offer())
        for _ in (slow, brisk):
            await stream.next(Join)
        for match in (slow, brisk):
            stream.send(match.start())
            await stream.next(Ready)
        stream.send(slow.decide())
        for number in range(5):
            stream.send(brisk.decide(), down.ping(number))
            frame, choose = await stream.next(Choose)
            assert frame.match == "brisk"
            brisk.choose(choose)
        await stream.until(lambda: len(stream.pongs) == 5)
        assert not stream.waiting
        release.set()

        assert (await stream.next(Choose))[0].match == "slow"


async def test_a_decision_overtaken_by_its_deadline_is_not_answered(server: FakeServer) -> None:
    """T14: a substitute stood in while an async bot was thinking; what it thought is dropped."""
    begun: list[int] = []

    class Hanging(Recorder):
        async def choose(self, turn):  # type: ignore[no-untyped-def]  # as authors write it
            begun.append(turn.decision)
            if turn.decision == 1:
                await asyncio.Event().wait()
            return 0

    match = FakeMatch()
    async with running(Hanging.fresh(), server.address):
        stream = await seated(server, match)
        stream.send(match.decide())
        await stream.settle()
        match.table.strike(0, Termination.TIMEOUT)
        stream.send(match.decide())

        assert (await stream.next(Choose))[1].decision == 2
    assert begun == [1, 2]


async def test_what_the_server_was_too_busy_to_take_is_said_again(server: FakeServer) -> None:
    """L7: Rejected with a retry delay."""
    match = FakeMatch()
    async with running(Recorder.fresh(), server.address):
        stream = await server.stream()
        stream.send(server.welcome(), match.offer())

        def slower(kind: str) -> bytes:
            code = RejectedCode.RATE
            return down.rejected("m-1", 0, 0, code=code, message="slower", frame=kind, retry_delay_us=1_000)

        await stream.next(Join)
        stream.send(slower("join"))
        await stream.next(Join)
        stream.send(match.start())
        await stream.next(Ready)
        stream.send(slower("ready"))
        await stream.next(Ready)
        stream.send(match.decide())
        first = (await stream.next(Choose))[1]
        stream.send(slower("choose"))

        assert (await stream.next(Choose))[1] == first


async def test_an_answer_rejected_as_illegal_is_chosen_again(server: FakeServer) -> None:
    """R9: the Decide comes again, which is a new question."""
    bot = Recorder.fresh()
    match = FakeMatch()
    async with running(bot, server.address):
        stream = await seated(server, match)
        stream.send(match.decide())
        await stream.next(Choose)
        illegal = down.rejected(
            "m-1", 0, 1, code=RejectedCode.ILLEGAL, message="not listed", decision=1, attempts_left=2
        )
        stream.send(illegal, match.decide(full=True))
        await stream.next(Choose)

    assert [turn.decision for turn in bot.turns] == [1, 1]


async def test_a_match_that_the_server_does_not_know_any_more_is_forgotten(server: FakeServer) -> None:
    match, other = FakeMatch(), FakeMatch("m-2")
    async with running(Recorder.fresh(), server.address) as client:
        stream = await seated(server, match)
        stream.cut()
        back = await server.stream()
        back.send(server.welcome())
        await back.next(Join)
        back.send(down.rejected("m-1", 0, 0, code=RejectedCode.NO_TICKET, message="long over", frame="join"))
        back.send(other.offer())
        await back.next(Join)

        assert list(client.seats) == [("m-2", 0)]


async def test_a_seat_that_was_put_out_answers_nothing_and_still_learns_the_result(server: FakeServer) -> None:
    bot = Recorder.fresh()
    match = FakeMatch(seats=3)
    async with running(bot, server.address) as client:
        stream = await seated(server, match)
        out = down.notice(
            "m-1", 0, 1, kind=NoticeKind.SEAT_OUT, message="strikes are spent", termination=Termination.TIMEOUT
        )
        stream.send(out, match.decide(), match.over())
        await stream.settle()

        assert not stream.waiting
        assert client.finished == 1
    assert not bot.turns
    assert len(bot.results) == 1


async def test_frames_of_a_kind_that_is_not_known_are_skipped(server: FakeServer) -> None:
    """A DownFrame with field 99 set, as a newer server might send."""
    match = FakeMatch()
    async with running(Recorder.fresh(), server.address):
        stream = await server.stream()
        stream.send(server.welcome(), b"\x0a\x04\x9a\x06\x01x", match.offer())

        await stream.next(Join)
