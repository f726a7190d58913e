"""One chaos run: plays matches, strikes as planned, lets everything end, and gathers what is to be judged."""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.bench.report import Row, build, quantile
from tests.chaos import verdict
from tests.chaos.arena import Arena, Settings
from tests.chaos.plan import KILLS, Blow, Plan
from tests.chaos.witness import Account, read
from tests.support.cli import PROGRAM
from tests.support.e2e import ServerProcess, Site, until

from agon.codec import admin, ladder as calls, ledger
from agon_engine.core.record import MatchRecord
from agon_server.cli.door import open_door
from agon_server.queue.results import Results
from agon_server.store import keys
from agon_server.store.connection import Store
from agon_server.store.errors import StoreError

POLL_SECONDS = 0.25
LEAST_SECONDS = 1.0
"""Between two blows."""
REST_SECONDS = 2.0
"""How long after the end of a lease its matches are left alone."""
SETTLE_SECONDS = 120.0
"""How long the last matches may take to end."""
WELL_SECONDS = 40.0
"""How long the doctor may find something after the last blow: what is listed of the dead runs out in less."""

Tell = Callable[[str], None]


@dataclass(slots=True)
class Evidence:
    """Everything that is judged."""

    asked: set[str] = field(default_factory=set)
    results: list[str] = field(default_factory=list)
    dead: list[str] = field(default_factory=list)
    records: dict[str, MatchRecord] = field(default_factory=dict)
    rows: list[tuple[str, str]] = field(default_factory=list)
    audit: list[str] = field(default_factory=list)
    rebuild: list[str] = field(default_factory=list)
    doctor: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    testimony: Account = field(default_factory=Account)


@dataclass(slots=True)
class Report:
    """What came of a run."""

    plan: Plan
    seconds: float
    verdicts: list[Row]
    figures: list[Row]
    contradictions: dict[str, list[str]]
    """By verdict, what contradicts it."""
    timeline: list[tuple[float, float, str, str]]
    """What was done: begin and end in seconds since the run began, what, to whom."""
    logs: Path | None = None

    @property
    def good(self) -> bool:
        return not self.contradictions and all(row.met is not False for row in (*self.verdicts, *self.figures))

    def to_json(self) -> dict[str, Any]:
        rows = {"verdicts": self.verdicts, "figures": self.figures}
        told = {name: [_row(row) for row in some] for name, some in rows.items()}
        return {
            "seed": self.plan.seed,
            "seconds": round(self.seconds, 1),
            "build": build(),
            "cores": os.cpu_count(),
            **told,
            "contradictions": self.contradictions,
            "timeline": self.timeline,
        }


def _row(row: Row) -> dict[str, Any]:
    return {"name": row.name, "value": row.value, "unit": row.unit, "bar": row.bar, "met": row.met, "note": row.note}


async def run(
    plan: Plan, matches: int, settings: Settings, *, limit: float, tell: Tell, show: Tell, logs: Path | None = None
) -> Report:
    """Play at least so many matches while the plan is carried out; judge what came of it.

    `limit` is how many seconds the playing may take, `tell` is given lines of the timeline, `show` how far it is;
    `logs` is where logs are kept where something is wrong.
    """
    began = time.monotonic()
    with Site() as site:
        arena = Arena(site, settings, plan.seed, tell)
        try:
            async with arena:
                store = Store(arena.store.url)
                try:
                    await _play(arena, store, plan, matches, began + limit, show)
                    show("the last matches end …")
                    evidence = await _end(arena, store, tell)
                finally:
                    await store.aclose()
            evidence.testimony = read(arena.witnesses)
            evidence.asked |= evidence.testimony.matches
            evidence.faults = [f"{one.name}: {line}" for one in site.processes for line in one.faults]
            report = _judged(plan, matches, arena, evidence, time.monotonic() - began)
        except BaseException as error:
            if logs is not None and isinstance(error, Exception):  # who interrupts it wants nothing of it
                arena.keep_logs(logs)
            _forgive(site)
            raise
        if not report.good and logs is not None:
            arena.keep_logs(logs)
            report.logs = logs
        _forgive(site)
    return report


def _forgive(site: Site) -> None:
    """Let the site not judge the logs: they are a verdict of their own."""
    for process in site.processes:
        process.expected_fault = "."


# -- playing -------------------------------------------------------------------------------------------------------


async def _play(arena: Arena, store: Store, plan: Plan, matches: int, deadline: float, show: Tell) -> None:
    struck, not_before = 0, 0.0
    share = matches / (len(plan.blows) + 1)
    while True:
        done = await _results(store)
        arena.check()
        now = time.monotonic()
        left = f"{deadline - now:.0f} s left"
        show(f"{done or 0} of {matches} matches have ended, {struck} of {len(plan.blows)} blows struck, {left}")
        if struck == len(plan.blows) and done is not None and done >= matches:
            break
        if now > deadline:
            raise TimeoutError(f"{done} of {matches} matches and {struck} of {len(plan.blows)} blows in the time")
        if struck < len(plan.blows) and now >= not_before and _is_due(done, struck, share, deadline, plan):
            await arena.strike(plan.blows[struck])
            struck += 1
            not_before = time.monotonic() + _rest(plan.blows[:struck], arena.settings.lease)
        await asyncio.sleep(POLL_SECONDS)
    await arena.calm()


def _rest(struck: Sequence[Blow], lease: float) -> float:
    """Return how long to wait after the last blow. Every second kill of a server is left alone until its matches go on:
    so long it took is a figure only where nothing else was done to them."""
    kills = sum(blow in (Blow.SERVER_BACK, Blow.SERVER_GONE) for blow in struck)
    is_kill = struck[-1] in (Blow.SERVER_BACK, Blow.SERVER_GONE)
    return lease + REST_SECONDS if is_kill and kills % 2 else LEAST_SECONDS


def _is_due(done: int | None, struck: int, share: float, deadline: float, plan: Plan) -> bool:
    """Tell whether the next blow is due: by what is played, or so that all come in the time."""
    if done is not None and done >= share * (struck + 1):
        return True
    left = len(plan.blows) - struck
    return deadline - time.monotonic() < 5.5 * left


async def _results(store: Store) -> int | None:
    """Return how many matches have ended; None while the store is away."""
    try:
        return int(await store.command("XLEN", keys.RESULTS))
    except StoreError:
        return None


async def _end(arena: Arena, store: Store, tell: Tell) -> Evidence:
    """Let no new matches begin and all end; gather what the installation says of itself."""
    place = arena.places[0].process
    await place.close_ladders()
    await until(lambda: _is_settled(store), SETTLE_SECONDS, "all matches end and are folded", every=POLL_SECONDS)
    evidence = Evidence()
    for match in await _queued(store):
        evidence.asked.add(match)
    batch = await Results(store).after("0-0", 100_000)
    evidence.results = [result.match for result in batch.results]
    evidence.dead = [f"{letter.match}: {letter.reason}" for letter in await _letters(place)]
    evidence.records = {record.match: record for record in await place.records()}
    async with open_door(place.data, environ={}) as door:
        for ladder in (await door.call(calls.LIST_LADDERS, calls.ListLaddersRequest())).ladders:
            audit = await door.call(admin.AUDIT_LADDER, ledger.AuditLadderRequest(ladder.name))
            evidence.audit += [f"{ladder.name} {item.subject}: {item.text}" for item in audit.findings]
            rebuilt = await door.call(admin.REBUILD_LADDER, ledger.RebuildLadderRequest(ladder.name))
            evidence.rebuild += [f"{ladder.name} {item.subject}: {item.text}" for item in rebuilt.findings]
            rows = await store.command("XRANGE", f"{keys.RATINGS}{ladder.name}:0", "-", "+")
            evidence.rows += [(ladder.name, flat[1].decode()) for _, flat in rows]
    tell("all matches are over; the bots end, then the doctor looks")
    await arena.dismiss()
    evidence.doctor = await _doctor(place)
    return evidence


async def _is_settled(store: Store) -> bool:
    for stream in await store.command("SMEMBERS", keys.QUEUES):
        if await store.command("XLEN", stream):
            return False
    last = await store.command("XREVRANGE", keys.RESULTS, "+", "-", "COUNT", 1)
    return not last or last[0][0] == await store.command("GET", keys.LADDER_CURSOR)


async def _queued(store: Store) -> list[str]:
    """Return all matches that were ever queued for a place in a block."""
    found: list[str] = []
    for key in await store.command("KEYS", f"{keys.PLACES}*"):
        found += [match.decode() for match in await store.command("HVALS", key)]
    return found


async def _letters(server: ServerProcess) -> tuple[admin.DeadLetter, ...]:
    return (await server.call(admin.LIST_DEAD_LETTERS, admin.ListDeadLettersRequest())).letters


async def _doctor(server: ServerProcess) -> list[str]:
    """Return what `agon doctor` finds, as soon as it finds nothing, or at last."""
    deadline = time.monotonic() + WELL_SECONDS
    while True:
        process = await asyncio.create_subprocess_exec(
            *PROGRAM, "doctor", "--data", str(server.data), "--json", stdout=asyncio.subprocess.PIPE
        )
        out, _ = await process.communicate()
        if process.returncode == 0:
            return []
        if time.monotonic() > deadline:
            told = json.loads(out or b'{"symptoms": []}')["symptoms"]
            return [f"{item['check']}: {item['what']}: {item['where']}" for item in told] or [
                f"exit {process.returncode}"
            ]
        await asyncio.sleep(POLL_SECONDS)


# -- judging -------------------------------------------------------------------------------------------------------


def _judged(plan: Plan, matches: int, arena: Arena, evidence: Evidence, seconds: float) -> Report:
    testimony, records = evidence.testimony, evidence.records
    servers = {place.address: place.name for place in arena.places}
    found = {
        "lost": [*verdict.lost(evidence.asked, evidence.results), *evidence.dead],
        "ended twice": list(verdict.ended_twice(evidence.results)),
        "rated twice": list(verdict.rated_twice(evidence.rows)),
        "two referees in one match": list(verdict.two_referees(testimony, records, servers)),
        "told at Over, not what is stored": list(verdict.told_otherwise(testimony, records)),
        "asked again after its consequence was seen": list(verdict.asked_again(testimony)),
        "asked otherwise than before": list(verdict.asked_otherwise(testimony)),
        "choices that the record does not have": list(verdict.choices_not_kept(testimony, records)),
        "records that do not verify": list(verdict.untrue(records)),
        "live table against rebuild": evidence.rebuild,
        "audit": evidence.audit,
        "doctor at the end": evidence.doctor,
        "faults in logs": evidence.faults,
    }
    verdicts = [Row(name, len(lines), "", "<= 0") for name, lines in found.items()]
    verdicts.insert(0, Row("matches asked", len(evidence.asked), "", f">= {matches}"))
    verdicts.insert(1, Row("results stored", len(set(evidence.results)), "", f">= {len(evidence.asked)}"))
    timeline = [
        (round(done.when - arena.began, 2), round(done.until - arena.began, 2), done.blow.name.lower(), done.what)
        for done in sorted(arena.happened, key=lambda done: done.when)
    ]
    figures = _figures(plan, arena, evidence, servers)
    wrong = {name: lines for name, lines in found.items() if lines}
    return Report(plan, seconds, verdicts, figures, wrong, timeline)


def _figures(plan: Plan, arena: Arena, evidence: Evidence, servers: dict[str, str]) -> list[Row]:
    counts = arena.counts()
    figures = [Row(blow.value, counts[blow], "", f">= {plan.count(blow)}") for blow in Blow if plan.count(blow)]
    figures.insert(0, Row("kill -9 of servers and bots together", sum(counts[blow] for blow in KILLS), ""))
    figures += _waits(arena, evidence, servers)
    answered = sum(1 for _ in evidence.testimony.all("chose"))
    figures.append(Row("choices made", answered, ""))
    figures.append(Row("frames of an earlier delivery, dropped", verdict.stale(evidence.testimony), ""))
    redelivered = sum(record.epoch > 1 for record in evidence.records.values())
    figures.append(Row("matches that were taken over", redelivered, ""))
    return figures


def _waits(arena: Arena, evidence: Evidence, servers: dict[str, str]) -> list[Row]:
    """Return how long matches stood still whose server was killed."""
    lease = arena.settings.lease
    taken_over, own, left_out = verdict.waits(evidence.testimony, arena.happened, servers)
    since_kill, since_back = [wait.killed for wait in own], [wait.back for wait in own]
    rows = [
        *_quantiles(
            f"kill -9 to next Decide, another server (lease {lease:g} s)",
            [wait.killed for wait in taken_over],
            lease + 2,
        ),
        *_quantiles("kill -9 to next Decide, the same server, started again", since_kill, 2.0),
        *_quantiles("serving again to next Decide, the same server", since_back),
        Row("of these left out, something else of theirs being away", left_out, "matches"),
    ]
    back = [done.until - done.when for done in arena.happened if done.blow is Blow.SERVER_BACK]
    if back:
        rows.append(Row("p50 kill -9 to serving again: the start of a process", quantile(back, 0.5), "s"))
    return rows


def _quantiles(what: str, seconds: Sequence[float], bar: float | None = None) -> Iterator[Row]:
    """Yield rows for p50, p95 and the longest; the bar is for p95. None where nothing was measured."""
    for name, share in (("p50", 0.5), ("p95", 0.95), ("max", 1.0)) if seconds else ():
        limit = f"<= {bar:g}" if bar is not None and name == "p95" else ""
        note = f"{len(seconds)} matches" if name == "p50" else ""
        yield Row(f"{name} {what}", quantile(seconds, share), "s", limit, note)
