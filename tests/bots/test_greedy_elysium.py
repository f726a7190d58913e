"""The greedy bot at Elysium: what it prefers, that it is clearly stronger than chance at every seat count, and that it
reads the cards that are played."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from tests.engine.elysium.positions import lay_out

from agon_bots import play_match
from agon_bots.house.greedy import GreedyBot, heuristic
from agon_bots.house.greedy.elysium import _WORTH as RATED
from agon_bots.house.greedy.elysium_steps import _WORTH as STEPS
from agon_bots.house.random import RandomBot
from agon_engine.core import Chance
from agon_engine.elysium import GAME, Elysium, ElysiumState, game_with
from agon_engine.elysium.cards import HOUSE
from agon_engine.elysium.enums import Phase
from agon_engine.elysium.forms import STEP_FORMS
from agon_engine.elysium.notation import Kind
from agon_engine.elysium.vocabulary import Gain
from agon_engine.elysium.words import VP
from agon_engine.elysium.writing import set_object

CLEARLY_STRONGER = 0.65
MATCHES = 24


def choice(state: ElysiumState, game: Elysium = GAME) -> int:
    """Return what the seat that is asked would do."""
    decision = state.decision
    assert decision is not None
    codes = [game.notation.code(action) for action in decision.actions]
    worth = heuristic("elysium")(game, state.view(decision.seat), codes)
    return decision.actions[worth.index(max(worth))]


def best(**position: Any) -> str:
    return GAME.notation.code(choice(lay_out(**position).state))


# -- what it prefers -----------------------------------------------------------------------------------------------

AT_THE_END: dict[str, Any] = {"phase": Phase.LEGENDS, "epoch": 5, "quests": {0: 1, 1: 2}}


@pytest.mark.parametrize(
    ("why", "position", "wanted"),
    [
        (
            "a power before a take",
            {"agora": "zeus-leda", "domains": {0: "hephaestus-cedalion"}},
            "power hephaestus-cedalion",
        ),
        (
            "a card of level 3 rather than of level 1",
            {"agora": "zeus-olympia zeus-leda", "quests": {0: 1}},
            "take zeus-olympia",
        ),
        (
            "the last quest that can be taken, while an opponent may take it",
            {
                "seats": 3,
                "agora": "zeus-dodona zeus-semele",
                "columns": {0: "yellow green"},
                "quests": {1: 2},
            },
            "quest 3",
        ),
        (
            "a card first, where nobody can take the quest away",
            {"agora": "zeus-olympia zeus-semele", "columns": {0: "red yellow green"}, "quests": {1: 2}},
            "take zeus-olympia",
        ),
        (
            "a Trigger power waits for its moment",
            {"agora": "zeus-leda zeus-io", "domains": {0: "zeus-amalthea"}, "epoch": 1, "quests": {0: 1}},
            "take zeus-io",
        ),
        (
            "and is used when it has come",
            {"agora": "zeus-leda zeus-semele zeus-dodona", "domains": {0: "zeus-amalthea"}, "quests": {0: 1}},
            "power zeus-amalthea",
        ),
        (
            "from the Oracle, where the better card lies",
            {
                "agora": "zeus-leda",
                "oracle": "zeus-olympia apollo-branchus",
                "domains": {0: "apollo-delphi"},
                "quests": {0: 1},
            },
            "power apollo-delphi",
        ),
        (
            "to complete a family Legend",
            {
                "phase": Phase.LEGENDS,
                "quests": {0: 1, 1: 2},
                "gold": 5,
                "domains": {0: "zeus-olympia athena-olive"},
                "elysiums": {0: "zeus-leda zeus-io"},
            },
            "transfer zeus-olympia",
        ),
        (
            "a Citizen, where it completes a Legend",
            {**AT_THE_END, "gold": 5, "domains": {0: "citizen"}, "elysiums": {0: "zeus-leda zeus-io"}},
            "transfer citizen",
        ),
        (
            "no Citizen, where its tiles are gone and it would cost what it brings",
            {
                **AT_THE_END,
                "domains": {0: "citizen"},
                "elysiums": {0: "zeus-leda hades-charon"},
                "gold": 5,
                "level_tiles": {1: 0},
            },
            "end",
        ),
        (
            "the level whose tile can be taken over",
            {
                **AT_THE_END,
                "gold": 3,
                "domains": {0: "athena-nike hades-charon"},
                "elysiums": {0: "zeus-olympia hades-helm, zeus-leda athena-owl", 1: "zeus-keraunos hades-orpheus"},
                "level_tiles": {3: 1, 1: 0},
            },
            "transfer athena-nike",
        ),
        (
            "nothing at the end that begins a Legend which nothing can join",
            {**AT_THE_END, "gold": 5, "domains": {0: "zeus-leda"}},
            "end",
        ),
        (
            "but a Chronos card into a Legend",
            {**AT_THE_END, "gold": 5, "domains": {0: "zeus-leda zeus-perseus"}, "elysiums": {0: "zeus-semele zeus-io"}},
            "transfer zeus-perseus",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) and " " in value else "",
)
def test_what_it_prefers(why: str, position: dict[str, Any], wanted: str) -> None:
    assert wanted == best(**position), why


# -- how strong it is ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_it_is_clearly_stronger_than_random_moves(seats: int) -> None:
    """In seats that rotate; the pairwise score of 24 matches against each other seat."""
    points = pairs = 0.0
    for number in range(MATCHES):
        mine = number % seats
        state = GAME.start(seats, Chance((number + 100).to_bytes(16, "little")), {})
        dice = Chance(number.to_bytes(16, "big"))
        while state.decision is not None:
            seat, actions = state.decision.seat, state.decision.actions
            state.apply(choice(state) if seat == mine else dice.choice("dice", actions))
        outcome = state.outcome()
        assert outcome is not None
        for seat, placement in enumerate(outcome.placements):
            if seat != mine:
                pairs += 1
                points += 1.0 if outcome.placements[mine] < placement else 0.5 * (outcome.placements[mine] == placement)

    assert points / pairs > CLEARLY_STRONGER + 0.25


@pytest.mark.parametrize("seats", [2, 4])
def test_it_decides_by_the_view_alone(seats: int) -> None:
    """E8: in a state that was drawn from the view, hidden facts at random, it rates every action the same."""
    compared: list[int] = []

    class Checked(GreedyBot):
        def choose(self, turn: Any) -> int:
            if turn.decision % 10 == 0:
                drawn = GAME.sample(turn.view, Chance(bytes(16))).view(turn.match.seat)
                rate = heuristic("elysium")
                assert rate(GAME, drawn, turn.actions) == rate(GAME, turn.view, turn.actions)
                compared.append(turn.decision)
            return super().choose(turn)

    match = play_match("elysium", Checked, *[RandomBot] * (seats - 1), seed="view")

    assert not match.faults
    assert len(compared) > 3


# -- what it reads -------------------------------------------------------------------------------------------------


def test_it_rates_every_kind_of_action_and_of_step() -> None:
    assert set(Kind) - {Kind.QUEST} == set(RATED)
    assert {kind for kind, _ in STEP_FORMS.values()} == set(STEPS)


def test_it_plays_the_cards_of_the_set_that_the_match_names() -> None:
    """Leda is the weakest card of the house set, and the best by far of one in which it gains 40 VP; ids may differ."""
    rich = replace(HOUSE.cards[0], id="zeus-other", effect=Gain(VP, 40), estimate=40.0)
    other = game_with(replace(HOUSE, cards=(rich, *HOUSE.cards[1:])))
    house = lay_out(agora="zeus-leda zeus-olympia", quests={0: 1}).state
    changed = lay_out(agora="zeus-other zeus-olympia", quests={0: 1}, game=other).state

    assert GAME.notation.code(choice(house)) == "take zeus-olympia"
    assert other.notation.code(choice(changed, other)) == "take zeus-other"


def test_the_bot_plays_with_the_set_of_its_match() -> None:
    rich = replace(HOUSE.cards[0], id="zeus-other", effect=Gain(VP, 40))
    text = json.dumps(set_object(replace(HOUSE, cards=(rich, *HOUSE.cards[1:]))))

    match = play_match("elysium", GreedyBot, RandomBot, seed="set", files={"cards": text})

    assert not match.faults
    assert match.record is not None
    assert match.record.options["cards"] != "house"
