"""Turns of Phase II (E4): columns, takes, quests, Citizens, passes, powers and when they may be used (T2, T5, T6)."""

from __future__ import annotations

from typing import Any

import pytest
from tests.engine.elysium.positions import lay_out

from agon_engine.core import IllegalActionError
from agon_engine.elysium import GAME
from agon_engine.elysium.enums import Phase
from agon_engine.elysium.tables import Tables

AGORA = "zeus-leda zeus-themis zeus-olympia"
"""Red; blue and any; red and green."""


@pytest.mark.parametrize(
    ("columns", "takes"),
    [
        ("red", ["take zeus-leda"]),
        ("blue", []),
        ("blue yellow", ["take zeus-themis"]),
        ("red blue", ["take zeus-leda", "take zeus-themis"]),
        ("red green", ["take zeus-leda", "take zeus-olympia"]),
        ("red yellow green blue", ["take zeus-leda", "take zeus-themis", "take zeus-olympia"]),
    ],
)
def test_a_card_needs_columns_of_all_its_symbols(columns: str, takes: list[str]) -> None:
    """E4.2, C3, ruling 10: two symbols need two columns, colour and any too."""
    table = lay_out(agora=AGORA, columns={0: columns}, domains={0: "zeus-semele"})

    assert takes == table.codes_of("take")


def test_any_is_a_column_of_any_colour() -> None:
    """E4.2."""
    for colour in ("red", "yellow", "green", "blue"):
        assert "take hades-elpenor" in lay_out(agora="hades-elpenor", columns={0: colour}).codes


@pytest.mark.parametrize(
    ("seats", "columns", "quests"),
    [
        (2, "red", ["quest 1"]),
        (2, "yellow", ["quest 1"]),
        (2, "blue", ["quest 2"]),
        (4, "yellow", ["quest 2"]),
        (4, "red blue", ["quest 1", "quest 4"]),
    ],
)
def test_a_quest_needs_a_column_of_a_colour_above_it(seats: int, columns: str, quests: list[str]) -> None:
    """E4.2, ruling 5 (side A)."""
    table = lay_out(seats, agora="zeus-olympia hades-charon", columns={0: columns}, domains={0: "zeus-semele"})

    assert quests == table.codes_of("quest")


def test_a_quest_is_taken_by_one_player_only() -> None:
    table = lay_out(3, agora=AGORA, quests={1: 2})

    assert table.codes_of("quest") == ["quest 1", "quest 3", "quest 4"]


def test_any_column_may_be_dismissed_not_only_one_that_was_shown() -> None:
    """E4.1."""
    table = lay_out(agora=AGORA).do("take zeus-leda")

    assert (table.prompt, table.codes) == (
        "dismiss",
        ["dismiss red", "dismiss yellow", "dismiss green", "dismiss blue"],
    )
    assert table.do("dismiss blue").columns() == "red yellow green"
    assert table.seat == 1


def test_there_are_four_turns_with_three_cards_and_one_quest() -> None:
    """E4.1."""
    table = lay_out(
        agora="zeus-leda zeus-europa poseidon-laestrygonians hades-charon zeus-io hades-helm hades-sisyphus"
    )
    while table.state.phase is Phase.ACTIONS:
        table.do(table.codes[0])

    assert ([3, 3], {1, 2}) == (table.state.taken, set(table.state.quests))
    assert table.told(None).count("turn") == 7, "the first turn began before"


def test_with_three_cards_only_a_quest_is_left() -> None:
    """E4.1, E4.5."""
    table = lay_out(agora=AGORA, taken={0: 3})

    assert table.codes == ["quest 1", "quest 2"]


def test_no_two_identical_cards_in_one_domain() -> None:
    """E4.3, C1."""
    table = lay_out(agora=AGORA, domains={0: "zeus-leda"})

    assert table.codes_of("take") == ["take zeus-themis", "take zeus-olympia"]


def test_identical_cards_are_offered_once() -> None:
    """C1."""
    assert lay_out(agora="zeus-leda zeus-leda", quests={0: 1}, domains={0: "zeus-semele"}).codes_of("take") == [
        "take zeus-leda"
    ]


# -- Citizens and passes -------------------------------------------------------------------------------------


def test_a_citizen_is_taken_where_neither_card_nor_quest_can_be() -> None:
    """E4.4, ruling 21: the only choice is made without asking."""
    table = lay_out(agora=AGORA, quests={0: 1}, columns={0: "yellow green"}, taken={0: 1})

    assert "citizen" in table.told(0)
    assert (table.domain(), table.state.taken[0]) == (["citizen"], 2)


def test_no_citizen_while_a_quest_can_be_taken() -> None:
    """E4.4, ruling 21."""
    table = lay_out(agora="zeus-olympia", columns={0: "yellow red"}, domains={0: "zeus-semele"})

    assert table.codes == ["power zeus-semele", "quest 1"]


@pytest.mark.parametrize(
    ("why", "position"),
    [
        ("columns", {"agora": "zeus-olympia"}),
        ("identical cards", {"agora": "zeus-semele"}),
        ("reserved cards", {"agora": "zeus-semele hades-acheron", "reserved": {1: "hades-acheron"}}),
        ("an empty Agora", {"agora": ""}),
    ],
)
def test_what_keeps_a_card_from_being_taken_lets_a_citizen_be(why: str, position: dict[str, Any]) -> None:
    """Ruling 21."""
    table = lay_out(domains={0: "zeus-semele"}, quests={0: 1}, columns={0: "yellow"}, **position)

    assert table.codes == ["power zeus-semele", "citizen"], why


def test_the_citizen_rule_is_checked_after_powers_used_before_it() -> None:
    """Ruling 21."""
    table = lay_out(agora="zeus-leda zeus-themis", quests={0: 1}, columns={0: "blue"}, domains={0: "hermes-talaria"})
    assert table.codes == ["power hermes-talaria", "citizen"]

    table.do("power hermes-talaria", "return red")

    assert table.codes == ["take zeus-leda", "take zeus-themis"]


def test_a_citizen_counts_as_one_of_the_three_and_cards_by_powers_do_not() -> None:
    """E4.1, E4.4, ruling 13."""
    table = lay_out(agora="apollo-muses zeus-leda zeus-io hades-charon", oracle="zeus-semele")
    table.do("take apollo-muses", "take zeus-semele oracle", "take zeus-leda", "dismiss red")

    assert table.state.taken[0] == 1


def test_without_any_card_to_draw_the_take_counts_and_a_column_is_dismissed() -> None:
    """D1."""
    table = lay_out(agora="", deck="", quests={0: 1}, columns={0: "yellow"}, domains={0: "zeus-semele"})
    table.do("citizen")

    assert ([card for card in table.domain() if card == "citizen"], table.state.taken[0], table.columns()) == (
        [],
        1,
        "",
    )
    assert "gets nothing" in table.told(None)


def test_a_pass_dismisses_a_column_and_powers_are_allowed_before_and_after() -> None:
    """E4.5, ruling 14, T2."""
    domains = {0: "zeus-semele hephaestus-maidens"}
    table = lay_out(
        agora="zeus-leda", taken={0: 3}, columns={0: "green blue"}, quests={1: 2}, in_round=4, domains=domains
    )
    assert table.codes == ["power zeus-semele", "power hephaestus-maidens", "pass"]

    table.do("power hephaestus-maidens", "pass", "dismiss blue")

    assert (table.prompt, table.codes) == ("after", ["power zeus-semele", "end"])


def test_a_quest_that_has_become_possible_is_taken_instead_of_a_pass() -> None:
    """Ruling 14."""
    table = lay_out(
        agora="zeus-leda", taken={0: 3}, columns={0: "green"}, quests={1: 2}, in_round=4, domains={0: "hermes-talaria"}
    )
    assert "pass" in table.codes

    table.do("power hermes-talaria", "return red")

    assert "quest 1" in table.told(0)


# -- powers --------------------------------------------------------------------------------------------------


def test_the_order_of_a_turn_with_a_take() -> None:
    """T2, E4.6, ruling 20: take, what happens by it, its own power, then the column."""
    table = lay_out(agora="hephaestus-anvil zeus-io", domains={0: "hephaestus-tripods"})
    before = table.state.events_count
    table.do("take hephaestus-anvil", "dismiss red")

    assert table.told(None, before)[:4] == ["take hephaestus-anvil", "gold +1", "gold +3", "dismiss red"]


def test_a_taken_trigger_card_gets_a_ring() -> None:
    """E4.6."""
    assert lay_out(agora="zeus-amalthea zeus-io").do("take zeus-amalthea").has_ring("zeus-amalthea")


def test_powers_are_used_before_and_after_the_take() -> None:
    """E4.1, T2."""
    table = lay_out(agora=AGORA, domains={0: "zeus-semele hephaestus-cedalion"})
    table.do("power zeus-semele", "skip", "take zeus-leda", "dismiss red")

    assert (table.prompt, table.codes) == ("after", ["power hephaestus-cedalion", "end"])
    assert table.do("end").seat == 1


def test_the_end_of_a_turn_without_powers_is_not_asked() -> None:
    """T2: a choice with one answer is none."""
    table = lay_out(agora=AGORA).do("take zeus-leda", "dismiss red")

    assert (table.seat, table.prompt) == (1, "turn")


def test_an_activate_card_is_used_once_an_epoch() -> None:
    """E4.7, T6."""
    table = lay_out(agora=AGORA, domains={0: "zeus-semele"}).do("power zeus-semele")

    assert table.is_turned("zeus-semele")
    assert not table.codes_of("power")


def test_instant_permanent_legend_and_chronos_powers_are_not_used_in_a_turn() -> None:
    """E4.7, T6."""
    cards = "hephaestus-anvil zeus-themis hephaestus-talos zeus-perseus"

    assert not lay_out(agora=AGORA, domains={0: cards}).codes_of("power")


def test_activate_trigger_and_eleusis_powers_are_not_used_in_phase_iii() -> None:
    """T6."""
    cards = "zeus-semele hades-elpenor zeus-io hephaestus-cabeiri hephaestus-talos"
    table = lay_out(phase=Phase.LEGENDS, quests={0: 1, 1: 2}, domains={0: cards}, gold=3)

    assert table.codes_of("power") == ["power hephaestus-talos"]


def test_a_power_without_any_effect_cannot_be_used() -> None:
    """T5, ruling 30."""
    table = lay_out(agora="zeus-io", domains={0: "zeus-amalthea poseidon-sirens"})

    assert not table.codes_of("power")


def test_what_is_not_listed_is_refused_and_changes_nothing() -> None:
    table = lay_out(agora=AGORA)
    digest = table.state.digest()

    for code in ("take zeus-io", "end", "skip", "dismiss red", "quest 4", "transfer zeus-leda", "place new"):
        with pytest.raises(IllegalActionError):
            table.do(code)
    assert digest == table.state.digest()


def test_the_conditions_of_all_cards_are_checked_against_all_sets_of_columns() -> None:
    """E4.2: by brute force over the ways to give symbols columns."""
    tables: Tables = GAME.tables
    for number, card in enumerate(tables.cards.cards, 1):
        for columns in range(16):
            have = [colour for colour in range(1, 5) if columns >> (colour - 1) & 1]
            one = [[colour for colour in have if symbol in (colour, 5)] for symbol in card.columns]
            if len(one) == 1:
                wanted = bool(one[0])
            else:
                wanted = any(first != second for first in one[0] for second in one[1])

            assert wanted == bool(tables.open_to[0][number] >> columns & 1), (card.id, columns)
