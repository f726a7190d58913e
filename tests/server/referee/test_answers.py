"""The table of frames and answers of the contract, row by row, on real streams. What Hello is answered with, and Join
of a match that does not run here, is tested where it is judged."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
from tests.support.referee import Bench
from tests.support.streams import Client, StreamBench, settle

from agon.codec.frames import (
    Accepted,
    Choose,
    Decide,
    Hello,
    HelloGame,
    Join,
    Note,
    Notice,
    NoticeKind,
    Over,
    Pong,
    Ready,
    Rejected,
    RejectedCode,
    Resign,
    Slots,
    UpBody,
)
from agon.codec.up import FRAME_BYTES, NOTE_BYTES
from agon.v1 import play_pb2
from agon_engine.core import FaultPolicy, OnFault, Termination, TimeControl

R = RejectedCode
S = 1_000_000
TIME = TimeControl(move=2 * S, bank=0, grace=0)
POLICY = FaultPolicy(OnFault.SUBSTITUTE, strikes=100)
HELLO = Hello("t", (HelloGame("ephyran"),))


class Seats:
    """A match between two seats on streams of their own, in the words of the table."""

    def __init__(self, bench: StreamBench, clients: list[Client]) -> None:
        self.bench = bench
        self.clients = clients
        self.match = bench.entry.match

    @property
    def asked(self) -> int:
        decision = self.bench.match.table.decision
        assert decision is not None
        return decision.seat

    async def say(self, seat: int, *bodies: UpBody, match: str | None = None, as_seat: int | None = None) -> list[Any]:
        """Say something on the seat's stream and return what that stream is told, and it alone."""
        for client in self.clients:
            client.wire.forget()
        await self.clients[seat].say(
            *bodies, match=self.match if match is None else match, seat=seat if as_seat is None else as_seat
        )
        return [frame.body for frame in self.clients[seat].wire.frames]

    async def rejected(self, seat: int, *bodies: UpBody, **names: Any) -> Rejected:
        """Say something and return its only answer, a rejection."""
        answers = await self.say(seat, *bodies, **names)

        assert [type(answer) for answer in answers] == [Rejected]
        rejected = answers[0]
        assert isinstance(rejected, Rejected)
        return rejected

    def told(self, seat: int) -> list[str]:
        return self.clients[seat].wire.kinds

    async def play_to_the_last_decision(self) -> None:
        """Play first actions until one is left."""
        twin = Bench(entry=self.bench.entry).begin()
        twin.play_out()
        for _ in range(len(twin.match.table.moves) - 1):
            await self.choose()

    async def choose(self, index: int = 0) -> tuple[int, int]:
        """Answer the open decision; return seat and id."""
        seat = self.asked
        number = self.bench.match.table.asked[seat]
        await self.say(seat, Choose(number, index))
        return seat, number


@pytest.fixture
async def offered() -> AsyncIterator[Seats]:
    """Two streams that have joined nothing yet."""
    async with StreamBench(time=TIME, policy=POLICY) as bench:
        seats = Seats(bench, [bench.connect("bot0"), bench.connect("bot1")])
        await settle()  # the first Ping
        yield seats


@pytest.fixture
async def seats(offered: Seats) -> Seats:
    """A match at its first decision."""
    for seat in range(2):
        await offered.say(seat, Join(f"ticket {seat}"))
    for seat in range(2):
        await offered.say(seat, Ready())
    return offered


# -- Hello ---------------------------------------------------------------------------------------------------


async def test_a_second_hello_is_out_of_order(seats: Seats) -> None:
    rejected = await seats.rejected(0, HELLO)

    assert (rejected.code, rejected.frame) == (R.OUT_OF_ORDER, "hello")


# -- Join ----------------------------------------------------------------------------------------------------


async def test_join_gets_start(offered: Seats) -> None:
    assert [type(answer).__name__ for answer in await offered.say(0, Join("ticket 0"))] == ["Start"]


@pytest.mark.parametrize(
    ("ticket", "match", "seat"),
    [("ticket 1", None, 0), ("", None, 0), ("ticket 0", "another", 0), ("ticket 0", None, 1), ("ticket 9", None, 8)],
)
async def test_join_without_the_ticket_is_rejected(offered: Seats, ticket: str, match: str | None, seat: int) -> None:
    rejected = await offered.rejected(0, Join(ticket), match=match, as_seat=seat)

    assert (rejected.code, rejected.frame) == (R.NO_TICKET, "join")


async def test_join_of_a_running_match_gets_start_and_the_open_decide_if_the_seat_is_asked(seats: Seats) -> None:
    for seat, kinds in ((seats.asked, ["Start", "Decide"]), (1 - seats.asked, ["Start"])):
        answers = await seats.say(seat, Join(f"ticket {seat}"))

        assert [type(answer).__name__ for answer in answers] == kinds


async def test_join_of_a_seat_that_is_out_gets_start_and_the_notice_again(seats: Seats) -> None:
    await seats.say(0, Resign())
    start, notice = await seats.say(0, Join("ticket 0"))

    assert type(start).__name__ == "Start"
    assert isinstance(notice, Notice)
    assert (notice.kind, notice.termination) == (NoticeKind.SEAT_OUT, Termination.RESIGNED)


# -- Ready ---------------------------------------------------------------------------------------------------


async def test_the_last_ready_gets_the_first_decide_for_the_seat_that_is_asked(offered: Seats) -> None:
    for seat in range(2):
        await offered.say(seat, Join(f"ticket {seat}"))
    await offered.say(0, Ready())

    assert offered.told(0) == []

    await offered.say(1, Ready())

    assert [offered.told(seat) for seat in range(2)] == [["Decide"] if seat == offered.asked else [] for seat in (0, 1)]


async def test_ready_again_gets_nothing(seats: Seats) -> None:
    for seat in range(2):
        assert await seats.say(seat, Ready(), Ready()) == []


@pytest.mark.parametrize("body", [Ready(), Choose(1, 0), Note("x"), Resign()])
@pytest.mark.parametrize("match", [None, "another", ""])
async def test_what_is_for_a_match_before_join_is_for_no_match(offered: Seats, body: UpBody, match: str | None) -> None:
    rejected = await offered.rejected(0, body, match=match)

    assert (rejected.code, rejected.frame) == (R.NO_MATCH, type(body).__name__.lower())
    assert offered.bench.host.notes == []
    assert not offered.bench.host.ended


@pytest.mark.parametrize("body", [Ready(), Choose(1, 0), Note("x"), Resign()])
async def test_a_seat_that_another_bot_has_is_no_match(seats: Seats, body: UpBody) -> None:
    """One code, whatever the reason: foreign, unknown or not joined."""
    foreign = await seats.rejected(0, body, as_seat=1)
    unknown = await seats.rejected(0, body, match="0" * 20)

    assert foreign.code == unknown.code == R.NO_MATCH
    assert (foreign.open_decision, foreign.attempts_left) == (0, 0)


# -- Choose --------------------------------------------------------------------------------------------------


async def test_a_listed_choice_gets_the_next_decide(seats: Seats) -> None:
    seat, _ = await seats.choose()
    decides = [client.wire.of(Decide) for client in seats.clients]

    assert [len(decide) for decide in decides] == [int(other == seats.asked) for other in range(2)]
    assert len(seats.bench.match.table.moves) == 1
    assert seats.bench.match.table.moves[0].seat == seat


async def test_the_last_choice_gets_over_for_all(seats: Seats) -> None:
    await seats.play_to_the_last_decision()
    await seats.choose()

    assert [seats.told(seat) for seat in range(2)] == [["Over"], ["Over"]]


async def test_the_stored_index_again_is_accepted(seats: Seats) -> None:
    """R4, R5: applied once."""
    seat, number = await seats.choose()
    moves = len(seats.bench.match.table.moves)

    assert await seats.say(seat, Choose(number, 0)) == [Accepted(number, 0)]
    assert len(seats.bench.match.table.moves) == moves


async def test_the_same_answer_twice_in_one_message_is_applied_once(seats: Seats) -> None:
    """R4: the second is read before the first is stored."""
    seat = seats.asked
    number = seats.bench.match.table.asked[seat]
    answers = await seats.say(seat, Choose(number, 0), Choose(number, 0))

    assert answers[0] == Accepted(number, 0)
    assert len(seats.bench.match.table.moves) == 1


async def test_an_index_that_is_not_listed_is_illegal_and_the_decide_comes_again(seats: Seats) -> None:
    """R9, J7."""
    seat = seats.asked
    decide = seats.clients[seat].wire.last(Decide)
    rejected, again = await seats.say(seat, Choose(1, len(decide.actions)))

    assert isinstance(rejected, Rejected)
    assert (rejected.code, rejected.frame, rejected.decision) == (R.ILLEGAL, "choose", 1)
    assert (rejected.open_decision, rejected.attempts_left) == (1, 2)
    assert str(len(decide.actions) - 1) in rejected.message
    assert (again.decision, again.actions, again.sequence, again.full) == (1, decide.actions, decide.sequence, True)
    assert again.events == ()


async def test_the_last_unusable_answer_costs_a_strike_and_closes_the_decision(seats: Seats) -> None:
    seat = seats.asked
    number = seats.bench.match.table.asked[seat]
    for left in (2, 1):
        rejected, _ = await seats.say(seat, Choose(number, 10**6))

        assert rejected.attempts_left == left

    rejected = (await seats.say(seat, Choose(number, 10**6)))[0]

    assert (rejected.code, rejected.open_decision, rejected.attempts_left) == (R.ILLEGAL, 0, 0)
    assert (await seats.say(seat, Choose(number, 0)))[-1].code == R.EXPIRED


async def test_another_index_than_the_stored_one_is_a_conflict(seats: Seats) -> None:
    seat, number = await seats.choose()
    rejected = await seats.rejected(seat, Choose(number, 1))

    assert (rejected.code, rejected.decision) == (R.CONFLICT, number)


async def test_an_answer_to_what_a_substitute_has_answered_is_expired(seats: Seats) -> None:
    seat = seats.asked
    number = seats.bench.match.table.asked[seat]
    await seats.bench.advance(2)
    rejected = await seats.rejected(seat, Choose(number, 0))

    assert (rejected.code, rejected.decision) == (R.EXPIRED, number)


@pytest.mark.parametrize("number", [0, 2, 3, 2**32 - 1])
async def test_any_other_id_is_stale(seats: Seats, number: int) -> None:
    seat = seats.asked
    rejected = await seats.rejected(seat, Choose(number, 0))

    assert (rejected.code, rejected.decision) == (R.STALE, number)
    assert (rejected.open_decision, rejected.attempts_left) == (1, 3)


async def test_a_seat_that_is_not_asked_has_no_decision_to_answer(seats: Seats) -> None:
    rejected = await seats.rejected(1 - seats.asked, Choose(1, 0))

    assert (rejected.code, rejected.open_decision) == (R.STALE, 0)


async def test_a_seat_that_is_out_cannot_choose(seats: Seats) -> None:
    seat = seats.asked
    notice = (await seats.say(seat, Resign()))[0]
    rejected = await seats.rejected(seat, Choose(1, 0))

    assert notice.kind is NoticeKind.SEAT_OUT
    assert rejected.code == R.SEAT_OUT


async def test_a_choice_after_the_end_is_for_no_match(seats: Seats) -> None:
    await seats.play_to_the_last_decision()
    seat, number = await seats.choose()
    for body in (Choose(number, 0), Ready(), Note("x"), Resign()):
        assert (await seats.rejected(seat, body)).code == R.NO_MATCH


async def test_only_illegal_costs_and_only_after_it_the_decide_comes_again(seats: Seats) -> None:
    seat = seats.asked
    noise: list[UpBody] = [
        Choose(0, 0),
        Choose(7, 0),
        Choose(7, 999),
        Ready(),
        HELLO,
        Join("no"),
        Slots(3),
        Pong(4),
        Note("n"),
    ]
    answers = await seats.say(seat, *noise)

    assert [type(answer) for answer in answers] == [Rejected] * 5
    assert {answer.attempts_left for answer in answers} <= {0, 3}
    assert seats.bench.match.question(seat) == (1, 3)

    await seats.say(seat, Choose(1, 999))

    assert seats.bench.match.question(seat) == (1, 2)


# -- Note, Resign, Slots, Pong -------------------------------------------------------------------------------


async def test_notes_are_kept_from_start_to_over_and_get_nothing(offered: Seats) -> None:
    """H11: for whoever has the seat, under its bot's name."""
    for seat in range(2):
        await offered.say(seat, Join(f"ticket {seat}"))
    told = await offered.say(0, Note("early"))
    for seat in range(2):
        await offered.say(seat, Ready())
    told += await offered.say(1, Note("a"), Note("b"))
    told += (await offered.say(1, Resign()))[1:]
    told += await offered.say(1, Note("out"))

    assert [answer for answer in told if isinstance(answer, Rejected)] == []
    assert offered.bench.host.notes == ["bot0 0 early", "bot1 1 a", "bot1 1 b", "bot1 1 out"]


async def test_resign_gets_over_at_the_end(seats: Seats) -> None:
    seat = 1 - seats.asked
    await seats.say(seat, Resign())
    assert await seats.say(seat, Resign()) == []
    while not seats.bench.host.ended:
        await seats.choose()

    assert seats.told(seat) == ["Over"]
    assert seats.clients[seat].wire.last(Over).seats[seat] is Termination.RESIGNED


async def test_slots_and_pongs_get_nothing(seats: Seats) -> None:
    assert await seats.say(0, Slots(0), Slots(5), Pong(0), Pong(12345), Slots(2**32 - 1)) == []
    assert seats.bench.owner.slots_asked == [0, 5, 2**32 - 1]


# -- frames that are none ------------------------------------------------------------------------------------


async def test_a_frame_that_is_too_large_is_rejected_and_those_beside_it_are_not(seats: Seats) -> None:
    """A note has a limit of its own."""
    answers = await seats.say(0, Note("x" * (FRAME_BYTES + 1)), Note("fits"), Note("x" * (NOTE_BYTES + 1)))

    assert [(answer.code, answer.frame) for answer in answers] == [(R.TOO_LARGE, "note"), (R.TOO_LARGE, "note")]
    assert seats.bench.host.notes == ["bot0 0 fits"]


async def test_a_frame_of_an_unknown_kind_is_rejected(seats: Seats) -> None:
    frame = play_pb2.UpFrame(match=seats.match, seat=1)
    seats.clients[1].wire.forget()
    seats.clients[1].wire.arrive(play_pb2.PlayRequest(frames=[frame]).SerializeToString() + b"\x0a\x04\xa2\x06\x01\x00")
    await settle()
    answers = seats.clients[1].wire.of(Rejected)

    assert [(answer.code, answer.frame) for answer in answers] == [(R.UNKNOWN, ""), (R.UNKNOWN, "")]


@pytest.mark.parametrize("message", [b"\xff", b"\x0a\xff", b"not protobuf at all"])
async def test_a_message_that_is_none_is_rejected_and_the_stream_goes_on(seats: Seats, message: bytes) -> None:
    seats.clients[0].wire.forget()
    seats.clients[0].wire.arrive(message)
    await settle()

    assert seats.clients[0].wire.last(Rejected).code == R.UNKNOWN
    assert await seats.say(0, Note("still here")) == []


async def test_answers_name_match_seat_and_epoch(seats: Seats) -> None:
    seat = seats.asked
    await seats.say(seat, Choose(1, 999), Choose(9, 0), Note("x" * (NOTE_BYTES + 1)), Join(f"ticket {seat}"))
    frames = seats.clients[seat].wire.frames

    assert len(frames) == 6
    assert {(frame.match, frame.seat, frame.epoch) for frame in frames} == {(seats.match, seat, 1)}


async def test_an_answer_for_no_match_repeats_only_what_was_said(seats: Seats) -> None:
    await seats.say(0, Ready(), match="x" * 5_000, as_seat=77)
    frame = seats.clients[0].wire.frames[0]

    assert (frame.match, frame.seat, frame.epoch) == ("x" * 64, 77, 0)
    assert len(seats.clients[0].messages[0]) < 400
