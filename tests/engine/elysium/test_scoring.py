"""Scoring (E7): Legends, prestige, Citizens, tiles, Chronos in order (ruling 28), ties."""

from __future__ import annotations

from typing import Any

import pytest
from tests.engine.elysium.custom import with_effect
from tests.engine.elysium.positions import Table, lay_out

from agon_engine.core import Outcome
from agon_engine.elysium.enums import Activation, Phase
from agon_engine.elysium.scoring import prestige_vp
from agon_engine.elysium.vocabulary import Pardon, Seq


def ended(**position: Any) -> Table:
    """Lay out the last step of the match and end it."""
    seats = position.get("seats", 2)
    last = seats - 1
    domains = {**position.pop("domains", {}), last: "hephaestus-talos"}
    fixed = {"phase": Phase.LEGENDS, "epoch": 5, "on_turn": last, "quests": {seat: seat + 1 for seat in range(seats)}}
    table = lay_out(**{**fixed, "domains": domains, **position})
    return table.do("end")


def outcome(**position: Any) -> Outcome:
    found = ended(**position).state.outcome()
    assert found is not None
    return found


def parts(seat: int = 0, **position: Any) -> dict[str, int]:
    return dict(outcome(**position).parts[seat])


@pytest.mark.parametrize(
    ("elysium", "family", "level"),
    [
        ("zeus-leda", 0, 0),
        ("zeus-leda zeus-io", 3, 0),
        ("zeus-leda zeus-io zeus-olympia", 6, 0),
        ("zeus-leda zeus-io citizen", 6, 0),
        ("zeus-leda hades-charon", 0, 2),
        ("zeus-leda hades-charon athena-olive", 0, 4),
        ("zeus-leda hades-charon athena-olive poseidon-triton", 0, 8),
        ("zeus-leda hades-charon athena-olive poseidon-triton hephaestus-anvil", 0, 12),
        ("zeus-leda hades-charon citizen citizen citizen", 0, 12),
        ("zeus-leda zeus-io, zeus-semele hades-charon, zeus-olympia", 3, 2),
    ],
)
def test_legends_score_by_kind_and_size(elysium: str, family: int, level: int) -> None:
    """E7.2, ruling 1."""
    found = parts(elysiums={0: elysium})

    assert (family, level) == (found["family"], found["level"])


def test_citizens_in_legends_cost_two_each() -> None:
    """E5.6, E7.4."""
    assert parts(elysiums={0: "zeus-leda zeus-io citizen, hades-charon athena-olive citizen"})["citizens"] == -4


def test_citizens_in_the_domain_and_single_cards_leave_the_game() -> None:
    """E7.1, ruling 28."""
    table = ended(domains={0: "citizen zeus-semele"}, elysiums={0: "zeus-leda, hades-charon athena-olive"})

    assert (table.domain(0), table.elysium(0)) == ([], [["hades-charon", "athena-olive"]])
    assert sorted(name for name in table._ids(table.state.gone) if name != "citizen") == [
        "hephaestus-talos",
        "zeus-leda",
        "zeus-semele",
    ]
    assert dict(table.state.standing().parts[0])["citizens"] == 0


@pytest.mark.parametrize(
    ("pp", "vp"),
    [
        ([5, 3, 2, 1], [16, 8, 4, 2]),
        ([5, 5, 2, 1], [12, 12, 4, 2]),
        ([5, 3, 3, 3], [16, 4, 4, 4]),
        ([4, 4, 4, 4], [7, 7, 7, 7]),
        ([2, 0, 0, 0], [16, 0, 0, 0]),
        ([2, 2, 2, 0], [9, 9, 9, 0]),
        ([0, 0, 0, 0], [0, 0, 0, 0]),
        ([1, 7], [8, 16]),
        ([3, 3, 1], [12, 12, 4]),
    ],
)
def test_ranks_by_pp_score_and_ties_share(pp: list[int], vp: list[int]) -> None:
    """E7.3, ruling 12."""
    assert vp == prestige_vp(pp)


def test_prestige_is_scored_only_with_ares() -> None:
    """E7.3, O1."""
    assert parts(pp={0: 3, 1: 1}, elysiums={0: "ares-phobos zeus-leda"})["prestige"] == 16
    assert parts(pp={0: 3, 1: 1}, elysiums={0: "hades-charon zeus-leda"})["prestige"] == 0


def test_bonus_tiles_and_vp_of_the_match_count() -> None:
    """E7.5."""
    found = outcome(
        vp={0: 7, 1: 3},
        level_tiles={1: 0, 3: 0, 2: 1},
        elysiums={0: "zeus-leda zeus-io", 1: "hades-charon athena-olive"},
    )

    assert (dict(found.parts[0])["play"], dict(found.parts[0])["bonus"]) == (7, 8)
    assert (dict(found.parts[1])["play"], dict(found.parts[1])["bonus"]) == (3, 4)
    assert found.scores == (7 + 8 + 3, 3 + 4 + 2)


def test_several_pardons_add_up() -> None:
    """pardon: of four Citizens one is left to pay for."""
    game = with_effect(Seq(Pardon(1), Pardon(2)), Activation.CHRONOS)
    legends = "zeus-semele hades-charon citizen citizen, zeus-io hades-lethe citizen citizen"

    assert dict(outcome(elysiums={0: legends}, game=game).parts[0])["citizens"] == -2


def test_vp_may_go_below_0_only_here() -> None:
    """E7.4."""
    found = outcome(elysiums={0: "zeus-leda hades-charon citizen citizen"})

    assert dict(found.parts[0])["citizens"] == -4
    assert outcome(elysiums={0: "zeus-leda zeus-io citizen"}).scores[0] == 6 - 2


def test_chronos_powers_go_from_disc_1_on() -> None:
    """Ruling 28: seat 1 has it."""
    elysiums = {0: "hermes-maia hermes-argus", 1: "zeus-dodona zeus-io"}
    table = ended(order=[1, 0], elysiums=elysiums)
    gains = [(event.seat, event.code) for event in table.events() if event.code.startswith("vp")]

    assert gains == [(1, "vp +1"), (0, "vp +2")]


def test_chronos_powers_of_one_player_go_by_ids() -> None:
    """Ruling 28: the Parthenon before Atlantis, which comes before it in the Legend."""
    elysiums = {0: "poseidon-atlantis athena-parthenon", 1: "zeus-leda zeus-io"}
    table = ended(order=[0, 1], elysiums=elysiums, vp={1: 1})
    told = [code for code in table.told(None) if code.startswith("vp")]

    assert told == ["vp +4", "vp -1", "vp +4"], "Parthenon, then Atlantis with its loss first"


def test_a_shield_is_off_at_the_end() -> None:
    """Ruling 28, E7.1."""
    elysiums = {0: "poseidon-atlantis athena-nike", 1: "zeus-leda zeus-io"}
    found = parts(1, domains={0: "zeus-io"}, elysiums=elysiums, vp={1: 3})

    assert found["chronos"] == -1


def test_more_gold_breaks_a_tie_and_else_it_is_shared() -> None:
    """E7.5, ruling 28."""
    assert outcome(vp=5, gold={0: 2, 1: 3}).placements == (2, 1)
    assert outcome(vp=5, gold=3).placements == (1, 1)
    assert outcome(seats=4, vp={0: 5, 1: 5, 2: 9, 3: 1}, gold={0: 1, 1: 1}).placements == (2, 2, 1, 4)


def test_a_standing_scores_what_there_is_now_and_changes_nothing() -> None:
    table = lay_out(elysiums={0: "zeus-leda zeus-io", 1: "zeus-dodona hades-charon"}, agora="hades-helm", vp=3)
    digest = table.state.digest()

    assert table.state.standing().scores == (3 + 3, 3 + 2 + 2)
    assert table.state.digest() == digest
