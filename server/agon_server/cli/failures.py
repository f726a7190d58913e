"""How a command that fails says so: one line on stderr (and one for each mistake in a file with many), an exit code,
and the traceback with `--debug` only.

0  ok
1  a negative result: the audit differs, the record does not verify
2  the command or a file is wrong
3  its surroundings are: no server, a port in use, a data folder that cannot be used
4  no decision: a sequential test has played all its matches and reached neither bound
130  Ctrl-C
"""

from __future__ import annotations

import errno
import re
import sys
import traceback
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, TextIO

import typer

from agon_server.cli.output import printable

OK = 0
NEGATIVE = 1
USAGE = 2
SURROUNDINGS = 3
UNDECIDED = 4
INTERRUPTED = 130

_REWORDED = (
    (re.compile(r": Value error, "), ": "),
    (re.compile(r": Input should be a valid integer\b.*"), ": expected a whole number"),
    (re.compile(r": Input should be a valid number\b.*"), ": expected a number"),
    (re.compile(r": Input should be greater than or equal to (\S+)"), r": expected \1 or more"),
    (re.compile(r": Input should be less than or equal to (\S+)"), r": expected \1 or less"),
)
"""What libraries of the command line say of a value, in our words."""

MAX_LINE = 1_000
"""Of a longer line the middle is left out."""

# Typer carries its own copy of click, or uses the installed one, depending on its version; both have this base.
UsageError: type[Exception] = typer.BadParameter.__bases__[0]


class Negative(Exception):
    """A command worked and its answer is no; the message is the one line that says so."""


class Undecided(Exception):
    """A command worked and has no answer; the message is the one line that says why."""


class Mistakes(Exception):
    """A file has mistakes: the message says which one, and each mistake has a line of its own."""

    def __init__(self, message: str, mistakes: Sequence[str]) -> None:
        super().__init__(f"{message}: {mistakes[0]}" if len(mistakes) == 1 else f"{message}, {len(mistakes)} mistakes:")
        self.lines = tuple(mistakes) if len(mistakes) > 1 else ()


class Interrupted(Exception):
    """Ctrl-C, or SIGTERM to a command that is no server. Typer would end the process without a word."""


class Failed(Exception):
    """Another program's command failed and says so with its own exit code."""

    def __init__(self, message: str, code: int) -> None:
        super().__init__(message)
        self.code = code


def exit_code(error: BaseException) -> int:
    """Return the exit code of an error."""
    if isinstance(error, Failed):
        return error.code

    code = _known_code(error)
    return SURROUNDINGS if code is None else code


def _known_code(error: BaseException) -> int | None:
    """Return the exit code of an error that is raised on purpose; None for any other."""
    from agon_server.cli.exit_codes import EXIT_CODES

    return next((code for kind, code in EXIT_CODES if isinstance(error, kind)), None)


def explain(error: BaseException) -> str:
    """Return the one line that tells a person what is wrong and what to do, none too long."""
    return _cut(_explained(error))


def _cut(line: str) -> str:
    if len(line) <= MAX_LINE:
        return line
    # Somebody gave a long thing where a short one belongs; what is to be done stands at the end.
    return f"{line[: MAX_LINE // 2]} … {line[-MAX_LINE // 2 :]}"


def _explained(error: BaseException) -> str:
    if isinstance(error, Interrupted | KeyboardInterrupt):
        return "interrupted"
    if isinstance(error, UsageError):
        return _usage(error)
    if type(error).__module__ == "builtins" and isinstance(error, OSError):
        return _system(error)
    if isinstance(error, UnicodeEncodeError) and "surrogates" in error.reason:
        return f"a text or a name is not valid UTF-8: {error.object[:MAX_LINE]!a}"
    if _known_code(error) is None:
        what = f"{type(error).__name__}: {_one_line(error)}"
        return f"this is a fault of agon itself ({what}); run it again with --debug and report what it prints"
    return _one_line(error)


def help_of(error: BaseException) -> str | None:
    """Return the help to show where a noun was given without a verb; None for all other errors."""
    context = getattr(error, "ctx", None)
    return str(context.get_help()) if type(error).__name__ == "NoArgsIsHelpError" and context is not None else None


def present(error: BaseException, *, debug: bool, stream: TextIO | None = None) -> int:
    """Print what is wrong on stderr and return the exit code."""
    stream = sys.stderr if stream is None else stream
    with suppress(OSError):  # nobody can be told, but the exit code still says what came of it
        if debug:
            traceback.print_exception(error, file=stream)
        stream.write(f"agon: {explain(error)}\n")
        if isinstance(error, Mistakes):
            stream.writelines(f"  {_cut(printable(line))}\n" for line in error.lines)
        stream.flush()
    return exit_code(error)


def _one_line(error: BaseException) -> str:
    return printable(" ".join(str(error).split())) or type(error).__name__


def _usage(error: Any) -> str:
    message = " ".join(error.format_message().split()).rstrip(".")
    for pattern, words in _REWORDED:
        message = pattern.sub(words, message)
    path = error.ctx.command_path if error.ctx is not None else "agon"
    return f"{message[:1].lower()}{message[1:]}; see `{path} --help`"


def _system(error: OSError) -> str:
    what = (error.strerror or _one_line(error)).lower()
    if error.errno == errno.EADDRINUSE:
        return f"{what}; another server runs there, or choose another port"
    if error.errno in (errno.EMFILE, errno.ENFILE):
        return f"{what}; raise the limit of open files (ulimit -n) and start again"
    if error.errno == errno.ENOSPC:
        return f"{what}; free some space and start again"
    return f"{what}: {error.filename!r}" if error.filename else what
