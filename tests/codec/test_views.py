"""Views over the wire, for every registered game: what a seat decodes is the view that the engine built (H4)."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from operator import attrgetter
from typing import Any

import pytest
from tests.support.decides import Asked, random_match

from agon.codec.client import decode_down
from agon.codec.down import PartCache, SeatEncoder
from agon.codec.errors import CodecError
from agon.codec.frames import Decide, WireView
from agon.codec.mirror import Mirror
from agon.codec.registry import codec_names, get_codec
from agon.codec.up import MESSAGE_BYTES
from agon.codec.views import GameCodec, Part, ViewDecoder, ViewEncoder, decode_view
from agon.codec.wire import is_repeated
from agon.games.ephyran.v1 import ephyran_pb2
from agon.v1 import match_pb2, play_pb2 as pb
from agon_engine.core import OptionValue
from agon_engine.ephyran.view import KnownToken, Table, View
from agon_engine.registry import get_game

GAMES_AND_SEATS = [(name, seats) for name in codec_names() for seats in get_game(name).spec.seat_counts]
every_game = pytest.mark.parametrize(("game", "seats"), GAMES_AND_SEATS)
MATCHES = 6


def matches(game: str, seats: int, count: int = MATCHES) -> Iterator[list[Asked]]:
    """Play matches with options at random, but the same in every run."""
    rng = random.Random(f"{game} {seats}")
    for number in range(count):
        options: dict[str, OptionValue] = {
            option.name: rng.choice(option.allowed) for option in get_game(game).spec.options
        }
        yield list(random_match(game, seats, number, options))


def body_of(piece: bytes) -> Decide:
    [frame] = decode_down(piece)
    assert isinstance(frame.body, Decide)
    return frame.body


def shape(value: Any) -> Any:
    """Return the types of a value's parts all the way down: equality alone takes True for 1."""
    return (type(value), tuple(map(shape, value))) if isinstance(value, tuple) else type(value)


def game_bytes(wire: bytes) -> WireView:
    view = match_pb2.View.FromString(wire)
    game = view.WhichOneof("game")
    assert game is not None
    return WireView(game, getattr(view, game).SerializeToString())


@every_game
@pytest.mark.parametrize("changed", [False, True])
def test_a_seat_decodes_every_view_of_a_match(game: str, seats: int, *, changed: bool) -> None:
    for match in matches(game, seats):
        shared = PartCache()
        encoders = [SeatEncoder(get_game(game).notation, "m", seat, 1, changed, shared) for seat in range(seats)]
        decoders = [ViewDecoder(get_codec(game), get_game(game).notation) for _ in range(seats)]
        for asked in match:
            decide = body_of(asked.encode(encoders[asked.seat]))
            view = decoders[asked.seat].view(decide)

            assert asked.view == view
            assert hash(asked.view) == hash(view)
            assert shape(asked.view) == shape(view)
            assert asked.actions == decoders[asked.seat].actions(decide)


@every_game
def test_every_seat_and_a_spectator_decode_every_state_of_a_match(game: str, seats: int) -> None:
    codec = get_codec(game)
    for number in range(2):
        shared = PartCache()
        watchers: list[int | None] = [*range(seats), None]
        encoders = {seat: ViewEncoder(codec, shared, changed=True) for seat in watchers}
        before: dict[int | None, Any] = dict.fromkeys(watchers)
        for asked in random_match(game, seats, number):
            for seat in watchers:
                view = asked.table.state.view(seat)
                data, full = encoders[seat].encode(view)

                assert (before[seat] is None) == full
                before[seat] = decode_view(codec, game_bytes(data), before[seat])
                assert view == before[seat]


def all_parts(codec: GameCodec[Any], view: Any) -> list[Any]:
    return [
        item
        for public in (True, False)
        for index, part in codec.layout(public=public)
        for item in (view[index] if part.is_repeated else [view[index]])
    ]


@every_game
def test_a_part_that_did_not_change_stays_the_same_object(game: str, seats: int) -> None:
    codec = get_codec(game)
    decoder = ViewDecoder(codec, get_game(game).notation)
    encoder = SeatEncoder(get_game(game).notation, "m", 0, 1, changed=True, shared=PartCache())
    before: Any = None
    kept = 0
    for asked in random_match(game, seats, 1):
        if asked.seat != 0:
            continue
        view = decoder.view(body_of(asked.encode(encoder)))
        if before is not None:
            for old, new in zip(all_parts(codec, before), all_parts(codec, view), strict=True):
                assert (old == new) == (old is new)
                kept += old is new
        before = view

    assert kept > 0


def replace_parts(known: Any, news: Any) -> None:
    """Do with changed parts what the contract tells a client in any language to do."""
    for field in known.DESCRIPTOR.fields:
        if is_repeated(field):
            key = attrgetter(field.message_type.fields[0].name)
            for part in getattr(news, field.name):
                for place, old in enumerate(getattr(known, field.name)):
                    if key(old) == key(part):
                        getattr(known, field.name)[place].CopyFrom(part)
        elif news.HasField(field.name) and field.message_type is not None:
            getattr(known, field.name).CopyFrom(getattr(news, field.name))


@every_game
def test_replacing_parts_gives_the_full_message_without_our_decoder(game: str, seats: int) -> None:
    """The contract's own rule for changed parts, followed with protobuf alone."""
    for match in matches(game, seats, 2):
        changing = [SeatEncoder(get_game(game).notation, "m", seat, 1, True, PartCache()) for seat in range(seats)]
        known: list[Any] = [None] * seats
        for asked in match:
            whole = pb.PlayResponse.FromString(
                asked.encode(SeatEncoder(get_game(game).notation, "m", asked.seat, 1, False, PartCache()))
            )
            part = pb.PlayResponse.FromString(asked.encode(changing[asked.seat]))
            expected, news = (getattr(message.frames[0].decide.view, game) for message in (whole, part))
            view = known[asked.seat]
            if view is None:
                known[asked.seat] = view = news
            else:
                replace_parts(view, news)

            assert expected == view


@every_game
def test_what_a_seat_is_sent_hangs_on_values_and_not_on_which_objects_hold_them(game: str, seats: int) -> None:
    """H3: were a rebuilt but equal part sent again, that it was rebuilt could tell what is hidden."""

    def copied(value: Any) -> Any:
        if not isinstance(value, tuple):
            return value
        return tuple.__new__(type(value), [copied(item) for item in value])

    same = SeatEncoder(get_game(game).notation, "m", 0, 1, True, PartCache())
    other = SeatEncoder(get_game(game).notation, "m", 0, 1, True, PartCache())
    for asked in random_match(game, seats, 2):
        if asked.seat == 0:
            assert asked.encode(same) == asked._replace(view=copied(asked.view)).encode(other)


@every_game
def test_seats_share_the_bytes_of_public_parts_only(game: str, seats: int) -> None:
    codec = get_codec(game)
    for asked in random_match(game, seats, 3):
        shared = PartCache()
        together = [ViewEncoder(codec, shared, changed=False) for _ in range(seats)]
        for seat, encoder in enumerate(together):
            view = asked.table.state.view(seat)
            alone = ViewEncoder(codec, PartCache(), changed=False)

            assert alone.encode(view) == encoder.encode(view)


@every_game
def test_public_parts_are_the_same_for_all(game: str, seats: int) -> None:
    """A part that is wrongly called public would hand one seat's knowledge to the others."""
    codec = get_codec(game)
    for asked in random_match(game, seats, 4):
        views = [asked.table.state.view(seat) for seat in [*range(seats), None]]
        for index, part in codec.layout(public=True):
            assert len({view[index] for view in views}) == 1, part.name


@every_game
def test_the_largest_decide_fits_a_message(game: str, seats: int) -> None:
    """G4: measured with full views, and with all events of the match at once, as after a Join from the start."""
    sizes, with_history = [], []
    for match in matches(game, seats, 10):
        for asked in match:
            encoder = SeatEncoder(get_game(game).notation, "0123456789abcdef", asked.seat, 1, False, PartCache())
            sizes.append(len(asked.encode(encoder)))
        history = asked.table.events_after(asked.seat, 0)
        with_history.append(len(asked._replace(events=history).encode(encoder)))

    assert max(sizes + with_history) < MESSAGE_BYTES
    assert sum(sizes) / len(sizes) < 2_048


@every_game
def test_a_view_with_parts_missing_is_refused(game: str, seats: int) -> None:
    codec = get_codec(game)
    asked = next(random_match(game, seats, 1))
    data, _ = ViewEncoder(codec, PartCache(), changed=False).encode(asked.view)
    whole = getattr(match_pb2.View.FromString(data), game)
    for field in whole.DESCRIPTOR.fields[1:]:
        partial = type(whole).FromString(whole.SerializeToString())
        if is_repeated(field):
            del getattr(partial, field.name)[-1]
        else:
            partial.ClearField(field.name)

        with pytest.raises(CodecError, match=f"no view of {game}"):
            decode_view(codec, WireView(game, partial.SerializeToString()))


class CountingMirror(Mirror):
    """Counts what it encodes."""

    def __init__(self, mirror: Mirror, count: Callable[[], None]) -> None:
        for name in Mirror.__slots__:
            setattr(self, name, getattr(mirror, name))
        self._count = count

    def encode(self, value: Any) -> bytes:
        self._count()
        return super().encode(value)


class CountingCodec(GameCodec[Any]):
    """A game's codec that counts which parts are encoded, where no value is kept from elsewhere."""

    def __init__(self, codec: GameCodec[Any]) -> None:
        self.__dict__.update(vars(codec))
        self.encoded: Counter[str] = Counter()

    def layout(self, *, public: bool) -> list[tuple[int, Part]]:
        return [(index, self._counting(part)) for index, part in super().layout(public=public)]

    def _counting(self, part: Part) -> Part:
        return Part(
            part.name,
            part.tag,
            CountingMirror(part.mirror, partial(self._count, part.name)),
            first_key=part.first_key,
            public=part.public,
            recurs=False,
        )

    def _count(self, name: str) -> None:
        self.encoded[name] += 1


@every_game
def test_a_part_is_encoded_again_only_when_it_has_changed(game: str, seats: int) -> None:
    codec = CountingCodec(get_codec(game))
    encoder = ViewEncoder(codec, PartCache(), changed=False)
    view = next(random_match(game, seats, 1)).view
    first = encoder.encode(view)
    codec.encoded.clear()

    assert first == encoder.encode(view)
    assert codec.encoded.total() == 0


@every_game
def test_a_public_part_is_encoded_at_most_once_for_all_seats(game: str, seats: int) -> None:
    codec = CountingCodec(get_codec(game))
    state = next(random_match(game, seats, 1)).table.state
    views = [state.view(seat) for seat in [*range(seats), None]]
    shared = PartCache()
    for view in views:
        ViewEncoder(codec, shared, changed=False).encode(view)

    for _, part in codec.layout(public=False):
        assert codec.encoded[part.name] == len(views)
    for index, part in codec.layout(public=True):
        assert codec.encoded[part.name] <= (len(views[0][index]) if part.is_repeated else 1)


@every_game
def test_a_view_that_says_it_is_full_is_taken_at_its_word(game: str, seats: int) -> None:
    """R7: were parts of an older view filled in, a full view could not put a client right."""
    asked = next(random_match(game, seats, 1))
    encoder = SeatEncoder(get_game(game).notation, "m", asked.seat, 1, True, PartCache())
    decoder = ViewDecoder(get_codec(game), get_game(game).notation)
    decoder.view(body_of(asked.encode(encoder)))
    partial_view = body_of(asked.encode(encoder))

    assert asked.view == decoder.view(partial_view)
    with pytest.raises(CodecError):
        decoder.view(replace(partial_view, full=True))


@every_game
def test_changed_parts_without_a_view_before_are_refused(game: str, seats: int) -> None:
    asked = next(random_match(game, seats, 1))
    encoder = SeatEncoder(get_game(game).notation, "m", asked.seat, 1, True, PartCache())
    asked.encode(encoder)

    with pytest.raises(CodecError):
        ViewDecoder(get_codec(game), get_game(game).notation).view(body_of(asked.encode(encoder)))


@pytest.mark.parametrize(
    ("view", "message", "own"),
    [
        (Table, ephyran_pb2.View.DESCRIPTOR, set()),
        (View, ephyran_pb2.Table.DESCRIPTOR, set()),
        (View, ephyran_pb2.View.DESCRIPTOR, {"own_hand", "own_secret"}),
        (KnownToken, ephyran_pb2.KnownToken.DESCRIPTOR, set()),
    ],
)
def test_a_view_that_its_message_does_not_mirror_is_refused(view: Any, message: Any, own: set[str]) -> None:
    codec = get_codec("ephyran")
    with pytest.raises(TypeError, match="which are not those of its view"):
        GameCodec(codec.game, view, message, codec.vocabulary, own)


def test_a_view_of_another_game_is_refused() -> None:
    with pytest.raises(CodecError, match="a view of ephyran was expected, not of 'chess'"):
        decode_view(get_codec("ephyran"), WireView("chess", b""))


def test_an_action_that_the_game_does_not_have_is_refused() -> None:
    asked = next(random_match("ephyran", 2, 1))
    decide = body_of(asked.encode(SeatEncoder(get_game("ephyran").notation, "m", asked.seat, 1, False, PartCache())))
    with pytest.raises(CodecError, match="'fly'"):
        ViewDecoder(get_codec("ephyran"), get_game("ephyran").notation).actions(
            replace(decide, actions=("pass", "fly"))
        )
