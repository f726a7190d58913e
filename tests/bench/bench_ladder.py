"""Ratings, folds, pairing and intervals: what a ladder costs the server that runs it."""

from __future__ import annotations

import asyncio
import json
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from tests.bench.peak import peak_memory
from tests.bench.report import Row
from tests.support.ladder_store import Ladders, ladder, record_of
from tests.support.pairing import Arena, players
from tests.support.valkey import GAME, entry

from agon_engine.core import Chance, standard_placements
from agon_engine.core.policy import Result, Termination
from agon_engine.core.record import By, Move
from agon_engine.core.record_rows import moves_to_json
from agon_ladder.fold import LadderState
from agon_ladder.pairing.blocks import rotation
from agon_ladder.ratings import RatingSystem, get_system, system_names
from agon_ladder.results import MatchResult, Position
from agon_ladder.standings import standings
from agon_server.queue.ids import new_id
from agon_server.queue.outcome import Outcome
from agon_server.store import keys
from agon_server.store.connection import Store, open_store
from agon_server.store.folder import DataFolder

SEATS = 4
BOTS = 200
MANY, ROUNDS = 1_000_000, 25
MOVES = 150
"""Moves in a record of the benchmark, which has about 9 KB then."""


def _results(blocks: int) -> Iterator[tuple[tuple[str, ...], tuple[int, ...], str, int]]:
    """Draw bots, placements, block and place of the matches of whole blocks."""
    chance = Chance(bytes(16))
    names = [f"bot-{number}" for number in range(BOTS)]
    for _ in range(blocks):
        chance.shuffle("line-up", names)
        block = new_id()
        for place in range(SEATS):
            keys_ = [chance.below("luck", 200) - int(bot[4:]) for bot in rotation(names[:SEATS], place)]
            yield rotation(names[:SEATS], place), standard_placements(keys_), block, place


def _pure(blocks: int) -> list[Row]:
    ends = (Termination.SCORE,) * SEATS
    results = [
        MatchResult(
            Position(at, 0), f"m{at}", "bench", bots, placements, ends, Termination.SCORE, block=block, place=place
        )
        for at, (bots, placements, block, place) in enumerate(_results(blocks), start=1)
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
    blocks = list(_results(MANY // SEATS // ROUNDS))
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


async def _fill(store: Store, blocks: int) -> int:
    """Write results as `finish` does, with records of real size; return how many."""
    move = Move(0, "recruit athena", By.SEAT, 123_456, 124_000, 500, 900, 120_000)
    none, moves = (json.dumps(moves_to_json([move] * count), separators=(",", ":")) for count in (0, MOVES))
    written = 0
    for bots, placements, block, place in _results(blocks):
        match = entry(*bots, ladder=f"{GAME}-4", block=block, block_size=SEATS, index=place)
        ends = (Termination.SCORE,) * SEATS
        record = record_of(match, Result(Termination.SCORE, placements, (0,) * SEATS, ends))
        outcome = Outcome(bots, placements, ends)
        facts = {"game": GAME, "version": 1, "ladder": match.ladder, "block": block, "index": place, "attempt": 0}
        fields: dict[str, str | int] = {
            "kind": "played",
            "match": match.match,
            "facts": json.dumps(facts),
            "termination": "score",
            "rated": 1,
            "again": 0,
            "server": "bench",
            "epoch": 1,
            "reason": "",
            "hash": "",
            "outcome": json.dumps(outcome.to_json(), separators=(",", ":")),
        }
        put = await store.command("XADD", keys.RESULTS, "*", *(part for field in fields.items() for part in field))
        await store.command("SET", keys.RECORD + put.decode(), record.to_line().replace(none, moves, 1))
        written += 1
    return written


async def _on_the_store(blocks: int, rounds: int) -> list[Row]:
    with tempfile.TemporaryDirectory(prefix="agon-bench-") as folder, DataFolder.open(Path(folder) / "data") as data:
        store = await open_store(None, data)
        try:
            ladders = Ladders(store)
            await ladders.catalogue.create(ladder(SEATS))
            written = await _fill(store, blocks)
            await ladders.lead()
            began = time.perf_counter()
            await ladders.take()
            folded = time.perf_counter() - began
            began = time.perf_counter()
            report = await ladders.auditor.audit(f"{GAME}-4")
            audited = time.perf_counter() - began
            assert report.results == written
            assert report.findings == ()
            rebuilt, memory = await _rebuild(ladders, store)
            return [
                Row("fold over the store, in batches: four-seat results", written / folded, "results/s", ">= 20000"),
                Row("audit over the store: four-seat results", written / audited, "results/s"),
                Row(
                    f"rebuild of a wrong table over the store: {MANY:,} results",
                    rebuilt * MANY / written,
                    "s",
                    "<= 60",
                    f"as {written:,} took",
                    {"MiB more": memory},
                ),
                *await _rounds(ladders, rounds),
            ]
        finally:
            await store.aclose()


async def _rebuild(ladders: Ladders, store: Store) -> tuple[float, float]:
    """Lose a bot's row, and rebuild; return seconds, and the most MiB that it took."""
    table = keys.STANDING + f"{GAME}-4"
    lost, *_ = await store.command("HKEYS", table)
    await store.command("HDEL", table, lost)
    with peak_memory() as peak:
        began = time.perf_counter()
        report = await ladders.auditor.rebuild(f"{GAME}-4")
        spent = time.perf_counter() - began
    assert [finding.subject for finding in report.findings] == [lost.decode()]
    return spent, peak.mib


async def _rounds(ladders: Ladders, rounds: int) -> list[Row]:
    """Pair 200 connected bots in three ladders; every match ends before the next round."""
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
        *asyncio.run(_on_the_store(100 if quick else 2_500, 1 if quick else 5)),
        _planning(BOTS, 50 if quick else 1_000),
    ]
