"""Which steps are legal on the present state (ruling 30): what a power needs so that it may be used."""

from __future__ import annotations

from typing import Any

import pytest
from tests.engine.elysium.custom import POWER, trying

from agon_engine.elysium.enums import Activation
from agon_engine.elysium.vocabulary import (
    AcquireMod,
    Choose,
    ColumnReturn,
    Compare,
    CostMod,
    EachOpponent,
    Filter,
    Gain,
    If,
    LimitMod,
    Lose,
    May,
    NoneAbove,
    NoneBelow,
    Pay,
    Peek,
    PeekTake,
    Per,
    PickOpponent,
    Recharge,
    Reserve,
    Reuse,
    RowAccess,
    RowMove,
    Sacrifice,
    Seq,
    Step,
    Take,
    TakeCitizen,
    Transfer,
    Tribute,
    level,
)
from agon_engine.elysium.words import (
    GOLD,
    PP,
    VP,
    Comparison,
    Counter,
    Ignore,
    Price,
    Put,
    Scope,
    Zone,
)

RICH = Compare(Per(Counter.GOLD), Comparison.MORE, 3)
"""Of the subject."""


def legal(effect: Step, **position: Any) -> bool:
    """Return whether the power of such a card may be used."""
    return POWER in trying(effect, **position).codes


@pytest.mark.parametrize(
    ("effect", "position", "wanted"),
    [
        (LimitMod(1), {}, True),
        (CostMod(1, uses=1, scope=Scope.EPOCH), {}, True),
        (AcquireMod(Ignore.ONE, scope=Scope.TURN), {}, True),
        (RowAccess(), {}, True),
        (Peek(1, Put.TOP), {"deck": "zeus-io"}, True),
        (Peek(1, Put.TOP), {"deck": "", "discard": "zeus-io"}, True),
        (Peek(1, Put.TOP), {"deck": ""}, False),
        (PeekTake(1), {"deck": ""}, False),
        (TakeCitizen(), {"deck": ""}, False),
        (TakeCitizen(), {"deck": "", "discard": "zeus-io"}, True),
        (Reserve(), {"reserved": {0: "zeus-leda", 1: "hades-charon"}}, False),
        (Reserve(), {"reserved": {1: "hades-charon"}}, True),
        (RowMove(Zone.AGORA, to=Zone.DISCARD, filter=level(2)), {}, False),
        (RowMove(Zone.DECK, to=Zone.AGORA), {"deck": ""}, False),
        (RowMove(Zone.DECK, to=Zone.ORACLE), {}, False),
        (Take(Zone.AGORA, level(3)), {}, False),
        (Take(Zone.ORACLE), {}, False),
        (Take(Zone.DISCARD), {"discard": "zeus-io"}, True),
        (Transfer(), {}, False),
        (Transfer(), {"gold": 1}, True),
        (Transfer(cost=Price.FREE), {}, True),
        (May(Gain(GOLD, 1)), {}, True),
        (May(Lose(GOLD, 1)), {}, False),
        (If(NoneBelow(VP), then=Gain(GOLD, 1)), {"vp": {0: 2}}, False),
        (If(NoneBelow(VP), then=Gain(GOLD, 1)), {"vp": {1: 2}}, True),
        (If(NoneAbove(VP), then=Gain(GOLD, 1)), {"vp": {0: 2}}, True),
        (Pay(GOLD, 2, then=Gain(VP, 1)), {"gold": 1}, False),
        (Pay(GOLD, 2, then=Gain(VP, 1)), {"gold": 2}, True),
        (Pay(GOLD, 2, then=Lose(VP, 1)), {"gold": 2}, False),
        (Sacrifice(Filter(not_source=True), then=Gain(VP, 1)), {}, False),
        (Sacrifice(Filter(not_source=True), then=Gain(VP, 1)), {"domains": {0: "zeus-io"}}, True),
        (Sacrifice(Filter(not_source=True), then=Lose(VP, 1)), {"domains": {0: "zeus-io"}}, False),
        (PickOpponent(Tribute(GOLD, 1)), {}, False),
        (PickOpponent(Tribute(GOLD, 1)), {"gold": {1: 1}}, True),
        (PickOpponent(Tribute(GOLD, 1), where=RICH), {"gold": {1: 3}}, False),
        (PickOpponent(Tribute(GOLD, 1), where=RICH), {"gold": {1: 4}}, True),
        (EachOpponent(Tribute(GOLD, 1), where=RICH), {"gold": {1: 3}}, False),
        (EachOpponent(Lose(VP, 1)), {}, False),
        (EachOpponent(Lose(VP, 1)), {"vp": {1: 1}}, True),
        (Recharge((Activation.ELEUSIS,)), {"domains": {0: "zeus-io"}}, False),
        (Recharge((Activation.ELEUSIS,)), {"domains": {0: "zeus-io"}, "turned": "zeus-io"}, True),
        (Recharge((Activation.TRIGGER,)), {"domains": {0: "zeus-amalthea"}, "spent": "zeus-amalthea"}, True),
        (Gain(PP, 1), {}, False),
        (Gain(PP, 1), {"families": "zeus,hades,ares,athena,hermes"}, True),
        (Gain(VP, Per(Counter.PP)), {}, False),
        (Seq(Lose(VP, 1), Gain(GOLD, 1)), {}, True),
        (Seq(Lose(VP, 1), Lose(GOLD, 1)), {}, False),
        (Choose(Lose(VP, 1), Gain(GOLD, 1)), {}, True),
        (ColumnReturn(), {}, False),
        (ColumnReturn(), {"columns": {0: "red"}}, True),
        (Reuse((Zone.AGORA,), (Activation.INSTANT,)), {}, True),
        (Reuse((Zone.AGORA,), (Activation.TRIGGER,)), {}, False),
        (
            Reuse((Zone.OPPONENTS_DOMAIN,), (Activation.INSTANT,)),
            {"domains": {1: "zeus-leda"}, "agora": "zeus-io hades-helm"},
            True,
        ),
    ],
)
def test_what_is_legal(effect: Step, position: dict[str, Any], wanted: bool) -> None:
    """Ruling 30, T5, O1."""
    assert wanted == legal(effect, **position)


@pytest.mark.parametrize(
    ("how", "fulfilled"),
    [
        (Comparison.AT_LEAST, {2, 3}),
        (Comparison.MORE, {3}),
        (Comparison.LESS, {1}),
        (Comparison.AT_MOST, {1, 2}),
        (Comparison.EQUAL, {2}),
    ],
)
def test_comparisons(how: Comparison, fulfilled: set[int]) -> None:
    effect = If(Compare(Per(Counter.GOLD), how, 2), then=Gain(VP, 1))

    assert fulfilled == {gold for gold in (1, 2, 3) if legal(effect, gold=gold)}
