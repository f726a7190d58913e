"""Which bot processes are connected, where, and how many matches each can play: what pairing looks at, what the queue
reserves slots of, and where offers go. Streams are the lobby's; nothing here knows gRPC."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Collection, Iterable
from contextlib import aclosing
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache
from typing import Any

from agon_server.store import keys
from agon_server.store.connection import Store

_READ_AT_ONCE = 100
"""Bot processes that one call reads, so that it holds neither the store nor this process up."""


@dataclass(frozen=True, slots=True)
class BotGame:
    """A game that a connected bot plays."""

    name: str
    version: int
    """Rules version; 0: any."""
    seats: tuple[int, ...] = ()
    """Seat counts; empty: all that the game has."""

    def plays(self, name: str, version: int, seats: int) -> bool:
        return self.name == name and self.version in (0, version) and (not self.seats or seats in self.seats)


@dataclass(frozen=True, slots=True, kw_only=True)
class Present:
    """One connected bot process, as its last Hello with slots told."""

    bot: str
    instance: str
    token: str
    """Unique to the stream that said Hello, made by the process that holds it; only it may change the entry."""
    process: str
    """The lobby process that holds the stream: the channel of its offers."""
    slots: int
    """Matches that it plays at a time."""
    games: tuple[BotGame, ...]
    bot_version: str = ""
    version_number: int = 0
    """Later versions of the bot have greater ones: they are numbered as they first connect. Filled in by the store."""
    reserved: int = 0
    """Slots that queued and running matches hold; filled in by the store."""
    retired: bool = False
    """It gets no new matches; filled in by the store."""

    @property
    def free(self) -> int:
        return max(0, self.slots - self.reserved)

    def plays(self, name: str, version: int, seats: int) -> bool:
        return any(game.plays(name, version, seats) for game in self.games)


def newest_versions(present: Iterable[Present]) -> dict[str, int]:
    """Return the number of the newest version of each bot, of those that take matches.

    Processes of an older one play what they have begun and get nothing new, so that a forgotten old process cannot go
    on playing under the bot's name. Where only older ones are left, the newest of these plays: who wants to go back
    ends the newer ones, or has them retired, for such do not count.
    """
    newest: dict[str, int] = {}
    for one in present:
        if one.slots > 0 and not one.retired:
            newest[one.bot] = max(one.version_number, newest.get(one.bot, 0))
    return newest


class Sign(IntEnum):
    """What a sign of life is answered with. What is true is still there."""

    GONE = 0
    """Another stream has replaced it, or it has expired."""
    HERE = 1
    LEAVING = 2
    """It is retired, and matches of it are queued or running."""
    DONE = 3
    """It is retired, and has none."""


class Presence:
    """The connected bot processes of all servers on one store."""

    def __init__(self, store: Store, *, stale_ms: int = 15_000) -> None:
        """A process without a sign of life for `stale_ms` counts as gone: three times the interval of `touch_many`."""
        self._store = store
        self._stale_ms = stale_ms

    async def put(self, present: Present) -> None:
        """Enter a bot process; the last Hello with slots replaces any earlier one of the same bot and instance."""
        games = [[game.name, game.version, list(game.seats)] for game in present.games]
        await self._store.script(
            "presence_put",
            keys.place(present.bot, present.instance),
            self._stale_ms,
            *("token", present.token),
            *("process", present.process),
            *("slots", present.slots),
            *("games", json.dumps(games)),
            *("version", present.bot_version),
        )

    async def set_slots(self, bot: str, instance: str, token: str, slots: int) -> bool:
        """Change how many matches it plays at a time; False when another stream has replaced this one."""
        return bool(await self._store.script("presence_slots", keys.place(bot, instance), token, slots))

    async def touch_many(self, streams: Collection[tuple[str, str, str]]) -> list[Sign]:
        """Give a sign of life for many (bot, instance, token) in one call.

        An expired one is to be `put` again, a replaced one is not; `get` tells which it is.
        """
        if not streams:
            return []
        named = [item for bot, instance, token in streams for item in (keys.place(bot, instance), token)]
        return [Sign(held) for held in await self._store.script("presence_touch", self._stale_ms, *named)]

    async def remove(self, bot: str, instance: str, token: str) -> bool:
        """Take a bot process out, when its stream ends; False when another stream has replaced this one."""
        return bool(await self._store.script("presence_remove", keys.place(bot, instance), token))

    async def reserved(self, bot: str, instance: str) -> int:
        """Return how many slots of a bot process queued and running matches hold, connected or not."""
        return int(await self._store.command("HGET", keys.RESERVED, keys.place(bot, instance)) or 0)

    async def get(self, bot: str, instance: str) -> Present | None:
        """Return one connected bot process, None when it is not (or no longer) there."""
        rows = await self._store.script("presence_read", keys.place(bot, instance))
        return _present(rows[0]) if rows else None

    async def online(self) -> list[Present]:
        """Return all connected bot processes, in the order of their names."""
        places = await self._store.script("presence_list")
        found: list[Present] = []
        for start in range(0, len(places), _READ_AT_ONCE):
            rows = await self._store.script("presence_read", *places[start : start + _READ_AT_ONCE])
            found += map(_present, rows)
        return sorted(found, key=lambda present: (present.bot, present.instance))

    # -- lobbies ---------------------------------------------------------------------------------------------

    async def list_lobby(self, address: str) -> tuple[str, ...]:
        """Give a sign of life for a lobby that bots reach there (empty: for none); return the addresses of all."""
        listed = await self._store.script("lobbies", self._stale_ms, address)
        return tuple(sorted(one.decode() for one in listed))

    async def unlist_lobby(self, address: str) -> None:
        """Take a lobby out that ends."""
        if await self._store.command("ZREM", keys.LOBBIES, address):
            await self._store.command("PUBLISH", keys.LOBBIES, "")

    async def lobby_changes(self) -> AsyncGenerator[None, None]:
        """Yield when lobbies may have come or gone, for ever: when it begins to listen, then at each change."""
        async with aclosing(self._store.subscribe(keys.LOBBIES)) as messages:
            async for _ in messages:
                yield

    # -- offers ----------------------------------------------------------------------------------------------

    async def publish_offer(self, process: str, payload: str) -> bool:
        """Pass an offer to a lobby process; False when none listens. Repeat it until joined: it can get lost."""
        return bool(await self._store.command("PUBLISH", keys.OFFERS + process, payload))

    async def offers(self, process: str) -> AsyncGenerator[str, None]:
        """Iterate over the offers passed to this process, for ever; reconnects by itself, what came between is lost."""
        async with aclosing(self._store.subscribe(keys.OFFERS + process)) as messages:
            async for payload in messages:
                if payload is not None:
                    yield payload.decode()


@lru_cache(maxsize=256)
def _games(text: bytes) -> tuple[BotGame, ...]:
    return tuple(BotGame(name, version, tuple(seats)) for name, version, seats in json.loads(text))


def _present(row: list[Any]) -> Present:
    place, reserved, retired, *flat = row
    fields = dict(zip(flat[::2], flat[1::2], strict=True))
    bot, instance = keys.split_place(place.decode())
    return Present(
        bot=bot,
        instance=instance,
        token=fields[b"token"].decode(),
        process=fields[b"process"].decode(),
        slots=int(fields[b"slots"]),
        games=_games(fields[b"games"]),
        bot_version=fields[b"version"].decode(),
        # Absent in what a server of an earlier version has entered.
        version_number=int(fields.get(b"version_number", 0)),
        reserved=reserved,
        retired=bool(retired),
    )
