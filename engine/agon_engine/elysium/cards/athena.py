"""The Athena cards: each literal says what its text says. Data alone; HOUSE: not the printed cards."""

from __future__ import annotations

from typing import Final

from agon_engine.elysium.enums import Activation, Colour, Family
from agon_engine.elysium.vocabulary import (
    ANY_CARD,
    Card,
    Choose,
    Compare,
    EachOpponent,
    Gain,
    If,
    On,
    Peek,
    Per,
    Score,
    Seq,
    Shield,
    Take,
    Transfer,
    level,
)
from agon_engine.elysium.words import (
    GOLD,
    VP,
    Comparison,
    Counter,
    Happening,
    LegendType,
    Loss,
    Price,
    Put,
    Zone,
)


def _gold_or_vp(n: int) -> Choose:
    """So much of either, by own choice."""
    return Choose(Gain(GOLD, n), Gain(VP, n))


CARDS: Final = (
    Card(
        "athena-olive",
        "The Olive Tree",
        Family.ATHENA,
        level=1,
        copies=2,
        columns=(Colour.RED,),
        activation=Activation.INSTANT,
        text="Gain 4 gold. Each opponent gains 1 gold.",
        effect=Seq(Gain(GOLD, 4), EachOpponent(Gain(GOLD, 1))),
        estimate=2.4,
    ),
    Card(
        "athena-owl",
        "The Little Owl",
        Family.ATHENA,
        level=1,
        copies=2,
        columns=(Colour.YELLOW,),
        activation=Activation.ACTIVATE,
        text=(
            "Look at the top 2 cards of the draw pile and put each on top or at the bottom, in any order. Gain 2 "
            "gold; each opponent gains 1 gold."
        ),
        effect=Seq(Peek(2, put=Put.TOP_OR_BOTTOM), Gain(GOLD, 2), EachOpponent(Gain(GOLD, 1))),
        estimate=2.6,
    ),
    Card(
        "athena-telemachus",
        "Telemachus",
        Family.ATHENA,
        level=1,
        copies=2,
        columns=(Colour.GREEN,),
        activation=Activation.LEGEND,
        text=(
            "You may transfer 1 level 1 card more than your Quest allows, at its normal cost. Each opponent "
            "gains 1 gold."
        ),
        effect=Seq(Transfer(filter=level(1)), EachOpponent(Gain(GOLD, 1))),
        estimate=2.6,
    ),
    Card(
        "athena-penelope",
        "Penelope",
        Family.ATHENA,
        level=1,
        copies=2,
        columns=(Colour.BLUE,),
        activation=Activation.ELEUSIS,
        text="Gain 3 VP. Each opponent gains 1 gold or 1 VP, by own choice.",
        effect=Seq(Gain(VP, 3), EachOpponent(_gold_or_vp(1))),
        estimate=2.6,
    ),
    Card(
        "athena-odysseus",
        "Odysseus",
        Family.ATHENA,
        level=2,
        copies=2,
        columns=(Colour.RED,),
        activation=Activation.INSTANT,
        text=(
            "You may transfer up to 2 cards now, each for 1 gold less. Gain 3 VP. Then each opponent may transfer 1 "
            "card at its normal cost."
        ),
        effect=Seq(Transfer(2, ANY_CARD, cost=Price.ONE_LESS), Gain(VP, 3), EachOpponent(Transfer(filter=ANY_CARD))),
        estimate=4.6,
    ),
    Card(
        "athena-arachne",
        "Arachne",
        Family.ATHENA,
        level=2,
        copies=2,
        columns=(Colour.GREEN,),
        activation=Activation.ACTIVATE,
        text="Gain 2 gold and 1 VP. Each opponent gains 1 gold or 1 VP, by own choice.",
        effect=Seq(Gain(GOLD, 2), Gain(VP, 1), EachOpponent(_gold_or_vp(1))),
        estimate=4.2,
    ),
    Card(
        "athena-mentor",
        "Mentor",
        Family.ATHENA,
        level=2,
        copies=2,
        columns=(Colour.BLUE, Colour.ANY),
        activation=Activation.TRIGGER,
        text=(
            "You may take 1 card from the Agora, whatever its Columns. Each opponent gains 1 gold or 1 VP, by "
            "own choice."
        ),
        effect=Seq(Take(Zone.AGORA), EachOpponent(_gold_or_vp(1))),
        estimate=4.7,
    ),
    Card(
        "athena-aegis",
        "The Aegis",
        Family.ATHENA,
        level=2,
        copies=1,
        columns=(Colour.YELLOW,),
        activation=Activation.PERMANENT,
        text=(
            "Opponents' powers cannot make you lose gold, VP, PP or cards. When Quest rewards are paid, gain 2 "
            "VP and each opponent gains 1 gold."
        ),
        effect=Seq(
            Shield((Loss.GOLD, Loss.VP, Loss.PP, Loss.CARD)),
            On(Happening.INCOME, Seq(Gain(VP, 2), EachOpponent(Gain(GOLD, 1)))),
        ),
        estimate=4.3,
    ),
    Card(
        "athena-nike",
        "Nike",
        Family.ATHENA,
        level=3,
        copies=2,
        columns=(Colour.YELLOW, Colour.GREEN),
        activation=Activation.INSTANT,
        text="Gain 8 VP. Each opponent gains 2 gold or 2 VP, by own choice.",
        effect=Seq(Gain(VP, 8), EachOpponent(_gold_or_vp(2))),
        estimate=6.1,
    ),
    Card(
        "athena-parthenon",
        "The Parthenon",
        Family.ATHENA,
        level=3,
        copies=2,
        columns=(Colour.RED, Colour.BLUE),
        activation=Activation.CHRONOS,
        text=(
            "Score 2 VP for each different Family in your Legends, at most 8 VP. Each opponent with a complete "
            "Family Legend scores 2 VP."
        ),
        effect=Seq(
            Score(Per(Counter.LEGEND_FAMILIES, times=2, most=8)),
            EachOpponent(
                If(
                    Compare(Per(Counter.LEGENDS, min_cards=3, kind=LegendType.FAMILY), Comparison.AT_LEAST, 1),
                    then=Score(2),
                )
            ),
        ),
        estimate=6.5,
    ),
    Card(
        "athena-palladium",
        "The Palladium",
        Family.ATHENA,
        level=3,
        copies=2,
        columns=(Colour.YELLOW, Colour.ANY),
        activation=Activation.ACTIVATE,
        text=(
            "Choose two: gain 2 gold; gain 2 VP; transfer 1 card at its normal cost. Each opponent gains 1 gold "
            "or 1 VP, by own choice."
        ),
        effect=Seq(Choose(Gain(GOLD, 2), Gain(VP, 2), Transfer(filter=ANY_CARD), n=2), EachOpponent(_gold_or_vp(1))),
        estimate=7.2,
    ),
)
