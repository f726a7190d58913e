"""The errors of the engine, as a tree; catch the narrowest that you can answer.

EngineError
├── ActionSyntaxError      the text is no action code of this game          (also a ValueError)
├── IllegalActionError     an action, but not one of the listed ones now    (also a ValueError)
├── OptionsError           a game, seat count or option that does not exist (also a ValueError)
├── RecordError            a record that cannot be read, or not by this version (also a ValueError)
│   └── ReplayMismatchError    it was read, and its replay gives something else
└── RulesBug               an invariant of the rules is broken; never a bot's fault

Messages are lower case, without a full stop, and end with the offending value's repr where there is one.
"""

from __future__ import annotations

from collections.abc import Sequence


class EngineError(Exception):
    """Base of all errors that the engine raises on purpose."""


class ActionSyntaxError(EngineError, ValueError):
    """The text cannot be parsed as an action code of the game."""


class IllegalActionError(EngineError, ValueError):
    """The action exists in the game, but is not listed in the open decision.

    `legal` holds the codes that are, so that an answer can show them.
    """

    def __init__(self, message: str, legal: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.legal = tuple(legal)


class OptionsError(EngineError, ValueError):
    """The game, its version, the number of seats or an option is unknown or out of range."""


class RecordError(EngineError, ValueError):
    """A record is damaged, of another game or of another rules version."""


class ReplayMismatchError(RecordError):
    """A record was replayed and the replay differs from what it states."""


class RulesBug(EngineError):
    """The rules code has broken one of its own invariants. The match ends as `infrastructure`."""
