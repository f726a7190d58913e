"""The Poseidon cards, clause by clause."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from tests.engine.elysium.rows import Then, check, row, then

ROWS = [
    row("2 gold, each opponent loses 1", "take poseidon-triton", then(gold={0: 2, 1: -1, 2: 0}), seats=3, gold={1: 3}),
    row(
        "a shielded one loses nothing",
        "take poseidon-triton",
        then(gold={0: 2, 1: 0}),
        gold={1: 3},
        domains={1: "athena-aegis"},
    ),
    row(
        "an opponent gives 1 gold",
        "power poseidon-sirens",
        then(gold={0: 1, 1: 0, 2: -1}),
        ["seat 2"],
        seats=3,
        gold={1: 1, 2: 1},
    ),
    row(
        "only one who has gold",
        "power poseidon-sirens",
        then(gold={0: 1, 2: -1}, prompt="turn"),
        seats=3,
        gold={2: 1},
        agora="zeus-io zeus-leda",
    ),
    row("not where nobody has", "power poseidon-sirens", then(refused=True), gold={0: 3}),
    row(
        "not from one who is shielded",
        "power poseidon-sirens",
        then(refused=True),
        gold={1: 3},
        domains={1: "athena-aegis"},
    ),
    row("an opponent takes level 3", "take zeus-olympia", then(gold={0: 0, 1: 1}), domains={1: "poseidon-hippocampus"}),
    row("no other level", "take zeus-io", then(gold={1: 0}), domains={1: "poseidon-hippocampus"}),
    row("not the own take", "take zeus-olympia", then(gold=0), domains={0: "poseidon-hippocampus"}),
    row(
        "2 gold or 2 VP, then 1 gold",
        "power poseidon-palaemon",
        then(gold={0: 1, 1: -2, 2: 0}, vp={1: 0, 2: -2}),
        ["choose 1", "choose 2"],
        seats=3,
        gold={1: 5, 2: 5},
        vp=5,
    ),
    row(
        "a part of it is enough",
        "power poseidon-palaemon",
        then(codes=["choose 1", "choose 2"], prompt="choose poseidon-palaemon"),
        gold={1: 1},
        vp={1: 1},
    ),
    row(
        "what there is, without asking",
        "power poseidon-palaemon",
        then(gold={0: 1, 1: -1}, prompt="turn"),
        gold={1: 1},
        agora="zeus-io zeus-leda",
    ),
    row("nothing from who has nothing", "power poseidon-palaemon", then(gold={0: 1, 1: 0}, vp={1: 0})),
    row(
        "each opponent puts a card into the Agora",
        "take poseidon-laestrygonians",
        then(vp=1, agora=["zeus-io", "hades-charon", "athena-olive"], domain={1: ["hades-lethe"], 2: []}),
        ["lose hades-charon"],
        seats=3,
        agora="zeus-io",
        domains={1: "hades-charon hades-lethe", 2: "athena-olive"},
    ),
    row("never a Citizen", "take poseidon-laestrygonians", then(vp=1, domain={1: ["citizen"]}), domains={1: "citizen"}),
    row(
        "nothing from who is shielded",
        "take poseidon-laestrygonians",
        then(vp=1, domain={1: ["athena-aegis"]}),
        domains={1: "athena-aegis"},
    ),
    row(
        "an opponent discards a level 1 or 2 card",
        "power poseidon-scylla",
        then(vp=2, discard=["hades-lethe"]),
        ["lose hades-lethe"],
        domains={0: "zeus-io", 1: "hades-lethe hades-charon hades-helm"},
    ),
    row(
        "of own choice",
        "power poseidon-scylla",
        then(codes=["lose hades-lethe", "lose hades-charon"]),
        domains={0: "zeus-io", 1: "hades-lethe hades-charon hades-helm"},
    ),
    row(
        "the owner picks among those who have one",
        "power poseidon-scylla",
        then(codes=["seat 1", "seat 3"]),
        seats=4,
        domains={0: "zeus-io", 1: "hades-lethe", 2: "hades-helm citizen", 3: "hades-charon"},
    ),
    row(
        "2 VP also where nobody has one",
        "power poseidon-scylla",
        then(vp=2),
        domains={0: "zeus-io", 1: "hades-helm citizen"},
    ),
    row(
        "1 gold or 1 VP, then 1 gold",
        "power poseidon-proteus",
        then(gold={0: 1, 1: -1}, vp={1: 0}),
        ["choose 1"],
        gold={1: 2},
        vp={1: 2},
    ),
    row(
        "or the VP", "power poseidon-proteus", then(gold={0: 1, 1: 0}, vp={1: -1}), ["choose 2"], gold={1: 2}, vp={1: 2}
    ),
    row(
        "shielded of both",
        "power poseidon-proteus",
        then(gold={0: 1, 1: 0}, vp={1: 0}),
        gold={1: 2},
        vp={1: 2},
        domains={1: "athena-aegis"},
    ),
    row(
        "1 VP; 1 gold, 2 of those who have more",
        "step poseidon-cetus",
        then(vp=1, gold={0: 0, 1: -2, 2: -1}),
        seats=3,
        gold={0: 3, 1: 4, 2: 3},
    ),
    row(
        "a card of each opponent, by the owner's choice",
        "take poseidon-charybdis",
        then(gold=3, discard=["hades-lethe", "athena-olive"]),
        ["lose hades-lethe"],
        seats=3,
        domains={1: "hades-charon hades-lethe", 2: "athena-olive"},
    ),
    row(
        "the owner is asked, with the seat in the prompt",
        "take poseidon-charybdis",
        then(seat=0, prompt="lose poseidon-charybdis 1", codes=["lose hades-charon", "lose hades-lethe"]),
        domains={1: "hades-charon hades-lethe hades-helm"},
    ),
    row(
        "nothing of level 3, no Citizen",
        "take poseidon-charybdis",
        then(gold=3, domain={1: ["citizen", "hades-helm"]}),
        domains={1: "hades-helm citizen"},
    ),
    row(
        "2 gold and 2 VP of each, as far as they have it",
        "power poseidon-trident",
        then(gold={0: 0, 1: -2, 2: -1}, vp={0: 0, 1: -2, 2: 0}),
        seats=3,
        gold={1: 5, 2: 1},
        vp={1: 3},
        domains={0: "zeus-io"},
    ),
    row(
        "a shielded one loses neither",
        "power poseidon-trident",
        then(gold={0: 0, 1: 0, 2: -2}, vp={0: 0, 1: 0, 2: -2}),
        seats=3,
        gold=5,
        vp=5,
        domains={0: "zeus-io", 1: "athena-aegis"},
    ),
    row(
        "not against shielded ones alone",
        "power poseidon-trident",
        then(refused=True),
        gold=5,
        vp=5,
        domains={0: "zeus-io", 1: "athena-aegis"},
    ),
    row(
        "1 VP for each Legend of two, then 4",
        "chronos poseidon-atlantis",
        then(chronos={0: 4, 1: -2}),
        vp={1: 5},
        elysiums={
            0: "poseidon-atlantis poseidon-triton",
            1: "zeus-leda zeus-io, hades-charon hades-lethe hades-helm, athena-olive athena-nike",
        },
    ),
    row(
        "never below 0",
        "chronos poseidon-atlantis",
        then(chronos={0: 4, 1: 0}),
        elysiums={0: "poseidon-atlantis poseidon-triton", 1: "zeus-leda zeus-io"},
    ),
    row(
        "at most 3",
        "chronos poseidon-atlantis",
        then(chronos={1: -3}),
        vp={1: 9},
        elysiums={
            0: "poseidon-atlantis poseidon-triton",
            1: (
                "zeus-leda zeus-io, hades-charon hades-lethe, athena-olive athena-nike, "
                "hephaestus-anvil hephaestus-talos"
            ),
        },
    ),
    row(
        "a shield in the Domain is off at the end",
        "chronos poseidon-atlantis",
        then(chronos={1: -1}),
        vp={1: 9},
        domains={1: "athena-aegis"},
        elysiums={0: "poseidon-atlantis poseidon-triton", 1: "zeus-leda zeus-io"},
    ),
    row("1 gold, no more", "power poseidon-sirens", then(gold={0: 1, 1: -1}), gold={1: 3}),
    row(
        "twice an epoch",
        "take zeus-olympia",
        then(gold={1: 2}),
        [
            "dismiss yellow",
            *("power athena-mentor", "take hades-helm", "choose 2"),
            *("power hermes-pan", "choose 1", "take zeus-keraunos", "choose 2"),
        ],
        agora="hades-helm zeus-keraunos zeus-leda",
        domains={0: "athena-mentor hermes-pan zeus-io", 1: "poseidon-hippocampus"},
    ),
    row("the opponent is asked", "take poseidon-laestrygonians", then(seat=1), domains={1: "hades-charon hades-lethe"}),
    row(
        "the opponent is asked",
        "power poseidon-scylla",
        then(seat=1),
        domains={0: "zeus-io", 1: "hades-charon hades-lethe"},
    ),
]


@pytest.mark.parametrize(("play", "given", "do", "expected"), ROWS)
def test_a_card_does_what_it_says(play: str, given: Mapping[str, Any], do: Sequence[str], expected: Then) -> None:
    check(play, given, do, expected)
