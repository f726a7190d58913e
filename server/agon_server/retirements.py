"""Which bots, and which versions of bots, are retired: they get no new matches, and play what they have begun. Who did
it, when and why is kept for as long as it stands. That nothing new is queued for them is checked where matches are."""

from __future__ import annotations

import json
from dataclasses import dataclass

from agon_server.store import keys
from agon_server.store.connection import Store


class RetirementError(ValueError):
    """There is no such bot, it never connected with that version, or what is to come back is not retired."""


@dataclass(frozen=True, slots=True)
class Retirement:
    """A bot, or one version of it, that gets no new matches."""

    bot: str
    version: str | None
    """None: all versions, those to come too."""
    actor: str
    """Who retired it."""
    reason: str
    at: int
    """Milliseconds since 1970."""

    @property
    def told(self) -> str:
        """What the bot is told."""
        what = "the bot" if self.version is None else f"version {self.version!r} of the bot"
        return f"{what} is retired: {self.reason}"


class Retirements:
    """All retirements that stand."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def retire(self, bot: str, version: str | None, *, actor: str, reason: str) -> None:
        """Retire a bot, or one of the versions that it has connected with; what is retired already gets the new reason.

        Raise RetirementError when there is no such bot or version. Does not check the texts.
        """
        answer = await self._store.script("bot_retire", bot, _field(bot, version), version or "", actor, reason)
        if answer == b"bot":
            raise RetirementError(f"there is no bot {bot!r}")
        if answer == b"version":
            known = [name.decode() for name in await self._store.command("HKEYS", keys.VERSIONS + bot)]
            told = ", ".join(map(repr, sorted(known))) or "none yet"
            raise RetirementError(f"the versions that {bot} has connected with are {told}, not {version!r}")

    async def unretire(self, bot: str, version: str | None) -> None:
        """Let a bot, or one version of it, get matches again. Raise RetirementError where that is not retired."""
        if await self._store.script("bot_unretire", _field(bot, version)):
            return

        told = ", ".join(_described(each) for each in await self.of(bot)) or "none of it is"
        raise RetirementError(f"{_what(bot, version)} is not retired; {told}")

    async def standing(self, bot: str, version: str) -> Retirement | None:
        """Return why a version of a bot gets no matches, the bot's own retirement first; None: it may."""
        for name in (None, version):
            text = await self._store.command("HGET", keys.RETIRED, _field(bot, name))
            if text is not None:
                return _read(_field(bot, name), text)

        return None

    async def of(self, bot: str) -> list[Retirement]:
        """Return what is retired of a bot."""
        return [each for each in await self.list() if each.bot == bot]

    async def list(self) -> list[Retirement]:
        """Return all, bots in the order of their names, each before its versions."""
        flat = await self._store.command("HGETALL", keys.RETIRED)
        read = [_read(field.decode(), text) for field, text in zip(flat[::2], flat[1::2], strict=True)]
        return sorted(read, key=lambda each: (each.bot, each.version is not None, each.version or ""))

    async def bots(self) -> frozenset[str]:
        """Return the bots that are retired with all their versions."""
        return frozenset(each.bot for each in await self.list() if each.version is None)


def _field(bot: str, version: str | None) -> str:
    # The name of a bot has no slash.
    return bot if version is None else f"{bot}/{version}"


def _read(field: str, text: bytes) -> Retirement:
    bot, slash, version = field.partition("/")
    told = json.loads(text)
    return Retirement(bot, version if slash else None, told["actor"], told["reason"], int(told["at"]))


def _what(bot: str, version: str | None) -> str:
    return bot if version is None else f"version {version!r} of {bot}"


def _described(retirement: Retirement) -> str:
    return f"{_what(retirement.bot, retirement.version)} is"
