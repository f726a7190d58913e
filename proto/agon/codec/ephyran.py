"""Ephyran's views on the wire: the types of `agon_engine.ephyran.view` mirror the messages of its .proto."""

from __future__ import annotations

from agon.codec.mirror import Vocabulary
from agon.codec.views import GameCodec
from agon.games.ephyran.v1 import ephyran_pb2
from agon_engine.ephyran import enums, view

CODEC = GameCodec(
    game="ephyran",
    view=view.View,
    message=ephyran_pb2.View.DESCRIPTOR,
    vocabulary=Vocabulary.of(
        tuples=[
            view.Deal,
            view.Table,
            view.Pending,
            view.Pile,
            view.City,
            view.Column,
            view.PublicHand,
            view.TokenLore,
            view.OwnHand,
            view.OwnTokens,
            view.KnownToken,
            view.OwnMemory,
            view.Sighting,
        ],
        enums=[enums.Colour, enums.Item, enums.Support, enums.Phase, enums.Ending, enums.TieBreak],
        absent=enums.NOBODY,
    ),
    own={"own_hand", "own_tokens", "own_memory"},
    recurring={"deal", "pending", "hands"},
)
