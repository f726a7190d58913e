"""Elysium's views on the wire: the types of `agon_engine.elysium.view` mirror the messages of its .proto."""

from __future__ import annotations

from agon.codec.mirror import Vocabulary
from agon.codec.views import GameCodec
from agon.games.elysium.v1 import elysium_pb2
from agon_engine.elysium import enums, view

CODEC = GameCodec(
    game="elysium",
    view=view.View,
    message=elysium_pb2.View.DESCRIPTOR,
    vocabulary=Vocabulary.of(
        tuples=[
            view.Deal,
            view.Sighting,
            view.Lot,
            view.Share,
            view.Mixed,
            view.Shown,
            view.Layer,
            view.Table,
            view.Pending,
            view.Due,
            view.Row,
            view.Reservation,
            view.Tiles,
            view.Tile,
            view.Discount,
            view.Player,
            view.Domain,
            view.Group,
            view.Elysium,
            view.Known,
            view.Face,
            view.Origin,
            view.Own,
        ],
        enums=[enums.Family, enums.Side, enums.Phase, enums.LegendKind, enums.Todo],
        absent=enums.NOBODY,
    ),
    own={"own"},
    recurring={"deal", "pending"},
)
