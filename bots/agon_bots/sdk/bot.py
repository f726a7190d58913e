"""What a bot author writes against: `Bot`, and the values it is handed (`Match`, `Turn`, `MatchResult`). The same on
a server and in local play; nothing here knows which of the two it is.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from agon.codec.frames import Clock, ToldEvent
from agon_engine.core import Chance, Game, OptionValue, Seat, State
from agon_engine.core.chance import SEED_BYTES
from agon_engine.core.policy import FaultPolicy, Termination
from agon_engine.core.record import Deals
from agon_engine.core.timing import TimeControl

Choice = str | int
"""What `choose` returns: the code of a listed action, or its index."""


@dataclass(frozen=True, slots=True)
class Match:
    """The facts of a match, the same from its start to its end."""

    id: str
    game: str
    version: int
    """Of the rules."""
    seat: Seat
    """This bot's own."""
    seats: int
    aliases: tuple[str, ...]
    """What the seats are called in this match, by seat; made up, except the bot's own."""
    options: Mapping[str, OptionValue]
    """All options of the game; of one that is a file, the file's hash."""
    engine: Game[Any] = field(repr=False)
    """The game as it is played here, with what the files of its options say: notation, reference, material."""
    time: TimeControl
    policy: FaultPolicy
    deals: Deals
    rated: bool
    commitment: str = ""
    """BLAKE2b-256 over game, version, options and the secret seed, in hex; empty in local play."""


@dataclass(slots=True, eq=False)
class Turn:
    """One decision: what the seat knows, what it may do, and how much time it has."""

    view: Any
    """Everything the seat may know, in the game's own type: `View` in the module `view` of its package."""
    actions: tuple[str, ...]
    """The codes of what may be chosen: at least one, at most 256."""
    prompt: str
    """What is asked, as a short code that the game's README lists."""
    events: tuple[ToldEvent, ...]
    """What happened since the last turn."""
    decision: int
    """The number of this decision among the seat's own, from 1."""
    clock: Clock
    match: Match
    random: random.Random
    """For the bot's own draws; a run with `--seed` draws the same again."""

    def sample(self) -> State[Any]:
        """Draw a full state that is consistent with the view, hidden facts at random, for a bot that searches.

        Apply actions to it by `state.notation.parse(code)`; `state.clone()` copies it. Another call draws anew.
        """
        seed = self.random.getrandbits(8 * SEED_BYTES).to_bytes(SEED_BYTES, "little")
        return self.match.engine.sample(self.view, Chance(seed))


@dataclass(frozen=True, slots=True)
class MatchResult:
    """How a match ended."""

    termination: Termination
    placements: tuple[int, ...]
    """By seat: 1 = best, ties share (1, 2, 2, 4)."""
    scores: tuple[int, ...]
    seats: tuple[Termination, ...]
    """Why each seat ended."""
    rated: bool
    events: tuple[ToldEvent, ...]
    """What happened since the last turn."""
    record_hash: str
    """BLAKE2b-256 over the record's stored line, in hex; empty in local play."""
    seed: str
    """The secret of the match, in hex; empty as long as other matches with the same deal are left to play."""


@dataclass(slots=True)
class Outbox:
    """What a bot says beside its choices, until it is collected. Filled from any thread."""

    notes: deque[str] = field(default_factory=lambda: deque(maxlen=1_000))
    resigned: bool = False


class Bot:
    """A bot: write `choose`, set `games`, and `run` it. Each match has an object of its own, made without arguments.

    `choose`, `start` and `over` may be plain or `async` methods. Those of one match never run at the same time; those
    of different matches do, in threads, unless `quick` is set.
    """

    name: ClassVar[str] = ""
    """What local play calls it; empty: the name of the class. A server knows a bot by its token."""
    version: ClassVar[str] = "1"
    """Which version plays, at most 64 characters; it is named in the records."""
    games: ClassVar[Sequence[str] | Mapping[str, Sequence[int]]] = ()
    """The games it plays, or each with the seat counts it plays; empty: all games of this installation."""
    slots: ClassVar[int] = 4
    """Matches that it plays at a time, unless `--slots` says otherwise."""
    quick: ClassVar[bool] = False
    """True: `choose` takes so little (well under a millisecond) that a thread would cost more than it does."""

    match: Match
    """The facts of the match; there before `start` is called."""
    _outbox: Outbox

    def choose(self, turn: Turn) -> Choice | Awaitable[Choice]:
        """Return the code of one of `turn.actions`, or its index."""
        raise NotImplementedError

    def start(self, match: Match) -> Awaitable[None] | None:
        """Set up for the match; it waits for this. Does nothing by itself."""

    def over(self, result: MatchResult) -> Awaitable[None] | None:
        """Learn how the match ended. Does nothing by itself."""

    def note(self, text: str) -> None:
        """Write a line to the bot's private log, which only its owner can read. Over 4 KiB it is cut, and says so."""
        if not isinstance(text, str):
            raise TypeError(f"a note is a text, not of type {type(text).__name__}")
        self._outbox.notes.append(text)

    def resign(self) -> Choice:
        """Give the match up, by `return self.resign()`; what `choose` returns after it does not matter."""
        self._outbox.resigned = True
        return 0


def bot_name(bot_class: type[Bot]) -> str:
    """Return what a bot is called where no server names it."""
    return bot_class.name or bot_class.__name__
