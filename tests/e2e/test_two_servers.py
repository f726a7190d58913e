"""Two servers on one store share the matches: bots play wherever a referee is, and every match counts once."""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import AsyncExitStack

from tests.support.cli import run_process
from tests.support.e2e import CALL_SECONDS, Site, until
from tests.support.own_store import OwnStore, two_servers
from tests.support.raw_bot import RawBot

from agon.codec.frames import Join, Notice, Offer, Over, Ready, Start, Welcome
from agon_engine.core.policy import Termination
from agon_engine.core.replay import verify
from agon_engine.registry import get_game

MATCHES = 24


async def test_bots_of_one_server_play_matches_of_the_other_and_all_count_once(site: Site) -> None:
    one, two = await two_servers(site, await OwnStore.started(site))
    homes = {"ajax": one, "briseis": one, "calchas": two, "dolon": two}
    for name, home in homes.items():
        site.bot("random", await one.register(name), home.address, slots=3)

    async def enough() -> bool:
        if await one.rated() < MATCHES:
            return False
        played = {(record.servers, row.bot) for record in await one.records() for row in record.seats}
        return len(played) == 2 * len(homes)

    await until(enough, what="each bot has played on both servers", every=CALL_SECONDS)
    await one.close_ladders()
    await one.settled()
    records = await two.records()

    assert {(name,) for name in (one.server, two.server)} == {record.servers for record in records}
    assert len({record.match for record in records}) == len(records) >= MATCHES
    assert {record.epoch for record in records} == {1}
    assert {record.result.termination for record in records} == {Termination.SCORE}
    for record in records:
        verify(record, get_game(record.game))
    for server in (one, two):
        finished = sum(record.servers == (server.server,) for record in records)
        assert (await server.samples()).sum("agon_matches_finished_total") == finished > 0
    [table] = [table for table in await two.standings() if table.results]
    assert table.results == len(records)
    assert {row.bot: row.games for row in table.rows} == Counter(row.bot for record in records for row in record.seats)
    for verb in ("audit", "rebuild"):
        ran = await asyncio.to_thread(run_process, "ladder", verb, "ephyran-2", "--data", str(two.data))
        assert ran.code == 0, ran
    assert await one.standings() == await two.standings()


async def test_an_offer_of_the_other_server_s_referee_names_its_address_and_is_joined_there(site: Site) -> None:
    """Frame by frame: the stream at the lobby stays, a second one without slots takes the seat."""
    one, two = await two_servers(site, await OwnStore.started(site))
    async with AsyncExitStack() as stack:
        tokens = [await one.register(name) for name in ("eris", "fama")]
        bots = [await stack.enter_async_context(RawBot(one.address, token, slots=8)) for token in tokens]

        both = {one.address, two.address}
        await until(lambda: all(both in _lobbies(bot) for bot in bots), what="both bots know both lobbies")

        def remote() -> set[str]:
            matches = [{frame.match for frame, offer in bot.all(Offer) if offer.address == two.address} for bot in bots]
            return matches[0] & matches[1]

        # Which of two servers takes a match is chance; those that are here end, and new ones come.
        for bot in bots:
            await bot.play(here_only=True)
        match = sorted(await until(remote, what="a match of the other server"))[0]
        overs = []
        for bot in bots:
            frame, offer = next(found for found in bot.all(Offer) if found[0].match == match and found[1].address)
            there = await stack.enter_async_context(RawBot(offer.address, bot.token, slots=0))
            await there.next(Welcome)
            await there.answer(frame, Join(offer.ticket))
            await there.next(Start, match=match)
            await there.answer(frame, Ready())
            await there.play()
            overs.append(there)
        for there in overs:
            _, over = await there.next(Over, match=match)
            assert set(over.seats) == {Termination.SCORE}
        [record] = [record for record in await one.records() if record.match == match]

        assert record.servers == (two.server,)
        assert match not in {frame.match for bot in bots for frame, _ in bot.all(Start)}


def _lobbies(bot: RawBot) -> list[set[str]]:
    """Return the lobbies that a bot was told of, each time."""
    told = [body.lobbies for _, body in bot.all(Welcome)] + [body.lobbies for _, body in bot.all(Notice)]
    return list(map(set, told))
