"""The Apollo cards, clause by clause."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from tests.engine.elysium.rows import Then, check, row, then

ROWS = [
    row(
        "either a level 1 card of the Oracle",
        "take apollo-daphne",
        then(domain=["apollo-daphne", "zeus-semele"], oracle=["zeus-io"]),
        ["choose 1", "take zeus-semele oracle"],
        oracle="zeus-io zeus-semele",
    ),
    row(
        "or 2 VP",
        "take apollo-daphne",
        then(vp=2, oracle=["zeus-io", "zeus-semele"]),
        ["choose 2"],
        oracle="zeus-io zeus-semele",
    ),
    row("level 1 only", "take apollo-daphne", then(vp=2, prompt="dismiss"), oracle="zeus-io"),
    row(
        "the Oracle is not filled up, the power at once",
        "take apollo-daphne",
        then(gold=3, oracle=[]),
        ["choose 1", "take hephaestus-anvil oracle"],
        oracle="hephaestus-anvil",
    ),
    row(
        "three cards in any order",
        "power apollo-pythia",
        then(gold=1, deck=["hades-charon", "zeus-io", "zeus-leda", "zeus-semele"]),
        ["top 3 1 2"],
        deck="zeus-io zeus-leda hades-charon zeus-semele",
    ),
    row(
        "on top only",
        "power apollo-pythia",
        then(codes=["top 1 2 3", "top 1 3 2", "top 2 1 3", "top 2 3 1", "top 3 1 2", "top 3 2 1"]),
        deck="zeus-io zeus-leda hades-charon zeus-semele",
    ),
    row(
        "one card has one way",
        "power apollo-pythia",
        then(gold=1, prompt="turn"),
        deck="zeus-io",
        agora="zeus-leda zeus-semele",
    ),
    row(
        "1 gold without a draw pile",
        "power apollo-pythia",
        then(gold=1, prompt="turn"),
        deck="",
        agora="zeus-leda zeus-semele",
    ),
    row(
        "a level 3 card with a column less",
        "take zeus-olympia",
        then(domain=["apollo-branchus", "zeus-olympia"]),
        domains={0: "apollo-branchus"},
        columns={0: "red"},
    ),
    row(
        "not with both less",
        "take zeus-olympia",
        then(refused=True),
        domains={0: "apollo-branchus"},
        columns={0: "blue yellow"},
        agora="apollo-hyacinthus",
    ),
    row(
        "no other level",
        "take zeus-themis",
        then(refused=True),
        domains={0: "apollo-branchus"},
        columns={0: "blue"},
        agora="apollo-hyacinthus",
    ),
    row(
        "not for an opponent's card",
        "take zeus-olympia",
        then(refused=True),
        domains={1: "apollo-branchus"},
        columns={0: "red"},
        agora="zeus-leda zeus-europa",
    ),
    row(
        "a card for oneself, and 1 VP",
        "power apollo-hyacinthus",
        then(vp=1, lists=["take zeus-io"]),
        ["reserve zeus-io"],
        agora="zeus-io zeus-leda",
    ),
    row("1 VP with nothing to reserve", "power apollo-hyacinthus", then(vp=1), quests={0: 1}),
    row(
        "one of three, the others under the draw pile",
        "take apollo-cassandra",
        then(domain=["apollo-cassandra", "hades-charon"], deck=["zeus-semele", "zeus-leda", "zeus-io"]),
        ["keep hades-charon", "bottom 2 1"],
        deck="zeus-io zeus-leda hades-charon zeus-semele",
    ),
    row(
        "none",
        "take apollo-cassandra",
        then(domain=["apollo-cassandra"], deck=["zeus-semele", "zeus-io", "zeus-leda", "hades-charon"]),
        ["skip", "bottom 1 2 3"],
        deck="zeus-io zeus-leda hades-charon zeus-semele",
    ),
    row(
        "none of level 3",
        "take apollo-cassandra",
        then(codes=["keep hades-charon", "skip"], prompt="keep apollo-cassandra"),
        deck="zeus-olympia hades-charon hades-helm",
    ),
    row(
        "its power comes after the others are put back",
        "take apollo-cassandra",
        then(gold=3, deck=["zeus-leda", "zeus-io"]),
        ["keep hephaestus-anvil", "bottom 2 1"],
        deck="zeus-io hephaestus-anvil zeus-leda",
    ),
    row(
        "none identical to an own one, yet asked",
        "take apollo-cassandra",
        then(codes=["skip"], prompt="keep apollo-cassandra"),
        deck="zeus-io",
        domains={0: "zeus-io"},
    ),
    row("nothing without a draw pile", "take apollo-cassandra", then(prompt="dismiss"), deck=""),
    row(
        "the Oracle is open and a column can be left out",
        "power apollo-delphi",
        then(gold=1, vp=1, codes=["take zeus-semele", "take zeus-io oracle", "quest 1"]),
        oracle="zeus-io zeus-keraunos",
        agora="zeus-semele",
        columns={0: "red"},
    ),
    row(
        "two columns of four are not left out",
        "power apollo-delphi",
        then(lacks=["take zeus-olympia"]),
        agora="zeus-olympia zeus-semele apollo-hyacinthus",
        columns={0: "blue"},
    ),
    row(
        "either a level 1 card of the Oracle",
        "power apollo-python",
        then(codes=["take zeus-semele oracle", "skip"]),
        ["choose 1"],
        domains={0: "hades-pomegranate"},
        oracle="zeus-io zeus-semele zeus-olympia",
    ),
    row(
        "or 2 VP", "power apollo-python", then(vp=2), ["choose 2"], domains={0: "hades-pomegranate"}, oracle="zeus-leda"
    ),
    row(
        "2 VP at once where no level 1 card is in the Oracle",
        "power apollo-python",
        then(vp=2, prompt="turn"),
        domains={0: "hades-pomegranate"},
        oracle="zeus-io zeus-olympia",
        agora="zeus-io zeus-leda",
    ),
    row(
        "three cards anywhere, then 2 VP",
        "step apollo-sibyl",
        then(vp=2, deck=["zeus-leda", "zeus-semele", "hades-charon", "zeus-io"]),
        ["top 2 bottom 3 1"],
        deck="zeus-io zeus-leda hades-charon zeus-semele",
        domains={0: "zeus-europa"},
        gold=2,
    ),
    row(
        "a level 1 or 2 card of the Oracle and a level 1 card of the Agora",
        "take apollo-muses",
        then(domain=["apollo-muses", "zeus-europa", "zeus-semele"]),
        ["take zeus-europa oracle", "take zeus-semele"],
        oracle="zeus-europa",
        agora="zeus-semele zeus-io",
    ),
    row(
        "either can be declined",
        "take apollo-muses",
        then(domain=["apollo-muses"], prompt="dismiss"),
        ["skip", "skip"],
        oracle="zeus-io",
        agora="zeus-semele",
    ),
    row(
        "no level 3 of the Oracle",
        "take apollo-muses",
        then(codes=["take zeus-leda oracle", "take zeus-io oracle", "skip"]),
        oracle="zeus-olympia zeus-io zeus-leda",
    ),
    row(
        "level 1 of the Agora only",
        "take apollo-muses",
        then(codes=["take zeus-semele", "skip"]),
        agora="zeus-semele zeus-io",
    ),
    row(
        "either a level 1 or 2 card of the discard pile",
        "power apollo-asclepius",
        then(domain=["apollo-asclepius", "hades-pomegranate", "zeus-io"], discard=["zeus-olympia"]),
        ["choose 1", "take zeus-io discard"],
        domains={0: "hades-pomegranate"},
        discard="zeus-io zeus-olympia",
    ),
    row(
        "no level 3",
        "power apollo-asclepius",
        then(codes=["take zeus-leda discard", "take zeus-io discard", "skip"]),
        ["choose 1"],
        domains={0: "hades-pomegranate"},
        discard="zeus-io zeus-olympia zeus-leda",
    ),
    row(
        "or 3 VP",
        "power apollo-asclepius",
        then(vp=3),
        ["choose 2"],
        domains={0: "hades-pomegranate"},
        discard="zeus-io",
    ),
    row(
        "3 VP at once without a discard pile",
        "power apollo-asclepius",
        then(vp=3, prompt="turn"),
        domains={0: "hades-pomegranate"},
        agora="zeus-io zeus-leda",
    ),
    row(
        "3 VP a Legend of three",
        "chronos apollo-clio",
        then(chronos=3),
        elysiums={0: "apollo-clio zeus-olympia citizen, zeus-leda zeus-io"},
    ),
    row(
        "at most 9",
        "chronos apollo-clio",
        then(chronos=9),
        elysiums={
            0: (
                "apollo-clio zeus-olympia citizen, zeus-leda zeus-io citizen, "
                "hades-charon hades-lethe citizen, hephaestus-anvil hephaestus-talos citizen"
            ),
        },
    ),
    row(
        "one of the two only",
        "take apollo-daphne",
        then(vp=0, prompt="dismiss"),
        ["choose 1", "skip"],
        oracle="zeus-io zeus-semele",
    ),
    row(
        "one of the two only",
        "power apollo-python",
        then(vp=0, prompt="turn"),
        ["choose 1", "skip"],
        domains={0: "hades-pomegranate"},
        oracle="zeus-dodona",
        agora="zeus-leda zeus-semele",
    ),
    row(
        "one of the two only",
        "power apollo-asclepius",
        then(vp=0, prompt="turn"),
        ["choose 1", "skip"],
        domains={0: "hades-pomegranate"},
        discard="zeus-io",
        agora="zeus-leda zeus-semele",
    ),
]


@pytest.mark.parametrize(("play", "given", "do", "expected"), ROWS)
def test_a_card_does_what_it_says(play: str, given: Mapping[str, Any], do: Sequence[str], expected: Then) -> None:
    check(play, given, do, expected)
