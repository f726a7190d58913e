"""Frames to bots: each is decoded as it was said, and what is put together by hand is what protobuf itself makes."""

from __future__ import annotations

import itertools

import pytest
from tests.support.decides import Asked, random_match

from agon.codec import down
from agon.codec.client import decode_down
from agon.codec.down import PartCache, SeatEncoder
from agon.codec.errors import CodecError
from agon.codec.frames import (
    Accepted,
    Clock,
    Decide,
    Down,
    DownBody,
    Notice,
    NoticeKind,
    Offer,
    Over,
    Ping,
    Refused,
    RefusedCode,
    Rejected,
    RejectedCode,
    Start,
    ToldEvent,
    Welcome,
    WelcomeGame,
    WireView,
)
from agon.codec.registry import get_codec
from agon.codec.views import decode_view
from agon.v1 import match_pb2, play_pb2 as pb
from agon_engine.core import Deals, FaultPolicy, Maker, Notation, OnFault, Result, Termination, TimeControl
from agon_engine.registry import get_game

GAME = "ephyran"
NOTATION = get_game(GAME).notation
CLOCK = Clock(32_000_000, 30_000_000, 1, 2_500_000, 2_600_000, 100_000, last_late=True, latency_us=812)
TIME = TimeControl(connect=1, ready=2, move=3, bank=4, increment=5, grace=6)
EVENTS = [("won 3", None, Maker.CHANCE), ("build blue 1", 0, Maker.SEAT), ("fall 1 timeout", 1, Maker.REFEREE)]
RESULT = Result(Termination.TIMEOUT, (1, 2, 2), (7, -1, 0), (Termination.SCORE, Termination.TIMEOUT, Termination.SCORE))


def encoder(*, changed: bool = False, shared: PartCache | None = None, seat: int = 2) -> SeatEncoder:
    return SeatEncoder(NOTATION, "m-1", seat, 4, changed, shared if shared is not None else PartCache())


def decides(seats: int = 3, number: int = 5) -> list[Asked]:
    return list(random_match(GAME, seats, number))


def first_decide() -> Asked:
    return next(random_match(GAME, 2, 1))


STREAM: list[tuple[bytes, DownBody]] = [
    (
        down.welcome("bot", [WelcomeGame(GAME, 1)], 8, 10_000_000, ["a:1", "b:2"]),
        Welcome("bot", (WelcomeGame(GAME, 1),), 8, 10_000_000, ("a:1", "b:2")),
    ),
    (
        down.refused(RefusedCode.PROTOCOL, "too old", "protocol 1 to 1", 5),
        Refused(RefusedCode.PROTOCOL, "too old", "protocol 1 to 1", 5),
    ),
    (down.ping(9), Ping(9)),
    (
        down.notice(kind=NoticeKind.LOBBIES, message="moved", lobbies=["a:1"]),
        Notice(NoticeKind.LOBBIES, "moved", ("a:1",)),
    ),
]
MATCH: list[tuple[bytes, DownBody]] = [
    (
        down.offer("m-1", 2, 4, ticket="t", address="h:1", game=GAME, seats=3),
        Offer("t", GAME, 3, "h:1"),
    ),
    (
        down.rejected(
            "m-1",
            2,
            4,
            code=RejectedCode.ILLEGAL,
            message="not listed",
            frame="choose",
            decision=7,
            open_decision=8,
            attempts_left=2,
            retry_delay_us=9,
        ),
        Rejected(RejectedCode.ILLEGAL, "not listed", "choose", 7, 8, 2, 9),
    ),
    (down.notice("m-1", 2, 4, kind=NoticeKind.WAIT, message="wait"), Notice(NoticeKind.WAIT, "wait")),
    (
        encoder().notice(NoticeKind.SEAT_OUT, "out", termination=Termination.PROTOCOL),
        Notice(NoticeKind.SEAT_OUT, "out", (), Termination.PROTOCOL),
    ),
    (encoder().accepted(7, 3), Accepted(7, 3)),
    (
        encoder().start(
            version=1,
            options={"defender_redraws": True, "tie_break": "zones"},
            aliases=["Ajax", "me", "Dido"],
            time=TIME,
            policy=FaultPolicy(OnFault.VOID, 2, 5),
            commitment="ab" * 32,
            deals=Deals.SHARED,
            rated=True,
        ),
        Start(
            game=GAME,
            version=1,
            options={"defender_redraws": "true", "tie_break": "zones"},
            aliases=("Ajax", "me", "Dido"),
            time=TIME,
            policy=FaultPolicy(OnFault.VOID, 2, 5),
            seed_commitment="ab" * 32,
            deals=Deals.SHARED,
            rated=True,
        ),
    ),
    (
        encoder().over(9, EVENTS, RESULT, rated=True, record_hash="cd" * 32, seed="ef" * 16, clock=CLOCK),
        Over(
            sequence=9,
            events=tuple(ToldEvent(*told) for told in EVENTS),
            termination=Termination.TIMEOUT,
            placements=(1, 2, 2),
            scores=(7, -1, 0),
            seats=(Termination.SCORE, Termination.TIMEOUT, Termination.SCORE),
            rated=True,
            record_hash="cd" * 32,
            seed="ef" * 16,
            clock=CLOCK,
        ),
    ),
]


@pytest.mark.parametrize(("piece", "body"), STREAM, ids=lambda value: type(value).__name__)
def test_a_frame_about_the_stream_is_decoded_as_it_was_said(piece: bytes, body: DownBody) -> None:
    assert [Down("", 0, 0, body)] == decode_down(piece)


@pytest.mark.parametrize(("piece", "body"), MATCH, ids=lambda value: type(value).__name__)
def test_a_frame_of_a_match_is_decoded_as_it_was_said(piece: bytes, body: DownBody) -> None:
    assert [Down("m-1", 2, 4, body)] == decode_down(piece)


def test_every_body_of_the_contract_has_a_round_trip_above() -> None:
    fields = pb.DownFrame.DESCRIPTOR.oneofs_by_name["body"].fields
    covered = {type(body).__name__.lower() for _, body in STREAM + MATCH} | {"decide"}

    assert {field.name for field in fields} == covered


def test_joined_pieces_are_one_message_and_keep_their_order() -> None:
    pieces = STREAM + MATCH

    assert [body for _, body in pieces] == [frame.body for frame in decode_down(b"".join(piece for piece, _ in pieces))]


def test_a_decide_is_decoded_as_it_was_said() -> None:
    codes = NOTATION.codes
    for asked in decides():
        [frame] = decode_down(asked.encode(encoder(seat=asked.seat)))

        assert (frame.match, frame.seat, frame.epoch) == ("m-1", asked.seat, 4)
        assert isinstance(frame.body, Decide)
        assert frame.body == Decide(
            sequence=asked.sequence,
            decision=asked.decision,
            prompt=asked.prompt,
            events=tuple(ToldEvent(*told) for told in asked.events),
            view=frame.body.view,
            full=True,
            actions=tuple(codes[action] for action in asked.actions),
            clock=asked.clock,
        )
        assert asked.view == decode_view(get_codec(GAME), frame.body.view)


def test_a_decide_put_together_by_hand_parses_as_the_one_that_protobuf_makes() -> None:
    codes = NOTATION.codes
    shared = PartCache()
    encoders = [encoder(seat=seat, shared=shared) for seat in range(3)]
    for asked in decides():
        by_hand = pb.PlayResponse.FromString(asked.encode(encoders[asked.seat]))

        clock = pb.ClockAccount(**asked.clock._asdict())
        expected = pb.Decide(
            sequence=asked.sequence,
            decision=asked.decision,
            prompt=asked.prompt,
            events=[match_pb2.Event(code=code, seat=seat, maker=maker.value) for code, seat, maker in asked.events],  # type: ignore[arg-type]  # the stubs want their own int
            view=by_hand.frames[0].decide.view,
            full=True,
            actions=[codes[action] for action in asked.actions],
            clock=clock,
        )
        frame = pb.DownFrame(match="m-1", seat=asked.seat, epoch=4, decide=expected)
        assert pb.PlayResponse(frames=[frame]) == by_hand


def test_an_encoder_writes_nothing_of_the_decide_before() -> None:
    asked = first_decide()
    busy = encoder()
    busy.decide(900, 90, "draw", EVENTS, asked.view, (1, 2, 3), CLOCK)

    again = busy.decide(0, 1, "", [], asked.view, asked.actions, Clock(1, 0))

    assert encoder().decide(0, 1, "", [], asked.view, asked.actions, Clock(1, 0)) == again


def test_the_first_decide_is_full_and_later_ones_only_if_asked() -> None:
    asked = first_decide()
    changing = encoder(changed=True)

    pieces = [asked.encode(changing), asked.encode(changing), asked.encode(changing, full=True), asked.encode(changing)]
    bodies = [decode_down(piece)[0].body for piece in pieces]

    assert [body.full for body in bodies if isinstance(body, Decide)] == [True, False, True, False]
    assert pieces[0] == pieces[2]
    assert len(pieces[1]) < len(pieces[0])


def test_after_a_reset_the_next_decide_is_full() -> None:
    asked = first_decide()
    changing = encoder(changed=True)
    first = asked.encode(changing)
    asked.encode(changing)
    changing.reset()

    assert first == asked.encode(changing)


def test_an_unchanged_view_costs_a_handful_of_bytes() -> None:
    asked = first_decide()
    changing = encoder(changed=True, seat=asked.seat)
    asked.encode(changing)
    [frame] = decode_down(asked.encode(changing))

    assert isinstance(frame.body, Decide)
    assert WireView(GAME, bytes([0x08, asked.seat])) == frame.body.view


def test_what_is_kept_of_events_and_prompts_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(down, "EVENTS_KEPT", 10)
    monkeypatch.setattr(down, "PROMPTS_KEPT", 10)
    asked = first_decide()
    busy = encoder()
    for number in itertools.islice(itertools.count(), 35):
        told = (f"event {number}", number % 2, Maker.CHANCE)
        [frame] = decode_down(busy.decide(1, 1, f"ask {number}", [told, told], asked.view, asked.actions, CLOCK))

        assert isinstance(frame.body, Decide)
        assert frame.body.prompt == f"ask {number}"
        assert (ToldEvent(*told),) * 2 == frame.body.events
        assert max(down.kept_of(NOTATION).counts) <= 10


def test_options_are_sent_in_the_same_order_in_every_process() -> None:
    """H3 asks for equal bytes, and a map's order would else hang on the hash seed."""

    def start(names: str) -> bytes:
        return encoder().start(
            version=1,
            options=dict.fromkeys(names, "x"),
            aliases=[],
            time=TIME,
            policy=FaultPolicy(OnFault.VOID),
            commitment="",
            deals=Deals.FRESH,
            rated=False,
        )

    assert start("abcdefgh") == start("hgfedcba")


def test_an_encoder_for_an_unknown_game_says_which_games_there_are() -> None:
    with pytest.raises(CodecError, match=r"no codec for the game 'chess'; there are .*ephyran"):
        SeatEncoder(Notation("chess", ["e4"]), "m", 0, 1, changed=False, shared=PartCache())


def test_a_frame_of_a_newer_contract_is_skipped() -> None:
    field_1000 = b"\xc2\x3e\x02\x08\x01"
    newer = b"\x0a" + bytes([len(field_1000)]) + field_1000

    assert [Ping(1), Ping(2)] == [frame.body for frame in decode_down(down.ping(1) + newer + down.ping(2))]


def test_codes_that_a_newer_server_may_send_stay_numbers() -> None:
    frames = [
        pb.DownFrame(refused=pb.Refused(code=99)),  # type: ignore[arg-type]  # a number that has no name here
        pb.DownFrame(rejected=pb.Rejected(code=98)),  # type: ignore[arg-type]  # a number that the enum does not have
        pb.DownFrame(notice=pb.Notice(kind=97)),  # type: ignore[arg-type]  # a number that the enum does not have
    ]

    bodies = [frame.body for frame in decode_down(pb.PlayResponse(frames=frames).SerializeToString())]

    assert [Refused(99), Rejected(98), Notice(97)] == bodies


@pytest.mark.parametrize(
    "frame",
    [
        pb.DownFrame(over=pb.Over(termination=99)),  # type: ignore[arg-type]  # a number that has no name here
        pb.DownFrame(over=pb.Over()),
        pb.DownFrame(start=pb.Start()),
        pb.DownFrame(decide=pb.Decide()),
        pb.DownFrame(decide=pb.Decide(events=[match_pb2.Event(code="x", maker=77)])),  # type: ignore[arg-type]  # a number that the enum does not have
        pb.DownFrame(notice=pb.Notice(termination=55)),  # type: ignore[arg-type]  # a number that the enum does not have
    ],
)
def test_a_frame_whose_meaning_is_unknown_is_refused(frame: pb.DownFrame) -> None:
    with pytest.raises(CodecError):
        decode_down(pb.PlayResponse(frames=[frame]).SerializeToString())
