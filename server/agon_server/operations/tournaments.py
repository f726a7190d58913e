"""What is done with tournaments of a server: make, resume and tell them."""

from __future__ import annotations

from agon.codec import ladder as public, tournament as calls
from agon.codec.tournament_standings import TournamentRow, TournamentStandings
from agon_engine.core.record import Deals
from agon_ladder.errors import ResultError
from agon_server.ladders.definitions import LadderDef, UnknownLadderError
from agon_server.ladders.tournament_standings import TournamentStandings as Read
from agon_server.operations.awaited import awaited, barred
from agon_server.operations.errors import InvalidError, NotFoundError, PreconditionError
from agon_server.operations.installation import Installation
from agon_server.operations.ladders import made, rotations_of, told
from agon_server.tournaments.schedule_def import DEFAULT_CONCURRENCY, ScheduleDef

MAX_DEFINITION = 64 * 1024
"""Bytes of what an organiser may keep with a tournament."""
TOLD = 10
"""Bots that are listed with their reasons."""
_OF_FORMAT = ("cycles", "blocks_per_bot", "rounds", "bye", "blocks", "extra_blocks", "advance")


async def create_tournament(
    installation: Installation, request: calls.CreateTournamentRequest
) -> calls.CreateTournamentResponse:
    """Make a tournament of registered bots."""
    if not request.ladder.name:
        raise InvalidError("a tournament needs a name")
    if len(request.definition.encode()) > MAX_DEFINITION:
        raise InvalidError(f"the definition of a tournament has at most {MAX_DEFINITION} bytes")

    asked = request.schedule
    format_ = {name: getattr(asked, name) for name in _OF_FORMAT} | {"kind": asked.kind}
    if asked.challengers:
        format_["challengers"] = list(asked.challengers)
    if asked.seeding:
        format_["seeding"] = asked.seeding
    schedule = ScheduleDef.read(
        {
            "bots": asked.bots,
            "format": format_,
            "seed": asked.seed,
            "concurrency": asked.concurrency or DEFAULT_CONCURRENCY,
            "definition": request.definition,
        }
    )
    seats, rotations = request.ladder.seats, rotations_of(request.ladder.rotations)
    await installation.in_background(schedule.schedule, seats, rotations)  # whether it can be
    await _check_bots(installation, schedule, request.ladder.deals)
    ladder = await made(installation, request.ladder, schedule)
    return calls.CreateTournamentResponse(await _tournament(installation, ladder))


async def _check_bots(installation: Installation, schedule: ScheduleDef, deals: Deals | None) -> None:
    known = {bot.name: bot for bot in await installation.accounts.list()}
    if unknown := [bot for bot in schedule.bots if bot not in known]:
        raise NotFoundError(f"so many bots are not registered; `agon bot register` does it: {unknown!r}")
    barred_ones = await barred(installation.accounts, installation.retirements, schedule.bots, None)
    if barred_ones:
        told = "; ".join(f"{bot} is {bar.told}" for bot, bar in list(barred_ones.items())[:TOLD])
        raise PreconditionError(f"bots that get no matches cannot be in a tournament: {told}")
    if deals is Deals.SHARED:
        remembering = [bot for bot in schedule.bots if not (known[bot].house or known[bot].trusted)]
        if remembering:
            raise PreconditionError(
                f"shared deals are for bots that cannot remember, as `agon bot trust` says of one: {remembering!r}"
            )


async def resume_tournament(
    installation: Installation, request: calls.ResumeTournamentRequest
) -> calls.ResumeTournamentResponse:
    """Let a tournament that waits go on."""
    ladder = await _find(installation, request.tournament)
    if not (await _read(installation, ladder, is_now=True)).is_over:
        ladder = await installation.catalogue.open(ladder.name)
    return calls.ResumeTournamentResponse(await _tournament(installation, ladder))


async def get_tournament(
    installation: Installation, request: calls.GetTournamentRequest
) -> calls.GetTournamentResponse:
    """Tell how far a tournament has come, and what its organiser keeps with it."""
    ladder = await _find(installation, request.tournament)
    return calls.GetTournamentResponse(await _tournament(installation, ladder))


async def get_tournament_standings(
    installation: Installation, request: public.GetTournamentStandingsRequest
) -> public.GetTournamentStandingsResponse:
    """Tell everybody how the bots of a tournament stand."""
    ladder = await _find(installation, request.tournament)
    read = await _read(installation, ladder, is_now=False)
    return public.GetTournamentStandingsResponse(told(ladder), _standings(ladder, read))


async def _find(installation: Installation, name: str) -> LadderDef:
    try:
        ladder = await installation.catalogue.get(name)
    except UnknownLadderError:
        raise NotFoundError(f"there is no tournament of that name: {name!r}") from None

    if ladder.schedule is None:
        raise InvalidError(f"that ladder is endless, and no tournament: {name!r}")
    return ladder


async def _tournament(installation: Installation, ladder: LadderDef) -> calls.Tournament:
    assert ladder.schedule is not None
    read = await _read(installation, ladder, is_now=True)
    here = {
        present.bot
        for present in await installation.presence.online()
        if present.plays(ladder.game, ladder.version, ladder.seats)
    }
    return calls.Tournament(
        ladder=told(ladder),
        standings=_standings(ladder, read),
        definition=ladder.schedule.definition,
        absent=tuple(bot for bot in ladder.schedule.bots if bot not in here),
        awaited=await awaited(installation, ladder, read.due),
    )


async def _read(installation: Installation, ladder: LadderDef, *, is_now: bool) -> Read:
    try:
        return await installation.tournaments.read(ladder, is_now=is_now)
    except ResultError as error:
        raise PreconditionError(f"what was played of tournament {ladder.name} cannot be read: {error}") from None


def _standings(ladder: LadderDef, read: Read) -> TournamentStandings:
    assert ladder.schedule is not None
    return TournamentStandings(
        format=ladder.schedule.kind,
        planned=read.planned,
        done=read.done,
        lost=read.lost,
        round=read.round,
        rounds=read.rounds,
        round_name=read.round_name,
        over=read.is_over,
        given_up=read.given_up,
        rows=tuple(
            TournamentRow(
                rank=found.row.rank,
                bot=found.row.bot,
                half_points=found.row.half_points,
                matches=found.row.matches,
                blocks=found.row.blocks,
                byes=found.row.byes,
                tie_breaks=found.row.tie_breaks,
                score=found.score,
                elo=found.elo,
                elo_low=found.interval.low,
                elo_high=found.interval.high,
            )
            for found in read.table
        ),
        tie_breaks=read.tie_breaks,
    )
