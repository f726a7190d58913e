"""The Hermes cards, clause by clause."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from tests.engine.elysium.rows import Then, check, row, then

ROWS = [
    row(
        "either an own instant of level 1 again",
        "take hermes-tortoise-lyre",
        then(gold=3),
        ["choose 1"],
        domains={0: "hephaestus-anvil"},
    ),
    row("or 2 gold", "take hermes-tortoise-lyre", then(gold=2), ["choose 2"], domains={0: "hephaestus-anvil"}),
    row(
        "2 gold at once with nothing to use",
        "take hermes-tortoise-lyre",
        then(gold=2, prompt="dismiss"),
        domains={0: "zeus-europa"},
    ),
    row(
        "no effect that holds reuse",
        "take hermes-tortoise-lyre",
        then(gold=2, prompt="dismiss"),
        domains={0: "hermes-pan"},
    ),
    row(
        "either straighten a turned card",
        "power hermes-petasos",
        then(gold=0, turned={"zeus-semele": False, "hermes-petasos": True}),
        ["choose 1"],
        domains={0: "zeus-semele"},
        turned="zeus-semele",
    ),
    row(
        "or 1 gold",
        "power hermes-petasos",
        then(gold=1, turned={"zeus-semele": True}),
        ["choose 2"],
        domains={0: "zeus-semele"},
        turned="zeus-semele",
    ),
    row(
        "neither itself nor level 3 nor what is upright",
        "power hermes-petasos",
        then(gold=1, prompt="turn"),
        domains={0: "zeus-olympia zeus-semele"},
        turned="zeus-olympia",
        agora="zeus-io zeus-leda",
    ),
    row(
        "not one that holds reuse or recharge",
        "power hermes-petasos",
        then(gold=1, prompt="turn"),
        domains={0: "hermes-pan hermes-talaria"},
        turned="hermes-pan hermes-talaria",
        agora="zeus-io zeus-leda",
    ),
    row(
        "either an opponent's power of level 1",
        "power hermes-battus",
        then(gold=3, ring={"hermes-battus": False}),
        ["choose 1"],
        domains={1: "hephaestus-anvil"},
    ),
    row("or 2 VP", "power hermes-battus", then(vp=2), ["choose 2"], domains={1: "hephaestus-anvil"}),
    row(
        "instant or activate alone",
        "power hermes-battus",
        then(vp=2, prompt="turn"),
        domains={1: "zeus-amalthea zeus-dodona zeus-themis"},
        agora="zeus-io zeus-leda",
    ),
    row(
        "a turned one of theirs too",
        "power hermes-battus",
        then(codes=["reuse hephaestus-anvil", "reuse hephaestus-cedalion"]),
        ["choose 1"],
        domains={1: "hephaestus-cedalion hephaestus-anvil"},
    ),
    row(
        "each symbol once, its own too",
        "chronos hermes-maia",
        then(chronos=2),
        elysiums={0: "hermes-maia hermes-pan, zeus-leda"},
    ),
    row(
        "at most 4",
        "chronos hermes-maia",
        then(chronos=4),
        elysiums={
            0: "hermes-maia hermes-pan, zeus-leda hades-charon, zeus-semele zeus-themis, hephaestus-net hermes-battus"
        },
    ),
    row(
        "an opponent's activate of level 1 or 2, then 3 gold",
        "take hermes-argus",
        then(gold=5),
        domains={1: "hephaestus-maidens"},
    ),
    row(
        "of level 3 none",
        "take hermes-argus",
        then(gold=3, prompt="dismiss"),
        domains={1: "zeus-olympia hephaestus-anvil"},
    ),
    row(
        "either an own instant again",
        "power hermes-talaria",
        then(gold=3),
        ["choose 1"],
        domains={0: "hephaestus-anvil"},
        columns={0: "red"},
    ),
    row(
        "or a column and 1 VP",
        "power hermes-talaria",
        then(vp=1, columns="red blue"),
        ["return blue"],
        columns={0: "red"},
        agora="zeus-io zeus-leda",
    ),
    row(
        "1 VP alone with all columns standing",
        "power hermes-talaria",
        then(vp=1, prompt="turn"),
        agora="zeus-io zeus-leda",
    ),
    row(
        "either a power of Domain or Elysium",
        "power hermes-pan",
        then(codes=["reuse hephaestus-anvil", "reuse hephaestus-net"]),
        ["choose 1"],
        domains={0: "zeus-io hephaestus-net"},
        elysiums={0: "hephaestus-anvil"},
    ),
    row(
        "of one that was transferred",
        "power hermes-pan",
        then(gold=3),
        ["choose 1"],
        domains={0: "zeus-io"},
        elysiums={0: "hephaestus-anvil"},
    ),
    row(
        "or 3 gold",
        "power hermes-pan",
        then(gold=3, prompt="turn"),
        domains={0: "zeus-io hephaestus-maidens"},
        agora="zeus-leda zeus-semele",
    ),
    row(
        "without its ring all the same",
        "power hermes-pan",
        then(gold=1),
        ["choose 1"],
        domains={0: "zeus-io hephaestus-net"},
        spent="hephaestus-net",
    ),
    row("an opponent takes an instant", "take hephaestus-anvil", then(gold={1: 1}), domains={1: "hermes-cyllene"}),
    row("no other activation", "take hephaestus-cedalion", then(gold={1: 0}), domains={1: "hermes-cyllene"}),
    row("not the own take", "take hephaestus-anvil", then(gold=3), domains={0: "hermes-cyllene"}),
    row(
        "either a power of the own Elysium",
        "step hermes-caduceus",
        then(vp=1, gold=4),
        ["choose 1"],
        elysiums={0: "hephaestus-cabeiri"},
    ),
    row("or 3 VP", "step hermes-caduceus", then(vp=3), ["choose 2"], elysiums={0: "hephaestus-cabeiri"}),
    row(
        "3 VP at once with nothing there",
        "step hermes-caduceus",
        then(vp=3),
        domains={0: "hephaestus-anvil"},
        elysiums={0: "zeus-themis"},
    ),
    row(
        "a power of the Agora, then 3 gold",
        "take hermes-cattle",
        then(gold=6, agora=["hephaestus-anvil"]),
        agora="hephaestus-anvil",
    ),
    row(
        "not what another has reserved",
        "take hermes-cattle",
        then(gold=3, prompt="dismiss"),
        agora="hephaestus-anvil",
        reserved={1: "hephaestus-anvil"},
    ),
    row(
        "what is reserved for oneself",
        "take hermes-cattle",
        then(gold=6),
        agora="hephaestus-anvil",
        reserved={0: "hephaestus-anvil"},
    ),
    row("no eleusis", "take hermes-cattle", then(gold=3, prompt="dismiss"), agora="zeus-io"),
    row(
        "twice, of two cards",
        "power hermes-myrtilus",
        then(gold=5),
        ["choose 1", "reuse hephaestus-anvil", "choose 1", "choose 1"],
        domains={1: "hephaestus-anvil hephaestus-maidens"},
    ),
    row(
        "not the same card twice",
        "power hermes-myrtilus",
        then(gold=3, vp=3, prompt="turn"),
        ["choose 1"],
        domains={1: "hephaestus-anvil"},
        agora="zeus-io zeus-leda",
    ),
    row("3 VP twice", "power hermes-myrtilus", then(vp=6, prompt="turn"), agora="zeus-io zeus-leda"),
]


@pytest.mark.parametrize(("play", "given", "do", "expected"), ROWS)
def test_a_card_does_what_it_says(play: str, given: Mapping[str, Any], do: Sequence[str], expected: Then) -> None:
    check(play, given, do, expected)
