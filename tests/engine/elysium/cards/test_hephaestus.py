"""The Hephaestus cards, clause by clause."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from tests.engine.elysium.rows import Then, check, row, then

ROWS = [
    row("3 gold", "take hephaestus-anvil", then(gold=3)),
    row("1 gold where an opponent has less", "power hephaestus-cedalion", then(gold=1), gold={0: 1}),
    row("2 gold where nobody has less", "power hephaestus-cedalion", then(gold=2), gold={0: 1, 1: 1}),
    row("a level 1 card taken", "take zeus-amalthea", then(gold=1), domains={0: "hephaestus-tripods"}),
    row("no other level", "take zeus-themis", then(gold=0), domains={0: "hephaestus-tripods"}),
    row("not itself", "take hephaestus-tripods", then(gold=0)),
    row("not when an opponent takes", "take zeus-amalthea", then(gold={0: 0, 1: 0}), domains={1: "hephaestus-tripods"}),
    row(
        "not for a Citizen",
        "power hades-elpenor",
        then(gold=0),
        domains={0: "hephaestus-tripods"},
        agora="zeus-io zeus-leda",
    ),
    row(
        "each opponent gives 1, and 1 more",
        "power hephaestus-net",
        then(gold={0: 3, 1: -1, 2: -1}),
        seats=3,
        gold={1: 2, 2: 1},
    ),
    row("who has none gives none", "power hephaestus-net", then(gold={0: 2, 1: 0, 2: -1}), seats=3, gold={2: 1}),
    row(
        "who is shielded gives none",
        "power hephaestus-net",
        then(gold={0: 1, 1: 0}),
        gold={1: 2},
        domains={1: "athena-aegis"},
    ),
    row("itself and Citizens count", "take hephaestus-lemnos", then(gold=3), domains={0: "citizen zeus-themis"}),
    row(
        "at most 6",
        "take hephaestus-lemnos",
        then(gold=6),
        domains={0: "citizen citizen citizen citizen citizen citizen zeus-themis"},
    ),
    row("4 gold and 1 VP", "power hephaestus-cabeiri", then(gold=4, vp=1), domains={0: "zeus-io"}),
    row("not without a partner", "power hephaestus-cabeiri", then(refused=True)),
    row("either 2 gold", "power hephaestus-maidens", then(gold=2, vp=0), ["choose 1"], gold=2),
    row(
        "or 2 gold for 3 VP, without a second question",
        "power hephaestus-maidens",
        then(gold=-2, vp=3),
        ["choose 2"],
        gold=2,
    ),
    row(
        "2 gold at once where 2 cannot be paid",
        "power hephaestus-maidens",
        then(gold=2, prompt="turn"),
        gold=1,
        agora="zeus-io zeus-leda",
    ),
    row("1 gold without a transfer", "step hephaestus-talos", then(gold=1)),
    row("nothing for a transfer of Phase II", "step hephaestus-talos", then(gold=1), elysiums={0: "zeus-io"}),
    row("4 gold", "take hephaestus-pandora", then(gold=4, prompt="dismiss")),
    row(
        "a level 1 or 2 card, whatever its columns",
        "take hephaestus-pandora",
        then(gold=4, codes=["take zeus-semele", "take zeus-themis", "skip"]),
        agora="zeus-semele zeus-themis zeus-keraunos",
        columns={0: "red green"},
    ),
    row(
        "its own power at once",
        "take hephaestus-pandora",
        then(gold=7, domain=["hephaestus-anvil", "hephaestus-pandora"]),
        ["take hephaestus-anvil"],
        agora="hephaestus-anvil zeus-io",
    ),
    row(
        "none identical to an own one",
        "take hephaestus-pandora",
        then(codes=["take zeus-io", "skip"]),
        agora="zeus-leda zeus-io",
        domains={0: "zeus-leda"},
    ),
    row(
        "3 gold, then a transfer with it",
        "power hephaestus-shield-of-achilles",
        then(gold=0, elysium=[["zeus-keraunos"]]),
        ["transfer zeus-keraunos"],
        domains={0: "zeus-io zeus-keraunos"},
    ),
    row("declined", "power hephaestus-shield-of-achilles", then(gold=3), ["skip"], domains={0: "zeus-io"}),
    row(
        "1 VP a gold, which is kept",
        "chronos hephaestus-harmonia",
        then(chronos=4),
        elysiums={0: "hephaestus-harmonia hephaestus-anvil"},
        gold=4,
    ),
    row(
        "at most 9",
        "chronos hephaestus-harmonia",
        then(chronos=9),
        elysiums={0: "hephaestus-harmonia hephaestus-anvil"},
        gold=12,
    ),
    row(
        "none without gold",
        "chronos hephaestus-harmonia",
        then(chronos=0),
        elysiums={0: "hephaestus-harmonia hephaestus-anvil"},
    ),
    row(
        "1 gold more a transfer",
        "step hades-sisyphus",
        then(gold=1),
        ["transfer zeus-leda", "power hephaestus-talos"],
        domains={0: "hephaestus-talos zeus-leda"},
        gold=5,
    ),
    row(
        "at most 4",
        "step hades-sisyphus",
        then(gold=0),
        [
            "transfer zeus-leda",
            "transfer athena-olive",
            "place new",
            "transfer poseidon-triton",
            "place new",
            "transfer hephaestus-net",
            "place new",
            "power hephaestus-talos",
        ],
        domains={0: "hephaestus-talos zeus-leda athena-olive poseidon-triton hephaestus-net"},
        gold=9,
        quests={0: 2, 1: 1},
    ),
    row(
        "one card only",
        "power hephaestus-shield-of-achilles",
        then(prompt="turn"),
        ["transfer zeus-leda"],
        domains={0: "zeus-io zeus-leda"},
        gold=5,
        agora="zeus-themis zeus-semele",
    ),
]


@pytest.mark.parametrize(("play", "given", "do", "expected"), ROWS)
def test_a_card_does_what_it_says(play: str, given: Mapping[str, Any], do: Sequence[str], expected: Then) -> None:
    check(play, given, do, expected)
