"""Games with one card of the house set changed, for steps and limits that no card of it shows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.engine.elysium.positions import Table, lay_out

from agon_engine.elysium import Elysium, game_with
from agon_engine.elysium.cards import HOUSE
from agon_engine.elysium.checking import mistakes_in
from agon_engine.elysium.enums import Activation
from agon_engine.elysium.vocabulary import Step

POWER = "power zeus-semele"
"""What uses the card that `trying` lays out."""


def with_effect(effect: Step, activation: Activation = Activation.ACTIVATE, card_id: str = "zeus-semele") -> Elysium:
    """Return the game with another effect on a card."""
    cards = tuple(
        replace(card, effect=effect, activation=activation) if card.id == card_id else card for card in HOUSE.cards
    )
    changed = replace(HOUSE, cards=cards)
    assert mistakes_in(changed) == []
    return game_with(changed)


def trying(effect: Step, **position: Any) -> Table:
    """Lay out a position in which zeus-semele of seat 0 has this effect as its Activate power."""
    domains = dict(position.pop("domains", {}))
    domains[0] = f"zeus-semele {domains.get(0, '')}"
    fixed = {"agora": "zeus-leda hades-charon", "game": with_effect(effect), "domains": domains}
    return lay_out(**{**fixed, **position})
