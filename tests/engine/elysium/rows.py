"""Card tests as table rows: given a position, play, then look at what is different.

A row is `row("what it shows", "take zeus-leda", then(vp=2), domains={0: "hades-charon"})`. `take` lays the card in the
Agora, `power` in the Domain of seat 0; `step` in a step of Phase III, `chronos` in a Legend at the end. `do` plays on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from tests.engine.elysium.positions import Table, lay_out

from agon_engine.elysium.enums import Phase

Then = Mapping[str, Any]


def then(**expected: Any) -> Then:
    """What a row expects: `vp`, `gold` and `pp` as differences (of seat 0, or by seat); other words as they are read
    from the table; `lists` and `lacks` codes of the open decision; `refused=True`: the play is not listed."""
    return expected


def row(what: str, play: str, expected: Then, do: Sequence[str] = (), **given: Any) -> Any:
    return pytest.param(play, given, do, expected, id=f"{play.split()[1]}: {what}")


def check(play: str, given: Mapping[str, Any], do: Sequence[str], expected: Then) -> None:
    """Play a row and compare."""
    table = position(play, given)
    if "refused" in expected:
        assert table.seat in (0, None) or play.startswith("step")
        assert play.replace("step", "power") not in (table.codes if table.seat == 0 else ())
        return

    before = [(table.gold(seat), table.vp(seat), table.pp(seat)) for seat in range(table.state.seats)]
    pieces = table.counts
    if play.startswith("chronos"):
        outcome = table.state.standing()
        parts = [dict(parts) for parts in outcome.parts]
        for word, value in expected.items():
            wanted = value if isinstance(value, dict) else {0: value}
            assert wanted == {seat: parts[seat][word] for seat in wanted}, word
        return

    table.do(play.replace("step", "power"), *do)

    assert pieces == table.counts
    for word, value in expected.items():
        if word in ("gold", "vp", "pp"):
            index = ("gold", "vp", "pp").index(word)
            wanted = value if isinstance(value, dict) else {0: value}
            after = [(table.gold(seat), table.vp(seat), table.pp(seat)) for seat in range(table.state.seats)]
            assert wanted == {seat: after[seat][index] - before[seat][index] for seat in wanted}, word
        elif word == "lists":
            assert set(value) <= set(table.codes), table.codes
        elif word == "lacks":
            assert not set(value) & set(table.codes), table.codes
        elif word in ("domain", "elysium"):
            wanted = value if isinstance(value, dict) else {0: value}
            assert wanted == {seat: getattr(table, word)(seat) for seat in wanted}, word
        elif word in ("turned", "ring"):
            read = table.is_turned if word == "turned" else table.has_ring
            assert value == {name: read(name) for name in value}, word
        elif word == "columns":
            assert value == table.columns()
        else:
            assert value == getattr(table, word), word


def position(play: str, given: Mapping[str, Any]) -> Table:
    verb, name = play.split()[:2]
    laid = dict(given)
    if verb == "take":
        laid["agora"] = f"{name} {laid.get('agora', '')}"
    elif verb == "chronos":
        elysiums = dict(laid.get("elysiums", {}))
        laid["elysiums"] = elysiums
        laid |= {"phase": Phase.LEGENDS, "epoch": 5, "quests": {seat: seat + 1 for seat in range(laid.get("seats", 2))}}
    else:
        domains = dict(laid.get("domains", {}))
        domains[0] = f"{name} {domains.get(0, '')}"
        laid["domains"] = domains
        if verb == "step":
            quests = {seat: seat + 1 for seat in range(laid.get("seats", 2))}
            laid = {"phase": Phase.LEGENDS, "quests": quests, **laid}
    return lay_out(**laid)
