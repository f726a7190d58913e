"""Who is connected, with how many free slots, and who they are: what pairing needs of presence and accounts, kept up to
date at little cost. Everything is read again only when somebody came, went or changed its slots.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from agon_engine.core.record import Deals
from agon_ladder.pairing.players import Player
from agon_ladder.pairing.slots import Process
from agon_server.accounts import Accounts, Bot
from agon_server.ladders.definitions import LadderDef
from agon_server.presence import BotGame, Presence, Present, newest_versions
from agon_server.retirements import Retirements
from agon_server.store import keys
from agon_server.store.connection import Store

ACCOUNT_MS = 5_000
"""How long what is known of an account is used before it is read again."""


class Company:
    """The connected bots as of the last `look`."""

    def __init__(self, store: Store, presence: Presence, accounts: Accounts, now_ms: Callable[[], int]) -> None:
        self._store = store
        self._presence = presence
        self._accounts = accounts
        self._retirements = Retirements(store)
        self._now_ms = now_ms
        self._seen: tuple[int, int] | None = None
        self.retired: frozenset[str] = frozenset()
        """The bots that are retired with all their versions, connected or not."""
        self._present: list[Present] = []
        self._of: dict[str, list[Present]] = {}
        """The same, by bot."""
        self._reserved: dict[str, int] = {}
        self._bots: dict[str, Bot] = {}
        self._read_at: dict[str, int] = {}
        self._playing: Sequence[LadderDef] = ()
        self._plays: dict[tuple[BotGame, ...], frozenset[str]] = {}
        """What a process plays of the ladders last asked about, by the games that it named."""
        self._need_trust: frozenset[str] = frozenset()
        """Of these ladders, those in which only bots play that cannot remember a deal."""

    async def look(self) -> None:
        """Bring everything up to date."""
        changes, connected, flat = await self._store.script("pairing_look")
        if self._seen != (changes, connected):
            self._present = await self._presence.online()
            self.retired = await self._retirements.bots()
            self._of = {}
            for present in self._present:
                self._of.setdefault(present.bot, []).append(present)
            self._seen = changes, connected
            gone = self._bots.keys() - self._of.keys()
            for bot in gone:
                del self._bots[bot], self._read_at[bot]
        self._reserved = {place.decode(): int(count) for place, count in zip(flat[::2], flat[1::2], strict=True)}

        now = self._now_ms()
        for bot in self._of:
            if now - self._read_at.get(bot, now - ACCOUNT_MS) >= ACCOUNT_MS:
                account = await self._accounts.get(bot)
                if account is not None:
                    self._bots[bot], self._read_at[bot] = account, now

    def processes(self, ladders: Sequence[LadderDef]) -> list[Process]:
        """Return the connected processes of bots that may play (of the newest version of each), with those of the
        ladders that they play in.

        A tournament with shared deals waits for a bot that is not trusted with them any more, as for one that is away:
        its organiser said that all are trusted, and takes it back or not.
        """
        if self._playing != ladders:
            self._playing, self._plays = list(ladders), {}
            self._need_trust = frozenset(
                ladder.name for ladder in ladders if ladder.schedule is not None and ladder.deals is Deals.SHARED
            )
        newest = newest_versions(self._present)
        found = []
        for present in self._present:
            bot = self._bots.get(present.bot)
            if bot is None or bot.suspended or present.retired or present.slots < 1:
                continue
            if present.version_number < newest[present.bot]:
                continue
            plays = self._plays.get(present.games)
            if plays is None:
                plays = self._plays[present.games] = frozenset(
                    ladder.name for ladder in ladders if present.plays(ladder.game, ladder.version, ladder.seats)
                )
            if self._need_trust and not (bot.house or bot.trusted):
                plays -= self._need_trust
            if plays:
                taken = self._reserved.get(keys.place(present.bot, present.instance), 0)
                found.append(Process(present.bot, present.instance, max(0, present.slots - taken), plays))
        return found

    def plays(self, ladder: LadderDef, bot: str, seats: int) -> bool:
        """Tell whether each process of a connected bot that plays in the ladder also plays its game with so many
        seats."""
        return all(
            present.plays(ladder.game, ladder.version, seats)
            for present in self._of.get(bot, ())
            if present.plays(ladder.game, ladder.version, ladder.seats)
        )

    def maybe_player(self, bot: str) -> Player | None:
        """Return who a bot is; None where it is not connected."""
        return self.player(bot) if bot in self._bots else None

    def player(self, bot: str) -> Player:
        """Return who a connected bot is. Raise KeyError for another one."""
        account = self._bots[bot]
        return Player(bot, account.owner, house=account.house, trusted=account.trusted)
