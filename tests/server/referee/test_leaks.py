"""Nothing hidden reaches a seat's stream: whole matches played from two states that differ only in what the seat may
not know give it the same bytes until the fact shows (H1, H3, H4); and each way to tell it would be found."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import pytest
from tests.support.swaps import SWAPS
from tests.support.twins import Watched

from agon.codec.frames import Clock as ClockAccount
from agon_engine.core import Chance, Decision, Event, OptionValue, Seat, State, Table
from agon_engine.core.policy import Result
from agon_engine.core.telling import Logs
from agon_engine.elysium import GAME as ELYSIUM, Elysium, ElysiumState, events, viewing
from agon_engine.elysium.enums import PRIVATE
from agon_engine.elysium.layout import DISCARD
from agon_engine.ephyran.state import EphyranState
from agon_engine.registry import game_names, get_game
from agon_server.referee.match import Match
from agon_server.referee.seat import SeatPlay


def deep_in_the_deck(state: State[Any], seat: Seat, chance: Chance) -> Iterator[State[Any]]:
    """Exchange a card of another's hand of Ephyran, that nobody has seen there, for one deep in the deck."""
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


def start_peeking(
    _: Elysium, seats: int, chance: Chance, options: Mapping[str, OptionValue] | None = None
) -> ElysiumState:
    """Start Elysium with the families that look into the draw pile, and a pile so small that the discard pile is soon
    shuffled under it (D1)."""
    state = ELYSIUM.start(seats, chance, {**(options or {}), "families": "apollo,athena,hades,hermes,poseidon"})
    state.rows[DISCARD] = state.deck[:-12]
    del state.deck[:-12]
    state.stale = -1
    return state


PEEKING: Elysium = type("Peeking", (type(ELYSIUM),), {"start": start_peeking})()


def is_private(state: State[Any]) -> bool:
    """Whether a seat of Elysium is looking at cards."""
    assert isinstance(state, ElysiumState)
    return state.decision is not None and state.pending.todo >= PRIVATE


def told_of(code: str) -> str:
    """What all are told of an answer of Elysium: how many cards go on top and to the bottom, and that one is kept."""
    if not re.fullmatch(r"(top( \d)+)? ?(bottom( \d)+)?", code):
        return "keep" if code.startswith("keep ") else code

    top, _, bottom = code.partition("bottom")
    return f"{len(top.split())} {len(bottom.split())}"


WATCHED = {
    **{name: Watched(get_game(name), SWAPS[name]) for name in game_names()},
    "ephyran": Watched(get_game("ephyran"), deep_in_the_deck),
    "elysium, peeking": Watched(PEEKING, SWAPS["elysium"], is_private, told_of),
}
POSITIONS = 8
"""Of a match of two seats; with more there are more pairs at each. Where few positions are looked at they are those in
which a fact soon shows: of these three times as many."""


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("watched", WATCHED)
def test_a_seats_frames_are_the_same_bytes_in_both_worlds_until_the_fact_shows(watched: str, seats: int) -> None:
    """Ids, sequences, questions, clocks and error texts too, in full views and in changed parts; how long the others
    take and what they note tells the seat nothing."""
    ends: dict[str, list[int]] = {}
    positions = (POSITIONS - seats) * (1 if WATCHED[watched].at is None else 3)
    for twins in WATCHED[watched].twins(seats, positions, seats - 2):
        ends.setdefault(twins.play(), []).append(twins.same)

    assert sum(sum(same) for same in ends.values()) > 1_000, ends
    assert max(ends["the match is over"]) > 150, ends
    assert ends["a hidden fact has shown"], ends


# -- planted leaks -------------------------------------------------------------------------------------------


def odd(state: State[Any]) -> bool:
    """A hidden fact of any game: it depends on all of the state."""
    return int(state.digest()[:8], 16) % 2 == 1


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
    """The table shows a number that depends on what is hidden."""
    for state_class, field in ((EphyranState, "quiet_rounds"), (ElysiumState, "written")):
        patch.setattr(state_class, "view", telling_view(state_class, field))


def telling_view(state_class: type[State[Any]], field: str) -> Callable[[State[Any], Seat | None], Any]:
    whole = state_class.view

    def view(self: State[Any], seat: Seat | None) -> Any:
        built = whole(self, seat)
        return built._replace(table=built.table._replace(**{field: int(odd(self))}))

    return view


def leak_sequence(patch: pytest.MonkeyPatch) -> None:
    """The numbers count a hidden fact."""
    whole = Table.sequence

    def sequence(self: Table, seat: Seat | None) -> int:
        return whole(self, seat) + odd(self.state)

    patch.setattr(Table, "sequence", sequence)


def leak_question(patch: pytest.MonkeyPatch) -> None:
    """The order of what may be chosen depends on what is hidden."""
    plant_question(patch, lambda asked: Decision(asked.seat, asked.prompt, asked.actions[::-1]))


def leak_prompt(patch: pytest.MonkeyPatch) -> None:
    """The words of the question depend on what is hidden."""
    plant_question(patch, lambda asked: Decision(asked.seat, f"{asked.prompt} now", asked.actions))


def plant_question(patch: pytest.MonkeyPatch, other: Callable[[Decision], Decision]) -> None:
    whole = SeatPlay.send_decide

    def send_decide(self: SeatPlay, *, full: bool = False, read_at: int = 0) -> None:
        table, decision = self._table, self._table.decision
        assert decision is not None
        if odd(table.state):
            table.decision = other(decision)
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
    """Another frame comes where a hidden fact is so."""
    whole = SeatPlay.send_decide

    def send_decide(self: SeatPlay, *, full: bool = False, read_at: int = 0) -> None:
        whole(self, full=full, read_at=read_at)
        if odd(self._table.state):
            self.send_accepted(1, 0)

    patch.setattr(SeatPlay, "send_decide", send_decide)


def leak_clock(patch: pytest.MonkeyPatch) -> None:
    """A seat is shown what the last choice of another was charged."""
    whole = SeatPlay._account

    def account(self: SeatPlay) -> ClockAccount:
        accounts = self._table.accounts
        other = accounts[(self._seat + 1) % len(accounts)]
        return whole(self)._replace(last_charge_us=other.last_charge)

    patch.setattr(SeatPlay, "_account", account)


def leak_over(patch: pytest.MonkeyPatch) -> None:
    """The end tells what the last choice of another was charged."""
    whole = SeatPlay.send_over

    def send_over(self: SeatPlay, result: Result, record_hash: str, seed: str) -> bytes:
        accounts = self._table.accounts
        mine, accounts[self._seat] = accounts[self._seat], accounts[(self._seat + 1) % len(accounts)]
        sent = whole(self, result, record_hash, seed)
        accounts[self._seat] = mine
        return sent

    patch.setattr(SeatPlay, "send_over", send_over)


def leak_notes(patch: pytest.MonkeyPatch) -> None:
    """A note to a bot's own log is answered, to all."""

    def note(self: Match, seat: int, text: str) -> None:
        for play in self.seats:
            play.send_accepted(len(text), seat)

    patch.setattr(Match, "note", note)


def leak_looks(patch: pytest.MonkeyPatch) -> None:
    """What a seat looks at in Elysium, all are told."""
    whole = events.looked

    def looked(seat: int, names: list[str]) -> Event:
        told = whole(seat, names)
        return told._replace(code=told.secret)

    patch.setattr(events, "looked", looked)


def leak_order(patch: pytest.MonkeyPatch) -> None:
    """How a seat of Elysium puts cards back, all are told."""
    whole = events.put

    def put(seat: int, top: int, bottom: int, code: str) -> Event:
        return whole(seat, top, bottom, code)._replace(code=code)

    patch.setattr(events, "put", put)


def leak_silent_order(patch: pytest.MonkeyPatch) -> None:
    """Who puts cards back in Elysium as they were is not told of."""
    whole = events.put

    def put(seat: int, top: int, bottom: int, code: str) -> Event:
        told = whole(seat, top, bottom, code)
        return told._replace(code="") if "2 1" not in code else told

    patch.setattr(events, "put", put)


def leak_faces(patch: pytest.MonkeyPatch) -> None:
    """The Citizens of Elysium lie face up."""
    whole = viewing._cards

    def cards(state: ElysiumState, cards: Sequence[int]) -> tuple[tuple[int, ...], ...]:
        return tuple(state.tables.design[abs(card)] for card in cards), *whole(state, tuple(cards))[1:]

    patch.setattr(viewing, "_cards", cards)


class Planted(NamedTuple):
    """A leak, what is said of it, and the games that it is planted in."""

    leak: Callable[[pytest.MonkeyPatch], None]
    said: str
    watched: tuple[str, ...] = ("ephyran", "elysium, peeking")


LEAKS = (
    Planted(leak_words, "differs: "),
    Planted(leak_events, "differs in its events alone|differs in its numbers"),
    Planted(leak_view, "differs, but in no event"),
    Planted(leak_sequence, "differs in its numbers"),
    Planted(leak_question, "differs, but in no event"),
    Planted(leak_prompt, "differs, but in no event"),
    Planted(leak_silence, "who is asked tells the worlds apart|differs in its numbers|in no event|only", ("ephyran",)),
    Planted(leak_extra_frame, "is there in one world only"),
    Planted(leak_clock, "differs in its numbers"),
    Planted(leak_over, "differs in its numbers"),
    Planted(leak_notes, "differs: "),
    Planted(leak_looks, "differs in its events alone", ("elysium, peeking",)),
    Planted(leak_order, "differs in its events alone", ("elysium, peeking",)),
    Planted(leak_silent_order, "differs in its numbers", ("elysium, peeking",)),
    Planted(leak_faces, "differs, but in no event", ("elysium, peeking",)),
)


@pytest.mark.parametrize(
    ("planted", "watched"),
    [
        pytest.param(planted, name, id=f"{planted.leak.__name__}-{name}")
        for planted in LEAKS
        for name in planted.watched
    ],
)
def test_a_leak_that_is_planted_is_found(planted: Planted, watched: str) -> None:
    def look() -> None:
        for twins in WATCHED[watched].twins(3, positions=24, seed=1):
            twins.play()

    with pytest.MonkeyPatch.context() as patch:
        planted.leak(patch)
        with pytest.raises(AssertionError, match=planted.said):
            look()
