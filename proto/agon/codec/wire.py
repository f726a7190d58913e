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


def varint(value: int, bits: int = 64) -> bytes:
    """Return a number as protobuf writes it: seven bits a byte, the lowest first. Raise ValueError for one that a field
    of so many bits does not hold: whoever reads it would see another number."""
    if 0 <= value < _TWO_GROUPS:
        return _ENDING[value]
    if value >> bits:
        raise ValueError(f"out of range, the field is an unsigned number of {bits} bits: {value!r}")

    return _GOING_ON[value & _TWO_GROUPS - 1] + varint(value >> 14, bits)


def varints(values: tuple[int, ...], bits: int = 64) -> bytes:
    """Return numbers one after the other, as a packed list holds them. Raise ValueError as `varint` does."""
    try:
        data = bytes(values)
        if data.isascii():
            return data
    except ValueError:  # one is above 255, or below 0
        pass
    return b"".join([varint(value, bits) for value in values])


def bits_of(field: FieldDescriptor) -> int:
    """Return how many bits a number of the field has at most."""
    return 32 if field.type == FieldDescriptor.TYPE_UINT32 else 64


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
