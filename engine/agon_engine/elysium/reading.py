"""Reading a card set from JSON (README, *Card sets*): all mistakes are listed, each with its card and what is allowed.

What is well formed is then judged by `checking.py`; here it is only read.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import MISSING
from typing import Any, Final, NoReturn

from agon_engine.elysium import vocabulary as v
from agon_engine.elysium.card_set import CardSet, Quest
from agon_engine.elysium.checking import (
    COPIES,
    LEVELS,
    MOST,
    SIDES,
    TABLE,
    VERSIONS,
    Bounds,
    bounds,
    mistakes_in,
    number_between,
)
from agon_engine.elysium.enums import COLOURS, Activation, Colour, Family
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
_PLAIN: Final = v.Gain(VP, 1)
"""Stands in for an effect that cannot be read, so that the rest of the file is read too."""
_GONE: Final = object()
"""Stands for the value of a field that is not there."""
_SIGNED: Final = (-MOST, MOST)
"""A number of a condition."""
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

_PROSE: Final = ("notes", "reason")
"""Fields that any part of a file may have, for people: they are not read."""
_FILE: Final = ("cards", "level_bonus", "pediment", "quests", "status", "version")
_FILE_PROSE: Final = (
    *("about", "conditions", "counters", "filter", "frame", "general_rules"),
    *("label", "quantity", "rulings", "termination", "vocabulary"),
)
"""What the reference file says about itself, and `about`: not read either."""
_CARD: Final = ("activation", "columns", "copies", "effect", "estimate", "family", "id", "level", "name", "text")
_CARD_PROSE: Final = ("interaction",)
_INCOMPLETE: Final = ("gold", "status", "transfers", "vp")
_QUEST: Final = (*_INCOMPLETE, "number")


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
    if not isinstance(data, dict):
        raise CardSetError([f"the file is no card set: it is an object, not {_short(data)}"])

    reader = _Reader()
    try:
        cards = reader.card_set(data)
    except _TooManyError:
        raise CardSetError([*reader.mistakes, f"and more: only the first {MAX_MISTAKES} are listed"]) from None

    mistakes = [*reader.mistakes, *mistakes_in(cards, reader.unread)]
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


def _one_of(words: Collection[Any]) -> str:
    return f"one of {', '.join(map(str, words))}"


class _TooManyError(Exception):
    """There are so many mistakes that the others are not looked for."""


class _Reader:
    """Reads values, noting what is wrong and going on."""

    def __init__(self) -> None:
        self.mistakes: list[str] = []
        self.at = "the file"
        """The card, or the part of the file, that is being read."""
        self.unread: dict[str, list[str]] = {}
        """By `at`: the paths of the fields for which something else stands in."""
        self._depth = 0
        """Of the step that is being read."""

    def _note(self, mistake: str) -> None:
        self.mistakes.append(f"{self.at}: {mistake}")
        if len(self.mistakes) >= MAX_MISTAKES:
            raise _TooManyError

    def _wrong(self, path: str, told: str, value: Any) -> None:
        """Note that a field, for which something stands in then, holds something else than what is told."""
        self.unread.setdefault(self.at, []).append(path)
        self._note(f"{path} is missing; it is {told}" if value is _GONE else f"{path} is {told}, not {_short(value)}")

    def _only(self, data: dict[str, Any], known: Collection[str], what: str, prose: Collection[str] = ()) -> None:
        for key in data:
            if key not in known and key not in prose and key not in _PROSE:
                self._note(f"{what} has the fields {', '.join(sorted(known))}, and not {_short(key)}")

    # -- the file --------------------------------------------------------------------------------------------

    def card_set(self, data: dict[str, Any]) -> CardSet:
        self._only(data, _FILE, "a set", _FILE_PROSE)
        status = self._text(data.get("status", "house"), "status", MAX_NAME)
        version = self._int(data.get("version", 1), "version", VERSIONS)
        rows = self._list(data.get("cards", _GONE), "cards")
        cards = tuple(self._card(row, number) for number, row in enumerate(rows, 1))
        return CardSet(status, version, cards, *self._quests(data), *self._pediment(data), self._bonus(data))

    def _part(self, data: dict[str, Any], name: str, known: Collection[str]) -> dict[str, Any]:
        """Return a part of the set; an empty one, of which nothing is judged, where it is none."""
        self.at = "the file"
        part = self._dict(data.get(name, _GONE), name)
        self.at = name
        if part is None:
            self.unread[name] = [""]
            return {}

        self._only(part, known, name)
        return part

    def _card(self, row: Any, number: int) -> v.Card:
        self.at = f"card {number}"
        data = self._dict(row, "a card")
        if data is None:
            self.unread[self.at] = [""]
            return v.Card(self.at, "", Family.ZEUS, LEVELS[0], 1, (), Activation.INSTANT, "", _PLAIN)

        card_id = self._text(data.get("id", _GONE), "id", MAX_ID)
        if card_id:
            self.at = card_id
        self._only(data, _CARD, "a card", _CARD_PROSE)
        return v.Card(
            id=self.at,
            name=self._text(data.get("name", _GONE), "name", MAX_NAME),
            family=self._word(data.get("family", _GONE), _FAMILIES, "family"),
            level=self._int(data.get("level", _GONE), "level", LEVELS),
            copies=self._int(data.get("copies", _GONE), "copies", COPIES),
            columns=self._words(data.get("columns", _GONE), _SYMBOLS, "columns"),
            activation=self._word(data.get("activation", _GONE), ACTIVATION_WORDS, "activation"),
            text=self._text(data.get("text", _GONE), "text", MAX_TEXT),
            effect=self._step(data.get("effect", _GONE), "effect"),
            estimate=self._estimate(data.get("estimate", 0)),
        )

    def _quests(self, data: dict[str, Any]) -> tuple[tuple[Quest, ...], tuple[Quest, ...], Quest]:
        quests = self._part(data, "quests", ("players_2", "players_3_4", "incomplete"))
        if not quests:
            return (), (), Quest(0, 0, 0, 0)

        two, more = (
            tuple(
                self._quest(row, f"{name}[{place}]", _QUEST)
                for place, row in enumerate(self._list(quests.get(name, _GONE), name))
            )
            for name in ("players_2", "players_3_4")
        )
        return two, more, self._quest(quests.get("incomplete", _GONE), "incomplete", _INCOMPLETE)

    def _quest(self, row: Any, path: str, known: Collection[str]) -> Quest:
        data = self._dict(row, path)
        if data is None:
            return Quest(0, 0, 0, 0)

        self._only(data, known, path)
        number = self._int(data.get("number", _GONE), f"{path}.number", TABLE) if "number" in known else 0
        gold, vp, transfers = (
            self._int(data.get(key, _GONE), f"{path}.{key}", TABLE) for key in ("gold", "vp", "transfers")
        )
        status = self._text(data.get("status", "house"), f"{path}.status", MAX_NAME)
        return Quest(number, gold, vp, transfers, status)

    def _pediment(
        self, data: dict[str, Any]
    ) -> tuple[tuple[tuple[Colour, ...], ...], tuple[tuple[tuple[Colour, ...], ...], ...]]:
        pediment = self._part(data, "pediment", (*SIDES, "two_players"))
        if not pediment:
            return ((), ()), ((), ())

        sides = tuple(self._words(pediment.get(side, _GONE), _COLUMNS, side) for side in SIDES)
        pairs = self._dict(pediment.get("two_players", _GONE), "two_players")
        if pairs is None:
            return sides, ((), ())

        self._only(pairs, SIDES, "two_players")
        return sides, tuple(self._pairs(pairs.get(side, _GONE), f"two_players.{side}") for side in SIDES)

    def _pairs(self, data: Any, path: str) -> tuple[tuple[Colour, ...], ...]:
        pairs = self._list(data, path)
        return tuple(self._words(pair, _COLUMNS, f"{path}[{place}]") for place, pair in enumerate(pairs))

    def _bonus(self, data: dict[str, Any]) -> tuple[int, ...]:
        levels = range(LEVELS[0], LEVELS[1] + 1)
        bonus = self._part(data, "level_bonus", [str(level) for level in levels])
        if not bonus:
            return (0, 0, 0)

        return tuple(self._int(bonus.get(str(level), _GONE), f"level {level}", TABLE) for level in levels)

    # -- the vocabulary --------------------------------------------------------------------------------------

    def _step(self, data: Any, path: str) -> v.Step:
        step = self._dict(data, path, "an object with its op")
        if step is None:
            return _PLAIN

        op = step.get("op", _GONE)
        if not isinstance(op, str) or op not in STEP_FORMS:
            self._wrong(f"{path}.op", _one_of(STEP_FORMS), op)
            self.unread[self.at].append(path)
            return _PLAIN
        if self._depth == MAX_DEPTH:
            self.unread.setdefault(self.at, []).append(path)
            self._note(f"effect has more than {MAX_DEPTH} steps inside each other")
            return _PLAIN

        kind, parts = STEP_FORMS[op]
        self._depth += 1
        values = self._values(step, kind, parts, path, ("op",))
        self._depth -= 1
        if kind is v.Seq:
            return v.Seq(*values["steps"])
        if kind is v.Choose:
            return v.Choose(*values["options"], n=values["n"])
        return kind(**values)

    def _values(
        self, data: dict[str, Any], kind: type[Any], parts: tuple[Part, ...], path: str, more: tuple[str, ...] = ()
    ) -> dict[str, Any]:
        self._only(data, (*(part.key for part in parts), *more), path)
        values = {}
        for key, attribute, form in parts:
            unset = default(kind, attribute)
            if key in data or unset is MISSING:
                allowed = bounds(kind, attribute)
                values[attribute] = self._value(data.get(key, _GONE), form, f"{path}.{key}", allowed)
            else:
                values[attribute] = unset
        return values

    def _value(self, data: Any, form: Form, path: str, allowed: Bounds) -> Any:
        if isinstance(form, tuple):
            return self._words(data, {str(word): word for word in form[0]}, path)
        if not isinstance(form, str):
            return self._word(data, {str(word): word for word in form}, path)
        if form == STEP:
            return self._step(data, path)
        if form == STEPS:
            steps = self._list(data, path, "a list of objects with their op")
            return tuple(self._step(item, f"{path}[{place}]") for place, item in enumerate(steps))
        if form == QUANTITY:
            return self._quantity(data, path, allowed)
        if form == CONDITION:
            return self._condition(data, path)
        if form == FILTER:
            return self._filter(data, path)
        if form == ACTIVATIONS:
            return self._words(data, ACTIVATION_WORDS, path)
        if form == USES:
            return None if data == "all" else self._int(data, path, allowed, " or 'all'")
        if form == LIMIT:
            return self._limit(data, path, allowed)
        return self._int(data, path, allowed)

    def _limit(self, data: Any, path: str, allowed: Bounds) -> int:
        limit = self._dict(data, path, "an object of n and per: 'epoch'")
        if limit is None:
            return allowed[0]

        self._only(limit, ("n", "per"), path)
        if limit.get("per") != "epoch":
            self._wrong(f"{path}.per", _one_of(["epoch"]), limit.get("per", _GONE))
        return self._int(limit.get("n", _GONE), f"{path}.n", allowed)

    def _filter(self, data: Any, path: str) -> v.Filter:
        known = [*(part.key for part in FILTER_PARTS), "not_source"]
        given = self._dict(data, path, f"an object, which may have {', '.join(known)}")
        if given is None:
            return v.FAMILY_CARDS

        values = self._values(given, v.Filter, FILTER_PARTS, path, ("not_source",))
        if given.get("not_source", True) is not True:
            self._wrong(f"{path}.not_source", _one_of(["true"]), given["not_source"])
        return v.Filter(**values, not_source="not_source" in given)

    def _quantity(self, data: Any, path: str, allowed: Bounds) -> v.Quantity:
        if isinstance(data, dict):
            counter = next((word for word in Counter if word == data.get("per")), None)
            parts = QUANTITY_PARTS if counter is None else quantity_parts(counter)
            return v.Per(**self._values(data, v.Per, parts, path))

        return self._int(data, path, allowed, " or an object with 'per'")

    def _condition(self, data: Any, path: str) -> v.Condition:
        told = "an object with one of cmp: [quantity, comparison, quantity], none_below, none_above"
        given = self._dict(data, path, told)
        if given is None:
            return v.NoneBelow(VP)

        resources = {str(word): word for word in Resource}
        if "none_below" in given:
            self._only(given, ("none_below",), path)
            return v.NoneBelow(self._word(given["none_below"], resources, f"{path}.none_below"))
        if "none_above" in given:
            self._only(given, ("none_above",), path)
            return v.NoneAbove(self._word(given["none_above"], resources, f"{path}.none_above"))

        items = given.get("cmp")
        if not isinstance(items, list) or len(items) != 3:
            self._wrong(path, told, given)
            return v.NoneBelow(VP)

        self._only(given, ("cmp",), path)
        how = self._word(items[1], {str(word): word for word in Comparison}, f"{path}.cmp[1]")
        left, right = (self._quantity(items[place], f"{path}.cmp[{place}]", _SIGNED) for place in (0, 2))
        return v.Compare(left, how, right)

    # -- plain values ----------------------------------------------------------------------------------------

    def _dict(self, data: Any, path: str, told: str = "an object") -> dict[str, Any] | None:
        if isinstance(data, dict):
            return data

        self._wrong(path, told, data)
        return None

    def _list(self, data: Any, path: str, told: str = "a list") -> list[Any]:
        if isinstance(data, list):
            return data

        self._wrong(path, told, data)
        return []

    def _int(self, data: Any, path: str, allowed: Bounds, more: str = "") -> int:
        least, most = allowed
        if isinstance(data, int) and not isinstance(data, bool) and least <= data <= most:
            return data

        self._wrong(path, f"{number_between(allowed)}{more}", data)
        return max(least, 0)

    def _text(self, data: Any, path: str, most: int) -> str:
        if isinstance(data, str) and data.isprintable() and 1 <= len(data) <= most:
            return data

        self._wrong(path, f"a text of 1 to {most} printable characters", data)
        return ""

    def _estimate(self, data: Any) -> float:
        if isinstance(data, int | float) and not isinstance(data, bool) and -MOST <= data <= MOST:
            return float(data)

        self._wrong("estimate", f"a number from -{MOST} to {MOST}", data)
        return 0.0

    def _word(self, data: Any, words: dict[str, Any], path: str) -> Any:
        if isinstance(data, str) and data in words:
            return words[data]

        self._wrong(path, _one_of(words), data)
        return next(iter(words.values()))

    def _words(self, data: Any, words: dict[str, Any], path: str) -> tuple[Any, ...]:
        items = self._list(data, path, f"a list of {', '.join(words)}")
        return tuple(self._word(item, words, f"{path}[{place}]") for place, item in enumerate(items))
