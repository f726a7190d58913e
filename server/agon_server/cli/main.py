"""The way in and the one way out: runs a command, and turns whatever it raises into a line and an exit code."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from threading import current_thread, main_thread

EXIT_SURROUNDINGS = 3
EXIT_INTERRUPTED = 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run `agon` with the arguments (default: the process's own) and return the exit code."""
    if find_spec("typer") is None:
        # The light base, which bots install, comes without what is imported below.
        sys.stderr.write("agon needs the server extra: pip install 'agon-arena[server]'\n")
        return EXIT_SURROUNDINGS

    # gRPC's own log lines say what our errors say better; it reads this once, when it is loaded below.
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    with _interruptible():
        import typer

        from agon_server.cli.app import app
        from agon_server.cli.command import Session
        from agon_server.cli.failures import OK, USAGE, help_of, present
        from agon_server.cli.output import ReaderGone
        from agon_server.cli.streams import prepare_streams

    prepare_streams()
    session = Session()
    try:
        answer = app(args=None if argv is None else list(argv), prog_name="agon", standalone_mode=False, obj=session)
    except ReaderGone:
        return _without_reader()
    except SystemExit as ended:
        # Typer ends so where the reader of a help has gone.
        if isinstance(ended.__context__, BrokenPipeError):
            return _without_reader()
        raise
    except (Exception, KeyboardInterrupt) as error:
        # What knows all errors is loaded only now, so there is time for another Ctrl-C.
        with _interruptible():
            if (text := help_of(error)) is not None:
                typer.echo(text)
                return USAGE
            return present(error, debug=session.debug)

    return answer if isinstance(answer, int) else OK


@contextmanager
def _interruptible() -> Iterator[None]:
    """Let Ctrl-C end the process at once, while nothing runs that would have to be ended."""
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler or current_thread() is not main_thread():
        yield  # somebody else's program, which ends as it wants to
        return

    signal.signal(signal.SIGINT, _end_at_once)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _end_at_once(*_: object) -> None:
    with suppress(OSError):
        os.write(2, b"agon: interrupted\n")
    os._exit(EXIT_INTERRUPTED)


def _without_reader() -> int:
    # The interpreter would complain when it flushes what is left.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0
