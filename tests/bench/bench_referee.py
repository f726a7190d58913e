"""Referee efficiency: decisions per server CPU-second of real matches whose bots answer at once, over round trips per
server CPU-second of a bare grpc.aio ping-pong on 64 streams with messages of the same mean size; and the cost by part.
Both sides have a connection for each stream, as bots do, since a system call for each message is much of what is paid.

Matches are queued by the benchmark and not by pairing, so that the referee is what is measured; everything else of a
server runs, clocks, metrics, store and archive included.
"""

from __future__ import annotations

import asyncio
import resource
import time
from contextlib import nullcontext
from multiprocessing.connection import Connection
from typing import Any

import grpc
import grpc.aio
import uvloop
from tests.bench.load import (
    GAME,
    SPAWN,
    ServerProcess,
    Tally,
    deaf_to_interrupts,
    environment_of_servers,
    load,
    server_with_room,
)
from tests.bench.report import Row, median, progress
from tests.bench.walk import cost_of_walk

from agon.codec.down import PartCache, SeatEncoder
from agon.codec.frames import Clock
from agon_engine.core.chance import Chance
from agon_engine.core.compiled import is_compiled
from agon_engine.core.driver import UNTIMED, Deal, Table
from agon_engine.core.policy import FaultPolicy
from agon_engine.core.timing import TimeControl
from agon_engine.registry import get_game

STREAMS = 64
CASES = {
    "64 streams of 1 match, full views": (64, 1, False, ">= 0.45"),
    "64 streams of 1 match, changed parts": (64, 1, True, ""),
    "2 streams of 32 matches, full views": (2, 32, False, ">= 1.5"),
    "2 streams of 32 matches, changed parts": (2, 32, True, ""),
}


# -- the bare ping-pong --------------------------------------------------------------------------------------


def _pong(pipe: Connection, size: int, *, as_served: bool) -> None:
    (uvloop.run if as_served else asyncio.run)(_ponging(pipe, bytes(size)))


async def _ponging(pipe: Connection, response: bytes) -> None:
    async def play(_: object, context: Any) -> None:
        while (await context.read()) is not grpc.aio.EOF:
            await context.write(response)

    server = grpc.aio.server(options=[("grpc.so_reuseport", 0)])
    method: Any = grpc.stream_stream_rpc_method_handler(play)
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("bench.Bare", {"Play": method}),))
    pipe.send(server.add_insecure_port("127.0.0.1:0"))
    await server.start()
    loop = asyncio.get_running_loop()
    questions: asyncio.Queue[str] = asyncio.Queue()
    loop.add_reader(pipe.fileno(), lambda: questions.put_nowait(pipe.recv()))
    while (await questions.get()) != "stop":
        usage = resource.getrusage(resource.RUSAGE_SELF)
        pipe.send(usage.ru_utime + usage.ru_stime)
    loop.remove_reader(pipe.fileno())
    await server.stop(0)


async def bare_round_trips(
    request_size: int, response_size: int, seconds: float, *, shared: bool = False, as_served: bool = False
) -> float:
    """Return round trips per server CPU-second on 64 streams, each on a connection of its own as bots have them, or
    all `shared` on one (then gRPC puts many messages in one system call). `as_served`: on uvloop, and reading sockets
    where our server does."""
    pipe, other = SPAWN.Pipe()
    process = SPAWN.Process(target=_pong, args=(other, response_size), kwargs={"as_served": as_served}, daemon=True)
    with deaf_to_interrupts(), environment_of_servers() if as_served else nullcontext():
        process.start()
    address = f"127.0.0.1:{pipe.recv()}"
    channels = [
        grpc.aio.insecure_channel(address, options=[("grpc.use_local_subchannel_pool", 1)])
        for _ in range(1 if shared else STREAMS)
    ]
    trips, going_on = 0, True
    request = bytes(request_size)

    async def ping(channel: grpc.aio.Channel) -> None:
        nonlocal trips
        call: Any = channel.stream_stream("/bench.Bare/Play")()
        while going_on:
            await call.write(request)
            await call.read()
            trips += 1
        # Ended from here and not cut, so that the server has nothing open when it stops: it would tell of each stream.
        await call.done_writing()
        while (await call.read()) is not grpc.aio.EOF:
            pass

    tasks = [asyncio.create_task(ping(channels[number % len(channels)])) for number in range(STREAMS)]

    async def reading() -> float:
        pipe.send("cpu")
        cpu = await asyncio.to_thread(pipe.recv)
        assert isinstance(cpu, float)
        return cpu

    await asyncio.sleep(seconds / 4)
    cpu, before = await reading(), trips
    await asyncio.sleep(seconds)
    cpu, done = await reading() - cpu, trips - before
    going_on = False
    await asyncio.gather(*tasks)
    for channel in channels:
        await channel.close()
    pipe.send("stop")
    process.join(10)
    return done / cpu


# -- real matches --------------------------------------------------------------------------------------------


async def decisions_per_cpu(
    server: ServerProcess, bots: int, slots: int, seconds: float, *, changed: bool
) -> tuple[float, Tally]:
    """Return decisions per server CPU-second, and what the bots saw."""
    async with load(server, bots=bots, slots=slots, changed=changed) as (tally, _):
        await asyncio.sleep(seconds / 2)
        before = await server.read()
        await asyncio.sleep(seconds)
        after = await server.read()
    if tally.refused:
        raise RuntimeError(f"the server refused frames: {tally.refused[0]}")
    return (after.decisions - before.decisions) / (after.cpu - before.cpu), tally


async def _measure(rounds: int, seconds: float) -> list[Row]:
    server = server_with_room()
    bare: list[float] = []
    shared: list[float] = []
    as_served: list[float] = []
    figures: dict[str, list[float]] = {name: [] for name in CASES}
    batches: dict[str, float] = {}
    try:
        _, tally = await decisions_per_cpu(server, STREAMS, 1, seconds / 2, changed=False)
        request, response = tally.up_bytes // tally.up_frames, tally.decide_bytes // tally.decides
        for number in range(rounds):
            progress(f"round {number + 1} of {rounds}")
            bare.append(await bare_round_trips(request, response, seconds))
            shared.append(await bare_round_trips(request, response, seconds, shared=True))
            as_served.append(await bare_round_trips(request, response, seconds, as_served=True))
            for name, (bots, slots, changed, _) in CASES.items():
                figure, seen = await decisions_per_cpu(server, bots, slots, seconds, changed=changed)
                figures[name].append(figure)
                batches[name] = seen.decides / seen.messages
    finally:
        server.stop()

    sizes = f"{request} B up, {response} B down"
    rows = [
        Row("bare grpc.aio ping-pong, 64 streams, a connection each", median(bare), "trips/CPU-s", "", sizes),
        Row("bare grpc.aio ping-pong, 64 streams, one connection", median(shared), "trips/CPU-s", "", "for comparison"),
        Row("the first, with our server's loop and polling", median(as_served), "trips/CPU-s", "", "for comparison"),
    ]
    for name, (_, _, _, bar) in CASES.items():
        ratio = median([figure / trip for figure, trip in zip(figures[name], bare, strict=True)])
        note = f"{batches[name]:.1f} Decides a message"
        # Promised of the compiled build; the sources' figures stand beside it.
        rows.append(Row(f"{name}: efficiency", ratio, "decisions/trip", bar if is_compiled() else "", note))
        rows.append(Row(f"{name}: rate", median(figures[name]), "decisions/CPU-s"))
    return rows


# -- the cost by part ----------------------------------------------------------------------------------------


def cost_by_part(matches: int) -> dict[str, float]:
    """Return the microseconds of CPU time a decision costs with one part after the other added, without gRPC."""
    game = get_game(GAME)
    steps = ("rules", "driver", "view", "changed", "full")
    costs = {}
    for step in steps:
        pick, decisions = 1, 0
        began = time.process_time()
        for number in range(matches):
            seed = number.to_bytes(16, "little")
            if step == "rules":
                state = game.start(2, Chance(seed))
                while (decision := state.decision) is not None:
                    pick = (pick * 1_103_515_245 + 12_345) & 0x7FFFFFFF
                    state.apply(decision.actions[(pick >> 8) % len(decision.actions)])
                    decisions += 1
                continue

            table = Table(game, Deal.of(game, 2, {}, seed), FaultPolicy.default(2), TimeControl())
            parts = PartCache()
            encoders = [
                SeatEncoder(game.notation, "m" * 20, seat, 1, changed=step == "changed", shared=parts)
                for seat in (0, 1)
            ]
            while (decision := table.decision) is not None:
                seat = decision.seat
                if step != "driver":
                    view = table.state.view(seat)
                    if step != "view":
                        encoders[seat].decide(
                            table.sequence(seat),
                            table.asked[seat],
                            decision.prompt,
                            table.news(seat),
                            view,
                            decision.actions,
                            Clock(1, 2),
                        )
                pick = (pick * 1_103_515_245 + 12_345) & 0x7FFFFFFF
                table.choose(seat, decision.actions[(pick >> 8) % len(decision.actions)], UNTIMED)
                decisions += 1
        costs[step] = 1e6 * (time.process_time() - began) / decisions
    return costs


def _part_rows(matches: int, seconds: float, figures: list[Row]) -> list[Row]:
    costs = cost_by_part(matches)
    # As many matches at once as the streams below have: what they touch is more than a cache holds.
    walk = min(cost_of_walk(GAME, 32, seconds) for _ in range(3))
    parts = {
        "rules": costs["rules"],
        "driver (accounts, events, moves)": costs["driver"] - costs["rules"],
        "view": costs["view"] - costs["driver"],
        "encoding": costs["full"] - costs["view"],
        "frames, clocks, journal, metrics": walk - costs["full"],
    }
    rows = [Row(f"cost of a decision: {name}", cost, "us CPU") for name, cost in parts.items()]
    by_name = {row.name: row.value for row in figures}
    for case in ("64 streams of 1 match, full views", "2 streams of 32 matches, full views"):
        left = 1e6 / by_name[f"{case}: rate"] - walk
        rows.append(
            Row(f"cost of a decision: gRPC, store, archive, {case}", left, "us CPU", "", "what is left of the whole")
        )
    return rows


def measure(*, quick: bool = False) -> list[Row]:
    """Measure, rounds interleaved; medians."""
    figures = asyncio.run(_measure(1, 1.0) if quick else _measure(5, 4.0))
    return figures + _part_rows(20 if quick else 100, 1.0 if quick else 4.0, figures)
