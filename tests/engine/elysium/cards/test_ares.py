"""The Ares cards, clause by clause."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from tests.engine.elysium.rows import Then, check, row, then

ROWS = [
    row("3 PP, and 1 gold where nobody has more", "take ares-phobos", then(pp=3, gold=1), pp={1: 3}),
    row("no gold where somebody has more", "take ares-phobos", then(pp=3, gold=0), pp={1: 4}),
    row("1 PP", "power ares-myrmidons", then(pp=1, prompt="turn"), agora="zeus-io zeus-leda"),
    row("2 more for 1 gold", "power ares-myrmidons", then(pp=3, gold=-1), ["pay"], gold=1),
    row("which can be declined", "power ares-myrmidons", then(pp=1, gold=0), ["skip"], gold=1),
    row(
        "a card of the Agora goes, PP by its level, the next comes",
        "power ares-stymphalides",
        then(pp=3, discard=["zeus-olympia"], agora=["zeus-io", "zeus-leda"]),
        ["move zeus-olympia"],
        agora="zeus-olympia zeus-io",
        deck="zeus-leda",
    ),
    row(
        "not what another has reserved",
        "power ares-stymphalides",
        then(codes=["move zeus-semele", "move zeus-io"]),
        agora="zeus-olympia zeus-io zeus-semele",
        reserved={1: "zeus-olympia"},
        deck="zeus-leda",
    ),
    row(
        "nothing but the new card where none is there",
        "power ares-stymphalides",
        then(refused=True),
        quests={0: 1},
        deck="zeus-leda",
    ),
    row(
        "without a draw pile the discarded card comes back",
        "power ares-stymphalides",
        then(pp=1, agora=["zeus-leda"], discard=[]),
        agora="zeus-leda",
        deck="",
    ),
    row("2 PP for a level 3 card", "take zeus-olympia", then(pp=2), domains={0: "ares-hippolyta"}),
    row("no other level", "take zeus-io", then(pp=0), domains={0: "ares-hippolyta"}),
    row("not an opponent's take", "take zeus-olympia", then(pp={0: 0, 1: 0}), domains={1: "ares-hippolyta"}),
    row("5 PP, each opponent loses 1", "take ares-spartoi", then(pp={0: 5, 1: -1, 2: 0}), seats=3, pp={1: 2}),
    row("not a shielded one", "take ares-spartoi", then(pp={0: 5, 1: 0}), pp={1: 2}, domains={1: "athena-aegis"}),
    row(
        "1 PP, 1 gold, and 1 PP of an opponent",
        "power ares-deimos",
        then(pp={0: 2, 1: 0, 2: -1}, gold=1),
        ["seat 2"],
        seats=3,
        pp={1: 1, 2: 1},
    ),
    row(
        "only of who has PP, or of nobody",
        "power ares-deimos",
        then(codes=["seat 2", "skip"], prompt="pick ares-deimos"),
        seats=3,
        pp={2: 1},
    ),
    row("declined", "power ares-deimos", then(pp={0: 1, 1: 0}, gold=1), ["skip"], pp={1: 1}),
    row("nobody has any", "power ares-deimos", then(pp=1, gold=1, prompt="turn"), agora="zeus-io zeus-leda"),
    row(
        "4 PP; each opponent 1 PP or 1 VP",
        "power ares-enyo",
        then(pp={0: 4, 1: 0}, vp={1: -1}),
        ["choose 2"],
        domains={0: "zeus-io"},
        pp={1: 1},
        vp={1: 1},
    ),
    row("what there is", "power ares-enyo", then(pp={0: 4, 1: -1}, vp={1: 0}), domains={0: "zeus-io"}, pp={1: 1}),
    row(
        "2 PP a Legend before the ranking",
        "chronos ares-areopagus",
        then(prestige={0: 16, 1: 8}),
        pp={0: 0, 1: 1},
        elysiums={0: "ares-areopagus zeus-io, zeus-leda"},
    ),
    row(
        "at most 8",
        "chronos ares-areopagus",
        then(prestige={0: 12, 1: 12}),
        pp={0: 0, 1: 8},
        elysiums={
            0: (
                "ares-areopagus zeus-io, zeus-leda hades-charon, athena-olive athena-nike, "
                "zeus-olympia hades-helm, hades-lethe athena-arachne"
            ),
        },
    ),
    row(
        "7 PP; each opponent 2 PP or 2 VP",
        "take ares-penthesilea",
        then(pp={0: 7, 1: -2, 2: 0}, vp={1: 0, 2: -1}),
        ["choose 1", "choose 2"],
        seats=3,
        pp={1: 5, 2: 3},
        vp={1: 5, 2: 1},
    ),
    row("2 PP without a transfer", "step ares-ajax", then(pp=2)),
    row(
        "2 PP a Family card of an opponent's Domain",
        "power ares-troy",
        then(pp={0: 4, 1: 0}),
        ["seat 1"],
        seats=3,
        domains={1: "zeus-io zeus-leda citizen", 2: "zeus-semele"},
    ),
    row(
        "at most 10",
        "power ares-troy",
        then(pp=10),
        domains={1: "zeus-io zeus-leda zeus-semele zeus-themis zeus-metis zeus-olympia"},
    ),
    row("not where nobody has a Family card", "power ares-troy", then(refused=True), domains={1: "citizen"}),
    row(
        "only who has a Family card can be picked",
        "power ares-troy",
        then(pp=2),
        seats=3,
        domains={1: "citizen", 2: "zeus-semele"},
    ),
    row("1 PP, no more", "power ares-deimos", then(pp={0: 2, 1: -1}), ["seat 1"], pp={1: 4}),
    row(
        "1 of each, no more",
        "power ares-enyo",
        then(pp={1: 0, 2: -1}, vp={1: -1, 2: 0}),
        ["choose 2", "choose 1"],
        seats=3,
        domains={0: "zeus-io"},
        pp=4,
        vp=4,
    ),
    row(
        "2 PP a Legend, exactly",
        "chronos ares-areopagus",
        then(prestige={0: 12, 1: 12}),
        pp={1: 4},
        elysiums={0: "ares-areopagus zeus-io, zeus-leda hades-charon"},
    ),
    row("2 VP, no more", "take ares-penthesilea", then(pp={1: 0}, vp={1: -2}), ["choose 2"], pp={1: 5}, vp={1: 5}),
    row(
        "2 PP more a transfer",
        "step hades-sisyphus",
        then(pp=4),
        ["transfer zeus-leda", "power ares-ajax"],
        domains={0: "ares-ajax zeus-leda"},
        gold=5,
    ),
    row(
        "at most 6",
        "step hades-sisyphus",
        then(pp=6),
        [
            "transfer zeus-leda",
            "transfer athena-olive",
            "place new",
            "transfer poseidon-triton",
            "place new",
            "power ares-ajax",
        ],
        domains={0: "ares-ajax zeus-leda athena-olive poseidon-triton"},
        gold=9,
        quests={0: 2, 1: 1},
    ),
]


@pytest.mark.parametrize(("play", "given", "do", "expected"), ROWS)
def test_a_card_does_what_it_says(play: str, given: Mapping[str, Any], do: Sequence[str], expected: Then) -> None:
    check(play, given, do, expected)
