"""The leak test on the wire: a match in each of two worlds that a seat cannot tell apart, and what the seat is sent.

Both matches are played by the same choices. The other seats take another time for them in each world and write other
notes: none of that may reach the seat. What the seat itself says out of place, and where it comes back, is the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from typing import Any, NamedTuple

from tests.support.referee import Bench, make_entry

from agon.codec.client import decode_down
from agon.codec.frames import Decide, Down, Over
from agon_engine.conformance import Case, Swaps, World, worlds
from agon_engine.core import Chance, Decision, FaultPolicy, Game, OnFault, Seat
from agon_engine.core.timing import TimeControl

PATIENT = FaultPolicy(OnFault.SUBSTITUTE, attempts=100, strikes=100)
TIME = TimeControl(move=2_000_000, bank=0, grace=0)
STEPS = 3_000
"""More than a match has."""
SECONDS = 0.1
OTHER_SECONDS = (0.1, 0.7)
"""What the seat's opponents take for a choice, by world."""


class Watched(NamedTuple):
    """A game, and how hidden facts of it are exchanged."""

    game: Game[Any]
    swaps: Swaps

    def twins(self, seats: int, positions: int, seed: int = 0) -> Iterator[Twins]:
        """Yield the pairs of worlds at some positions of a match."""
        case = Case(self.game, seats, seed)
        for number, world in enumerate(worlds(self.game, seats, seed, positions, swaps=self.swaps)):
            if world.known.decision is not None:
                yield Twins(case, world, number)


class Twins:
    """A match in each of two worlds."""

    def __init__(self, case: Case, world: World, number: int) -> None:
        self.world = world
        self.seat = world.seat
        entry = make_entry(case.seats, time=TIME, policy=PATIENT, game=case.game.spec.name, options=case.options)
        changed = number % 2 == 0
        self.benches = [
            Bench(entry=entry, changed=changed, game=case.game, state=state).begin()
            for state in (world.known, world.other)
        ]
        self.same = 0
        """How many frames of the seat were the same so far."""
        self.choices = Chance(bytes(16)).fork(f"leaks {number}")

    def play(self) -> str:
        """Play until a hidden fact shows, or to the end; return why it ended. Raise AssertionError at a leak."""
        for step in range(STEPS):
            apart = self._compare()
            if apart is not None:
                return apart
            if any(bench.is_over for bench in self.benches):
                assert all(bench.is_over for bench in self.benches), f"{self.world.name}: one world is over"
                return "the match is over"

            asked = {bench.to_act for bench in self.benches}
            assert len(asked) == 1, f"{self.world.name}: who is asked tells the worlds apart"
            seat = asked.pop()
            self._make_noise(step, seat)
            apart = self._compare() or self._step(step, seat)
            if apart is not None:
                return apart
        raise AssertionError("no end in sight")

    def _step(self, step: int, seat: Seat) -> str | None:
        if step % 17 == 16 and seat == self.seat:
            for bench in self.benches:
                bench.clock.advance(2)
            return None

        one, other = (decision_of(bench) for bench in self.benches)
        both = set(other.actions)
        common = [action for action in one.actions if action in both]
        if not common:
            return "the worlds list no choice in common"

        action = self.choices.choice("action", common)
        for bench, decision, seconds in zip(self.benches, (one, other), OTHER_SECONDS, strict=True):
            bench.clock.advance(SECONDS if seat == self.seat else seconds)
            if seat != self.seat:
                bench.match.note(seat, "." * round(10 * seconds))
            bench.choose(seat, decision.actions.index(action))
        return None

    def _make_noise(self, step: int, asked: Seat) -> None:
        """Let the seat say what does not fit, and come back: the answers must not differ either."""
        latest = self.benches[0].match.table.asked[self.seat]
        other_ids = {0, 1, latest - 1, latest, latest + 1} - ({latest} if asked == self.seat else set())
        for bench in self.benches:
            if step % 3 == 0:
                for decision in sorted(other_ids - {-1}):
                    bench.choose(self.seat, 3, decision=decision)
            if step % 4 == 1 and asked == self.seat:
                bench.choose(self.seat, 999)
            if step % 11 == 7:
                told = bench.streams[self.seat].of(Decide)
                bench.join(self.seat, sequence=told[-1].sequence if told and step % 2 else 0)

    def _compare(self) -> str | None:
        one, other = (bench.streams[self.seat].pieces[self.same :] for bench in self.benches)
        for piece, twin in zip_longest(one, other):
            where = f"{self.world.name}, frame {self.same} of the seat"

            assert piece is not None, f"{where} is there in one world only: {twin!r}"
            assert twin is not None, f"{where} is there in one world only: {piece!r}"

            if piece != twin:
                check_shown(where, *decode_down(piece), *decode_down(twin))
                return "a hidden fact has shown"
            self.same += 1
        return None


def decision_of(bench: Bench) -> Decision:
    decision = bench.match.table.decision
    assert decision is not None
    return decision


def check_shown(where: str, frame: Down, twin: Down) -> None:
    """Let frames differ only where a fact shows as it should: told by an event, and from then on held by the view."""
    one, other = frame.body, twin.body
    if isinstance(one, Over) and isinstance(other, Over):
        assert (one.sequence, one.clock) == (other.sequence, other.clock), f"{where} differs in its numbers"
        assert one.events != other.events, f"{where} differs, but in no event: {one!r} and {other!r}"
        return

    assert isinstance(one, Decide), f"{where} differs: {frame!r} and {twin!r}"
    assert isinstance(other, Decide), f"{where} differs: {frame!r} and {twin!r}"

    assert (one.sequence, one.decision, one.clock, one.full) == (
        other.sequence,
        other.decision,
        other.clock,
        other.full,
    ), f"{where} differs in its numbers"
    assert one.events != other.events, f"{where} differs, but in no event: {one!r} and {other!r}"
    assert one.view != other.view, f"{where} differs in its events alone: {one.events!r} and {other.events!r}"
