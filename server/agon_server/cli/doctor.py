"""`agon doctor`: what is not as it should be, where, and what to do about it."""

from __future__ import annotations

import asyncio

from agon.codec import admin
from agon_server.cli.door import Door
from agon_server.cli.failures import Negative
from agon_server.cli.output import Output
from agon_server.operations.errors import UnreachableError

ANSWER_SECONDS = 120.0
"""A server that takes longer to look at itself stands still."""
SYMPTOMS = ("check", "is", "what~", "where", "what to do~")


async def doctor(out: Output, door: Door) -> None:
    """Look for what is stuck, orphaned, inconsistent or unsafe.

    Looks at the store and the data folder: through the running server, or by itself where none runs. Changes nothing.
    What looks wrong is looked at twice, some seconds apart, since a busy server moves. Exits with 1 when something is
    not as it should be, and says what to do about it. With --server it needs AGON_ADMIN_TOKEN, though it only looks.
    """
    try:
        async with asyncio.timeout(ANSWER_SECONDS):
            answer = await door.call(admin.DIAGNOSE, admin.DiagnoseRequest())
    except TimeoutError:
        raise UnreachableError(
            f"the server has not answered for {ANSWER_SECONDS:g} seconds; see whether its process stands still"
        ) from None

    out.json(answer)
    if answer.vitals is not None:
        _tell(out, answer.vitals)
    if not answer.symptoms:
        out.line("nothing is wrong")
        return

    out.table(SYMPTOMS, [(item.check, item.condition, item.what, item.where, item.remedy) for item in answer.symptoms])
    if any("in the store " in item.remedy for item in answer.symptoms):
        out.hint(
            "\nwhat is to be done in the store, any client of Redis does; the embedded one listens on a unix socket"
        )
        out.hint("at DATA/store/valkey.sock, or where DATA/store/socket says, while its server runs")
    many = len(answer.symptoms)
    raise Negative(f"{many} things are not as they should be" if many > 1 else "one thing is not as it should be")


def _tell(out: Output, vitals: admin.Vitals) -> None:
    servers = ", ".join(vitals.servers) or "none"
    leader = f"; {vitals.leader} leads the ladders" if vitals.leader else ""
    out.line(f"servers  {servers}{leader}")
    if vitals.servers:
        out.line(f"matches  {vitals.running} run, {vitals.waiting} wait; {vitals.bots} bot processes are connected")
    else:
        out.line(f"matches  {vitals.running} go on when a server starts, {vitals.waiting} wait")
    if vitals.short_of_bots:
        out.line(f"ladders  no match for now, as too few bots are connected: {', '.join(vitals.short_of_bots)}")
    out.line(f"store    {vitals.store}, with the newest {vitals.results} results")
    out.line()
