"""The errors of the engine, as a tree; catch the narrowest that you can answer.

EngineError
├── ActionSyntaxError      the text is no action code of this game          (also a ValueError)
├── IllegalActionError     an action, but not one of the listed ones now    (also a ValueError)
├── OptionsError           a game, seat count or option that does not exist (also a ValueError)
│   ├── FileError              a file for an option that the game cannot play with
│   └── MissingFileError       a file that options name by its hash, and that is not here
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


class FileError(OptionsError):
    """A file for an option has mistakes; `mistakes` lists all of them, each a line of its own."""

    def __init__(self, option: str, mistakes: Sequence[str]) -> None:
        count = "a mistake" if len(mistakes) == 1 else f"{len(mistakes)} mistakes"
        super().__init__("\n".join([f"the file for option {option} has {count}:", *mistakes]))
        self.option = option
        self.mistakes = tuple(mistakes)


class MissingFileError(OptionsError):
    """The options name a file by its hash, and nobody gave it."""

    def __init__(self, option: str, file: str) -> None:
        super().__init__(f"option {option} names a file that is not here, by its hash {file!r}")
        self.option = option
        self.file = file


class RecordError(EngineError, ValueError):
    """A record is damaged, of another game or of another rules version."""


class ReplayMismatchError(RecordError):
    """A record was replayed and the replay differs from what it states."""


class RulesBug(EngineError):
    """The rules code has broken one of its own invariants. The match ends as `infrastructure`."""
