"""Two servers on one store, of which one leads the ladders: it is killed, or stands still for longer than its lease and
goes on, while matches are played; each result is rated once. At each step of the fold: `server/ladders/test_killed`."""

from __future__ import annotations

import re
import signal

import pytest
from tests.support.e2e import CALL_SECONDS, ServerProcess, Site, until
from tests.support.own_store import OwnStore, two_servers

LOST = "no longer leading the ladders"
SETTINGS = ("lease=2", "ping=1")


def token(server: ServerProcess) -> int:
    """Return the last token under which a server led the ladders; 0: it never did."""
    return max(map(int, re.findall(r"leading the ladders under token (\d+)", server.log)), default=0)


@pytest.mark.parametrize("woken", [True, False], ids=["stands still", "killed"])
async def test_another_server_leads_and_each_result_is_rated_once(site: Site, *, woken: bool) -> None:
    """X2, X4."""
    one, two = await two_servers(site, await OwnStore.started(site), *SETTINGS)
    await until(lambda: token(one) or token(two), what="one of them leads")
    leader, other = sorted((one, two), key=token, reverse=True)
    for name in ("ajax", "briseis", "calchas"):
        site.bot("random", await other.register(name), other.address, leader.address, slots=3)
    await more(other, 6)
    leader, other = sorted((one, two), key=token, reverse=True)  # on a busy machine it may be the other one by now
    leader.signal(signal.SIGSTOP if woken else signal.SIGKILL)
    led, lost = token(leader), leader.log.count(LOST)
    await until(lambda: token(other) > led, what="the other one leads")
    await more(other, 6)
    if woken:
        leader.signal(signal.SIGCONT)
        await until(lambda: leader.log.count(LOST) > lost, what="the woken one has noticed")
        await more(other, 6)
    await other.close_ladders()
    await other.settled()
    records = await other.records()

    assert len({record.match for record in records}) == len(records)
    assert sum(record.counts for record in records) == await other.rated()
    assert await other.findings() == []
    if woken:
        assert await leader.standings() == await other.standings()


async def more(server: ServerProcess, results: int) -> None:
    """Wait for so many more results in the tables."""
    wanted = await server.rated() + results

    async def there() -> bool:
        return await server.rated() >= wanted

    await until(there, what=f"{results} more results", every=CALL_SECONDS)
