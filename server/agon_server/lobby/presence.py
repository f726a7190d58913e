"""Which bot processes are connected, where, and how many matches each can play: what pairing looks at, what the queue
reserves slots of, and where offers go. Streams are the lobby's; nothing here knows gRPC."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Mapping
from dataclasses import dataclass

from agon_server.store.connection import Store


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
    address: str = ""
    slots: int
    """Matches that it plays at a time."""
    games: tuple[BotGame, ...]
    bot_version: str = ""
    changed: bool = False
    """It wants views of changed parts only."""
    reserved: int = 0
    """Slots that queued and running matches hold; filled in by the store."""

    @property
    def free(self) -> int:
        return max(0, self.slots - self.reserved)

    def plays(self, name: str, version: int, seats: int) -> bool:
        return any(game.plays(name, version, seats) for game in self.games)


class Presence:
    """The connected bot processes of all servers on one store."""

    def __init__(self, store: Store, *, stale_ms: int = 15_000) -> None:
        """A process without a sign of life for `stale_ms` counts as gone: three times the interval of `touch_many`."""
        raise NotImplementedError

    async def put(self, present: Present) -> None:
        """Enter a bot process; the last Hello with slots replaces any earlier one of the same bot and instance."""
        raise NotImplementedError

    async def set_slots(self, bot: str, instance: str, token: str, slots: int) -> bool:
        """Change how many matches it plays at a time; False when another stream has replaced this one."""
        raise NotImplementedError

    async def touch_many(self, streams: Collection[tuple[str, str, str]]) -> list[bool]:
        """Give a sign of life for many (bot, instance, token) in one call; False where replaced or expired.

        An expired one is to be `put` again, a replaced one is not; `get` tells which it is.
        """
        raise NotImplementedError

    async def remove(self, bot: str, instance: str, token: str) -> bool:
        """Take a bot process out, when its stream ends; False when another stream has replaced this one."""
        raise NotImplementedError

    async def get(self, bot: str, instance: str) -> Present | None:
        """Return one connected bot process, None when it is not (or no longer) there."""
        raise NotImplementedError

    async def online(self) -> list[Present]:
        """Return all connected bot processes, in the order of their names."""
        raise NotImplementedError

    async def publish_offer(self, process: str, payload: str) -> bool:
        """Pass an offer to a lobby process; False when none listens. Repeat it until joined: it can get lost."""
        raise NotImplementedError

    def offers(self, process: str) -> AsyncIterator[str]:
        """Iterate over the offers passed to this process, for ever; reconnects by itself, what came between is lost."""
        raise NotImplementedError


def free_by_game(online: Collection[Present], game: str, version: int, seats: int) -> Mapping[str, list[Present]]:
    """Return, by bot, its processes that play the game with that many seats and have a free slot."""
    found: dict[str, list[Present]] = {}
    for present in online:
        if present.free and present.plays(game, version, seats):
            found.setdefault(present.bot, []).append(present)
    return found
