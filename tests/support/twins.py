"""The leak test on the wire: a match in each of two worlds that a seat cannot tell apart, and what the seat is sent.

Both matches are played by choices that look the same to the seat: what another seat chooses in private may be another
thing in each world, and so are the time that it takes and the notes that it writes. None of that may reach the seat.
What the seat itself says out of place, and where it comes back, is the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count, islice, zip_longest
from typing import Any, NamedTuple

from tests.support.referee import Bench, make_entry

from agon.codec.client import decode_down
from agon.codec.frames import Decide, Down, Over, ToldEvent
from agon_engine.conformance import Case, Swaps, World, worlds
from agon_engine.core import Chance, FaultPolicy, Game, OnFault, Seat, State, Told
from agon_engine.core.timing import TimeControl

PATIENT = FaultPolicy(OnFault.SUBSTITUTE, attempts=100, strikes=100)
TIME = TimeControl(move=2_000_000, bank=0, grace=0)
STEPS = 3_000
"""More than a match has."""
SECONDS = 0.1
OTHER_SECONDS = (0.1, 0.7)
"""What the seat's opponents take for a choice, by world."""


class Watched(NamedTuple):
    """A game as it is watched."""

    game: Game[Any]
    swaps: Swaps
    """How hidden facts are exchanged."""
    at: Callable[[State[Any]], bool] | None = None
    """The positions that are looked at; None: any."""
    told: Callable[[str], str] = str
    """What all are told of an answer to a question that nobody else sees, by its code."""

    def twins(self, seats: int, positions: int, seed: int = 0) -> Iterator[Twins]:
        """Yield pairs of worlds at some positions of a match; of those wanted, at as many, match after match."""
        pairs: Iterator[tuple[Case, World]] = islice(self._wanted(seats, seed), positions * seats)
        if self.at is None:
            case = Case(self.game, seats, seed)
            pairs = ((case, world) for world in worlds(self.game, seats, seed, positions, swaps=self.swaps))
        for number, (case, world) in enumerate(pairs):
            if world.known.decision is not None:
                yield Twins(case, world, number, self.told)

    def _wanted(self, seats: int, first: int) -> Iterator[tuple[Case, World]]:
        """Yield exchanges at each wanted position, match after match."""
        assert self.at is not None
        for seed in count(first):
            case = Case(self.game, seats, seed)
            for number, state in case.walk():
                for seat in range(seats) if self.at(state) else ():
                    for other in self.swaps(state, seat, case.chance(f"wanted {number} {seat}")):
                        yield case, World(seat, state.clone(), other, number, "swap")


class Twins:
    """A match in each of two worlds."""

    def __init__(self, case: Case, world: World, number: int, told: Callable[[str], str]) -> None:
        self.told = told
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
            if len(asked) > 1:
                assert self._has_shown(), f"{self.world.name}: who is asked tells the worlds apart"
                return "a hidden fact has shown"

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

        listed = [self._listed(bench, private=seat != self.seat) for bench in self.benches]
        common = [told for told in listed[0] if told in listed[1]]
        if not common:
            return "the worlds list no choice in common"

        told = self.choices.choice("action", common)
        for bench, indices, seconds in zip(self.benches, listed, OTHER_SECONDS, strict=True):
            bench.clock.advance(SECONDS if seat == self.seat else seconds)
            if seat != self.seat:
                bench.match.note(seat, "." * round(10 * seconds))
            bench.choose(seat, self.choices.choice("index", indices[told]))
        return None

    def _listed(self, bench: Bench, *, private: bool) -> dict[str, list[int]]:
        """Return the indices of the choices by what all are told of them, or by their codes."""
        table = bench.match.table
        assert table.decision is not None
        found: dict[str, list[int]] = {}
        for index, action in enumerate(table.decision.actions):
            code = table.game.notation.code(action)
            found.setdefault(self.told(code) if private else code, []).append(index)
        return found

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
            if piece is None or twin is None:
                assert self._has_shown(), f"{where} is there in one world only: {piece or twin!r}"
                return "a hidden fact has shown"
            if piece != twin:
                check_shown(where, *decode_down(piece), *decode_down(twin))
                return "a hidden fact has shown"
            self.same += 1
        return None

    def _has_shown(self) -> bool:
        """Whether the seat is told, or is to be told with its next question, of a fact that differs: then who is asked
        may be another one too. That something happens in one world only is no such fact."""
        one, other = (bench.match.table.events_after(self.seat, 0) for bench in self.benches)
        first = next((pair for pair in zip(one, other, strict=False) if pair[0] != pair[1]), None)
        return first is not None and kind_of(first[0]) == kind_of(first[1])


def kind_of(told: Told | ToldEvent) -> tuple[object, ...]:
    """Return the first word of an event, its seat and its maker."""
    code, seat, maker = told
    return code.split()[0], seat, maker


def check_shown(where: str, frame: Down, twin: Down) -> None:
    """Let frames differ only where a fact shows as it should: told by an event, and from then on held by the view.

    More events may follow from a fact in one of the worlds, and the sequence counts them all: it may differ with them.
    """
    one, other = frame.body, twin.body
    if isinstance(one, Over) and isinstance(other, Over):
        assert one.sequence == other.sequence or counts_alike(one, other), f"{where} differs in its numbers"
        assert one.clock == other.clock, f"{where} differs in its numbers"
        results = [(over.events, over.placements, over.scores) for over in (one, other)]
        assert results[0] != results[1], f"{where} differs, but in nothing that a result shows: {one!r} and {other!r}"
        return

    assert isinstance(one, Decide), f"{where} differs: {frame!r} and {twin!r}"
    assert isinstance(other, Decide), f"{where} differs: {frame!r} and {twin!r}"

    assert one.sequence == other.sequence or counts_alike(one, other), f"{where} differs in its numbers"
    numbers, others = ((decide.decision, decide.clock, decide.full) for decide in (one, other))
    assert numbers == others, f"{where} differs in its numbers"
    assert one.events != other.events, f"{where} differs, but in no event: {one!r} and {other!r}"
    assert one.view != other.view, f"{where} differs in its events alone: {one.events!r} and {other.events!r}"


def counts_alike(one: Decide | Over, other: Decide | Over) -> bool:
    """Tell whether sequences differ only by events that follow from a fact which has shown before them."""
    first = next((pair for pair in zip(one.events, other.events, strict=False) if pair[0] != pair[1]), None)
    shown = first is not None and kind_of(first[0]) == kind_of(first[1])
    return shown and one.sequence - len(one.events) == other.sequence - len(other.events)
