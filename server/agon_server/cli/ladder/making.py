"""Making and closing ladders, and the files that they are made with."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any

import typer

from agon.codec import admin, ladder as calls
from agon_engine.core.options import option_text
from agon_engine.core.policy import OnFault
from agon_engine.core.record import Deals
from agon_engine.core.timing import MICROSECONDS
from agon_engine.registry import game_names, get_game
from agon_ladder.pairing.blocks import Rotations
from agon_ladder.ratings import DEFAULT_SYSTEM
from agon_server.cli.door import Door
from agon_server.cli.ladder.names import NameArgument
from agon_server.cli.options import OptionsOption, each_once, given_options
from agon_server.cli.output import Output
from agon_server.config import MAX_HOUSE_GAMES
from agon_server.operations.errors import InvalidError


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
        Deals,
        typer.Option(
            "--deals", help="shared: one deal a block where all its bots are of the house or trusted, else fresh."
        ),
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
    rotations: Annotated[
        Rotations, typer.Option("--rotations", help="A block's matches; all: all permutations, for 2 and 3 seats.")
    ] = Rotations.CYCLIC,
    short_handed: Annotated[
        bool, typer.Option("--short-handed", help="Too few bots for its seats play with fewer of them, unrated.")
    ] = False,
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

    With shared deals a bot that remembers would see in one match of a block what is hidden in the next. So they are
    played by house bots and by those of `agon bot trust`; any other bot may take part, and its blocks have a fresh deal
    for each match.

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
        rotations=rotations.value,
        short_handed=short_handed,
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


async def file(
    out: Output,
    door: Door,
    file_hash: Annotated[str, typer.Argument(metavar="HASH", help="As ladders, matches and records name it.")],
) -> None:
    """Print a file that was given for an option of a ladder, such as a card set."""
    answer = await door.call(calls.GET_FILE, calls.GetFileRequest(file_hash))
    out.json({"hash": file_hash, "text": answer.text})
    out.line(answer.text)


# -- what is typed -------------------------------------------------------------------------------------------------


def _options(name: str, texts: Iterable[str]) -> tuple[dict[str, str], dict[str, str]]:
    """Return the options that were typed, and the texts of the files. What a game does not have is the server's to say:
    it may have other ones than this installation."""
    if name not in game_names():
        return dict(_option(text) for text in each_once(texts)), {}

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
