"""Card sets drawn by lot: every step of the vocabulary, with every word that a set may have there.

The frame and the ids are the house set's. What is drawn follows from `forms.py`, so a new word is in it by itself.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from agon_engine.core import Chance
from agon_engine.elysium import vocabulary as v
from agon_engine.elysium.card_set import CardSet
from agon_engine.elysium.cards import HOUSE
from agon_engine.elysium.checking import mistakes_in_card
from agon_engine.elysium.enums import Activation
from agon_engine.elysium.forms import (
    ACTIVATIONS,
    CONDITION,
    FILTER,
    QUANTITY,
    STEP,
    STEP_FORMS,
    STEPS,
    Form,
    default,
    quantity_parts,
)
from agon_engine.elysium.words import Comparison, Counter, Kind, Resource

DEEPEST = 3
"""Steps inside each other."""
_ACTIVATIONS = tuple(activation for activation in Activation if activation)


def any_set(chance: Chance) -> CardSet:
    """Return a set without mistakes."""
    return replace(HOUSE, cards=tuple(_card(card, chance) for card in HOUSE.cards))


def _card(card: v.Card, chance: Chance) -> v.Card:
    card = replace(card, activation=chance.choice("activation", _ACTIVATIONS))
    return replace(card, effect=_Drawing(chance)._step(card, DEEPEST))


class _Drawing:
    def __init__(self, chance: Chance) -> None:
        self._chance = chance

    def _step(self, card: v.Card, depth: int) -> v.Step:
        """Draw steps until there is one that the card may have."""
        while True:
            kind, parts = self._chance.choice("step", tuple(STEP_FORMS.values()))
            if not depth and any(form in (STEP, STEPS) for _, _, form in parts):
                continue

            # What may stand in an `on` may stand on a Chronos card.
            inner = replace(card, activation=Activation.CHRONOS) if kind is v.On else card
            values = {part.attribute: self._part(kind, part.attribute, part.form, inner, depth) for part in parts}
            step = self._made(kind, values)
            if not any(mistakes_in_card(replace(card, effect=step))):
                return step

    def _made(self, kind: type[v.Step], values: dict[str, Any]) -> v.Step:
        if kind is v.Seq:
            return v.Seq(*values["steps"])
        if kind is v.Choose:
            return v.Choose(*values["options"], n=values["n"])
        return kind(**values)

    def _part(self, kind: type[v.Step], attribute: str, form: Form, card: v.Card, depth: int) -> Any:
        if default(kind, attribute) is None and self._chance.below("unset", 2):
            return None
        if form == STEP:
            return self._step(card, depth - 1)
        if form == STEPS:
            return [self._step(card, depth - 1) for _ in range(1 + self._chance.below("steps", 3))]
        if form == QUANTITY:
            return self._quantity()
        if form == CONDITION:
            return self._condition()
        if form == FILTER:
            return self._filter()
        if form == ACTIVATIONS:
            return self._some(_ACTIVATIONS)
        if isinstance(form, tuple):
            return self._some(tuple(form[0]))
        if isinstance(form, str):
            return 1 + self._chance.below("number", 4)
        return self._chance.choice("word", tuple(form))

    def _some(self, words: tuple[Any, ...]) -> tuple[Any, ...]:
        """Draw one to three different words."""
        left = list(words)
        self._chance.shuffle("words", left)
        return tuple(left[: 1 + self._chance.below("words", 3)])

    def _quantity(self) -> v.Quantity:
        chance = self._chance
        if chance.below("plain", 2):
            return chance.below("number", 6) - 1

        counter = chance.choice("counter", tuple(Counter))
        values = {part.attribute: self._counted(part.attribute, part.form) for part in quantity_parts(counter)}
        return v.Per(**{**values, "counter": counter})

    def _counted(self, attribute: str, form: Form) -> Any:
        if form == FILTER:
            return self._filter()
        if isinstance(form, str):
            return self._chance.below(attribute, 6) - 1 if attribute in ("times", "plus") else 8
        return self._chance.choice("word", tuple(form))

    def _condition(self) -> v.Condition:
        kind = self._chance.below("condition", 4)
        if kind < 2:
            resource = self._chance.choice("resource", tuple(Resource))
            return v.NoneBelow(resource) if kind else v.NoneAbove(resource)

        return v.Compare(self._quantity(), self._chance.choice("how", tuple(Comparison)), self._quantity())

    def _filter(self) -> v.Filter:
        chance = self._chance
        if chance.below("plain", 2):
            return v.Filter()

        return v.Filter(
            kind=chance.choice("kind", tuple(Kind)),
            level_min=chance.below("level", 3),
            level_max=chance.below("level", 4),
            activation=self._some(_ACTIVATIONS) if chance.below("activation", 2) else (),
            not_source=bool(chance.below("source", 2)),
        )
