"""`agon tournament` where a server plays: its ladder role opens the blocks, whoever looks on. This process makes the
tournament, follows it and tells how the bots stand; that it ends, or is killed, changes nothing there."""

from __future__ import annotations

import asyncio
import json
import shlex
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from agon.codec import admin, tournament as calls
from agon.codec.ledger import ReportFormat
from agon_engine.core.options import option_text
from agon_engine.core.timing import LIMITS
from agon_server.cli.door import Door, data_folder, open_door
from agon_server.cli.failures import Mistakes, Negative
from agon_server.cli.ladder.report import report
from agon_server.cli.output import Output
from agon_server.cli.tournament.meter import Meter
from agon_server.cli.tournament.table import tell_given_up
from agon_server.cli.tournament.telling import described, print_standings, remaining, waits
from agon_server.cli.tournament.waiting import WaitsFor, told_awaited
from agon_server.cli.tournament.where import Where, tell_changed
from agon_server.operations.errors import ExistsError, NotFoundError, PreconditionError, UnreachableError
from agon_server.tournaments.bot_files import Change
from agon_server.tournaments.definition import TournamentDef, kind_of
from agon_server.tournaments.errors import BegunError, ChangedError, NotBegunError
from agon_server.tournaments.folder import Kept
from agon_server.tournaments.proof import plan_of

POLL_SECONDS = 0.5
AWAY_SECONDS = 60.0
"""A server that does not answer is asked again for so long: its store, or it, may be started again."""
PACE = 20
"""The server is asked how far a large tournament has come for a twentieth of the time at most."""


@asynccontextmanager
async def server_at(where: Where) -> AsyncIterator[Door]:
    """Open the door of a server that runs; a data folder alone plays nothing."""
    no_server = (
        "connected bots play on a server, and none runs on that data folder: start one by `agon serve`, or name "
        f"another by --data or --server: {str(data_folder(where.data))!r}"
    )
    async with open_door(where.data, where.server, ca=where.ca, insecure=where.insecure, no_server=no_server) as door:
        yield door


async def play_there(out: Output, definition: TournamentDef, file: Path, where: Where, *, resumes: bool) -> None:
    """Make a tournament of connected bots on a server, or let it go on there, and follow it to its end."""
    verb = shlex.join(["agon", "tournament", "resume", str(file), *where.typed()])
    async with server_at(where) as door:
        plan = () if resumes else planned(definition)
        if not resumes:
            # Made once: whether a call that was lost has made it cannot be told from one that another has made.
            tournament = await begun(door, definition, file, resumes=False)
            announce(out, plan)
        try:
            if resumes:
                tournament = await _patiently(lambda: begun(door, definition, file, resumes=True))
            await follow(out, door, tournament, lambda _: ())
        except UnreachableError as error:
            raise UnreachableError(f"{error}; nothing is lost, and `{verb}` follows it again") from None
        except asyncio.CancelledError:
            sys.stderr.write(f"agon: the server plays on; `{verb}` follows it again\n")
            raise


async def status_there(out: Output, definition: TournamentDef, file: Path, where: Where) -> None:
    """Tell how far a tournament of a server has come."""
    async with open_door(where.data, where.server, ca=where.ca, insecure=where.insecure) as door:
        tournament = await found(door, definition, file, may_differ=True)
    out.json(_described(tournament))
    ladder, standings, left = tournament.ladder, tournament.standings, remaining(tournament.standings)
    out.line(
        f"{ladder.name}: {standings.done} of {standings.planned} matches are played, "
        f"{f'{left} left' if left else 'over'}"
    )
    if standings.round_name:
        out.line(standings.round_name)
    if waits(ladder, standings):
        out.line("it waits; `agon tournament resume` lets it go on")
    for text in told_awaited(tournament.awaited):
        out.line(text)
    tell_given_up(out, standings.given_up)


async def report_there(
    out: Output,
    definition: TournamentDef,
    file: Path,
    where: Where,
    form: ReportFormat | None,
    to: Path | None,
    changes: Sequence[Change] = (),
) -> None:
    """Tell how the bots of a server's tournament stand; where a form is named, what its ladder's report says, and
    beside it which of their files were changed."""
    async with open_door(where.data, where.server, ca=where.ca, insecure=where.insecure) as door:
        tournament = await found(door, definition, file, may_differ=True)
        if form is None:
            tell(out, tournament, changes)
        else:
            await report(out, door, definition.name, form, to)
            sys.stderr.writelines(f"agon: {change.told}\n" for change in changes)


# -- what is said to the server --------------------------------------------------------------------------------


async def begun(door: Door, definition: TournamentDef, file: Path, *, resumes: bool) -> calls.Tournament:
    """Make the tournament of a file, or let the one that was made go on; return it."""
    if resumes:
        await found(door, definition, file)
        return (await door.call(calls.RESUME_TOURNAMENT, calls.ResumeTournamentRequest(definition.name))).tournament
    try:
        return (await door.call(calls.CREATE_TOURNAMENT, request_of(definition))).tournament
    except ExistsError as error:
        raise BegunError(f"{error}; go on with `agon tournament resume {file}`, or give it another name") from None


async def is_there(door: Door, definition: TournamentDef) -> bool:
    """Tell whether a tournament of that name was made."""
    try:
        await door.call(calls.GET_TOURNAMENT, calls.GetTournamentRequest(definition.name))
    except NotFoundError:
        return False
    return True


async def found(door: Door, definition: TournamentDef, file: Path, *, may_differ: bool = False) -> calls.Tournament:
    """Return the tournament of a file. Raise NotBegunError where there is none, Mistakes where the file says something
    else than at the start; where it `may_differ`, that is told on stderr."""
    try:
        request = calls.GetTournamentRequest(definition.name)
        tournament = (await door.call(calls.GET_TOURNAMENT, request)).tournament
    except NotFoundError:
        raise NotBegunError(
            f"no tournament of that name has begun there; `agon tournament run` begins it: {definition.name!r}"
        ) from None

    try:
        Kept(json.loads(tournament.definition or "{}"), "").check_same(definition.to_json())
    except ValueError:
        raise PreconditionError(f"that tournament was not made by `agon tournament`: {definition.name!r}") from None
    except ChangedError as error:
        if not may_differ:
            raise Mistakes(f"{file}: {error}", error.differences) from None
        tell_changed(file, error)
    return tournament


def request_of(definition: TournamentDef) -> calls.CreateTournamentRequest:
    """Return what a server is asked for."""
    names = {bot.name: bot.connected or bot.name for bot in definition.bots}
    values = asdict(definition.format)
    values["challengers"] = tuple(names[bot] for bot in values.get("challengers", ()))
    return calls.CreateTournamentRequest(
        admin.CreateLadderRequest(
            name=definition.name,
            game=definition.game,
            seats=definition.seats,
            options={name: option_text(value) for name, value in definition.options.items()},
            time=admin.PartialTimeControl(**{f"{limit}_us": getattr(definition.time, limit) for limit in LIMITS}),
            policy=admin.PartialFaultPolicy(
                definition.policy.on_fault, definition.policy.attempts, definition.policy.strikes
            ),
            deals=definition.deals,
            rotations=definition.rotations,
            files=definition.files,
        ),
        calls.Schedule(
            kind=kind_of(definition.format),
            bots=tuple(names[bot] for bot in definition.schedule().bots),
            seed=definition.seed,
            concurrency=definition.concurrency or 0,
            **(values | ({"seeding": "file"} if "seeding" in values else {})),
        ),
        json.dumps(definition.to_json(), sort_keys=True),
    )


async def follow(
    out: Output,
    door: Door,
    tournament: calls.Tournament,
    check: Callable[[calls.Tournament], Sequence[str]],
    changes: Sequence[Change] = (),
    at_the_end: Callable[[], Sequence[str]] = tuple,
) -> None:
    """Show how a tournament goes on until it is over, then how the bots stand. `check` looks at it now and then and
    returns lines to tell at once; those of `at_the_end` are told below the table. Raise UnreachableError where the
    server does not answer for long."""
    name = tournament.ladder.name
    loop, took = asyncio.get_running_loop(), 0.0
    with out.live() as line:
        meter, waits_for, patience = Meter(_ended(tournament)), WaitsFor(), _Patience(line.note)
        while not tournament.standings.over:
            for text in check(tournament):
                line.note(f"agon: {text}")
            if not tournament.ladder.open:
                raise Negative(f"tournament {name} was closed and waits; `agon tournament resume` lets it go on")
            told, missing = tournament.standings, ", ".join(each.bot for each in tournament.awaited)
            shown = meter.line(_ended(tournament), told.planned, told.round_name)
            line.show(f"{shown}, waiting for {missing}" if missing else shown)
            for text in waits_for.news(tournament.awaited):
                line.note(f"agon: {text}")
            await asyncio.sleep(max(POLL_SECONDS, PACE * took))
            asked = loop.time()
            try:
                tournament = (await door.call(calls.GET_TOURNAMENT, calls.GetTournamentRequest(name))).tournament
            except UnreachableError as error:
                patience.bear(error, asked)
                continue
            patience.renew()
            took = loop.time() - asked
    tell(out, tournament, changes)
    for text in at_the_end():
        out.text(text)
    if given_up := tournament.standings.given_up:
        raise Negative(f"so many blocks could not be played to their end: {len(given_up)}")


class _Patience:
    """How long a server that does not answer is asked again; it is said once each time."""

    def __init__(self, note: Callable[[str], None]) -> None:
        self._note = note
        self._since: float | None = None

    def bear(self, error: UnreachableError, asked: float) -> None:
        """Take a call of that moment that had no answer; raise its error where there was none for `AWAY_SECONDS`."""
        if self._since is None:
            self._since = asked
            self._note(f"agon: {error}; it is asked again for {AWAY_SECONDS:g} s")
        elif asked - self._since > AWAY_SECONDS:
            raise error

    def renew(self) -> None:
        self._since = None


async def _patiently(ask: Callable[[], Awaitable[calls.Tournament]]) -> calls.Tournament:
    """Return the answer of calls that may be made twice, made again while the server does not answer, as `follow`
    does."""
    patience = _Patience(lambda text: sys.stderr.writelines([text, "\n"]))
    while True:
        asked = asyncio.get_running_loop().time()
        try:
            return await ask()
        except UnreachableError as error:
            patience.bear(error, asked)
        await asyncio.sleep(POLL_SECONDS)


def _ended(tournament: calls.Tournament) -> int:
    return tournament.standings.done + tournament.standings.lost


# -- what is told ----------------------------------------------------------------------------------------------


def planned(definition: TournamentDef) -> Sequence[str]:
    """Return what is planned, and the proof that it is fair. Raise ScheduleError where it is not."""
    return plan_of(definition, definition.schedule(), has_secret_deals=True)


def announce(out: Output, plan: Sequence[str]) -> None:
    """Print what is planned: once all that can be refused was not."""
    for text in plan:
        out.line(text)


def tell(out: Output, tournament: calls.Tournament, changes: Sequence[Change]) -> None:
    """Print how the bots stand, and which of their files were changed."""
    described = _described(tournament) | {"changed_bots": [change._asdict() for change in changes]}
    print_standings(out, tournament.ladder, tournament.standings, described)
    for change in changes:
        out.line(change.told)


def _described(tournament: calls.Tournament) -> dict[str, Any]:
    awaited = {each.bot: each.reason for each in tournament.awaited}
    return described(tournament.ladder, tournament.standings) | {"absent": tournament.absent, "awaited": awaited}
