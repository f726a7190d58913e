"""Bot processes that are killed: wherever they are in a match it ends as the policy says, the other bots go on, and
what is rated is rated once."""

from __future__ import annotations

import asyncio
import random
import signal
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support import stepping_bot
from tests.support.e2e import CALL_SECONDS, Process, ServerProcess, Site, until
from tests.support.raw_bot import RawBot
from tests.support.stepping_bot import STEPS

from agon.codec import admin, ladder as calls
from agon.codec.frames import Offer, Over, Welcome
from agon_engine.core.policy import RATED_TERMINATIONS, Termination
from agon_engine.core.replay import verify
from agon_engine.registry import get_game

ROOT = Path(__file__).resolve().parents[2]
QUICK = ("--set", "time.connect=1", "--set", "time.ready=1", "--set", "time.move=5", "--set", "ping=1")


@pytest.fixture(scope="module")
def shared() -> Iterator[tuple[Site, ServerProcess]]:
    """A server with one ladder, of two seats, and quick limits."""
    with Site() as site:
        server = site.launch_server(*QUICK)
        site.run(server.close_ladders("ephyran-2"))
        yield site, server


async def stepping(site: Site, server: ServerProcess, token: str, step: str) -> Process:
    """Start a bot that goes as far as the step."""
    arguments = [stepping_bot.__file__, server.address, step]
    return site.python("stepping", arguments, AGON_TOKEN=token, PYTHONPATH=str(ROOT))


async def at(process: Process, step: str) -> None:
    await until(lambda: f"at {step}" in process.log, what=f"a bot is at {step}: {process.log}")


@pytest.mark.parametrize("step", STEPS)
async def test_a_bot_that_is_killed_at_any_step_ends_its_match_at_the_connect_limit(
    shared: tuple[Site, ServerProcess], step: str
) -> None:
    """C1, C7: before the first decision nothing is rated; after it the seat has lost."""
    site, server = shared
    mortal, other = [await server.register(f"{name}-{step}") for name in ("mortal", "other")]
    process = await stepping(site, server, mortal, step)
    if step in ("connected", "welcome"):
        await at(process, step)
        process.kill()
        async with RawBot(server.address, other, slots=1) as bot:
            await bot.next(Welcome)
        async with RawBot(server.address, mortal, slots=1) as again:  # nothing of it is in the way of the next one
            await again.next(Welcome)
        return

    async with RawBot(server.address, other, slots=1) as bot:
        await bot.play()
        frame, _ = await bot.next(Offer)
        await at(process, step)
        process.kill()
        _, over = await bot.next(Over, match=frame.match)
        [record] = [record for record in await server.records() if record.match == frame.match]

        assert over.rated == record.counts == (over.termination in RATED_TERMINATIONS)
        assert over.seats[frame.seat] is (Termination.SCORE if over.rated else Termination.CANCELLED)
        assert over.seats[1 - frame.seat] is (Termination.DISCONNECT if over.rated else Termination.NO_SHOW)
        if step != "ready":  # that Ready may or may not have been read
            assert over.rated == (step in ("asked", "answered"))


async def test_when_all_bots_of_a_match_are_killed_it_is_unrated_and_played_again(
    shared: tuple[Site, ServerProcess],
) -> None:
    """C9: their streams break together, so it is no bot's fault; the place in the block is played by a new match."""
    site, server = shared
    tokens = [await server.register(name) for name in ("castor", "pollux")]
    twins = [await stepping(site, server, tokens[0], "ready"), await stepping(site, server, tokens[1], "ready")]
    for twin in twins:
        await at(twin, "ready")
    [running] = (await server.call(admin.INSPECT_QUEUE, admin.InspectQueueRequest())).items
    for twin in twins:
        twin.kill()
    await until(lambda: played_in(server, running.block, 1), what="the match is over", every=CALL_SECONDS)
    again = [site.bot("random", token, server.address) for token in tokens]
    matches = await until(lambda: played_in(server, running.block, 3), what="the block is played", every=CALL_SECONDS)
    for bot in again:
        bot.signal(signal.SIGTERM)

    broken = matches.pop([match.match for match in matches].index(running.match))
    assert (broken.termination, broken.counts) == (Termination.INFRASTRUCTURE, False)
    assert {(match.termination, match.counts) for match in matches} == {(Termination.SCORE, True)}
    assert broken.index in {match.index for match in matches} == {0, 1}
    assert [await bot.wait() for bot in again] == [0, 0]


async def played_in(server: ServerProcess, block: str, count: int) -> list[calls.Match] | None:
    """Return the matches of a block that are over, once there are so many."""
    found = [match for match in await server.matches() if match.block == block]
    return found if len(found) == count else None


async def test_sixty_matches_with_bots_killed_at_random_are_each_rated_once(site: Site) -> None:
    """T3, X2, R12: on all ladders of a game at once; the audit finds nothing, and every record is true."""
    server = await site.server(*QUICK)
    await server.close_ladders("ephyran-2", "ephyran-3", "ephyran-4")
    tokens = {name: await server.register(name) for name in ("ajax", "briseis", "calchas", "dolon", "electra")}
    bots = {name: site.bot("random", token, server.address, slots=3) for name, token in tokens.items()}
    pick = random.Random(8)
    done = 0
    while (rated := await server.rated()) < 60:
        if rated >= done + 4:
            done = rated
            name = pick.choice(sorted(bots))
            bots[name].kill()
            bots[name] = site.bot("random", tokens[name], server.address, slots=3)
        await asyncio.sleep(CALL_SECONDS)
    await server.close_ladders()
    await server.settled()
    records = await server.records()
    ended = Counter(record.result.termination for record in records)

    assert ended[Termination.DISCONNECT] > 0
    assert sum(record.counts for record in records) == await server.rated() >= 60
    assert len({record.match for record in records}) == len(records)
    for record in records:
        verify(record, get_game(record.game))
    assert await server.findings() == []
    assert await server.reserved() == {}
