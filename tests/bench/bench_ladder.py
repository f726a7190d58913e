"""Ratings, folds, pairing and intervals: what a ladder costs the server that runs it."""

from __future__ import annotations

import asyncio
import json
import tempfile
import time
from pathlib import Path

import uvloop
from tests.bench.bench_rebuild import MANY, as_in_a_server, rebuild
from tests.bench.ladder_results import BOTS, LADDER, SEATS, drawn, results
from tests.bench.peak import peak_memory
from tests.bench.report import Row
from tests.support.ladder_store import Ladders, ladder
from tests.support.pairing import Arena, players

from agon_engine.core import Chance
from agon_engine.core.policy import Result, Termination
from agon_ladder.fold import LadderState
from agon_ladder.ratings import RatingSystem, get_system, system_names
from agon_ladder.results import MatchResult, Position
from agon_ladder.standings import standings
from agon_server.store import keys
from agon_server.store.connection import Store, open_store
from agon_server.store.folder import DataFolder

ROUNDS = 25
FOLDED = 5_000
"""Blocks whose results are folded from the store: 180 MB with their records."""
REBUILT = 25_000
"""Blocks that are archived and rebuilt; section `rebuild` does so with a million results."""


def _pure(blocks: int) -> list[Row]:
    ends = (Termination.SCORE,) * SEATS
    results = [
        MatchResult(
            Position(at, 0), f"m{at}", "bench", bots, placements, ends, Termination.SCORE, block=block, place=place
        )
        for at, (bots, placements, block, place) in enumerate(drawn(blocks), start=1)
    ]
    state = LadderState("bench", SEATS)
    began = time.process_time()
    for result in results:
        state.apply(result)
    folded = time.process_time() - began

    fifty = LadderState("bench", SEATS, bots=dict(list(state.bots.items())[:50]))
    for bot in fifty.bots.values():
        bot.blocks = dict.fromkeys(range(25), 8)
    began = time.process_time()
    standings(fifty)
    shown = time.process_time() - began
    return [
        *[_updates(get_system(name), results) for name in system_names()],
        Row("fold in memory: four-seat results", len(results) / folded, "results/s"),
        Row("table of 50 bots with 200 blocks each", 1e3 * shown, "ms", note="its intervals included; off the loop"),
    ]


def _updates(system: RatingSystem, results: list[MatchResult]) -> Row:
    """Rate the results alone, each from the same ratings."""
    ratings = [system.initial]
    for place in (1, 2, 2):
        ratings += system.update([system.initial, system.initial], (1, place))[:1]
    began = time.process_time()
    for result in results:
        system.update(ratings, result.placements)
    return Row(f"{system.name} alone: four-seat results", len(results) / (time.process_time() - began), "results/s")


def _fold_many(rounds: int) -> Row:
    """Fold a history of many times the same blocks under other ids, made as it goes; only the fold's time counts."""
    blocks = list(drawn(MANY // SEATS // ROUNDS))
    ends = (Termination.SCORE,) * SEATS
    state, spent, at = LadderState("bench", SEATS), 0.0, 0
    with peak_memory() as peak:
        for number in range(rounds):
            results = []
            for bots, placements, block, place in blocks:
                at += 1
                results.append(
                    MatchResult(
                        Position(at, 0),
                        f"m{at}",
                        "bench",
                        bots,
                        placements,
                        ends,
                        Termination.SCORE,
                        block=f"{block}{number}",
                        place=place,
                    )
                )
            began = time.process_time()
            for result in results:
                state.apply(result)
            spent += time.process_time() - began
    assert state.results == at
    return Row(
        f"fold in memory: {at:,} results",
        spent,
        "s",
        details={"MiB more": peak.mib, "KiB of the table": len(state.canonical()) / 1024},
    )


class Rated(Ladders):
    """Ladders that tell when so many ratings are made."""

    _due = 0

    async def have_made(self, ratings: int) -> None:
        self._due, self._made = ratings, asyncio.Event()
        await self._made.wait()

    def _count(self, ratings: int) -> None:
        super()._count(ratings)
        if self.ratings == self._due:
            self._made.set()


async def _fill(store: Store, blocks: int) -> None:
    """Write results as `finish` does."""
    for result in results(blocks):
        assert result.outcome is not None
        facts = {name: getattr(result, name) for name in ("game", "version", "ladder", "block", "index", "attempt")}
        fields: dict[str, str | int] = {
            "kind": result.kind,
            "match": result.match,
            "facts": json.dumps(facts, separators=(",", ":")),
            "termination": result.termination,
            "rated": 1,
            "again": 0,
            "server": result.server,
            "epoch": result.epoch,
            "reason": "",
            "hash": result.record_hash,
            "outcome": json.dumps(result.outcome.to_json(), separators=(",", ":")),
        }
        await store.command("XADD", keys.RESULTS, result.id, *(part for field in fields.items() for part in field))
        await store.command("SET", keys.RECORD + result.id, result.record)
        known = f"{result.kind} {result.id} {result.record_hash}"
        await store.command("SET", keys.RESULT + result.match, known, "PX", 86_400_000)


async def _on_the_store(blocks: int, rounds: int) -> list[Row]:
    with tempfile.TemporaryDirectory(prefix="agon-bench-") as folder, DataFolder.open(Path(folder) / "data") as data:
        store = await open_store(None, data)
        try:
            ladders = Rated(store)
            await ladders.catalogue.create(ladder(SEATS))
            await _fill(store, blocks)
            with as_in_a_server():
                folded, computed = await _folded(ladders, blocks * SEATS * SEATS)
            began = time.perf_counter()
            report = await ladders.auditor.audit(LADDER)
            audited = time.perf_counter() - began
            assert report.results == blocks * SEATS
            assert report.findings == ()
            return [
                Row(
                    "fold over the store, in batches: four-seat results",
                    report.results / folded,
                    "results/s",
                    ">= 20000",
                    details={"us of CPU a result": 1e6 * computed / report.results},
                ),
                Row("audit over the store: four-seat results", report.results / audited, "results/s"),
                *await _rounds(ladders, rounds),
            ]
        finally:
            await store.aclose()


async def _folded(ladders: Rated, ratings: int) -> tuple[float, float]:
    """Let the ladder role lead until it has made so many ratings; return the seconds that it took, and those of this
    process's CPU."""
    began, began_cpu = time.perf_counter(), time.process_time()
    leading = asyncio.create_task(ladders.role.run())
    await ladders.have_made(ratings)
    spent, spent_cpu = time.perf_counter() - began, time.process_time() - began_cpu
    leading.cancel()
    await asyncio.gather(leading, return_exceptions=True)
    return spent, spent_cpu


async def _rounds(ladders: Ladders, rounds: int) -> list[Row]:
    """Pair 200 connected bots in three ladders; every match ends before the next round."""
    await ladders.lead()
    for seats in (2, 3):
        await ladders.catalogue.create(ladder(seats))
    await ladders.join(*(f"bot-{number}" for number in range(BOTS)), slots=2)
    spent, matches, seconds = 0.0, 0, 0.0
    for _ in range(rounds):
        more = True
        began = time.perf_counter()
        while more:
            more = await ladders.pairing.round()
            spent += ladders.pairing.spent
        seconds += time.perf_counter() - began
        for claim in await ladders.claim_all():
            seats = len(claim.entry.seats)
            ends = (Termination.SCORE,) * seats
            await ladders.finish(claim, Result(Termination.SCORE, tuple(range(1, seats + 1)), (0,) * seats, ends))
            matches += 1
        await ladders.take()
    return [
        Row(f"pairing {BOTS} bots in 3 ladders: planning", 1e3 * spent / matches, "ms/match", note="on the loop"),
        Row(f"pairing {BOTS} bots in 3 ladders: all calls", 1e3 * seconds / matches, "ms/match"),
    ]


def _planning(bots: int, matches: int) -> Row:
    """Plan alone, as a busy ladder does: slots come free one match at a time."""
    known = players(bots)
    chance = Chance(bytes(16))
    arena = Arena(
        {"two": 2, "three": 3, "four": 4}, known, dict.fromkeys(known, 2), lambda _: 2_000 + chance.below("time", 8_000)
    )
    arena.run(1)
    began = time.process_time()
    arena.run(matches)
    spent = time.process_time() - began
    return Row(f"planning alone, {bots} bots, a round for each match that ends", 1e3 * spent / matches, "ms/match")


def measure(*, quick: bool = False) -> list[Row]:
    """Measure with append-only file on, as every server runs it."""
    return [
        *_pure(500 if quick else 10_000),
        _fold_many(1 if quick else ROUNDS),
        *uvloop.run(_on_the_store(100 if quick else FOLDED, 1 if quick else 5)),
        *rebuild(250 if quick else REBUILT),
        _planning(BOTS, 50 if quick else 1_000),
    ]
