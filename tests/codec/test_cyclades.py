"""Cyclades on the wire: how many players and islands there are follows from the number of seats; how large a Decide
gets."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.support.decides import random_match

from agon.codec.down import SeatEncoder
from agon.codec.errors import CodecError
from agon.codec.frames import WireView
from agon.codec.registry import get_codec
from agon.codec.views import PartCache, ViewEncoder, decode_view
from agon.games.cyclades.v1 import cyclades_pb2 as pb
from agon.v1 import match_pb2
from agon_engine.cyclades import GAME
from agon_engine.cyclades.data import MAPS


def message() -> pb.View:
    asked = next(random_match("cyclades", 3, 1))
    data, _ = ViewEncoder(get_codec("cyclades"), PartCache(), changed=False).encode(asked.view)
    return match_pb2.View.FromString(data).cyclades


def test_islands_are_keyed_by_their_number_whatever_their_order() -> None:
    message_of_view = message()
    islands = list(reversed(message_of_view.islands))
    del message_of_view.islands[:]
    message_of_view.islands.extend(islands)

    view = decode_view(get_codec("cyclades"), WireView("cyclades", message_of_view.SerializeToString()))
    assert list(range(1, len(MAPS[3].islands))) == [island.island for island in view.islands]


@pytest.mark.parametrize(
    "spoil",
    [
        lambda view: view.islands.add(island=len(view.islands) + 1, buildings=[0, 0, 0, 0]),
        lambda view: view.islands.add(island=0, buildings=[0, 0, 0, 0]),
        lambda view: view.islands.pop(0),
        lambda view: view.islands.pop(),
        lambda view: view.players.add(seat=3),
        lambda view: view.players.pop(),
        lambda view: setattr(view.deal, "seats", 4),
        lambda view: setattr(view.deal, "seats", 6),
    ],
    ids=[
        "an island more",
        "an island 0",
        "the first island missing",
        "the last island missing",
        "a player more",
        "a player missing",
        "islands of another map",
        "a number of seats without a map",
    ],
)
def test_a_view_with_other_items_than_its_map_is_refused(spoil: Callable[[pb.View], object]) -> None:
    message_of_view = message()
    spoil(message_of_view)

    with pytest.raises(CodecError, match="no view of cyclades"):
        decode_view(get_codec("cyclades"), WireView("cyclades", message_of_view.SerializeToString()))


@pytest.mark.parametrize("number", [2, 4, 6])
def test_a_seat_that_comes_back_at_the_cap_is_told_everything_in_32_kb(number: int) -> None:
    *_, last = random_match("cyclades", 5, number)
    assert last.view.table.cycle == last.view.deal.max_cycles

    encoder = SeatEncoder(GAME.notation, "0123456789abcdef", last.seat, 1, False, PartCache())
    told = last._replace(events=last.table.events_after(last.seat, 0))
    assert len(told.events) > 1_000
    assert len(told.encode(encoder)) <= 32 * 1_024
