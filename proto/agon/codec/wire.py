"""The wire format's few primitives, for pieces that are put together by hand instead of by a protobuf object.

A field is a tag and its value; a text, a message or a list of numbers is its length and its bytes. Field numbers come
from the descriptors, so that nothing here repeats the contract.
"""

from __future__ import annotations

from google.protobuf.descriptor import FieldDescriptor

_NUMBER, _LENGTH_DELIMITED = 0, 2
_TWO_GROUPS = 1 << 14
_ENDING = tuple(
    bytes((value,)) if value < 0x80 else bytes((value & 0x7F | 0x80, value >> 7)) for value in range(_TWO_GROUPS)
)
"""Each number below 2^14."""
_GOING_ON = tuple(bytes((value & 0x7F | 0x80, value >> 7 | 0x80)) for value in range(_TWO_GROUPS))
"""The lowest 14 bits of a number that goes on."""


def varint(value: int) -> bytes:
    """Return a number as protobuf writes it: seven bits a byte, the lowest first. Raise ValueError below 0."""
    if 0 <= value < _TWO_GROUPS:
        return _ENDING[value]
    if value < 0:
        raise ValueError(f"out of range, protobuf's unsigned numbers begin at 0: {value!r}")

    return _GOING_ON[value & _TWO_GROUPS - 1] + varint(value >> 14)


def varints(values: tuple[int, ...]) -> bytes:
    """Return numbers one after the other, as a packed list holds them. Raise ValueError below 0."""
    try:
        data = bytes(values)
    except ValueError:  # one is above 255, or below 0
        return b"".join(map(varint, values))
    return data if data.isascii() else b"".join(map(varint, values))


def is_repeated(field: FieldDescriptor) -> bool:
    """Tell whether the field is a list. (The property of that name is newer than the oldest protobuf we run on.)"""
    return bool(field.default_value == [])


def number_tag(field: FieldDescriptor) -> bytes:
    """Return the tag of a field that holds one number, flag or enum."""
    return varint(field.number << 3 | _NUMBER)


def bytes_tag(field: FieldDescriptor) -> bytes:
    """Return the tag of a field that holds a text, a message or a list of numbers."""
    return varint(field.number << 3 | _LENGTH_DELIMITED)


def framed(tag: bytes, content: bytes) -> bytes:
    """Return a field that holds a text, a message or a list of numbers, its content already encoded."""
    return b"".join((tag, varint(len(content)), content))


def size_of(pieces: list[bytes]) -> int:
    """Return how many bytes pieces have together."""
    size = 0
    for piece in pieces:
        size += len(piece)
    return size
