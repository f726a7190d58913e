"""`agon queue`: what waits and runs, and what nobody could play."""

from __future__ import annotations

from typing import Annotated

import typer

from agon.codec import admin
from agon_server.cli.command import command
from agon_server.cli.door import Door
from agon_server.cli.failures import Negative
from agon_server.cli.output import Output, to_seconds
from agon_server.operations.errors import InvalidError

MAX_LISTED = 1_000
"""More than that no server lists."""
QUEUED = (
    "match",
    "phase",
    "game?",
    "ladder",
    "block?",
    "bots",
    "age s#",
    "server?",
    "delivery#?",
    "decisions at renewal#",
)
LEGEND = """
age        since it was queued
decisions  how many there were when its server last renewed its lease
delivery   how often a server has taken it; more than 1: one was lost
block      the block's id, and which of its matches this is"""
LETTERS = ("match", "since", "game?", "ladder", "bots", "reason")
SET_ASIDE = ("result", "match", "ladder", "reason")


def add(queue: typer.Typer) -> None:
    """Add the commands to their noun."""
    command(queue, "ls", examples="agon queue ls\nagon queue ls --limit 1000 --json")(ls)
    command(queue, "dead", examples="agon queue dead")(dead)
    command(queue, "discard", examples="agon queue discard ID")(discard)
    command(queue, "requeue", examples="agon queue requeue ID\nagon queue requeue --all")(requeue)


async def ls(
    out: Output,
    door: Door,
    limit: Annotated[int, typer.Option("--limit", min=1, max=MAX_LISTED, help="List at most so many.")] = 100,
) -> None:
    """List the matches that run and wait, with the bots that play them."""
    answer = await door.call(admin.INSPECT_QUEUE, admin.InspectQueueRequest(limit))
    out.json(answer)
    out.table(
        QUEUED,
        [
            (
                item.match,
                item.phase,
                item.game,
                item.ladder,
                f"{item.block}/{item.index}" if item.block else "",
                ", ".join(item.bots),
                f"{item.age_ms / 1000:.1f}",
                item.owner,
                item.epoch or "",
                item.progress,
            )
            for item in answer.items
        ],
    )
    oldest = f", the oldest for {answer.oldest_ms / 1000:.1f} s" if answer.oldest_ms else ""
    out.hint(LEGEND + "\n")
    out.hint(f"{answer.running} run, {answer.waiting} wait{oldest}, {answer.dead} dead letters")
    if (more := answer.running + answer.waiting - len(answer.items)) > 0:
        out.hint(f"{more} more are not listed; `--limit` lists up to {MAX_LISTED}")


async def dead(out: Output, door: Door) -> None:
    """List the dead letters and what is set aside.

    Dead letters are matches that were tried too often, or that no server understands. Set aside are results that no
    ladder could take: they count nowhere.
    """
    answer = await door.call(admin.LIST_DEAD_LETTERS, admin.ListDeadLettersRequest())
    out.json(answer)
    out.table(
        LETTERS,
        [
            (letter.match, to_seconds(letter.when), letter.game, letter.ladder, ", ".join(letter.bots), letter.reason)
            for letter in answer.letters
        ],
    )
    if answer.set_aside:
        out.hint("")
        out.table(
            SET_ASIDE,
            [(item.id, item.match, item.ladder, item.reason) for item in answer.set_aside],
            title="results set aside",
        )
    for what, dropped in (("dead letters", answer.letters_dropped), ("results set aside", answer.set_aside_dropped)):
        if dropped:
            out.line(f"{dropped} more {what} were not kept, since too many are; discard some")
    if answer.letters or answer.set_aside:
        out.hint("\n`agon queue requeue ID` plays a dead letter as a new match,")
        out.hint("`agon queue discard ID` throws it, or a result that is set aside, away")
    else:
        out.hint("none")


async def discard(
    out: Output,
    door: Door,
    name: Annotated[str, typer.Argument(metavar="ID", help="A dead letter's match, or a result that is set aside.")],
) -> None:
    """Throw a dead letter away, or the note of a result that is set aside.

    The result of the match stays, and its record where it has one.
    """
    answer = await door.call(admin.DISCARD_DEAD_LETTER, admin.DiscardDeadLetterRequest(name))
    out.json(answer)
    out.line(f"discarded {name}")


async def requeue(
    out: Output,
    door: Door,
    match: Annotated[str | None, typer.Argument(metavar="ID", help="The dead letter's match.")] = None,
    every: Annotated[bool, typer.Option("--all", help="All dead letters.")] = False,
) -> None:
    """Play dead letters as new matches.

    Exits with 1 when one has to stay: a slot of its bots is not free, or it cannot be played again.
    """
    if (match is None) != every:
        raise InvalidError("name one dead letter, or all by --all")

    answer = await door.call(admin.REQUEUE_DEAD_LETTERS, admin.RequeueDeadLettersRequest(match or ""))
    out.json(answer)
    for new in answer.matches:
        out.line(f"queued as match {new}")
    if answer.kept:
        why = "a slot of their bots is not free now" + (", or they cannot be played again" if every else "")
        raise Negative(f"not queued, since {why}: {', '.join(answer.kept)}")
    if not answer.matches:
        out.line("there is no dead letter")
