"""Reading a card set from JSON (README, *Card sets*): all mistakes are listed, each with its card and what is allowed.

What is well formed is then judged by `checking.py`; here it is only read.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import MISSING
from typing import Any, Final, NoReturn

from agon_engine.elysium import vocabulary as v
from agon_engine.elysium.card_set import CardSet, Quest
from agon_engine.elysium.checking import MOST, MOST_VERSION, mistakes_in
from agon_engine.elysium.enums import COLOURS, Colour, Family
from agon_engine.elysium.forms import (
    ACTIVATION_WORDS,
    ACTIVATIONS,
    CONDITION,
    FILTER,
    FILTER_PARTS,
    LIMIT,
    QUANTITY,
    QUANTITY_PARTS,
    STEP,
    STEP_FORMS,
    STEPS,
    USES,
    Form,
    Part,
    default,
    quantity_parts,
)
from agon_engine.elysium.words import VP, Comparison, Counter, Resource

_FAMILIES: Final = {family.name.capitalize(): family for family in Family if family}
_SYMBOLS: Final = {colour.name.lower(): colour for colour in (*COLOURS, Colour.ANY)}
_COLUMNS: Final = {colour.name.lower(): colour for colour in COLOURS}
_SIDES: Final = ("side_A", "side_B")
_PLAIN: Final = v.Gain(VP, 0)
"""Stands in for an effect that cannot be read, so that the rest of the file is read too."""
MAX_DEPTH: Final = 16
"""Steps inside each other; the house set has no more than a third of that."""
MAX_MISTAKES: Final = 1_000
"""More of them are not listed: the file is something else."""
MAX_ID: Final = 40
MAX_NAME: Final = 60
MAX_TEXT: Final = 1_000
"""Characters."""
_SHOWN: Final = 80
"""Characters of a wrong value that a mistake shows."""


class CardSetError(ValueError):
    """A card file that makes no set; `mistakes` lists everything that is wrong with it."""

    def __init__(self, mistakes: Sequence[str]) -> None:
        super().__init__("\n".join(mistakes))
        self.mistakes = tuple(mistakes)


def read_set(text: str) -> CardSet:
    """Return the set of a card file. Raise CardSetError with all its mistakes."""
    try:
        data = json.loads(text, object_pairs_hook=_without_doubles, parse_constant=_no_constant)
    except RecursionError:
        raise CardSetError(["the file is no card set: it is nested too deeply"]) from None
    except ValueError as error:
        raise CardSetError([f"the file is no JSON: {error}"]) from None

    reader = _Reader()
    try:
        cards = reader.card_set(data)
    except _TooManyError:
        raise CardSetError([*reader.mistakes, f"and more: only the first {MAX_MISTAKES} are listed"]) from None

    # What stands in for a value that cannot be read is no mistake of the file.
    mistakes = [*reader.mistakes, *mistakes_in(cards, reader.unreadable)]
    if mistakes:
        raise CardSetError(mistakes)

    return cards


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"an object has the key {_short(key)} twice")
        found[key] = value
    return found


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"no number is {name!r}")


def _short(value: Any) -> str:
    """Return a value as a mistake shows it: in one line, and not all of a long one."""
    if isinstance(value, dict | list):
        return f"{'an object' if isinstance(value, dict) else 'a list'} of {len(value)}"

    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 2]} …"


class _TooManyError(Exception):
    """There are so many mistakes that the others are not looked for."""


class _Reader:
    """Reads values, noting what is wrong and going on."""

    def __init__(self) -> None:
        self.mistakes: list[str] = []
        self.at = "the file"
        """The card, or the part of the file, that is being read."""
        self.unreadable: set[str] = set()
        """What has mistakes, by `at`."""
        self._depth = 0
        """Of the step that is being read."""

    def _note(self, mistake: str) -> None:
        self.mistakes.append(f"{self.at}: {mistake}")
        self.unreadable.add(self.at)
        if len(self.mistakes) >= MAX_MISTAKES:
            raise _TooManyError

    # -- the file --------------------------------------------------------------------------------------------

    def card_set(self, data: Any) -> CardSet:
        data = self._dict(data, "the file")
        status = self._text(data.get("status", "house"), "status", MAX_NAME)
        version = self._int(data.get("version", 1), "version", MOST_VERSION)
        rows = self._list(data.get("cards"), "cards")
        cards = tuple(self._card(row, number) for number, row in enumerate(rows, 1))
        self.at = "quests"
        quests = self._dict(data.get("quests"), "quests")
        two = tuple(self._quest(row) for row in self._list(quests.get("players_2"), "players_2"))
        more = tuple(self._quest(row) for row in self._list(quests.get("players_3_4"), "players_3_4"))
        incomplete = self._quest({"number": 0, **self._dict(quests.get("incomplete"), "incomplete")})
        self.at = "pediment"
        pediment = self._dict(data.get("pediment"), "pediment")
        sides = tuple(self._words(pediment.get(side), _COLUMNS, side) for side in _SIDES)
        pairs = self._dict(pediment.get("two_players"), "two_players")
        sides_two = tuple(
            tuple(self._words(pair, _COLUMNS, side) for pair in self._list(pairs.get(side), f"two_players {side}"))
            for side in _SIDES
        )
        self.at = "level_bonus"
        bonus = self._dict(data.get("level_bonus"), "level_bonus")
        values = tuple(self._int(bonus.get(str(level)), f"level {level}") for level in (1, 2, 3))
        return CardSet(status, version, cards, two, more, incomplete, sides, sides_two, values)

    def _card(self, row: Any, number: int) -> v.Card:
        self.at = f"card {number}"
        row = self._dict(row, "a card")
        card_id = self._text(row.get("id"), "id", MAX_ID)
        if card_id:
            self.at = card_id
        return v.Card(
            id=self.at,
            name=self._text(row.get("name"), "name", MAX_NAME),
            family=self._word(row.get("family"), _FAMILIES, "family"),
            level=self._int(row.get("level"), "level"),
            copies=self._int(row.get("copies"), "copies"),
            columns=self._words(row.get("columns"), _SYMBOLS, "columns"),
            activation=self._word(row.get("activation"), ACTIVATION_WORDS, "activation"),
            text=self._text(row.get("text"), "text", MAX_TEXT),
            effect=self._step(row.get("effect"), "effect"),
            estimate=self._estimate(row.get("estimate", 0)),
        )

    def _quest(self, row: Any) -> Quest:
        row = self._dict(row, "a quest")
        number, gold, vp, transfers = (self._int(row.get(key), key) for key in ("number", "gold", "vp", "transfers"))
        return Quest(number, gold, vp, transfers, self._text(row.get("status", "house"), "status", MAX_NAME))

    # -- the vocabulary --------------------------------------------------------------------------------------

    def _step(self, data: Any, path: str) -> v.Step:
        data = self._dict(data, path)
        op = data.get("op")
        if not isinstance(op, str) or op not in STEP_FORMS:
            self._wrong(f"{path}.op", STEP_FORMS, op)
            return _PLAIN
        if self._depth == MAX_DEPTH:
            self._note(f"effect has more than {MAX_DEPTH} steps inside each other")
            return _PLAIN

        kind, parts = STEP_FORMS[op]
        self._depth += 1
        values = self._values(data, kind, parts, path, {"op"})
        self._depth -= 1
        if kind is v.Seq:
            return v.Seq(*values["steps"])
        if kind is v.Choose:
            return v.Choose(*values["options"], n=values["n"])
        return kind(**values)

    def _values(
        self, data: dict[str, Any], kind: type[Any], parts: tuple[Part, ...], path: str, known: set[str]
    ) -> dict[str, Any]:
        keys = {part.key for part in parts} | known
        for key in data:
            if key not in keys:
                self._note(f"{path} has the fields {', '.join(sorted(keys))}, and not {_short(key)}")
        values = {}
        for key, attribute, form in parts:
            unset = default(kind, attribute)
            if key in data:
                values[attribute] = self._value(data[key], form, f"{path}.{key}")
            elif unset is not MISSING:
                values[attribute] = unset
            else:
                self._note(f"{path} lacks {key!r} ({_told(form)})")
                values[attribute] = self._value(_stand_in(form), form, path)
        return values

    def _value(self, data: Any, form: Form, path: str) -> Any:
        if isinstance(form, tuple):
            return self._words(data, {str(word): word for word in form[0]}, path)
        if not isinstance(form, str):
            return self._word(data, {str(word): word for word in form}, path)
        if form == STEP:
            return self._step(data, path)
        if form == STEPS:
            return tuple(self._step(item, f"{path}[{i}]") for i, item in enumerate(self._list(data, path)))
        if form == QUANTITY:
            return self._quantity(data, path)
        if form == CONDITION:
            return self._condition(data, path)
        if form == FILTER:
            return self._filter(data, path)
        if form == ACTIVATIONS:
            return self._words(data, ACTIVATION_WORDS, path)
        if form == USES and data == "all":
            return None
        if form == LIMIT:
            limit = self._dict(data, path)
            if limit.get("per") != "epoch":
                self._wrong(f"{path}.per", ["epoch"], limit.get("per"))
            return self._int(limit.get("n"), f"{path}.n")
        return self._int(data, path)

    def _filter(self, data: Any, path: str) -> v.Filter:
        data = self._dict(data, path)
        values = self._values(data, v.Filter, FILTER_PARTS, path, {"not_source"})
        if data.get("not_source", True) is not True:
            self._wrong(f"{path}.not_source", ["true"], data["not_source"])
        return v.Filter(**values, not_source="not_source" in data)

    def _quantity(self, data: Any, path: str) -> v.Quantity:
        if isinstance(data, dict):
            counter = next((word for word in Counter if word == data.get("per")), None)
            parts = QUANTITY_PARTS if counter is None else quantity_parts(counter)
            return v.Per(**self._values(data, v.Per, parts, path, set()))

        return self._int(data, path)

    def _condition(self, data: Any, path: str) -> v.Condition:
        data = self._dict(data, path)
        resources = {str(word): word for word in Resource}
        if "none_below" in data:
            return v.NoneBelow(self._word(data["none_below"], resources, f"{path}.none_below"))
        if "none_above" in data:
            return v.NoneAbove(self._word(data["none_above"], resources, f"{path}.none_above"))

        items = data.get("cmp")
        if not isinstance(items, list) or len(items) != 3:
            self._wrong(path, ["cmp: [quantity, comparison, quantity]", "none_below", "none_above"], data)
            return v.NoneBelow(VP)
        how = self._word(items[1], {str(word): word for word in Comparison}, f"{path}.cmp[1]")
        return v.Compare(self._quantity(items[0], f"{path}.cmp[0]"), how, self._quantity(items[2], f"{path}.cmp[2]"))

    # -- plain values ----------------------------------------------------------------------------------------

    def _wrong(self, path: str, allowed: Any, value: Any) -> None:
        self._note(f"{path} is one of {', '.join(map(str, allowed))}, not {_short(value)}")

    def _dict(self, data: Any, path: str) -> dict[str, Any]:
        if isinstance(data, dict):
            return data

        self._note(f"{path} is an object, not {_short(data)}")
        return {}

    def _list(self, data: Any, path: str) -> list[Any]:
        if isinstance(data, list):
            return data

        self._note(f"{path} is a list, not {_short(data)}")
        return []

    def _int(self, data: Any, path: str, most: int = MOST) -> int:
        if isinstance(data, int) and not isinstance(data, bool) and abs(data) <= most:
            return data

        self._note(f"{path} is a whole number from -{most} to {most}, not {_short(data)}")
        return 0

    def _text(self, data: Any, path: str, most: int) -> str:
        if isinstance(data, str) and data.isprintable() and 1 <= len(data) <= most:
            return data

        self._note(f"{path} is a text of 1 to {most} printable characters, not {_short(data)}")
        return ""

    def _estimate(self, data: Any) -> float:
        if isinstance(data, int | float) and not isinstance(data, bool) and -MOST <= data <= MOST:
            return float(data)

        self._note(f"estimate is a number from -{MOST} to {MOST}, not {_short(data)}")
        return 0.0

    def _word(self, data: Any, words: dict[str, Any], path: str) -> Any:
        if isinstance(data, str) and data in words:
            return words[data]

        self._wrong(path, words, data)
        return next(iter(words.values()))

    def _words(self, data: Any, words: dict[str, Any], path: str) -> tuple[Any, ...]:
        return tuple(self._word(item, words, f"{path}[{i}]") for i, item in enumerate(self._list(data, path)))


def _told(form: Form) -> str:
    if isinstance(form, str):
        return form
    words = form[0] if isinstance(form, tuple) else form
    return " | ".join(str(word) for word in words)


def _stand_in(form: Form) -> Any:
    """Return something that can be read in the place of what is missing."""
    if isinstance(form, tuple) or form in (STEPS, ACTIVATIONS):
        return []
    if not isinstance(form, str):
        return str(next(iter(form)))
    if form in (STEP, CONDITION):
        return {"op": "take_citizen"} if form == STEP else {"none_below": "vp"}
    return {} if form == FILTER else {"n": 1, "per": "epoch"} if form == LIMIT else 0
