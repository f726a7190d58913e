"""Whole random matches: pieces, points and forced choices at every step. Their bounds: see `test_bounds.py`."""

from __future__ import annotations

import pytest
from tests.engine.elysium.positions import lay_out, random_match

from agon_engine.core import MAX_ACTIONS
from agon_engine.elysium import GAME, ElysiumState
from agon_engine.elysium.enums import PRIVATE, LegendKind, Phase
from agon_engine.elysium.scoring import CITIZEN_VP, FAMILY_VP, LEVEL_VP, PARTS, PRESTIGE_VP
from agon_engine.elysium.tables import VP

ALL = {"cards": 105, "different cards": 105}


def check_position(state: ElysiumState) -> None:
    """Check what holds before each decision."""
    tables = state.tables
    assert dict(state.inventory()) == ALL
    for seat in range(state.seats):
        own = [tables.design[card] for card in state.domains[seat] if card > 0]
        assert len(own) == len(set(own)), "E4.3"
        assert min(purse[seat] for purse in state.purses) >= 0, "ruling 8"
        assert state.taken[seat] <= 3, "E4.1"
        for legend in state.elysiums[seat]:
            cards = [tables.design[card] for card in legend.cards if card > 0]
            if legend.kind is LegendKind.FAMILY:
                assert {tables.family[design] for design in cards} == {legend.family}
                assert len({tables.level[design] for design in cards}) == len(cards)
                assert len(legend.cards) <= 3, "E5.4"
            elif legend.kind is LegendKind.LEVEL:
                assert {tables.level[design] for design in cards} == {legend.level}
                assert len({tables.family[design] for design in cards}) == len(cards)
                assert len(legend.cards) <= 5, "E5.4"
            else:
                assert len(legend.cards) == 1
    decision = state.decision
    if decision is not None:
        assert 1 <= len(decision.actions) <= MAX_ACTIONS
        assert len(decision.actions) > 1 or state.pending.todo >= PRIVATE, "what is forced is not asked"


def check_end(state: ElysiumState) -> None:
    """Check the scores against their parts, worked out a second time from the table."""
    outcome = state.outcome()
    assert outcome is not None
    view = state.view(None)
    gained = [1 + (seat - view.deal.first) % state.seats for seat in range(state.seats)]
    for event in state.events_since(0):
        if event.code.startswith("vp "):
            assert event.seat is not None
            gained[event.seat] += int(event.code.split()[1])
    ranks = sorted((player.pp for player in view.players), reverse=True)
    for seat, parts in enumerate(outcome.parts):
        points = dict(parts)
        groups = view.elysiums[seat].legends
        citizens = sum(group.cards.count(0) for group in groups)
        family = sum(FAMILY_VP[len(group.cards)] for group in groups if group.kind is LegendKind.FAMILY)
        level = sum(LEVEL_VP[len(group.cards)] for group in groups if group.kind is LegendKind.LEVEL)

        assert tuple(points) == PARTS
        assert outcome.scores[seat] == sum(points.values())
        assert points["play"] + points["chronos"] == state.purses[VP][seat] == gained[seat]
        assert (points["family"], points["level"]) == (family, level)
        assert points["bonus"] == sum(tile.vp for tile in view.tiles.tiles if tile.holder == seat)
        assert CITIZEN_VP * citizens <= points["citizens"] <= 0
        pp = view.players[seat].pp
        shared = [vp for rank, vp in zip(ranks, PRESTIGE_VP, strict=False) if rank == pp]
        assert points["prestige"] == (sum(shared) // len(shared) if pp else 0), "E7.3"
    keys = [(score, player.gold) for score, player in zip(outcome.scores, view.players, strict=True)]
    assert outcome.placements == tuple(1 + sum(other > key for other in keys) for key in keys), "E7.5"


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_pieces_points_and_bounds_hold_at_every_step(seats: int) -> None:
    """E4.8 and all bounds: conservation of 105 cards, the score recomputed from its parts."""
    for number in range(12):
        for state in random_match(seats, number):
            check_position(state)
        check_end(state)


def test_in_four_turns_everybody_takes_three_cards_and_a_quest_or_passes() -> None:
    """E4.1, E4.5."""
    for number in range(10):
        for state in random_match(2 + number % 3, number):
            if state.phase is Phase.LEGENDS:
                assert state.taken == [3] * state.seats
                assert sorted(state.quests) == sorted(set(state.quests))


def test_poseidon_attacks_and_gives_no_income() -> None:
    """Ruling 3: no Poseidon card pays its owner without touching others but Hippocampus, who reads their takes."""
    attacks = [card.id for card in GAME.cards.cards if card.id.startswith("poseidon") and "ppon" in card.text]

    assert len(attacks) == 11


def test_gold_and_vp_are_unlimited() -> None:
    """Ruling 11, E1.2."""
    table = lay_out(agora="hephaestus-anvil zeus-io", gold={0: 997}, vp={0: 1_000}).do("take hephaestus-anvil")

    assert (table.gold(), table.vp()) == (1_000, 1_000)


def test_an_eleusis_card_is_used_once_an_epoch() -> None:
    """Ruling 18, E4.7."""
    table = lay_out(agora="zeus-leda zeus-dodona", domains={0: "zeus-io hades-pomegranate"}).do("power zeus-io")
    assert "power zeus-io" not in table.codes

    state = table.state
    while state.epoch == 2 and state.decision is not None:
        state.apply(state.decision.actions[-1])

    assert not table.is_turned("zeus-io")
