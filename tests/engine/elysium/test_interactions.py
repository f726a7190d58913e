"""Cards together: powers in powers, other players' choices, chains bounded by T1, who decides (T3, T4, rulings 13 to
15, 17, 18, 29)."""

from __future__ import annotations

from typing import Any

import pytest
from tests.engine.elysium.custom import with_effect
from tests.engine.elysium.positions import lay_out

from agon_engine.elysium.enums import Activation, Phase
from agon_engine.elysium.layout import REUSED
from agon_engine.elysium.vocabulary import Gain, On, Sacrifice, Take, level
from agon_engine.elysium.words import VP, Happening, Zone

# -- T1 ------------------------------------------------------------------------------------------------------


def test_a_card_straightened_in_the_turn_of_its_use_waits_for_the_next() -> None:
    """T1, recharge: Petasos straightens Semele."""
    table = lay_out(agora="zeus-io zeus-dodona", domains={0: "zeus-semele hermes-petasos zeus-leda"}, in_round=1)
    table.do("power zeus-semele", "skip", "power hermes-petasos", "choose 1")

    assert not table.is_turned("zeus-semele")
    assert not table.codes_of("power")

    table.do("take zeus-io", "dismiss red")
    while table.seat != 0 or table.prompt != "turn":
        table.do(table.codes[-1])
    assert "power zeus-semele" in table.codes


def test_an_eleusis_card_straightened_in_the_turn_of_its_use_waits_for_the_next() -> None:
    """T1, recharge: its partner lies there, and it is upright."""
    table = lay_out(agora="zeus-leda zeus-dodona", domains={0: "zeus-io hades-pomegranate hermes-petasos"})
    table.do("power zeus-io", "power hermes-petasos", "choose 1")

    assert not table.is_turned("zeus-io")
    assert not table.codes_of("power")


@pytest.mark.parametrize(
    ("activation", "phase"),
    [
        (Activation.ACTIVATE, Phase.ACTIONS),
        (Activation.TRIGGER, Phase.ACTIONS),
        (Activation.ELEUSIS, Phase.ACTIONS),
        (Activation.LEGEND, Phase.LEGENDS),
    ],
)
def test_a_card_that_comes_back_in_the_turn_of_its_use_is_not_used_again(activation: Activation, phase: Phase) -> None:
    """T1: it discards itself and is taken again, upright and with a new ring."""
    game = with_effect(Sacrifice(level(1), then=Take(Zone.DISCARD)), activation)
    position: dict[str, Any] = {"domains": {0: "zeus-semele zeus-io zeus-metis"}, "discard": "hades-lethe", "gold": 9}
    table = lay_out(agora="zeus-leda hades-charon", phase=phase, quests={0: 1, 1: 2}, game=game, **position)
    table.do("power zeus-semele", "sacrifice zeus-semele", "take zeus-semele discard")

    assert "zeus-semele" in table.domain()
    assert not table.is_turned("zeus-semele")
    assert table.seat == 0
    assert "power zeus-semele" not in table.codes


def test_an_instant_taken_again_in_the_same_turn_is_not_resolved_again() -> None:
    """T1: Semele sacrifices the Anvil, Asclepius takes it from the discard pile."""
    table = lay_out(
        agora="hephaestus-anvil zeus-io", domains={0: "zeus-semele apollo-asclepius zeus-leda hades-pomegranate"}
    )
    table.do("take hephaestus-anvil")
    assert table.gold() == 3

    table.do("dismiss blue", "power zeus-semele", "sacrifice hephaestus-anvil")
    table.do("power apollo-asclepius", "choose 1", "take hephaestus-anvil discard")

    assert "hephaestus-anvil" in table.domain()
    assert table.gold() == 3 + 2


def test_a_card_is_used_by_reuse_once_a_turn_and_its_own_power_besides() -> None:
    """T1: Tortoise-Shell Lyre uses the Anvil that was resolved when it was taken, Talaria may not again."""
    table = lay_out(
        agora="hephaestus-pandora hephaestus-anvil zeus-io",
        domains={0: "hermes-talaria"},
        columns={0: "red green blue"},
    )
    table.do("take hephaestus-pandora", "take hephaestus-anvil", "dismiss blue", "power hermes-talaria")
    assert table.prompt == "choose hermes-talaria"
    table.do("choose 1")

    assert table.gold() == 4 + 3 + 3
    assert "reuse hephaestus-anvil" in table.told(1)


def test_the_marks_of_a_turn_end_with_it() -> None:
    """T1."""
    table = lay_out(agora="hephaestus-anvil zeus-io zeus-dodona").do("take hephaestus-anvil", "dismiss red")

    assert [mark & 12 for mark in table.state.marks if mark & 12] == []


# -- reuse ---------------------------------------------------------------------------------------------------


def test_the_reusing_player_is_the_owner_and_the_used_card_is_left_as_it_is() -> None:
    """Ruling 17: an opponent's turned Maidens are used, and stay turned."""
    table = lay_out(agora="hermes-argus zeus-io", domains={1: "hephaestus-maidens"}, gold={0: 2})
    table.state.marks[table.card("hephaestus-maidens", 1)] |= 1
    table.do("take hermes-argus", "choose 2")

    assert (table.vp(0), table.gold(0), table.vp(1)) == (3, 3, 0)
    assert table.is_turned("hephaestus-maidens", 1)


def test_this_card_is_then_the_reusing_card() -> None:
    """reuse: Argus uses an opponent's Semele, which then may not discard Argus, but an own Semele."""
    table = lay_out(agora="hermes-argus zeus-io", domains={0: "zeus-semele", 1: "zeus-semele"})
    table.do("take hermes-argus")

    assert (table.prompt, table.codes) == ("sacrifice hermes-argus", ["sacrifice zeus-semele", "skip"])


def test_cards_of_the_same_id_are_offered_once_wherever_they_lie() -> None:
    """C1, reuse: two opponents' Semele; the second may be used when the first was."""
    table = lay_out(
        3, agora="zeus-io", domains={0: "hermes-myrtilus", 1: "hephaestus-cedalion", 2: "hephaestus-cedalion"}
    )
    table.do("power hermes-myrtilus", "choose 1")

    assert table.told(0).count("reuse hephaestus-cedalion") == 1
    table.do("choose 1")
    assert table.told(0).count("reuse hephaestus-cedalion") == 2


def test_an_eleusis_partner_and_the_ring_do_not_matter_for_reuse() -> None:
    """reuse: Caduceus uses Cabeiri alone in the Elysium."""
    table = lay_out(
        phase=Phase.LEGENDS, quests={0: 1, 1: 2}, domains={0: "hermes-caduceus"}, elysiums={0: "hephaestus-cabeiri"}
    )
    table.do("power hermes-caduceus", "choose 1")

    assert (table.gold(), table.vp()) == (4, 1)


def test_a_column_power_is_no_use_in_phase_iii() -> None:
    """reuse, column_return: only the reuse of Talaria's other half could be; it holds reuse itself, so nothing is."""
    table = lay_out(
        phase=Phase.LEGENDS,
        quests={0: 1, 1: 2},
        domains={0: "hermes-caduceus"},
        elysiums={0: "hermes-talaria"},
        columns={0: ""},
    )
    table.do("power hermes-caduceus")

    assert table.vp() == 3


# -- an Instantaneous card taken inside a power --------------------------------------------------------------


def test_an_instant_taken_by_a_power_is_resolved_inside_it() -> None:
    """T2, ruling 13: Muses takes Cassandra, whose look comes before the second take of the Muses."""
    table = lay_out(agora="apollo-muses zeus-leda zeus-io", oracle="apollo-cassandra", deck="hades-charon zeus-metis")
    table.do("take apollo-muses", "take apollo-cassandra oracle")
    assert table.prompt == "keep apollo-cassandra"

    table.do("keep hades-charon")

    assert (table.prompt, table.codes) == ("take apollo-muses", ["take zeus-leda", "skip"])


def test_a_chain_of_takes_ends() -> None:
    """T1: Mentor takes Pandora, which takes Daphne, which takes Leda; then Mentor's gifts."""
    table = lay_out(agora="hephaestus-pandora apollo-daphne zeus-io", oracle="zeus-leda", domains={0: "athena-mentor"})
    table.do(
        "power athena-mentor", "take hephaestus-pandora", "take apollo-daphne", "choose 1", "take zeus-leda oracle"
    )

    assert table.seat == 1
    assert table.domain() == ["apollo-daphne", "athena-mentor", "hephaestus-pandora", "zeus-leda"]
    assert (table.gold(), table.vp()) == (4, 3)


# -- other players -------------------------------------------------------------------------------------------


def test_opponents_choose_in_disc_order_from_the_owner_s_next_player_on() -> None:
    """Ruling 15, T4: each sees the choices before."""
    table = lay_out(4, order=[2, 0, 3, 1], on_turn=0, agora="athena-nike zeus-io")
    table.do("take athena-nike")
    asked = []
    while table.prompt == "choose athena-nike":
        asked.append(table.seat)
        table.do("choose 1")

    assert asked == [3, 1, 2]
    assert (table.seat, table.prompt) == (0, "dismiss")


def test_permanent_powers_of_others_work_in_this_turn_without_a_decision() -> None:
    """T3: `on` of Cyllene and Hippocampus in another player's turn, before the card's own power (T2)."""
    table = lay_out(agora="zeus-keraunos zeus-io", domains={1: "poseidon-hippocampus hermes-cyllene"})
    before = table.state.events_count
    table.do("take zeus-keraunos")

    assert table.told(None, before)[:4] == ["take zeus-keraunos", "gold +1", "gold +1", "vp +1"]
    assert table.gold(1) == 2
    assert table.seat == 0


def test_permanent_powers_of_one_player_come_in_the_order_of_ids() -> None:
    """on: hermes-cyllene before a zeus-semele that came first, and gives VP here."""
    game = with_effect(On(Happening.OPPONENT_TAKE, Gain(VP, 1)), Activation.PERMANENT)
    table = lay_out(agora="hephaestus-anvil zeus-io", domains={1: "zeus-semele hermes-cyllene"}, game=game)
    before = table.state.events_count
    table.do("take hephaestus-anvil")

    assert table.told(None, before)[:4] == ["take hephaestus-anvil", "gold +1", "vp +1", "gold +3"]


def test_a_limit_of_an_on_is_counted_on_the_card_until_phase_iv() -> None:
    """on: Hippocampus twice an epoch."""
    domains = {0: "athena-mentor hermes-pan zeus-io", 1: "poseidon-hippocampus"}
    table = lay_out(agora="zeus-olympia hades-helm zeus-keraunos zeus-leda", domains=domains)
    table.do("take zeus-olympia", "dismiss yellow", "power athena-mentor", "take hades-helm", "choose 2")
    assert table.gold(1) == 2
    assert table.view(0).domains[1].marks == (32,)

    table.do("power hermes-pan", "choose 1", "take zeus-keraunos", "choose 2")

    assert table.gold(1) == 2


def test_the_own_permanent_cards_come_first() -> None:
    """on: the acting player's, then the others'."""
    table = lay_out(agora="zeus-leda zeus-io", domains={0: "hephaestus-tripods", 1: "hermes-cyllene"})
    before = table.state.events_count
    table.do("take zeus-leda")
    seats = [event.seat for event in table.events(before) if event.code == "gold +1"]

    assert seats == [0, 1]


def test_a_card_taken_by_a_power_is_a_take_for_all() -> None:
    """on, ruling 13: Cyllene sees an Instantaneous card taken by Mentor."""
    table = lay_out(agora="zeus-leda zeus-io", domains={0: "athena-mentor", 1: "hermes-cyllene"})
    table.do("power athena-mentor", "take zeus-leda")

    assert table.gold(1) == 1


def test_a_trigger_card_taken_again_has_a_new_ring() -> None:
    """Ruling 29, E4.7."""
    table = lay_out(
        agora="zeus-io zeus-dodona",
        discard="hades-elpenor",
        domains={0: "apollo-asclepius zeus-metis hades-pomegranate"},
    )
    table.do("power apollo-asclepius", "choose 1", "take hades-elpenor discard")

    assert table.has_ring("hades-elpenor")


def test_a_card_enters_a_domain_upright() -> None:
    """Ruling 29: Scylla makes an opponent discard a turned card, which comes back straight."""
    table = lay_out(agora="zeus-io zeus-dodona", domains={0: "poseidon-scylla hades-pomegranate", 1: "zeus-semele"})
    card = table.card("zeus-semele", 1)
    table.state.marks[card] |= 1
    table.do("power poseidon-scylla")

    assert table.discard == ["zeus-semele"]
    assert table.state.marks[card] == 0


def test_a_transfer_by_a_power_takes_a_level_bonus_over_at_once() -> None:
    """T7, E5.9: Asphodel in Phase II."""
    table = lay_out(
        agora="hades-asphodel zeus-io",
        domains={0: "zeus-leda"},
        elysiums={0: "athena-olive poseidon-triton", 1: "zeus-semele poseidon-sirens"},
        level_tiles={1: 1},
        gold=1,
    )
    table.do("take hades-asphodel", "transfer zeus-leda", "place legend 1")

    assert table.view(None).tiles.tiles[0].holder == 0


def test_reservations_keep_a_card_from_all_others() -> None:
    """reserve: not by take, power, move; the owner may take it, and need not."""
    table = lay_out(agora="zeus-io zeus-leda", domains={0: "apollo-hyacinthus", 1: "hades-tartarus"}, gold={1: 5})
    table.do("power apollo-hyacinthus", "reserve zeus-io")
    assert "take zeus-io" in table.codes

    table.do("take zeus-leda", "dismiss yellow")

    assert table.seat == 1
    assert not [code for code in table.codes if "zeus-io" in code]
    assert table.codes_of("power") == []


def test_of_two_copies_the_one_reserved_for_the_chooser_is_meant() -> None:
    """C1: the marker comes off when the card leaves the Agora."""
    table = lay_out(agora="zeus-leda zeus-leda zeus-io", reserved={0: "zeus-leda"})
    meant = table.state.reserved[0]
    table.do("take zeus-leda")

    assert table.card("zeus-leda") == meant
    assert table.state.reserved == [0, 0]


def test_of_two_copies_an_unreserved_one_is_meant_for_others() -> None:
    """C1."""
    table = lay_out(agora="zeus-leda zeus-leda zeus-io", reserved={1: "zeus-leda"})
    other = table.state.reserved[1]
    table.do("take zeus-leda")

    assert table.card("zeus-leda") != other
    assert table.state.reserved == [0, other]


def test_of_two_copies_the_one_reserved_for_the_chooser_is_used() -> None:
    """C1, reuse: Cattle of the Sun uses the Anvil."""
    table = lay_out(agora="hermes-cattle hephaestus-anvil hephaestus-anvil", reserved={0: "hephaestus-anvil"})
    first, second = table.state.rows[0][1:]
    table.state.reserved[0] = second
    table.do("take hermes-cattle")

    assert (table.state.marks[first], table.state.marks[second]) == (0, REUSED)


def test_a_second_reserve_moves_the_marker() -> None:
    """reserve."""
    table = lay_out(agora="zeus-io zeus-leda zeus-dodona", domains={0: "apollo-hyacinthus"}, reserved={0: "zeus-io"})
    table.do("power apollo-hyacinthus")
    assert table.codes == ["reserve zeus-leda", "reserve zeus-dodona"]

    table.do("reserve zeus-leda")

    assert table.view(0).agora.reserved == ((0, 1),)
