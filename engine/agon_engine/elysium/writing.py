"""A card set as JSON, in the one form that its hash is taken of."""

from __future__ import annotations

import json
from typing import Any, Final

from agon_engine.elysium import vocabulary as v
from agon_engine.elysium.card_set import CardSet, Quest
from agon_engine.elysium.enums import Activation, Colour
from agon_engine.elysium.forms import (
    ACTIVATION_WORDS,
    ACTIVATIONS,
    FILTER_PARTS,
    LIMIT,
    OPS,
    STEP_FORMS,
    STEPS,
    USES,
    Form,
    Part,
    quantity_parts,
)

_WORDS: Final = {activation: word for word, activation in ACTIVATION_WORDS.items()}


def set_text(cards: CardSet) -> str:
    """Return the text of a set's file as it is kept and sent: all ways to write the same set give the same one."""
    return json.dumps(set_object(cards), sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def set_lines(cards: CardSet) -> str:
    """Return the text of a set's file for people to change, a field a line."""
    return json.dumps(set_object(cards), indent=2, ensure_ascii=False) + "\n"


def set_object(cards: CardSet) -> dict[str, Any]:
    """Return a set as the object of its JSON file."""
    return {
        "status": cards.status,
        "version": cards.version,
        "cards": [card_object(card) for card in cards.cards],
        "quests": {
            "players_3_4": [_quest(quest) for quest in cards.quests_more],
            "players_2": [_quest(quest) for quest in cards.quests_two],
            "incomplete": {key: value for key, value in _quest(cards.incomplete).items() if key != "number"},
        },
        "pediment": {
            "side_A": _colours(cards.pediment[0]),
            "side_B": _colours(cards.pediment[1]),
            "two_players": {
                "side_A": [_colours(pair) for pair in cards.pediment_two[0]],
                "side_B": [_colours(pair) for pair in cards.pediment_two[1]],
            },
        },
        "level_bonus": {str(level): vp for level, vp in enumerate(cards.level_bonus, 1)},
    }


def card_object(card: v.Card) -> dict[str, Any]:
    return {
        "id": card.id,
        "name": card.name,
        "family": card.family.name.capitalize(),
        "level": card.level,
        "copies": card.copies,
        "columns": _colours(card.columns),
        "activation": _WORDS[card.activation],
        "effect": step_object(card.effect),
        "text": card.text,
        "estimate": card.estimate,
    }


def step_object(step: v.Step) -> dict[str, Any]:
    op = OPS[type(step)]
    return {"op": op, **_object(step, STEP_FORMS[op][1])}


def _quest(quest: Quest) -> dict[str, Any]:
    row = {"number": quest.number, "gold": quest.gold, "vp": quest.vp, "transfers": quest.transfers}
    return row if quest.status == "house" else {**row, "status": quest.status}


def _colours(colours: tuple[Colour, ...]) -> list[str]:
    return [colour.name.lower() for colour in colours]


def _object(value: Any, parts: tuple[Part, ...]) -> dict[str, Any]:
    written = {key: _written(getattr(value, attribute), form) for key, attribute, form in parts}
    return {key: item for key, item in written.items() if item is not None}


def _written(value: Any, form: Form) -> Any:
    if form == USES:
        return "all" if value is None else value
    if value is None:
        return None
    if form == LIMIT:
        return {"n": value, "per": "epoch"}
    if form == STEPS:
        return [step_object(step) for step in value]
    if form == ACTIVATIONS:
        return [_WORDS[activation] for activation in value]
    if isinstance(value, v.Step):
        return step_object(value)
    if isinstance(value, v.Filter):
        marked = {"not_source": True} if value.not_source else {}
        return _without({**_object(value, FILTER_PARTS), **marked}, {"level_min": 0, "level_max": 0, "activation": []})
    if isinstance(value, v.Per):
        return _object(value, quantity_parts(value.counter))
    if isinstance(value, v.Compare):
        return {"cmp": [_written(value.left, ""), str(value.how), _written(value.right, "")]}
    if isinstance(value, v.NoneBelow):
        return {"none_below": str(value.resource)}
    if isinstance(value, v.NoneAbove):
        return {"none_above": str(value.resource)}
    if isinstance(value, tuple):
        return [str(item) for item in value]
    return value if isinstance(value, int) else str(value)


def _without(written: dict[str, Any], unset: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in written.items() if key not in unset or value != unset[key]}


def activation_word(activation: Activation) -> str:
    """Return the word of the rules for when a power is used."""
    return _WORDS[activation]
