"""Seasons and purges on a real store: each done once, folded where it stands in the results stream, so that the live
table is its rebuild, bit for bit (X4), and nothing is lost of what was purged."""

from __future__ import annotations

import pytest
from tests.support.ladder_store import Ladders, by_chance
from tests.support.rulings import NAME, WHO, assert_true, live, purge, rule, season, undo

from agon_engine.core import Chance
from agon_ladder.results import Position
from agon_ladder.rulings import Purge
from agon_ladder.standings import standings
from agon_server.ladders.encoding import TableDamagedError
from agon_server.queue.rulings import Ruled, Rulings
from agon_server.store import keys

# -- once --------------------------------------------------------------------------------------------------------


async def test_a_ruling_that_is_repeated_is_made_once(played: Ladders) -> None:
    rulings = Rulings(played.store)
    first, again = [await rulings.make(season(id_="s1")) for _ in range(2)]
    other = await rulings.make(season(id_="s2"))
    purged = await rulings.make(purge("p1", bot="a"))
    undone, twice = [await rulings.make(undo("p1")) for _ in range(2)]

    assert (first.ruled, again.ruled, first.position) == (Ruled.MADE, Ruled.REPEAT, again.position)
    assert (other.ruled, other.by, undone.ruled, twice.ruled) == (Ruled.TAKEN, "s1", Ruled.MADE, Ruled.TAKEN)
    listed = await rulings.list(NAME)
    assert [ruling.position for ruling in listed] == [first.position, purged.position, undone.position]
    assert listed == list((await played.results.after("0-0", 100_000)).rulings)
    assert await rulings.list("other") == []


# -- seasons -----------------------------------------------------------------------------------------------------


async def test_a_season_begins_in_the_live_table_as_in_a_rebuild(played: Ladders) -> None:
    """Results before and after it are folded in one batch with it; blocks go on over it."""
    await played.pairing.round()
    await played.play(by_chance(Chance(bytes(16))))
    position = await rule(played, season("autumn", 50))
    await played.pairing.round()
    await played.play(by_chance(Chance(bytes(16))))
    await played.take()
    await played.play_rounds(3, by_chance(Chance(b"another seed of 16 bytes"[:16])))

    await assert_true(played)
    state = await live(played)
    assert (state.season.label, state.season.position) == ("autumn", position)
    assert 0 < state.season_results < state.results
    (over,) = await played.tables.seasons(NAME)
    final = await played.tables.season(NAME, "first")
    assert final is not None
    assert (over.begun.label, over.results, over.bots) == ("first", state.season.results, 4)
    assert (over.ended.why, final.ended, final.table.results) == ("because", over.ended, over.results)
    assert [row.games for row in standings(final.table)] != []
    assert await played.tables.season(NAME, "autumn") is None


async def test_seasons_are_made_anew_by_a_rebuild(played: Ladders) -> None:
    for label in ("autumn", "winter"):
        await rule(played, season(label))
        await played.play_rounds(1, by_chance(Chance(bytes(16))))
    before = [await played.tables.season(NAME, label) for label in ("first", "autumn")]
    await played.store.command("HDEL", keys.SEASONS + NAME, "first")
    await played.store.command("SET", f"{keys.SEASON}{NAME}:stray", "{}")
    text = (await played.store.command("GET", f"{keys.SEASON}{NAME}:autumn")).replace(b'"games":', b'"games":1')
    await played.store.command("SET", f"{keys.SEASON}{NAME}:autumn", text)

    report = await played.auditor.rebuild(NAME)

    assert {finding.check for finding in report.findings} == {"seasons"}
    assert len(report.findings) == 2
    assert before == [await played.tables.season(NAME, label) for label in ("first", "autumn")]
    await assert_true(played)


async def test_a_season_that_cannot_be_read_needs_a_rebuild(played: Ladders) -> None:
    await rule(played, season())
    await played.take()
    await played.store.command("SET", f"{keys.SEASON}{NAME}:first", "{")

    with pytest.raises(TableDamagedError, match="season first of ladder ephyran-3 cannot be read"):
        await played.tables.season(NAME, "first")
    await played.auditor.rebuild(NAME)
    assert await played.tables.season(NAME, "first") is not None


# -- purges ------------------------------------------------------------------------------------------------------


async def test_a_purge_rates_the_ladder_again_and_undoing_it_gives_the_old_table_back(played: Ladders) -> None:
    before = await live(played)
    stored = await played.store.command("XLEN", keys.RESULTS)

    await rule(played, purge("p1", bot="a"))
    await played.take()
    purged = await live(played)
    await assert_true(played)
    assert "a" not in purged.bots
    assert purged.results < before.results
    assert await played.store.command("XLEN", keys.RESULTS) == stored + 1, "nothing is deleted"

    await played.play_rounds(1, by_chance(Chance(bytes(16))))
    assert "a" in (await live(played)).bots, "a purge is about what was before it"
    await assert_true(played)

    await rule(played, undo("p1"))
    await played.take()
    await assert_true(played)
    assert (await live(played)).results >= before.results


async def test_a_purge_reaches_into_seasons_that_are_over(played: Ladders) -> None:
    await rule(played, season())
    await played.play_rounds(1, by_chance(Chance(bytes(16))))
    before = await played.tables.season(NAME, "first")

    await rule(played, purge(server="server-1"))
    await played.take()

    after = await played.tables.season(NAME, "first")
    assert before is not None
    assert after is not None
    assert (before.results > 0, after.results, after.table.bots) == (True, 0, {})
    await assert_true(played)


async def test_how_many_matches_a_purge_takes_out_is_known_before(played: Ladders) -> None:
    rated = (await live(played)).results
    late = Position(2**53, 0)

    assert await played.auditor.covered(Purge(**{**WHO, "position": late, "id": "x", "server": "server-1"})) == rated
    assert await played.auditor.covered(Purge(**{**WHO, "position": late, "id": "x", "bot": "nobody"})) == 0
    await rule(played, purge(server="server-1"))
    assert await played.auditor.covered(Purge(**{**WHO, "position": late, "id": "x", "server": "server-1"})) == 0
