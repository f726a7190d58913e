"""The rows of all families together: no clause of a card is left without one."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import Any

import pytest
from tests.engine.elysium.rows import check

from agon_engine.elysium import GAME
from agon_engine.elysium.enums import Activation, Family
from agon_engine.elysium.tables import Node
from agon_engine.elysium.vocabulary import Card

ROWS = [
    row
    for family in Family
    if family
    for row in import_module(f"tests.engine.elysium.cards.test_{family.name.lower()}").ROWS
]
ELSEWHERE = {"athena-aegis": "what it does at the income: test_epoch"}


def clauses(card: Card) -> Iterator[int]:
    """Yield the steps of a card that hold no others and are resolved, by number; what a Permanent card just is, is not
    resolved."""
    nodes = GAME.tables.nodes
    design = GAME.cards.cards.index(card) + 1
    waiting = [GAME.tables.effect[design]]
    while waiting:
        node = nodes[waiting.pop()]
        waiting += node.kids
        if not node.kids and not (card.activation is Activation.PERMANENT and not _happens(node, design)):
            yield node.number


def _happens(node: Node[Any], design: int) -> bool:
    passive = GAME.tables.passive[design]
    assert passive is not None
    return any(node.number in _inside(on.number) for on in passive.on)


def _inside(number: int) -> set[int]:
    kids = GAME.tables.nodes[number].kids
    return set(kids).union(*map(_inside, kids))


def test_every_clause_of_every_card_is_resolved_in_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    resolved: set[int] = set()

    def noting(node: Node[Any]) -> Any:
        run = node.run

        def noted(*arguments: Any) -> None:
            resolved.add(node.number)
            run(*arguments)

        return noted

    for node in GAME.tables.nodes:
        monkeypatch.setattr(node, "run", noting(node))
    for row in ROWS:
        check(*row.values)
    missing = {card.id for card in GAME.cards.cards if not resolved.issuperset(clauses(card))}

    assert missing == set(ELSEWHERE)


def test_every_permanent_card_is_in_a_row() -> None:
    laid = " ".join(str(row.values) for row in ROWS)
    permanent = [card for card in GAME.cards.cards if card.activation is Activation.PERMANENT]

    assert [card.id for card in permanent if card.id not in laid] == []
