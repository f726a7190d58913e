"""The Poseidon cards: each literal says what its text says. Data alone; HOUSE: not the printed cards."""

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
    LoseCard,
    On,
    Per,
    PickOpponent,
    Score,
    Seq,
    Tribute,
    level,
    up_to_level,
)
from agon_engine.elysium.words import (
    GOLD,
    VP,
    Comparison,
    Counter,
    Happening,
    Who,
    Zone,
)

CARDS: Final = (
    Card(
        "poseidon-triton",
        "Triton",
        Family.POSEIDON,
        level=1,
        copies=2,
        columns=(Colour.YELLOW,),
        activation=Activation.INSTANT,
        text="Gain 2 gold. Each opponent loses 1 gold.",
        effect=Seq(
            Gain(GOLD, 2),
            EachOpponent(Lose(GOLD, 1)),
        ),
        estimate=2.4,
    ),
    Card(
        "poseidon-sirens",
        "The Sirens",
        Family.POSEIDON,
        level=1,
        copies=2,
        columns=(Colour.BLUE,),
        activation=Activation.ACTIVATE,
        text="Pick an opponent, who gives you 1 gold.",
        effect=PickOpponent(Tribute(GOLD, 1), where=Compare(Per(Counter.GOLD), Comparison.AT_LEAST, 1)),
        estimate=2.8,
    ),
    Card(
        "poseidon-hippocampus",
        "Hippocampus",
        Family.POSEIDON,
        level=1,
        copies=2,
        columns=(Colour.GREEN,),
        activation=Activation.PERMANENT,
        text="Each time an opponent takes a level 3 card, gain 1 gold, at most twice per Epoch.",
        effect=On(Happening.OPPONENT_TAKE, Gain(GOLD, 1), filter=level(3), per_epoch=2),
        estimate=2.4,
    ),
    Card(
        "poseidon-palaemon",
        "Palaemon",
        Family.POSEIDON,
        level=1,
        copies=2,
        columns=(Colour.ANY,),
        activation=Activation.TRIGGER,
        text="Each opponent loses 2 gold or 2 VP, by own choice. Then gain 1 gold.",
        effect=Seq(
            EachOpponent(
                Choose(
                    Lose(GOLD, 2),
                    Lose(VP, 2),
                )
            ),
            Gain(GOLD, 1),
        ),
        estimate=2.5,
    ),
    Card(
        "poseidon-laestrygonians",
        "The Laestrygonians",
        Family.POSEIDON,
        level=2,
        copies=2,
        columns=(Colour.RED,),
        activation=Activation.INSTANT,
        text="Each opponent puts 1 Family card of own choice from own Domain into the Agora. Then gain 1 VP.",
        effect=Seq(
            EachOpponent(LoseCard(to=Zone.AGORA)),
            Gain(VP, 1),
        ),
        estimate=4.3,
    ),
    Card(
        "poseidon-scylla",
        "Scylla",
        Family.POSEIDON,
        level=2,
        copies=2,
        columns=(Colour.YELLOW, Colour.ANY),
        activation=Activation.ELEUSIS,
        text="Pick an opponent, who discards 1 level 1 or 2 Family card of own choice from own Domain. Then gain 2 VP.",
        effect=Seq(
            PickOpponent(LoseCard(up_to_level(2))),
            Gain(VP, 2),
        ),
        estimate=4.8,
    ),
    Card(
        "poseidon-proteus",
        "Proteus",
        Family.POSEIDON,
        level=2,
        copies=2,
        columns=(Colour.GREEN,),
        activation=Activation.ACTIVATE,
        text="Each opponent loses 1 gold or 1 VP, by own choice. Then gain 1 gold.",
        effect=Seq(
            EachOpponent(
                Choose(
                    Lose(GOLD, 1),
                    Lose(VP, 1),
                )
            ),
            Gain(GOLD, 1),
        ),
        estimate=4.2,
    ),
    Card(
        "poseidon-cetus",
        "Cetus",
        Family.POSEIDON,
        level=2,
        copies=1,
        columns=(Colour.BLUE,),
        activation=Activation.LEGEND,
        text="Gain 1 VP. Each opponent loses 1 gold, or 2 gold if that opponent has more gold than you.",
        effect=Seq(
            Gain(VP, 1),
            EachOpponent(
                If(
                    Compare(Per(Counter.GOLD), Comparison.MORE, Per(Counter.GOLD, who=Who.OWNER)),
                    then=Lose(GOLD, 2),
                    otherwise=Lose(GOLD, 1),
                )
            ),
        ),
        estimate=4.6,
    ),
    Card(
        "poseidon-charybdis",
        "Charybdis",
        Family.POSEIDON,
        level=3,
        copies=2,
        columns=(Colour.BLUE, Colour.RED),
        activation=Activation.INSTANT,
        text="Choose 1 level 1 or 2 Family card in each opponent's Domain: it is discarded. Then gain 3 gold.",
        effect=Seq(
            EachOpponent(LoseCard(up_to_level(2), chooser=Who.OWNER)),
            Gain(GOLD, 3),
        ),
        estimate=6.4,
    ),
    Card(
        "poseidon-trident",
        "The Trident",
        Family.POSEIDON,
        level=3,
        copies=2,
        columns=(Colour.YELLOW, Colour.RED),
        activation=Activation.ELEUSIS,
        text="Each opponent loses 2 gold and 2 VP. Then gain 2 VP.",
        effect=Seq(
            EachOpponent(
                Seq(
                    Lose(GOLD, 2),
                    Lose(VP, 2),
                )
            ),
            Gain(VP, 2),
        ),
        estimate=6.7,
    ),
    Card(
        "poseidon-atlantis",
        "Atlantis",
        Family.POSEIDON,
        level=3,
        copies=2,
        columns=(Colour.BLUE, Colour.GREEN),
        activation=Activation.CHRONOS,
        text="Each opponent loses 1 VP for each own Legend of exactly 2 cards, at most 3 VP. Then score 4 VP.",
        effect=Seq(
            EachOpponent(Lose(VP, Per(Counter.LEGENDS, most=3, min_cards=2, max_cards=2))),
            Score(4),
        ),
        estimate=6.0,
    ),
)
