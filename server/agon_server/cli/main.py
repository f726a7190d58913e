"""The way in and the one way out: runs a command, and turns whatever it raises into a line and an exit code."""

from __future__ import annotations

import os
import sys
from asyncio import CancelledError
from collections.abc import Sequence

import typer

from agon_server.cli.command import Session
from agon_server.cli.failures import OK, USAGE, help_of, present
from agon_server.cli.output import ReaderGone


def main(argv: Sequence[str] | None = None) -> int:
    """Run `agon` with the arguments (default: the process's own) and return the exit code."""
    from agon_server.cli.app import app

    session = Session()
    try:
        answer = app(args=None if argv is None else list(argv), prog_name="agon", standalone_mode=False, obj=session)
    except typer.Abort:
        return present(KeyboardInterrupt(), debug=False)
    except ReaderGone:
        # Whoever read our output has enough. The interpreter would complain once more when it flushes.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK
    except (Exception, KeyboardInterrupt, CancelledError) as error:
        if (text := help_of(error)) is not None:
            typer.echo(text)
            return USAGE
        return present(error, debug=session.debug)

    return answer if isinstance(answer, int) else OK
