"""Two servers on one store that are each ended and started again in turn, under load: as an upgrade does it."""

from __future__ import annotations

import asyncio
import signal
from contextlib import AsyncExitStack
from functools import partial

from tests.support.bots import running
from tests.support.e2e import CALL_SECONDS, ServerProcess, Site, until
from tests.support.own_store import OwnStore, sharing, two_servers
from tests.support.players import Company, Player, ended_well

from agon.codec import admin
from agon_bots import Turn
from agon_engine.core import By

NAMES = ("ajax", "briseis", "calchas", "dolon", "electra", "fama")
SETTINGS = ("drain=0.5", "lease=3600", "time.connect=600", "time.ready=600", "time.move=600")
"""A match outlives the drain and is handed over; nobody falls because the machine is busy; no lease helps."""
THINKS_SECONDS = 0.05
"""What a decision takes, so that matches are longer than a drain."""
ROUNDS = 2


class Thoughtful(Player):
    """Takes its time."""

    async def choose(self, turn: Turn) -> str:
        await asyncio.sleep(THINKS_SECONDS)
        return await super().choose(turn)


async def owned(server: ServerProcess, name: str, count: int) -> bool:
    """Tell whether so many matches run at the server of that name."""
    items = (await server.call(admin.INSPECT_QUEUE, admin.InspectQueueRequest())).items
    return sum(item.owner == name for item in items) >= count


async def test_two_servers_restarted_in_turn_under_load_forfeit_nothing(site: Site) -> None:
    """C20: the bots know one of them at first, and go over by what Welcome and Notices say."""
    store = await OwnStore.started(site)
    servers = dict(zip(("one", "two"), await two_servers(site, store, *SETTINGS), strict=True))
    company = Company()
    company.go_on()
    async with AsyncExitStack() as stack:
        for name in NAMES:
            token = await servers["one"].register(name)
            bot = type("Thoughtful", (Thoughtful,), {"company": company})
            await stack.enter_async_context(running(bot, servers["one"].address, token=token, slots=3))
        for name, other in (("one", "two"), ("two", "one")) * ROUNDS:
            await until(partial(owned, servers[other], name, 2), what=f"matches run at {name}", every=CALL_SECONDS)
            servers[name].signal(signal.SIGTERM)
            assert await servers[name].wait() == 0
            servers[name] = await sharing(site, store, name, *SETTINGS)
        records = await ended_well(servers["one"], company, store)

    handed = [record for record in records.values() if record.epoch > 1]
    assert handed
    assert company.asked_again() == set()
    assert {record.faults for record in records.values()} == {()}
    assert {move.by for record in records.values() for move in record.moves} == {By.SEAT}
