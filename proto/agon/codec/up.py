"""Frames from bots: the server decodes messages of them (`decode_up`), clients encode them (`encode_up`).

Pieces of encoded frames join by concatenation: `b"".join(pieces)` is a PlayRequest, since protobuf defines the
concatenation of two messages as their merge, and merging appends repeated fields.
"""

from __future__ import annotations

from collections.abc import Callable

from google.protobuf.message import DecodeError

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
from agon.v1 import play_pb2 as pb

__all__ = ["FRAME_BYTES", "NOTE_BYTES", "CodecError", "Up", "decode_up", "encode_up"]

FRAME_BYTES = 16 * 1024
"""A frame from a bot is at most this long."""
NOTE_BYTES = 4 * 1024
"""A note's text is at most this long."""
MESSAGE_BYTES = 128 * 1024
"""The largest message, up and down; frames that are ready are cut into messages of at most this size."""
MESSAGE_FRAMES = 4 * 1024
"""A message has at most so many frames; the smallest would else keep whoever reads them for a long while."""
NAME_CHARACTERS = 64
TOKEN_CHARACTERS = 256
HELLO_ITEMS = 64
"""Hello lists at most so many games, and each of them at most so many seat counts."""

_new = tuple.__new__  # half the time of calling a NamedTuple, on the path that every choice takes


def decode_up(message: bytes) -> list[Up]:
    """Return the frames of a PlayRequest, in order.

    What cannot be used comes as a body `TooLarge` or `Unknown`, for an answer. Raise CodecError for bytes that are
    no PlayRequest, or one of too many frames.
    """
    try:
        frames = pb.PlayRequest.FromString(message).frames
    except (DecodeError, UnicodeDecodeError):  # the latter from protobuf without its C part
        raise CodecError(f"these {len(message)} bytes are no PlayRequest") from None

    if len(frames) > MESSAGE_FRAMES:
        raise CodecError(f"a message has at most {MESSAGE_FRAMES} frames, not {len(frames)!r}")

    may_be_too_large = len(message) > FRAME_BYTES
    ups: list[Up] = []
    for frame in frames:
        kind = frame.WhichOneof("body")
        if may_be_too_large and (size := frame.ByteSize()) > FRAME_BYTES:
            ups.append(Up(frame.match, frame.seat, TooLarge(size, FRAME_BYTES), kind or ""))
        elif kind == "choose":
            choose = frame.choose
            body = _new(Choose, (choose.decision, choose.index, choose.thought_us))
            ups.append(_new(Up, (frame.match, frame.seat, body, kind)))
        elif kind is None:
            ups.append(Up(frame.match, frame.seat, Unknown("the frame has no body that this server knows"), ""))
        else:
            ups.append(Up(frame.match, frame.seat, _DECODERS[kind](frame), kind))
    return ups


def _hello(frame: pb.UpFrame) -> Hello | Unknown:
    hello = frame.hello
    fault = _hello_fault(hello)
    if fault:
        return Unknown(fault)

    return Hello(
        token=hello.token,
        games=tuple(HelloGame(game.name, game.version, tuple(game.seats)) for game in hello.games),
        slots=hello.slots,
        changed_views=hello.changed_views,
        bot_version=hello.bot_version,
        instance=hello.instance,
        sdk=hello.sdk,
        protocol_min=hello.protocol_min,
        protocol_max=hello.protocol_max,
    )


def _hello_fault(hello: pb.Hello) -> str:
    """Say which field of a Hello is out of range; empty: none is. Its texts end up in records, logs and terminals."""
    texts = [("sdk", hello.sdk), ("bot_version", hello.bot_version), ("instance", hello.instance)]
    texts += [("a game's name", game.name) for game in hello.games]
    for name, text in texts:
        if len(text) > NAME_CHARACTERS:
            return f"{name} has at most {NAME_CHARACTERS} characters, not {len(text)}"
        if not text.isprintable():
            return f"{name} is printable, not {text!r}"

    if len(hello.token) > TOKEN_CHARACTERS:
        return f"a token has at most {TOKEN_CHARACTERS} characters, not {len(hello.token)}"
    if not 1 <= len(hello.games) <= HELLO_ITEMS:
        return f"hello names 1 to {HELLO_ITEMS} games, not {len(hello.games)}"
    for game in hello.games:
        if len(game.seats) > HELLO_ITEMS:
            return f"a game lists at most {HELLO_ITEMS} seat counts, not {len(game.seats)}"

    return ""


def _note(frame: pb.UpFrame) -> Note | TooLarge:
    text = frame.note.text
    size = len(text.encode())
    return Note(text) if size <= NOTE_BYTES else TooLarge(size, NOTE_BYTES)


_DECODERS: dict[str, Callable[[pb.UpFrame], UpBody | Unknown | TooLarge]] = {
    "hello": _hello,
    "join": lambda frame: Join(frame.join.ticket, frame.join.sequence),
    "ready": lambda _: Ready(),
    "note": _note,
    "resign": lambda _: Resign(),
    "slots": lambda frame: Slots(frame.slots.slots),
    "pong": lambda frame: Pong(frame.pong.id),
}


def encode_up(body: UpBody, match: str = "", seat: int = 0) -> bytes:
    """Return a frame as a piece of a PlayRequest.

    Raise CodecError when a value does not fit its field (a negative number, half a surrogate pair).
    """
    try:
        frame = pb.UpFrame(match=match, seat=seat)
        _fill(frame, body)
        return pb.PlayRequest(frames=[frame]).SerializeToString()
    except (TypeError, ValueError) as error:
        raise CodecError(f"{error}: {body!r}") from None


def _fill(frame: pb.UpFrame, body: UpBody) -> None:
    match body:
        case Choose(decision, index, thought_us):
            frame.choose.CopyFrom(pb.Choose(decision=decision, index=index, thought_us=thought_us))
        case Hello():
            frame.hello.CopyFrom(
                pb.Hello(
                    protocol_min=body.protocol_min,
                    protocol_max=body.protocol_max,
                    sdk=body.sdk,
                    token=body.token,
                    bot_version=body.bot_version,
                    instance=body.instance,
                    games=[pb.HelloGame(name=game.name, version=game.version, seats=game.seats) for game in body.games],
                    slots=body.slots,
                    changed_views=body.changed_views,
                )
            )
        case Join(ticket, sequence):
            frame.join.CopyFrom(pb.Join(ticket=ticket, sequence=sequence))
        case Ready():
            frame.ready.SetInParent()
        case Note(text):
            frame.note.CopyFrom(pb.Note(text=text))
        case Resign():
            frame.resign.SetInParent()
        case Slots(slots):
            frame.slots.CopyFrom(pb.Slots(slots=slots))
        case Pong(number):
            frame.pong.CopyFrom(pb.Pong(id=number))
