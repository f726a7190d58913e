"""Messages that mirror the engine's tuples: a NamedTuple and a message of the same name whose fields have the same
names in the same order. From the two follow encoder and decoder, so that no game writes either by hand.

What a field may be: a number from 0 on, a flag or an enum; such a number marked `optional`, which may be absent; a
list of these; a list of messages that mirror tuples again. Anything else is refused when the mirror is made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from enum import IntEnum
from operator import attrgetter
from typing import Any, NamedTuple

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message

from agon.codec.wire import bytes_tag, framed, is_repeated, number_tag, varint

_NUMBERS = {FieldDescriptor.TYPE_UINT32, FieldDescriptor.TYPE_UINT64, FieldDescriptor.TYPE_BOOL}
_EMPTY: tuple[()] = ()


class Vocabulary(NamedTuple):
    """What the messages of one game stand for in the engine."""

    tuples: Mapping[str, type[tuple[Any, ...]]]
    """The NamedTuples by name. A message of another name has one field, and stands for that field's value alone."""
    enums: Mapping[str, type[IntEnum]]
    absent: int | None
    """What an absent `optional` number is."""

    @classmethod
    def of(
        cls, tuples: Iterable[type[tuple[Any, ...]]], enums: Iterable[type[IntEnum]], absent: int | None
    ) -> Vocabulary:
        """Name each type by its own name."""
        return cls({kind.__name__: kind for kind in tuples}, {kind.__name__: kind for kind in enums}, absent)


class _Field(NamedTuple):
    skip: object
    """The value that stands for itself when nothing is written."""
    write: Callable[[Any], bytes]
    read: Callable[[Message], Any]


class Mirror:
    """Encodes the tuples of one kind and decodes their messages."""

    __slots__ = ("_kind", "_reads", "_writes")

    def __init__(self, message: Descriptor, vocabulary: Vocabulary) -> None:
        """Raise TypeError where message and tuple do not mirror each other."""
        self._kind = vocabulary.tuples.get(message.name)
        names = tuple(field.name for field in message.fields)
        expected = names[:1] if self._kind is None else getattr(self._kind, "_fields", None)
        if names != expected:
            raise TypeError(f"{message.full_name} has the fields {names!r}, its tuple {expected!r}")

        fields = [_field(field, vocabulary) for field in message.fields]
        self._writes = [(skip, write) for skip, write, _ in fields]
        self._reads = [read for _, _, read in fields]

    def encode(self, value: Any) -> bytes:
        """Return the bytes of the value's message. Raise ValueError for a number below 0."""
        items = (value,) if self._kind is None else value
        return b"".join([write(item) for item, (skip, write) in zip(items, self._writes, strict=True) if item != skip])

    def decode(self, message: Message) -> Any:
        """Return the value of a message. Raise KeyError for an enum's number that the engine does not know."""
        if self._kind is None:
            return self._reads[0](message)

        return tuple.__new__(self._kind, [read(message) for read in self._reads])


def _field(field: FieldDescriptor, vocabulary: Vocabulary) -> _Field:
    if field.message_type is not None:
        if not is_repeated(field):
            raise TypeError(f"a message inside a part is a list: {field.full_name}")
        return _messages(field, Mirror(field.message_type, vocabulary))

    if field.enum_type is not None:
        enum = vocabulary.enums.get(field.enum_type.name)
        if enum is None:
            raise TypeError(f"the vocabulary lacks the enum {field.enum_type.name!r}")
        convert: Callable[[int], int] | None = {member.value: member for member in enum}.__getitem__
    elif field.type in _NUMBERS:
        convert = None
    else:
        raise TypeError(f"a number is unsigned, a flag or an enum: {field.full_name}")

    return _list(field, convert) if is_repeated(field) else _number(field, convert, vocabulary.absent)


def _number(field: FieldDescriptor, convert: Callable[[int], int] | None, absent: int | None) -> _Field:
    tag, name, get = number_tag(field), field.name, attrgetter(field.name)
    one_byte = tuple(tag + varint(value) for value in range(0x80))

    def write(value: int) -> bytes:
        return one_byte[value] if 0 <= value < 0x80 else tag + varint(value)

    def read_optional(message: Message) -> Any:
        return get(message) if message.HasField(name) else absent

    if field.has_presence:
        if convert is not None:
            raise TypeError(f"an enum says none by its 0, not by absence: {field.full_name}")
        return _Field(absent, write, read_optional)
    if convert is not None:
        return _Field(0, write, lambda message: convert(get(message)))

    return _Field(0, write, get)


def _list(field: FieldDescriptor, convert: Callable[[int], int] | None) -> _Field:
    tag, get = bytes_tag(field), attrgetter(field.name)

    def write(values: tuple[int, ...]) -> bytes:
        return framed(tag, bytes(values) if max(values) < 0x80 else b"".join(map(varint, values)))

    if convert is not None:
        return _Field(_EMPTY, write, lambda message: tuple(map(convert, get(message))))

    return _Field(_EMPTY, write, lambda message: tuple(get(message)))


def _messages(field: FieldDescriptor, mirror: Mirror) -> _Field:
    tag, get, encode, decode = bytes_tag(field), attrgetter(field.name), mirror.encode, mirror.decode

    def write(values: tuple[Any, ...]) -> bytes:
        return b"".join([framed(tag, encode(value)) for value in values])

    return _Field(_EMPTY, write, lambda message: tuple(map(decode, get(message))))
