"""Awakening (E3), discs, income and Phase IV (E5.1, E5.2, E6), the draw pile running out (D1)."""

from __future__ import annotations

from typing import Any

from tests.engine.elysium.custom import with_effect
from tests.engine.elysium.positions import Table, lay_out

from agon_engine.elysium.enums import Activation, Phase
from agon_engine.elysium.layout import COUNT
from agon_engine.elysium.lots import shuffle_in
from agon_engine.elysium.vocabulary import Gain, On
from agon_engine.elysium.words import VP, Happening


def to_the_next_epoch(table: Table) -> Table:
    """Play on until the next epoch begins."""
    epoch = table.state.epoch
    while table.state.epoch == epoch and table.state.decision is not None:
        table.do(next((code for code in table.codes if code in ("end", "skip")), table.codes[-1]))
    return table


def writing(**position: Any) -> Table:
    """Lay out the last step of a Phase III, in which seat 1 can still transfer a card or end."""
    domains = {1: "zeus-leda", **position.pop("domains", {})}
    fixed = {"phase": Phase.LEGENDS, "on_turn": 1, "quests": {0: 1, 1: 2}, "gold": {1: 3}, "domains": domains}
    return lay_out(**{**fixed, **position})


def test_the_agora_is_discarded_and_filled_from_the_oracle_and_the_draw_pile() -> None:
    """E3.1."""
    deck = "zeus-semele zeus-metis hades-lethe athena-olive athena-nike poseidon-cetus poseidon-triton zeus-dodona"
    oracle = "apollo-clio apollo-sibyl hades-helm hades-aeacus"
    table = writing(agora="zeus-io hades-charon", oracle=oracle, deck=deck)
    table.do("end")

    assert table.discard == ["zeus-io", "hades-charon"]
    assert table.agora == [*oracle.split(), "zeus-semele", "zeus-metis", "hades-lethe"]
    assert table.oracle == ["athena-olive", "athena-nike", "poseidon-cetus", "poseidon-triton"]
    assert table.deck == ["zeus-dodona"]


def test_an_agora_that_is_too_full_stays_so() -> None:
    """E3.1, ruling 26: with three players 10 cards; here more than that slide from the Oracle."""
    oracle = "apollo-clio apollo-sibyl hades-helm hades-aeacus zeus-io zeus-semele zeus-metis hades-lethe athena-olive"
    table = writing(oracle=oracle, deck="athena-nike poseidon-cetus poseidon-triton zeus-dodona").do("end")

    assert oracle.split() == table.agora
    assert table.oracle == ["athena-nike", "poseidon-cetus", "poseidon-triton", "zeus-dodona"]


def test_cards_put_into_the_agora_stay_until_the_next_awakening() -> None:
    """Ruling 26."""
    table = lay_out(
        agora="poseidon-laestrygonians zeus-leda zeus-semele zeus-io zeus-metis zeus-themis zeus-olympia",
        domains={1: "hades-charon"},
    ).do("take poseidon-laestrygonians", "dismiss red")
    assert "hades-charon" in table.agora

    to_the_next_epoch(table)

    assert "hades-charon" not in table.agora


def test_a_reserved_card_is_an_ordinary_one_after_the_epoch() -> None:
    """Ruling 27."""
    table = writing(agora="zeus-io hades-charon", reserved={0: "zeus-io"}).do("end")

    assert table.state.reserved == [0, 0]
    assert "zeus-io" in table.discard


def test_the_discard_pile_is_shuffled_and_put_beneath_what_is_left() -> None:
    """E3.2, D1, ruling 7."""
    discard = "zeus-io hades-charon athena-olive poseidon-cetus zeus-semele zeus-dodona"
    table = writing(deck="zeus-metis hades-lethe", discard=discard).do("end")

    assert table.agora[:2] == ["zeus-metis", "hades-lethe"]
    assert set(discard.split()) >= set(table.agora[2:])
    assert (len(table.agora), len(table.deck), table.discard) == (7, 1, [])
    assert "shuffle 6" in table.told(None)


def test_the_shuffle_is_the_match_s_own_chance() -> None:
    """D1: another seed, another order."""
    discard = "zeus-io hades-charon athena-olive poseidon-cetus zeus-semele zeus-dodona"
    orders = {tuple(writing(deck="", discard=discard, chance=number).do("end").agora) for number in range(8)}

    assert len(orders) > 4


def test_too_few_cards_make_a_smaller_agora() -> None:
    """E3.2, D1."""
    table = writing(deck="zeus-metis", discard="zeus-io").do("end")

    assert table.agora == ["zeus-metis", "zeus-io"]


def test_an_extra_column_has_no_effect_after_the_last_turn() -> None:
    """Ruling 31: nothing else follows from it, and all stand again in the next epoch."""
    table = writing(columns={0: "red blue"}).do("end")

    assert table.columns(0) == "red yellow green blue"


# -- discs, quests, income -----------------------------------------------------------------------------------


def to_phase_iii(table: Table) -> Table:
    """Play the last turns with the last code listed until Phase III begins."""
    while table.state.phase is Phase.ACTIONS:
        table.do(table.codes[-1])
    return table


def last_turn(**position: Any) -> Table:
    seats: Any = position.get("seats", 2)
    fixed = {"in_round": 4, "taken": dict.fromkeys(range(seats), 3), "agora": "zeus-io"}
    return lay_out(**{**fixed, **position})


def test_discs_go_by_the_numbers_of_the_quests() -> None:
    """E5.1, ruling 16."""
    table = last_turn(seats=3, on_turn=2, quests={0: 4, 1: 1}, columns={2: "green"}, domains={0: "zeus-semele"})

    assert to_phase_iii(table).state.order == [1, 2, 0]


def test_incomplete_quests_come_last_in_the_order_of_the_discs_and_get_the_lowest_numbers() -> None:
    """E4.5, E5.1, rulings 6 and 16."""
    table = last_turn(
        seats=4, order=[3, 0, 2, 1], on_turn=1, quests={2: 2}, columns={1: "yellow"}, domains={1: "zeus-leda"}
    )
    to_phase_iii(table)

    assert table.state.order == [2, 3, 0, 1]
    assert dict(enumerate(table.state.quests)) | {} == {3: 1, 0: 3, 1: 4, 2: 2}
    assert table.state.incomplete == [True, True, False, True]


def test_everybody_gets_the_gold_and_vp_of_the_quest() -> None:
    """E5.2: quest 2 pays 1 gold and 4 VP, quest 4 pays 3 and 4, the incomplete side 1 and 0."""
    table = last_turn(seats=3, on_turn=2, quests={0: 4, 1: 2}, columns={2: "blue"}, domains={0: "zeus-semele"})
    to_phase_iii(table)

    assert [(table.gold(seat), table.vp(seat)) for seat in range(3)] == [(3, 4), (1, 4), (1, 0)]


def test_the_quests_of_two_players_are_their_own() -> None:
    """E2.2, E5.2: quest 1 pays 2 gold and 3 VP, quest 2 pays 1 and 3."""
    table = last_turn(on_turn=1, quests={0: 2, 1: 1}, domains={0: "zeus-leda"})
    to_phase_iii(table)

    assert table.state.order == [1, 0]
    assert [(table.gold(seat), table.vp(seat)) for seat in range(2)] == [(1, 3), (2, 3)]


def test_what_works_on_the_income_comes_after_all_quests_are_paid() -> None:
    """E5.2: The Aegis."""
    table = last_turn(on_turn=1, quests={0: 2, 1: 1}, domains={0: "athena-aegis zeus-leda"})
    to_phase_iii(table)

    assert [(table.gold(seat), table.vp(seat)) for seat in range(2)] == [(1, 5), (3, 3)]
    told = table.told(None)
    assert told.index("vp +2") > max(place for place, code in enumerate(told) if code == "vp +3")


def test_what_works_on_the_income_goes_by_the_new_discs() -> None:
    """on, E5.2: seat 1 has the lower quest."""
    game = with_effect(On(Happening.INCOME, Gain(VP, 7)), Activation.PERMANENT)
    table = last_turn(on_turn=1, quests={0: 2, 1: 1}, domains={0: "zeus-semele", 1: "zeus-semele"}, game=game)
    to_phase_iii(table)

    assert [event.seat for event in table.events() if event.code == "vp +7"] == [1, 0]


def test_phase_iv_puts_everything_back() -> None:
    """E6."""
    table = writing(
        domains={0: "zeus-semele zeus-amalthea", 1: "zeus-leda zeus-metis"},
        turned="zeus-metis",
        columns={0: "red", 1: ""},
        taken={0: 3, 1: 3},
    )
    table.state.discounts[0].append((2, 1))
    table.state.extra[0] = 1
    table.state.transferred[1] = 2
    table.do("end")

    state = table.state
    assert (state.epoch, state.phase, state.round) == (3, Phase.ACTIONS, 1)
    assert [table.columns(0), table.columns(1)] == ["red yellow green blue"] * 2
    assert not table.is_turned("zeus-metis", 1)
    assert table.has_ring("zeus-amalthea")
    assert (
        state.quests,
        state.taken,
        state.extra,
        state.discounts,
        state.transferred,
    ) == ([0, 0], [0, 0], [0, 0], [[], []], [0, 0])


def test_the_uses_of_an_on_are_counted_until_phase_iv() -> None:
    """E6, on: in a Domain, and of a card that has come under the draw pile since, which all know."""
    table = writing(domains={0: "poseidon-hippocampus"})
    state = table.state
    for card in (table.card("poseidon-hippocampus"), state.deck[0]):
        state.marks[card] += 2 * COUNT
    shuffle_in(state, state.deck[:1])
    assert [lot.marks for lot in table.view(1).table.lots] == [2 * COUNT]

    table.do("end")

    assert table.view(1).domains[0].marks == (0,)
    assert [lot.marks for lot in table.view(1).table.lots] == [0]


def test_the_match_ends_after_the_fifth_epoch() -> None:
    """E6."""
    table = writing(epoch=5).do("end")

    assert table.state.decision is None
    assert table.told(None)[-1] == "over"
