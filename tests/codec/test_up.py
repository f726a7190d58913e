"""Frames from bots: they come back as they were said, and what is out of bounds gets a body that can be answered."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from agon.codec.errors import CodecError
from agon.codec.frames import (
    Choose,
    Hello,
    HelloGame,
    Join,
    Note,
    Pong,
    Ready,
    Resign,
    Slots,
    TooLarge,
    Unknown,
    Up,
    UpBody,
)
from agon.codec.up import FRAME_BYTES, NOTE_BYTES, decode_up, encode_up
from agon.v1 import play_pb2 as pb

HELLO = Hello(
    token="secret",
    games=(HelloGame("ephyran", 3, (2, 4)), HelloGame("other")),
    slots=32,
    changed_views=True,
    bot_version="1.2 β",
    instance="east",
    sdk="agon-bots 0.1",
    protocol_min=1,
    protocol_max=2,
)
BODIES: list[UpBody] = [
    HELLO,
    Join("ticket", 2**63),
    Ready(),
    Choose(7, 255, 1_234_567),
    Choose(0, 0, 0),
    Note("plan: build χώρα"),
    Resign(),
    Slots(0),
    Pong(2**64 - 1),
]

uint32 = st.integers(0, 2**32 - 1)
uint64 = st.integers(0, 2**64 - 1)


def hello_with(**changes: object) -> bytes:
    facts: dict[str, object] = {"token": "t", "games": [pb.HelloGame(name="ephyran")], **changes}
    return pb.PlayRequest(frames=[pb.UpFrame(hello=pb.Hello(**facts))]).SerializeToString()  # type: ignore[arg-type]  # fields by name


@pytest.mark.parametrize("body", BODIES, ids=repr)
def test_a_frame_is_decoded_as_it_was_said(body: UpBody) -> None:
    kind = type(body).__name__.lower()

    assert [Up("match-1", 3, body, kind)] == decode_up(encode_up(body, "match-1", 3))


def test_every_body_of_the_contract_has_a_round_trip_above() -> None:
    fields = pb.UpFrame.DESCRIPTOR.oneofs_by_name["body"].fields

    assert {field.name for field in fields} == {type(body).__name__.lower() for body in BODIES}


@given(st.text(max_size=40), uint32, uint32, uint32, uint64)
def test_any_choose_is_decoded_as_it_was_said(match: str, seat: int, decision: int, index: int, thought: int) -> None:
    body = Choose(decision, index, thought)

    assert [Up(match, seat, body, "choose")] == decode_up(encode_up(body, match, seat))


def test_joined_pieces_are_one_message_and_keep_their_order() -> None:
    message = b"".join(encode_up(body, "m", seat) for seat, body in enumerate(BODIES))

    assert [up.body for up in decode_up(message)] == BODIES
    assert [up.seat for up in decode_up(message)] == list(range(len(BODIES)))


def test_an_encoded_frame_is_what_protobuf_itself_makes() -> None:
    frame = pb.UpFrame(match="m", seat=2, choose=pb.Choose(decision=3, index=4, thought_us=5))

    assert pb.PlayRequest(frames=[frame]).SerializeToString() == encode_up(Choose(3, 4, 5), "m", 2)


def test_the_last_body_of_a_frame_counts_as_protobuf_says() -> None:
    frame = (
        pb.UpFrame(match="m", ready=pb.Ready()).SerializeToString()
        + pb.UpFrame(slots=pb.Slots(slots=2)).SerializeToString()
    )
    message = pb.PlayRequest(frames=[pb.UpFrame.FromString(frame)]).SerializeToString()

    assert [Up("m", 0, Slots(2), "slots")] == decode_up(message)


def test_a_frame_without_a_known_body_is_unknown_and_the_others_still_count() -> None:
    bare = pb.PlayRequest(frames=[pb.UpFrame(match="m", seat=1)]).SerializeToString()
    ups = decode_up(bare + encode_up(Ready(), "m"))

    assert (ups[0].match, ups[0].seat, ups[0].kind) == ("m", 1, "")
    assert isinstance(ups[0].body, Unknown)
    assert ups[1].body == Ready()


def test_a_body_from_a_newer_contract_is_unknown() -> None:
    field_1000 = b"\xc2\x3e\x02\x08\x01"
    frame = pb.UpFrame(match="m").SerializeToString() + field_1000
    message = b"\x0a" + bytes([len(frame)]) + frame

    [up] = decode_up(message)

    assert up.match == "m"
    assert isinstance(up.body, Unknown)


def test_a_frame_over_its_limit_is_too_large_and_named() -> None:
    ups = decode_up(encode_up(Note("x" * FRAME_BYTES), "m", 1) + encode_up(Ready(), "m", 1))

    assert (ups[0].match, ups[0].seat, ups[0].kind) == ("m", 1, "note")
    assert isinstance(ups[0].body, TooLarge)
    assert (ups[0].body.size > FRAME_BYTES, ups[0].body.limit) == (True, FRAME_BYTES)
    assert ups[1].body == Ready()


def test_unknown_fields_count_for_the_size_of_a_frame() -> None:
    field_31 = b"\xfa\x01"
    filler = field_31 + pb.UpFrame(note=pb.Note(text="x" * FRAME_BYTES)).SerializeToString()[1:]
    frame = pb.UpFrame(match="m", ready=pb.Ready()).SerializeToString() + filler
    size = len(frame)
    message = b"\x0a" + bytes([size & 0x7F | 0x80, size >> 7 & 0x7F | 0x80, size >> 14]) + frame

    assert [Up("m", 0, TooLarge(size, FRAME_BYTES), "ready")] == decode_up(message)


@pytest.mark.parametrize("spare", [0, 1])
def test_a_frame_of_exactly_its_limit_is_no_larger(spare: int) -> None:
    overhead = len(pb.UpFrame(join=pb.Join(ticket="x" * 10_000)).SerializeToString()) - 10_000
    ticket = "x" * (FRAME_BYTES - overhead + spare)

    [up] = decode_up(encode_up(Join(ticket)))

    assert up.body == (TooLarge(FRAME_BYTES + 1, FRAME_BYTES) if spare else Join(ticket))


def test_many_small_frames_may_be_more_than_one_frame_may_be() -> None:
    message = encode_up(Choose(1, 2, 3), "match-1") * 2_000

    assert len(message) > FRAME_BYTES
    assert {up.body for up in decode_up(message)} == {Choose(1, 2, 3)}


@pytest.mark.parametrize(("text", "fits"), [("x" * NOTE_BYTES, True), ("x" * NOTE_BYTES + "y", False)])
def test_a_note_has_a_limit_of_its_own(text: str, fits: bool) -> None:
    [up] = decode_up(encode_up(Note(text), "m"))

    assert up.body == (Note(text) if fits else TooLarge(NOTE_BYTES + 1, NOTE_BYTES))
    assert up.kind == "note"


def test_a_note_is_measured_in_bytes_not_in_characters() -> None:
    [up] = decode_up(encode_up(Note("χ" * (NOTE_BYTES // 2 + 1)), "m"))

    assert up.body == TooLarge(NOTE_BYTES + 2, NOTE_BYTES)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"sdk": "x" * 65}, "sdk has at most 64 characters, not 65"),
        ({"bot_version": "x" * 65}, "bot_version has at most 64 characters, not 65"),
        ({"instance": "x" * 65}, "instance has at most 64 characters, not 65"),
        ({"instance": "\x1b[2J"}, r"instance is printable, not '\x1b[2J'"),
        ({"bot_version": "1\n2"}, r"bot_version is printable, not '1\n2'"),
        ({"token": "x" * 257}, "a token has at most 256 characters, not 257"),
        ({"games": []}, "hello names 1 to 64 games, not 0"),
        ({"games": [pb.HelloGame(name="g")] * 65}, "hello names 1 to 64 games, not 65"),
        ({"games": [pb.HelloGame(name="g" * 65)]}, "a game's name has at most 64 characters, not 65"),
        ({"games": [pb.HelloGame(name="g", seats=[2] * 65)]}, "a game lists at most 64 seat counts, not 65"),
    ],
)
def test_a_hello_out_of_range_says_which_field(changes: dict[str, object], reason: str) -> None:
    """L6: a mismatch gets a typed refusal, so the reason must be there to be sent."""
    assert [Up("", 0, Unknown(reason), "hello")] == decode_up(hello_with(**changes))


def test_a_hello_at_its_limits_is_taken() -> None:
    full = Hello(
        token="t" * 256,
        games=(HelloGame("g" * 64, 2**32 - 1, tuple(range(64))),) * 64,
        bot_version="v" * 64,
        instance="i" * 64,
        sdk="s" * 64,
    )

    assert [full] == [up.body for up in decode_up(encode_up(full))]


def test_a_hello_does_not_show_its_token() -> None:
    assert "secret" not in repr(HELLO)


@pytest.mark.parametrize("body", [Choose(-1, 0), Choose(1, 2**32), Pong(2**64), Note("\ud800")], ids=repr)
def test_what_the_contract_cannot_carry_is_refused_where_it_is_said(body: UpBody) -> None:
    with pytest.raises(CodecError):
        encode_up(body, "m")
