"""Which ladders have too few bots for a match: nothing is wrong with them, but their organiser may wonder."""

from __future__ import annotations

from agon_server.ladders.definitions import LadderDef
from agon_server.operations.installation import Installation
from agon_server.presence import Present


async def short_of_bots(installation: Installation) -> tuple[str, ...]:
    """Return the open ladders, tournaments aside, each as `NAME (CONNECTED of NEEDED)`. Whose the bots are is not
    looked at, nor whether they are busy: there may be more."""
    suspended = {bot.name for bot in await installation.accounts.list() if bot.suspended}
    online = [
        present
        for present in await installation.presence.online()
        if present.slots > 0 and not present.retired and present.bot not in suspended
    ]
    found = []
    for ladder in await installation.catalogue.list():
        needed = 2 if ladder.short_handed else ladder.seats
        here = len({present.bot for present in online if _plays(present, ladder, needed)})
        if ladder.open and ladder.schedule is None and here < needed:
            found.append(f"{ladder.name} ({here} of {needed})")
    return tuple(found)


def _plays(present: Present, ladder: LadderDef, fewest: int) -> bool:
    return any(present.plays(ladder.game, ladder.version, seats) for seats in range(fewest, ladder.seats + 1))
