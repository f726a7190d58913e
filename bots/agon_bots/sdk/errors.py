"""The errors of the SDK, as a tree; each is one clear line for the person who runs a bot, and has an exit code.

BotError
├── UsageError       2  a file, an option or a value is wrong
│   └── LoadError    2  no bot can be made from what was named
├── ChoiceError      1  `choose` returned something that is not listed
├── CeilingError     1  a method of a bot took more than local play allows
├── StoppedError     1  the run ended before it was done: suspended, retired, another process has taken over
│   ├── BrokenBotError       1  the bot's own code failed in too many matches in a row
│   └── InterruptedRunError  130  Ctrl-C ended it, or a second signal at once
└── SurroundingsError  3  no server answers, or not one that fits this installation

Exit codes: 0 ok, 1 a negative result, 2 the command or a file is wrong, 3 its surroundings are, 130 Ctrl-C.
"""

from __future__ import annotations

EXIT_OK = 0
EXIT_NEGATIVE = 1
EXIT_USAGE = 2
EXIT_SURROUNDINGS = 3
EXIT_INTERRUPTED = 130


class BotError(Exception):
    """Base of all errors that the SDK raises on purpose."""

    exit_code = EXIT_NEGATIVE


class UsageError(BotError):
    """What was asked for cannot be done as it was written."""

    exit_code = EXIT_USAGE


class LoadError(UsageError):
    """A bot's file, module, class or entry point cannot be used; the message says why and names it."""


class ChoiceError(BotError):
    """`choose` returned neither a listed action's code nor an index into the list."""


class CeilingError(BotError):
    """A method of a bot took more than the ceiling of local play."""


class StoppedError(BotError):
    """The run ended on purpose before it was done."""


class BrokenBotError(StoppedError):
    """The bot's own code failed in too many matches in a row; the message names the last error."""


class InterruptedRunError(StoppedError):
    """Ctrl-C ended the run, after its matches or at once; or two times SIGTERM."""

    exit_code = EXIT_INTERRUPTED


class SurroundingsError(BotError):
    """No server answers, or none that this installation can play on."""

    exit_code = EXIT_SURROUNDINGS
