"""Each step of the vocabulary by itself: who decides, in which order, what is skipped, shield, reservations, identical
cards, an empty draw pile (T4, T5, T8, rulings 8, 9 and 30)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from tests.engine.elysium.custom import POWER, trying, with_effect
from tests.engine.elysium.positions import lay_out

from agon_engine.elysium import game_with
from agon_engine.elysium.enums import Activation
from agon_engine.elysium.vocabulary import (
    ANY_CARD,
    AcquireMod,
    Choose,
    ColumnReturn,
    Compare,
    EachOpponent,
    Filter,
    Gain,
    If,
    Lose,
    LoseCard,
    May,
    On,
    Pay,
    Per,
    PickOpponent,
    Recharge,
    Reuse,
    RowAccess,
    RowMove,
    Sacrifice,
    Seq,
    Step,
    Take,
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
    Happening,
    Ignore,
    Kind,
    Scope,
    Who,
    Zone,
)

# -- control -------------------------------------------------------------------------------------------------


def test_a_seq_goes_on_after_a_step_that_is_skipped() -> None:
    assert trying(Seq(Lose(VP, 1), Gain(GOLD, 2), Take(Zone.ORACLE), Gain(GOLD, 1))).do(POWER).gold() == 3


def test_choose_two_resolves_one_before_the_next_is_picked() -> None:
    table = trying(Choose(Gain(GOLD, 2), Pay(GOLD, 2, then=Gain(VP, 5)), Gain(VP, 1), n=2)).do(POWER)
    assert table.codes == ["choose 1", "choose 3"]

    assert table.do("choose 1").codes == ["choose 2", "choose 3"]
    assert (table.do("choose 2").gold(), table.vp()) == (0, 5)


def test_choose_two_ends_where_no_option_is_left() -> None:
    """T8: a mandatory choice with no legal option is skipped."""
    table = trying(Seq(Choose(Gain(GOLD, 1), Lose(VP, 1), n=2), Gain(GOLD, 5))).do(POWER)

    assert (table.gold(), table.prompt) == (6, "turn")


def test_picking_an_option_that_is_may_or_pay_is_its_acceptance() -> None:
    table = trying(Choose(May(Gain(GOLD, 1)), Gain(VP, 1))).do(POWER, "choose 1")

    assert (table.gold(), table.prompt) == (1, "turn")


def test_may_can_be_declined() -> None:
    """T8."""
    assert trying(May(Gain(GOLD, 1))).do(POWER).codes == ["accept", "skip"]
    assert trying(May(Gain(GOLD, 1))).do(POWER, "skip").gold() == 0
    assert trying(May(Gain(GOLD, 1))).do(POWER, "accept").gold() == 1


def test_a_condition_is_checked_once_at_its_moment() -> None:
    effect = Seq(
        Gain(VP, 3),
        If(Compare(Per(Counter.GOLD), Comparison.LESS, 1), then=Gain(GOLD, 2), otherwise=Gain(VP, 1)),
    )

    assert (trying(effect).do(POWER).gold(), trying(effect, gold=1).do(POWER).vp()) == (2, 4)


def test_a_condition_on_each_opponent_is_checked_when_its_turn_comes() -> None:
    where = Compare(Per(Counter.GOLD, who=Who.OWNER), Comparison.LESS, 2)
    table = trying(EachOpponent(Tribute(GOLD, 1), where=where), seats=4, gold={1: 3, 2: 3, 3: 3}).do(POWER)

    assert [table.gold(seat) for seat in range(4)] == [2, 2, 2, 3]


def test_paying_is_no_loss_and_can_be_declined() -> None:
    """Shield does not matter for paying."""
    table = trying(Pay(VP, 2, then=Gain(GOLD, 3)), vp=2, domains={0: "athena-aegis"}).do(POWER)
    assert table.codes == ["pay", "skip"]

    assert (table.do("pay").vp(), table.gold()) == (0, 3)


def test_a_sacrificed_citizen_leaves_the_game_face_down() -> None:
    """Ruling 9, C2."""
    table = trying(Sacrifice(Filter(kind=Kind.CITIZEN), then=Gain(VP, 4)), domains={0: "citizen citizen"}).do(POWER)
    assert table.codes == ["sacrifice citizen", "skip"]
    assert table.view(1).table.gone == ()

    table.do("sacrifice citizen")

    assert (table.vp(), table.domain()) == (4, ["citizen", "zeus-semele"])
    assert table.view(1).table.gone == (0,)
    assert table.counts == {"cards": 105, "different cards": 105}


def test_sacrificed_trigger_cards_lose_their_ring() -> None:
    table = trying(Sacrifice(level(1), then=Gain(VP, 1)), domains={0: "zeus-amalthea"})
    card = table.card("zeus-amalthea")
    table.do(POWER, "sacrifice zeus-amalthea")

    assert table.state.marks[card] == 0


def test_the_owner_picks_and_the_subject_decides() -> None:
    """T4."""
    effect = PickOpponent(Choose(Lose(GOLD, 1), Lose(VP, 1)))
    table = trying(effect, seats=3, gold=1, vp=1).do(POWER)
    assert (table.seat, table.codes) == (0, ["seat 1", "seat 2"])

    assert table.do("seat 2").seat == 2


# -- losses --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("step", [Lose(GOLD, 3), Tribute(GOLD, 3)])
def test_a_loss_is_never_more_than_there_is(step: Step) -> None:
    """Ruling 8, T8."""
    table = trying(EachOpponent(step), gold={1: 2}).do(POWER)

    assert (table.gold(1), table.gold(0)) == (0, 2 if isinstance(step, Tribute) else 0)


def test_a_shield_keeps_gold_vp_pp_and_cards_from_others_powers_but_not_from_own_ones() -> None:
    effect = Seq(EachOpponent(Seq(Lose(GOLD, 1), Lose(VP, 1), Lose(PP, 1), LoseCard())), Lose(GOLD, 1))
    families = "zeus,hades,ares,athena,hermes"
    table = trying(effect, gold=2, vp=2, pp=2, domains={0: "zeus-io", 1: "athena-aegis"}, families=families).do(POWER)
    assert [(table.gold(1), table.vp(1), table.pp(1)), table.domain(1)] == [(2, 2, 2), ["athena-aegis"]]

    own = trying(Seq(Lose(GOLD, 1), Lose(VP, 1)), gold=2, vp=2, domains={0: "athena-aegis"}).do(POWER)
    assert (own.gold(), own.vp()) == (1, 1)


def test_an_option_that_is_a_shielded_loss_is_not_legal() -> None:
    effect = EachOpponent(Choose(Lose(GOLD, 1), Gain(VP, 1)))
    table = trying(effect, gold=2, domains={1: "athena-aegis"}).do(POWER)

    assert (table.gold(1), table.vp(1), table.seat) == (2, 1, 0)


@pytest.mark.parametrize(("chooser", "asked"), [(Who.OWNER, 0), (Who.SUBJECT, 1)])
def test_the_chooser_of_a_card_that_is_lost_is_told_whose_it_is(chooser: Who, asked: int) -> None:
    """lose_card: the owner chooses in the Domain of another, or the subject in its own."""
    table = trying(PickOpponent(LoseCard(chooser=chooser)), domains={1: "zeus-io zeus-leda"}).do(POWER)
    assert (table.seat, table.codes) == (asked, ["lose zeus-io", "lose zeus-leda"])

    assert table.prompt == ("lose zeus-semele 1" if chooser is Who.OWNER else "lose zeus-semele")
    assert table.do("lose zeus-leda").domain(1) == ["zeus-io"]


def test_an_owner_who_loses_a_card_of_its_own_choice_is_asked_as_any_subject() -> None:
    table = trying(LoseCard(chooser=Who.OWNER), domains={0: "zeus-io"}).do(POWER)

    assert (table.seat, table.prompt) == (0, "lose zeus-semele")


def test_a_forced_discard_takes_no_citizen_and_no_card_of_an_elysium() -> None:
    """Ruling 9."""
    table = trying(
        EachOpponent(LoseCard()),
        domains={1: "citizen"},
        elysiums={1: "zeus-io"},
        agora="zeus-leda hades-helm",
    )

    assert POWER not in table.codes


# -- takes and rows ------------------------------------------------------------------------------------------


def test_a_take_is_up_to_one_by_the_subject_whatever_its_columns() -> None:
    """T8, ruling 13."""
    table = trying(Take(Zone.AGORA), columns={0: "yellow"}).do(POWER)

    assert table.codes == ["take zeus-leda", "take hades-charon", "skip"]
    assert table.do("skip").domain() == ["zeus-semele"]


def test_nothing_identical_or_reserved_for_another_is_listed() -> None:
    """C1."""
    agora = "zeus-leda hades-charon zeus-io hades-lethe"
    table = trying(Take(Zone.AGORA), agora=agora, domains={0: "zeus-io"}, reserved={1: "hades-charon"}).do(POWER)

    assert table.codes_of("take") == ["take zeus-leda", "take hades-lethe"]


def test_rows_move_as_many_as_there_are() -> None:
    table = trying(RowMove(Zone.AGORA, to=Zone.DISCARD, n=3)).do(POWER, "move hades-charon")

    assert (table.agora, table.discard) == ([], ["hades-charon", "zeus-leda"])


def test_cards_move_between_the_rows() -> None:
    """O1: with Apollo."""
    families = "zeus,hades,apollo,athena,hermes"
    table = trying(RowMove(Zone.AGORA, to=Zone.ORACLE), families=families).do(POWER, "move zeus-leda")
    assert (table.agora, table.oracle) == (["hades-charon"], ["zeus-leda"])

    other = trying(RowMove(Zone.ORACLE, to=Zone.AGORA), oracle="zeus-io zeus-themis", families=families)
    assert other.do(POWER, "move zeus-io oracle").agora == ["zeus-leda", "hades-charon", "zeus-io"]


def test_nothing_moves_to_an_oracle_that_is_not_there() -> None:
    """O1: without Apollo the step is skipped."""
    effect = Seq(RowMove(Zone.DECK, to=Zone.ORACLE, n=2), RowMove(Zone.AGORA, to=Zone.ORACLE), Gain(VP, 1))
    table = trying(effect).do(POWER)

    assert (table.oracle, table.agora, table.vp()) == ([], ["zeus-leda", "hades-charon"], 1)


def test_cards_of_the_draw_pile_are_turned_up_as_many_as_there_are() -> None:
    """D1."""
    table = trying(RowMove(Zone.DECK, to=Zone.DISCARD, n=3), deck="zeus-io", discard="hades-helm").do(POWER)

    assert sorted(table.discard) == ["hades-helm", "zeus-io"]


def test_moved_level_is_that_of_the_last_card_that_left_a_row() -> None:
    effect = Seq(
        Gain(VP, Per(Counter.MOVED_LEVEL)),
        RowMove(Zone.AGORA, to=Zone.DISCARD, n=2),
        Gain(VP, Per(Counter.MOVED_LEVEL)),
    )
    table = trying(effect, agora="zeus-io hades-helm zeus-leda").do(POWER, "move zeus-io", "move hades-helm")

    assert table.vp() == 3


def test_what_an_earlier_effect_has_moved_does_not_count() -> None:
    """moved_level is of the effect: what it is afterwards makes no other power legal (ruling 30)."""
    position: dict[str, Any] = {"domains": {0: "ares-stymphalides"}, "agora": "zeus-io hades-helm zeus-leda"}
    table = trying(Gain(VP, Per(Counter.MOVED_LEVEL)), **position).do("power ares-stymphalides", "move zeus-io")

    assert table.view(1).table.moved_level == 0
    assert POWER not in table.codes


def test_an_interrupted_effect_goes_on_with_its_own_moved_level() -> None:
    inner = Seq(RowMove(Zone.AGORA, to=Zone.DISCARD, filter=level(3)), Gain(GOLD, Per(Counter.MOVED_LEVEL)))
    game = with_effect(inner, Activation.INSTANT, "hades-charon")
    outer = Seq(
        RowMove(Zone.AGORA, to=Zone.DISCARD, filter=level(1)),
        Take(Zone.AGORA),
        Gain(VP, Per(Counter.MOVED_LEVEL)),
    )
    cards = with_effect(outer).cards.cards
    mixed = tuple(o if o.id == "zeus-semele" else g for o, g in zip(cards, game.cards.cards, strict=True))
    both = game_with(replace(game.cards, cards=mixed))
    table = lay_out(agora="zeus-leda hades-charon hades-helm", domains={0: "zeus-semele"}, game=both)
    table.do(POWER, "move zeus-leda", "take hades-charon")

    assert (table.gold(), table.vp()) == (3, 1)


# -- modifiers -----------------------------------------------------------------------------------------------


def test_several_acquire_mods_add_up() -> None:
    effect = Seq(AcquireMod(Ignore.ONE, scope=Scope.TURN), AcquireMod(Ignore.ONE, scope=Scope.TURN))
    table = trying(effect, agora="zeus-olympia zeus-io", columns={0: "yellow"}, quests={1: 1}).do(POWER)

    assert "take zeus-olympia" in table.codes


def test_all_of_a_condition_may_be_left_out_for_one_turn() -> None:
    effect = AcquireMod(Ignore.ALL, level(3), scope=Scope.TURN)
    table = trying(effect, agora="zeus-olympia zeus-io", columns={0: "yellow"}, quests={1: 2}).do(POWER)
    assert "take zeus-olympia" in table.codes
    assert "take zeus-io" not in table.codes

    table.do("take zeus-olympia", "end")

    assert (table.seat, table.state.leave_out) == (1, [])


def test_the_oracle_is_open_for_one_turn() -> None:
    """row_access: for the take of that turn alone, its columns checked."""
    table = trying(RowAccess(), oracle="zeus-olympia zeus-themis", agora="zeus-leda hades-charon zeus-io", epoch=3)
    table.do(POWER)
    assert table.codes_of("take")[-2:] == ["take zeus-themis oracle", "take zeus-olympia oracle"]

    table.do("take zeus-themis oracle", "dismiss blue")

    assert table.seat == 1
    assert not [code for code in table.codes if code.endswith("oracle")]
    assert table.oracle == ["zeus-olympia"], "it is not refilled"


def test_two_columns_come_back() -> None:
    table = trying(ColumnReturn(2), columns={0: "yellow"}).do(POWER, "return red", "return blue")

    assert table.columns() == "red yellow blue"


def test_no_column_comes_back_without_a_take_to_come() -> None:
    """column_return: after the take of the fourth turn."""
    table = trying(ColumnReturn(), in_round=4, columns={0: "yellow red"}, quests={0: 1})
    assert POWER in table.codes

    table.do("take zeus-leda", "dismiss red")

    assert table.seat == 1


def test_a_transfer_is_up_to_n_and_each_is_declined_at_will() -> None:
    """T8."""
    table = trying(Transfer(3, ANY_CARD), domains={0: "zeus-leda zeus-io hades-charon"}, gold=9).do(POWER)
    table.do("transfer zeus-leda", "transfer hades-charon", "place legend 1", "skip")

    assert (table.elysium(), table.prompt) == ([["zeus-leda", "hades-charon"]], "turn")


def test_a_card_that_transfers_itself_finishes_its_effect() -> None:
    """T7."""
    table = trying(Seq(Transfer(), Gain(VP, 4)), gold=1).do(POWER, "transfer zeus-semele")

    assert (table.vp(), table.domain(), table.elysium()) == (4, [], [["zeus-semele"]])


# -- reuse, recharge, on -------------------------------------------------------------------------------------


def test_a_trigger_card_gets_its_ring_again() -> None:
    table = trying(Recharge((Activation.TRIGGER,)), domains={0: "zeus-amalthea"}, spent="zeus-amalthea").do(POWER)

    assert table.has_ring("zeus-amalthea")


def test_reuse_of_the_agora_means_the_copy_that_t1_allows() -> None:
    """C1, T1: two copies, each once."""
    effect = Seq(*(Reuse((Zone.AGORA,), (Activation.INSTANT,)) for _ in range(3)))
    table = trying(effect, agora="hephaestus-anvil hephaestus-anvil zeus-io").do(POWER)

    assert table.gold() == 6


@pytest.mark.parametrize(
    ("happening", "play", "vp"),
    [
        (Happening.TAKE_QUEST, "quest 1", 1),
        (Happening.TAKE_QUEST, "take hades-charon", 0),
        (Happening.TAKE_CARD, "take hades-charon", 1),
        (Happening.TAKE_CARD, "quest 1", 0),
    ],
)
def test_on_happens_with_the_own_normal_take(happening: Happening, play: str, vp: int) -> None:
    game = with_effect(On(happening, Gain(VP, 1)), Activation.PERMANENT)
    table = lay_out(agora="zeus-leda hades-charon", domains={0: "zeus-semele"}, game=game).do(play)

    assert table.vp() == vp


def test_an_on_may_give_and_take_among_all() -> None:
    game = with_effect(
        On(Happening.OPPONENT_TAKE, Seq(EachOpponent(Tribute(GOLD, 1)), Gain(GOLD, 1))), Activation.PERMANENT
    )
    table = lay_out(3, agora="zeus-leda hades-charon", domains={1: "zeus-semele"}, gold=2, game=game).do(
        "take hades-charon",
    )

    assert [table.gold(seat) for seat in range(3)] == [1, 5, 1]
