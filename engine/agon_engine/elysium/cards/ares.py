"""The Ares cards: each literal says what its text says. Data alone; HOUSE: not the printed cards."""

from __future__ import annotations

from typing import Final

from agon_engine.elysium.enums import Activation, Colour, Family
from agon_engine.elysium.vocabulary import (
    Card,
    Choose,
    Compare,
    EachOpponent,
    Gain,
    If,
    Lose,
    May,
    NoneAbove,
    On,
    Pay,
    Per,
    PickOpponent,
    RowMove,
    Seq,
    Tribute,
    level,
)
from agon_engine.elysium.words import (
    GOLD,
    PP,
    VP,
    Comparison,
    Counter,
    Happening,
    Who,
    Zone,
)

CARDS: Final = (
    Card(
        "ares-phobos",
        "Phobos",
        Family.ARES,
        level=1,
        copies=2,
        columns=(Colour.BLUE,),
        activation=Activation.INSTANT,
        text="Gain 3 PP. Then gain 1 gold if no opponent has more PP than you.",
        effect=Seq(
            Gain(PP, 3),
            If(NoneAbove(PP), then=Gain(GOLD, 1)),
        ),
        estimate=2.6,
    ),
    Card(
        "ares-myrmidons",
        "The Myrmidons",
        Family.ARES,
        level=1,
        copies=2,
        columns=(Colour.RED,),
        activation=Activation.ACTIVATE,
        text="Gain 1 PP. You may also pay 1 gold to gain 2 PP more.",
        effect=Seq(
            Gain(PP, 1),
            Pay(GOLD, 1, then=Gain(PP, 2)),
        ),
        estimate=2.6,
    ),
    Card(
        "ares-stymphalides",
        "The Stymphalian Birds",
        Family.ARES,
        level=1,
        copies=2,
        columns=(Colour.YELLOW,),
        activation=Activation.TRIGGER,
        text=(
            "Discard 1 card from the Agora and gain PP equal to its level. Replace it with the top card of the "
            "draw pile."
        ),
        effect=Seq(
            RowMove(Zone.AGORA, to=Zone.DISCARD),
            Gain(PP, Per(Counter.MOVED_LEVEL)),
            If(Compare(Per(Counter.MOVED_LEVEL), Comparison.AT_LEAST, 1), then=RowMove(Zone.DECK, to=Zone.AGORA)),
        ),
        estimate=2.5,
    ),
    Card(
        "ares-hippolyta",
        "Hippolyta",
        Family.ARES,
        level=1,
        copies=2,
        columns=(Colour.ANY,),
        activation=Activation.PERMANENT,
        text="Each time you take a level 3 card, gain 2 PP.",
        effect=On(Happening.TAKE_CARD, Gain(PP, 2), filter=level(3)),
        estimate=2.6,
    ),
    Card(
        "ares-spartoi",
        "The Spartoi",
        Family.ARES,
        level=2,
        copies=2,
        columns=(Colour.GREEN,),
        activation=Activation.INSTANT,
        text="Gain 5 PP. Each opponent loses 1 PP.",
        effect=Seq(
            Gain(PP, 5),
            EachOpponent(Lose(PP, 1)),
        ),
        estimate=4.2,
    ),
    Card(
        "ares-deimos",
        "Deimos",
        Family.ARES,
        level=2,
        copies=2,
        columns=(Colour.BLUE, Colour.ANY),
        activation=Activation.ACTIVATE,
        text="Gain 1 PP and 1 gold. You may pick an opponent, who gives you 1 PP.",
        effect=Seq(
            Gain(PP, 1),
            Gain(GOLD, 1),
            May(PickOpponent(Tribute(PP, 1), where=Compare(Per(Counter.PP), Comparison.AT_LEAST, 1))),
        ),
        estimate=4.7,
    ),
    Card(
        "ares-enyo",
        "Enyo",
        Family.ARES,
        level=2,
        copies=2,
        columns=(Colour.YELLOW,),
        activation=Activation.ELEUSIS,
        text="Gain 4 PP. Each opponent loses 1 PP or 1 VP, by own choice.",
        effect=Seq(
            Gain(PP, 4),
            EachOpponent(
                Choose(
                    Lose(PP, 1),
                    Lose(VP, 1),
                )
            ),
        ),
        estimate=4.6,
    ),
    Card(
        "ares-areopagus",
        "The Areopagus",
        Family.ARES,
        level=2,
        copies=1,
        columns=(Colour.RED,),
        activation=Activation.CHRONOS,
        text="Gain 2 PP for each Legend of yours with 2 or more cards, at most 8 PP.",
        effect=Gain(PP, Per(Counter.LEGENDS, times=2, most=8, min_cards=2)),
        estimate=4.4,
    ),
    Card(
        "ares-penthesilea",
        "Penthesilea",
        Family.ARES,
        level=3,
        copies=2,
        columns=(Colour.RED, Colour.GREEN),
        activation=Activation.INSTANT,
        text="Gain 7 PP. Each opponent loses 2 PP or 2 VP, by own choice.",
        effect=Seq(
            Gain(PP, 7),
            EachOpponent(
                Choose(
                    Lose(PP, 2),
                    Lose(VP, 2),
                )
            ),
        ),
        estimate=6.4,
    ),
    Card(
        "ares-ajax",
        "Ajax the Great",
        Family.ARES,
        level=3,
        copies=2,
        columns=(Colour.BLUE, Colour.GREEN),
        activation=Activation.LEGEND,
        text="Gain 2 PP, plus 2 PP for each card you have transferred so far in this Phase III, at most 6 PP.",
        effect=Gain(PP, Per(Counter.TRANSFERRED_NOW, times=2, plus=2, most=6, who=Who.OWNER)),
        estimate=6.9,
    ),
    Card(
        "ares-troy",
        "Walls of Troy",
        Family.ARES,
        level=3,
        copies=2,
        columns=(Colour.RED, Colour.YELLOW),
        activation=Activation.TRIGGER,
        text="Pick an opponent and gain 2 PP for each Family card in that player's Domain, at most 10 PP.",
        effect=PickOpponent(Gain(PP, Per(Counter.DOMAIN_CARDS, times=2, most=10), to=Who.OWNER)),
        estimate=6.4,
    ),
)
