"""The Zeus cards, clause by clause."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from tests.engine.elysium.rows import Then, check, row, then

ROWS = [
    row(
        "1 VP a transfer, its own too",
        "take hades-orpheus",
        then(vp=2 + 3),
        ["transfer zeus-leda", "transfer zeus-themis", "place new"],
        domains={0: "zeus-themis zeus-leda"},
        gold=5,
    ),
    row(
        "at most 9 VP, of four tiles",
        "chronos zeus-perseus",
        then(chronos=9),
        elysiums={0: "zeus-perseus zeus-io"},
        level_tiles={1: 0, 2: 0, 3: 0},
        family_tiles={"hades 1": 0},
    ),
    row("1 VP for its own family", "take zeus-leda", then(vp=1)),
    row("each family once", "take zeus-leda", then(vp=2), domains={0: "hades-charon hades-lethe zeus-semele"}),
    row("at most 3 VP", "take zeus-leda", then(vp=3), domains={0: "hades-charon athena-olive poseidon-sirens"}),
    row("a Citizen has no family", "take zeus-leda", then(vp=1), domains={0: "citizen citizen"}),
    row("1 VP, the discard declined", "power zeus-semele", then(vp=1, gold=0), ["skip"], domains={0: "zeus-leda"}),
    row(
        "a card for 2 gold",
        "power zeus-semele",
        then(vp=1, gold=2, discard=["zeus-leda"], domain=["zeus-semele"], turned={"zeus-semele": True}),
        ["sacrifice zeus-leda"],
        domains={0: "zeus-leda"},
    ),
    row(
        "neither itself nor a Citizen",
        "power zeus-semele",
        then(codes=["sacrifice zeus-leda", "skip"]),
        domains={0: "zeus-leda citizen"},
    ),
    row("no other card, no question", "power zeus-semele", then(vp=1, prompt="turn"), agora="zeus-io zeus-leda"),
    row("none lone", "chronos zeus-dodona", then(chronos=0), elysiums={0: "zeus-dodona"}),
    row("itself counts", "chronos zeus-dodona", then(chronos=1), elysiums={0: "zeus-dodona zeus-io"}),
    row(
        "level 1 in all Legends, lone ones and Citizens not",
        "chronos zeus-dodona",
        then(chronos=3),
        elysiums={0: "zeus-dodona hades-charon citizen, athena-olive athena-nike, poseidon-sirens"},
    ),
    row(
        "at most 4 VP",
        "chronos zeus-dodona",
        then(chronos=4),
        elysiums={0: "zeus-dodona hades-charon athena-olive poseidon-sirens hephaestus-anvil"},
    ),
    row("each level 1 card of the Agora", "power zeus-amalthea", then(vp=2), agora="zeus-leda hades-charon zeus-io"),
    row(
        "at most 3 VP, copies count",
        "power zeus-amalthea",
        then(vp=3, ring={"zeus-amalthea": False}),
        agora="zeus-leda zeus-leda hades-charon hades-charon",
    ),
    row("not with none there", "power zeus-amalthea", then(refused=True), agora="zeus-io"),
    row("not without its ring", "power zeus-amalthea", then(refused=True), agora="zeus-leda", spent="zeus-amalthea"),
    row("3 VP where an opponent has fewer", "take zeus-europa", then(vp=3), vp={0: 2, 1: 1}),
    row("5 VP where nobody has fewer", "take zeus-europa", then(vp=5), vp={0: 2, 1: 2}),
    row("5 VP only where all have as many", "take zeus-europa", then(vp=3), seats=3, vp={0: 2, 1: 5, 2: 1}),
    row("4 VP with a partner", "power zeus-io", then(vp=4, turned={"zeus-io": True}), domains={0: "hades-pomegranate"}),
    row(
        "a turned partner will do",
        "power zeus-io",
        then(vp=4),
        domains={0: "hades-pomegranate"},
        turned="hades-pomegranate",
    ),
    row("not without a partner", "power zeus-io", then(refused=True), domains={0: "zeus-leda"}),
    row("not when turned", "power zeus-io", then(refused=True), domains={0: "hades-pomegranate"}, turned="zeus-io"),
    row(
        "1 VP a Legend of two or more",
        "step zeus-metis",
        then(vp=1),
        elysiums={0: "zeus-leda zeus-io, hades-charon"},
    ),
    row(
        "at most 3 VP",
        "step zeus-metis",
        then(vp=3),
        elysiums={
            0: "zeus-leda zeus-io, hades-charon hades-lethe, athena-olive athena-nike, poseidon-sirens poseidon-trident"
        },
    ),
    row("not without a Legend", "step zeus-metis", then(refused=True), elysiums={0: "hades-charon"}),
    row(
        "Domain and Elysium together",
        "take zeus-keraunos",
        then(vp=3),
        domains={0: "zeus-io"},
        elysiums={0: "zeus-leda"},
    ),
    row(
        "no Citizens", "take zeus-keraunos", then(vp=3), domains={0: "citizen"}, elysiums={0: "zeus-leda hades-charon"}
    ),
    row(
        "at most 8 VP",
        "take zeus-keraunos",
        then(vp=8),
        domains={0: "zeus-io zeus-leda hades-charon hades-lethe"},
        elysiums={0: "zeus-semele athena-olive poseidon-sirens, hephaestus-anvil"},
    ),
    row("each family of the Domain", "power zeus-olympia", then(vp=2), domains={0: "zeus-io hades-charon citizen"}),
    row(
        "at most 4 VP",
        "power zeus-olympia",
        then(vp=4),
        domains={0: "hades-charon athena-olive poseidon-sirens hephaestus-anvil"},
    ),
    row("no tile, no VP", "chronos zeus-perseus", then(chronos=0), elysiums={0: "zeus-perseus zeus-io"}),
    row(
        "3 VP a tile",
        "chronos zeus-perseus",
        then(chronos=6),
        elysiums={0: "zeus-perseus zeus-io"},
        level_tiles={1: 0, 3: 0, 2: 1},
    ),
    row(
        "at most 9 VP",
        "chronos zeus-perseus",
        then(chronos=9),
        elysiums={0: "zeus-perseus zeus-io"},
        level_tiles={1: 0, 2: 0, 3: 0},
    ),
    row(
        "nothing in the Domain",
        "chronos zeus-perseus",
        then(chronos=0),
        domains={0: "zeus-perseus"},
        level_tiles={1: 0},
    ),
]


@pytest.mark.parametrize(("play", "given", "do", "expected"), ROWS)
def test_a_card_does_what_it_says(play: str, given: Mapping[str, Any], do: Sequence[str], expected: Then) -> None:
    check(play, given, do, expected)
