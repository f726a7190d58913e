"""Cyclades' views on the wire: the types of `agon_engine.cyclades.view` mirror the messages of its .proto."""

from __future__ import annotations

from collections.abc import Mapping

from agon.codec.mirror import Vocabulary
from agon.codec.views import GameCodec
from agon.games.cyclades.v1 import cyclades_pb2
from agon_engine.cyclades import enums, view
from agon_engine.cyclades.data import MAPS


def count_items(decoded: view.View) -> Mapping[str, int]:
    """Return how many players and islands a view has. Raise KeyError for a number of seats without a map."""
    seats = decoded.deal.seats
    return {"players": seats, "islands": len(MAPS[seats].islands) - 1}


CODEC = GameCodec(
    game="cyclades",
    view=view.View,
    message=cyclades_pb2.View.DESCRIPTOR,
    vocabulary=Vocabulary.of(
        tuples=[
            view.Deal,
            view.Table,
            view.Offer,
            view.Gods,
            view.Turn,
            view.Figurine,
            view.Creatures,
            view.Supply,
            view.Player,
            view.Island,
            view.Fleet,
            view.Seas,
            view.Roll,
            view.Battle,
            view.Due,
            view.Pending,
            view.Own,
        ],
        enums=[
            enums.God,
            enums.Creature,
            enums.Phase,
            enums.Ending,
            enums.CreatureStart,
            enums.OverBuildings,
            enums.TieBreak,
            enums.Todo,
        ],
        absent=enums.NOBODY,
    ),
    own={"own"},
    recurring={"deal", "pending", "islands"},
    items=count_items,
)
