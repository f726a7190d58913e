"""How a server and what it started end, as a person or a supervisor ends them: a signal, or two of them."""

from __future__ import annotations

import re
import signal
from pathlib import Path

import pytest
from tests.support.e2e import CALL_SECONDS, ServerProcess, Site, marked, until
from tests.support.raw_bot import RawBot

from agon.codec import ladder as calls
from agon.codec.frames import Decide, Notice, NoticeKind, Offer, Over

SIGNALS = ((signal.SIGTERM,), (signal.SIGTERM, signal.SIGTERM), (signal.SIGINT, signal.SIGINT))
_LOG_LINE = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} (DEBUG|INFO|WARNING|ERROR) +[\w.]+: .*")


def bot_processes(site: Site) -> list[str]:
    """Return the command lines of the bot programs that run."""
    lines = [(Path("/proc") / str(pid) / "cmdline").read_bytes().replace(b"\0", b" ") for pid in marked(site.mark)]
    return sorted(line.decode() for line in lines if b" -m agon_bots run " in line)


async def connected(server: ServerProcess) -> dict[str, int]:
    """Return the house bots, with how many processes of each are connected."""
    bots = (await server.call(calls.LIST_BOTS, calls.ListBotsRequest())).bots
    return {bot.name: bot.processes for bot in bots if bot.house}


async def house(site: Site, *arguments: str) -> ServerProcess:
    """Return a server whose two house bots have played."""
    server = await site.server("--house", "greedy,random", *arguments)
    both = {"greedy": 1, "random": 1}
    await until(lambda: connected(server), every=CALL_SECONDS)

    async def play() -> bool:
        return await connected(server) == both and await server.rated() >= 2

    await until(play, every=CALL_SECONDS)
    return server


async def end(server: ServerProcess, *signals: signal.Signals) -> int:
    """Send signals, each after the first once the one before is understood; return the exit code."""
    for number in signals:
        server.signal(number)
        await until(lambda: "draining: no new matches" in server.log or server.code is not None)
    return await server.wait()


@pytest.mark.parametrize("signals", SIGNALS, ids=lambda signals: " ".join(one.name for one in signals))
async def test_house_bots_are_processes_that_play_and_end_with_the_server(
    site: Site, signals: tuple[signal.Signals, ...]
) -> None:
    server = await house(site)
    running = bot_processes(site)

    code = await end(server, *signals)

    assert code == 0
    assert [re.search(r" run (\w+) ", line)[1] for line in running] == ["greedy", "random"]  # type: ignore[index]  # found
    assert marked(site.mark) == []


async def test_house_bots_are_quiet_in_the_servers_log_and_all_its_lines_have_one_form(site: Site) -> None:
    server = await house(site)
    await end(server, signal.SIGTERM)
    lines = [line for line in server.log.splitlines() if not line.startswith("agon ")]

    assert [line for line in lines if not _LOG_LINE.fullmatch(line)] == []
    # A bot that does not end within seconds is told a second time, and warns that it ends at once.
    playing = lines[: next(at for at, line in enumerate(lines) if "draining: " in line)]
    assert [line for line in playing if "agon_server.launch" in line] == []


async def test_at_the_debug_level_house_bots_tell_of_every_match_under_their_names(site: Site) -> None:
    server = await house(site, "--log", "debug")
    await end(server, signal.SIGTERM)
    lines = [line for line in server.log.splitlines() if not line.startswith("agon ")]

    assert [line for line in lines if not _LOG_LINE.fullmatch(line)] == []
    for bot in ("greedy", "random"):
        assert any(f" INFO    agon_server.launch.house: {bot}: " in line for line in lines)


async def match_under_way(site: Site, *arguments: str) -> tuple[ServerProcess, list[RawBot], str]:
    """Return a server with two bots that wait in a match, one of them asked; their block has another match to come."""
    server = await site.server("--set", "time.move=600", *arguments)
    await server.close_ladders("ephyran-2")
    bots = [RawBot(server.address, await server.register(name), slots=1) for name in ("hector", "paris")]
    for bot in bots:
        await bot.__aenter__()
    offers = [(await bot.start_match())[0] for bot in bots]
    await until(lambda: any(bot.all(Decide) for bot in bots))
    return server, bots, offers[0].match


async def test_a_server_that_is_told_to_end_tells_the_bots_begins_nothing_and_plays_out_what_runs(site: Site) -> None:
    """C20: SIGTERM drains."""
    server, bots, match = await match_under_way(site)

    server.signal(signal.SIGTERM)
    notices = [(await bot.next(Notice))[1] for bot in bots]
    still = server.code
    for bot in bots:
        await bot.play()
    overs = [(await bot.next(Over))[0].match for bot in bots]
    code = await server.wait()
    for bot in bots:
        await bot.close()

    assert still is None
    assert [notice.kind for notice in notices] == [NoticeKind.DRAINING] * 2
    assert [match] * 2 == overs
    assert [len(bot.all(Offer)) for bot in bots] == [1, 1]
    assert code == 0
    assert "draining: no new matches, 1 that run have 300 seconds to end (--drain)" in server.log


@pytest.mark.parametrize("signals", SIGNALS[1:], ids=lambda signals: " ".join(one.name for one in signals))
async def test_a_second_signal_ends_it_at_once(site: Site, signals: tuple[signal.Signals, ...]) -> None:
    server, bots, _ = await match_under_way(site)

    code = await end(server, *signals)
    for bot in bots:
        await bot.close()

    assert code == 0
    assert not any(bot.all(Over) for bot in bots)
    assert "1 matches are not over; a server that takes them goes on with them" in server.log


async def test_a_drain_that_takes_too_long_ends_all_the_same(site: Site) -> None:
    server, bots, _ = await match_under_way(site, "--drain", "0.5")

    code = await end(server, signal.SIGTERM)
    for bot in bots:
        await bot.close()

    assert code == 0
    assert "1 that run have 0.5 seconds to end" in server.log
    assert "1 matches are not over" in server.log
