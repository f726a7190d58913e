"""The wire format's few primitives, for pieces that are put together by hand instead of by a protobuf object.

A field is a tag and its value; a text, a message or a list of numbers is its length and its bytes. Field numbers come
from the descriptors, so that nothing here repeats the contract.
"""

from __future__ import annotations

from google.protobuf.descriptor import FieldDescriptor

_ONE_BYTE = tuple(bytes((value,)) for value in range(0x80))
_NUMBER, _LENGTH_DELIMITED = 0, 2


def varint(value: int) -> bytes:
    """Return a number as protobuf writes it: seven bits a byte, the lowest first. Raise ValueError below 0."""
    if 0 <= value < 0x80:
        return _ONE_BYTE[value]
    if 0 < value < 0x4000:
        return bytes((value & 0x7F | 0x80, value >> 7))

    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


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
