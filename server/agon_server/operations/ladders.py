"""What is done with ladders: list, show, watch, make and close. What reads all that they have is in `audits`."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from dataclasses import fields, replace

from agon.codec import admin, ladder
from agon_engine.core.errors import MissingFileError
from agon_engine.core.options import option_text
from agon_engine.core.policy import FaultPolicy
from agon_engine.core.record import Deals
from agon_engine.core.timing import TimeControl
from agon_engine.registry import get_game
from agon_ladder.pairing.blocks import Rotations
from agon_ladder.ratings import DEFAULT_SYSTEM
from agon_ladder.results import Position
from agon_ladder.rulings import Loss, Purge, Ruling, Undo, standing
from agon_server.ladders import standings
from agon_server.ladders.definitions import LadderDef, LadderExistsError, UnknownLadderError, define
from agon_server.ladders.encoding import TableDamagedError
from agon_server.ladders.tables import RERATED
from agon_server.operations.errors import ExistsError, InvalidError, NotFoundError, PreconditionError
from agon_server.operations.installation import Installation
from agon_server.operations.times import rfc3339
from agon_server.queue.rulings import Rulings
from agon_server.tournaments.schedule_def import ScheduleDef

WATCH_SECONDS = 0.5
"""How often a watched table is looked at; changes in between are sent as one."""


async def list_ladders(installation: Installation, request: ladder.ListLaddersRequest) -> ladder.ListLaddersResponse:
    """List all ladders."""
    found = await installation.catalogue.list()
    return ladder.ListLaddersResponse(tuple(told(item) for item in found if item.open or not request.open_only))


async def get_standings(installation: Installation, request: ladder.GetStandingsRequest) -> ladder.GetStandingsResponse:
    """Return the table of a ladder."""
    return ladder.GetStandingsResponse(await _standings(installation, request.ladder, request.season))


async def watch_standings(
    installation: Installation, request: ladder.WatchStandingsRequest
) -> AsyncIterator[ladder.WatchStandingsResponse]:
    """Yield the table of a ladder, and again whenever it has changed, the ladder was closed or a bot was retired."""
    last: ladder.Standings | None = None
    seen: tuple[object, ...] = ()
    while True:
        version = await installation.standings.version(request.ladder)
        look = (version, await _defined(installation, request.ladder), await installation.retirements.bots())
        if look != seen:
            seen = look
            told = await _standings(installation, request.ladder)
            if told != last:
                last = told
                yield ladder.WatchStandingsResponse(told)
        await asyncio.sleep(WATCH_SECONDS)


async def create_ladder(installation: Installation, request: admin.CreateLadderRequest) -> admin.CreateLadderResponse:
    """Make a ladder; what the request leaves out has the server's defaults."""
    return admin.CreateLadderResponse(told(await made(installation, request)))


async def made(
    installation: Installation, request: admin.CreateLadderRequest, schedule: ScheduleDef | None = None
) -> LadderDef:
    """Make a ladder, or with a schedule a tournament, as `create_ladder` does."""
    game = get_game(request.game)
    options = dict(game.spec.parse_option(f"{name}={value}") for name, value in request.options.items())
    for option, text in request.files.items():
        game = await installation.in_background(game.with_file, option, text)
        value = options.setdefault(option, game.files[option].hash)
        if value != game.files[option].hash:
            raise InvalidError(f"the file for option {option} is {game.files[option].hash}, not {value!r}")
    for option, file in game.spec.files_of(options).items():
        if option not in game.files and await installation.files.text(file) is None:
            raise MissingFileError(option, file)
    config = installation.config
    ladder_def = define(
        game=request.game,
        seats=request.seats,
        time=_time(request.time, config.time),
        policy=_policy(request.policy, config.default_policy(request.seats)),
        name=request.name,
        options=options,
        deals=request.deals or Deals.FRESH,
        house_games=config.house_games if request.house_games is None else request.house_games,
        system=request.system or DEFAULT_SYSTEM,
        rotations=rotations_of(request.rotations),
        short_handed=request.short_handed,
        schedule=schedule,
    )
    try:
        return await installation.catalogue.create(ladder_def, game.files.values())
    except LadderExistsError as error:
        raise ExistsError(str(error)) from None


async def get_file(installation: Installation, request: ladder.GetFileRequest) -> ladder.GetFileResponse:
    """Return a file that ladders' options name, by its hash."""
    if (text := await installation.files.text(request.hash)) is None:
        raise NotFoundError(f"no ladder was made with a file of this hash: {request.hash[:64]!r}")
    return ladder.GetFileResponse(text)


async def close_ladder(installation: Installation, request: admin.CloseLadderRequest) -> admin.CloseLadderResponse:
    """Let no new matches be made for a ladder."""
    try:
        return admin.CloseLadderResponse(told(await installation.catalogue.close(request.ladder)))
    except UnknownLadderError as error:
        raise NotFoundError(str(error)) from None


def _time(asked: admin.PartialTimeControl, default: TimeControl) -> TimeControl:
    """Return the limits that were asked for over the defaults. Raise OptionsError for limits that cannot be."""
    given = {item.name.removesuffix("_us"): getattr(asked, item.name) for item in fields(asked)}
    return replace(default, **{name: value for name, value in given.items() if value is not None})


def rotations_of(asked: str) -> Rotations:
    """Read how often blocks rotate; empty is cyclic. Raise InvalidError for any other word."""
    if asked and asked not in list(Rotations):
        raise InvalidError(f"rotations is one of {', '.join(Rotations)}, not {asked!r}")
    return Rotations(asked or Rotations.CYCLIC)


def _policy(asked: admin.PartialFaultPolicy, default: FaultPolicy) -> FaultPolicy:
    given = {item.name: getattr(asked, item.name) for item in fields(asked)}
    return replace(default, **{name: value for name, value in given.items() if value is not None})


# -- what is told ----------------------------------------------------------------------------------------------


async def _defined(installation: Installation, name: str) -> LadderDef:
    try:
        return await installation.catalogue.get(name)
    except UnknownLadderError as error:
        raise NotFoundError(str(error)) from None


async def _standings(installation: Installation, name: str, season: str = "") -> ladder.Standings:
    try:
        running = await installation.standings.read(name)
        read: standings.Standings | None = running
        if season and season != running.season:
            read = await installation.standings.read_past(name, season)
    except UnknownLadderError as error:
        raise NotFoundError(str(error)) from None
    except TableDamagedError as error:
        raise PreconditionError(f"{error}; `agon ladder rebuild {name}` makes it anew") from None

    if read is None:
        raise _no_season(name, season)

    rulings = await Rulings(installation.store).list(name)
    purges = standing(rulings)
    owners = {bot.name: bot.owner for bot in await installation.accounts.list()}
    retired = await installation.retirements.bots()
    rows = tuple(
        ladder.Standing(
            rank=row.rank,
            bot=row.bot,
            owner=owners.get(row.bot, ""),
            rating=row.rating,
            plus_minus=row.plus_minus,
            games=row.games,
            blocks=row.blocks,
            score=row.score,
            faults=row.faults,
            resigned=row.resigned,
            provisional=row.provisional,
            sigma=row.sigma,
            retired=row.bot in retired,
        )
        for row in read.rows
    )
    return ladder.Standings(
        ladder=told(read.ladder),
        rows=rows,
        results=read.results,
        position=read.position,
        failed=_why_old(running, rulings),
        season=read.season,
        ended=rfc3339(read.ended),
        purges=len(purges),
    )


async def check_season(installation: Installation, name: str, label: str) -> None:
    """Raise NotFoundError where there is no such ladder, or it has no season of that label."""
    try:
        running = (await installation.standings.read(name)).season
        over = [season.begun.label for season in await installation.standings.seasons(name)]
    except UnknownLadderError as error:
        raise NotFoundError(str(error)) from None
    except TableDamagedError as error:
        raise PreconditionError(f"{error}; `agon ladder rebuild {name}` makes it anew") from None
    if label not in (running, *over):
        raise _no_season(name, label)


def _no_season(name: str, label: str) -> NotFoundError:
    return NotFoundError(
        f"ladder {name} has no season of that label, `agon ladder seasons {name}` lists all: {label!r}"
    )


def _why_old(running: standings.Standings, rulings: Iterable[Ruling]) -> str:
    """Return why a ladder's tables, of past seasons too, are not as its rulings want them; empty where they are."""
    position = Position.parse(running.position)
    is_behind = any(isinstance(ruling, Purge | Undo | Loss) and ruling.position > position for ruling in rulings)
    return running.failed or (RERATED if is_behind else "")


def told(item: LadderDef) -> ladder.Ladder:
    """Return what is told of a ladder."""
    return ladder.Ladder(
        name=item.name,
        game=item.game,
        version=item.version,
        seats=item.seats,
        options={name: option_text(value) for name, value in item.options.items()},
        time=item.time,
        policy=item.policy,
        deals=item.deals,
        house_games=item.house_games,
        system=item.system,
        rotations=item.rotations,
        short_handed=item.short_handed,
        format="" if item.schedule is None else item.schedule.kind,
        open=item.open,
        created=rfc3339(item.created),
    )
