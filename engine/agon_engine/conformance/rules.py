"""Checks of how a game plays: its facts, its codes, what it asks, tells, counts and scores."""

from __future__ import annotations

from typing import Final

from agon_engine.conformance.require import require, require_text
from agon_engine.conformance.walk import Case
from agon_engine.core import (
    MAX_ACTIONS,
    ActionSyntaxError,
    Chance,
    Event,
    GameFile,
    IllegalActionError,
    Maker,
    OptionsError,
    Outcome,
    RulesBug,
    standard_placements,
)


def check_facts(case: Case) -> None:
    """The spec is sane, its seat counts and options can be played, and others are refused with OptionsError."""
    game, spec = case.game, case.game.spec
    require_text(spec.name, "the game's name")
    require(spec.version >= 1, f"the rules version is at least 1, not {spec.version!r}")
    require(1 <= spec.min_seats <= spec.max_seats, f"no seat count fits {spec.min_seats} to {spec.max_seats!r}")
    require(spec.max_decisions >= 1, f"a match has at least one decision, not {spec.max_decisions!r}")
    require(game.notation.game == spec.name, f"the notation is of another game: {game.notation.game!r}")
    for seats in (spec.min_seats - 1, spec.max_seats + 1, -1, 0):
        if seats not in spec.seat_counts:
            _refused(case, seats, {}, f"{seats} seats")
    _refused(case, case.seats, {"no such option": 1}, "an unknown option")
    for option in spec.options:
        require_text(option.name, "an option's name")
        require_text(option.help, f"the help of option {option.name}")
        require(option.default in option.allowed, f"the default of option {option.name} is not allowed")
        for value in (*option.allowed, *option.examples) if option.name not in game.files else ():
            game.start(case.seats, Chance(case.secret), {option.name: value})
        _refused(case, case.seats, {option.name: "no such value"}, f"option {option.name} with a wrong value")


def check_files(case: Case) -> None:
    """Of an option that is a file: no match starts with one that nobody gave, whatever text is given makes a game or
    OptionsError and nothing else, and the text that a game plays with is its own, however often it is read. What it
    writes for people to change is read as the same."""
    game = case.game
    for option in game.spec.options:
        if not option.is_file:
            continue
        _refused(case, case.seats, {option.name: NOBODY_S}, f"a file for option {option.name} that nobody gave")
        own = game.own_file(option.name)
        made = game.with_file(option.name, own)
        require(made.own_file(option.name) == own, f"the file of option {option.name} makes another game")
        require(made.notation.codes == game.notation.codes, f"the file of option {option.name} has other codes")
        if (kept := game.files.get(option.name)) is not None:
            require(made.files[option.name] == kept, f"the file of option {option.name} has another hash")
        for text in (*_NO_FILES, own):
            shown = f"option {option.name}, given {text[:20]!r}"
            try:
                made = game.with_file(option.name, text)
            except OptionsError:
                continue
            except Exception as error:
                raise AssertionError(f"{shown}, raises {type(error).__name__}: {error}") from error

            file = made.files[option.name]
            require(file == GameFile.of(file.text), f"{shown}, has another hash than its text, {file.hash!r}")
            again = made.with_file(option.name, file.text).files[option.name]
            require(again == file, f"{shown}, is another file when its own text is read")
            options = made.check_options({})
            require(options[option.name] == file.hash, f"{shown}, plays with {options[option.name]!r}")
            made.start(case.seats, Chance(case.secret), options)


NOBODY_S: Final = "0" * 32
_NO_FILES: Final = ("", " ", "0", "null", "[]", "{}", "\0", "\ud800", "[" * 100_000, '{"":' * 100_000, "9" * 5_000)
"""What hardly any option takes for a file."""


def _refused(case: Case, seats: int, options: dict[str, int | str | bool], what: str) -> None:
    try:
        case.game.start(seats, Chance(case.secret), options)
    except OptionsError:
        return

    raise AssertionError(f"the game starts with {what}")


def check_notation(case: Case) -> None:
    """Each code is one line and comes back as the action it is the code of; other text is no action."""
    notation = case.game.notation
    require(len(notation) > 0, "the notation has no codes")
    require(len(set(notation.codes)) == len(notation), "the notation lists a code twice")
    for action, code in enumerate(notation.codes):
        require_text(code, f"the code of action {action}")
        require(notation.code(action) == code, f"action {action} is coded {notation.code(action)!r}, not {code!r}")
        require(notation.parse(code) == action, f"{code!r} is parsed as {notation.parse(code)}, not {action}")
    for text in ("", " ", notation.codes[0] + " ", notation.codes[0].upper() + "!", "no such action"):
        try:
            action = notation.parse(text)
        except ActionSyntaxError:
            continue
        raise AssertionError(f"{text!r} is parsed as action {action}")


def check_decisions(case: Case) -> None:
    """Each decision lists 1 to 256 different actions, an outcome is there exactly at the end, and the end comes."""
    try:
        for number, state in case.walk():
            decision, outcome = state.decision, state.outcome()
            at = f"after {number} moves"
            require((decision is None) == (outcome is not None), f"{at} there is both or neither of decision and end")
            if decision is None:
                continue
            require(0 <= decision.seat < case.seats, f"{at} the decision is of seat {decision.seat}")
            require_text(decision.prompt, f"{at} the prompt")
            actions = decision.actions
            require(type(actions) is tuple, f"{at} the actions are a {type(actions).__name__}, not a tuple")
            require(actions, f"{at} no action is listed")
            require(len(actions) <= MAX_ACTIONS, f"{at} {len(actions)} actions are listed, more than {MAX_ACTIONS}")
            require(len(set(actions)) == len(actions), f"{at} an action is listed twice")
            for action in actions:
                known = type(action) is int and 0 <= action < len(case.game.notation)
                require(known, f"{at} an action is listed that the notation does not have: {action!r}")
    except RulesBug as error:
        raise AssertionError(str(error)) from error


def check_refusals(case: Case) -> None:
    """An action that is not listed is refused, with the listed codes, and leaves the state as it was."""
    codes = case.game.notation.codes
    others = case.chance("refusals")
    for number, state in case.sights():
        decision = state.decision
        listed = () if decision is None else decision.actions
        unlisted = [-1, len(codes), 1 << 70, *(others.below("action", len(codes)) for _ in range(12))]
        before, told = state.digest(), state.events_count
        for action in unlisted:
            if action in listed:
                continue
            try:
                state.apply(action)
            except IllegalActionError as error:
                legal = tuple(codes[one] for one in listed)
                require(error.legal == legal, f"after {number} moves the refusal of {action} lists {error.legal!r}")
            else:
                raise AssertionError(f"after {number} moves action {action} is accepted, which is not listed")
            same = state.digest() == before and state.events_count == told and state.decision is decision
            require(same, f"after {number} moves the refused action {action} has changed the state")


def check_events(case: Case) -> None:
    """Events are well formed: codes of one line, seats that exist, a secret exactly where there is an audience."""
    told = 0
    for number, state in case.walk():
        events = state.events_since(told)
        require(len(events) == state.events_count - told, f"after {number} moves events are counted wrong")
        for event in events:
            _check_event(event, case.seats, f"after {number} moves")
        told = state.events_count


def _check_event(event: Event, seats: int, at: str) -> None:
    require(type(event) is Event, f"{at} an event is a {type(event).__name__}")
    if event.code or not event.secret:
        require_text(event.code, f"{at} an event's code")
    if event.secret:
        require_text(event.secret, f"{at} an event's secret")
    require(event.seat is None or 0 <= event.seat < seats, f"{at} an event is of seat {event.seat!r}: {event.code!r}")
    require(event.maker is not Maker.SUBSTITUTE, f"{at} the rules cannot know of a substitute: {event!r}")
    require(bool(event.audience) == bool(event.secret), f"{at} secret and audience need each other: {event!r}")
    for seat in event.audience:
        require(0 <= seat < seats, f"{at} an audience has seat {seat!r}: {event!r}")
    require(len(set(event.audience)) == len(event.audience), f"{at} an audience has a seat twice: {event!r}")


def check_pieces(case: Case) -> None:
    """No piece of the game appears or vanishes."""
    first = None
    for number, state in case.walk():
        pieces = dict(state.inventory())
        if first is None:
            first = pieces
            require(sum(first.values()) > 0, "the inventory counts nothing")
        require(pieces == first, f"after {number} moves the pieces are {pieces!r}, not {first!r}")


def check_scores(case: Case) -> None:
    """Each score is the sum of its named parts and placements are standard, at the end and as if it were now."""
    for number, state in case.walk():
        _check_outcome(state.standing(), case.seats, f"the standing after {number} moves")
        outcome = state.outcome()
        if outcome is not None:
            _check_outcome(outcome, case.seats, "the outcome")
            require(state.outcome() == outcome, "the outcome is another one when asked again")


def _check_outcome(outcome: Outcome, seats: int, what: str) -> None:
    for name in ("scores", "placements", "parts"):
        values = getattr(outcome, name)
        require(len(values) == seats, f"{what} has {len(values)} {name} for {seats} seats")
    for seat, (score, parts) in enumerate(zip(outcome.scores, outcome.parts, strict=True)):
        names = [name for name, _ in parts]
        require(len(set(names)) == len(names), f"{what} names a part twice: {names!r}")
        total = sum(points for _, points in parts)
        require(score == total, f"{what} gives seat {seat} the score {score}, but its parts sum to {total}: {parts!r}")
    keys = [-placement for placement in outcome.placements]
    standard = outcome.placements == standard_placements(keys)
    require(standard, f"{what} has placements that are not standard ones: {outcome.placements!r}")
