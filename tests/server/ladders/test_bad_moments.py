"""Retirements, seasons and purges at any moment: while matches wait and run, with blocks half played, by several
processes that lead one after the other. The live table stays what a rebuild gives, and no place is played twice."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace

import pytest
from tests.support.folds import folded_by_hand, set_aside, stored
from tests.support.ladder_store import Ladders, by_chance, first_wins, ladder
from tests.support.rulings import purge, season, undo
from tests.support.valkey import present

from agon_engine.core import Chance
from agon_ladder.rulings import Purge, Ruling
from agon_server.queue.claim import Claim
from agon_server.queue.rulings import Rulings
from agon_server.retirements import RetirementError, Retirements
from agon_server.store import keys

BOTS = tuple(f"bot-{number}" for number in range(6))
SLOTS = 2
LATER_MS = (0, 100, 20_000, 700_000)
"""How far pairing's clock goes on: not at all, over a rest, over the patience with an absent bot."""


class Moments:
    """Does one thing after the other to a ladder, each drawn by lot."""

    def __init__(self, ladders: Ladders, seats: int, seed: int) -> None:
        self.ladders = ladders
        self.name = f"ephyran-{seats}"
        self._rng = random.Random(seed)
        self._end = by_chance(Chance(bytes([seed] * 16)))
        self._retirements = Retirements(ladders.store)
        self._rulings = Rulings(ladders.store)
        self._running: list[Claim] = []
        self._made = 0
        self._deeds: tuple[Callable[[], Awaitable[object]], ...] = (
            *(ladders.pairing.round, self._play, ladders.take) * 3,
            self._claim,
            self._finish,
            ladders.lead,
            self._retire,
            self._retire_version,
            self._bring_back,
            self._connect_version,
            lambda: ladders.leave(self._bot()),
            lambda: ladders.come_back(self._bot(), SLOTS),
            lambda: ladders.catalogue.close(self.name),
            lambda: ladders.catalogue.open(self.name),
            lambda: self._rule(season(f"season-{self._number()}", self._rng.choice((0, 50, 100)))),
            lambda: self._rule(purge(bot=self._bot())),
            self._purge_match,
            self._undo,
        )

    async def live(self, deeds: int) -> None:
        for _ in range(deeds):
            await self._rng.choice(self._deeds)()
            self.ladders.now += self._rng.choice(LATER_MS)

    async def end(self) -> None:
        """End what runs, and let everybody play again."""
        while self._running:
            await self._finish()
        await self.ladders.catalogue.open(self.name)
        for bot in BOTS:
            await self._bring_back(bot)
            await self.ladders.leave(bot)
            await self.ladders.come_back(bot, SLOTS)
        self.ladders.now += max(LATER_MS)
        await self.ladders.lead()
        await self.ladders.take()

    async def retire_all(self) -> None:
        for bot in BOTS:
            await self._retire(bot)

    def _bot(self) -> str:
        return self._rng.choice(BOTS)

    def _number(self) -> int:
        self._made += 1
        return self._made

    async def _play(self) -> None:
        if (claim := await self.ladders.claim()) is not None:
            await self.ladders.finish(claim, self._end(claim.entry))

    async def _claim(self) -> None:
        if (claim := await self.ladders.claim()) is not None:
            self._running.append(claim)

    async def _finish(self) -> None:
        if self._running:
            claim = self._running.pop(self._rng.randrange(len(self._running)))
            await self.ladders.finish(claim, self._end(claim.entry))

    async def _retire(self, bot: str = "") -> None:
        await self._retirements.retire(bot or self._bot(), None, actor="priam", reason="old")

    async def _retire_version(self) -> None:
        bot = self._bot()
        await self._retirements.retire(bot, self._rng.choice(await self._versions(bot)), actor="priam", reason="old")

    async def _bring_back(self, bot: str = "") -> None:
        bot = bot or self._bot()
        for version in (None, *await self._versions(bot)):
            with suppress(RetirementError):  # it is not retired
                await self._retirements.unretire(bot, version)

    async def _versions(self, bot: str) -> list[str]:
        return sorted(name.decode() for name in await self.ladders.store.command("HKEYS", keys.VERSIONS + bot))

    async def _connect_version(self) -> None:
        bot = self._bot()
        await self.ladders.presence.put(
            replace(present(bot, slots=SLOTS, token=bot), bot_version=f"version-{self._number()}")
        )

    async def _rule(self, ruling: Ruling) -> None:
        await self._rulings.make(replace(ruling, ladder=self.name))

    async def _purge_match(self) -> None:
        if results := (await self.ladders.results.after("0-0", 1_000)).results:
            await self._rule(purge(match=self._rng.choice(results).match))

    async def _undo(self) -> None:
        if purges := [each for each in await self._rulings.list(self.name) if isinstance(each, Purge)]:
            await self._rule(undo(self._rng.choice(purges).id))


SEEDS = [*range(2), *(pytest.param(seed, marks=pytest.mark.long) for seed in range(2, 60))]


@pytest.mark.parametrize("seed", SEEDS)
async def test_whatever_is_ruled_and_whenever_the_table_is_its_rebuild(ladders: Ladders, seed: int) -> None:
    """X4, X12: and in the end everybody plays, and with all retired nothing is left."""
    seats = 2 + seed % 2
    await ladders.catalogue.create(ladder(seats))
    await ladders.join(*BOTS, slots=SLOTS)
    await ladders.lead()
    moments = Moments(ladders, seats, seed)
    await moments.live(60)
    await moments.end()

    assert len(await ladders.play_rounds(8, first_wins)) >= 10

    await moments.retire_all()
    await ladders.play_rounds(3, first_wins)
    results = (await ladders.results.after("0-0", 10_000)).results
    places = Counter((result.block, result.index) for result in results if result.rated)
    live = await stored(ladders, moments.name, seats)
    assert {1} == set(places.values())
    assert live.canonical() == (await folded_by_hand(ladders, moments.name, seats)).canonical()
    assert (await ladders.auditor.audit(moments.name)).findings == ()
    assert await set_aside(ladders) == {}
    assert ladders.pairing.blocks == ()
    assert await ladders.store.command("HGETALL", keys.RESERVED) == []
