"""House bots beside a server: they play each other until each has had its games, and then wait for remote bots."""

from __future__ import annotations

from tests.support.e2e import CALL_SECONDS, Site, until
from tests.support.raw_bot import RawBot

from agon.codec.frames import Over
from agon_engine.registry import game_names

GAMES = 4


async def test_house_bots_stop_by_themselves_and_play_on_with_a_remote_bot(site: Site) -> None:
    server = await site.server("--house", "greedy,random", "--set", f"house_games={GAMES}")

    async def had_their_games() -> bool:
        tables = [one for one in await server.standings() if one.ladder.seats == 2]
        return all(len(table.rows) == 2 and all(row.games >= GAMES for row in table.rows) for table in tables)

    await until(had_their_games, every=CALL_SECONDS)
    # With more to play it would never be.
    await server.settled()
    alone = await server.matches()

    async with RawBot(server.address, await server.register("remote"), slots=2) as remote:
        await remote.play()
        await until(lambda: remote.status is not None or len(remote.all(Over)) >= 4)
        more = await server.matches()

    for game in game_names():
        assert GAMES <= len([match for match in alone if match.game == game]) <= GAMES + 4
    assert len(more) > len(alone)
    assert all("remote" in [seat.bot for seat in match.seats] for match in more[len(alone) :])
