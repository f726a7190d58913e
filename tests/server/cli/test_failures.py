"""Errors: one table of exit codes, one line each, a traceback only with --debug."""

from __future__ import annotations

import errno
import io
import subprocess
import sys
from collections.abc import Iterator

import grpc
import grpc.aio
import pytest
from tests.support.cli import run

from agon.codec.errors import CodecError
from agon_engine.core import errors as engine_errors
from agon_engine.core.errors import OptionsError, RecordError, ReplayMismatchError, RulesBug
from agon_ladder import errors as ladder_errors
from agon_server.accounts import AccountError
from agon_server.archive.folder import ArchiveError
from agon_server.cli.failures import Negative, exit_code, explain, present
from agon_server.config import ConfigError
from agon_server.ladders import definitions
from agon_server.operations import errors as operation_errors
from agon_server.services.status import error_of, status_of
from agon_server.store import errors as store_errors
from agon_server.surroundings import SurroundingsError

CASES: list[tuple[BaseException, int]] = [
    (Negative("x"), 1),
    (ReplayMismatchError("x"), 1),
    (RecordError("x"), 2),
    (OptionsError("x"), 2),
    (ConfigError("x"), 2),
    (AccountError("x"), 2),
    (ladder_errors.ScheduleError("x"), 2),
    (operation_errors.NotFoundError("x"), 2),
    (operation_errors.UnauthenticatedError("x"), 2),
    (operation_errors.LimitError("x"), 2),
    (operation_errors.UnreachableError("x"), 3),
    (store_errors.DataFolderError("x"), 3),
    (store_errors.StoreUnavailableError("x"), 3),
    (CodecError("x"), 3),
    (RulesBug("x"), 3),
    (SurroundingsError("x"), 3),
    (OSError(errno.EADDRINUSE, "Address already in use"), 3),
    (ZeroDivisionError("x"), 3),
    (KeyboardInterrupt(), 130),
]


@pytest.mark.parametrize(("error", "code"), CASES, ids=lambda item: type(item).__name__)
def test_each_error_has_its_exit_code(error: BaseException, code: int) -> None:
    assert exit_code(error) == code


OF_OPERATIONS: list[Exception] = [
    operation_errors.InvalidError("x"),
    operation_errors.NotFoundError("x"),
    operation_errors.ExistsError("x"),
    operation_errors.PreconditionError("x"),
    operation_errors.UnauthenticatedError("x"),
    operation_errors.DeniedError("x"),
    operation_errors.LimitError("x"),
    operation_errors.UnreachableError("x"),
    OptionsError("x"),
    ConfigError("x"),
    AccountError("x"),
    ladder_errors.ScheduleError("x"),
    definitions.DefinitionError("x"),
    store_errors.UnknownMatchError("x"),
    store_errors.DuplicateMatchError("x", "id"),
    store_errors.StoreUnavailableError("x"),
    ArchiveError("x"),
]


@pytest.mark.parametrize("error", OF_OPERATIONS, ids=lambda item: type(item).__name__)
def test_an_error_has_the_same_exit_code_through_a_server_and_through_the_folder(error: Exception) -> None:
    status = status_of(error)
    assert status is not None
    failed = grpc.aio.AioRpcError(status, grpc.aio.Metadata(), grpc.aio.Metadata(), str(error))

    assert exit_code(error_of(failed, "here")) == exit_code(error)


def all_errors() -> Iterator[type[BaseException]]:
    for module in (engine_errors, ladder_errors, operation_errors, store_errors):
        for item in vars(module).values():
            if isinstance(item, type) and issubclass(item, Exception) and item.__module__ == module.__name__:
                yield item


@pytest.mark.parametrize("kind", list(all_errors()), ids=lambda kind: kind.__name__)
def test_no_error_that_is_raised_on_purpose_is_called_a_fault_of_agon(kind: type[BaseException]) -> None:
    error = kind.__new__(kind)
    error.args = ("what is wrong: 'value'",)

    assert explain(error) == "what is wrong: 'value'"


def test_what_a_bot_says_does_not_reach_the_terminal_as_a_control() -> None:
    """A bot's exception is part of a message of `agon play`."""
    assert explain(Negative("choose raised RuntimeError: \x1b[2Jgone")) == ("choose raised RuntimeError: \\x1b[2Jgone")


def test_an_unexpected_error_asks_for_a_report() -> None:
    assert explain(ZeroDivisionError("division by zero")) == (
        "this is a fault of agon itself (ZeroDivisionError: division by zero); run it again with --debug and report "
        "what it prints"
    )


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (OSError(errno.EADDRINUSE, "Address already in use"), "address already in use; another server runs there"),
        (
            OSError(errno.EMFILE, "Too many open files"),
            "too many open files; raise the limit of open files (ulimit -n)",
        ),
        (OSError(errno.ENOSPC, "No space left on device"), "no space left on device; free some space"),
        (PermissionError(errno.EACCES, "Permission denied", "/x"), "permission denied: '/x'"),
    ],
)
def test_an_error_of_the_system_says_what_to_do(error: OSError, line: str) -> None:
    assert explain(error).startswith(line)


@pytest.mark.parametrize("debug", [False, True])
def test_a_traceback_is_for_debug_only(debug: bool) -> None:
    stream = io.StringIO()
    try:
        raise ConfigError("two\nlines")
    except ConfigError as error:
        code = present(error, debug=debug, stream=stream)

    assert code == 2
    assert stream.getvalue().endswith("agon: two lines\n")
    assert ("Traceback" in stream.getvalue()) == debug


@pytest.mark.parametrize(
    "arguments", [("--debug", "replay", "verify", "/none"), ("replay", "verify", "/none", "--debug")]
)
def test_debug_may_stand_before_or_after_the_command(arguments: tuple[str, ...]) -> None:
    ran = run(*arguments)

    assert ran.code == 2
    assert "Traceback" in ran.err


def test_of_a_long_line_the_middle_is_left_out() -> None:
    line = explain(ConfigError(f"there is no {'x' * 100_000}; name another"))

    assert len(line) < 1_100
    assert line.startswith("there is no xxx")
    assert line.endswith("xxx; name another")


@pytest.mark.parametrize(
    ("module", "command"),
    [
        ("typer", "games"),
        ("agon_server.cli.app", "games"),
        ("agon_server.cli.streams", "games"),
        ("agon_server.cli.exit_codes", "nonsense"),
    ],
)
def test_ctrl_c_is_no_traceback_also_while_the_command_line_is_loaded(module: str, command: str) -> None:
    """Loading takes most of a short command's time; what knows all errors is loaded when there is one, as the first
    Ctrl-C is."""
    program = f"""
import os, signal, sys
from agon_server.cli import main

class Interrupting:
    def find_spec(self, name, path=None, target=None):
        # Whether there is typer at all is asked before it is loaded.
        if name == {module!r} and signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupting())
sys.exit(main([{command!r}]))
"""
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)

    assert (ran.returncode, ran.stdout) == (130, "")
    assert ran.stderr.endswith("agon: interrupted\n")
    assert all(line.startswith("agon: ") for line in ran.stderr.splitlines())


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (("--deals", "mixed"), "invalid value for '--deals': 'mixed' is not one of 'fresh', 'shared'"),
        (("--seats", "x"), "invalid value for '--seats': "),
        (("--matches", "0"), "invalid value for '--matches': "),
        (("--ceiling", "x"), "invalid value for '--ceiling': "),
    ],
)
def test_no_words_of_libraries_shine_through(arguments: tuple[str, ...], what: str) -> None:
    ran = run("play", "ephyran", "--bots", "random", *arguments)

    ran.assert_one_line(2)
    assert what in ran.err
    assert [words for words in ("Value error", "Input should", "unable to parse") if words in ran.err] == []
