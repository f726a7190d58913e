"""Filters, wherever a step or a quantity has one: levels, activations, Citizens, and all cards but the one whose power
it is (C2)."""

from __future__ import annotations

import pytest
from tests.engine.elysium.custom import POWER, trying, with_effect
from tests.engine.elysium.positions import lay_out

from agon_engine.elysium.enums import Activation, Phase
from agon_engine.elysium.vocabulary import (
    ANY_CARD,
    Filter,
    Gain,
    LoseCard,
    On,
    Per,
    Recharge,
    Reserve,
    RowMove,
    Score,
    Seq,
    Step,
    Take,
    Transfer,
    level,
)
from agon_engine.elysium.words import VP, Counter, Happening, Kind, Zone

OTHERS = Filter(not_source=True)


@pytest.mark.parametrize(
    ("chosen", "counted"),
    [
        (Filter(), 3),
        (OTHERS, 2),
        (ANY_CARD, 5),
        (Filter(kind=Kind.CITIZEN), 2),
        (Filter(kind=Kind.ANY, not_source=True), 4),
        (Filter(kind=Kind.ANY, level_max=3), 3),
        (Filter(kind=Kind.ANY, activation=(Activation.ELEUSIS,)), 1),
        (Filter(level_min=2), 1),
        (Filter(level_max=1, not_source=True), 1),
        (Filter(activation=(Activation.ACTIVATE, Activation.CHRONOS)), 2),
    ],
)
def test_what_a_filter_counts_in_a_domain(chosen: Filter, counted: int) -> None:
    """C2: of Semele (level 1, Activate), Io (2, Eleusis), Dodona (1, Chronos) and two Citizens."""
    effect = Gain(VP, Per(Counter.DOMAIN_CARDS, filter=chosen))
    table = trying(effect, domains={0: "zeus-io zeus-dodona citizen citizen"}).do(POWER)

    assert table.vp() == counted


def test_a_chronos_card_counts_the_others_of_its_legends() -> None:
    """Filter: not the card whose power it is."""
    game = with_effect(Score(Per(Counter.LEGEND_CARDS, filter=OTHERS)), Activation.CHRONOS, "zeus-dodona")
    table = lay_out(
        phase=Phase.LEGENDS,
        epoch=5,
        on_turn=1,
        quests={0: 1, 1: 2},
        elysiums={0: "zeus-dodona zeus-io, zeus-leda"},
        domains={1: "zeus-metis"},
        gold={1: 2},
        game=game,
    ).do("end")

    assert table.vp() == 1


@pytest.mark.parametrize(
    ("effect", "listed"),
    [
        (Take(Zone.AGORA, OTHERS), ["take zeus-leda", "take zeus-io", "skip"]),
        (RowMove(Zone.AGORA, to=Zone.DISCARD, filter=OTHERS), ["move zeus-leda", "move zeus-io"]),
        (Reserve(filter=OTHERS), ["reserve zeus-leda", "reserve zeus-io"]),
        (Transfer(source=Zone.AGORA, filter=OTHERS), ["transfer zeus-leda agora", "transfer zeus-io agora", "skip"]),
    ],
)
def test_the_card_whose_power_it_is_can_be_left_out_of_a_row(effect: Step, listed: list[str]) -> None:
    """Semele's power puts Semele into the Agora, then chooses a card of it (T7: it finishes its effect)."""
    table = trying(Seq(LoseCard(to=Zone.AGORA), effect), agora="zeus-leda zeus-io", gold=9).do(POWER)

    assert table.agora[-1] == "zeus-semele"
    assert listed == table.codes


def test_the_card_whose_power_it_is_can_be_left_out_of_the_own_domain() -> None:
    table = trying(Transfer(filter=Filter(kind=Kind.ANY, not_source=True)), domains={0: "zeus-io"}, gold=9).do(POWER)
    assert table.codes == ["transfer zeus-io", "skip"]

    spent = trying(Recharge((Activation.ACTIVATE,)), domains={0: "athena-owl"}, turned="athena-owl").do(POWER)
    assert not spent.is_turned("athena-owl")
    assert spent.is_turned("zeus-semele"), "recharge never takes its own card, whatever the filter"


@pytest.mark.parametrize(("chosen", "vp"), [(ANY_CARD, 2), (Filter(kind=Kind.ANY, not_source=True), 1)])
def test_an_on_of_transfers_can_leave_its_own_out(chosen: Filter, vp: int) -> None:
    """on: transfer includes the transfer of this card itself, unless its filter says otherwise."""
    game = with_effect(On(Happening.TRANSFER, Gain(VP, 1), filter=chosen), Activation.PERMANENT)
    table = lay_out(
        phase=Phase.LEGENDS, quests={0: 1, 1: 2}, gold=9, domains={0: "zeus-semele zeus-io hades-charon"}, game=game
    )
    table.do("transfer zeus-io", "transfer zeus-semele", "place new")

    assert table.vp() == vp


def test_an_on_sees_the_cards_that_its_filter_lets_through() -> None:
    game = with_effect(On(Happening.TAKE_CARD, Gain(VP, 1), filter=level(2)), Activation.PERMANENT)
    taken = {"zeus-io": 1, "zeus-dodona": 0, "zeus-olympia": 0}
    for card, vp in taken.items():
        table = lay_out(agora=" ".join(taken), domains={0: "zeus-semele"}, game=game).do(f"take {card}")
        assert table.vp() == vp
