"""The Hades cards, clause by clause."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from tests.engine.elysium.rows import Then, check, row, then

ROWS = [
    row("the next transfer costs 2 less", "power hades-charon", then(prompt="turn"), agora="zeus-io zeus-leda"),
    row(
        "never below 0, and used up by a transfer that costs nothing",
        "power hades-charon",
        then(gold=-1, elysium=[["zeus-leda"], ["zeus-io"]]),
        ["take hades-orpheus", "transfer zeus-leda", "transfer zeus-io", "place new"],
        agora="hades-orpheus",
        domains={0: "zeus-leda zeus-io"},
        gold=1,
    ),
    row(
        "it can be used with nothing to transfer",
        "power hades-charon",
        then(turned={"hades-charon": True}),
        agora="zeus-io zeus-leda",
    ),
    row(
        "a level 1 card, itself too",
        "take hades-asphodel",
        then(codes=["transfer zeus-leda", "transfer hades-asphodel", "skip"]),
        domains={0: "zeus-leda zeus-io citizen"},
        elysiums={0: "athena-nike athena-olive"},
        gold=3,
    ),
    row(
        "at its normal cost",
        "take hades-asphodel",
        then(gold=-1, elysium=[["hades-asphodel"]]),
        ["transfer hades-asphodel"],
        gold=1,
    ),
    row("declined", "take hades-asphodel", then(gold=0, elysium=[]), ["skip"], gold=1),
    row("no gold, no question", "take hades-asphodel", then(prompt="dismiss")),
    row(
        "any card",
        "power hades-pomegranate",
        then(codes=["transfer hades-pomegranate", "transfer zeus-io", "transfer zeus-keraunos", "skip"]),
        domains={0: "zeus-io zeus-keraunos"},
        gold=3,
    ),
    row(
        "also a Citizen",
        "power hades-pomegranate",
        then(gold=-2, elysium=[["athena-nike", "athena-olive", "citizen"]]),
        ["transfer citizen"],
        domains={0: "zeus-io citizen"},
        elysiums={0: "athena-nike athena-olive"},
        gold=2,
    ),
    row("not without gold", "power hades-pomegranate", then(refused=True), domains={0: "zeus-io"}),
    row("not without a partner", "power hades-pomegranate", then(refused=True), gold=3),
    row(
        "a Citizen",
        "power hades-elpenor",
        then(domain=["citizen", "hades-elpenor"], ring={"hades-elpenor": False}),
        agora="zeus-io zeus-leda",
    ),
    row(
        "the limit also where no Citizen can be drawn",
        "power hades-elpenor",
        then(domain=["hades-elpenor"]),
        deck="",
        agora="zeus-io zeus-leda",
    ),
    row(
        "a level 1 or 2 card for nothing",
        "take hades-acheron",
        then(gold=0, elysium=[["zeus-io"]]),
        ["transfer zeus-io"],
        domains={0: "zeus-io"},
    ),
    row(
        "itself, no level 3, no Citizen",
        "take hades-acheron",
        then(codes=["transfer hades-acheron", "skip"]),
        domains={0: "zeus-keraunos citizen"},
        elysiums={0: "athena-nike athena-olive"},
    ),
    row(
        "one more than the quest allows",
        "step hades-sisyphus",
        then(gold=-2, elysium=[["zeus-io"]]),
        ["transfer zeus-io"],
        domains={0: "zeus-io"},
        gold=2,
        incomplete=[0],
    ),
    row(
        "level 1 and 2 only",
        "step hades-sisyphus",
        then(codes=["transfer hades-sisyphus", "skip"]),
        domains={0: "zeus-keraunos citizen"},
        gold=3,
    ),
    row("not without gold", "step hades-sisyphus", then(refused=True), domains={0: "zeus-io"}),
    row(
        "transfers cost 1 less",
        "take hades-asphodel",
        then(gold=0, elysium=[["hades-asphodel"]]),
        ["transfer hades-asphodel"],
        domains={0: "hades-lethe"},
    ),
    row(
        "its own too",
        "take hades-acheron",
        then(codes=["transfer hades-lethe", "transfer hades-acheron", "skip"]),
        domains={0: "hades-lethe"},
    ),
    row(
        "a Citizen to a lone card",
        "power hades-pomegranate",
        then(codes=["place legend 1 as family", "place legend 1 as level 1", "place legend 1 as level 3"]),
        ["transfer citizen"],
        domains={0: "hades-lethe citizen zeus-io"},
        elysiums={0: "athena-mentor"},
        gold=3,
    ),
    row(
        "among the places that can be paid",
        "power hades-pomegranate",
        then(codes=["place legend 1 as family", "place legend 1 as level 1"]),
        ["transfer citizen"],
        domains={0: "hades-lethe citizen zeus-io"},
        elysiums={0: "athena-mentor"},
        gold=1,
    ),
    row(
        "no Citizen to a lone card without it",
        "power hades-pomegranate",
        then(lacks=["transfer citizen"]),
        domains={0: "citizen zeus-io"},
        elysiums={0: "athena-mentor"},
        gold=3,
    ),
    row(
        "Citizens cost nothing",
        "chronos hades-aeacus",
        then(citizens=0, chronos=1),
        elysiums={0: "hades-aeacus zeus-io citizen citizen"},
    ),
    row(
        "others' still do",
        "chronos hades-aeacus",
        then(citizens={0: 0, 1: -4}, chronos=0),
        elysiums={0: "hades-aeacus zeus-io", 1: "zeus-io athena-arachne citizen citizen"},
    ),
    row(
        "1 VP a Legend of three, at most 3",
        "chronos hades-aeacus",
        then(chronos=3),
        elysiums={
            0: (
                "hades-aeacus zeus-io athena-arachne, zeus-leda zeus-themis zeus-keraunos, "
                "athena-olive athena-mentor athena-nike, "
                "poseidon-sirens poseidon-cetus poseidon-trident"
            ),
        },
    ),
    row(
        "two cards, each for 1 less",
        "take hades-orpheus",
        then(gold=-3, elysium=[["zeus-io"], ["zeus-keraunos"]]),
        ["transfer zeus-io", "transfer zeus-keraunos", "place new"],
        domains={0: "zeus-io zeus-keraunos"},
        gold=3,
    ),
    row(
        "one is enough",
        "take hades-orpheus",
        then(gold=-1, prompt="dismiss"),
        ["transfer zeus-io", "skip"],
        domains={0: "zeus-io"},
        gold=4,
    ),
    row(
        "itself and Citizens",
        "take hades-orpheus",
        then(codes=["transfer hades-orpheus", "transfer citizen", "skip"]),
        domains={0: "citizen"},
        elysiums={0: "athena-nike athena-olive"},
        gold=2,
    ),
    row(
        "a level 1 card even without gold",
        "take hades-orpheus",
        then(codes=["transfer zeus-leda", "skip"]),
        domains={0: "zeus-leda zeus-io"},
    ),
    row(
        "either a transfer",
        "power hades-helm",
        then(gold=-1, elysium=[["zeus-leda"]]),
        ["choose 1", "transfer zeus-leda"],
        domains={0: "zeus-leda"},
        gold=1,
    ),
    row("or 2 gold", "power hades-helm", then(gold=2, elysium=[]), ["choose 2"], domains={0: "zeus-leda"}, gold=1),
    row(
        "2 gold without asking where no transfer can be paid",
        "power hades-helm",
        then(gold=2, prompt="turn"),
        domains={0: "zeus-leda"},
        agora="zeus-io zeus-leda",
    ),
    row(
        "a card of the Agora",
        "power hades-tartarus",
        then(gold=-2, elysium=[["zeus-io"]], agora=["zeus-leda"]),
        ["transfer zeus-io agora"],
        agora="zeus-io zeus-leda",
        gold=2,
    ),
    row(
        "its power is not used, one identical to an own card too",
        "power hades-tartarus",
        then(vp=0, elysium=[["zeus-leda"]]),
        ["transfer zeus-leda agora"],
        agora="zeus-io zeus-leda",
        domains={0: "zeus-leda"},
        gold=3,
    ),
    row(
        "what can be paid",
        "power hades-tartarus",
        then(codes=["transfer zeus-leda agora", "skip"]),
        agora="zeus-io zeus-leda zeus-keraunos",
        gold=1,
    ),
    row(
        "not what another has reserved",
        "power hades-tartarus",
        then(codes=["transfer zeus-leda agora", "skip"]),
        agora="zeus-io zeus-leda",
        reserved={1: "zeus-io"},
        gold=3,
    ),
    row("not where nothing can be paid", "power hades-tartarus", then(refused=True), agora="zeus-io zeus-leda"),
    row(
        "the columns do not matter",
        "power hades-tartarus",
        then(lists=["transfer zeus-keraunos agora"]),
        agora="zeus-leda zeus-keraunos",
        gold=3,
        columns={0: "red"},
    ),
]


@pytest.mark.parametrize(("play", "given", "do", "expected"), ROWS)
def test_a_card_does_what_it_says(play: str, given: Mapping[str, Any], do: Sequence[str], expected: Then) -> None:
    check(play, given, do, expected)
