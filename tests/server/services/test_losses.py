"""Results that nobody has any more: what waits for them is refused, until somebody accepts that they are gone."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.support.folds import stored
from tests.support.ladder_store import Ladders, ladder, score
from tests.support.valkey import GAME

from agon.codec import ledger
from agon.codec.ledger import AcceptLossRequest, AuditLadderRequest, PurgeMatchesRequest, RebuildLadderRequest
from agon_ladder.results import START
from agon_ladder.rulings import Purge, Season
from agon_server.archive.archive import Archive
from agon_server.config import ServerConfig
from agon_server.ladders.history import HistoryGapError
from agon_server.ladders.worker import AuditProcess
from agon_server.operations import audits, rulings
from agon_server.operations.errors import ExistsError, InvalidError, NotFoundError, PreconditionError
from agon_server.operations.installation import Installation
from agon_server.queue.desk import Desk
from agon_server.queue.rulings import Ruled, Rulings
from agon_server.store import keys
from agon_server.store.connection import Store

LADDER = f"{GAME}-2"
ACCEPT = AcceptLossRequest(ladder=LADDER, actor="ann", why="the disk with the archive is gone", id="l-1")
PURGE = PurgeMatchesRequest(ladder=LADDER, bot="c", actor="ann", why="it played for two owners", id="p-1")


def with_archive(arena: Ladders, archive: Archive) -> Installation:
    return Installation(
        config=ServerConfig(),
        store=arena.store,
        accounts=arena.accounts,
        presence=arena.presence,
        queue=arena.queue,
        desk=Desk(arena.store),
        results=arena.results,
        archive=archive,
    )


@pytest.fixture
async def robbed(store: Store, tmp_path: Path) -> AsyncIterator[tuple[Ladders, Installation, list[str]]]:
    """A ladder with five folded results, of which an archive alone had the first three, and a season among them, when
    it was lost; a new one has the others. And the ids of the results that are gone."""
    old = Archive(tmp_path / "lost", store, Ladders(store).results, keep=0)
    arena = Ladders(store, old)
    await arena.catalogue.create(ladder(2))
    await arena.join("a", "b", "c", slots=50)
    await arena.results.register(keys.LADDER_READER)
    await arena.lead()
    for pair in ("ab", "ca"):
        await arena.end(score(1, 2), *pair)
    answer = await Rulings(store).make(
        Season(position=START, id="s-1", ladder=LADDER, actor="ann", why="spring", label="spring", keep=0)
    )
    assert answer.ruled is Ruled.MADE
    await arena.end(score(1, 2), "a", "b")
    await arena.take()
    await old.drain()
    gone = [result.id for result in old.results()]
    await arena.results.advance(keys.LADDER_READER, old.cursor)
    assert (await arena.results.trim(0)).went == 4
    await arena.results.forget(old.folder.reader)
    old.close()
    with closing(Archive(tmp_path / "new", store, arena.results, keep=0)) as archive:
        arena = Ladders(store, archive)
        for pair in ("ab", "bc"):
            await arena.end(score(1, 2), *pair)
        await arena.lead()
        await arena.take()
        await archive.drain()
        installation = with_archive(arena, archive)
        yield arena, installation, gone
        installation.background.shutdown()


Robbed = tuple[Ladders, Installation, list[str]]


async def test_what_is_lost_is_refused_with_the_way_out_and_its_acceptance_is_true_and_told(robbed: Robbed) -> None:
    """X4, C11: live is the rebuild again, and purges work, over the acceptance as over all rulings."""
    arena, installation, gone = robbed
    for refused in (
        rulings.purge_matches(installation, PURGE),
        audits.rebuild_ladder(installation, RebuildLadderRequest(LADDER)),
        audits.audit_ladder(installation, AuditLadderRequest(LADDER)),
    ):
        with pytest.raises(
            PreconditionError, match=f"up to {gone[-1]}, .*`agon ladder accept-loss {LADDER}`.* played anew"
        ):
            await refused
    assert (await stored(arena, LADDER)).results == 5

    accepted = await rulings.accept_loss(installation, ACCEPT)
    await arena.take()
    audit = await audits.audit_ladder(installation, AuditLadderRequest(LADDER))

    assert (accepted.after, accepted.until, accepted.results) == ("0-0", gone[-1], 3)
    assert (await stored(arena, LADDER)).results == audit.results == 2
    assert audit.findings == ()
    (loss,) = audit.losses
    assert (await stored(arena, LADDER)).season.label == "first"
    assert (loss.id, loss.actor, loss.why, loss.results) == ("l-1", "ann", ACCEPT.why, 3)
    assert (await audits.rebuild_ladder(installation, RebuildLadderRequest(LADDER))).findings == ()

    purged = await rulings.purge_matches(installation, PURGE)
    await arena.take()
    again = await audits.audit_ladder(installation, AuditLadderRequest(LADDER))

    assert purged.matches == 1
    assert ((await stored(arena, LADDER)).results, again.findings, again.losses) == (1, (), audit.losses)


async def test_a_ladder_that_waited_for_what_is_lost_goes_on(robbed: Robbed) -> None:
    """As where the store was brought back from before the results were folded."""
    arena, installation, _ = robbed
    kept = (keys.TABLE + LADDER, keys.STANDING + LADDER, keys.PARTIAL + LADDER, f"{keys.RATINGS}{LADDER}:0")
    await arena.store.command("DEL", *kept)
    await arena.store.command("HSET", keys.TABLE + LADDER, "failed", "by hand")
    await arena.lead()
    assert arena.fold.failed == {LADDER}

    await rulings.accept_loss(installation, ACCEPT)
    await arena.take()
    await arena.fold.retry_failed()
    await arena.fold.settle()

    assert arena.fold.failed == frozenset()
    assert (await stored(arena, LADDER)).results == 2
    assert (await audits.audit_ladder(installation, AuditLadderRequest(LADDER))).findings == ()


async def test_what_turns_up_after_its_loss_was_accepted_does_not_count(robbed: Robbed, tmp_path: Path) -> None:
    """Else the table would depend on who folds. The archive that was lost is found, and takes the rest."""
    arena, installation, _ = robbed
    await rulings.accept_loss(installation, ACCEPT)
    await arena.take()
    live = (await stored(arena, LADDER)).canonical()
    with closing(Archive(tmp_path / "lost", arena.store, arena.results, keep=0)) as found:
        assert len(list(found.results())) == 3
        await found.drain()
        other = with_archive(arena, found)
        rebuilt = await audits.rebuild_ladder(other, RebuildLadderRequest(LADDER))
        other.background.shutdown()

    assert rebuilt.findings == ()
    assert live == (await stored(arena, LADDER)).canonical()


async def test_a_purge_that_stood_among_what_is_gone_is_told_as_ended_by_the_loss(robbed: Robbed) -> None:
    arena, installation, _ = robbed
    made = Rulings(arena.store)
    await made.make(Purge(position=START, id="p-9", ladder=LADDER, actor="bob", why="x", match="m"))
    (purge,) = [ruling for ruling in await made.list(LADDER) if isinstance(ruling, Purge)]
    await arena.store.command("XDEL", keys.RESULTS, str(purge.position))

    await rulings.accept_loss(installation, ACCEPT)
    (listed,) = (await rulings.list_purges(installation, ledger.ListPurgesRequest(LADDER))).purges

    assert (listed.id, listed.undone_by, listed.undone_why) == ("p-9", "ann", ACCEPT.why)


async def test_a_process_beside_the_server_tells_losses_too(robbed: Robbed, valkey_url: str, tmp_path: Path) -> None:
    arena, installation, gone = robbed
    process = AuditProcess(valkey_url, tmp_path / "new")
    with pytest.raises(HistoryGapError, match=f"up to {gone[-1]}, .*`agon ladder accept-loss {LADDER}`"):
        await process.rebuild(LADDER)
    await rulings.accept_loss(installation, ACCEPT)
    await arena.take()

    report = await process.audit(LADDER)

    assert report.findings == ()
    assert [(loss.id, loss.results) for loss in report.losses] == [("l-1", 3)]


async def test_a_loss_is_accepted_once(robbed: Robbed) -> None:
    arena, installation, _ = robbed
    first, again = [await rulings.accept_loss(installation, ACCEPT) for _ in range(2)]

    assert again == replace(first, repeated=True)
    with pytest.raises(ExistsError, match="another ruling of ladder"):
        await rulings.accept_loss(installation, replace(ACCEPT, why="another reason"))
    with pytest.raises(PreconditionError, match="nothing is missing"):
        await rulings.accept_loss(installation, replace(ACCEPT, id=""))
    assert await arena.store.command("HLEN", keys.RULINGS + LADDER) == 4  # that, and the season; that each is done


@pytest.mark.parametrize(
    ("changes", "error"),
    [({"ladder": "none"}, NotFoundError), ({"actor": " "}, InvalidError), ({"why": ""}, InvalidError)],
)
async def test_what_is_no_acceptance_is_refused(
    robbed: Robbed, changes: dict[str, Any], error: type[Exception]
) -> None:
    arena, installation, _ = robbed
    length = await arena.store.command("XLEN", keys.RESULTS)

    with pytest.raises(error):
        await rulings.accept_loss(installation, replace(ACCEPT, **changes))
    assert await arena.store.command("XLEN", keys.RESULTS) == length


async def test_what_another_archive_may_have_is_not_given_up(robbed: Robbed) -> None:
    arena, installation, _ = robbed
    await arena.results.register("archive:another")

    with pytest.raises(
        PreconditionError, match=r"of another server may have them: .* HDEL agon:readers archive:another"
    ):
        await rulings.accept_loss(installation, ACCEPT)


async def test_where_nothing_is_missing_nothing_is_accepted(installation: Installation, arena: Ladders) -> None:
    await arena.catalogue.create(ladder(2))

    with pytest.raises(PreconditionError, match="nothing is missing here of ladder"):
        await rulings.accept_loss(installation, ACCEPT)
