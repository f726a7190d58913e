"""Views on the wire: what the codec knows of a game (`GameCodec`), and an encoder and a decoder that keep parts.

A view is made of immutable parts, and a part that did not change is the same object as before. `ViewEncoder` keeps the
encoded bytes of each part by that identity; `ViewDecoder` replaces the parts that came and keeps the others.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Generic, TypeVar

from google.protobuf.descriptor import Descriptor
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

    __slots__ = ("by_seat", "mirror", "name", "public", "recent", "tag")

    def __init__(self, name: str, tag: bytes, mirror: Mirror, *, by_seat: bool, public: bool, recurs: bool) -> None:
        self.name = name
        self.tag = tag
        self.mirror = mirror
        self.by_seat = by_seat
        """True where there is one for each seat: the view holds a tuple of them."""
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
    """What the codec knows of one game: how its views mirror their messages, and its notation.

    A new game is `games/<game>/v1/<game>.proto`, its line in the `oneof` of `agon.v1.View`, a module here that makes
    one of these, and its line in the registry. Its message `View` mirrors the engine's view, a NamedTuple: field 1 is
    `optional uint32 seat` (whose view it is; absent: a spectator's), the others are the parts, each a message that
    mirrors a tuple. A repeated part has one item for each seat, whose first field `seat` is its key.
    """

    def __init__(
        self,
        notation: Notation,
        view: type[V],
        message: Descriptor,
        vocabulary: Vocabulary,
        own: Collection[str],
        recurring: Collection[str] = (),
    ) -> None:
        """`own` names the parts that are not the same for all, `recurring` those of few values, which come again in
        every match. Raise TypeError where view and message do not mirror each other."""
        names = [field.name for field in message.fields]
        if names != list(getattr(view, "_fields", ())) or names[0] != "seat" or not {*own, *recurring} <= {*names}:
            raise TypeError(f"{message.full_name} has the fields {names!r}, which are not those of its view")

        self.game = notation.game
        """The name, which is also the field in the `oneof`."""
        self.notation = notation
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
                    by_seat=is_repeated(field),
                    public=field.name not in own,
                    recurs=field.name in recurring,
                )
            )

        self._by_seat = [index for index, part in enumerate(self._parts, 1) if part.by_seat]
        if not self._by_seat:
            raise TypeError(f"a view has a part for each seat: {message.full_name}")
        self._public = self._places(public=True)
        self._own = self._places(public=False)

    def _places(self, *, public: bool) -> tuple[list[int], list[int]]:
        """Return the fields of the view that are public parts, or those that are not: single ones, and by seat."""
        chosen = [(index, part) for index, part in enumerate(self._parts, 1) if part.public is public]
        return [index for index, part in chosen if not part.by_seat], [index for index, part in chosen if part.by_seat]

    def public(self, view: V) -> list[Any]:
        """Return the parts that are the same for all, as many and in the same order for all views of a match."""
        return _picked(view, *self._public)

    def own(self, view: V) -> list[Any]:
        """Return the other parts, as many and in the same order for all views of a match."""
        return _picked(view, *self._own)

    def layout(self, view: V) -> tuple[list[Part], list[Part]]:
        """Return what each item of `public` and of `own` is."""
        parts = [part if not part.by_seat else (part,) * len(view[index]) for index, part in enumerate(self._parts, 1)]
        table = (None, *parts)
        return _picked(table, *self._public), _picked(table, *self._own)

    def decode(self, data: bytes, before: V | None) -> V:
        """Make a view of the bytes of the game's message, parts that are absent taken from the one before.

        Raise DecodeError, ValueError or LookupError for bytes that make no view.
        """
        message: Any = self._parse(data)
        items: list[Any] = [message.seat if message.HasField("seat") else None]
        for index, part in enumerate(self._parts, 1):
            given = getattr(message, part.name)
            if part.by_seat:
                known = before[index] if before is not None else ()
                by_seat = {item.seat: item for item in (*known, *map(part.mirror.decode, given))}
                items.append(tuple(by_seat[seat] for seat in range(len(by_seat))))
            elif message.HasField(part.name):
                items.append(part.mirror.decode(given))
            elif before is not None:
                items.append(before[index])
            else:
                raise ValueError(f"the part {part.name!r} is neither here nor known from before")

        if len({len(items[index]) for index in self._by_seat} | {0}) != 2:
            raise ValueError("some seats have not all their parts")

        view: V = tuple.__new__(self._view, items)
        return view


def _picked(items: tuple[Any, ...], single: list[int], by_seat: list[int]) -> list[Any]:
    picked = [items[index] for index in single]
    for index in by_seat:
        picked += items[index]
    return picked


class PartCache:
    """Parts of one match as they were last seen, with the fields that hold them. One of public parts is shared by the
    encoders of all its seats."""

    __slots__ = ("_layout", "_parts", "fields")

    def __init__(self) -> None:
        self._layout: list[Part] = []
        self._parts: list[object] = []
        self.fields: list[bytes] = []
        """The field of each part, as long as it is not another object."""

    @property
    def is_new(self) -> bool:
        return not self._layout

    def lay_out(self, layout: list[Part]) -> None:
        """Say what each part is, before the first of them come."""
        self._layout = layout
        self._parts = [None] * len(layout)
        self.fields = [b""] * len(layout)

    def update(self, parts: list[Any]) -> None:
        """Make the fields those of the given parts, which are all there are, in the order of the layout."""
        kept = self._parts
        for place, part in enumerate(parts):
            if part is not kept[place]:
                kept[place] = part
                self.fields[place] = self._layout[place].field(part)


class ViewEncoder(Generic[V]):
    """Encodes the views of one seat (or of spectators) in one match, each part only when it has changed."""

    __slots__ = ("_codec", "_fresh", "_own", "_sent", "_shared", "changed")

    def __init__(self, codec: GameCodec[V], shared: PartCache, *, changed: bool) -> None:
        self._codec = codec
        self._shared = shared
        self._own = PartCache()
        self._sent: list[bytes] = []
        self._fresh = True
        self.changed = changed
        """True: views hold only the parts that are not as in the view encoded before."""

    def reset(self) -> None:
        """Make the next view full: whoever reads it may not have the one before."""
        self._fresh = True

    def encode(self, view: V, *, full: bool = False) -> tuple[bytes, bool]:
        """Return the bytes of an `agon.v1.View`, and whether it holds every part."""
        codec, shared, own = self._codec, self._shared, self._own
        if own.is_new:
            public_layout, own_layout = codec.layout(view)
            own.lay_out(own_layout)
            if shared.is_new:
                shared.lay_out(public_layout)
        shared.update(codec.public(view))
        own.update(codec.own(view))

        fields = shared.fields + own.fields
        full = full or self._fresh or not self.changed
        self._fresh = False
        # An equal part is no news, whatever object it is: what a seat is sent depends on values alone.
        news = fields if full else [new for new, old in zip(fields, self._sent, strict=True) if new != old]
        self._sent = fields
        body = b"".join(news)
        seat = view[0]
        if seat is not None:
            body = codec.seat_tag + varint(seat) + body
        return framed(codec.tag, body), full


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

    __slots__ = ("_before", "_codec")

    def __init__(self, codec: GameCodec[V]) -> None:
        self._codec = codec
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
            return tuple(map(self._codec.notation.parse, decide.actions))
        except ValueError as error:
            raise CodecError(str(error)) from None
