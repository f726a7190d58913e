"""Whom a tournament waits for, and why: in words for its organiser, who reads what to do."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import NamedTuple

from agon.codec import tournament as calls
from agon_engine.core.record import Deals
from agon_server.accounts import Accounts, Bot
from agon_server.ladders.definitions import LadderDef
from agon_server.operations.installation import Installation
from agon_server.presence import newest_versions
from agon_server.retirements import Retirements

NOT_CONNECTED = "not connected"


class Bar(NamedTuple):
    """Why a bot gets no matches, connected or not."""

    why: str
    remedy: str

    @property
    def told(self) -> str:
        return f"{self.why}; {self.remedy}"


async def barred(
    accounts: Accounts, retirements: Retirements, bots: Iterable[str], deals: Deals | None
) -> dict[str, Bar]:
    """Return the bots that get no matches of a tournament, connected or not. What is not registered is not told.

    `deals` are the tournament's; None where nobody's trust is asked for.
    """
    retired = {each.bot: each.reason for each in await retirements.list() if each.version is None}
    found = {}
    for name in bots:
        bot = await accounts.get(name)
        if bot is not None and (bar := _bar(bot, retired.get(name), deals)):
            found[name] = bar
    return found


def _bar(bot: Bot, retired: str | None, deals: Deals | None) -> Bar | None:
    if bot.suspended:
        return Bar(f"suspended ({bot.suspended})", f"`agon bot resume {bot.name}` lets it play")
    if retired is not None:
        return Bar(f"retired ({retired})", f"`agon bot retire {bot.name} --undo` lets it play")
    if deals is Deals.SHARED and not (bot.house or bot.trusted):
        return Bar("not trusted with shared deals", f"`agon bot trust {bot.name}` lets it play")
    return None


async def awaited(installation: Installation, ladder: LadderDef, due: Collection[str]) -> tuple[calls.Awaited, ...]:
    """Return those of the bots with something to play that get no matches now."""
    online = await installation.presence.online()
    newest = newest_versions(online)
    here, retired = set(), {}
    for present in online:
        if present.bot not in due or not present.plays(ladder.game, ladder.version, ladder.seats):
            continue
        if present.retired:
            retired[present.bot] = present.bot_version
        elif present.slots > 0 and present.version_number == newest[present.bot]:
            here.add(present.bot)
    why = {bot: NOT_CONNECTED for bot in due if bot not in here}
    for bot, version in retired.items():
        if bot in why:
            why[bot] = f"connected by version {version!r} alone, which is retired"
    bars = await barred(installation.accounts, installation.retirements, due, ladder.deals)
    why |= {bot: bar.told for bot, bar in bars.items()}
    assert ladder.schedule is not None
    return tuple(calls.Awaited(bot, why[bot]) for bot in ladder.schedule.bots if bot in why)
