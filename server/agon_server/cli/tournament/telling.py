"""What is told of a tournament that a server plays: to everybody by `agon tournament show`, to its organiser by the
other commands too."""

from __future__ import annotations

from typing import Any

from agon.codec import ladder as calls
from agon.codec.tournament_standings import TournamentRow, TournamentStandings
from agon_ladder.pairing.schedules.table import Row
from agon_ladder.stats.interval import Interval
from agon_server.cli.door import Door
from agon_server.cli.output import Output
from agon_server.cli.tournament.table import described_row, print_table, tell_given_up
from agon_server.tournaments.standings import Standing


async def show_there(out: Output, door: Door, name: str) -> None:
    """Print the public table of a tournament."""
    request = calls.GetTournamentStandingsRequest(name)
    answer = await door.call(calls.GET_TOURNAMENT_STANDINGS, request)
    standings = answer.standings
    print_standings(out, answer.ladder, standings, described(answer.ladder, standings))
    if standings.round_name:
        out.hint(standings.round_name)
    if waits(answer.ladder, standings):
        out.hint("it waits until its organiser lets it go on")


def print_standings(
    out: Output, ladder: calls.Ladder, standings: TournamentStandings, described: dict[str, Any]
) -> None:
    """Print how the bots stand; `described` is what `--json` tells beside."""
    table = [_standing(row) for row in standings.rows]
    out.json(described | {"standings": [described_row(row) for row in table]})
    title = f"{ladder.name}: {standings.format}, {ladder.game}, {ladder.seats} seats, {standings.done} matches"
    if left := remaining(standings):
        title += f", {left} left to play"
    print_table(out, table, standings.tie_breaks, title)
    tell_given_up(out, standings.given_up)


def waits(ladder: calls.Ladder, standings: TournamentStandings) -> bool:
    """Tell whether a tournament was closed before its end."""
    return not standings.over and not ladder.open


def remaining(standings: TournamentStandings) -> int:
    """Return how many matches are left to play."""
    return standings.planned - standings.done - standings.lost


def described(ladder: calls.Ladder, standings: TournamentStandings) -> dict[str, Any]:
    """Return what `--json` tells of a tournament beside its table."""
    return {
        "name": ladder.name,
        "format": standings.format,
        "game": ladder.game,
        "version": ladder.version,
        "seats": ladder.seats,
        "deals": ladder.deals,
        "started": ladder.created,
        "is_over": standings.over,
        "waits": waits(ladder, standings),
        "planned": standings.planned,
        "done": standings.done,
        "remaining": remaining(standings),
        "round": standings.round,
        "rounds": standings.rounds,
        "round_name": standings.round_name,
        "given_up": standings.given_up,
        "tie_breaks": standings.tie_breaks,
    }


def _standing(row: TournamentRow) -> Standing:
    ranked = Row(row.rank, row.bot, row.half_points, row.matches, row.blocks, row.byes, row.tie_breaks)
    return Standing(ranked, row.score, row.elo, Interval(row.elo_low, row.elo_high, row.blocks))
