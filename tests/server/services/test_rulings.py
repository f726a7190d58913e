"""Operations that rule about ladders, on a real store: seasons and purges as organisers ask for them, and what
everybody is told of them."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from tests.support.exports import lines_of
from tests.support.ladder_store import Ladders, ladder, score
from tests.support.valkey import GAME

from agon.codec import ladder as calls, ledger
from agon.codec.ledger import PurgeMatchesRequest, StartSeasonRequest, UndoPurgeRequest
from agon_server.ladders.tables import RERATED
from agon_server.operations import audits, ladders, matches, rulings
from agon_server.operations.errors import ExistsError, InvalidError, NotFoundError, PreconditionError
from agon_server.operations.installation import Installation
from agon_server.store import keys

LADDER = f"{GAME}-2"
SEASON = StartSeasonRequest(ladder=LADDER, label="autumn", keep=50, actor="ann", why="the summer is over", id="s-1")
PURGE = PurgeMatchesRequest(ladder=LADDER, bot="a", actor="ann", why="it played for two owners", id="p-1")
UNDO = UndoPurgeRequest(ladder=LADDER, purge="p-1", actor="bob", why="it was another bot", id="u-1")


@pytest.fixture
async def played(arena: Ladders) -> Ladders:
    await arena.catalogue.create(ladder(2))
    await arena.join("a", "b", "c", slots=50)
    await arena.lead()
    for pair in ("ab", "ab", "bc"):
        await arena.end(score(1, 2), *pair)
    await arena.take()
    return arena


async def table(installation: Installation, season: str = "") -> calls.Standings:
    return (await ladders.get_standings(installation, calls.GetStandingsRequest(LADDER, season))).standings


async def told(installation: Installation, match: str) -> calls.Match:
    return (await matches.get_match(installation, calls.GetMatchRequest(match))).match


async def test_an_id_stands_for_one_ruling(installation: Installation, played: Ladders) -> None:
    """What another ruling asks for under its id is not taken for done."""
    await rulings.purge_matches(installation, PURGE)

    for other in (replace(PURGE, bot="b"), replace(PURGE, why="another reason"), replace(PURGE, actor="bob")):
        with pytest.raises(ExistsError, match=f"another ruling of ladder {LADDER} has this id: 'p-1'"):
            await rulings.purge_matches(installation, other)
    with pytest.raises(ExistsError, match="has this id: 'p-1'"):
        await rulings.start_season(installation, replace(SEASON, id="p-1"))
    assert len((await rulings.list_purges(installation, ledger.ListPurgesRequest(LADDER))).purges) == 1


# -- seasons -----------------------------------------------------------------------------------------------------


async def test_a_season_that_is_over_is_shown_as_it_was(installation: Installation, played: Ladders) -> None:
    before = await table(installation)
    made = await rulings.start_season(installation, SEASON)
    await played.end(score(1, 2), "c", "b")
    await played.take()
    now, past, same = [await table(installation, label) for label in ("", "first", "first")]
    listed = (await rulings.list_seasons(installation, ledger.ListSeasonsRequest(LADDER))).seasons

    assert (before.season, before.results, before.ended) == ("first", 3, "")
    assert past == same == replace(before, position=made.position, ended=past.ended)
    assert past.ended == listed[0].ended == listed[1].began != ""
    assert (now.season, now.results, [row.bot for row in now.rows]) == ("autumn", 1, ["c", "b"])
    assert now == await table(installation, "autumn")
    assert [(each.label, each.results, each.bots, each.keep, each.why) for each in listed] == [
        ("first", 3, 3, 0, ""),
        ("autumn", 1, 2, 50, "the summer is over"),
    ]
    with pytest.raises(NotFoundError, match="`agon ladder seasons ephyran-2` lists all: 'winter'"):
        await table(installation, "winter")


async def test_a_repeat_begins_no_second_season_and_a_label_is_used_once(
    installation: Installation, played: Ladders
) -> None:
    first, again = [await rulings.start_season(installation, SEASON) for _ in range(2)]

    assert (first.repeated, again) == (False, replace(first, repeated=True))
    with pytest.raises(ExistsError, match="has or had a season of this label: 'autumn'"):
        await rulings.start_season(installation, replace(SEASON, id=""))
    await played.take()
    assert len((await rulings.list_seasons(installation, ledger.ListSeasonsRequest(LADDER))).seasons) == 2


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"ladder": "none"}, NotFoundError),
        ({"label": "No Label"}, InvalidError),
        ({"label": "first"}, ExistsError),
        ({"keep": 101}, InvalidError),
        ({"actor": " "}, InvalidError),
        ({"why": ""}, InvalidError),
        ({"why": "a\nb"}, InvalidError),
        ({"id": "a b"}, InvalidError),
    ],
)
async def test_what_is_no_season_is_refused_and_nothing_is_written(
    installation: Installation, played: Ladders, changes: dict[str, Any], error: type[Exception]
) -> None:
    length = await played.store.command("XLEN", keys.RESULTS)

    with pytest.raises(error):
        await rulings.start_season(installation, replace(SEASON, **changes))
    assert await played.store.command("XLEN", keys.RESULTS) == length


# -- purges ------------------------------------------------------------------------------------------------------


async def test_a_purge_is_told_wherever_its_matches_are(installation: Installation, played: Ladders) -> None:
    gone, _, stays = [result.match for result in (await played.results.after("0-0")).results]
    before = await table(installation)
    planned = await rulings.purge_matches(installation, replace(PURGE, dry_run=True, why="", actor=""))
    assert (await table(installation), planned.id, planned.matches) == (before, "", 2)

    made = await rulings.purge_matches(installation, PURGE)
    await played.take()
    after = await table(installation)
    purged, counting = await told(installation, gone), await told(installation, stays)
    listed = (await matches.list_matches(installation, calls.ListMatchesRequest())).matches
    audit = await audits.audit_ladder(installation, ledger.AuditLadderRequest(LADDER))

    assert (made.matches, after.results, after.purges) == (2, 1, 1)
    assert [row.bot for row in after.rows] == ["b", "c"]
    assert (purged.purge, purged.purge_reason, purged.counts) == ("p-1", "it played for two owners", False)
    assert (counting.purge, counting.counts) == ("", True)
    assert [(match.purge, match.counts) for match in listed] == [("", True), ("p-1", False), ("p-1", False)]
    assert (await matches.get_record(installation, calls.GetRecordRequest(gone))).line, "nothing is deleted"
    assert (audit.findings, audit.counts.purged) == ((), 2)

    await rulings.undo_purge(installation, UNDO)
    await played.take()
    (purge,) = (await rulings.list_purges(installation, ledger.ListPurgesRequest(LADDER))).purges

    assert replace(await table(installation), position="") == replace(before, position="")
    assert (await told(installation, gone)).counts
    assert (purge.bot, purge.actor, purge.undone_by, purge.undone_why) == ("a", "ann", "bob", "it was another bot")
    assert purge.undone > purge.made


async def test_a_misspelt_bot_is_not_purged_and_the_one_meant_is_told(
    installation: Installation, played: Ladders
) -> None:
    await played.join("hector")

    for dry_run in (False, True):
        with pytest.raises(NotFoundError, match="no bot of this name; did you mean hector\\?: 'hektor'"):
            await rulings.purge_matches(installation, replace(PURGE, bot="hektor", dry_run=dry_run))
    with pytest.raises(InvalidError, match=f"no match that counts in ladder {LADDER} is one of bot hector"):
        await rulings.purge_matches(installation, replace(PURGE, bot="hector"))
    nothing = await rulings.purge_matches(installation, replace(PURGE, bot="hector", dry_run=True))
    assert nothing.matches == 0
    assert (await rulings.list_purges(installation, ledger.ListPurgesRequest(LADDER))).purges == ()


async def test_a_table_says_that_it_is_old_from_the_ruling_on_until_it_is_rated_again(
    installation: Installation, played: Ladders
) -> None:
    """Also those of seasons that are over, and after a purge is undone."""
    await rulings.start_season(installation, SEASON)
    await played.take()
    said = [[(await table(installation, season)).failed for season in ("first", "autumn")]]

    for ask in (rulings.purge_matches(installation, PURGE), rulings.undo_purge(installation, UNDO)):
        await ask
        said.append([(await table(installation, season)).failed for season in ("first", "autumn")])
        await played.take()
        said.append([(await table(installation, season)).failed for season in ("first", "autumn")])

    assert said == [["", ""], [RERATED, RERATED], ["", ""], [RERATED, RERATED], ["", ""]]


async def test_a_repeat_purges_nothing_twice_and_undoes_nothing_twice(
    installation: Installation, played: Ladders
) -> None:
    first, again = [await rulings.purge_matches(installation, PURGE) for _ in range(2)]
    undone, twice = [await rulings.undo_purge(installation, UNDO) for _ in range(2)]

    assert (first.repeated, again.repeated, first.position) == (False, True, again.position)
    assert (undone.repeated, twice.repeated) == (False, True)
    with pytest.raises(PreconditionError, match="undone already, by ruling 'u-1'"):
        await rulings.undo_purge(installation, replace(UNDO, id="u-2"))
    with pytest.raises(NotFoundError, match="no purge of this id: 'p-9'"):
        await rulings.undo_purge(installation, replace(UNDO, purge="p-9", id="u-3"))


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"ladder": "none"}, NotFoundError),
        ({"bot": ""}, InvalidError),
        ({"bot": "No Bot"}, InvalidError),
        ({"bot": "nobody"}, NotFoundError),
        ({"bot": "c", "until_ms": 1}, InvalidError),
        ({"bot": "", "match": "01nope"}, InvalidError),
        ({"bot": "", "server": "elsewhere"}, InvalidError),
        ({"server": "a b"}, InvalidError),
        ({"until_ms": 2**60}, InvalidError),
        ({"since_ms": 2**60}, InvalidError),
        ({"since_ms": 7, "until_ms": 7}, InvalidError),
        ({"why": " "}, InvalidError),
        ({"actor": ""}, InvalidError),
    ],
)
async def test_what_is_no_purge_is_refused_and_nothing_is_written(
    installation: Installation, played: Ladders, changes: dict[str, Any], error: type[Exception]
) -> None:
    length = await played.store.command("XLEN", keys.RESULTS)

    with pytest.raises(error):
        await rulings.purge_matches(installation, replace(PURGE, **changes))
    assert await played.store.command("XLEN", keys.RESULTS) == length


async def test_exports_say_of_which_season_a_match_is_and_by_which_purge_it_does_not_count(
    installation: Installation, played: Ladders
) -> None:
    await rulings.start_season(installation, SEASON)
    await played.end(score(1, 2), "a", "c")
    await rulings.purge_matches(installation, PURGE)
    await played.take()

    results, ratings = [
        await lines_of(installation, LADDER, kind) for kind in (ledger.ExportKind.RESULTS, ledger.ExportKind.RATINGS)
    ]
    told = [(line["season"], line["purge"], line["rated"]) for line in results[::2]]
    assert told == [("first", "p-1", False)] * 2 + [("first", "", True), ("autumn", "p-1", False)]
    assert [line["bot"] for line in ratings] == ["b", "c"]


async def test_a_report_is_on_the_running_season_and_without_what_is_purged(
    installation: Installation, played: Ladders
) -> None:
    async def report(label: str = "") -> dict[str, Any]:
        request = ledger.ReportLadderRequest(LADDER, ledger.ReportFormat.JSON, label)
        return dict(json.loads("".join([piece.text async for piece in audits.report_ladder(installation, request)])))

    first = await report()
    await rulings.start_season(installation, SEASON)
    await played.end(score(1, 2), "a", "c")
    await played.end(score(1, 2), "b", "c")
    second = await report()
    await rulings.purge_matches(installation, PURGE)
    third = await report()

    bots = [{row["bot"] for row in told["standings"]} for told in (first, second, third)]
    assert bots == [{"a", "b", "c"}, {"a", "b", "c"}, {"b", "c"}]
    assert [told["matches"] for told in (first, second, third)][1:] == [2, 1]
    assert ["season", "autumn"] in [list(pair) for pair in second["about"]] or second["about"]["season"] == "autumn"


async def test_a_report_on_a_season_that_is_over_is_that_of_its_last_day_less_what_was_purged_since(
    installation: Installation, played: Ladders
) -> None:
    async def report(label: str) -> dict[str, Any]:
        request = ledger.ReportLadderRequest(LADDER, ledger.ReportFormat.JSON, label)
        return dict(json.loads("".join([piece.text async for piece in audits.report_ladder(installation, request)])))

    running = await report("")
    await rulings.start_season(installation, SEASON)
    await played.end(score(1, 2), "a", "c")
    await played.take()
    over = await report("first")
    shown = await table(installation, "first")
    named, unnamed = await report("autumn"), await report("")
    await rulings.purge_matches(installation, PURGE)
    purged = await report("first")

    season = over["about"].pop("season")
    assert season.startswith("first, ended 20")
    assert over == running
    assert [(row["bot"], row["rating"]) for row in over["standings"]] == [
        (row.bot, row.rating / 1000) for row in shown.rows
    ]
    assert named == unnamed
    assert (over["matches"], named["matches"], purged["matches"]) == (3, 1, 1)
    with pytest.raises(NotFoundError, match=f"`agon ladder seasons {LADDER}` lists all: 'spring'"):
        await report("spring")
