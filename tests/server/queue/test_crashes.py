"""Nothing is lost and nothing doubled, whoever dies when: workers race, are cut off within calls, or are killed."""

from __future__ import annotations

import asyncio
import random
import signal
import subprocess
import sys
from collections import Counter
from functools import partial

import pytest
from tests.support.queues import ended, renew
from tests.support.valkey import GAMES, connect, entry, present, reserved, until

from agon_server.presence import Presence
from agon_server.queue.claim import Claim, Dead, Finish, Lease
from agon_server.queue.desk import Desk
from agon_server.queue.queue import Queue
from agon_server.queue.results import START, Kind, Result, Results
from agon_server.store import keys
from agon_server.store.connection import Store

BOTS = ("a", "b", "c", "d")


async def all_results(store: Store) -> list[Result]:
    found: list[Result] = []
    while page := (await Results(store).after(found[-1].id if found else START, 500)).results:
        found += page
    return found


async def queued(store: Store, count: int) -> set[str]:
    """Queue matches of the same few bots and return their ids."""
    await connect(store, *BOTS, slots=count)
    queue = Queue(store, server="pairing")
    chance = random.Random(count)
    matches = [entry(*chance.sample(BOTS, chance.choice((2, 3, 4)))) for _ in range(count)]
    for match in matches:
        assert await queue.enqueue(match)
    return {match.match for match in matches}


async def check_all_played_once(store: Store, matches: set[str]) -> None:
    results = await all_results(store)

    assert dict.fromkeys(matches, 1) == Counter(result.match for result in results)
    assert {Kind.PLAYED} == {result.kind for result in results}
    assert await reserved(store) == {}
    assert await store.command("KEYS", keys.MATCH + "*") == []
    assert await store.command("KEYS", keys.RUNNING + "*") == []
    depth = await Desk(store).depth()
    assert (depth.waiting, depth.running, depth.dead) == (0, 0, 0)


async def play(queue: Queue, claim: Claim) -> Finish:
    """Play a match at once; its record depends on nothing but the match, as a replayed one does."""
    record = f"record of {claim.entry.match}"
    finished = await queue.finish(claim, record=record, record_hash=record[::-1], result=ended(claim))
    return finished.status


async def test_eight_workers_finish_a_thousand_matches_of_the_same_bots_once_each(store: Store) -> None:
    """X5, X12: all claims are different and all results are there, in one order."""
    matches = await queued(store, 1_000)

    async def work(name: str) -> list[str]:
        queue, done = Queue(store, server=name, lease_ms=60_000), []
        while isinstance(claim := await queue.claim(GAMES), Claim):
            assert await play(queue, claim) is Finish.DONE
            done.append(claim.entry.match)
        return done

    shares = await asyncio.gather(*(work(f"worker-{number}") for number in range(8)))

    assert matches == set().union(*shares)
    assert sum(map(len, shares)) == 1_000
    await check_all_played_once(store, matches)


async def test_matches_abandoned_at_every_step_are_played_once(store: Store) -> None:
    """X12: a worker that vanishes after claim, renewal, release, finish or mid-call loses and doubles nothing."""
    matches = await queued(store, 150)
    chance = random.Random(12)
    abandoned: Counter[str] = Counter()

    async def live(queue: Queue) -> None:
        """One life of a worker: it ends at a random step of a random match."""
        while True:
            claim = await queue.claim(GAMES, block_ms=5)
            if not isinstance(claim, Claim):
                assert claim is None, "progress is made in time, so no match dies"
                return
            for step in ("claim", "renew", "finish"):
                if step == "renew":
                    await renew(queue, claim, progress=claim.epoch)
                elif step == "finish":
                    status = await play(queue, claim)
                    assert status in (Finish.DONE, Finish.REPEAT, Finish.CONFLICT, Finish.FENCED)
                if chance.random() < 0.1:
                    abandoned[step] += 1
                    return

    async def work(name: str) -> None:
        while len(await all_results(store)) < len(matches):
            queue = Queue(store, server=name, lease_ms=20, max_deliveries=1_000)
            await live(queue)
            await queue.aclose()

    await asyncio.gather(*(work(f"worker-{number}") for number in range(8)))

    assert {"claim", "renew", "finish"} == set(abandoned)
    await check_all_played_once(store, matches)


async def test_calls_cut_off_at_any_moment_lose_and_double_nothing(store: Store) -> None:
    """X12: a lost answer leaves it open whether the call took effect; going on by the rules is right in both cases."""
    matches = await queued(store, 150)
    chance = random.Random(5)

    async def live(queue: Queue) -> None:
        while True:
            claim = await queue.claim(GAMES)
            if not isinstance(claim, Claim):
                return
            await renew(queue, claim, progress=claim.epoch)
            await play(queue, claim)

    cut = 0
    while cut <= 10 or len(await all_results(store)) < len(matches):
        if len(await all_results(store)) == len(matches):
            # On a slow machine all may be played in a few cuts.
            matches |= await queued(store, 150)
        queues = [Queue(store, server=name, lease_ms=20, max_deliveries=1_000) for name in ("one", "two")]
        lives = [asyncio.create_task(live(queue)) for queue in queues]
        # Not to wait for anything: the moment of the cut is the subject.
        await asyncio.sleep(chance.random() * 0.02)
        for life in lives:
            cut += life.cancel()
        await asyncio.gather(*lives, return_exceptions=True)

    await check_all_played_once(store, matches)


WORKER = """
import asyncio, sys
from agon_engine.core.policy import Result, Termination
from agon_server.queue.claim import Claim
from agon_server.queue.queue import Queue
from agon_server.store.connection import Store

def result(seats):
    return Result(Termination.SCORE, (1,) * seats, (0,) * seats, (Termination.SCORE,) * seats)

async def work(url, name):
    queue = Queue(Store(url), server=name, lease_ms=100, max_deliveries=1000)
    while True:
        claim = await queue.claim({("ephyran", 1)}, block_ms=1000)
        if isinstance(claim, Claim):
            await queue.renew_many([(claim, claim.epoch)])
            record = f"record of {claim.entry.match}"
            await queue.finish(claim, record=record, record_hash=record[::-1], result=result(len(claim.entry.seats)))

asyncio.run(work(*sys.argv[1:]))
"""


async def test_killed_worker_processes_lose_and_double_nothing(store: Store, valkey_url: str) -> None:
    """X12: `kill -9` of real processes while they claim and finish; one comes back under its name, one does not."""
    matches = await queued(store, 300)
    workers: list[subprocess.Popen[bytes]] = []
    try:
        workers += [start_worker(valkey_url, "one"), start_worker(valkey_url, "two")]
        for aim in (80, 200):
            await until(partial(_has_results, store, aim))
            for worker in workers[-2:]:
                worker.send_signal(signal.SIGKILL)
            workers += [start_worker(valkey_url, "one"), start_worker(valkey_url, f"two-{aim}")]
        await until(partial(_has_results, store, len(matches)))
    finally:
        for worker in workers:
            worker.kill()
            worker.wait()

    await check_all_played_once(store, matches)


def start_worker(url: str, name: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", WORKER, url, name])


async def _has_results(store: Store, count: int) -> bool:
    return bool(await store.command("XLEN", keys.RESULTS) >= count)


@pytest.mark.parametrize("seed", range(4))
async def test_slots_never_leak_whatever_happens_in_whatever_order(store: Store, seed: int) -> None:
    """After each step the reserved slots are the seats of all queued and running matches, neither more nor fewer."""
    chance = random.Random(seed)
    presence, desk = Presence(store), Desk(store)
    servers = [Queue(store, server=name, lease_ms=60_000, max_deliveries=2) for name in ("one", "two")]
    claims: list[tuple[Queue, Claim]] = []
    known: dict[str, tuple[str, ...]] = {}
    """The seats of every match that was queued and has not ended, as this test has followed it."""

    async def connect_bot() -> None:
        await presence.put(present(chance.choice(BOTS), slots=chance.randrange(1, 5)))

    async def enqueue() -> None:
        match = entry(*chance.choices(BOTS, k=chance.choice((2, 3))), rated=False)
        if await servers[0].enqueue(match):
            known[match.match] = tuple(seat.place for seat in match.seats)

    async def claim() -> None:
        index = chance.randrange(2)
        if chance.random() < 0.2:  # restarted
            servers[index] = Queue(store, server=("one", "two")[index], lease_ms=60_000, max_deliveries=2)
        taken = await servers[index].claim(GAMES)
        if isinstance(taken, Claim):
            claims.append((servers[index], taken))
        elif isinstance(taken, Dead):
            del known[taken.match]

    async def finish() -> None:
        queue, claim = chance.choice(claims)
        if await play(queue, claim) is Finish.DONE:
            del known[claim.entry.match]

    async def renew_one() -> None:
        queue, claim = chance.choice(claims)
        assert await renew(queue, claim, progress=chance.randrange(3)) in tuple(Lease)

    async def release() -> None:
        queue, claim = chance.choice(claims)
        await queue.release_many([claim])

    async def bury() -> None:
        queue, claim = chance.choice(claims)
        if await queue.bury(claim, "tests"):
            del known[claim.entry.match]

    async def cancel() -> None:
        if known:
            match = chance.choice(sorted(known))
            if await desk.cancel(match, "tests") == "removed":
                del known[match]

    async def requeue() -> None:
        for letter in await desk.dead():
            new = await desk.requeue(letter.match)
            if new is not None:
                assert letter.entry is not None
                known[new] = tuple(seat.place for seat in letter.entry.seats)

    for _ in range(150):
        steps = [connect_bot, enqueue, enqueue, enqueue, claim, claim, cancel, requeue]
        steps += [finish, finish, renew_one, release, bury] if claims else []
        await chance.choice(steps)()

        assert Counter(place for places in known.values() for place in places) == await reserved(store)
        depth = await desk.depth()
        assert len(known) == depth.waiting + depth.running
