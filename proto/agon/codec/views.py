"""Views on the wire: what the codec knows of a game (`GameCodec`), and an encoder and a decoder that keep parts.

A view is made of immutable parts, and a part that did not change is the same object as before. `ViewEncoder` keeps the
encoded bytes of each part by that identity; `ViewDecoder` replaces the parts that came and keeps the others.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, Generic, TypeVar

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import DecodeError
from google.protobuf.message_factory import GetMessageClass

from agon.codec.errors import CodecError
from agon.codec.frames import Decide, WireView
from agon.codec.mirror import Mirror, Vocabulary
from agon.codec.wire import bytes_tag, framed, is_repeated, number_tag, varint
from agon.v1 import match_pb2
from agon_engine.core.game import Action, Notation

V = TypeVar("V", bound=tuple[Any, ...])


PARTS_KEPT = 4_096
"""So many values of a recurring part are kept with their bytes; then all are forgotten and kept anew."""


class Part:
    """What a part of a game's view is on the wire."""

    __slots__ = ("first_key", "is_repeated", "mirror", "name", "public", "recent", "tag")

    def __init__(
        self, name: str, tag: bytes, mirror: Mirror, *, first_key: int | None, public: bool, recurs: bool
    ) -> None:
        self.name = name
        self.tag = tag
        self.mirror = mirror
        self.first_key = first_key
        """Of a repeated part: the key of the first item; the view holds a tuple of them. None: a single part."""
        self.is_repeated = first_key is not None
        self.public = public
        """True where every seat and spectator gets the same: it is then encoded once for all of them."""
        self.recent: dict[object, bytes] | None = {} if recurs else None
        """The fields of values that came lately, in any match, for a part whose values recur."""

    def field(self, value: object) -> bytes:
        """Return a value as the field that holds it."""
        recent = self.recent
        if recent is None:
            return framed(self.tag, self.mirror.encode(value))

        field = recent.get(value)
        if field is None:
            if len(recent) >= PARTS_KEPT:
                recent.clear()
            field = recent[value] = framed(self.tag, self.mirror.encode(value))
        return field


class GameCodec(Generic[V]):
    """What the codec knows of one game: how its views mirror their messages. Codes are those of a match's notation.

    A new game is `games/<game>/v1/<game>.proto`, its line in the `oneof` of `agon.v1.View`, a module here that makes
    one of these, and its line in the registry. Its message `View` mirrors the engine's view, a NamedTuple: field 1 is
    `optional uint32 seat` (whose view it is; absent: a spectator's), the others are the parts, each a message that
    mirrors a tuple. The first field of a repeated part is its key: `seat`, from 0, or a place of the board, from 1.
    """

    def __init__(
        self,
        game: str,
        view: type[V],
        message: Descriptor,
        vocabulary: Vocabulary,
        own: Collection[str],
        recurring: Collection[str] = (),
        items: Callable[[V], Mapping[str, int]] | None = None,
    ) -> None:
        """`game` is the name, which is also the field in the `oneof`; `own` names the parts that are not the same for
        all, `recurring` those of few values, which come again in every match. `items` says of a decoded view how many
        items each repeated part has; without it all have as many. Raise TypeError where view and message do not mirror
        each other."""
        names = [field.name for field in message.fields]
        if names != list(getattr(view, "_fields", ())) or names[0] != "seat" or not {*own, *recurring} <= {*names}:
            raise TypeError(f"{message.full_name} has the fields {names!r}, which are not those of its view")

        self.game = game
        self.message = message
        self.vocabulary = vocabulary
        self.tag = bytes_tag(match_pb2.View.DESCRIPTOR.fields_by_name[self.game])
        self.seat_tag = number_tag(message.fields[0])
        self._view = view
        self._parse = GetMessageClass(message).FromString
        self._parts: list[Part] = []
        for field in message.fields[1:]:
            if field.message_type is None:
                raise TypeError(f"a part is a message: {field.full_name}")

            self._parts.append(
                Part(
                    field.name,
                    bytes_tag(field),
                    Mirror(field.message_type, vocabulary),
                    first_key=_first_key(field),
                    public=field.name not in own,
                    recurs=field.name in recurring,
                )
            )

        self._repeated = {part.name: index for index, part in enumerate(self._parts, 1) if part.is_repeated}
        self._items = items
        if not self._repeated:
            raise TypeError(f"a view has a part for each seat: {message.full_name}")

    def layout(self, *, public: bool) -> list[tuple[int, Part]]:
        """Return the parts that are the same for all, or the others: each with its field of the view, single ones
        first."""
        chosen = [(index, part) for index, part in enumerate(self._parts, 1) if part.public is public]
        return sorted(chosen, key=lambda item: item[1].is_repeated)

    def decode(self, data: bytes, before: V | None) -> V:
        """Make a view of the bytes of the game's message, parts that are absent taken from the one before.

        Raise DecodeError, ValueError or LookupError for bytes that make no view.
        """
        message: Any = self._parse(data)
        items: list[Any] = [message.seat if message.HasField("seat") else None]
        for index, part in enumerate(self._parts, 1):
            given = getattr(message, part.name)
            if part.first_key is not None:
                known = before[index] if before is not None else ()
                by_key = {item[0]: item for item in (*known, *map(part.mirror.decode, given))}
                items.append(tuple(by_key[key] for key in range(part.first_key, part.first_key + len(by_key))))
            elif message.HasField(part.name):
                items.append(part.mirror.decode(given))
            elif before is not None:
                items.append(before[index])
            else:
                raise ValueError(f"the part {part.name!r} is neither here nor known from before")

        view: V = tuple.__new__(self._view, items)
        self._check_items(view)
        return view

    def _check_items(self, view: V) -> None:
        counts = {name: len(view[index]) for name, index in self._repeated.items()}
        if self._items is not None:
            complete = counts == self._items(view)
        else:
            complete = len({0, *counts.values()}) == 2
        if not complete:
            raise ValueError(f"a repeated part has not all its items: {counts!r}")


def _first_key(field: FieldDescriptor) -> int | None:
    """Return the key of the first item of a repeated part, None of a single one: seats count from 0."""
    if field.message_type is None or not is_repeated(field):
        return None

    return 0 if field.message_type.fields[0].name == "seat" else 1


class PartCache:
    """Parts of one match as they were last seen, with the fields that hold them. One of public parts is shared by the
    encoders of all its seats."""

    __slots__ = ("_kept", "_layout", "fields")

    def __init__(self) -> None:
        self._layout: list[tuple[int, Part]] = []
        self._kept: list[Any] = []
        """What the view had for each part, an item or a tuple of one a seat."""
        self.fields: list[bytes] = []
        """What holds each item, as long as it is the same object."""

    @property
    def is_new(self) -> bool:
        return not self._layout

    def lay_out(self, layout: list[tuple[int, Part]], view: Any) -> None:
        """Say what the parts are, before the first of them come. All views have as many items as this one."""
        self._layout = layout
        self._kept = [(None,) * len(view[index]) if part.is_repeated else None for index, part in layout]
        self.fields = [b""] * sum(len(view[index]) if part.is_repeated else 1 for index, part in layout)

    def update(self, view: Any) -> None:
        """Make the fields those of a view of the match."""
        kept, fields = self._kept, self.fields
        place = 0
        for number, (index, part) in enumerate(self._layout):
            value = view[index]
            before = kept[number]
            if not part.is_repeated:
                if value is not before:
                    kept[number] = value
                    fields[place] = part.field(value)
                place += 1
            elif value is before:
                place += len(value)
            else:
                kept[number] = value
                for seat, item in enumerate(value):
                    if item is not before[seat]:
                        fields[place] = part.field(item)
                    place += 1


class ViewEncoder(Generic[V]):
    """Encodes the views of one seat (or of spectators) in one match, each part only when it has changed."""

    __slots__ = ("_codec", "_fresh", "_head", "_own", "_seat", "_sent", "_shared", "changed")

    def __init__(self, codec: GameCodec[V], shared: PartCache, *, changed: bool) -> None:
        self._codec = codec
        self._shared = shared
        self._own = PartCache()
        self._sent: list[bytes] = []
        self._fresh = True
        self._seat: int | None = None
        self._head = b""
        """The field that says whose view it is."""
        self.changed = changed
        """True: views hold only the parts that are not as in the view encoded before."""

    def reset(self) -> None:
        """Make the next view full: whoever reads it may not have the one before."""
        self._fresh = True

    def encode(self, view: V, *, full: bool = False) -> tuple[bytes, bool]:
        """Return the bytes of an `agon.v1.View`, and whether it holds every part."""
        codec, shared, own = self._codec, self._shared, self._own
        if own.is_new:
            own.lay_out(codec.layout(public=False), view)
            if shared.is_new:
                shared.lay_out(codec.layout(public=True), view)
        shared.update(view)
        own.update(view)
        seat = view[0]
        if seat != self._seat:
            self._seat = seat
            self._head = b"" if seat is None else codec.seat_tag + varint(seat)

        fields = shared.fields + own.fields
        full = full or self._fresh or not self.changed
        self._fresh = False
        # An equal part is no news, whatever object it is: what a seat is sent depends on values alone.
        sent = fields if full else [field for place, field in enumerate(fields) if field != self._sent[place]]
        if self.changed:
            self._sent = fields
        return framed(codec.tag, self._head + b"".join(sent)), full


def decode_view(codec: GameCodec[V], wire: WireView, before: V | None = None) -> V:
    """Return a view, absent parts taken from the one before. Raise CodecError when it is no view of the game."""
    if wire.game != codec.game:
        raise CodecError(f"a view of {codec.game} was expected, not of {wire.game!r}")
    try:
        return codec.decode(wire.data, before)
    except (DecodeError, ValueError, LookupError) as error:
        raise CodecError(f"no view of {codec.game}: {error}") from None


class ViewDecoder(Generic[V]):
    """Turns the views and actions of one seat's Decides into the engine's own values; one for each joined seat."""

    __slots__ = ("_before", "_codec", "_notation")

    def __init__(self, codec: GameCodec[V], notation: Notation) -> None:
        """`notation` is that of the match: of the game with the files that its options name."""
        self._codec = codec
        self._notation = notation
        self._before: V | None = None

    def view(self, decide: Decide) -> V:
        """Return the view of a Decide. Each Decide of the seat must be given in turn, from a full one on.

        Raise CodecError when it holds no view of this game.
        """
        self._before = decode_view(self._codec, decide.view, None if decide.full else self._before)
        return self._before

    def actions(self, decide: Decide) -> tuple[Action, ...]:
        """Return a Decide's actions as the engine's, in their order. Raise CodecError for a code of no action."""
        try:
            return tuple(map(self._notation.parse, decide.actions))
        except ValueError as error:
            raise CodecError(str(error)) from None
