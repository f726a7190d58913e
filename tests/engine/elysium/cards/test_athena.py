"""The Athena cards, clause by clause."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from tests.engine.elysium.rows import Then, check, row, then

ROWS = [
    row("4 gold, each opponent 1", "take athena-olive", then(gold={0: 4, 1: 1, 2: 1}), seats=3),
    row(
        "2 cards looked at, on top or at the bottom",
        "power athena-owl",
        then(codes=["top 1 2", "top 1 bottom 2", "bottom 1 2", "top 2 1", "top 2 bottom 1", "bottom 2 1"]),
        deck="zeus-io zeus-leda hades-charon",
    ),
    row(
        "as they were put, then 2 gold and each opponent 1",
        "power athena-owl",
        then(gold={0: 2, 1: 1}, deck=["zeus-leda", "hades-charon", "zeus-io"]),
        ["top 2 bottom 1"],
        deck="zeus-io zeus-leda hades-charon",
    ),
    row(
        "the gold also with nothing to look at",
        "power athena-owl",
        then(gold={0: 2, 1: 1}, prompt="turn"),
        deck="",
        agora="zeus-io zeus-leda",
    ),
    row(
        "equal cards are put back in one way",
        "power athena-owl",
        then(codes=["top 1 2", "top 1 bottom 2", "bottom 1 2"]),
        deck="zeus-io zeus-io hades-charon",
    ),
    row(
        "one level 1 card more than the quest allows",
        "step athena-telemachus",
        then(gold={0: -1, 1: 1}, elysium=[["zeus-leda"]]),
        ["transfer zeus-leda"],
        domains={0: "zeus-leda"},
        gold={0: 1},
        incomplete=[0],
    ),
    row(
        "level 1 only",
        "step athena-telemachus",
        then(codes=["transfer athena-telemachus", "transfer zeus-leda", "skip"]),
        domains={0: "zeus-leda zeus-io citizen"},
        gold=2,
    ),
    row("the opponents' gold also without a transfer", "step athena-telemachus", then(gold={0: 0, 1: 1})),
    row(
        "3 VP; each opponent 1 gold or 1 VP",
        "power athena-penelope",
        then(vp={0: 3, 1: 0, 2: 1}, gold={1: 1, 2: 0}),
        ["choose 1", "choose 2"],
        seats=3,
        domains={0: "zeus-io"},
    ),
    row(
        "in the order after the owner",
        "power athena-penelope",
        then(seat=2, prompt="choose athena-penelope"),
        seats=3,
        order=[0, 2, 1],
        domains={0: "zeus-io"},
    ),
    row("not without a partner", "power athena-penelope", then(refused=True)),
    row(
        "two for 1 less, 3 VP, then each opponent one",
        "take athena-odysseus",
        then(gold={0: -1, 1: -1}, vp={0: 3, 1: 0}, elysium={0: [["zeus-leda"], ["zeus-io"]], 1: [["hades-lethe"]]}),
        ["transfer zeus-leda", "transfer zeus-io", "place new", "transfer hades-lethe"],
        domains={0: "zeus-leda zeus-io", 1: "hades-lethe"},
        gold={0: 1, 1: 2},
    ),
    row(
        "the opponent pays the own gold with the own discount",
        "take athena-odysseus",
        then(gold={1: -1}, elysium={1: [["hades-lethe"]]}),
        ["transfer hades-lethe"],
        domains={1: "hades-lethe"},
        gold={1: 1},
    ),
    row(
        "declined by both, 3 VP all the same",
        "take athena-odysseus",
        then(gold={0: 0, 1: 0}, vp={0: 3, 1: 0}, prompt="dismiss"),
        ["skip", "skip"],
        domains={0: "zeus-io", 1: "zeus-leda"},
        gold=2,
    ),
    row(
        "who cannot pay is not asked",
        "take athena-odysseus",
        then(prompt="dismiss"),
        domains={0: "zeus-io", 1: "zeus-leda"},
    ),
    row(
        "2 gold, 1 VP; each opponent 1 gold or 1 VP",
        "power athena-arachne",
        then(gold={0: 2, 1: 1}, vp={0: 1, 1: 0}),
        ["choose 1"],
    ),
    row(
        "a card, then each opponent 1 gold or 1 VP",
        "power athena-mentor",
        then(domain=["athena-mentor", "zeus-olympia"], vp={1: 1}),
        ["take zeus-olympia", "choose 2"],
        agora="zeus-olympia zeus-io",
        columns={0: "yellow"},
    ),
    row(
        "nothing taken",
        "power athena-mentor",
        then(domain=["athena-mentor"], gold={1: 1}),
        ["skip", "choose 1"],
        agora="zeus-olympia zeus-io",
    ),
    row("nothing to take", "power athena-mentor", then(seat=1, prompt="choose athena-mentor"), quests={1: 1}),
    row(
        "8 VP; each opponent 2 gold or 2 VP",
        "take athena-nike",
        then(vp={0: 8, 1: 0, 2: 2}, gold={1: 2, 2: 0}),
        ["choose 1", "choose 2"],
        seats=3,
    ),
    row(
        "2 VP a family in Legends",
        "chronos athena-parthenon",
        then(chronos=4),
        elysiums={0: "athena-parthenon hades-helm, zeus-leda"},
    ),
    row(
        "at most 8",
        "chronos athena-parthenon",
        then(chronos=8),
        elysiums={0: "athena-parthenon hades-helm zeus-olympia poseidon-trident hephaestus-pandora"},
    ),
    row(
        "each opponent with a complete family Legend 2, Citizens included",
        "chronos athena-parthenon",
        then(chronos={0: 4, 1: 2, 2: 0}),
        seats=3,
        elysiums={
            0: "athena-parthenon hades-helm",
            1: "zeus-leda zeus-io citizen",
            2: "hephaestus-anvil hades-charon zeus-semele",
        },
    ),
    row("two different of three", "power athena-palladium", then(gold={0: 2, 1: 1}, vp=2), ["choose 1", "choose 1"]),
    row(
        "not the same twice",
        "power athena-palladium",
        then(codes=["choose 2", "choose 3"]),
        ["choose 1"],
        domains={0: "zeus-leda"},
    ),
    row(
        "what has become legal by the first one",
        "power athena-palladium",
        then(gold=1, elysium=[["zeus-leda"]], prompt="choose athena-palladium"),
        ["choose 1", "choose 3", "transfer zeus-leda"],
        domains={0: "zeus-leda"},
    ),
    row("nothing when it is taken", "take athena-aegis", then(vp=0, gold={1: 0})),
    row(
        "one card only",
        "step athena-telemachus",
        then(prompt="write", gold={1: 1}),
        ["transfer zeus-leda"],
        domains={0: "zeus-leda zeus-semele"},
        gold=5,
    ),
    row(
        "two at most, and one of each opponent",
        "take athena-odysseus",
        then(prompt="dismiss"),
        ["transfer zeus-leda", "transfer zeus-io", "place new", "transfer hades-charon"],
        domains={0: "zeus-leda zeus-io zeus-europa", 1: "hades-charon hades-asphodel"},
        gold=9,
    ),
    row(
        "1 VP, and only one of the two",
        "power athena-arachne",
        then(gold={1: 0}, vp={1: 1}, seat=0),
        ["choose 2"],
        agora="zeus-io zeus-leda",
    ),
    row(
        "only one of the two",
        "power athena-mentor",
        then(gold={1: 1}, vp={1: 0}, seat=0),
        ["skip", "choose 1"],
        agora="zeus-io zeus-leda",
    ),
    row(
        "no more than two, one card, one gift",
        "power athena-palladium",
        then(vp={0: 2, 1: 1}, gold={0: -1, 1: 0}, seat=0),
        ["choose 2", "choose 3", "transfer zeus-leda", "choose 2"],
        domains={0: "zeus-leda zeus-semele"},
        gold=5,
        agora="zeus-io zeus-themis",
    ),
    row(
        "nobody's Legend of two is complete",
        "chronos athena-parthenon",
        then(chronos={0: 4, 1: 0}),
        elysiums={0: "athena-parthenon hades-helm", 1: "zeus-leda zeus-io"},
    ),
]


@pytest.mark.parametrize(("play", "given", "do", "expected"), ROWS)
def test_a_card_does_what_it_says(play: str, given: Mapping[str, Any], do: Sequence[str], expected: Then) -> None:
    check(play, given, do, expected)
