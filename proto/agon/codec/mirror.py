"""Messages that mirror the engine's tuples: a NamedTuple and a message of the same name whose fields have the same
names in the same order. From the two follow encoder and decoder, so that no game writes either by hand.

What a field may be: a number from 0 on, a flag or an enum; such a number marked `optional`, which may be absent; a
list of these; a list of messages that mirror tuples again. Anything else is refused when the mirror is made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from enum import IntEnum
from functools import lru_cache
from operator import attrgetter, getitem
from typing import Any, NamedTuple, Protocol

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message

from agon.codec.wire import bits_of, bytes_tag, framed, is_repeated, number_tag, varint, varints

_NUMBERS = {FieldDescriptor.TYPE_UINT32, FieldDescriptor.TYPE_UINT64, FieldDescriptor.TYPE_BOOL}

MESSAGES_KEPT = 4096
"""The encoded bytes of so many messages inside parts are kept, for each field that lists such."""


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


class Writer(Protocol):
    """A field as a mapping from each value that it can have to the bytes written for it, empty where nothing is."""

    def __getitem__(self, value: Any, /) -> bytes: ...


class _Field(NamedTuple):
    writer: Writer
    read: Callable[[Message], Any]


class Mirror:
    """Encodes the tuples of one kind and decodes their messages."""

    __slots__ = ("_kind", "_reads", "_writers")

    def __init__(self, message: Descriptor, vocabulary: Vocabulary) -> None:
        """Raise TypeError where message and tuple do not mirror each other."""
        self._kind = vocabulary.tuples.get(message.name)
        names = tuple(field.name for field in message.fields)
        expected = names[:1] if self._kind is None else getattr(self._kind, "_fields", None)
        if names != expected:
            raise TypeError(f"{message.full_name} has the fields {names!r}, its tuple {expected!r}")

        fields = [_field(field, vocabulary) for field in message.fields]
        self._writers = [writer for writer, _ in fields]
        self._reads = [read for _, read in fields]

    def encode(self, value: Any) -> bytes:
        """Return the bytes of the value's message. Raise ValueError for a number below 0."""
        return b"".join(map(getitem, self._writers, (value,) if self._kind is None else value))

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
        convert: Callable[[int], Any] | None = {member.value: member for member in enum}.__getitem__
    elif field.type in _NUMBERS:
        convert = None
    else:
        raise TypeError(f"a number is unsigned, a flag or an enum: {field.full_name}")

    return _list(field, convert) if is_repeated(field) else _number(field, convert, vocabulary.absent)


class _Numbers(dict[int | None, bytes]):
    """Writes a number; the bytes of small ones are ready."""

    def __init__(self, field: FieldDescriptor, unwritten: int | None) -> None:
        tag = number_tag(field)
        super().__init__((value, tag + varint(value)) for value in range(0x80))
        self[unwritten] = b""
        self._tag = tag
        self._bits = bits_of(field)

    def __missing__(self, value: int) -> bytes:
        return self._tag + varint(value, self._bits)


def _number(field: FieldDescriptor, convert: Callable[[int], Any] | None, absent: int | None) -> _Field:
    name, get = field.name, attrgetter(field.name)
    if field.has_presence:
        if convert is not None:
            raise TypeError(f"an enum says none by its 0, not by absence: {field.full_name}")

        def read_optional(message: Message) -> Any:
            return get(message) if message.HasField(name) else absent

        return _Field(_Numbers(field, absent), read_optional)

    writer = _Numbers(field, 0)
    return _Field(writer, get if convert is None else lambda message: convert(get(message)))


class _Lists:
    """Writes a list of numbers, packed."""

    def __init__(self, field: FieldDescriptor) -> None:
        self._tag = bytes_tag(field)
        self._bits = bits_of(field)

    def __getitem__(self, values: tuple[int, ...]) -> bytes:
        if not values:
            return b""

        return framed(self._tag, varints(values, self._bits))


def _list(field: FieldDescriptor, convert: Callable[[int], Any] | None) -> _Field:
    get = attrgetter(field.name)
    writer = _Lists(field)
    # protobuf's containers are slow to iterate; a slice is a plain list.
    if convert is None:
        return _Field(writer, lambda message: tuple(get(message)[:]))

    return _Field(writer, lambda message: tuple(map(convert, get(message)[:])))


class _Messages:
    """Writes a list of messages. As a rule one of them changes; the bytes of the others are found by their value."""

    def __init__(self, tag: bytes, mirror: Mirror) -> None:
        self._one = lru_cache(MESSAGES_KEPT)(lambda value: framed(tag, mirror.encode(value)))

    def __getitem__(self, values: tuple[Any, ...]) -> bytes:
        return b"".join(map(self._one, values))


def _messages(field: FieldDescriptor, mirror: Mirror) -> _Field:
    get, decode = attrgetter(field.name), mirror.decode
    return _Field(_Messages(bytes_tag(field), mirror), lambda message: tuple(map(decode, get(message))))
