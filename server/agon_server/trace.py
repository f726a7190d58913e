"""What the log is told, and in which form; a bug of ours by its places, never in its own words, which may name a hidden
card."""

from __future__ import annotations

import logging
import sys
import traceback


def start_log(level: int) -> None:
    """Send log lines from this level on to stderr, in the one form that all processes of a server have."""
    logging.basicConfig(format="%(asctime)s %(levelname)-7s %(name)s: %(message)s", level=level, stream=sys.stderr)


def places(error: BaseException) -> str:
    """Return the types of an error and its causes and where they were raised, a line each."""
    lines = []
    cause: BaseException | None = error
    while cause is not None:
        lines.append(type(cause).__name__)
        lines += [f"  {at.filename}:{at.lineno} {at.name}" for at in traceback.extract_tb(cause.__traceback__)]
        cause = cause.__cause__ or cause.__context__
    return "\n".join(lines)
