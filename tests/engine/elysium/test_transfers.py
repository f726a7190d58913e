"""Phase III (E5.3 to E5.9): transfers, places, Citizens, bonus tiles; rulings 19, 22 to 25 and 32."""

from __future__ import annotations

from typing import Any

import pytest
from tests.engine.elysium.positions import Table, lay_out

from agon_engine.elysium.enums import NOBODY, LegendKind, Phase


def writing(**position: Any) -> Table:
    """Lay out a step of Phase III of seat 0 with 9 gold and three transfers (quest 2 of two players)."""
    seats = position.get("seats", 2)
    quests = {0: 2, 1: 1, **{seat: seat + 1 for seat in range(2, seats)}}
    fixed = {"phase": Phase.LEGENDS, "quests": quests, "gold": {0: 9}, "agora": "zeus-dodona"}
    return lay_out(**{**fixed, **position})


def tile(table: Table, level: int) -> int:
    return table.view(None).tiles.tiles[level - 1].holder


# -- how many and what it costs ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("seats", "quest", "incomplete", "transfers"),
    [(2, 1, False, 2), (2, 2, False, 3), (2, 1, True, 1), (4, 1, False, 2), (4, 3, False, 3), (4, 3, True, 1)],
)
def test_the_quest_s_lyre_bounds_the_transfers(seats: int, quest: int, incomplete: bool, transfers: int) -> None:
    """E5.3, T7."""
    others = [number for number in range(1, 5) if number != quest]
    quests = {0: quest, **{seat: others[seat - 1] for seat in range(1, seats)}}
    cards = "zeus-leda hades-charon athena-olive poseidon-triton zeus-io hephaestus-talos"
    table = writing(seats=seats, quests=quests, domains={0: cards}, incomplete=[0] if incomplete else [], vp=5)
    done = 0
    while table.codes_of("transfer"):
        table.do(table.codes_of("transfer")[0])
        if table.prompt.startswith("place"):
            table.do("place new")
        done += 1

    assert done == transfers
    assert table.seat == 0, "the Legend power is still to be used"


def test_a_transfer_costs_its_level_and_only_what_can_be_paid_is_listed() -> None:
    """E5.3."""
    table = writing(domains={0: "zeus-leda zeus-io zeus-olympia"}, gold={0: 3})
    table.do("transfer zeus-io")

    assert (table.gold(), table.codes) == (1, ["transfer zeus-leda", "end"])


def test_the_step_ends_by_itself_where_nothing_can_be_done() -> None:
    table = writing(domains={0: "zeus-leda", 1: "zeus-io"}, gold={0: 1, 1: 2})
    table.do("transfer zeus-leda")

    assert (table.seat, table.prompt) == (1, "write")


def test_end_is_always_listed() -> None:
    """E5.3."""
    table = writing(domains={0: "zeus-leda zeus-io"})

    assert table.codes[-1] == "end"
    assert table.do("end").state.epoch == 3


def test_a_ring_on_a_transferred_card_goes_back() -> None:
    """E5.7."""
    table = writing(domains={0: "zeus-amalthea zeus-io"})
    card = table.card("zeus-amalthea")
    table.do("transfer zeus-amalthea")

    assert table.state.marks[card] == 0


def test_powers_of_transferred_cards_are_off() -> None:
    """T7."""
    table = writing(domains={0: "zeus-themis zeus-io zeus-leda"})
    table.do("transfer zeus-themis")
    assert table.vp() == 1

    table.do("transfer zeus-leda", "place new")

    assert table.vp() == 1


def test_legend_powers_come_before_between_and_after_the_transfers_once() -> None:
    """E5.3, T6, ruling 19."""
    table = writing(domains={0: "hephaestus-talos zeus-leda zeus-io"})
    assert "power hephaestus-talos" in table.codes
    table.do("transfer zeus-leda")
    assert "power hephaestus-talos" in table.codes
    table.do("power hephaestus-talos")

    assert table.gold() == 9 - 1 + 2
    assert not table.codes_of("power")


def test_more_transfers_by_a_power_do_not_count_against_the_quest() -> None:
    """T7: Sisyphus, on the incomplete side."""
    table = writing(incomplete=[0], domains={0: "hades-sisyphus zeus-leda athena-olive"})
    table.do("power hades-sisyphus", "transfer zeus-leda")
    assert "transfer athena-olive" in table.codes

    table.do("transfer athena-olive", "place new")

    assert not table.codes_of("transfer")


def test_a_limit_mod_of_phase_ii_adds_to_the_quest_also_to_an_incomplete_one() -> None:
    """limit_mod."""
    table = writing(incomplete=[0], domains={0: "zeus-leda athena-olive zeus-io"})
    table.state.extra[0] = 1
    table.do("transfer zeus-leda", "transfer athena-olive")

    assert "place new" in table.codes
    assert table.do("place new").codes_of("transfer") == []


# -- places --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("card", "elysium", "places"),
    [
        ("zeus-leda", "", []),
        ("zeus-leda", "zeus-io", ["place new", "place legend 1"]),
        ("zeus-leda", "hades-charon", ["place new", "place legend 1"]),
        ("zeus-leda", "hades-lethe", []),
        ("zeus-leda", "zeus-semele", []),
        ("zeus-leda", "zeus-io zeus-olympia", ["place new", "place legend 1"]),
        ("zeus-leda", "zeus-io zeus-semele", []),
        ("zeus-leda", "zeus-io zeus-olympia zeus-semele", []),
        ("zeus-leda", "hades-charon athena-olive", ["place new", "place legend 1"]),
        ("zeus-leda", "hades-charon athena-olive zeus-semele", []),
        ("zeus-io", "hades-charon athena-olive", []),
        (
            "zeus-leda",
            "hades-charon athena-olive poseidon-triton hephaestus-anvil",
            ["place new", "place legend 1"],
        ),
        ("zeus-leda", "hades-charon athena-olive poseidon-triton hephaestus-anvil citizen", []),
        (
            "zeus-leda",
            "hades-charon athena-olive poseidon-triton hephaestus-anvil, zeus-io, hades-helm",
            ["place new", "place legend 1", "place legend 2"],
        ),
        ("zeus-leda", "hades-charon, hades-charon", ["place new", "place legend 1"]),
        ("zeus-leda", "hades-charon, hades-asphodel", ["place new", "place legend 1", "place legend 2"]),
        ("citizen", "zeus-io zeus-olympia", []),
        ("citizen", "zeus-io zeus-olympia, hades-charon athena-olive", ["place legend 1", "place legend 2"]),
        ("citizen", "zeus-io zeus-olympia, zeus-io zeus-olympia", []),
        (
            "citizen",
            "zeus-io zeus-olympia, hades-charon athena-olive, athena-olive hades-charon",
            ["place legend 1", "place legend 2"],
        ),
    ],
)
def test_where_a_card_may_go(card: str, elysium: str, places: list[str]) -> None:
    """E5.3 (equal ones once), E5.4, E5.5, E5.6, ruling 23; with one place there is no question."""
    table = writing(domains={0: f"{card} poseidon-sirens"}, **({"elysiums": {0: elysium}} if elysium else {}))
    table.do(f"transfer {card}")

    assert places == (table.codes if table.prompt.startswith("place") else [])


def test_the_second_card_decides_what_a_legend_is() -> None:
    """E5.5, ruling 23."""
    table = writing(domains={0: "zeus-io hades-charon"}, elysiums={0: "zeus-leda, zeus-semele"})
    table.do("transfer zeus-io", "place legend 1", "transfer hades-charon", "place legend 2")

    kinds = [legend.kind for legend in table.state.elysiums[0]]
    assert kinds == [LegendKind.FAMILY, LegendKind.LEVEL]
    assert table.elysium() == [["zeus-leda", "zeus-io"], ["zeus-semele", "hades-charon"]]


def test_a_citizen_starts_no_legend_and_joins_no_lone_card() -> None:
    """E5.6."""
    table = writing(domains={0: "citizen zeus-olympia"}, elysiums={0: "zeus-leda"})

    assert table.codes == ["transfer zeus-olympia", "end"]


@pytest.mark.parametrize(
    ("elysium", "cost"),
    [
        ("zeus-leda zeus-io", 3),
        ("zeus-leda zeus-olympia", 2),
        ("zeus-io zeus-olympia", 1),
        ("zeus-io hades-lethe", 2),
        ("zeus-olympia hades-helm athena-nike", 3),
    ],
)
def test_a_citizen_costs_the_missing_level_or_that_of_the_legend(elysium: str, cost: int) -> None:
    """E5.6."""
    table = writing(domains={0: "citizen poseidon-sirens"}, elysiums={0: elysium})
    table.do("transfer citizen")

    assert table.gold() == 9 - cost
    assert table.elysium()[0][-1] == "citizen"


def test_a_citizen_holds_the_place_of_the_missing_card() -> None:
    """E5.6: it completes a family Legend, and no card of that level fits any more."""
    table = writing(domains={0: "citizen zeus-olympia"}, elysiums={0: "zeus-leda zeus-io"})
    table.do("transfer citizen", "transfer zeus-olympia")

    assert table.elysium() == [["zeus-leda", "zeus-io", "citizen"], ["zeus-olympia"]]
    assert table.view(0).tiles.tiles[-2].holder == 0


def test_several_citizens_fill_a_legend_up_to_its_size() -> None:
    """Ruling 22."""
    table = writing(
        domains={0: "citizen citizen citizen citizen poseidon-cetus"}, elysiums={0: "zeus-leda hades-charon"}
    )
    table.do("transfer citizen", "transfer citizen", "transfer citizen")

    assert table.elysium() == [["zeus-leda", "hades-charon", "citizen", "citizen", "citizen"]]


def test_a_citizen_in_a_level_legend_holds_a_place_and_no_named_family() -> None:
    """E5.6, ruling 22."""
    table = writing(domains={0: "athena-olive"}, elysiums={0: "zeus-leda hades-charon citizen"})
    table.do("transfer athena-olive", "place legend 1")

    assert len(table.elysium()[0]) == 4


def test_the_oldest_citizen_leaves_first() -> None:
    """House reading: they are all alike on the table, but one may know a face."""
    table = writing(domains={0: "citizen citizen"}, elysiums={0: "zeus-leda hades-charon"})
    first = table.state.domains[0][0]
    table.do("transfer citizen")

    assert table.state.elysiums[0][0].cards[-1] == first


@pytest.mark.parametrize(
    ("place", "cost", "kind"),
    [
        ("place legend 1 as family", 2, LegendKind.LEVEL),
        ("place legend 1 as level 1", 1, LegendKind.FAMILY),
        ("place legend 1 as level 3", 3, LegendKind.FAMILY),
    ],
)
def test_as_a_second_card_its_owner_says_what_a_citizen_stands_for(place: str, cost: int, kind: LegendKind) -> None:
    """E5.6, citizen_mod: Lethe, whose own reduction is paid for in the test."""
    table = writing(domains={0: "citizen hades-lethe"}, elysiums={0: "zeus-io"})
    table.do("transfer citizen", place)

    assert table.gold() == 9 - (cost - 1)
    assert table.state.elysiums[0][0].kind is kind


# -- bonus tiles ---------------------------------------------------------------------------------------------


def test_completing_a_family_legend_takes_the_first_tile_then_the_second() -> None:
    """E5.8, ruling 25: also by the same player, Citizens included."""
    table = writing(
        domains={0: "zeus-olympia citizen"},
        elysiums={0: "zeus-leda zeus-io, zeus-semele zeus-metis"},
        agora="hades-helm",
    )
    table.do("transfer zeus-olympia", "place legend 1", "transfer citizen")

    assert [(tile.vp, tile.holder) for tile in table.view(0).tiles.tiles if tile.family.name == "ZEUS"] == [
        (5, 0),
        (2, 0),
    ]
    assert [told for told in table.told(1) if told.startswith("tile zeus")] == ["tile zeus 1", "tile zeus 2"]


def test_the_first_with_a_level_legend_of_two_takes_the_tile() -> None:
    """E5.9."""
    table = writing(domains={0: "zeus-leda zeus-io"}, elysiums={0: "hades-charon"})
    assert tile(table, 1) == NOBODY

    table.do("transfer zeus-leda", "place legend 1")

    assert tile(table, 1) == 0


@pytest.mark.parametrize(("mine", "holder"), [("hades-charon", 1), ("hades-charon athena-olive", 0)])
def test_a_strictly_larger_one_takes_it_over(mine: str, holder: int) -> None:
    """E5.9, ruling 24."""
    table = writing(
        domains={0: "zeus-leda zeus-io"}, elysiums={0: mine, 1: "zeus-semele poseidon-sirens"}, level_tiles={1: 1}
    )
    table.do("transfer zeus-leda", "place legend 1")

    assert tile(table, 1) == holder


def test_a_citizen_counts_for_the_level_tile() -> None:
    """Ruling 24."""
    table = writing(
        domains={0: "citizen zeus-io"},
        elysiums={0: "hades-charon athena-olive", 1: "zeus-semele poseidon-sirens"},
        level_tiles={1: 1},
    )
    table.do("transfer citizen")

    assert tile(table, 1) == 0


def test_the_holder_s_largest_legend_counts() -> None:
    """Ruling 24."""
    elysiums = {0: "hades-charon athena-olive", 1: "zeus-semele poseidon-sirens, zeus-dodona hades-asphodel athena-owl"}
    table = writing(domains={0: "zeus-leda zeus-io"}, elysiums=elysiums, level_tiles={1: 1}, agora="")
    table.do("transfer zeus-leda", "place legend 1")

    assert tile(table, 1) == 1


# -- discounts -----------------------------------------------------------------------------------------------


def test_modifiers_add_up_and_each_loses_a_use_by_the_next_transfer() -> None:
    """cost_mod."""
    table = writing(domains={0: "zeus-io zeus-olympia poseidon-triton"})
    table.state.discounts[0] = [(2, 1), (1, 2), (1, 0)]
    table.do("transfer zeus-io", "transfer zeus-olympia", "place new")

    assert table.gold() == 9 - 0 - 1
    assert table.state.discounts[0] == [(1, 0)]


def test_a_use_is_lost_also_where_the_cost_is_0_already() -> None:
    """cost_mod."""
    table = writing(domains={0: "zeus-leda zeus-olympia"})
    table.state.discounts[0] = [(2, 1), (2, 1)]
    table.do("transfer zeus-leda", "transfer zeus-olympia", "place new")

    assert table.gold() == 9 - 3


# -- transfers in another player's turn ----------------------------------------------------------------------


def test_a_transfer_in_another_s_turn_is_paid_with_the_own_gold_and_counts_against_no_quest() -> None:
    """Ruling 32, T7: Odysseus taken by seat 0; Lethe of seat 1 is its own."""
    table = lay_out(
        agora="athena-odysseus zeus-dodona", domains={1: "hades-lethe citizen"}, elysiums={1: "zeus-io"}, gold={1: 5}
    )
    table.do("take athena-odysseus")
    assert (table.seat, table.codes) == (1, ["transfer hades-lethe", "transfer citizen", "skip"])

    table.do("transfer citizen", "place legend 1 as level 3")

    assert (table.gold(0), table.gold(1)) == (0, 3)
    assert table.state.transferred == [0, 0], "it is no Phase III"
    assert table.prompt == "dismiss"


def test_a_card_transferred_from_the_agora_does_not_see_its_own_transfer() -> None:
    """on: it was never in the Domain; Tartarus transfers one Themis beside another, which does."""
    position: dict[str, Any] = {"agora": "zeus-themis zeus-leda", "gold": 5}
    alone = lay_out(domains={0: "hades-tartarus"}, **position)
    beside = lay_out(domains={0: "hades-tartarus zeus-themis"}, **position)
    for table in (alone, beside):
        table.do("power hades-tartarus", "transfer zeus-themis agora")

    assert (alone.vp(), beside.vp()) == (0, 1)


def test_cards_transferred_in_this_phase_iii_count_by_whom_and_however() -> None:
    """transferred_now: by quest and by power."""
    table = writing(domains={0: "hephaestus-talos zeus-leda hades-sisyphus athena-olive"})
    table.do(
        "transfer zeus-leda", "power hades-sisyphus", "transfer athena-olive", "place new", "power hephaestus-talos"
    )

    assert table.state.transferred == [2, 0]
    assert table.gold() == 9 - 2 + 3
