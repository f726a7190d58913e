"""`agon ladder`: make, close, list, show, rebuild and audit ladders."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated, Any

import typer

from agon.codec import admin, ladder as calls
from agon_engine.core.options import option_text
from agon_engine.core.policy import OnFault
from agon_engine.core.record import Deals
from agon_engine.core.timing import MICROSECONDS
from agon_engine.registry import game_names, get_game
from agon_ladder.ratings import DEFAULT_SYSTEM
from agon_server.cli.command import command
from agon_server.cli.door import Door
from agon_server.cli.failures import Negative
from agon_server.cli.options import OptionsOption, given_options
from agon_server.cli.output import Output
from agon_server.config import MAX_HOUSE_GAMES
from agon_server.operations.errors import InvalidError

LISTED = (
    *("ladder", "game?", "rules#?", "seats#", "options?", "move s#", "bank s#", "on fault", "deals?", "open"),
    "created?",
)
LISTED_LEGEND = """
move, bank  seconds for each decision, and for all overruns of a seat together
on fault    what happens when a seat falls: its substitute plays on, or forfeit
deals       fresh: one a match; shared: one a block, where nobody can remember"""
NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="The ladder's name.")]
UNKNOWN = 800_000
"""The ± of a bot about which nothing can be said yet, in thousandths of a point."""
COLUMNS = ("rank#", "bot", "owner", "Elo#", "±#", "games#", "blocks#", "score#", "faults#")
COLUMNS_WITH_SIGMA = (*COLUMNS[:3], "mu#", "sigma#", *COLUMNS[4:])
LEGEND_OF_SIGMA = """
mu, sigma  mean and standard deviation of the rating, by the ladder's system"""
LEGEND = """
±       half of the 95 % interval of Elo; ?  too few blocks to tell
blocks  line-ups played under all rotations of their seats; ± rests on them
score   mean pairwise score: 1 for each opponent placed below, 1/2 for a tie
faults  seats lost by time, silence, illegal answers or protocol; to resign,
        as the SDK does when a bot's code fails, is none"""


def add(ladder: typer.Typer) -> None:
    """Add the commands to their noun."""
    command(
        ladder,
        "create",
        examples=(
            "agon ladder create --game GAME --seats 2\n"
            "agon ladder create blitz --game GAME --seats 3 --move 0.5 --bank 5 --on-fault substitute\n"
            "agon ladder create lab --game GAME --seats 2 --option NAME=VALUE --deals shared\n"
            "agon ladder create own --game GAME --seats 2 --option NAME=FILE\n"
            "agon ladder create bayes --game GAME --seats 4 --system weng-lin"
        ),
    )(create)
    command(ladder, "close", examples="agon ladder close blitz")(close)
    command(ladder, "ls", examples="agon ladder ls\nagon ladder ls --json")(ls)
    command(ladder, "show", examples="agon ladder show blitz\nagon ladder show blitz --watch")(show)
    command(ladder, "file", examples="agon ladder file HASH > cards.json")(file)
    command(ladder, "rebuild", examples="agon ladder rebuild blitz")(rebuild)
    command(ladder, "audit", examples="agon ladder audit\nagon ladder audit blitz --json")(audit)


def _seconds(flag: str, text: str) -> Any:
    return typer.Option(flag, min=0, max=86_400, metavar="SECONDS", help=text)


async def create(
    out: Output,
    door: Door,
    game: Annotated[str, typer.Option("--game", metavar="GAME", help="What is played; `agon games` lists them.")],
    seats: Annotated[int, typer.Option("--seats", metavar="N", help="Seats of a match.")],
    name: Annotated[str, typer.Argument(metavar="NAME", help="Its name.  [default: GAME-SEATS]")] = "",
    option: OptionsOption = None,
    deals: Annotated[
        Deals, typer.Option("--deals", help="shared: one deal a block, where no bot that remembers takes part.")
    ] = Deals.FRESH,
    move: Annotated[float | None, _seconds("--move", "For each decision.")] = None,
    bank: Annotated[float | None, _seconds("--bank", "For all overruns of a seat.")] = None,
    increment: Annotated[
        float | None,
        _seconds("--increment", "Added to the bank after each decision."),
    ] = None,
    connect: Annotated[float | None, _seconds("--connect", "From Offer to Join.")] = None,
    ready: Annotated[float | None, _seconds("--ready", "From Start to Ready.")] = None,
    grace: Annotated[
        float | None,
        _seconds("--grace", "Over the limit, and the answer still counts."),
    ] = None,
    system: Annotated[
        str, typer.Option("--system", metavar="NAME", help="What moves ratings: elo, or weng-lin (mu and sigma).")
    ] = DEFAULT_SYSTEM,
    on_fault: Annotated[
        OnFault | None,
        typer.Option("--on-fault", help="What a seat's fall means.  [default: forfeit with 2 seats, else substitute]"),
    ] = None,
    attempts: Annotated[int | None, typer.Option("--attempts", min=1, max=100, help="Answers to one decision.")] = None,
    strikes: Annotated[
        int | None, typer.Option("--strikes", min=1, max=100, help="The strike with this number makes a seat fall.")
    ] = None,
    house_games: Annotated[
        int | None,
        typer.Option(
            "--house-games",
            metavar="N",
            min=0,
            max=MAX_HOUSE_GAMES,
            help="House bots with so many rated games only keep others company.",
        ),
    ] = None,
) -> None:
    """Make an endless rated ladder of one game and seat count.

    What is left out has the server's defaults. A file for an option goes to the server, and whoever reaches it can read
    the file, as bots must.
    """
    options, files = _options(game, option or ())
    request = admin.CreateLadderRequest(
        name=name,
        game=game,
        seats=_count(seats, "--seats"),
        options=options,
        time=admin.PartialTimeControl(
            connect_us=_microseconds(connect),
            ready_us=_microseconds(ready),
            move_us=_microseconds(move),
            bank_us=_microseconds(bank),
            increment_us=_microseconds(increment),
            grace_us=_microseconds(grace),
        ),
        policy=admin.PartialFaultPolicy(on_fault, attempts, strikes),
        deals=deals,
        house_games=house_games,
        files=files,
        system=system,
    )
    answer = await door.call(admin.CREATE_LADDER, request)
    out.json(answer.ladder)
    out.line(f"ladder {answer.ladder.name} is open")
    for named in files:
        file_hash = answer.ladder.options[named]
        out.line(f"{named}={file_hash}; `agon ladder file {file_hash}` prints the file")


async def close(out: Output, door: Door, name: NameArgument) -> None:
    """Close a ladder: no new matches are made, those that run count, the table stays."""
    answer = await door.call(admin.CLOSE_LADDER, admin.CloseLadderRequest(name))
    out.json(answer.ladder)
    out.line(f"ladder {answer.ladder.name} is closed")


async def ls(
    out: Output, door: Door, opened: Annotated[bool, typer.Option("--open", help="Leave closed ladders out.")] = False
) -> None:
    """List all ladders."""
    answer = await door.call(calls.LIST_LADDERS, calls.ListLaddersRequest(opened))
    out.json(answer.ladders)
    out.table(
        LISTED,
        [
            (
                item.name,
                item.game,
                item.version,
                item.seats,
                ", ".join(f"{key}={value}" for key, value in sorted(item.options.items())),
                f"{item.time.move / MICROSECONDS:g}",
                f"{item.time.bank / MICROSECONDS:g}",
                item.policy.on_fault,
                item.deals,
                item.open,
                item.created,
            )
            for item in answer.ladders
        ],
    )
    out.hint(LISTED_LEGEND)


async def show(
    out: Output,
    door: Door,
    name: NameArgument,
    watch: Annotated[bool, typer.Option("--watch", help="Show every change until Ctrl-C.")] = False,
) -> None:
    """Show the standings of a ladder.

    ± is the 95 % interval of the mean pairwise score, in Elo points.
    """
    if not watch:
        answer = await door.call(calls.GET_STANDINGS, calls.GetStandingsRequest(name))
        _print(out, answer.standings)
        return

    async for update in door.watch(calls.WATCH_STANDINGS, calls.WatchStandingsRequest(name)):
        _print(out, update.standings)
        out.line()


async def file(
    out: Output,
    door: Door,
    file_hash: Annotated[str, typer.Argument(metavar="HASH", help="As ladders, matches and records name it.")],
) -> None:
    """Print a file that was given for an option of a ladder, such as a card set."""
    answer = await door.call(calls.GET_FILE, calls.GetFileRequest(file_hash))
    out.json({"hash": file_hash, "text": answer.text})
    out.line(answer.text)


async def rebuild(out: Output, door: Door, name: NameArgument) -> None:
    """Fold all results of a ladder again.

    Exits with 1 when the live table differed; it is replaced then.
    """
    answer = await door.call(admin.REBUILD_LADDER, admin.RebuildLadderRequest(name))
    out.json(answer)
    _print_findings(out, answer.findings)
    if answer.findings:
        raise Negative(f"the live table of ladder {name} differed from its results in {len(answer.findings)} places")
    out.line(f"{answer.results} rated matches folded; the live table is the same, exactly")


async def audit(
    out: Output, door: Door, name: Annotated[str, typer.Argument(metavar="NAME", help="One ladder; else all.")] = ""
) -> None:
    """Check that tables are what the results give.

    Each must equal its rebuild, and each of its last 100,000 rated matches has exactly one rating row a seat. Changes
    nothing. Exits with 1 when something is not as it must be.
    """
    if name:
        names = [name]
    else:
        answer = await door.call(calls.LIST_LADDERS, calls.ListLaddersRequest())
        names = [item.name for item in answer.ladders]
    found = {one: await door.call(admin.AUDIT_LADDER, admin.AuditLadderRequest(one)) for one in names}
    out.json(found)
    bad = 0
    for one, report in found.items():
        bad += len(report.findings)
        out.line(f"{one}: {report.results} rated matches, {len(report.findings)} findings")
        _print_findings(out, report.findings)
    if bad:
        raise Negative(f"the audit has {bad} findings")


# -- what is typed -------------------------------------------------------------------------------------------------


def _options(name: str, texts: Iterable[str]) -> tuple[dict[str, str], dict[str, str]]:
    """Return the options that were typed, and the texts of the files. What a game does not have is the server's to say:
    it may have other ones than this installation."""
    if name not in game_names():
        return dict(_option(text) for text in texts), {}

    game, options = given_options(get_game(name), texts)
    given = {option: option_text(value) for option, value in options.items()}
    # The hashes too: a server that knows no files would make the ladder without them.
    given |= {option: file.hash for option, file in game.files.items()}
    return given, {option: file.text for option, file in game.files.items()}


def _option(text: str) -> tuple[str, str]:
    name, separator, value = text.partition("=")
    if not separator:
        raise InvalidError(f"an option is written NAME=VALUE, not {text!r}")
    return name, value


def _count(value: int, flag: str) -> int:
    if not 1 <= value <= 100:
        raise InvalidError(f"{flag} is a number of seats, not {value!r}")
    return value


def _microseconds(seconds: float | None) -> int | None:
    return None if seconds is None else round(seconds * MICROSECONDS)


# -- what is printed -----------------------------------------------------------------------------------------------


def _print(out: Output, standings: calls.Standings) -> None:
    out.json(standings)
    print_standings(out, standings)
    if has_sigma(standings):
        out.hint(LEGEND_OF_SIGMA)
    out.hint(LEGEND)


def has_sigma(standings: calls.Standings) -> bool:
    """Tell whether the ladder's rating system says how sure it is."""
    return any(row.sigma is not None for row in standings.rows)


def print_standings(out: Output, standings: calls.Standings) -> None:
    """Print a ladder's table for people."""
    told = standings.ladder
    state = "" if told.open else ", closed"
    title = f"{told.name}: {told.game}, {told.seats} seats, {standings.results} rated matches{state}"
    with_sigma = has_sigma(standings)
    out.table(
        COLUMNS_WITH_SIGMA if with_sigma else COLUMNS,
        [
            (
                row.rank,
                row.bot,
                row.owner,
                f"{row.rating / 1000:.1f}",
                *([f"{(row.sigma or 0) / 1000:.1f}"] if with_sigma else []),
                "?" if row.plus_minus >= UNKNOWN else f"{row.plus_minus / 1000:.1f}",
                row.games,
                row.blocks,
                f"{row.score:.3f}",
                row.faults,
            )
            for row in standings.rows
        ],
        title=title,
    )
    if chosen := _chosen(told):
        out.hint(f"options that are not the defaults: {', '.join(chosen)}")
    if told.open:
        out.hint(f"house bots play each other until each has {told.house_games} rated games, then only remote bots")
    if standings.failed:
        out.text(f"no results are added now: {standings.failed}; `agon ladder rebuild {told.name}` makes it anew")


def _chosen(ladder: calls.Ladder) -> list[str]:
    """Return the options that are not the game's defaults; all where the game is not installed here."""
    options = get_game(ladder.game).spec.options if ladder.game in game_names() else ()
    defaults = {option.name: option_text(option.default) for option in options}
    return [f"{name}={value}" for name, value in sorted(ladder.options.items()) if defaults.get(name) != value]


def _print_findings(out: Output, findings: Sequence[admin.Finding]) -> None:
    if findings:
        out.table(("check", "about", "finding"), [(item.check, item.subject, item.text) for item in findings])
