"""Whatever bytes arrive, decoding gives values or a CodecError, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st
from tests.support.decides import random_match

from agon.codec import down
from agon.codec.client import decode_down
from agon.codec.down import PartCache, SeatEncoder
from agon.codec.errors import CodecError
from agon.codec.frames import Choose, Decide, Hello, HelloGame, NoticeKind, RefusedCode, WireView
from agon.codec.registry import get_codec
from agon.codec.up import MESSAGE_FRAMES, decode_up, encode_up
from agon.codec.views import decode_view
from agon.codec.wire import varint
from agon.games.ephyran.v1 import ephyran_pb2 as pb
from agon_engine.registry import get_game

GAME = "ephyran"
ASKED = list(random_match(GAME, 3, 8))[-1]
DECIDE = ASKED.encode(SeatEncoder(get_game(GAME).notation, "match-1", ASKED.seat, 1, False, PartCache()))
[_FRAME] = decode_down(DECIDE)
assert isinstance(_FRAME.body, Decide)
VIEW = _FRAME.body.view.data
HELLO = Hello(token="t", games=(HelloGame(GAME, 1, (2, 3)),), instance="i")
UP = encode_up(HELLO) + encode_up(Choose(3, 4, 500_000), "match-1", 2)
DOWN = DECIDE + down.refused(RefusedCode.LIMIT, "too many") + down.notice(kind=NoticeKind.PAUSED, message="wait")


def read_view(data: bytes) -> Any:
    return decode_view(get_codec(GAME), WireView(GAME, data))


def read_changed_view(data: bytes) -> Any:
    return decode_view(get_codec(GAME), WireView(GAME, data), ASKED.view)


def read_down(data: bytes) -> Any:
    frames = decode_down(data)
    for frame in frames:
        if isinstance(frame.body, Decide):
            read_view(frame.body.view.data)
    return frames


READERS: dict[str, tuple[Callable[[bytes], Any], bytes]] = {
    "up": (decode_up, UP),
    "down": (read_down, DOWN),
    "view": (read_view, VIEW),
    "changed": (read_changed_view, VIEW),
}
every_reader = pytest.mark.parametrize("name", READERS)


def survive(read: Callable[[bytes], Any], data: bytes) -> None:
    with suppress(CodecError):
        read(data)


@every_reader
def test_the_bytes_that_the_others_are_made_of_are_good(name: str) -> None:
    read, good = READERS[name]

    assert read(good)


@every_reader
@given(data=st.binary(max_size=400))
def test_random_bytes_are_survived(name: str, data: bytes) -> None:
    survive(READERS[name][0], data)


def test_a_message_of_very_many_very_small_frames_is_refused_as_a_whole() -> None:
    """What fits into the largest message would else hold a server up for a tenth of a second."""
    assert len(decode_up(b"\x0a\x00" * MESSAGE_FRAMES)) == MESSAGE_FRAMES

    with pytest.raises(CodecError, match="a message has at most 4096 frames, not 65536"):
        decode_up(b"\x0a\x00" * 65_536)


@every_reader
def test_every_beginning_of_good_bytes_is_survived(name: str) -> None:
    read, good = READERS[name]
    for end in range(len(good)):
        survive(read, good[:end])


@every_reader
@settings(max_examples=300)
@given(data=st.data())
def test_good_bytes_with_some_replaced_are_survived(name: str, data: st.DataObject) -> None:
    read, good = READERS[name]
    damaged = bytearray(good)
    for _ in range(data.draw(st.integers(1, 4))):
        damaged[data.draw(st.integers(0, len(good) - 1))] = data.draw(st.integers(0, 255))
    survive(read, bytes(damaged))


@every_reader
def test_every_byte_at_its_largest_is_survived(name: str) -> None:
    """A length or a number that promises more than there is, at each place that holds one."""
    read, good = READERS[name]
    for place in range(len(good)):
        survive(read, good[:place] + b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01" + good[place + 1 :])


@every_reader
@pytest.mark.parametrize("field", range(1, 20))
def test_every_field_with_a_huge_number_is_survived(name: str, field: int) -> None:
    read, good = READERS[name]
    for kind in range(6):
        survive(read, good + varint(field << 3 | kind) + b"\xff" * 9 + b"\x01")


@every_reader
def test_deep_nesting_is_survived(name: str) -> None:
    read, good = READERS[name]
    nested = b""
    while len(nested) < 60_000:
        nested = b"\x0a" + varint(len(nested)) + nested
    groups = b"\xbb\x3e" * 60_000

    survive(read, nested)
    survive(read, good + groups)


@every_reader
def test_bytes_that_are_no_message_are_refused(name: str) -> None:
    with pytest.raises(CodecError):
        READERS[name][0](b"\xff")


def test_text_that_is_no_utf_8_is_refused() -> None:
    note = b"\x3a\x04\x0a\x02\xc3\x28"
    with pytest.raises(CodecError, match="no PlayRequest"):
        decode_up(b"\x0a" + bytes([len(note)]) + note)


@pytest.mark.parametrize("field", ["deal", "table", "pending", "token_lore", "own_tokens"])
def test_an_enum_number_that_no_engine_knows_is_refused_in_a_view(field: str) -> None:
    numbers: dict[str, Any] = {
        "deal": pb.Deal(gods=[9]),  # type: ignore[list-item]  # a number that has no name here
        "table": pb.Table(ending=-1),  # type: ignore[arg-type]  # a number that the enum does not have
        "pending": pb.Pending(phase=2**31 - 1),  # type: ignore[arg-type]  # a number that the enum does not have
        "token_lore": pb.TokenLore(shown=[5]),  # type: ignore[list-item]  # a number that the enum does not have
        "own_tokens": pb.OwnTokens(tokens=[pb.KnownToken(item=77)]),  # type: ignore[arg-type]  # a number that the enum does not have
    }
    view = pb.View.FromString(VIEW)
    getattr(view, field).CopyFrom(numbers[field])

    with pytest.raises(CodecError, match="no view of ephyran"):
        read_view(view.SerializeToString())
