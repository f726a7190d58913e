"""Bots of the real SDK in the test's own process, whose matches a test holds in their middle and lets go on."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import ClassVar

from tests.support.bots import running
from tests.support.e2e import CALL_SECONDS, ServerProcess, until
from tests.support.own_store import OwnStore

from agon.codec import admin
from agon_bots import Bot, Match, MatchResult, Turn
from agon_engine.core.policy import Termination
from agon_engine.core.record import MatchRecord
from agon_engine.core.replay import verify
from agon_engine.registry import get_game

BY_THE_RULES = {Termination.SCORE, Termination.CAP}
"""How a match ends when nothing goes wrong."""


class Player(Bot):
    """Plays at random; from its third decision of a match on it answers only while its company may go on."""

    quick = True
    company: ClassVar[Company]

    def start(self, match: Match) -> None:
        self.company.started.append(match)

    async def choose(self, turn: Turn) -> str:
        self.company.asked.setdefault((turn.match.id, turn.match.seat), []).append(turn.decision)
        if turn.decision >= 3:
            self.company.held[turn.match.id] = self.company.held.get(turn.match.id, 0) + 1
            await self.company.gate.wait()
        return turn.random.choice(turn.actions)

    def over(self, result: MatchResult) -> None:
        self.company.results.append((self.match, result))


class Company:
    """The bots of a test; held at first."""

    def __init__(self) -> None:
        self.gate = asyncio.Event()
        self.started: list[Match] = []
        """Each Start of a seat, in their order: one for each delivery of a match that it saw."""
        self.asked: dict[tuple[str, int], list[int]] = {}
        """The ids of the decisions that each seat of a match was asked, in their order."""
        self.held: dict[str, int] = {}
        """How often a match has come to where it is held."""
        self.results: list[tuple[Match, MatchResult]] = []
        """What each seat was told at the end."""

    def go_on(self) -> None:
        """Hold no match any more."""
        self.gate.set()

    def asked_again(self) -> set[tuple[str, int]]:
        """Return the seats that were asked what they had answered, seen by a later decision of theirs."""
        return {seat for seat, ids in self.asked.items() if ids != sorted(ids)}

    def told(self) -> dict[tuple[str, int], list[str]]:
        """Return the hashes of the records that each seat of a match was told of."""
        told: dict[tuple[str, int], list[str]] = {}
        for match, result in self.results:
            told.setdefault((match.id, match.seat), []).append(result.record_hash)
        return told


@asynccontextmanager
async def playing(
    server: ServerProcess, *names: str, at: tuple[str, ...] = (), slots: int = 2, game: str = "ephyran"
) -> AsyncIterator[Company]:
    """Register bots and let them play a game as long as the block lasts, at those addresses."""
    company = Company()
    async with AsyncExitStack() as stack:
        for name in names:
            token = await server.register(name)
            bot = type("Player", (Player,), {"company": company, "games": (game,)})
            await stack.enter_async_context(running(bot, *(at or (server.address,)), token=token, slots=slots))
        yield company


async def held(server: ServerProcess, company: Company, *owners: str) -> dict[str, str]:
    """Wait until each of the servers (none named: any) has a match in its middle, and none is still beginning; return
    their owners."""

    async def look() -> dict[str, str] | None:
        items = (await server.call(admin.INSPECT_QUEUE, admin.InspectQueueRequest())).items
        if not {item.match for item in items} <= company.held.keys():
            return None
        found = {item.match: item.owner for item in items}
        return found if found and set(owners) <= set(found.values()) else None

    owned: dict[str, str] = await until(look, what=f"matches of {owners} are held", every=CALL_SECONDS)
    return owned


async def ended_well(server: ServerProcess, company: Company, store: OwnStore | None = None) -> dict[str, MatchRecord]:
    """Let the company play all its matches to their end; check that each counts once, and return the records."""
    await server.close_ladders()
    company.go_on()
    await server.settled()
    records = {record.match: record for record in await server.records()}
    await until(lambda: sum(map(len, company.told().values())) == 2 * len(records), what="all seats are told")

    assert len(await server.records()) == len(records)
    assert {record.result.termination for record in records.values()} <= BY_THE_RULES
    for record in records.values():
        verify(record, get_game(record.game))
    assert company.told() == {
        (record.match, seat): [record.hash()] for record in records.values() for seat in range(len(record.seats))
    }
    assert await server.rated() == len(records)
    assert await server.findings() == []
    assert await (store or server).reserved() == {}
    return records
