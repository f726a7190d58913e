"""Many matches on one stream, and a host under load: batches, all running matches taken again at once, and no bot that
answers in half its limit ever late."""

from __future__ import annotations

import asyncio
import time
from itertools import cycle

from tests.support.referee import make_entry
from tests.support.streams import Client, FakeWire, StreamBench, settle

from agon.codec.client import decode_down
from agon.codec.frames import Choose, Decide, Down, Join, Over, Ready
from agon.codec.up import encode_up
from agon_engine.core import By, FaultPolicy, OnFault, TimeControl
from agon_engine.core.replay import verify
from agon_engine.registry import get_game
from agon_server.queue.entry import MatchEntry
from agon_server.referee.clock import LoopClock

MATCHES = 20
POLICY = FaultPolicy(OnFault.FORFEIT, strikes=1)


def answers(frames: list[Down]) -> bytes:
    """Return the first choice for each Decide, all in one message."""
    return b"".join(
        encode_up(Choose(frame.body.decision, 0), frame.match, frame.seat)
        for frame in frames
        if isinstance(frame.body, Decide)
    )


def take(client: Client) -> list[Down]:
    """Return the frames that have come since the last call."""
    frames = list(client.wire.frames)
    client.wire.forget()
    return frames


async def join_all(client: Client, seat: int, entries: list[MatchEntry], sequence: int = 0) -> None:
    bodies = [encode_up(Join(f"ticket {seat}", sequence), entry.match, seat) for entry in entries]
    bodies += [encode_up(Ready(), entry.match, seat) for entry in entries]
    client.wire.arrive(b"".join(bodies))
    await settle()


async def test_all_matches_of_a_bot_go_through_one_stream_in_few_messages() -> None:
    async with StreamBench(policy=POLICY) as bench:
        entries = [bench.entry] + [make_entry(policy=POLICY, seed=f"{number:032x}") for number in range(1, MATCHES)]
        matches = [bench.match] + [bench.new_match(entry) for entry in entries[1:]]
        clients = [bench.connect(f"bot{seat}") for seat in range(2)]
        for seat, client in enumerate(clients):
            await join_all(client, seat, entries)
        rounds, overs = 0, 0
        while not all(match.table.result is not None for match in matches):
            rounds += 1
            for client in clients:
                assert len(client.messages) <= 4

                frames = take(client)
                overs += sum(isinstance(frame.body, Over) for frame in frames)
                client.wire.arrive(answers(frames) or b"")
            await settle()
        moves = sum(len(match.table.moves) for match in matches)
        overs += sum(len(client.wire.of(Over)) for client in clients)

        assert overs == 2 * MATCHES
        assert rounds < moves / MATCHES * 2
        assert {move.by for match in matches for move in match.table.moves} == {By.SEAT}
        for match in matches[:3]:
            verify(match.record(["server"], "2030-01-31T12:01:00Z"), get_game("ephyran"))


async def test_a_bot_that_comes_back_takes_all_its_running_matches_at_once() -> None:
    async with StreamBench(policy=POLICY) as bench:
        entries = [bench.entry] + [make_entry(policy=POLICY, seed=f"{number:032x}") for number in range(1, MATCHES)]
        matches = [bench.match] + [bench.new_match(entry) for entry in entries[1:]]
        clients = [bench.connect(f"bot{seat}") for seat in range(2)]
        for seat, client in enumerate(clients):
            await join_all(client, seat, entries)
        for client in clients:
            client.wire.arrive(answers(take(client)))
        await settle()
        await clients[0].close()

        assert [match.missing for match in matches] == [[0]] * MATCHES

        back = bench.connect("bot0")
        await join_all(back, 0, entries)
        asked = sum(match.table.decision is not None and match.table.decision.seat == 0 for match in matches)

        assert [match.missing for match in matches] == [[]] * MATCHES
        assert back.wire.kinds.count("Start") == MATCHES
        assert back.wire.kinds.count("Decide") == asked > 0
        assert len(back.messages) <= 3


# -- a host under load ---------------------------------------------------------------------------------------

LIMIT = TimeControl(move=200_000, bank=0, grace=50_000)
THINKS = 0.1
"""Half of the limit."""
HELD_UP = 0.2
"""With the thinking this is more than limit and grace together."""


class BotWire(FakeWire):
    """A bot that answers every Decide after half its limit."""

    async def write(self, message: bytes) -> None:
        await super().write(message)
        chosen = answers(decode_down(message))
        if chosen:
            asyncio.get_running_loop().call_later(THINKS, self.arrive, chosen)


async def test_bots_that_answer_in_half_their_limit_are_never_late_on_a_host_that_is_held_up() -> None:
    """T8, T4: on a real loop in real time, which is held up again and again for longer than a decision may take."""
    clock = LoopClock()
    clock.start()
    async with StreamBench(real_clock=clock, time=LIMIT, policy=POLICY) as bench:
        clients = [bench.connect(f"bot{seat}", wire=BotWire()) for seat in range(2)]
        for seat, client in enumerate(clients):
            await join_all(client, seat, [bench.entry])
        for pause in cycle((0.01, 0.05, 0.09, 0.03)):
            await asyncio.sleep(pause)
            time.sleep(HELD_UP)  # noqa: ASYNC251  # that is the point
            if len(bench.match.table.moves) >= 8 or bench.host.ended:
                break
        table = bench.match.table
        clock.stop()

        assert not bench.host.ended
        assert table.faults == []
        assert not any(move.late for move in table.moves)
        assert max(move.elapsed_us for move in table.moves) > LIMIT.move + LIMIT.grace
        assert all(move.charge_us <= LIMIT.move for move in table.moves)
