"""Seasons, purges and losses: what organisers rule about a ladder."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated, Any, TypeVar

import typer

from agon.codec import admin, ladder as calls, ledger
from agon.codec.calls import Method
from agon_ladder.results import Position
from agon_server.cli.actor import user_name
from agon_server.cli.door import Door
from agon_server.cli.ladder.names import NameArgument
from agon_server.cli.output import Output, to_seconds
from agon_server.operations.errors import InvalidError, UnreachableError
from agon_server.operations.times import rfc3339
from agon_server.queue.ids import new_id

Q = TypeVar("Q")
R = TypeVar("R")

KEEP = 50
"""Percent of its distance from the initial rating that a rating keeps unless a season is told otherwise."""
WhyOption = Annotated[str, typer.Option("--why", metavar="TEXT", help="Why; everybody can read it.")]
ByOption = Annotated[
    str, typer.Option("--by", metavar="NAME", help="Who rules; everybody can read it.  [default: your user name]")
]
IdOption = Annotated[
    str, typer.Option("--id", metavar="ID", help="Of a command whose outcome is not known: it is not done twice.")
]


async def season(
    out: Output,
    door: Door,
    name: NameArgument,
    start: Annotated[str, typer.Option("--start", metavar="LABEL", help="What the new season is called.")],
    why: WhyOption,
    soft: Annotated[
        int | None,
        typer.Option(
            "--soft",
            metavar="R",
            min=0,
            max=100,
            help=f"Each rating keeps R percent of its distance from the initial one.  [default: {KEEP}]",
        ),
    ] = None,
    hard: Annotated[bool, typer.Option("--hard", help="All ratings begin anew.")] = False,
    by: ByOption = "",
    id_: IdOption = "",
) -> None:
    """End the season of a ladder, and begin the next one.

    The table is kept for good: `agon ladder show NAME --season LABEL`. Each rating r becomes i + (r - i) * R / 100,
    with i the initial rating and what is less than a thousandth of a point dropped; games, blocks, faults and
    intervals begin at nothing. A match counts in the season in which it ends. A block that is under way counts, match
    by match, for ratings, and as a block in neither season. The season that a ladder begins with is called `first`.
    """
    if hard and soft is not None:
        raise InvalidError(f"--hard is --soft 0, and goes without --soft: {soft!r}")
    keep = 0 if hard else KEEP if soft is None else soft
    made = id_ or new_id()
    request = ledger.StartSeasonRequest(ladder=name, label=start, keep=keep, actor=by or user_name(), why=why, id=made)
    answer = await _ask(door, admin.START_SEASON, request, made)
    out.json(answer)
    out.line(f"season {start} of ladder {name} begins at {_moment_of(answer.position)}")
    _tell_repeat(out, answer.repeated)


def _moment_of(position: str) -> str:
    """Return when something was ruled, from its id in the results stream."""
    return to_seconds(rfc3339(Position.parse(position).time))


async def seasons(out: Output, door: Door, name: NameArgument) -> None:
    """List the seasons of a ladder, the running one last."""
    answer = await door.call(calls.LIST_SEASONS, ledger.ListSeasonsRequest(name))
    out.json(answer.seasons)
    out.table(
        ("season", "began", "ended", "matches#", "bots#", "kept %#?", "by?", "why?"),
        [
            (
                each.label,
                to_seconds(each.began),
                to_seconds(each.ended),
                each.results,
                each.bots,
                each.keep if each.actor else "",
                each.actor,
                each.why,
            )
            for each in answer.seasons
        ],
    )


async def purge(
    out: Output,
    door: Door,
    name: NameArgument,
    bot: Annotated[str, typer.Option("--bot", metavar="BOT", help="Matches in which this bot sat.")] = "",
    server_name: Annotated[
        str, typer.Option("--server-name", metavar="SERVER", help="Matches that this server ran.")
    ] = "",
    match: Annotated[str, typer.Option("--match", metavar="ID", help="This match.")] = "",
    since: Annotated[str, typer.Option("--since", metavar="TIME", help="Only those that ended then or later.")] = "",
    until: Annotated[str, typer.Option("--until", metavar="TIME", help="Only those that ended before then.")] = "",
    why: Annotated[str, typer.Option("--why", metavar="TEXT", help="Why; everybody can read it.")] = "",
    undo: Annotated[str, typer.Option("--undo", metavar="ID", help="Take this purge back.")] = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say how many matches it would be.")] = False,
    by: ByOption = "",
    id_: IdOption = "",
) -> None:
    """Take matches out of a ladder's table: of a faulty bot, of a faulty server, or a single one.

    All that ended before and fit everything that is named do not count any more, in seasons that are over either; the
    table is rated again from the others. Nothing is deleted: records and results stay, `agon match show` says that
    a match is purged and why, and --undo takes a purge back. What a bot plays later counts; to keep it from new matches
    suspend it. A purge that would take nothing out is refused. A TIME is as 2030-03-17 or 2030-03-17T17:46:40Z, UTC
    where it says nothing else.
    """
    named = {"bot": bot, "server": server_name, "match": match}
    if undo:
        if dry_run or since or until or any(named.values()):
            raise InvalidError("--undo takes a whole purge back, and goes only with --why, --by and --id")
        await _undo(out, door, name, undo, why, by, id_)
        return
    if not any(named.values()):
        raise InvalidError("name what is purged by --bot, --server-name or --match")
    if not (why or dry_run):
        raise InvalidError("a purge needs a reason: --why TEXT")
    made = id_ or new_id()
    request = ledger.PurgeMatchesRequest(
        ladder=name,
        **named,
        since_ms=_moment("--since", since),
        until_ms=_moment("--until", until),
        actor=by or user_name(),
        why=why,
        id=made,
        dry_run=dry_run,
    )
    answer = await _ask(door, admin.PURGE_MATCHES, request, made)
    out.json(answer)
    if dry_run:
        out.line(f"{answer.matches} rated matches of ladder {name} would not count any more")
        return
    out.line(f"purge {answer.id} is made: {answer.matches} more rated matches do not count")
    _tell_repeat(out, answer.repeated)
    out.hint("the table is rated again; until that is done, `agon ladder show` says that it is old")
    out.hint(f"`agon ladder purge {name} --undo {answer.id} --why TEXT` takes the purge back")


async def purges(out: Output, door: Door, name: NameArgument) -> None:
    """List what was purged of a ladder, and what of it was undone."""
    answer = await door.call(calls.LIST_PURGES, ledger.ListPurgesRequest(name))
    out.json(answer.purges)
    out.table(
        ("purge", "made", "of!", "by?", "why?", "undone"),
        [
            (each.id, to_seconds(each.made), ", ".join(_of(each)), each.actor, each.why, to_seconds(each.undone))
            for each in answer.purges
        ],
    )


async def accept_loss(
    out: Output, door: Door, name: NameArgument, why: WhyOption, by: ByOption = "", id_: IdOption = ""
) -> None:
    """Go on without results of a ladder that nobody has any more.

    For what neither the store nor an archive has: an archive or a store was lost, or brought back from an older copy.
    Until this is said, no purge, rebuild or audit judges the ladder. The table is rated again from what there is, and
    `agon ladder audit` tells the loss ever after. It cannot be taken back: what turns up later does not count, and
    purges and seasons that stood among what is gone are gone with it. First look for the archive, and ask the other
    servers of the installation.
    """
    made = id_ or new_id()
    request = ledger.AcceptLossRequest(ladder=name, actor=by or user_name(), why=why, id=made)
    answer = await _ask(door, admin.ACCEPT_LOSS, request, made)
    out.json(answer)
    out.line(f"ladder {name} goes on without its results after {answer.after} up to {answer.until}")
    out.line(f"{answer.results} rated matches of them had counted, and do not any more")
    _tell_repeat(out, answer.repeated)
    out.hint("the table is rated again; until that is done, `agon ladder show` says that it is old")


async def _undo(out: Output, door: Door, name: str, purge_id: str, why: str, by: str, id_: str) -> None:
    if not why:
        raise InvalidError("to take a purge back needs a reason: --why TEXT")
    made = id_ or new_id()
    request = ledger.UndoPurgeRequest(ladder=name, purge=purge_id, actor=by or user_name(), why=why, id=made)
    answer = await _ask(door, admin.UNDO_PURGE, request, made)
    out.json(answer)
    out.line(f"purge {purge_id} is undone")
    _tell_repeat(out, answer.repeated)
    out.hint("the table is rated again; until that is done, `agon ladder show` says that it is old")


async def _ask(door: Door, method: Method[Q, R], request: Q, made: str) -> R:
    """Ask, and where nobody can know whether it was done, say how to find out."""
    try:
        return await door.call(method, request)
    except UnreachableError as error:
        raise UnreachableError(
            f"{error}; it may be done: the same command with --id {made} does not do it twice"
        ) from None


def _tell_repeat(out: Output, repeated: bool) -> None:  # a value, not a switch
    if repeated:
        out.line("it was there already, and is not done twice")


def _of(purge: ledger.Purge) -> Sequence[str]:
    told: dict[str, Any] = {
        "bot": purge.bot,
        "server": purge.server,
        "match": purge.match,
        "since": to_seconds(purge.since),
        "until": to_seconds(purge.until),
    }
    return [f"{name} {value}" for name, value in told.items() if value]


def _moment(flag: str, text: str) -> int:
    """Return a moment in milliseconds since 1970; 0 for none."""
    if not text:
        return 0
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise InvalidError(f"{flag} is a time as 2030-03-17 or 2030-03-17T17:46:40Z, not {text!r}") from None

    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    if (milliseconds := round(moment.timestamp() * 1_000)) <= 0:
        raise InvalidError(f"{flag} is a time after 1970, not {text!r}")
    return milliseconds
