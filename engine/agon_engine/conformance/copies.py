"""Checks of copies: fields that can be copied, clones that are independent, the same match from the same values."""

from __future__ import annotations

from enum import Enum
from types import GetSetDescriptorType
from typing import Any

from agon_engine.conformance.require import require
from agon_engine.conformance.walk import Case, play_match
from agon_engine.core import Chance, Deals, MatchRecord, OnFault, SeatRow, State, mismatches
from agon_engine.core.policy import FaultPolicy


def check_fields(case: Case) -> None:
    """Every slot of the state is named as a field or a cache, and fields hold only what clone and digest can copy."""
    state = case.start()
    cls = type(state)
    slots = {name for kind in cls.__mro__ for name in _slots(kind)} - set(_slots(State))
    named = [*cls.FIELDS, *cls.CACHES]
    require(not hasattr(state, "__dict__"), "the state has a __dict__: a class of it lacks __slots__")
    require(len(set(named)) == len(named), f"a field is named twice: {named!r}")
    require(slots == set(named), f"fields and slots differ: {sorted(slots ^ set(named))!r}")
    for number, state in case.sights():
        for name in cls.FIELDS:
            value = getattr(state, name)
            require(_copyable(value), f"after {number} moves field {name} holds what a clone would share: {value!r}")


def _slots(kind: type) -> tuple[str, ...]:
    slots = kind.__dict__.get("__slots__")
    if slots is None:  # a class that is compiled, or that has none
        found = [name for name, item in kind.__dict__.items() if isinstance(item, GetSetDescriptorType)]
        return tuple(name for name in found if not name.startswith("__"))
    return (slots,) if isinstance(slots, str) else tuple(slots)


def _copyable(value: object) -> bool:
    if type(value) is list:
        return all(map(_plain, value)) or all(type(item) is list and all(map(_plain, item)) for item in value)

    return type(value) is Chance or _plain(value)


def _plain(value: object) -> bool:
    return value is None or isinstance(value, (int, str)) or (isinstance(value, tuple) and all(map(_plain, value)))


def check_clones(case: Case) -> None:
    """A clone is equal, plays on as the original would, and nothing done to it reaches the original."""
    choices = case.chance("clones")
    for number, state in case.sights():
        at = f"after {number} moves"
        before, views = state.digest(), _views(state, case.seats)
        require(state.clone().digest() == before, f"{at} a clone has another digest")
        require(_views(state.clone(), case.seats) == views, f"{at} a clone has other views")

        for name in (*type(state).FIELDS, *type(state).CACHES):
            clone = state.clone()
            _disturb(clone, name)
            untouched = state.digest() == before and _views(state, case.seats) == views
            require(untouched, f"{at} a change of the clone's {name} has changed the original")

        one, other = state.clone(), state.clone()
        _play_on(one, choices.clone())
        _play_on(other, choices.clone())
        require(one.digest() == other.digest(), f"{at} two clones with the same choices end differently")
        require(one.events_since(0) == other.events_since(0), f"{at} two clones tell different events")
        untouched = state.digest() == before and _views(state, case.seats) == views
        require(untouched, f"{at} playing a clone has changed the original")


def _views(state: State[Any], seats: int) -> list[object]:
    return [state.view(seat) for seat in (*range(seats), None)]


def _disturb(state: State[Any], name: str) -> None:
    """Change a field in place, as deep as it goes."""
    value = getattr(state, name)
    if type(value) is list:
        for item in value:
            if type(item) is list:
                item.append(0)
        value.append(0)
    elif type(value) is Chance:
        value.word("conformance")
    elif isinstance(value, tuple):
        setattr(state, name, (*value, 0))
    else:
        setattr(state, name, _other(value))


def _play_on(state: State[Any], choices: Chance) -> None:
    while state.decision is not None:
        state.apply(choices.choice("action", state.decision.actions))


def check_lookahead(case: Case) -> None:
    """A look-ahead clone draws from the chance it is given, has no past events, and leaves the match alone."""
    for number, state in case.sights():
        at = f"after {number} moves"
        before = state.digest()
        clone = state.clone(lookahead=case.chance(f"lookahead {number}"))
        require(clone.events_count == state.events_count, f"{at} a look-ahead clone counts its events anew")
        require(not clone.events_since(clone.events_count), f"{at} a look-ahead clone has past events")
        if state.events_count:
            try:
                clone.events_since(0)
            except IndexError:
                pass
            else:
                raise AssertionError(f"{at} a look-ahead clone tells past events")
        secrets = {value.key()[0] for value in _fields(state) if type(value) is Chance}
        kept = [value for value in _fields(clone) if type(value) is Chance and value.key()[0] in secrets]
        require(not kept, f"{at} a look-ahead clone draws from the match's own seed")
        _play_on(clone, case.chance("choices"))
        require(state.digest() == before, f"{at} a look-ahead clone has changed the original")


def _fields(state: State[Any]) -> list[object]:
    return [getattr(state, name) for name in type(state).FIELDS]


def check_determinism(case: Case) -> None:
    """The same seed, options and choices give the same states, questions and events at every step."""
    again = case.walk()
    for number, state in case.walk():
        _, other = next(again)
        same = state.key() == other.key() and state.events_since(0) == other.events_since(0)
        require(same, f"after {number} moves two matches of the same seed and choices differ")
    require(next(again, None) is None, "one of two matches of the same seed and choices goes on")


def check_replay(case: Case) -> None:
    """A record gives the same match again, with seats that fail under every policy, and survives its line."""
    for on_fault in OnFault:
        for faults in (False, True):
            table = play_match(case, faults=faults, policy=FaultPolicy(on_fault, strikes=2))
            record = table.record(
                match="conformance",
                block="",
                ladder="",
                rated=False,
                seats=[SeatRow("bot", "", "", "") for _ in range(case.seats)],
                deals=Deals.FRESH,
                epoch=1,
                servers=("conformance",),
                started="2030-01-31T12:00:00Z",
                ended="2030-01-31T12:00:00Z",
            )
            read = MatchRecord.from_line(record.to_line())
            require(read == record, "a record is another one after it was written and read")
            found = mismatches(read, case.game)
            require(not found, f"a record with on_fault {on_fault} is not what its replay gives: {found!r}")


def _other(value: Any) -> Any:
    """Return another value of the same type: a compiled field takes no other."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, Enum):
        return next((member for member in type(value) if member is not value), 99)
    return value + 99 if isinstance(value, int) else f"{value} disturbed"
