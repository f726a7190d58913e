"""The process that leads the ladders, killed or standing still at every one of its calls to the store: a real process
and real signals (X2, X4, X12)."""

from __future__ import annotations

import signal
from itertools import count
from typing import Any

import pytest
from tests.support.e2e import until
from tests.support.fairness import verify_schedule
from tests.support.ladder_process import Exit, LadderProcess
from tests.support.ladder_store import Ladders, by_chance, ladder, schedule, score

from agon_engine.core import Chance
from agon_ladder.fold import LadderState
from agon_ladder.results import START
from agon_ladder.rulings import Purge, Season, Undo, purged_by, standing
from agon_server.ladders.lease import Lease
from agon_server.queue.entry import MatchEntry
from agon_server.queue.ids import new_id
from agon_server.queue.reading import read_result
from agon_server.queue.results import Result
from agon_server.queue.rulings import Rulings
from agon_server.store import keys
from agon_server.store.connection import Store

BOTS = ("a", "b", "c", "d")
SEATS = {"ephyran-2": 2, "ephyran-3": 3}
WHERE = pytest.mark.parametrize("answered", [False, True], ids=["before a call", "after a call"])


async def opened(ladders: Ladders) -> None:
    """Make two ladders and four bots, and pair for the first time."""
    for seats in SEATS.values():
        await ladders.catalogue.create(ladder(seats))
    await ladders.join(*BOTS, slots=2)
    await ladders.lead()
    await ladders.pairing.round()
    await ladders.lease.release(await token_of(ladders))


async def token_of(ladders: Ladders) -> int:
    token = await ladders.lease.acquire()
    assert token is not None
    return token


async def is_whole(ladders: Ladders) -> bool:
    """Tell whether each table is that of the results and rulings up to its position, folded without the code under
    test, and the audit finds nothing."""
    batch = await ladders.results.after("0-0", 100_000)
    for name, seats in SEATS.items():
        live = (await ladders.tables.load(name, seats)).state
        entries = [entry for entry in batch.entries if entry.ladder == name and entry.order <= live.position]
        purges = standing(entry for entry in entries if not isinstance(entry, Result))
        state = LadderState(name, seats)
        for entry in entries:
            if isinstance(entry, Result):
                read = read_result(entry)
                state.apply(read, purged=purged_by(purges, read) is not None)
            elif isinstance(entry, Season):
                state.begin_season(entry)
        if state.results != live.results or state.bots != live.bots or state.partial != live.partial:
            return False
        if (await ladders.auditor.audit(name)).findings:
            return False
    return True


async def goes_on(ladders: Ladders) -> None:
    """Let another process lead from where the first one was, fold all and pair."""
    await until(ladders.lease.acquire, what="the lease has run out")
    for bot in BOTS:  # nobody else gives signs of life for them
        await ladders.come_back(bot, slots=2)
    await ladders.lead()
    await ladders.take()
    while await ladders.pairing.round():
        pass


async def rated(ladders: Ladders) -> dict[str, int]:
    return {name: (await ladders.tables.load(name, seats)).state.results for name, seats in SEATS.items()}


async def expected(ladders: Ladders) -> dict[str, int]:
    """Return how many results of each ladder count."""
    found = dict.fromkeys(SEATS, 0)
    for result in (await ladders.results.after("0-0", 100_000)).results:
        found[result.ladder] += read_result(result).rated
    return found


@WHERE
async def test_killed_at_any_call_it_leaves_tables_and_cursor_whole_and_another_one_goes_on(
    ladders: Ladders, valkey_url: str, *, answered: bool
) -> None:
    await opened(ladders)
    chance = Chance(bytes(16))
    played: list[MatchEntry] = []
    for call in count(1):
        played += await ladders.play(by_chance(chance))
        async with LadderProcess(valkey_url, call, signal.SIGKILL, answered=answered) as mortal:
            code = await mortal.ended()
        assert code in (-signal.SIGKILL, Exit.DONE)
        assert await is_whole(ladders), f"after call {call}"
        if code == Exit.DONE:
            break
        await goes_on(ladders)

        assert await is_whole(ladders), f"after call {call}, when another one has gone on"
        assert await rated(ladders) == await expected(ladders)
        await ladders.lease.release(await token_of(ladders))

    assert call > 12
    assert len({(match.block, match.index, match.attempt) for match in played}) == len(played)
    assert verify_schedule(schedule(played)) == []


@pytest.mark.parametrize("stride", [3, pytest.param(1, marks=pytest.mark.long)])
async def test_killed_at_any_call_over_a_season_a_purge_and_its_undoing_it_leaves_all_whole(
    ladders: Ladders, valkey_url: str, stride: int
) -> None:
    """Dead before a call is dead after the one before it, for the store. Each time there are all three, results around
    them, and a table to be rated again."""
    rulings = Rulings(ladders.store)
    ruled: dict[str, Any] = {"position": START, "ladder": "ephyran-2", "actor": "ann", "why": "because"}
    for seats in SEATS.values():
        await ladders.catalogue.create(ladder(seats))
    await ladders.join("a", "b", slots=900)
    for call in count(1, stride):
        purge = new_id()
        for bot in ("a", "b"):  # nobody else gives signs of life for them
            await ladders.come_back(bot, slots=900)
        match = await ladders.end(score(1, 2), "a", "b")
        await rulings.make(Season(**ruled, id=new_id(), label=f"s{call}", keep=50))
        await ladders.end(score(2, 1), "a", "b")
        await rulings.make(Purge(**ruled, id=purge, match=match.match))
        await ladders.end(score(1, 1), "a", "b")
        if call % 2:
            await rulings.make(Undo(**ruled, id=new_id(), purge=purge))
        async with LadderProcess(valkey_url, call, signal.SIGKILL, answered=False, pairs=False) as mortal:
            code = await mortal.ended()
        assert code in (-signal.SIGKILL, Exit.DONE)
        assert await is_whole(ladders), f"before call {call}"
        if code == Exit.DONE:
            break
        await until(ladders.lease.acquire, what="the lease has run out")
        await ladders.lead()
        await ladders.fold.settle()
        await ladders.take()

        last = (await ladders.results.after("0-0", 100_000)).entries[-1].order
        assert (await ladders.tables.load("ephyran-2", 2)).state.position == last
        assert await is_whole(ladders), f"before call {call}, when another one has gone on"
        await ladders.lease.release(await token_of(ladders))

    assert call > 30


async def everything(store: Store) -> dict[bytes, bytes]:
    """Return all that the store holds, but for the lease, which runs out."""
    names = sorted(set(await store.command("KEYS", "*")) - {keys.LADDER_LEASE.encode()})
    return {name: await store.command("DUMP", name) for name in names}


@WHERE
async def test_woken_after_its_lease_it_changes_nothing(
    ladders: Ladders, store: Store, valkey_url: str, *, answered: bool
) -> None:
    """Wherever it stood still, another process has folded and paired meanwhile."""
    await opened(ladders)
    chance = Chance(bytes(16))
    fenced = 0
    for call in count(1):
        await ladders.play(by_chance(chance))
        async with LadderProcess(valkey_url, call, signal.SIGSTOP, answered=answered) as sleeper:
            await until(lambda: sleeper.exit_code is not None or sleeper.stands_still, what="it stands still")
            if sleeper.exit_code is not None:
                assert sleeper.exit_code == Exit.DONE
                break
            successor = Ladders(store, server="successor")
            await goes_on(successor)
            before = await everything(store)
            sleeper.go_on()
            code = await sleeper.ended()

            assert code in (Exit.FENCED, Exit.NOT_LEADING, Exit.DONE)
            after = await everything(store)
            changed = {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}
            assert not changed, f"woken at call {call}"
            fenced += code == Exit.FENCED
        assert await is_whole(successor)
        await successor.lease.release(await token_of(successor))

    assert fenced > 8


async def test_a_role_that_stood_still_longer_than_its_lease_lets_another_one_lead(
    ladders: Ladders, store: Store
) -> None:
    """Its marks of ladders that fail, and of results that nobody can take, are fenced too."""
    old = Ladders(store, server="old")
    old.lease = Lease(store, "old", 1)
    await ladders.catalogue.create(ladder(2))
    token = await old.lead()
    await until(ladders.lease.acquire, what="the lease has run out")
    before = await everything(store)

    for write in (
        old.tables.set_failed(token, "ephyran-2", "it was long ago"),
        old.tables.set_failed(token, "ephyran-2", ""),
        old.tables.set_aside(token, "1-0", {"match": "m", "ladder": "ephyran-2", "reason": "it was long ago"}),
    ):
        with pytest.raises(Exception, match="another process"):
            await write
    assert await everything(store) == before
