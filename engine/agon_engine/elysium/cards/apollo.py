"""The Apollo cards: each literal says what its text says. Data alone; HOUSE: not the printed cards."""

from __future__ import annotations

from typing import Final

from agon_engine.elysium.enums import Activation, Colour, Family
from agon_engine.elysium.vocabulary import (
    AcquireMod,
    Card,
    Choose,
    Gain,
    Peek,
    PeekTake,
    Per,
    Reserve,
    RowAccess,
    Score,
    Seq,
    Take,
    level,
    up_to_level,
)
from agon_engine.elysium.words import (
    GOLD,
    VP,
    Counter,
    Ignore,
    Put,
    Scope,
    Zone,
)

CARDS: Final = (
    Card(
        "apollo-daphne",
        "Daphne",
        Family.APOLLO,
        level=1,
        copies=2,
        columns=(Colour.RED,),
        activation=Activation.INSTANT,
        text="Either take 1 level 1 card from the Oracle, whatever its Columns, or gain 2 VP.",
        effect=Choose(
            Take(Zone.ORACLE, up_to_level(1)),
            Gain(VP, 2),
        ),
        estimate=2.9,
    ),
    Card(
        "apollo-pythia",
        "The Pythia",
        Family.APOLLO,
        level=1,
        copies=2,
        columns=(Colour.YELLOW,),
        activation=Activation.ACTIVATE,
        text="Look at the top 3 cards of the draw pile and put them back on top in any order. Gain 1 gold.",
        effect=Seq(
            Peek(3, put=Put.TOP),
            Gain(GOLD, 1),
        ),
        estimate=2.5,
    ),
    Card(
        "apollo-branchus",
        "Branchus",
        Family.APOLLO,
        level=1,
        copies=2,
        columns=(Colour.GREEN,),
        activation=Activation.PERMANENT,
        text="When you take a level 3 card, you may leave out one Column of its acquisition condition.",
        effect=AcquireMod(Ignore.ONE, level(3)),
        estimate=2.3,
    ),
    Card(
        "apollo-hyacinthus",
        "Hyacinthus",
        Family.APOLLO,
        level=1,
        copies=2,
        columns=(Colour.BLUE,),
        activation=Activation.TRIGGER,
        text="Reserve 1 card of the Agora: for the rest of the Epoch only you may take it. Gain 1 VP.",
        effect=Seq(
            Reserve(),
            Gain(VP, 1),
        ),
        estimate=2.5,
    ),
    Card(
        "apollo-cassandra",
        "Cassandra",
        Family.APOLLO,
        level=2,
        copies=2,
        columns=(Colour.RED,),
        activation=Activation.INSTANT,
        text=(
            "Look at the top 3 cards of the draw pile; you may take 1 of them, whatever its Columns. Put the "
            "others at the bottom in any order."
        ),
        effect=PeekTake(3),
        estimate=4.6,
    ),
    Card(
        "apollo-delphi",
        "Delphi",
        Family.APOLLO,
        level=2,
        copies=2,
        columns=(Colour.YELLOW,),
        activation=Activation.ACTIVATE,
        text=(
            "In this turn you may take your card from the Oracle as well as from the Agora, and leave out one "
            "Column of its condition. Gain 1 gold."
        ),
        effect=Seq(
            RowAccess(),
            AcquireMod(Ignore.ONE, scope=Scope.TURN),
            Gain(GOLD, 1),
        ),
        estimate=4.6,
    ),
    Card(
        "apollo-python",
        "Python",
        Family.APOLLO,
        level=2,
        copies=2,
        columns=(Colour.GREEN, Colour.ANY),
        activation=Activation.ELEUSIS,
        text="Either take 1 level 1 or 2 card from the Oracle, whatever its Columns, or gain 2 VP.",
        effect=Choose(
            Take(Zone.ORACLE, up_to_level(2)),
            Gain(VP, 2),
        ),
        estimate=4.7,
    ),
    Card(
        "apollo-sibyl",
        "The Sibyl",
        Family.APOLLO,
        level=2,
        copies=1,
        columns=(Colour.BLUE,),
        activation=Activation.LEGEND,
        text="Look at the top 3 cards of the draw pile and put each on top or at the bottom, in any order. Gain 2 VP.",
        effect=Seq(
            Peek(3, put=Put.TOP_OR_BOTTOM),
            Gain(VP, 2),
        ),
        estimate=4.4,
    ),
    Card(
        "apollo-muses",
        "The Muses",
        Family.APOLLO,
        level=3,
        copies=2,
        columns=(Colour.BLUE, Colour.RED),
        activation=Activation.INSTANT,
        text="You may take 1 card from the Oracle and 1 level 1 card from the Agora, whatever their Columns.",
        effect=Seq(
            Take(Zone.ORACLE),
            Take(Zone.AGORA, up_to_level(1)),
        ),
        estimate=7.4,
    ),
    Card(
        "apollo-asclepius",
        "Asclepius",
        Family.APOLLO,
        level=3,
        copies=2,
        columns=(Colour.YELLOW, Colour.GREEN),
        activation=Activation.ELEUSIS,
        text="Either take 1 card from the discard pile, whatever its Columns, or gain 4 VP.",
        effect=Choose(
            Take(Zone.DISCARD),
            Gain(VP, 4),
        ),
        estimate=6.6,
    ),
    Card(
        "apollo-clio",
        "Clio",
        Family.APOLLO,
        level=3,
        copies=2,
        columns=(Colour.BLUE, Colour.ANY),
        activation=Activation.CHRONOS,
        text="Score 3 VP for each Legend of yours with 3 or more cards, at most 9 VP.",
        effect=Score(Per(Counter.LEGENDS, times=3, most=9, min_cards=3)),
        estimate=6.3,
    ),
)
