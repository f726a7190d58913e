"""Operations on tournaments of a server, on a real store."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from tests.support.ladder_store import Ladders, ladder, score
from tests.support.valkey import GAME

from agon.codec import admin, ladder as public, ledger, tournament as calls
from agon.codec.tournament_standings import TournamentStandings
from agon_engine.core.policy import Result
from agon_engine.core.record import Deals
from agon_ladder.errors import ScheduleError
from agon_ladder.report.wording import RANKS
from agon_ladder.stats.interval import Interval
from agon_server.ladders import tournament_standings
from agon_server.operations import audits
from agon_server.operations.errors import ExistsError, InvalidError, NotFoundError, PreconditionError
from agon_server.operations.installation import Installation
from agon_server.operations.ladders import close_ladder
from agon_server.operations.rulings import accept_loss, purge_matches, start_season
from agon_server.operations.table import Access, operation_of
from agon_server.operations.tournaments import (
    MAX_DEFINITION,
    create_tournament,
    get_tournament,
    get_tournament_standings,
    resume_tournament,
)
from agon_server.queue.entry import MatchEntry
from agon_server.store import keys

BOTS = ("a", "b", "c", "d")
SWISS = calls.Schedule(kind="swiss", bots=BOTS, seed="7", rounds=2)
REQUEST = calls.CreateTournamentRequest(admin.CreateLadderRequest(name="cup", game=GAME, seats=2), SWISS, "anything")


def first_named_wins(match: MatchEntry) -> Result:
    names = sorted(seat.bot for seat in match.seats)
    return score(*(1 + names.index(seat.bot) for seat in match.seats))


async def cup(installation: Installation) -> calls.Tournament:
    return (await get_tournament(installation, calls.GetTournamentRequest("cup"))).tournament


async def table_of(installation: Installation) -> TournamentStandings:
    request = public.GetTournamentStandingsRequest("cup")
    return (await get_tournament_standings(installation, request)).standings


async def test_a_tournament_is_made_played_and_told(installation: Installation, arena: Ladders) -> None:
    await arena.join(*BOTS)
    made = (await create_tournament(installation, REQUEST)).tournament
    assert (made.definition, made.absent, made.ladder.open, made.ladder.format) == ("anything", (), True, "swiss")
    table = made.standings
    assert (table.format, table.planned, table.done, table.round, table.rounds) == ("swiss", 8, 0, 1, 2)
    assert not table.over
    assert [(row.rank, row.bot, row.score, row.elo) for row in table.rows] == [(1, bot, None, None) for bot in BOTS]

    await arena.lead()
    await arena.play_rounds(4, first_named_wins)
    await arena.pairing.round()

    assert not (await cup(installation)).ladder.open
    told = await table_of(installation)
    assert (told.planned, told.done, told.lost, told.over, told.round) == (8, 8, 0, True, 2)
    assert (told.rows[0].bot, told.rows[0].half_points, told.rows[0].score) == ("a", 8, 1.0)
    assert told.tie_breaks == ("Buchholz", "Sonneborn–Berger")
    assert all(len(row.tie_breaks) == 2 for row in told.rows)
    assert all(Interval(row.elo_low, row.elo_high, row.blocks).covers(row.elo or 0) for row in told.rows[1:-1])
    assert (told.rows[0].blocks, told.rows[0].elo, told.rows[0].elo_high) == (2, None, None)


async def test_a_report_on_a_tournament_ranks_by_its_format(installation: Installation, arena: Ladders) -> None:
    """In this knockout the better seed goes on from ties, and wins with less Elo than the other finalist."""

    def end(match: MatchEntry) -> Result:
        return first_named_wins(match) if {seat.bot for seat in match.seats} == {"b", "c"} else score(1, 1)

    await arena.join(*BOTS)
    await create_tournament(
        installation, replace(REQUEST, schedule=calls.Schedule(kind="knockout", bots=BOTS, seed="7"))
    )
    await arena.lead()
    await arena.play_rounds(12, end)

    pieces = audits.report_ladder(installation, ledger.ReportLadderRequest("cup", ledger.ReportFormat.JSON))
    report = json.loads("".join([piece.text async for piece in pieces]))

    told = await table_of(installation)
    assert told.over
    standings = report["standings"]
    assert [(row["rank"], row["bot"]) for row in standings] == [(row.rank, row.bot) for row in told.rows]
    assert standings[0]["rating"] < standings[1]["rating"]
    assert (report["title"], RANKS in report["notes"]) == ("Tournament cup", True)
    about = report["about"]
    assert (about["format"], about["seed"]) == ("knockout, 2 stages", "7")
    assert about["matches"] == f"{told.done} of {told.done}, all"
    assert {"open", "rating system"} & set(about) == set()
    ranking = [(row["rank"], row["bot"], row["points"]) for row in report["ranking"]]
    assert ranking == [(row.rank, row.bot, row.half_points / 2) for row in told.rows]
    assert report["rounds"][0]["round"] == "stage 1 of 2"


async def test_a_report_on_a_tournament_that_is_played_says_so_and_keeps_its_seed(
    installation: Installation, arena: Ladders
) -> None:
    await arena.join(*BOTS)
    await create_tournament(installation, REQUEST)
    await arena.lead()
    await arena.play_rounds(1, first_named_wins)

    pieces = audits.report_ladder(installation, ledger.ReportLadderRequest("cup", ledger.ReportFormat.JSON))
    about = json.loads("".join([piece.text async for piece in pieces]))["about"]

    assert (about["format"], about["matches"]) == ("swiss, 2 rounds", "4 of 8, 4 left: it is not finished")
    assert "seed" not in about


async def test_everybody_may_ask_how_a_tournament_stands_and_learns_no_more(
    installation: Installation, arena: Ladders
) -> None:
    """Demand 5: its own table, without what pairings follow from."""
    await arena.join(*BOTS)
    secret = replace(SWISS, seed="a seed of its own")
    await create_tournament(installation, replace(REQUEST, schedule=secret, definition='{"seed": "a seed of its own"}'))
    await arena.lead()
    await arena.play_rounds(1, first_named_wins)

    told = await get_tournament_standings(installation, public.GetTournamentStandingsRequest("cup"))

    assert operation_of(public.GET_TOURNAMENT_STANDINGS).access is Access.PUBLIC
    assert told.standings == (await cup(installation)).standings
    assert told.standings.done == 4
    assert [row.bot for row in told.standings.rows][:2] == ["a", "b"]
    assert b"a seed" not in public.GET_TOURNAMENT_STANDINGS.response.encode(told)


async def test_a_table_that_takes_long_to_make_is_kept_for_those_who_look_on(
    installation: Installation, arena: Ladders, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The organiser has it as it is."""
    monkeypatch.setattr(tournament_standings, "CHEAP_SECONDS", 0.0)
    monkeypatch.setattr(tournament_standings, "PACE", 1e9)
    await arena.join(*BOTS)
    await create_tournament(installation, REQUEST)
    await table_of(installation)
    await arena.lead()
    await arena.play_rounds(4, first_named_wins)
    await arena.pairing.round()

    before = await table_of(installation)
    organisers = (await cup(installation)).standings
    after = await table_of(installation)

    assert (before.done, organisers.done, after.done) == (0, 8, 8)


async def test_a_tournament_has_no_seasons_purges_and_losses(installation: Installation, arena: Ladders) -> None:
    """Its own table and its later rounds rest on all its results."""
    await arena.join(*BOTS)
    await create_tournament(installation, REQUEST)

    with pytest.raises(PreconditionError, match="this is a tournament: 'cup'"):
        await start_season(
            installation, ledger.StartSeasonRequest(ladder="cup", label="autumn", keep=50, actor="ann", why="why")
        )
    with pytest.raises(PreconditionError, match="this is a tournament: 'cup'"):
        await purge_matches(installation, ledger.PurgeMatchesRequest(ladder="cup", bot="a", actor="ann", why="why"))
    with pytest.raises(PreconditionError, match="play it anew under another name"):
        await accept_loss(installation, ledger.AcceptLossRequest(ladder="cup", actor="ann", why="why"))


async def test_a_tournament_waits_while_its_ladder_is_closed_and_says_who_is_missing(
    installation: Installation, arena: Ladders
) -> None:
    await arena.join(*BOTS)
    await create_tournament(installation, REQUEST)
    await arena.leave("b")
    await close_ladder(installation, admin.CloseLadderRequest("cup"))
    waiting = await cup(installation)

    gone_on = (await resume_tournament(installation, calls.ResumeTournamentRequest("cup"))).tournament

    assert (waiting.ladder.open, waiting.standings.over, waiting.absent) == (False, False, ("b",))
    assert gone_on.ladder.open


async def test_bots_that_get_no_matches_are_refused_at_the_start(installation: Installation, arena: Ladders) -> None:
    await arena.join(*BOTS)
    await arena.accounts.suspend("b", "copied")
    await installation.retirements.retire("c", None, actor="x", reason="old")

    with pytest.raises(PreconditionError) as refused:
        await create_tournament(installation, REQUEST)

    assert "b is suspended (copied); `agon bot resume b` lets it play" in str(refused.value)
    assert "c is retired (old); `agon bot retire c --undo` lets it play" in str(refused.value)
    with pytest.raises(NotFoundError):
        await cup(installation)


async def test_a_tournament_tells_whom_it_waits_for_and_why_and_of_others_nothing(
    installation: Installation, arena: Ladders
) -> None:
    await arena.join(*BOTS)
    knockout = calls.Schedule(kind="knockout", bots=BOTS, seed="7")
    await create_tournament(installation, replace(REQUEST, schedule=knockout))
    await arena.accounts.suspend("a", "copied")
    await arena.leave("d")

    waiting = await cup(installation)
    await arena.accounts.resume("a")
    await arena.come_back("d")
    await arena.lead()
    await arena.play_rounds(1, first_named_wins)
    await arena.leave("a")
    await arena.leave("d")
    in_the_final = await cup(installation)

    assert waiting.awaited == (
        calls.Awaited("a", "suspended (copied); `agon bot resume a` lets it play"),
        calls.Awaited("d", "not connected"),
    )
    assert (waiting.standings.round_name, in_the_final.standings.round_name) == ("stage 1 of 2", "stage 2 of 2")
    assert in_the_final.absent == ("a", "d")
    assert in_the_final.awaited == (calls.Awaited("a", "not connected"),)


async def test_a_bot_whose_connected_version_is_retired_is_waited_for(
    installation: Installation, arena: Ladders
) -> None:
    await arena.join(*BOTS)
    await create_tournament(installation, REQUEST)
    (version,) = {one.bot_version for one in await arena.presence.online() if one.bot == "b"}
    await installation.retirements.retire("b", version, actor="x", reason="old")

    (awaited,) = (await cup(installation)).awaited

    assert awaited == calls.Awaited("b", f"connected by version {version!r} alone, which is retired")


async def test_a_tournament_that_is_over_is_not_opened_again(installation: Installation, arena: Ladders) -> None:
    await arena.join(*BOTS)
    await create_tournament(installation, REQUEST)
    await arena.lead()
    await arena.play_rounds(4, first_named_wins)
    await arena.pairing.round()

    told = (await resume_tournament(installation, calls.ResumeTournamentRequest("cup"))).tournament

    assert (told.standings.over, told.ladder.open) == (True, False)


@pytest.mark.parametrize(
    ("request_", "error", "why"),
    [
        (replace(REQUEST, ladder=replace(REQUEST.ladder, name="")), InvalidError, "needs a name"),
        (replace(REQUEST, definition="x" * (MAX_DEFINITION + 1)), InvalidError, "at most 65536 bytes"),
        (replace(REQUEST, schedule=replace(SWISS, bots=(*BOTS, "nobody"))), NotFoundError, "'nobody'"),
        (replace(REQUEST, schedule=replace(SWISS, bots=("a", "a"))), ScheduleError, "each once"),
        (replace(REQUEST, schedule=replace(SWISS, rounds=None)), ScheduleError, "rounds is missing"),
        (replace(REQUEST, schedule=replace(SWISS, cycles=2)), ScheduleError, "cycles"),
        (replace(REQUEST, schedule=replace(SWISS, kind="golf")), ScheduleError, "golf"),
        (replace(REQUEST, schedule=replace(SWISS, concurrency=10_001)), ScheduleError, "1 to 10000"),
        (replace(REQUEST, ladder=replace(REQUEST.ladder, seats=5)), ScheduleError, "5"),
        (replace(REQUEST, ladder=replace(REQUEST.ladder, deals=Deals.SHARED)), PreconditionError, "cannot remember"),
    ],
)
async def test_what_cannot_be_is_refused_and_nothing_is_made(
    installation: Installation,
    arena: Ladders,
    request_: calls.CreateTournamentRequest,
    error: type[Exception],
    why: str,
) -> None:
    await arena.join(*BOTS)

    with pytest.raises(error, match=why):
        await create_tournament(installation, request_)
    assert await installation.catalogue.list() == []


async def test_shared_deals_are_for_trusted_bots(installation: Installation, arena: Ladders) -> None:
    await arena.join(*BOTS, trusted=True)

    made = await create_tournament(installation, replace(REQUEST, ladder=replace(REQUEST.ladder, deals=Deals.SHARED)))

    assert made.tournament.ladder.deals is Deals.SHARED


async def test_a_name_is_taken_once_and_only_tournaments_are_found(installation: Installation, arena: Ladders) -> None:
    await arena.join(*BOTS)
    await create_tournament(installation, REQUEST)
    await arena.catalogue.create(ladder(2))

    with pytest.raises(ExistsError, match="'cup'"):
        await create_tournament(installation, REQUEST)
    with pytest.raises(NotFoundError, match="'other'"):
        await get_tournament(installation, calls.GetTournamentRequest("other"))
    with pytest.raises(InvalidError, match="endless"):
        await get_tournament_standings(installation, public.GetTournamentStandingsRequest(f"{GAME}-2"))
    with pytest.raises(InvalidError, match="endless"):
        await get_tournament(installation, calls.GetTournamentRequest(f"{GAME}-2"))


@pytest.mark.parametrize("field", ["1.1.1", "9.9.9", "x", "1.1.x", ""])
async def test_what_was_played_and_cannot_be_read_is_said(
    installation: Installation, arena: Ladders, field: str
) -> None:
    await arena.join(*BOTS)
    await create_tournament(installation, REQUEST)
    await arena.store.command("HSET", keys.PLAYED + "cup", field, "7,x")

    with pytest.raises(PreconditionError, match="cannot be read"):
        await table_of(installation)
