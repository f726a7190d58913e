"""Checks of views: immutable values with everything a seat may know, parts kept while unchanged, states drawn back
from them. Whether they hold more than the seat may know is the leak test's (`leaks`)."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

from agon_engine.conformance.require import require
from agon_engine.conformance.walk import Case
from agon_engine.core import Chance, Decision, State

_MAX_COLUMNS = 80


def check_views(case: Case) -> None:
    """A view is immutable, names its seat, and does not depend on who looked before and when."""
    unseen = case.walk()
    for number, state in case.sights():
        reached, fresh = next(unseen)
        while reached < number:
            reached, fresh = next(unseen)
        for seat in (*range(case.seats), None):
            at = f"after {number} moves the view of {_who(seat)}"
            view = state.view(seat)
            require(view.seat == seat, f"{at} names another one: {view.seat!r}")
            mutable = _mutable(view)
            require(mutable is None, f"{at} holds what can be changed: {mutable!r}")
            require(state.view(seat) == view, f"{at} is another one when looked at again")
            # A fresh clone has the caches of a match at which nobody has ever looked.
            require(fresh.clone().view(seat) == view, f"{at} depends on earlier views")


def _who(seat: int | None) -> str:
    return "spectators" if seat is None else f"seat {seat}"


def _mutable(value: object) -> object | None:
    """Return something in the value that can be changed, or None."""
    if value is None or isinstance(value, (int, str, float, bytes)):
        return None
    if isinstance(value, (tuple, frozenset)):
        return next((found for item in value if (found := _mutable(item)) is not None), None)
    if is_dataclass(value) and not isinstance(value, type):
        if not type(value).__dataclass_params__.frozen:  # type: ignore[attr-defined]  # not in typeshed
            return value

        return next((found for _, item in _items(value) if (found := _mutable(item)) is not None), None)

    return value


def _items(value: object) -> list[tuple[str, object]]:
    """Return the named parts of a view, or of a part."""
    if is_dataclass(value):
        return [(item.name, getattr(value, item.name)) for item in fields(value)]
    if isinstance(value, tuple):
        names = getattr(value, "_fields", range(len(value)))
        return [(str(name), item) for name, item in zip(names, value, strict=True)]

    return []


def _is_part(value: object) -> bool:
    return is_dataclass(value) or (isinstance(value, tuple) and hasattr(value, "_fields"))


def check_parts(case: Case) -> None:
    """A part of a view that is equal to that of the view before is the same object, so that its bytes can be kept.

    Parts are the dataclasses and named tuples that a view holds, by themselves or in a tuple.
    """
    before: dict[int | None, Any] = {}
    for number, state in case.walk():
        for seat in (*range(case.seats), None):
            view = state.view(seat)
            if seat in before:
                anew = _anew(before[seat], view, "")
                require(anew is None, f"after {number} moves the view of {_who(seat)} has an equal part anew: {anew}")
            before[seat] = view


def _anew(before: object, after: object, path: str) -> str | None:
    """Return the path of a part that is equal and yet another object, or None."""
    for (name, one), (_, other) in zip(_items(before), _items(after), strict=False):
        if one is other:
            continue
        here = f"{path}{name}"
        if _is_part(one) and one == other:
            return here
        if type(one) is tuple and type(other) is tuple and (deeper := _anew(one, other, f"{here}.")):
            return deeper

    return None


def check_samples(case: Case) -> None:
    """A state drawn from a view has that view again, asks the same, has the same pieces, and can be played to its end.

    It is the same for the same randomness, since a bot that cannot be run again cannot be mended.
    """
    game = case.game
    for number, state in case.sights():
        for seat in (*range(case.seats), None):
            at = f"after {number} moves a state drawn from the view of {_who(seat)}"
            view = state.view(seat)
            drawn = game.sample(view, case.chance(f"sample {number}"))
            again = game.sample(view, case.chance(f"sample {number}"))
            require(drawn.view(seat) == view, f"{at} has another view: {first_difference(view, drawn.view(seat))}")
            require(drawn.digest() == again.digest(), f"{at} depends on more than the view and the randomness")
            require(dict(drawn.inventory()) == dict(state.inventory()), f"{at} has other pieces")
            _check_same_question(state, drawn, seat, at)
            _play_to_the_end(drawn, case.chance(f"played {number}"), game.spec.max_decisions, at)


def _check_same_question(state: State[Any], drawn: State[Any], seat: int | None, at: str) -> None:
    asked, drawn_asked = state.decision, drawn.decision
    if asked is None or drawn_asked is None:
        require(asked is drawn_asked, f"{at} is over where the match is not, or the other way round")
        return
    require(drawn_asked.seat == asked.seat, f"{at} asks seat {drawn_asked.seat}, not {asked.seat}")
    if asked.seat == seat:
        require(drawn_asked.prompt == asked.prompt, f"{at} asks {drawn_asked.prompt!r}, not {asked.prompt!r}")
        require(drawn_asked.actions == asked.actions, f"{at} lists other actions")


def _play_to_the_end(state: State[Any], choices: Chance, most: int, at: str) -> None:
    pieces = dict(state.inventory())
    for _ in range(most + 1):
        if state.decision is None:
            break
        state.apply(choices.choice("action", state.decision.actions))
    require(state.decision is None, f"{at} does not come to an end")
    require(state.outcome() is not None, f"{at} has no outcome at its end")
    require(dict(state.inventory()) == pieces, f"{at} loses or gains pieces when played on")


def first_difference(one: object, other: object, path: str = "view") -> str:
    """Name the first place where two views differ, with what is there in the second and in the first."""
    if type(one) is type(other):
        for (name, a), (_, b) in zip(_items(one), _items(other), strict=False):
            if a != b:
                return first_difference(a, b, f"{path}.{name}")

    return f"{path} is {other!r}, not {one!r}"


def check_rendering(case: Case) -> None:
    """A view can be drawn as text for people: at most 80 columns, no trailing line feed, no control characters."""
    for number, state in case.sights():
        for seat in (*range(case.seats), None):
            at = f"after {number} moves the drawing for {_who(seat)}"
            text = case.game.render(state.view(seat))
            require(text and not text.endswith("\n"), f"{at} is empty or ends with a line feed")
            for line in text.split("\n"):
                require(len(line) <= _MAX_COLUMNS, f"{at} is wider than {_MAX_COLUMNS} columns: {line!r}")
                require(line.isprintable() or not line, f"{at} has control characters: {line!r}")


def check_hidden_information(case: Case) -> None:
    """What the spec says of hidden information is so.

    Where it says that there is some, a state drawn from a view and the match part ways, sooner or later, though both
    play the same choices and draw from the same chance: dice to come are no hidden fact, the order of a pile is. Where
    it says that there is none, no drawn state ever does, and all views and events are the same for all seats.
    """
    says_hidden = case.game.spec.has_hidden_information
    for number, state in case.sights():
        at = f"the spec says that nothing is hidden, but after {number} moves"
        views = [state.view(seat) for seat in (*range(case.seats), None)]
        bare = [[item for item in _items(view) if item[0] != "seat"] for view in views]
        secret = any(event.secret for event in state.events_since(0))
        alike = not secret and all(one == bare[0] for one in bare)
        require(says_hidden or alike, f"{at} seats see or are told different things")
        for view in views:
            hidden = _hidden_fact(case, state, case.game.sample(view, case.chance(f"hidden {number} {view.seat}")))
            if hidden and says_hidden:
                return
            require(not hidden, f"{at} a state drawn from the view of {_who(view.seat)} has other facts: {hidden}")
    require(not says_hidden, "the spec says that there is hidden information, but states drawn from views never differ")


def _hidden_fact(case: Case, state: State[Any], drawn: State[Any]) -> str:
    """Play a match and a state drawn from one of its views on, with the same choices and the same chance; return the
    first thing that shows that they were different ones, or nothing."""
    known, other = state.clone(), drawn.clone()
    for name in type(state).FIELDS:
        chance = getattr(known, name)
        if type(chance) is Chance:
            setattr(other, name, chance.clone())
    choices = case.chance("hidden choices")
    while True:
        for seat in (*range(case.seats), None):
            one, two = known.view(seat), other.view(seat)
            if one != two:
                return f"for {_who(seat)} {first_difference(one, two)}"
        if known.outcome() != other.outcome():
            return f"the outcome is {other.outcome()!r}, not {known.outcome()!r}"
        if known.decision is None or other.decision is None:
            return "" if known.decision is other.decision else "one is over, the other is not"
        if _question(known.decision) != _question(other.decision):
            return f"the question is {_question(other.decision)!r}, not {_question(known.decision)!r}"
        action = choices.choice("action", known.decision.actions)
        known.apply(action)
        other.apply(action)


def _question(decision: Decision) -> tuple[object, ...]:
    return decision.seat, decision.prompt, decision.actions
