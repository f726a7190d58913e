"""Nothing hidden reaches a seat's stream: whole matches played from two states that differ only in what the seat may
not know give it the same bytes until the fact shows (H1, H3, H4)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import zip_longest
from typing import Any

import pytest
from tests.support.referee import GAME, Bench, make_entry

from agon.codec.client import decode_down
from agon.codec.frames import Decide, Down, Over
from agon_engine.conformance import World, worlds
from agon_engine.core import Chance, Decision, Event, FaultPolicy, OnFault, Seat, State, Table
from agon_engine.core.telling import Logs
from agon_engine.core.timing import TimeControl
from agon_engine.ephyran.state import EphyranState
from agon_engine.ephyran.view import View
from agon_engine.registry import get_game
from agon_server.referee.match import Match
from agon_server.referee.seat import SeatPlay

EPHYRAN = get_game(GAME)
PATIENT = FaultPolicy(OnFault.SUBSTITUTE, attempts=100, strikes=100)
TIME = TimeControl(move=2_000_000, bank=0, grace=0)


def swaps(state: State[Any], seat: Seat, chance: Chance) -> Iterator[State[Any]]:
    """Exchange a card of another's hand that nobody has seen there for one deep in the deck."""
    assert isinstance(state, EphyranState)
    seen = {sighting.card for accounts in state.accounts for account in accounts for sighting in account}
    deep = [place for place, card in enumerate(state.deck) if len(state.under) <= place < len(state.deck) - 6]
    deep = [place for place in deep if state.deck[place] not in seen]
    first = chance.below("first", state.seats)
    for other in [*range(first, state.seats), *range(first)]:
        hand = state.hands[other]
        unseen = [index for index, card in enumerate(hand) if card not in seen and card not in state.known[other]]
        asked = state.decision is not None and state.decision.seat == other
        if other == seat or asked or not unseen or not deep:
            continue

        swapped = state.clone()
        index, place = chance.choice("hand", unseen), chance.choice("deck", deep)
        swapped.hands[other][index], swapped.deck[place] = swapped.deck[place], swapped.hands[other][index]
        swapped.hands[other].sort()
        swapped.own_parts[other] = None
        if swapped.view(seat) == state.view(seat):
            yield swapped
            return


# -- two matches at once -------------------------------------------------------------------------------------


class Twins:
    """A match in each of two worlds, played by the same choices, with the same noise of the watching seat."""

    def __init__(self, world: World, number: int) -> None:
        self.world = world
        self.seat = world.seat
        known = world.known
        assert isinstance(known, EphyranState)
        options = {
            "defender_redraws": known.defender_redraws,
            "tie_break": known.tie_break.name.lower(),
        }
        entry = make_entry(known.seats, time=TIME, policy=PATIENT, options=options)
        changed = number % 2 == 0
        self.benches = [
            Bench(entry=entry, changed=changed, game=EPHYRAN, state=state).begin() for state in (known, world.other)
        ]
        self.same = 0
        """How many frames of the seat were the same so far."""
        self.choices = Chance(bytes(16)).fork(f"leaks {number}")

    def play(self) -> str:
        """Play until a hidden fact shows, or to the end; return why it ended. Raise AssertionError at a leak."""
        for step in range(400):
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
        for bench, decision in zip(self.benches, (one, other), strict=True):
            bench.clock.advance(0.1)
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
        # At the end hands, tokens and points are laid open.
        assert one.sequence == other.sequence, f"{where} differs in its numbers"
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


def pairs(seats: int, positions: int) -> Iterator[Twins]:
    for number, world in enumerate(worlds(EPHYRAN, seats, seats - 2, positions, swaps=swaps)):
        if world.known.decision is not None:
            yield Twins(world, number)


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_a_seats_frames_are_the_same_bytes_in_both_worlds_until_the_fact_shows(seats: int) -> None:
    """Ids, sequences, questions, clocks and error texts too, in full views and in changed parts."""
    ends: dict[str, list[int]] = {}
    for twins in pairs(seats, positions=8 - seats):
        ends.setdefault(twins.play(), []).append(twins.same)

    assert sum(sum(same) for same in ends.values()) > 1_000, ends
    assert max(ends["the match is over"]) > 200, ends
    assert ends["a hidden fact has shown"], ends


# -- planted leaks -------------------------------------------------------------------------------------------


def leak_words(patch: pytest.MonkeyPatch) -> None:
    """The words of a rejection depend on the whole state."""
    whole = SeatPlay.reject

    def reject(self: SeatPlay, frame: Any, code: Any, message: str) -> None:
        whole(self, frame, code, f"{message} ({self._table.state.digest()[:4]})")

    patch.setattr(SeatPlay, "reject", reject)


def leak_events(patch: pytest.MonkeyPatch) -> None:
    """Everybody is told every secret."""
    whole = Logs.tell

    def tell(self: Logs, events: Sequence[Event], *, substituted: bool = False) -> None:
        opened = [event._replace(audience=tuple(range(4))) for event in events]
        whole(self, opened, substituted=substituted)

    patch.setattr(Logs, "tell", tell)


def leak_view(patch: pytest.MonkeyPatch) -> None:
    """The table shows whether the lowest card of another hand is odd."""
    whole = EphyranState.view

    def view(self: EphyranState, seat: Seat | None) -> View:
        built = whole(self, seat)
        odd = sum(hand[0] % 2 << other for other, hand in enumerate(self.hands) if hand)
        return built._replace(table=built.table._replace(quiet_rounds=odd))

    patch.setattr(EphyranState, "view", view)


def leak_sequence(patch: pytest.MonkeyPatch) -> None:
    """The numbers count a hidden fact."""
    whole = Table.sequence

    def sequence(self: Table, seat: Seat | None) -> int:
        state = self.state
        assert isinstance(state, EphyranState)
        return whole(self, seat) + sum(map(sum, state.hands)) % 2

    patch.setattr(Table, "sequence", sequence)


def leak_question(patch: pytest.MonkeyPatch) -> None:
    """The order of what may be chosen depends on the other hands."""
    whole = SeatPlay.send_decide

    def send_decide(self: SeatPlay, *, full: bool = False, read_at: int = 0) -> None:
        table, decision = self._table, self._table.decision
        state = table.state
        assert decision is not None
        assert isinstance(state, EphyranState)
        if sum(map(sum, state.hands)) % 2:
            table.decision = Decision(decision.seat, decision.prompt, decision.actions[::-1])
        whole(self, full=full, read_at=read_at)
        table.decision = decision

    patch.setattr(SeatPlay, "send_decide", send_decide)


def leak_silence(patch: pytest.MonkeyPatch) -> None:
    """A seat is not asked where it has one choice only, which the others notice by whom the table waits for."""
    whole = Match._go_on

    def go_on(self: Match) -> None:
        whole(self)
        decision = self.table.decision
        if decision is not None and len(decision.actions) == 1 and decision.prompt.startswith("react"):
            self.table.choose(decision.seat, decision.actions[0])
            go_on(self)

    patch.setattr(Match, "_go_on", go_on)


def leak_extra_frame(patch: pytest.MonkeyPatch) -> None:
    """Another frame comes where another hand holds a certain card."""
    whole = SeatPlay.send_decide

    def send_decide(self: SeatPlay, *, full: bool = False, read_at: int = 0) -> None:
        whole(self, full=full, read_at=read_at)
        state = self._table.state
        assert isinstance(state, EphyranState)
        if sum(map(sum, state.hands)) % 2:
            self.send_accepted(1, 0)

    patch.setattr(SeatPlay, "send_decide", send_decide)


LEAKS: dict[Callable[[pytest.MonkeyPatch], None], str] = {
    leak_words: "differs: ",
    leak_events: "differs in its events alone|differs in its numbers",
    leak_view: "differs, but in no event",
    leak_sequence: "differs in its numbers",
    leak_question: "differs, but in no event",
    leak_silence: "who is asked tells the worlds apart|differs in its numbers|differs, but in no event|one world only",
    leak_extra_frame: "is there in one world only",
}


@pytest.mark.parametrize("leak", LEAKS, ids=lambda leak: leak.__name__)
def test_a_leak_that_is_planted_is_found(leak: Callable[[pytest.MonkeyPatch], None]) -> None:
    def look() -> None:
        for twins in pairs(3, positions=12):
            twins.play()

    with pytest.MonkeyPatch.context() as patch:
        leak(patch)
        with pytest.raises(AssertionError, match=LEAKS[leak]):
            look()
