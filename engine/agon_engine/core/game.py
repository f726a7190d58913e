"""The contract that every game fulfils: the game (`Game`), a running match's `State`, and the values that pass between
them. What is asked is a `Decision`; what is answered an `Action`; what happened an `Event`. Facts and options are
`options`'.

An `Action` is an int into the game's `Notation`, a fixed table of all codes the game can ever list, so the same
number means the same move in any state, and coding and parsing are look-ups. Outside the engine it is its code.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from hashlib import blake2b
from typing import Any, ClassVar, Generic, NamedTuple, Protocol, Self, TypeVar

from agon_engine.core.chance import Chance
from agon_engine.core.compiled import mypyc_attr
from agon_engine.core.errors import ActionSyntaxError, FileError, IllegalActionError, MissingFileError, OptionsError
from agon_engine.core.options import MAX_FILE, GameFile, GameSpec, OptionValue

Seat = int
Action = int

MAX_ACTIONS = 256
"""No decision lists more actions than this: a big choice is split into small ones."""


class Decision:
    """A point where one seat must choose: never without an action, never with more than `MAX_ACTIONS`."""

    __slots__ = ("actions", "prompt", "seat")

    def __init__(self, seat: Seat, prompt: str, actions: tuple[Action, ...]) -> None:
        self.seat = seat
        self.prompt = prompt
        """What is asked, as a short code of the game's README (`turn`, `react ares_destroy blue`, …)."""
        self.actions = actions

    def __repr__(self) -> str:
        return f"Decision(seat={self.seat}, prompt={self.prompt!r}, {len(self.actions)} actions)"


class Notation:
    """All action codes of a game, in a fixed order; an action is the index of its code."""

    __slots__ = ("_actions", "codes", "game")

    def __init__(self, game: str, codes: Iterable[str]) -> None:
        self.game = game
        self.codes: tuple[str, ...] = tuple(codes)
        self._actions: dict[str, Action] = {code: action for action, code in enumerate(self.codes)}
        if len(self._actions) != len(self.codes):
            raise ValueError(f"the notation of {game} lists a code twice")
        for code in self.codes:
            if not code.isascii() or not code.isprintable() or '"' in code or "\\" in code:
                raise ValueError(f"a code is printable ASCII without quotes and backslashes, not {code!r}")

    def code(self, action: Action) -> str:
        """Return the one-line text of an action."""
        return self.codes[action]

    def parse(self, code: object) -> Action:
        """Return the action of a code. Raise ActionSyntaxError when the game has no such code.

        Does not check that the action is legal now: that is `State.apply`'s.
        """
        action = self._actions.get(code) if isinstance(code, str) else None
        if action is None:
            raise ActionSyntaxError(f"not an action of {self.game}: {code!r}")
        return action

    def __len__(self) -> int:
        return len(self.codes)


class Maker(IntEnum):
    """Who made an event happen."""

    SEAT = 1
    SUBSTITUTE = 2
    """The move that stands in for a seat that gave no usable answer."""
    CHANCE = 3
    REFEREE = 4


class Event(NamedTuple):
    """Something that happened, with its audience.

    `secret` is what the seats in `audience` are told; everybody else, spectators included, is told `code`, or
    nothing where that is empty. A public event has an empty `secret`.
    """

    code: str
    seat: Seat | None
    """The seat it happened to or by; None: the whole table."""
    maker: Maker
    audience: tuple[Seat, ...] = ()
    secret: str = ""

    def told_to(self, seat: Seat | None) -> str:
        """Return the code that the seat (None: a spectator) is told; empty: it is not told of this at all."""
        return self.secret if self.secret and seat in self.audience else self.code


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a match ended by the rules: scores, their parts and placements, one a seat."""

    scores: tuple[int, ...]
    placements: tuple[int, ...]
    """1 = best; ties share a place and the next one is skipped (1, 2, 2, 4)."""
    parts: tuple[tuple[tuple[str, int], ...], ...] = field(default=())
    """For each seat the named parts of which its score is the sum."""
    by_cap: bool = False
    """True where a bound of the rules ended the match and not a natural end: ranked as it stands."""


def standard_placements(keys: Sequence[Any]) -> tuple[int, ...]:
    """Return standard competition ranks (1, 2, 2, 4): a greater key is better, equal keys share a place.

    >>> standard_placements([7, 9, 7, 1])
    (2, 1, 2, 4)
    """
    return tuple(1 + sum(other > key for other in keys) for key in keys)


class View(Protocol):
    """What a seat may know, as an immutable typed value made of immutable parts.

    A part that has not changed since an earlier view of the same match is the same object, so that encoders can
    keep its bytes. Two views compare equal exactly when everything in them is equal.
    """

    @property
    def seat(self) -> Seat | None: ...


V = TypeVar("V", bound=View)


@mypyc_attr(allow_interpreted_subclasses=True)
class State(ABC, Generic[V]):
    """A running match by the rules alone. Mutable; `apply` is the only thing that moves it.

    Fields are ints, strings, tuples, lists and lists of nothing but lists, `None`, a `Chance`: nothing else, so that
    the generic `clone` and `digest` below are right for every game. Each class names its fields in `FIELDS`, and has
    the mark of this one: else the compiler has `clone` call its `__init__`.
    """

    __slots__ = ("_events", "_events_from", "decision")

    FIELDS: ClassVar[tuple[str, ...]] = ()
    """All fields that make the state (without the three of this base class and without caches)."""
    CACHES: ClassVar[tuple[str, ...]] = ()
    """Fields that hold immutable, recomputable values; they are shared by clones and left out of the digest."""

    notation: ClassVar[Notation]
    decision: Decision | None
    """The open decision; None when the match is over."""

    def __init__(self) -> None:
        self.decision = None
        self._events: list[Event] = []
        self._events_from = 0

    def apply(self, action: Action) -> None:
        """Play a listed action and run on until the next decision, or the end.

        Raise IllegalActionError, with the state untouched, when it is not listed in the open decision.
        """
        decision = self.decision
        if decision is None:
            raise IllegalActionError(f"the match is over: {self._name(action)!r}")
        if action not in decision.actions:
            codes = self.notation.codes
            raise IllegalActionError(
                f"not one of the {len(decision.actions)} listed actions: {self._name(action)!r}",
                tuple(codes[listed] for listed in decision.actions),
            )

        self._play(decision, action)

    def _name(self, action: object) -> object:
        codes = self.notation.codes
        return codes[action] if isinstance(action, int) and 0 <= action < len(codes) else action

    @abstractmethod
    def _play(self, decision: Decision, action: Action) -> None:
        """Play a legal action of the open decision; set the next `decision` (or None)."""

    @abstractmethod
    def view(self, seat: Seat | None) -> V:
        """Build what the seat may know (None: what everybody may know)."""

    @abstractmethod
    def outcome(self) -> Outcome | None:
        """Return the result by the rules; None while a decision is open."""

    @abstractmethod
    def standing(self) -> Outcome:
        """Rank the seats as if the match ended now (for ends that the rules do not know, such as faults)."""

    @abstractmethod
    def inventory(self) -> Mapping[str, int]:
        """Count all pieces of the game, wherever they are; constant over a match."""

    # -- events ----------------------------------------------------------------------------------------------

    @property
    def events_count(self) -> int:
        """How many events have happened since the start."""
        return self._events_from + len(self._events)

    def events_since(self, number: int) -> Sequence[Event]:
        """Return the events from the given one on (0: all). A look-ahead clone has only its own: IndexError."""
        if number < self._events_from:
            raise IndexError(f"the events before {self._events_from} are not kept here: {number!r}")

        return self._events[number - self._events_from :]

    # -- copies and digests ----------------------------------------------------------------------------------

    def clone(self, lookahead: Chance | None = None) -> Self:
        """Return an independent copy.

        With `lookahead` its chance is replaced by the given one and its past events are left out, so that what
        is tried on the copy tells nothing about the draws of this match. Without, it is exact.
        """
        cls = type(self)
        copy = cls.__new__(cls)
        for name in cls.FIELDS:
            value = getattr(self, name)
            kind = type(value)
            if kind is list:
                value = [item[:] for item in value] if value and type(value[0]) is list else value[:]
            elif kind is Chance:
                value = value.clone() if lookahead is None else lookahead
            setattr(copy, name, value)
        for name in cls.CACHES:
            value = getattr(self, name)
            setattr(copy, name, value[:] if type(value) is list else value)
        copy.decision = self.decision
        copy._events = self._events[:] if lookahead is None else []
        copy._events_from = self._events_from if lookahead is None else self.events_count
        return copy

    def key(self) -> tuple[object, ...]:
        """Return the whole state as one comparable value, secrets included."""
        fields: list[object] = []
        for name in type(self).FIELDS:
            value = getattr(self, name)
            fields.append(value.key() if isinstance(value, Chance) else _frozen(value))
        decision = self.decision
        fields.append(None if decision is None else (decision.seat, decision.prompt, decision.actions))
        fields.append(self.events_count)
        return tuple(fields)

    def digest(self) -> str:
        """Return the BLAKE2b-256 of the whole state in hex: equal states, equal digests, on every machine."""
        return blake2b(repr(self.key()).encode(), digest_size=32).hexdigest()


def _frozen(value: object) -> object:
    return tuple(_frozen(item) for item in value) if isinstance(value, list) else value


@mypyc_attr(allow_interpreted_subclasses=True)
class Game(ABC, Generic[V]):
    """A game: its facts, its notation, and how a match of it begins."""

    spec: ClassVar[GameSpec]
    notation: ClassVar[Notation]
    files: ClassVar[Mapping[str, GameFile]] = {}
    """The files that it plays with, by option."""

    @abstractmethod
    def start(self, seats: int, chance: Chance, options: Mapping[str, OptionValue] | None = None) -> State[V]:
        """Set a match up to its first decision. Raise OptionsError for seats or options out of range."""

    @abstractmethod
    def sample(self, view: V, chance: Chance) -> State[V]:
        """Draw a full state that is consistent with everything in the view, hidden facts at random.

        Its own view for the same seat equals the given one, and it can be played on. What search bots need.
        """

    def reference(self) -> Mapping[str, str]:
        """Return the game's cards as people read them, by id in the game's order, and behind them what else a set of
        them has; none where it has no cards.

        The first line of each names the card and says what it is, the second what it does in words; more may follow.
        """
        return {}

    # -- files in the place of an option's material ----------------------------------------------------------

    def with_file(self, option: str, text: str) -> Game[V]:
        """Return the game that plays with the text of a file in the place of an option's own material: notation,
        reference and matches are the file's, and `files` has its text as the game writes it.

        Raise OptionsError where the option takes no file, FileError with all that is wrong with this one.
        """
        if not self.spec.option(option).is_file:
            raise OptionsError(f"option {option} of {self.spec.name} takes no file")

        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise FileError(option, [f"the text is no Unicode at character {error.start}"]) from None

        made = self._with_file(option, text)
        if (size := len(made.files[option].text.encode())) > MAX_FILE:
            raise FileError(option, [f"the text has at most {MAX_FILE} bytes as the game writes it, not {size}"])

        return made

    def own_file(self, option: str) -> str:
        """Return what this game plays with for an option as the text of a file, for people to change: read by
        `with_file` it makes the same game.

        Raise OptionsError where the option takes no file.
        """
        if not self.spec.option(option).is_file:
            raise OptionsError(f"option {option} of {self.spec.name} takes no file")

        return self._own_file(option)

    def _own_file(self, option: str) -> str:
        """Do what `own_file` says, for an option that takes files."""
        raise NotImplementedError(f"{self.spec.name} writes no file for option {option}")

    def _with_file(self, option: str, text: str) -> Game[V]:
        """Do what `with_file` says, for an option that takes files. What is read is hostile: whatever it is, FileError
        is all that may come of it."""
        raise NotImplementedError(f"{self.spec.name} reads no file for option {option}")

    def check_options(self, given: Mapping[str, Any]) -> dict[str, OptionValue]:
        """Return all options of a match of this game: the given values over its own files and the defaults.

        Raise OptionsError as the spec's own check does, MissingFileError for a file that it does not play with.
        """
        own = {option: file.hash for option, file in self.files.items()}
        options = self.spec.check_options({**own, **given})
        for option, file in self.spec.files_of(options).items():
            if own.get(option) != file:
                raise MissingFileError(option, file)
        for option, file in own.items():
            if options[option] != file:
                raise OptionsError(f"this game plays with the file {file} for option {option}, not {options[option]!r}")

        return options

    # -- play ------------------------------------------------------------------------------------------------

    def substitute(self, decision: Decision, chance: Chance) -> Action:
        """Choose the move that stands in when a seat gives no usable answer: legal, and the same for a seed."""
        return chance.choice("substitute", decision.actions)

    @abstractmethod
    def render(self, view: V) -> str:
        """Draw a view as text for people: at most 80 columns, no trailing newline."""
