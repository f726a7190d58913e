"""Which ladders there are, and how they stand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Annotated

import typer

from agon.codec import ladder as calls
from agon_engine.core.options import option_text
from agon_engine.core.record import Deals
from agon_engine.core.timing import MICROSECONDS
from agon_engine.registry import game_names, get_game
from agon_ladder.pairing.blocks import Rotations
from agon_ladder.rulings import FIRST_SEASON
from agon_server.cli.door import Door
from agon_server.cli.ladder.names import NameArgument
from agon_server.cli.output import Output, to_seconds
from agon_server.operations.errors import InvalidError

LISTED = (
    *("ladder", "game?", "rules#?", "seats#", "options?", "move s#", "bank s#", "on fault", "deals?", "open"),
    *("format?", "created?"),
)
LISTED_LEGEND = """
move, bank  seconds for each decision, and for all overruns of a seat together
on fault    what happens when a seat falls: its substitute plays on, or forfeit
deals       fresh: one a match; shared: one a block, where all its bots are of
            the house or trusted (`agon bot trust NAME`), else one a match
format      of a tournament, which ranks it: `agon tournament show NAME`"""
OPEN = 800_000
"""The ± of a bot whose interval is open, in thousandths of a point."""
COLUMNS = ("rank#", "bot", "owner", "Elo#", "±#", "games#", "blocks#", "score#", "faults#")
COLUMNS_WITH_SIGMA = (*COLUMNS[:3], "mu#", "sigma#", *COLUMNS[4:])
LEGEND_OF_ELO = """
Elo       the live rating, which every rated match moves"""
LEGEND_OF_SIGMA = """
mu        the live rating, which every rated match moves
sigma     its standard deviation, as the rating system takes it"""
LEGEND = """\
±         half of a 95 % interval in Elo points: of how far the bot is above or
          below those that it met, not of its rating; ?  no bound to tell
blocks    line-ups played under all rotations of their seats; ± rests on them
score     mean pairwise score: 1 for each opponent placed below, 1/2 for a tie
faults    matches in which it fell: by time, silence, illegal answers, protocol
resigned  matches that it gave up, as the SDK does when a bot's code fails"""


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
                item.format or "endless",
                item.created,
            )
            for item in answer.ladders
        ],
    )
    out.hint(LISTED_LEGEND)
    if out.is_terminal and (short := _short_of_bots(answer.ladders, await _bots_by_game(door))):
        out.hint("\nno match for now, as too few bots are connected:")
        for text in short:
            out.hint(f"  {text}")


async def _bots_by_game(door: Door) -> Counter[str]:
    """Return how many bots are connected that get matches, by the games that they play."""
    answer = await door.call(calls.LIST_BOTS, calls.ListBotsRequest())
    return Counter(name for bot in answer.bots if not (bot.suspended or bot.retired) for name in bot.games)


def _short_of_bots(ladders: Sequence[calls.Ladder], bots: Mapping[str, int]) -> list[str]:
    """Return the open ladders, tournaments aside, that have too few bots for any match. Seats that bots leave out, and
    whose they are, are not looked at: there may be more."""
    return [
        f"{ladder.name} ({bots.get(ladder.game, 0)} of {needed})"
        for ladder in ladders
        if ladder.open and not ladder.format
        if bots.get(ladder.game, 0) < (needed := 2 if ladder.short_handed else ladder.seats)
    ]


async def show(
    out: Output,
    door: Door,
    name: NameArgument,
    watch: Annotated[bool, typer.Option("--watch", help="Show every change until Ctrl-C.")] = False,
    season: Annotated[
        str, typer.Option("--season", metavar="LABEL", help="Of a season that is over.  [default: the running one]")
    ] = "",
) -> None:
    """Show the standings of a ladder.

    Elo (or mu and sigma) is the live rating. ± is half of a 95 % interval in Elo points, not of that rating but of how
    far the bot is above or below those that it met, by its score; `?` where that has no bound. What to publish is the
    strength, in `agon ladder report`. Of a tournament it is the order of the ratings; `agon tournament show` has that
    of its format.
    """
    if watch and season:
        raise InvalidError(f"--watch shows the running season, and goes without --season: {season!r}")
    if not watch:
        answer = await door.call(calls.GET_STANDINGS, calls.GetStandingsRequest(name, season))
        _print(out, answer.standings)
        return

    async for update in door.watch(calls.WATCH_STANDINGS, calls.WatchStandingsRequest(name)):
        _print(out, update.standings)
        out.line()


# -- what is printed -----------------------------------------------------------------------------------------------


def _print(out: Output, standings: calls.Standings) -> None:
    out.json(standings)
    print_standings(out, standings)
    out.hint(legend(standings))


def legend(standings: calls.Standings) -> str:
    """Return what the columns mean."""
    return f"{LEGEND_OF_SIGMA if has_sigma(standings) else LEGEND_OF_ELO}\n{LEGEND}"


def has_sigma(standings: calls.Standings) -> bool:
    """Tell whether the ladder's rating system says how sure it is."""
    return any(row.sigma is not None for row in standings.rows)


def print_standings(out: Output, standings: calls.Standings) -> None:
    """Print a ladder's table for people."""
    told = standings.ladder
    state = "" if told.open else ", closed"
    if standings.season not in ("", FIRST_SEASON) or standings.ended:
        state += f", season {standings.season}"
    if standings.ended:
        state += f", ended {to_seconds(standings.ended)}"
    # A column only where it tells something: nearly always it would say no.
    with_retired = any(row.retired for row in standings.rows)
    with_resigned = any(row.resigned for row in standings.rows)
    title = f"{told.name}: {told.game}, {told.seats} seats, {standings.results} rated matches{state}"
    with_sigma = has_sigma(standings)
    columns = COLUMNS_WITH_SIGMA if with_sigma else COLUMNS
    out.table(
        (*columns, *(["resigned#"] if with_resigned else []), *(["retired"] if with_retired else [])),
        [
            (
                row.rank,
                row.bot,
                row.owner,
                f"{row.rating / 1000:.1f}",
                *([f"{(row.sigma or 0) / 1000:.1f}"] if with_sigma else []),
                "?" if row.plus_minus >= OPEN else f"{row.plus_minus / 1000:.1f}",
                row.games,
                row.blocks,
                f"{row.score:.3f}",
                row.faults,
                *([row.resigned] if with_resigned else []),
                *([row.retired] if with_retired else []),
            )
            for row in standings.rows
        ],
        title=title,
    )
    if told.format:
        out.hint(f"a tournament; its format, {told.format}, ranks it in `agon tournament show {told.name}`")
    if chosen := _chosen(told):
        out.hint(f"options that are not the defaults: {', '.join(chosen)}")
    if told.rotations == Rotations.ALL:
        out.hint("each block plays its line-up under all permutations of the seats")
    if told.deals is Deals.SHARED:
        out.hint("shared deals: one for all matches of a block whose bots are all of the house or trusted not to")
        out.hint("remember (`agon bot trust NAME`); a block with any other bot has a deal for each match")
    if told.short_handed:
        out.hint("bots that are too few for its seats play with fewer, unrated")
    if told.open and not standings.results:
        out.hint(f"no match is rated yet; each needs {told.seats} different bots, connected at the same time")
    if told.open and not standings.ended and not told.format:
        out.hint(f"house bots play each other until each has {told.house_games} rated games, then only remote bots")
    if standings.purges:
        purges = "1 purge stands" if standings.purges == 1 else f"{standings.purges} purges stand"
        out.hint(f"{purges}, and what is purged is not in the table: `agon ladder purges {told.name}`")
    # Here and not above: it needs the store's client, other commands do not.
    from agon_server.ladders.tables import RERATED

    if standings.failed == RERATED:
        out.text(f"this table is old: {standings.failed}")
    elif standings.failed:
        out.text(f"no results are added now: {standings.failed}; `agon ladder rebuild {told.name}` makes it anew")


def _chosen(ladder: calls.Ladder) -> list[str]:
    """Return the options that are not the game's defaults; all where the game is not installed here."""
    options = get_game(ladder.game).spec.options if ladder.game in game_names() else ()
    defaults = {option.name: option_text(option.default) for option in options}
    return [f"{name}={value}" for name, value in sorted(ladder.options.items()) if defaults.get(name) != value]
