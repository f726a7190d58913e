"""What a card can count (C2), one row a counter and its limits."""

from __future__ import annotations

import pytest
from tests.engine.elysium.custom import POWER, trying, with_effect
from tests.engine.elysium.positions import Table, lay_out

from agon_engine.elysium.enums import Activation, Phase
from agon_engine.elysium.vocabulary import (
    ANY_CARD,
    Choose,
    Filter,
    Gain,
    LimitMod,
    Per,
    Seq,
    Transfer,
    level,
)
from agon_engine.elysium.words import (
    GOLD,
    VP,
    Counter,
    Kind,
    LegendType,
    Zone,
)

# -- counters ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("amount", "value"),
    [
        (Per(Counter.GOLD), 4),
        (Per(Counter.GOLD, times=2, plus=1), 9),
        (Per(Counter.GOLD, most=3), 3),
        (Per(Counter.DOMAIN_CARDS), 3),
        (Per(Counter.DOMAIN_CARDS, filter=ANY_CARD), 4),
        (Per(Counter.DOMAIN_CARDS, filter=Filter(kind=Kind.CITIZEN)), 1),
        (Per(Counter.DOMAIN_CARDS, filter=level(1)), 2),
        (Per(Counter.DOMAIN_CARDS, filter=Filter(activation=(Activation.ELEUSIS,))), 1),
        (Per(Counter.DOMAIN_FAMILIES), 2),
        (Per(Counter.OWNED_CARDS), 9),
        (Per(Counter.LEGEND_CARDS), 5),
        (Per(Counter.LEGEND_CARDS, filter=level(3)), 1),
        (Per(Counter.LEGEND_FAMILIES), 4),
        (Per(Counter.LEGEND_SYMBOLS), 4),
        (Per(Counter.LEGENDS), 2),
        (Per(Counter.LEGENDS, min_cards=3), 1),
        (Per(Counter.LEGENDS, max_cards=2), 1),
        (Per(Counter.LEGENDS, kind=LegendType.FAMILY), 1),
        (Per(Counter.LEGENDS, kind=LegendType.LEVEL), 1),
        (Per(Counter.BONUS_TILES), 2),
        (Per(Counter.ROW_CARDS), 2),
        (Per(Counter.ROW_CARDS, row=Zone.ORACLE), 1),
        (Per(Counter.ROW_CARDS, filter=level(2)), 0),
    ],
)
def test_counters(amount: Per, value: int) -> None:
    """C2: a Citizen is no Family card and has no level, family or symbol; it counts as a card of its Legend."""
    table = trying(
        Seq(Gain(VP, amount), LimitMod(1)),
        gold=4,
        domains={0: "zeus-io hades-asphodel citizen"},
        elysiums={0: "athena-olive poseidon-triton hephaestus-net citizen, zeus-olympia zeus-metis, hades-helm"},
        oracle="hades-acheron",
        level_tiles={1: 0, 2: 0, 3: 1},
    ).do(POWER)

    assert table.vp() == value


def test_what_was_transferred_in_phase_ii_does_not_count() -> None:
    """transferred_now."""
    table = trying(Seq(Transfer(), Gain(VP, Per(Counter.TRANSFERRED_NOW))), gold=1).do(POWER, "transfer zeus-semele")

    assert table.vp() == 0


def test_a_power_of_phase_iii_is_asked_for_there() -> None:
    game = with_effect(Choose(Gain(GOLD, 1), Gain(VP, 1)), Activation.LEGEND)
    table: Table = lay_out(phase=Phase.LEGENDS, quests={0: 1, 1: 2}, domains={0: "zeus-semele"}, game=game)

    assert table.do(POWER, "choose 2").vp() == 1
