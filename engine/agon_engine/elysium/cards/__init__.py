"""The house set: one file a family, and the quests, pediment and tiles of the table."""

from __future__ import annotations

from typing import Final

from agon_engine.elysium.card_set import CardSet, Quest
from agon_engine.elysium.cards import apollo, ares, athena, hades, hephaestus, hermes, poseidon, zeus
from agon_engine.elysium.enums import Colour

_RED, _YELLOW, _GREEN, _BLUE = Colour.RED, Colour.YELLOW, Colour.GREEN, Colour.BLUE

HOUSE: Final = CardSet(
    status="house",
    version=1,
    cards=(
        *zeus.CARDS,
        *hades.CARDS,
        *hephaestus.CARDS,
        *poseidon.CARDS,
        *athena.CARDS,
        *hermes.CARDS,
        *apollo.CARDS,
        *ares.CARDS,
    ),
    quests_two=(
        Quest(1, gold=2, vp=3, transfers=2),
        Quest(2, gold=1, vp=3, transfers=3),
    ),
    quests_more=(
        Quest(1, gold=2, vp=2, transfers=2),
        Quest(2, gold=1, vp=4, transfers=2),
        Quest(3, gold=1, vp=2, transfers=3),
        Quest(4, gold=3, vp=4, transfers=2),
    ),
    incomplete=Quest(0, gold=1, vp=0, transfers=1, status="printed"),
    pediment=(
        (_RED, _YELLOW, _GREEN, _BLUE),
        (_GREEN, _RED, _BLUE, _YELLOW),
    ),
    pediment_two=(
        ((_RED, _YELLOW), (_GREEN, _BLUE)),
        ((_GREEN, _RED), (_BLUE, _YELLOW)),
    ),
    level_bonus=(2, 4, 6),
)
