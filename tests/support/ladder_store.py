"""Ladders on a real store without a referee: matches are taken from the queue and ended as a test says."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from tests.support.matches import play_out
from tests.support.valkey import GAME, GAMES, entry, present

from agon_engine.core import Chance, Deal, Table, standard_placements
from agon_engine.core.policy import FaultPolicy, Result, Termination
from agon_engine.core.record import MatchRecord, SeatRow, commitment
from agon_engine.core.timing import TimeControl
from agon_engine.registry import get_game
from agon_ladder.pairing.verify import PlannedMatch
from agon_server.accounts import Accounts
from agon_server.ladders.catalogue import Catalogue
from agon_server.ladders.definitions import LadderDef, define
from agon_server.ladders.fold import BATCH, Fold
from agon_server.ladders.history import History, ResultArchive
from agon_server.ladders.lease import Lease
from agon_server.ladders.pairing import Pairing
from agon_server.ladders.rebuild import Auditor
from agon_server.ladders.role import LadderRole
from agon_server.ladders.standings import StandingsReader
from agon_server.ladders.tables import Tables
from agon_server.presence import Presence
from agon_server.queue.claim import Claim, Dead
from agon_server.queue.entry import MatchEntry
from agon_server.queue.feed import Feed
from agon_server.queue.ids import new_id
from agon_server.queue.queue import Queue
from agon_server.queue.results import Results
from agon_server.store import keys
from agon_server.store.connection import Store


def ladder(seats: int = 2, **changes: object) -> LadderDef:
    """Return a ladder as it would be made with the defaults."""
    facts = {"game": GAME, "seats": seats, "time": TimeControl(), "policy": FaultPolicy.default(seats), **changes}
    return define(**facts)  # type: ignore[arg-type]  # the caller names parameters


def record_of(match: MatchEntry, result: Result, epoch: int = 1) -> MatchRecord:
    """Return a record of a match of which nothing but its result is told."""
    return MatchRecord(
        match=match.match,
        block=match.block,
        ladder=match.ladder,
        rated=match.rated,
        game=match.game,
        version=match.version,
        options=match.options,
        seats=tuple(SeatRow(seat.bot, seat.owner, '1.0 ,"moves":[', "red") for seat in match.seats),
        deals=match.deals,
        seed=match.seed,
        commitment=commitment(match.game, match.version, match.options, bytes.fromhex(match.seed)),
        time=match.time,
        policy=match.policy,
        moves=(),
        faults=(),
        result=result,
        epoch=epoch,
        servers=("server-1",),
        started="2030-01-31T12:00:00Z",
        ended="2030-01-31T12:00:09Z",
        digest="",
    )


def played_truly(match: MatchEntry, epoch: int = 1) -> MatchRecord:
    """Return the record of a match that is played from its deal to its end, by seeded choices."""
    game = get_game(match.game)
    deal = Deal.of(game, len(match.seats), match.options, bytes.fromhex(match.seed))
    table = Table(game, deal, match.policy, match.time)
    play_out(table, Chance(bytes.fromhex(match.seed)))
    return table.record(
        match=match.match,
        block=match.block,
        ladder=match.ladder,
        rated=match.rated,
        seats=[SeatRow(seat.bot, seat.owner, "=1.0", "red") for seat in match.seats],
        deals=match.deals,
        epoch=epoch,
        servers=["server-1"],
        started="2030-01-31T12:00:00Z",
        ended="2030-01-31T12:00:09Z",
    )


def score(*placements: int) -> Result:
    """Return a result of a match that was played to its end."""
    seats = len(placements)
    return Result(Termination.SCORE, placements, (0,) * seats, (Termination.SCORE,) * seats)


def unrated(seats: int, why: Termination = Termination.INFRASTRUCTURE) -> Result:
    return Result(why, (1,) * seats, (0,) * seats, (why,) * seats)


def by_chance(chance: Chance) -> Callable[[MatchEntry], Result]:
    """Return ends as they come: the lower a bot's name, the better it plays; some ties, faults and unrated matches."""

    def end(match: MatchEntry) -> Result:
        seats = len(match.seats)
        kind = chance.below("kind", 16)
        if kind == 0 and match.attempt == 0:
            return unrated(seats)
        keys = [chance.below("luck", 6) - ord(seat.bot[-1]) for seat in match.seats]
        ends = [Termination.SCORE] * seats
        if kind == 1:
            ends[0], keys[0] = Termination.TIMEOUT, -1_000
        return Result(Termination.SCORE, standard_placements(keys), (0,) * seats, tuple(ends))

    return end


@dataclass
class Ladders:
    """All parts around ladders on one store, as a server puts them together."""

    store: Store
    archive: ResultArchive | None = None
    now: int = 1_000_000
    """The clock of pairing, in milliseconds."""
    chance: Chance = field(default_factory=lambda: Chance(bytes(16)))
    server: str = "server-1"

    def __post_init__(self) -> None:
        self.catalogue = Catalogue(self.store)
        self.queue = Queue(self.store, server=self.server)
        self.results = Results(self.store)
        self.feed = Feed(self.store)
        self.history = History(self.results, self.archive)
        self.tables = Tables(self.store)
        self.accounts = Accounts(self.store)
        self.presence = Presence(self.store)
        self.lease = Lease(self.store, self.server)
        self.ratings = 0
        self.fold = Fold(self.store, self.catalogue, self.history, self._count)
        self.pairing = Pairing(
            self.store,
            self.catalogue,
            self.fold,
            self.queue,
            self.presence,
            self.accounts,
            chance=self.chance,
            now_ms=lambda: self.now,
        )
        self.role = LadderRole(self.store, self.results, self.lease, self.fold, self.pairing)
        self.auditor = Auditor(self.store, self.catalogue, self.history)
        self.standings = StandingsReader(self.store, self.catalogue)

    def _count(self, ratings: int) -> None:
        self.ratings += ratings

    async def lead(self) -> int:
        """Take the lease anew and begin under its token, as the role does."""
        token = await self.lease.acquire()
        assert token is not None
        await self.fold.begin(token)
        await self.pairing.begin(token)
        return token

    async def take(self) -> int:
        """Fold and note all results after the cursor, as the role does; return how many there were."""
        taken = 0
        while (batch := await self.feed.after(str(await self.tables.cursor()), BATCH)).cursor:
            await self.fold.take(batch)
            await self.fold.settle()
            self.pairing.take(batch)
            await self.pairing.save(batch.cursor)
            taken += len(batch.results)
        return taken

    # -- bots and matches --------------------------------------------------------------------------------------

    async def join(self, *bots: str, slots: int = 4, house: bool = False, trusted: bool = False) -> None:
        """Register and connect bots, each with an owner of its own; `a.x` and `b.x` share the owner `x`."""
        for bot in bots:
            owner = bot.partition(".")[2] or None
            await self.accounts.register(bot, owner, house=house, trusted=trusted)
            await self.presence.put(present(bot, slots=slots, token=bot))

    async def leave(self, bot: str) -> None:
        await self.presence.remove(bot, "", bot)

    async def come_back(self, bot: str, slots: int = 4) -> None:
        await self.presence.put(present(bot, slots=slots, token=bot))

    async def claim(self) -> Claim | None:
        taken = await self.queue.claim(GAMES)
        assert not isinstance(taken, Dead)
        return taken

    async def claim_all(self) -> list[Claim]:
        """Take every match that waits."""
        claims = []
        while (claim := await self.claim()) is not None:
            claims.append(claim)
        return claims

    async def finish(self, claim: Claim, result: Result) -> None:
        record = record_of(claim.entry, result, claim.epoch)
        done = await self.queue.finish(claim, record=record.to_line(), record_hash=record.hash(), result=result)
        assert done.stored

    async def play_truly(self, *bots: str, stated: Mapping[str, Any] | None = None, **changes: object) -> MatchRecord:
        """Queue a match by hand, play it and end it with its true record, but for what it is to state falsely."""
        match = await self.enqueue(*bots, **changes)
        claim = await self.claim()
        assert claim is not None
        assert claim.entry.match == match.match
        record = replace(played_truly(claim.entry, claim.epoch), **(stated or {}))
        done = await self.queue.finish(claim, record=record.to_line(), record_hash=record.hash(), result=record.result)
        assert done.stored
        return record

    async def play(self, end: Callable[[MatchEntry], Result]) -> list[MatchEntry]:
        """End every match that waits; return them in the order in which they ended."""
        played = []
        for claim in await self.claim_all():
            await self.finish(claim, end(claim.entry))
            played.append(claim.entry)
        return played

    async def enqueue(self, *bots: str, **changes: object) -> MatchEntry:
        """Queue a match of connected bots by hand, as a place of a new block unless told otherwise."""
        facts = {"block": new_id(), "block_size": len(bots), "seed": secrets.token_hex(16), **changes}
        match = entry(*bots, **{"ladder": f"{GAME}-{len(bots)}", **facts})
        assert await self.queue.enqueue(match)
        return match

    async def end(self, result: Result, *bots: str, **changes: object) -> MatchEntry:
        """Queue a match by hand and end it."""
        match = await self.enqueue(*bots, **changes)
        claim = await self.claim()
        assert claim is not None
        assert claim.entry.match == match.match
        await self.finish(claim, result)
        return match

    async def play_rounds(self, rounds: int, end: Callable[[MatchEntry], Result]) -> list[MatchEntry]:
        """Pair, play and fold so many times."""
        played = []
        for _ in range(rounds):
            while await self.pairing.round():
                pass
            played += await self.play(end)
            await self.take()
        return played


async def opened(ladders: Ladders, *seats: int, **changes: object) -> Ladders:
    """Make ladders with these seat counts and lead."""
    for count in seats:
        await ladders.catalogue.create(ladder(count, **changes))
    await ladders.lead()
    return ladders


def first_wins(match: MatchEntry) -> Result:
    return score(*range(1, len(match.seats) + 1))


def infrastructure(match: MatchEntry) -> Result:
    return unrated(len(match.seats))


def schedule(played: list[MatchEntry]) -> list[PlannedMatch]:
    """Return what was played of complete blocks as a schedule to verify; each place by its last attempt."""
    places = {(match.block, match.index): match for match in played}
    done = Counter(block for block, _ in places)
    return [
        PlannedMatch(
            match.match, match.block, match.index, tuple(seat.bot for seat in match.seats), match.deals, match.seed
        )
        for match in places.values()
        if done[match.block] == match.block_size
    ]


async def stored_blocks(ladders: Ladders) -> int:
    names = [one.name for one in await ladders.catalogue.list()]
    return sum([await ladders.store.command("HLEN", keys.OPEN_BLOCKS + name) for name in names])
