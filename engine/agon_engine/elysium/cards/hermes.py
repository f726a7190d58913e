"""The Hermes cards: each literal says what its text says. Data alone; HOUSE: not the printed cards."""

from __future__ import annotations

from typing import Final

from agon_engine.elysium.enums import Activation, Colour, Family
from agon_engine.elysium.vocabulary import (
    Card,
    Choose,
    ColumnReturn,
    Filter,
    Gain,
    On,
    Per,
    Recharge,
    Reuse,
    Score,
    Seq,
    level,
    up_to_level,
)
from agon_engine.elysium.words import GOLD, VP, Counter, Happening, Zone

_INSTANT_ACTIVATE_TRIGGER: Final = (Activation.INSTANT, Activation.ACTIVATE, Activation.TRIGGER)
_OTHERS_POWER: Final = Choose(Reuse((Zone.OPPONENTS_DOMAIN,), _INSTANT_ACTIVATE_TRIGGER, up_to_level(2)), Gain(VP, 3))
"""The use of an opponent's card, or VP."""

CARDS: Final = (
    Card(
        "hermes-tortoise-lyre",
        "Tortoise-Shell Lyre",
        Family.HERMES,
        level=1,
        copies=2,
        columns=(Colour.RED,),
        activation=Activation.INSTANT,
        text="Either use the Instantaneous power of a level 1 card in your Domain again, or gain 2 gold.",
        effect=Choose(Reuse((Zone.OWN_DOMAIN,), (Activation.INSTANT,), level(1)), Gain(GOLD, 2)),
        estimate=2.4,
    ),
    Card(
        "hermes-petasos",
        "The Petasos",
        Family.HERMES,
        level=1,
        copies=2,
        columns=(Colour.GREEN,),
        activation=Activation.ACTIVATE,
        text="Either straighten a turned level 1 or 2 Activate or Eleusis card in your Domain, or gain 1 gold.",
        effect=Choose(Recharge((Activation.ACTIVATE, Activation.ELEUSIS), up_to_level(2)), Gain(GOLD, 1)),
        estimate=2.6,
    ),
    Card(
        "hermes-battus",
        "Battus",
        Family.HERMES,
        level=1,
        copies=2,
        columns=(Colour.YELLOW,),
        activation=Activation.TRIGGER,
        text=(
            "Either use the Instantaneous or Activate power of a level 1 card in an opponent's Domain as if it "
            "were yours, or gain 2 VP."
        ),
        effect=Choose(
            Reuse((Zone.OPPONENTS_DOMAIN,), (Activation.INSTANT, Activation.ACTIVATE), level(1)), Gain(VP, 2)
        ),
        estimate=2.6,
    ),
    Card(
        "hermes-maia",
        "Maia",
        Family.HERMES,
        level=1,
        copies=2,
        columns=(Colour.ANY,),
        activation=Activation.CHRONOS,
        text="Score 1 VP for each different activation symbol on the cards in your Legends, at most 4 VP.",
        effect=Score(Per(Counter.LEGEND_SYMBOLS, most=4)),
        estimate=3.0,
    ),
    Card(
        "hermes-argus",
        "Argus Panoptes",
        Family.HERMES,
        level=2,
        copies=2,
        columns=(Colour.BLUE,),
        activation=Activation.INSTANT,
        text=(
            "Use the Activate power of a level 1 or 2 card in an opponent's Domain as if it were yours. Then "
            "gain 3 gold."
        ),
        effect=Seq(Reuse((Zone.OPPONENTS_DOMAIN,), (Activation.ACTIVATE,), up_to_level(2)), Gain(GOLD, 3)),
        estimate=4.2,
    ),
    Card(
        "hermes-talaria",
        "The Talaria",
        Family.HERMES,
        level=2,
        copies=2,
        columns=(Colour.RED, Colour.ANY),
        activation=Activation.ACTIVATE,
        text=(
            "Either use the Instantaneous power of a level 1 card in your Domain again, or take back 1 dismissed "
            "Column and gain 1 VP."
        ),
        effect=Choose(Reuse((Zone.OWN_DOMAIN,), (Activation.INSTANT,), level(1)), Seq(ColumnReturn(), Gain(VP, 1))),
        estimate=4.6,
    ),
    Card(
        "hermes-pan",
        "Pan",
        Family.HERMES,
        level=2,
        copies=2,
        columns=(Colour.YELLOW,),
        activation=Activation.ELEUSIS,
        text=(
            "Either use the Instantaneous or Trigger power of a level 1 or 2 card in your Domain or Elysium "
            "again, or gain 3 gold."
        ),
        effect=Choose(
            Reuse((Zone.OWN_DOMAIN, Zone.OWN_ELYSIUM), (Activation.INSTANT, Activation.TRIGGER), up_to_level(2)),
            Gain(GOLD, 3),
        ),
        estimate=4.7,
    ),
    Card(
        "hermes-cyllene",
        "Cyllene",
        Family.HERMES,
        level=2,
        copies=1,
        columns=(Colour.GREEN,),
        activation=Activation.PERMANENT,
        text="Each time an opponent takes an Instantaneous card, gain 1 gold, at most 3 times per Epoch.",
        effect=On(Happening.OPPONENT_TAKE, Gain(GOLD, 1), filter=Filter(activation=(Activation.INSTANT,)), per_epoch=3),
        estimate=4.0,
    ),
    Card(
        "hermes-caduceus",
        "The Caduceus",
        Family.HERMES,
        level=3,
        copies=2,
        columns=(Colour.GREEN, Colour.BLUE),
        activation=Activation.LEGEND,
        text=(
            "Either use the Instantaneous, Activate, Trigger or Eleusis power of a card in your Elysium, or gain 3 VP."
        ),
        effect=Choose(
            Reuse(
                (Zone.OWN_ELYSIUM,), (Activation.INSTANT, Activation.ACTIVATE, Activation.TRIGGER, Activation.ELEUSIS)
            ),
            Gain(VP, 3),
        ),
        estimate=6.9,
    ),
    Card(
        "hermes-cattle",
        "Cattle of the Sun",
        Family.HERMES,
        level=3,
        copies=2,
        columns=(Colour.RED, Colour.BLUE),
        activation=Activation.INSTANT,
        text=(
            "Use the Instantaneous, Activate or Trigger power of a card in the Agora as if it were yours, "
            "without taking it. Then gain 3 gold."
        ),
        effect=Seq(Reuse((Zone.AGORA,), _INSTANT_ACTIVATE_TRIGGER), Gain(GOLD, 3)),
        estimate=6.6,
    ),
    Card(
        "hermes-myrtilus",
        "Myrtilus",
        Family.HERMES,
        level=3,
        copies=2,
        columns=(Colour.GREEN, Colour.YELLOW),
        activation=Activation.TRIGGER,
        text=(
            "Twice, either use the Instantaneous, Activate or Trigger power of a level 1 or 2 card in an "
            "opponent's Domain as if it were yours, or gain 3 VP."
        ),
        effect=Seq(_OTHERS_POWER, _OTHERS_POWER),
        estimate=7.0,
    ),
)
