"""Memory of a thousand running matches of each game at its most seats, each at another point of its course: what a
referee's process grows by for the engine's part (driver, state, logs, the seats' last views) and with the encoders,
which keep the bytes of view parts; and by tracemalloc for one match."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Iterator
from multiprocessing.connection import Connection
from typing import Any

from tests.bench.load import SPAWN, deaf_to_interrupts, resident_memory
from tests.bench.playouts import begin, draw
from tests.bench.report import Line, Row

from agon.codec.down import PartCache, SeatEncoder
from agon.codec.frames import Clock
from agon_engine.core.driver import Deal, Table
from agon_engine.core.game import Game
from agon_engine.core.policy import FaultPolicy
from agon_engine.core.timing import TimeControl
from agon_engine.registry import game_names, get_game

MATCHES = 1_000
TRACED = 100
"""Matches whose memory tracemalloc counts: it is slow."""
MIB = 1 << 20
FIRST_PICK = 12_345


class Running:
    """A match as a referee holds it, played at random."""

    __slots__ = ("encoders", "table", "views")

    def __init__(self, game: Game[Any], seats: int, number: int, *, encoded: bool) -> None:
        """`encoded`: each Decide is encoded too, as for bots that take full views."""
        deal = Deal.of(game, seats, {}, number.to_bytes(16, "little"))
        self.table = Table(game, deal, FaultPolicy.default(seats), TimeControl())
        self.views: list[Any] = [None] * seats
        parts, notation = PartCache(), game.notation
        self.encoders = (
            [SeatEncoder(notation, f"match{number:011}", seat, 1, False, parts) for seat in range(seats)]
            if encoded
            else []
        )

    def play(self, decisions: int) -> None:
        """Play so many decisions, fewer than the match has."""
        table, pick = self.table, FIRST_PICK
        for _ in range(decisions):
            decision = table.decision
            assert decision is not None
            seat = decision.seat
            view = self.views[seat] = table.state.view(seat)
            news = table.news(seat)
            if self.encoders:
                self.encoders[seat].decide(
                    table.sequence(seat), table.asked[seat], decision.prompt, news, view, decision.actions, Clock(1, 2)
                )
            pick = draw(pick)
            table.choose(seat, decision.actions[(pick >> 8) % len(decision.actions)])


def length_of(game: Game[Any], seats: int, number: int) -> int:
    """Return how many decisions the match of that number has."""
    state, decisions, pick = begin(game, seats, number), 0, FIRST_PICK
    while (decision := state.decision) is not None:
        pick = draw(pick)
        state.apply(decision.actions[(pick >> 8) % len(decision.actions)])
        decisions += 1
    return decisions


def running(game: Game[Any], seats: int, count: int, *, encoded: bool) -> list[Running]:
    """Return so many matches, the first at its beginning, the last near its end."""
    matches = []
    for number in range(count):
        match = Running(game, seats, number, encoded=encoded)
        match.play(length_of(game, seats, number) * number // count)
        matches.append(match)
    return matches


def _hold(pipe: Connection, name: str, seats: int, count: int, encoded: bool, traced: bool) -> None:
    """Send the bytes that so many matches take in this process."""
    game = get_game(name)
    warm = running(game, seats, 10, encoded=encoded)  # what all matches share is there by now
    del warm
    if traced:
        tracemalloc.start()
        before, _ = tracemalloc.get_traced_memory()
        matches = running(game, seats, count, encoded=encoded)
        gc.collect()
        after, _ = tracemalloc.get_traced_memory()
    else:
        before = resident_memory(trim=True)
        matches = running(game, seats, count, encoded=encoded)
        after = resident_memory(trim=True)
    assert len(matches) == count
    pipe.send(after - before)


def held(name: str, seats: int, count: int, *, encoded: bool, traced: bool) -> int:
    """Return the bytes that so many matches take, measured in a process of their own."""
    pipe, other = SPAWN.Pipe()
    process = SPAWN.Process(target=_hold, args=(other, name, seats, count, encoded, traced), daemon=True)
    with deaf_to_interrupts():
        process.start()
    other.close()
    bytes_held: int = pipe.recv()
    process.join()
    return bytes_held


def measure(*, quick: bool = False) -> Iterator[Line]:
    """Measure every registered game, with and without encoders."""
    matches, traced = (50, 10) if quick else (MATCHES, TRACED)
    for name in game_names():
        seats = get_game(name).spec.max_seats
        for encoded in (False, True):
            what = "with encoders" if encoded else "the engine's part"
            grown = held(name, seats, matches, encoded=encoded, traced=False)
            counted = held(name, seats, traced, encoded=encoded, traced=True)
            yield Row(
                f"{name} {seats} seats: {MATCHES:,} running matches, {what}",
                grown / matches * MATCHES / MIB,
                "MiB more",
                details={"KiB each": grown / matches / 1024, "KiB each by tracemalloc": counted / traced / 1024},
            )
