"""The unary and watching calls of the contract as plain values: a dataclass for each message, and `Method`, which turns
requests and responses into bytes and back. The values themselves are in the modules that have
the names of the contract's files.

A dataclass mirrors the message of its name: same field names, so that neither needs a line of conversion of its own.
`None` stands for an absent message or an unspecified enum; tuples for repeated fields.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from types import ModuleType, NoneType, UnionType
from typing import Any, Generic, TypeVar, Union, get_args, get_origin, get_type_hints

from google.protobuf.message import DecodeError, Message
from google.protobuf.message_factory import GetMessageClass

from agon.codec.errors import CodecError
from agon_engine.core.timing import TimeControl

Q = TypeVar("Q")
R = TypeVar("R")
V = TypeVar("V")

_SUFFIXES: Mapping[type[Any], str] = {TimeControl: "_us"}
"""Dataclasses of the engine whose fields have a unit in the contract's names."""


class Translator(Generic[V]):
    """Turns one kind of dataclass into messages and back."""

    def __init__(self, value: type[V], message: type[Message]) -> None:
        """Raise TypeError when the two do not have the same fields."""
        self._value = value
        self._message = message
        suffix = _SUFFIXES.get(value, "")
        hints = get_type_hints(value)
        names = {item.name + suffix: item.name for item in fields(value)}  # type: ignore[arg-type]  # a dataclass
        if set(names) != {field.name for field in message.DESCRIPTOR.fields}:
            raise TypeError(f"{value.__name__} does not have the fields of {message.DESCRIPTOR.full_name}")
        self._fields = [
            (field.name, names[field.name], *_converters(field, hints[names[field.name]]))
            for field in message.DESCRIPTOR.fields
        ]

    def encode(self, value: V) -> bytes:
        """Return the value as bytes. Raise CodecError for what the contract cannot carry."""
        try:
            return self.to_message(value).SerializeToString()
        except (ValueError, TypeError) as error:
            raise CodecError(f"the contract cannot carry this {self._value.__name__}: {error}") from None

    def decode(self, data: bytes) -> V:
        """Return the value of the bytes. Raise CodecError when they are none."""
        message = self._message()
        try:
            message.ParseFromString(data)
            return self.from_message(message)
        except CodecError:
            raise
        except DecodeError:
            raise CodecError(f"these bytes are no {self._message.DESCRIPTOR.name}") from None
        except ValueError as error:
            raise CodecError(f"{self._message.DESCRIPTOR.name}: {error}") from None

    def to_message(self, value: V) -> Message:
        """Return the value as a message."""
        given = {name: write(getattr(value, own)) for name, own, write, _ in self._fields}
        return self._message(**{name: item for name, item in given.items() if item is not None})

    def from_message(self, message: Message) -> V:
        """Return the value of a message."""
        return self._value(**{own: read(message) for _, own, _, read in self._fields})


@dataclass(frozen=True, slots=True)
class Method(Generic[Q, R]):
    """One call of the contract."""

    service: str
    """The service's full name."""
    name: str
    request: Translator[Q]
    response: Translator[R]
    streams: bool
    """Whether it answers with a stream of responses."""

    @property
    def path(self) -> str:
        """How gRPC names it."""
        return f"/{self.service}/{self.name}"


def method_of(module: ModuleType, service: str, name: str, request: type[Q], response: type[R]) -> Method[Q, R]:
    """Return the call of that name. Raise TypeError when the dataclasses are not those of its messages."""
    descriptor = module.DESCRIPTOR.services_by_name[service]
    call = descriptor.methods_by_name[name]
    if (call.input_type.name, call.output_type.name) != (request.__name__, response.__name__):
        raise TypeError(f"{service}.{name} is {call.input_type.name} to {call.output_type.name}")

    return Method(
        descriptor.full_name,
        name,
        Translator(request, GetMessageClass(call.input_type)),
        Translator(response, GetMessageClass(call.output_type)),
        streams=call.server_streaming,
    )


# -- one field (its descriptor is of one class or another, depending on protobuf's implementation) ---------------

Converters = tuple[Callable[[Any], Any], Callable[[Message], Any]]


def _converters(field: Any, hint: Any) -> Converters:
    """Return how a value is put into the field's keyword, and how it is read from a message."""
    name = field.name
    optional = False
    if get_origin(hint) in (Union, UnionType):
        optional = True
        (hint,) = [item for item in get_args(hint) if item is not NoneType]

    if get_origin(hint) is not None and issubclass(get_origin(hint), Mapping):
        return dict, lambda read: dict(getattr(read, name))
    if get_origin(hint) is tuple:
        return _repeated(field, get_args(hint)[0])
    if isinstance(hint, type) and issubclass(hint, Enum):
        return _enum(field, hint, optional=optional)
    if is_dataclass(hint):
        assert isinstance(hint, type)
        return _message(name, Translator(hint, _class_of(field)), optional=optional)
    if hint not in (str, int, bool, float):
        raise TypeError(f"no field of the contract holds {hint!r}")

    if optional:
        return _same, lambda read: getattr(read, name) if read.HasField(name) else None

    return _same, lambda read: getattr(read, name)


def _same(value: Any) -> Any:
    return value


def _class_of(field: Any) -> type[Message]:
    return GetMessageClass(field.message_type)


def _repeated(field: Any, item: Any) -> Converters:
    name = field.name
    if not is_dataclass(item):
        return list, lambda read: tuple(getattr(read, name))

    assert isinstance(item, type)
    translator: Translator[Any] = Translator(item, _class_of(field))

    def write(values: tuple[Any, ...]) -> list[Message]:
        return [translator.to_message(value) for value in values]

    return write, lambda read: tuple(translator.from_message(one) for one in getattr(read, name))


def _message(name: str, translator: Translator[Any], *, optional: bool) -> Converters:
    def write(value: Any) -> Message | None:
        return None if value is None else translator.to_message(value)

    def read(message: Message) -> Any:
        if optional and not message.HasField(name):
            return None
        return translator.from_message(getattr(message, name))

    return write, read


def _enum(field: Any, kind: type[Enum], *, optional: bool) -> Converters:
    name = field.name
    numbers = _numbers(field.enum_type, kind)
    members = {number: member for member, number in numbers.items()}

    def write(value: Enum | None) -> int:
        return 0 if value is None else numbers[value]

    def read(message: Message) -> Enum | None:
        number = getattr(message, name)
        if number == 0 and optional:
            return None
        if number not in members:
            raise CodecError(f"{name} is one of {', '.join(member.name for member in kind)}, not {number!r}")
        return members[number]

    return write, read


def _numbers(descriptor: Any, kind: type[Enum]) -> dict[Enum, int]:
    """Return the number of each member; the contract writes PREFIX_NAME, with an UNSPECIFIED that is 0."""
    prefix = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", descriptor.name).upper() + "_"
    known = {value.name.removeprefix(prefix): value.number for value in descriptor.values if value.number}
    if set(known) != {member.name for member in kind}:
        raise TypeError(f"{kind.__name__} does not have the members of {descriptor.full_name}")

    return {member: known[member.name] for member in kind}
