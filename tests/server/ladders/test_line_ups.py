"""Whom bots met lately outlives the process that pairs."""

from __future__ import annotations

from collections import Counter

from tests.support.ladder_store import Ladders, first_wins, opened

from agon_server.ladders.line_ups import AT_ONCE, read_meetings
from agon_server.store import keys
from agon_server.store.connection import Store
from agon_server.tournaments.schedule_def import ScheduleDef

LADDER = "ephyran-2"


async def met(ladders: Ladders, rounds: int) -> Counter[str]:
    """Play so many rounds; return how often which bots met in a block."""
    played = await ladders.play_rounds(rounds, first_wins)
    return Counter("".join(sorted(seat.bot for seat in match.seats)) for match in played if match.index == 0)


async def test_bots_that_met_often_meet_others_first_also_under_a_new_leader(ladders: Ladders, store: Store) -> None:
    """M2, after restarts."""
    await opened(ladders, 2)
    for pair in ("ab", "cd"):
        await ladders.join(*pair, slots=4)
        assert (await met(ladders, 2))[pair] >= 4
        for bot in pair:
            await ladders.leave(bot)
    for bot in "abcd":
        await ladders.come_back(bot, slots=4)

    found: Counter[str] = Counter()
    for number in range(1, 3):
        successor = Ladders(store, now=ladders.now + 1_000 * number)
        await successor.lead()
        found += await met(successor, 1)

    assert found == {"ac": 2, "ad": 2, "bc": 2, "bd": 2}


async def test_a_block_counts_once_from_when_it_is_opened(ladders: Ladders, store: Store) -> None:
    await opened(ladders, 2)
    await ladders.join("a", "b", slots=1)

    assert await met(ladders, 1) == {"ab": 1}
    assert (await read_meetings(store, LADDER)).of("a") == {"b": 1}
    await met(ladders, 1)
    assert ladders.pairing.blocks == ()
    assert (await read_meetings(store, LADDER)).of("b") == {"a": 1}


async def test_so_many_line_ups_are_kept_and_no_more(ladders: Ladders, store: Store) -> None:
    await opened(ladders, 2)
    key = keys.LINE_UPS + LADDER
    many = [f"x{number} y" for number in range(keys.LINE_UPS_KEPT)]
    await store.command("RPUSH", key, *many)
    await ladders.join("a", "b", slots=2)

    await ladders.pairing.round()
    meetings = await read_meetings(store, LADDER)

    assert await store.command("LLEN", key) == keys.LINE_UPS_KEPT
    assert meetings.of("x0") == {}
    assert meetings.of("x1") == {"y": 1}
    assert meetings.of(f"x{AT_ONCE}") == meetings.of(f"x{keys.LINE_UPS_KEPT - 1}") == {"y": 1}
    assert meetings.of("a") == {"b": 1}


async def test_nothing_is_kept_of_a_tournament(ladders: Ladders, store: Store) -> None:
    format_ = {"kind": "round-robin", "cycles": 2}
    stored = {"bots": ["a", "b"], "format": format_, "seed": "7", "concurrency": 4, "definition": ""}
    await opened(ladders, 2, schedule=ScheduleDef.read(stored))
    await ladders.join("a", "b", slots=2)

    assert sum((await met(ladders, 1)).values()) > 0
    assert await store.command("EXISTS", keys.LINE_UPS + LADDER) == 0
