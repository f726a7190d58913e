"""The Hades cards: each literal says what its text says. Data alone; HOUSE: not the printed cards."""

from __future__ import annotations

from typing import Final

from agon_engine.elysium.enums import Activation, Colour, Family
from agon_engine.elysium.vocabulary import (
    ANY_CARD,
    Card,
    Choose,
    CitizenMod,
    CostMod,
    Gain,
    LimitMod,
    Pardon,
    Per,
    Score,
    Seq,
    TakeCitizen,
    Transfer,
    level,
    up_to_level,
)
from agon_engine.elysium.words import GOLD, Counter, Price, Scope, Zone

CARDS: Final = (
    Card(
        "hades-charon",
        "Charon",
        Family.HADES,
        level=1,
        copies=2,
        columns=(Colour.RED,),
        activation=Activation.ACTIVATE,
        text="Your next transfer in this Epoch costs 2 gold less (never less than 0).",
        effect=CostMod(minus=2, uses=1, scope=Scope.EPOCH),
        estimate=2.8,
    ),
    Card(
        "hades-asphodel",
        "Asphodel Meadows",
        Family.HADES,
        level=1,
        copies=2,
        columns=(Colour.GREEN,),
        activation=Activation.INSTANT,
        text="You may transfer 1 level 1 card now at its normal cost.",
        effect=Transfer(filter=level(1)),
        estimate=2.3,
    ),
    Card(
        "hades-pomegranate",
        "The Pomegranate",
        Family.HADES,
        level=1,
        copies=2,
        columns=(Colour.BLUE,),
        activation=Activation.ELEUSIS,
        text="You may transfer 1 card now at its normal cost.",
        effect=Transfer(filter=ANY_CARD),
        estimate=2.8,
    ),
    Card(
        "hades-elpenor",
        "Elpenor",
        Family.HADES,
        level=1,
        copies=2,
        columns=(Colour.ANY,),
        activation=Activation.TRIGGER,
        text="Take a Citizen into your Domain, and your Quest allows 1 more transfer in this Epoch.",
        effect=Seq(
            TakeCitizen(),
            LimitMod(plus=1),
        ),
        estimate=2.8,
    ),
    Card(
        "hades-acheron",
        "Acheron",
        Family.HADES,
        level=2,
        copies=2,
        columns=(Colour.YELLOW,),
        activation=Activation.INSTANT,
        text="You may transfer 1 level 1 or 2 card now at no cost.",
        effect=Transfer(filter=up_to_level(2), cost=Price.FREE),
        estimate=4.0,
    ),
    Card(
        "hades-sisyphus",
        "Sisyphus",
        Family.HADES,
        level=2,
        copies=2,
        columns=(Colour.RED, Colour.ANY),
        activation=Activation.LEGEND,
        text="You may transfer 1 level 1 or 2 card more than your Quest allows, at its normal cost.",
        effect=Transfer(filter=up_to_level(2)),
        estimate=4.5,
    ),
    Card(
        "hades-lethe",
        "Lethe",
        Family.HADES,
        level=2,
        copies=2,
        columns=(Colour.BLUE,),
        activation=Activation.PERMANENT,
        text=(
            "Your transfers cost 1 gold less (never less than 0). You may add Citizens to Legends that hold only "
            "1 card."
        ),
        effect=Seq(
            CostMod(minus=1),
            CitizenMod(min_cards=1),
        ),
        estimate=4.6,
    ),
    Card(
        "hades-aeacus",
        "Aeacus",
        Family.HADES,
        level=2,
        copies=1,
        columns=(Colour.GREEN,),
        activation=Activation.CHRONOS,
        text=(
            "Your Citizens cost you no VP, and score 1 VP for each Legend of yours with 3 or more cards, at most 3 VP."
        ),
        effect=Seq(
            Pardon(99),
            Score(Per(Counter.LEGENDS, most=3, min_cards=3)),
        ),
        estimate=4.1,
    ),
    Card(
        "hades-orpheus",
        "Orpheus",
        Family.HADES,
        level=3,
        copies=2,
        columns=(Colour.GREEN, Colour.YELLOW),
        activation=Activation.INSTANT,
        text="You may transfer up to 2 cards now, each for 1 gold less.",
        effect=Transfer(2, ANY_CARD, cost=Price.ONE_LESS),
        estimate=6.6,
    ),
    Card(
        "hades-helm",
        "Helm of Darkness",
        Family.HADES,
        level=3,
        copies=2,
        columns=(Colour.RED, Colour.YELLOW),
        activation=Activation.ACTIVATE,
        text="Either transfer 1 card now at its normal cost, or gain 2 gold.",
        effect=Choose(
            Transfer(filter=ANY_CARD),
            Gain(GOLD, 2),
        ),
        estimate=6.5,
    ),
    Card(
        "hades-tartarus",
        "Tartarus",
        Family.HADES,
        level=3,
        copies=2,
        columns=(Colour.GREEN, Colour.BLUE),
        activation=Activation.TRIGGER,
        text=(
            "You may transfer 1 card from the Agora straight into your Elysium at its normal cost, whatever its "
            "Columns."
        ),
        effect=Transfer(source=Zone.AGORA),
        estimate=6.0,
    ),
)
