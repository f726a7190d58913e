"""A referee of one process without a store: its queue and lobby are the test's own."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from tests.support.journals import FakeLine
from tests.support.referee import FakeHost, FakeStream, ManualClock, make_entry
from tests.support.streams import settle

from agon.codec.frames import Join, Up
from agon_engine.core import FaultPolicy, Game, MatchRecord, OnFault, OptionValue
from agon_engine.registry import game_of, get_game
from agon_server.config import ServerConfig
from agon_server.metrics import Metrics
from agon_server.queue.claim import Claim, Dead, Finish, Finished, Lease, Phase, Running, Whereabouts
from agon_server.queue.entry import MatchEntry
from agon_server.referee.offers import SeatOffer
from agon_server.referee.referee import Referee
from agon_server.referee.tickets import Tickets
from agon_server.store.errors import StoreError, StoreUnavailableError


class FakeQueue:
    """The queue as one referee uses it, without a store."""

    def __init__(self) -> None:
        self.claims: asyncio.Queue[Claim | Dead] = asyncio.Queue()
        self.line = FakeLine()
        self.losses: list[bool] = []
        """Whether the next results are kept, if not all are."""
        self.lost = "another delivery has begun"
        """Why a match is not ours, when that is asked; empty: it is."""
        self.records: dict[str, str] = {}
        self.where = Whereabouts(Phase.UNKNOWN)
        self.running: list[Running] = []
        self.away = False
        self.archive_fails: Exception | None = None
        self.deal_over = True
        self.lease = Lease.HELD
        self.finish_status = Finish.DONE
        self.released: list[str] = []
        self.buried: dict[str, str] = {}
        """The reasons, by match."""
        self.finishes: list[str] = []
        """The records that were to be stored, each time."""
        self.restored: list[tuple[str, int, bool]] = []
        """Which matches were written again, with how many lines, and whether before all other calls."""
        self.release_fails: Exception | None = None
        self.may_release = asyncio.Event()
        self.may_release.set()
        self.may_finish = asyncio.Event()
        self.may_finish.set()

    async def claim_many(self, _games: Collection[tuple[str, int]], _most: int, _block_ms: int) -> list[Claim | Dead]:
        return [await self.claims.get()]

    async def renew_many(self, claims: Sequence[Any]) -> list[Lease]:
        return [self.lease] * len(claims)

    async def release_many(self, claims: Sequence[Claim]) -> list[bool]:
        await self.may_release.wait()
        if self.release_fails is not None:
            raise self.release_fails
        self.released += [claim.entry.match for claim in claims]
        return [True] * len(claims)

    async def finish(self, claim: Claim, *, record: str, **_: Any) -> Finished:
        await self.may_finish.wait()
        self.records[claim.entry.match] = record
        self.finishes.append(record)
        return Finished(self.finish_status, self.deal_over)

    def journal_line(self) -> tuple[FakeLine, str]:
        return self.line, "$4\r\nhere\r\n"

    async def restore_many(self, claims: Sequence[tuple[Claim, Sequence[str]]], *, early: bool = False) -> list[str]:
        self.restored += [(claim.entry.match, len(lines), early) for claim, lines in claims]
        return [self.lost] * len(claims)

    async def bury(self, claim: Claim, reason: str) -> bool:
        self.buried[claim.entry.match] = reason
        return True

    async def is_kept(self, _match: str, _hash: str) -> bool:
        return self.losses.pop(0) if self.losses else True

    async def whereabouts(self, _match: str) -> Whereabouts:
        if self.away:
            raise StoreUnavailableError("the store is away")
        return self.where

    async def running_of(self, _bot: str, _instance: str) -> list[Running]:
        return self.running

    async def deal_is_open(self, _block: str) -> bool:
        return not self.deal_over

    async def find_record(self, match: str) -> MatchRecord | None:
        if self.archive_fails is not None:
            raise self.archive_fails
        line = self.records.get(match)
        return None if line is None else MatchRecord.from_line(line)


class FakeLobby:
    def __init__(self) -> None:
        self.offers: list[SeatOffer] = []
        self.sent: list[tuple[str, bytes]] = []

    def send_to(self, bot: str, _instance: str, piece: bytes) -> None:
        self.sent.append((bot, piece))

    async def offer(self, offer: SeatOffer) -> None:
        self.offers.append(offer)


class FakeFiles:
    def __init__(self) -> None:
        self.texts: dict[str, str] = {}
        self.fails: StoreError | None = None

    async def game(self, name: str, options: Mapping[str, OptionValue]) -> Game[Any]:
        if self.fails is not None:
            raise self.fails
        return game_of(name, get_game(name).spec.check_options(options), self.texts)


class Door:
    """A referee with its fakes, and bots that join there."""

    def __init__(self) -> None:
        self.queue = FakeQueue()
        self.lobby = FakeLobby()
        self.files = FakeFiles()
        self.tickets = Tickets(b"k" * 32)
        self.referee = self.new_referee()

    def new_referee(self) -> Referee:
        queue: Any = self.queue
        files: Any = self.files
        accounts: Any = FakeHost()  # no notes are written here
        return Referee(
            ServerConfig(),
            "here",
            ManualClock(),
            queue,
            files,
            accounts,
            self.tickets,
            Metrics(),
            self.queue.find_record,
        )

    def start(self) -> None:
        lobby: Any = self.lobby
        self.referee.start(lobby)

    async def run(self, *, journal: Sequence[bytes] = (), **facts: Any) -> MatchEntry:
        """Let a match be claimed and offered."""
        facts.setdefault("policy", FaultPolicy(OnFault.FORFEIT))
        entry = facts["entry"] if "entry" in facts else make_entry(**facts)
        self.queue.claims.put_nowait(Claim(entry, 3, 1, "stream", "1-0", ("there", "here"), tuple(journal)))
        await settle()
        return entry

    async def join(
        self, match: str, seat: int, *, bot: str | None = None, ticket: str | None = None, sequence: int = 0
    ) -> FakeStream:
        stream: Any = FakeStream(bot or f"bot{seat}")
        body = Join(self.tickets.issue(match, seat) if ticket is None else ticket, sequence)
        self.referee.join(stream, Up(match, seat, body, "join"), body)
        await settle()
        assert isinstance(stream, FakeStream)
        return stream

    async def play(self, **facts: Any) -> tuple[MatchEntry, list[FakeStream]]:
        """Let a match be played to its end: seat 0 resigns."""
        entry = await self.run(**facts)
        streams = [await self.join(entry.match, seat) for seat in range(2)]
        match = streams[0].matches[entry.match, 0]
        for seat in range(2):
            match.ready(seat)
        match.resign(0)
        await settle()
        return entry, streams
