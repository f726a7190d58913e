"""Streams of bots that are retired: they are told so, and end when what they have begun is over."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import TYPE_CHECKING

from agon.codec import down
from agon.codec.frames import Hello, NoticeKind, RefusedCode
from agon_server.presence import Sign
from agon_server.referee.stream import Ending

if TYPE_CHECKING:
    from agon_server.presence import Presence
    from agon_server.referee.stream import BotStream
    from agon_server.retirements import Retirement, Retirements

LOOK_SECONDS = 1.0
"""How often those that leave are looked at, and how long after its last match one goes: the Over may be on its way."""


class Leaving:
    """The streams of one lobby that leave."""

    def __init__(self, retirements: Retirements, presence: Presence) -> None:
        self._retirements = retirements
        self._presence = presence
        self._idle_since: dict[BotStream, float | None] = {}
        """Those that were told, and since when their matches are all over, by the loop's clock; None: they are not."""
        self._sent_away: dict[str, str] = {}
        """Of each bot whose last process was sent away, its version."""

    @property
    def look_seconds(self) -> float | None:
        """In how many seconds they are looked at again; None where nobody leaves."""
        return LOOK_SECONDS if self._idle_since else None

    async def refusal(self, bot: str, hello: Hello) -> Ending | None:
        """Return why a bot process may not come in, which it may as long as matches of it are queued or running."""
        if hello.slots == 0:
            return None  # it gets none here anyway

        retired = await self._retirements.standing(bot, hello.bot_version)
        if retired is None or await self._presence.reserved(bot, hello.instance):
            self._sent_away.pop(bot, None)
            return None
        self._sent_away[bot] = hello.bot_version
        return _ending(retired)

    async def is_sent_away(self, bot: str) -> bool:
        """Tell whether the last process of a bot was sent away from here, by a retirement that stands."""
        version = self._sent_away.get(bot)
        return version is not None and await self._retirements.standing(bot, version) is not None

    async def look(self, signs: Iterable[tuple[BotStream, Sign]]) -> None:
        """Take what the store says of all streams here."""
        before, self._idle_since = self._idle_since, {}
        now = asyncio.get_running_loop().time()
        for stream, sign in signs:
            if sign not in (Sign.LEAVING, Sign.DONE):
                continue
            retired = await self._retirements.standing(stream.bot.name, stream.hello.bot_version)
            if retired is None:
                continue  # it was taken back just now
            if stream not in before:
                message = f"{retired.told}; it gets no new matches, and this stream ends when it has none left"
                stream.send(down.notice(kind=NoticeKind.RETIRED, message=message))
            since = None
            if sign is Sign.DONE and not stream.matches:
                since = before.get(stream) or now
            if since is not None and now - since >= LOOK_SECONDS:
                self._sent_away[stream.bot.name] = stream.hello.bot_version
                stream.end(_ending(retired))
            else:
                self._idle_since[stream] = since


def _ending(retired: Retirement) -> Ending:
    needed = "" if retired.version is None else "a version of the bot that is not retired"
    return Ending(RefusedCode.RETIRED, retired.told, needed=needed)
