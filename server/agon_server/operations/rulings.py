"""What organisers rule about ladders: seasons, purges and accepted losses, made and listed. Each is an entry of the
results stream, so here it is only put there; the fold carries it out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from agon.codec import ledger
from agon_ladder.results import START, Position
from agon_ladder.rulings import FIRST_SEASON, MAX_KEEP, Loss, Purge, Ruling, Season, Undo, accepted
from agon_server.ladders.definitions import UnknownLadderError
from agon_server.ladders.encoding import TableDamagedError
from agon_server.ladders.history import History
from agon_server.ladders.tables import Tables
from agon_server.names import BOT_NAME, LADDER_NAME, LADDER_RULE, RULING_ID, SERVER_NAME
from agon_server.operations.audits import explained
from agon_server.operations.errors import ExistsError, InvalidError, NotFoundError, PreconditionError
from agon_server.operations.installation import Installation
from agon_server.operations.reasons import check_actor, check_reason
from agon_server.operations.times import rfc3339
from agon_server.queue.ids import new_id
from agon_server.queue.rulings import Answer, Ruled, Rulings
from agon_server.store import keys
from agon_server.tournaments.asking import did_you_mean

_LATEST: Final = Position(2**63 - 1, 0)
"""Behind every entry there is."""


async def start_season(installation: Installation, request: ledger.StartSeasonRequest) -> ledger.StartSeasonResponse:
    """Begin a season; one of the same label is refused, a repeat under the same id changes nothing."""
    await _check_endless(installation, request.ladder)
    if LADDER_NAME.fullmatch(request.label) is None:
        raise InvalidError(f"a season's label is {LADDER_RULE}, not {request.label!r}")
    if request.label == FIRST_SEASON:
        raise ExistsError(f"every ladder begins with the season of this label: {request.label!r}")
    if request.keep > MAX_KEEP:
        raise InvalidError(f"a rating keeps 0 to {MAX_KEEP} percent of its distance, not {request.keep!r}")

    season = Season(
        position=START,
        id=_id(request.id),
        ladder=request.ladder,
        actor=_actor(request.actor),
        why=_why(request.why),
        label=request.label,
        keep=request.keep,
    )
    answer = await _make(installation, season)
    if answer.ruled is Ruled.TAKEN:
        raise ExistsError(f"ladder {request.ladder} has or had a season of this label: {request.label!r}")
    return ledger.StartSeasonResponse(season.id, str(answer.position), answer.ruled is Ruled.REPEAT)


async def purge_matches(installation: Installation, request: ledger.PurgeMatchesRequest) -> ledger.PurgeMatchesResponse:
    """Take matches out of a ladder's table, or tell how many it would be."""
    await _check_endless(installation, request.ladder)
    if not (request.bot or request.server or request.match):
        raise InvalidError("a purge names a bot, a server or a match")
    for what, name, pattern in (("bot", request.bot, BOT_NAME), ("server", request.server, SERVER_NAME)):
        if name and pattern.fullmatch(name) is None:
            raise InvalidError(f"no {what} can be called so: {name[:100]!r}")
    now = await installation.store.now_ms()
    if request.until_ms > now or request.since_ms > now:
        raise InvalidError(f"a purge is of what is over, and it is {rfc3339(now)} now; for later suspend the bot")
    if request.until_ms and request.since_ms >= request.until_ms:
        raise InvalidError(f"a purge since {rfc3339(request.since_ms)} ends later than {rfc3339(request.until_ms)!r}")

    purge = Purge(
        position=_LATEST,
        id=_id(request.id),
        ladder=request.ladder,
        actor="" if request.dry_run else _actor(request.actor),
        why="" if request.dry_run else _why(request.why),
        bot=request.bot,
        server=request.server,
        match=request.match,
        since=request.since_ms,
        until=request.until_ms,
    )
    await _check_bot(installation, request)
    with explained():
        matches = await installation.auditor.covered(purge)
    if not (matches or request.dry_run) and not await _is_made(installation, purge):
        raise InvalidError(f"no match that counts in ladder {purge.ladder} is one of {_described(purge)}")
    if request.dry_run:
        return ledger.PurgeMatchesResponse("", "", repeated=False, matches=matches)
    answer = await _make(installation, purge)
    return ledger.PurgeMatchesResponse(purge.id, str(answer.position), answer.ruled is Ruled.REPEAT, matches)


async def _check_bot(installation: Installation, request: ledger.PurgeMatchesRequest) -> None:
    """Raise NotFoundError where a purge names a bot that nobody registered."""
    if not request.bot or await installation.accounts.get(request.bot) is not None:
        return

    names = [bot.name for bot in await installation.accounts.list()]
    close = did_you_mean(request.bot, names)
    raise NotFoundError(f"there is no bot of this name{'; ' if close else ''}{close}: {request.bot!r}")


async def _is_made(installation: Installation, purge: Purge) -> bool:
    return any(ruling.id == purge.id for ruling in await Rulings(installation.store).list(purge.ladder))


def _described(purge: Purge) -> str:
    """Return what a purge takes out, in words."""
    named = {"bot": purge.bot, "server": purge.server, "match": purge.match}
    named |= {"since": rfc3339(purge.since), "until": rfc3339(purge.until)}
    return ", ".join(f"{what} {value}" for what, value in named.items() if value)


async def undo_purge(installation: Installation, request: ledger.UndoPurgeRequest) -> ledger.UndoPurgeResponse:
    """Take a purge back."""
    await _check_ladder(installation, request.ladder)
    made = await Rulings(installation.store).list(request.ladder)
    if not any(isinstance(ruling, Purge) and ruling.id == request.purge for ruling in made):
        raise NotFoundError(f"ladder {request.ladder} has no purge of this id: {request.purge[:64]!r}")

    undo = Undo(
        position=START,
        id=_id(request.id),
        ladder=request.ladder,
        actor=_actor(request.actor),
        why=_why(request.why),
        purge=request.purge,
    )
    answer = await _make(installation, undo)
    if answer.ruled is Ruled.TAKEN:
        raise PreconditionError(f"the purge was undone already, by ruling {answer.by!r}")
    return ledger.UndoPurgeResponse(undo.id, str(answer.position), answer.ruled is Ruled.REPEAT)


async def accept_loss(installation: Installation, request: ledger.AcceptLossRequest) -> ledger.AcceptLossResponse:
    """Let a ladder go on without results that nobody has any more."""
    await _check_endless(installation, request.ladder)
    facts: dict[str, Any] = {"id": _id(request.id), "actor": _actor(request.actor), "why": _why(request.why)}
    made = await Rulings(installation.store).list(request.ladder)
    known = next((ruling for ruling in made if isinstance(ruling, Loss) and ruling.id == facts["id"]), None)
    loss = replace(known, **facts) if known is not None else await _lost(installation, request.ladder, facts)
    answer = await _make(installation, loss)
    if answer.ruled is Ruled.TAKEN:
        raise PreconditionError(f"this loss was accepted already, by ruling {answer.by!r}")
    return ledger.AcceptLossResponse(
        loss.id,
        str(answer.position),
        answer.ruled is Ruled.REPEAT,
        after=str(loss.after),
        until=str(loss.until),
        results=loss.results,
    )


async def _lost(installation: Installation, ladder: str, facts: Mapping[str, Any]) -> Loss:
    """Return what of a ladder is nowhere. Raise PreconditionError where nothing is, or others may have it."""
    gap = await History(installation.results, installation.archive).gap(ladder)
    if gap is None:
        raise PreconditionError(f"nothing is missing here of ladder {ladder!r}")

    own = await installation.in_background(lambda: installation.archive.folder.reader)
    others = [name for name in await installation.results.readers() if name.startswith("archive:") and name != own]
    if others:
        raise PreconditionError(
            f"the archive of another server may have them: ask that server to rebuild ladder {ladder}; if it is gone "
            f"for good run HDEL {keys.READERS} {' '.join(sorted(others))} in the store, and try again"
        )
    after, until = gap
    results = await Tables(installation.store).rated_between(ladder, after, until)
    return Loss(position=START, ladder=ladder, after=after, until=until, results=results, **facts)


async def list_seasons(installation: Installation, request: ledger.ListSeasonsRequest) -> ledger.ListSeasonsResponse:
    """List the seasons of a ladder; the last one is running."""
    await _check_ladder(installation, request.ladder)
    seasons = []
    actor, why, keep = "", "", 0
    try:
        over = await installation.standings.seasons(request.ladder)
        running = await installation.standings.read(request.ladder)
    except TableDamagedError as error:
        raise PreconditionError(f"{error}; `agon ladder rebuild {request.ladder}` makes it anew") from None
    for season in over:
        ended = season.ended
        told = ledger.Season(
            label=season.begun.label,
            began=rfc3339(season.begun.position.time),
            ended=rfc3339(ended.position.time),
            results=season.results,
            bots=season.bots,
            actor=actor,
            why=why,
            keep=keep,
        )
        seasons.append(told)
        actor, why, keep = ended.actor, ended.why, ended.keep
    last = ledger.Season(
        label=running.season,
        began=seasons[-1].ended if seasons else "",
        results=running.results,
        bots=len(running.rows),
        actor=actor,
        why=why,
        keep=keep,
    )
    return ledger.ListSeasonsResponse((*seasons, last))


async def list_purges(installation: Installation, request: ledger.ListPurgesRequest) -> ledger.ListPurgesResponse:
    """List what was purged of a ladder, and what of it was undone."""
    await _check_ladder(installation, request.ladder)
    made = await Rulings(installation.store).list(request.ladder)
    ended: dict[str, Undo | Loss] = {ruling.purge: ruling for ruling in made if isinstance(ruling, Undo)}
    for loss in accepted(made):
        ended |= {ruling.id: loss for ruling in made if loss.covers(ruling.position)}
    return ledger.ListPurgesResponse(
        tuple(_told(ruling, ended.get(ruling.id)) for ruling in made if isinstance(ruling, Purge))
    )


def _told(purge: Purge, undo: Undo | Loss | None) -> ledger.Purge:
    return ledger.Purge(
        id=purge.id,
        made=rfc3339(purge.position.time),
        actor=purge.actor,
        why=purge.why,
        bot=purge.bot,
        server=purge.server,
        match=purge.match,
        since=rfc3339(purge.since),
        until=rfc3339(purge.until),
        undone=rfc3339(undo.position.time) if undo is not None else "",
        undone_by=undo.actor if undo is not None else "",
        undone_why=undo.why if undo is not None else "",
    )


async def _check_ladder(installation: Installation, name: str) -> None:
    try:
        await installation.catalogue.get(name)
    except UnknownLadderError as error:
        raise NotFoundError(str(error)) from None


async def _check_endless(installation: Installation, name: str) -> None:
    """Raise NotFoundError where there is no such ladder, PreconditionError where it is a tournament: its own table and
    its later rounds follow from all its results."""
    await _check_ladder(installation, name)
    if (await installation.catalogue.get(name)).schedule is not None:
        raise PreconditionError(
            "seasons, purges and losses are for endless ladders, and all results of a tournament decide its rounds "
            f"(where some are gone for good, play it anew under another name); this is a tournament: {name!r}"
        )


async def _make(installation: Installation, ruling: Ruling) -> Answer:
    answer = await Rulings(installation.store).make(ruling)
    if answer.ruled is Ruled.OTHER:
        raise ExistsError(f"another ruling of ladder {ruling.ladder} has this id: {ruling.id!r}")
    return answer


def _id(given: str) -> str:
    if given and RULING_ID.fullmatch(given) is None:
        raise InvalidError(f"an id is 1 to 64 of a-z, 0-9 and '-', not {given[:100]!r}")
    return given or new_id()


def _actor(given: str) -> str:
    return check_actor(given, "a ruling says who makes it")


def _why(given: str) -> str:
    if not (why := check_reason(given)):
        raise InvalidError("a ruling says why it is made")
    return why
