"""`agon match`: what happened in a match, and who used how much time."""

from __future__ import annotations

from typing import Annotated

import typer

from agon.codec import admin, ladder as calls
from agon.codec.ladder import Answer, AnswerKind, Match
from agon_server.cli.command import command
from agon_server.cli.door import Door
from agon_server.cli.output import Output, to_seconds

LEGEND = """
move     from 1, as `agon replay show` counts; strikes and falls are none
charged  what counts against the bank: elapsed without host, at most the limit
elapsed  from asked to read; host  the server's own part, never charged
latency  the round trip as last measured; thought  by the bot's own account
bank     what is left for overruns
"""
MatchArgument = Annotated[str, typer.Argument(metavar="ID", help="The match's id.")]


def add(match: typer.Typer) -> None:
    """Add the commands to their noun."""
    command(match, "ls", examples="agon match ls\nagon match ls --ladder NAME --bot hector --limit 500")(ls)
    command(match, "show", examples="agon match show ID\nagon match show ID --json")(show)
    command(match, "record", examples="agon match record ID > match.jsonl\nagon match record ID | agon replay show -")(
        record
    )
    command(match, "cancel", examples="agon match cancel ID --reason 'the bots have hung up'")(cancel)


async def ls(
    out: Output,
    door: Door,
    ladder: Annotated[str, typer.Option("--ladder", metavar="NAME", help="Of this ladder only.")] = "",
    bot: Annotated[str, typer.Option("--bot", metavar="NAME", help="With this bot only.")] = "",
    limit: Annotated[int, typer.Option("--limit", min=1, help="List at most so many.")] = 50,
) -> None:
    """List matches that are over, the latest first."""
    found: list[Match] = []
    token = ""
    while len(found) < limit:
        size = min(100, limit - len(found))
        page = await door.call(calls.LIST_MATCHES, calls.ListMatchesRequest(ladder, bot, size, token))
        found += page.matches
        token = page.next_page_token
        if not token:
            break
    out.json(found)
    out.table(
        ("match", "ended", "ladder?", "bots and places", "over by", "moves#?"),
        [
            (
                item.match,
                to_seconds(item.ended),
                item.ladder,
                ", ".join(f"{seat.bot} {seat.placement}." for seat in item.seats),
                item.termination or item.reason,
                item.moves,
            )
            for item in found
        ],
    )


async def show(out: Output, door: Door, match: MatchArgument) -> None:
    """Show a match: seats, result and time account.

    Charged is what counts against the bank: from asked to read, without the server's own part (host). Network time is
    the bot's own; latency is the round trip as last measured.
    """
    answer = await door.call(calls.GET_MATCH, calls.GetMatchRequest(match))
    out.json(answer)
    told = answer.match
    place = f", ladder {told.ladder}" if told.ladder else ""
    out.line(f"match {told.match}: {told.game}, rules version {told.version}{place}, {told.phase.value}")
    if told.reason:
        out.text(f"reason: {told.reason}")
    if told.purge:
        out.text(
            f"purged, so it does not count: {told.purge_reason} (`agon ladder purges {told.ladder}`, {told.purge})"
        )
    if answer.options:
        out.text("options: " + ", ".join(f"{name}={value}" for name, value in sorted(answer.options.items())))
    out.table(
        ("seat#", "alias", "bot", "version?", "owner?", "place#", "score#", "ended by"),
        [
            (
                number,
                seat.alias,
                seat.bot,
                seat.bot_version,
                seat.owner,
                seat.placement or "",
                seat.score,
                seat.termination,
            )
            for number, seat in enumerate(told.seats)
        ],
    )
    if answer.answers:
        out.hint("")
        out.table(
            (
                "move#",
                "seat#",
                "what!",
                "charged s#",
                "elapsed s#?",
                "host s#?",
                "latency s#?",
                "thought s#?",
                "bank s#",
                "",
            ),
            [_row(row) for row in answer.answers],
            title="time account",
        )
        out.hint(LEGEND)
    if told.record_hash:
        out.line(f"record hash {told.record_hash}")
        out.hint(f"`agon match record {told.match}` prints the record")


async def record(out: Output, door: Door, match: MatchArgument) -> None:
    """Print the record of a match that is over: one line of JSON, which `agon replay` reads."""
    answer = await door.call(calls.GET_RECORD, calls.GetRecordRequest(match))
    out.json(answer)
    out.line(answer.line)


async def cancel(
    out: Output,
    door: Door,
    match: MatchArgument,
    reason: Annotated[str, typer.Option("--reason", help="Why; it is kept with the result.")] = "",
) -> None:
    """End a match unrated: at once while it waits, within moments where it runs."""
    answer = await door.call(admin.CANCEL_MATCH, admin.CancelMatchRequest(match, reason))
    out.json(answer)
    out.line("removed from the queue" if answer.removed else "its referee ends it")


def _row(row: Answer) -> tuple[object, ...]:
    if row.kind is AnswerKind.FALL:
        return ("", row.seat, f"out: {row.termination.value if row.termination else ''}", *[""] * 7)

    number: object = row.number + 1
    what = row.action
    if row.kind is AnswerKind.STRIKE:
        number, what = "", f"strike: {row.termination.value if row.termination else ''}"
    marks = [mark for mark, given in (("late", row.late), ("substitute", row.kind is AnswerKind.SUBSTITUTE)) if given]
    if row.attempts > 1:
        marks.append(f"{row.attempts} attempts")
    times = (row.charge_us, row.elapsed_us, row.host_us, row.latency_us, row.thought_us, row.bank_us)
    return (number, row.seat, what, *(f"{time / 1e6:.3f}" for time in times), ", ".join(marks))
