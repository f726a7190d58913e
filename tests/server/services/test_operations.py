"""Operations on bots and ladders, on a real store: what is told of them and how they are changed."""

from __future__ import annotations

import json

import pytest
from tests.support.ladder_store import Ladders, by_chance, ladder, opened, score
from tests.support.valkey import GAME

from agon.codec import admin, ladder as calls, ledger
from agon_engine.core import Chance
from agon_engine.core.errors import OptionsError
from agon_engine.core.policy import FaultPolicy, OnFault
from agon_engine.core.record import Deals
from agon_engine.core.timing import TimeControl
from agon_server.ladders import definitions
from agon_server.ladders.resting import write_rests
from agon_server.operations import audits, bots, ladders
from agon_server.operations.company import short_of_bots
from agon_server.operations.errors import ExistsError, InvalidError, NotFoundError, PreconditionError
from agon_server.operations.installation import Installation
from agon_server.operations.times import rfc3339
from agon_server.store import keys

LADDER = f"{GAME}-2"


# -- bots ----------------------------------------------------------------------------------------------------------


async def test_a_bot_is_registered_once_and_its_token_renewed(installation: Installation) -> None:
    first = await bots.register_bot(installation, admin.RegisterBotRequest("hector", "priam"))
    with pytest.raises(ExistsError, match="--renew gives it a new token: 'hector'"):
        await bots.register_bot(installation, admin.RegisterBotRequest("hector"))
    second = await bots.register_bot(installation, admin.RegisterBotRequest("hector", renew=True))

    assert await installation.accounts.authenticate(first.token) is None
    known = await installation.accounts.authenticate(second.token)
    assert known is not None
    assert (known.name, known.owner) == ("hector", "priam")


async def test_a_renewal_changes_nothing_else(installation: Installation) -> None:
    with pytest.raises(NotFoundError, match="'hector'"):
        await bots.register_bot(installation, admin.RegisterBotRequest("hector", renew=True))
    await bots.register_bot(installation, admin.RegisterBotRequest("hector"))
    with pytest.raises(InvalidError, match="leave owner and trusted out"):
        await bots.register_bot(installation, admin.RegisterBotRequest("hector", "priam", renew=True))


async def test_bots_are_listed_with_what_their_processes_play(installation: Installation, arena: Ladders) -> None:
    await bots.register_bot(installation, admin.RegisterBotRequest("away", trusted=True))
    await arena.join("hector", slots=3, house=True)

    away, hector = (await bots.list_bots(installation, calls.ListBotsRequest())).bots

    assert (away.name, away.trusted, away.house, away.processes, away.games) == ("away", True, False, 0, ())
    assert (hector.house, hector.processes, hector.slots, hector.games) == (True, 1, 3, (GAME,))
    assert hector.created.endswith("Z")


async def test_a_suspended_bot_learns_why_from_its_own_log_only(installation: Installation) -> None:
    """Requirement C10: suspension with a reason that its owner can read."""
    await bots.register_bot(installation, admin.RegisterBotRequest("hector"))
    await installation.accounts.append_notes("hector", ["a line"])

    await bots.suspend_bot(installation, admin.SuspendBotRequest("hector", " plays for two owners "))
    log = await bots.read_bot_log(installation, admin.ReadBotLogRequest("hector"))
    listed = (await bots.list_bots(installation, calls.ListBotsRequest())).bots[0]
    await bots.resume_bot(installation, admin.ResumeBotRequest("hector"))
    after = await bots.read_bot_log(installation, admin.ReadBotLogRequest("hector"))

    assert log == admin.ReadBotLogResponse(("a line",), 0, "plays for two owners")
    assert listed.suspended
    assert after.suspended == ""


@pytest.mark.parametrize("reason", ["", "  ", "a\nb", "x" * 201])
async def test_a_reason_is_a_short_line(installation: Installation, reason: str) -> None:
    await bots.register_bot(installation, admin.RegisterBotRequest("hector"))

    with pytest.raises(InvalidError, match="a reason"):
        await bots.suspend_bot(installation, admin.SuspendBotRequest("hector", reason))
    with pytest.raises(InvalidError, match="a reason"):
        await bots.retire_bot(installation, admin.RetireBotRequest("hector", None, "priam", reason))
    with pytest.raises(InvalidError, match=r"who makes it|a reason is printable"):
        await bots.retire_bot(installation, admin.RetireBotRequest("hector", None, reason, "it fell"))
    assert await installation.retirements.list() == []


async def test_a_bot_that_rests_is_listed_with_until_when(installation: Installation, arena: Ladders) -> None:
    await arena.join("hector", "ajax")
    now = await installation.store.now_ms()
    await write_rests(installation.store, {"hector": now + 60_000, "ajax": now})

    listed = (await bots.list_bots(installation, calls.ListBotsRequest())).bots

    assert {bot.name: bot.rests_until for bot in listed} == {"hector": rfc3339(now + 60_000), "ajax": ""}


async def test_ladders_that_have_too_few_bots_for_a_match_are_told_until_there_are_enough(
    installation: Installation, arena: Ladders
) -> None:
    for name, seats in (("small", 2), ("large", 3), ("shut", 3)):
        await ladders.create_ladder(installation, admin.CreateLadderRequest(name=name, game=GAME, seats=seats))
    await ladders.close_ladder(installation, admin.CloseLadderRequest("shut"))
    await arena.join("hector", "ajax")

    assert await short_of_bots(installation) == ("large (2 of 3)",)
    await arena.join("paris")
    assert await short_of_bots(installation) == ()
    await bots.suspend_bot(installation, admin.SuspendBotRequest("paris", "it fled"))
    assert await short_of_bots(installation) == ("large (2 of 3)",)


async def test_who_and_why_of_a_retirement_is_in_the_bots_own_log_only(
    installation: Installation, arena: Ladders
) -> None:
    """Requirement C10, as for a suspension."""
    await arena.join("hector", "ajax")
    for bot, version in (("hector", "1.0"), ("hector", None), ("ajax", "1.0")):
        await bots.retire_bot(installation, admin.RetireBotRequest(bot, version, " priam ", " it fell "))
    log = await bots.read_bot_log(installation, admin.ReadBotLogRequest("hector"))
    listed = (await bots.list_bots(installation, calls.ListBotsRequest())).bots
    await bots.unretire_bot(installation, admin.UnretireBotRequest("hector"))
    after = await bots.read_bot_log(installation, admin.ReadBotLogRequest("hector"))

    assert [(each.version, each.actor, each.reason) for each in log.retirements] == [
        (None, "priam", "it fell"),
        ("1.0", "priam", "it fell"),
    ]
    assert {bot.name: (bot.retired, bot.retired_versions) for bot in listed} == {
        "hector": (True, ("1.0",)),
        "ajax": (False, ("1.0",)),
    }
    assert [each.version for each in after.retirements] == ["1.0"]
    with pytest.raises(NotFoundError, match=r"hector is not retired; version '1\.0' of hector is"):
        await bots.unretire_bot(installation, admin.UnretireBotRequest("hector"))


async def test_a_retired_bot_is_marked_in_its_tables(installation: Installation, arena: Ladders) -> None:
    await opened(arena, 2)
    await arena.join("hector", "ajax", "helen")
    await arena.play_rounds(2, by_chance(Chance(bytes(16))))
    await bots.retire_bot(installation, admin.RetireBotRequest("hector", None, "priam", "it fell"))
    await bots.retire_bot(installation, admin.RetireBotRequest("ajax", "1.0", "priam", "crashes"))

    table = (await ladders.get_standings(installation, calls.GetStandingsRequest(LADDER))).standings
    report = ""
    async for piece in audits.report_ladder(installation, ledger.ReportLadderRequest(LADDER, ledger.ReportFormat.JSON)):
        report += piece.text

    expected = {"hector": True, "ajax": False, "helen": False}
    assert {row.bot: row.retired for row in table.rows} == expected
    assert {row["bot"]: row["retired"] for row in json.loads(report)["standings"]} == expected


async def test_trust_is_given_and_taken(installation: Installation) -> None:
    await bots.register_bot(installation, admin.RegisterBotRequest("hector"))
    for trusted in (True, False):
        await bots.trust_bot(installation, admin.TrustBotRequest("hector", trusted))
        assert (await bots.list_bots(installation, calls.ListBotsRequest())).bots[0].trusted == trusted


async def test_what_nobody_registered_is_not_found(installation: Installation) -> None:
    with pytest.raises(NotFoundError):
        await bots.suspend_bot(installation, admin.SuspendBotRequest("hector", "x"))
    with pytest.raises(NotFoundError):
        await bots.resume_bot(installation, admin.ResumeBotRequest("hector"))
    with pytest.raises(NotFoundError):
        await bots.retire_bot(installation, admin.RetireBotRequest("hector", None, "priam", "x"))
    with pytest.raises(NotFoundError):
        await bots.unretire_bot(installation, admin.UnretireBotRequest("hector"))
    with pytest.raises(NotFoundError):
        await bots.trust_bot(installation, admin.TrustBotRequest("hector", trusted=True))
    with pytest.raises(NotFoundError):
        await bots.read_bot_log(installation, admin.ReadBotLogRequest("hector"))
    with pytest.raises(InvalidError, match="count is at most 10000, not 10001"):
        await bots.read_bot_log(installation, admin.ReadBotLogRequest("hector", 10_001))


# -- ladders -------------------------------------------------------------------------------------------------------


async def test_a_ladder_has_the_servers_defaults_for_what_is_left_out(installation: Installation) -> None:
    made = (await ladders.create_ladder(installation, admin.CreateLadderRequest(game=GAME, seats=3))).ladder

    assert (made.name, made.open, made.deals) == (f"{GAME}-3", True, Deals.FRESH)
    assert made.rotations == "cyclic"
    assert made.time == TimeControl(move=1_000_000)
    assert made.policy == FaultPolicy(OnFault.SUBSTITUTE, 3, 5)
    assert made.options
    assert (await ladders.list_ladders(installation, calls.ListLaddersRequest())).ladders == (made,)


async def test_a_ladder_is_what_was_asked_for(installation: Installation) -> None:
    policy = admin.PartialFaultPolicy(OnFault.FORFEIT, 1)
    time = admin.PartialTimeControl(bank_us=6)

    made = await ladders.create_ladder(
        installation,
        admin.CreateLadderRequest(
            name="blitz", game=GAME, seats=2, time=time, policy=policy, deals=Deals.SHARED, rotations="all"
        ),
    )

    assert made.ladder.name == "blitz"
    assert made.ladder.time == TimeControl(move=1_000_000, bank=6)
    assert made.ladder.policy == FaultPolicy(OnFault.FORFEIT, 1, 5)
    assert (made.ladder.deals, made.ladder.rotations) == (Deals.SHARED, "all")


async def test_a_ladder_that_cannot_be_is_refused(installation: Installation) -> None:
    create = admin.CreateLadderRequest
    with pytest.raises(OptionsError, match="unknown game 'chess'"):
        await ladders.create_ladder(installation, create(game="chess", seats=2))
    with pytest.raises(definitions.DefinitionError, match="seats, not 9"):
        await ladders.create_ladder(installation, create(game=GAME, seats=9))
    with pytest.raises(OptionsError, match="has no option 'nonsense'"):
        await ladders.create_ladder(installation, create(game=GAME, seats=2, options={"nonsense": "1"}))
    with pytest.raises(definitions.DefinitionError, match="not 'void'"):
        await ladders.create_ladder(
            installation, create(game=GAME, seats=2, policy=admin.PartialFaultPolicy(OnFault.VOID))
        )
    with pytest.raises(InvalidError, match="rotations is one of cyclic, all, not 'some'"):
        await ladders.create_ladder(installation, create(game=GAME, seats=2, rotations="some"))
    with pytest.raises(definitions.DefinitionError, match="rotations = all is for 2 to 3 seats, not 4"):
        await ladders.create_ladder(installation, create(game=GAME, seats=4, rotations="all"))
    await ladders.create_ladder(installation, create(game=GAME, seats=2))
    with pytest.raises(ExistsError):
        await ladders.create_ladder(installation, create(game=GAME, seats=2))


async def test_a_closed_ladder_is_listed_as_closed(installation: Installation, arena: Ladders) -> None:
    await arena.catalogue.create(ladder())

    closed = (await ladders.close_ladder(installation, admin.CloseLadderRequest(LADDER))).ladder

    assert not closed.open
    assert (await ladders.list_ladders(installation, calls.ListLaddersRequest(open_only=True))).ladders == ()
    with pytest.raises(NotFoundError, match="not 'none'"):
        await ladders.close_ladder(installation, admin.CloseLadderRequest("none"))


async def played(arena: Ladders, rounds: int = 3) -> None:
    await arena.catalogue.create(ladder())
    await arena.join("a", "b", "c")
    await arena.lead()
    await arena.play_rounds(rounds, by_chance(Chance(bytes(16))))


async def test_standings_are_the_table_with_owners(installation: Installation, arena: Ladders) -> None:
    await played(arena)

    told = (await ladders.get_standings(installation, calls.GetStandingsRequest(LADDER))).standings

    assert told.ladder.name == LADDER
    assert {row.bot: row.owner for row in told.rows} == {"a": "a", "b": "b", "c": "c"}
    assert [row.rank for row in told.rows] == [1, 2, 3]
    assert sum(row.games for row in told.rows) == 2 * told.results > 0
    assert sum(row.rating for row in told.rows) == 3 * 1_500_000
    with pytest.raises(NotFoundError, match="not 'none'"):
        await ladders.get_standings(installation, calls.GetStandingsRequest("none"))


async def test_watching_tells_each_change_once(
    installation: Installation, arena: Ladders, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ladders, "WATCH_SECONDS", 0.001)
    await played(arena)
    watching = ladders.watch_standings(installation, calls.WatchStandingsRequest(LADDER))

    first = (await anext(watching)).standings
    await arena.play_rounds(2, by_chance(Chance(bytes(16))))
    second = (await anext(watching)).standings
    await arena.end(score(1, 2), "a", "b")
    await arena.take()
    third = (await anext(watching)).standings
    await arena.catalogue.close(LADDER)
    fourth = (await anext(watching)).standings
    await bots.retire_bot(installation, admin.RetireBotRequest("a", None, "priam", "it fell"))
    fifth = (await anext(watching)).standings
    await watching.aclose()  # type: ignore[attr-defined]  # an async generator

    assert first.results < second.results < third.results == fourth.results == fifth.results
    assert [each.ladder.open for each in (third, fourth, fifth)] == [True, False, False]
    assert [[row.bot for row in each.rows if row.retired] for each in (fourth, fifth)] == [[], ["a"]]


async def test_audit_and_rebuild_find_nothing_in_a_true_table(installation: Installation, arena: Ladders) -> None:
    """Requirement X4: a recomputation from scratch equals the live table, bit for bit."""
    await played(arena)

    audit = await audits.audit_ladder(installation, ledger.AuditLadderRequest(LADDER))
    rebuild = await audits.rebuild_ladder(installation, ledger.RebuildLadderRequest(LADDER))

    assert audit.findings == rebuild.findings == ()
    assert audit.results == rebuild.results > 0
    with pytest.raises(NotFoundError):
        await audits.audit_ladder(installation, ledger.AuditLadderRequest("none"))
    with pytest.raises(NotFoundError):
        await audits.rebuild_ladder(installation, ledger.RebuildLadderRequest("none"))


async def test_a_table_that_was_touched_is_found_and_made_anew(installation: Installation, arena: Ladders) -> None:
    await played(arena)
    key = keys.STANDING + LADDER
    kept = json.loads(await arena.store.command("HGET", key, "a"))
    await arena.store.command("HSET", key, "a", json.dumps({**kept, "rating": [9_999_000]}))

    audit = await audits.audit_ladder(installation, ledger.AuditLadderRequest(LADDER))
    rebuild = await audits.rebuild_ladder(installation, ledger.RebuildLadderRequest(LADDER))
    again = await audits.audit_ladder(installation, ledger.AuditLadderRequest(LADDER))

    assert any("a" in finding.subject for finding in audit.findings)
    assert rebuild.findings
    assert again.findings == ()


async def test_a_table_that_cannot_be_read_says_what_to_do(installation: Installation, arena: Ladders) -> None:
    await played(arena)
    await arena.store.command("HSET", keys.STANDING + LADDER, "a", "not JSON")

    with pytest.raises(PreconditionError, match=rf"`agon ladder rebuild {LADDER}` makes it anew"):
        await ladders.get_standings(installation, calls.GetStandingsRequest(LADDER))
