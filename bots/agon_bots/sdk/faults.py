"""Telling the person who runs a bot what went wrong in its code: each kind of error once at full length, with its
traceback on the log, then in one line.
"""

from __future__ import annotations

import logging
import traceback
from types import TracebackType

from agon_bots.sdk.errors import ChoiceError

log = logging.getLogger("agon_bots")

_SDK = __file__.rpartition("/")[0]


class FaultLog:
    """Remembers which errors were told at full length."""

    def __init__(self) -> None:
        self.counts: dict[tuple[str, str, int], int] = {}

    def tell(self, where: str, method: str, error: BaseException, consequence: str) -> str:
        """Log an error that a bot's method raised (or made the SDK raise); return it as one line."""
        frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not frame.filename.startswith(_SDK)]
        place = (type(error).__name__, frames[-1].filename, frames[-1].lineno or 0) if frames else (str(error), "", 0)
        count = self.counts[place] = self.counts.get(place, 0) + 1

        line = str(error) if isinstance(error, ChoiceError) else f"{method} raised {_first_line(error)}"
        if frames:
            line += f" ({frames[-1].filename.rpartition('/')[2]}, line {frames[-1].lineno})"
        if count > 1 or not frames:
            log.error("%s: %s; %s%s", where, line, consequence, f" (for the {count}th time)" if count > 3 else "")
        else:
            told = "".join(traceback.format_exception(type(error), error, _outside_sdk(error)))
            log.error("%s: %s; %s\n%s", where, line, consequence, told.rstrip())
        return line


def _outside_sdk(error: BaseException) -> TracebackType | None:
    """Return the traceback from where the bot's own code begins."""
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename.startswith(_SDK):
        trace = trace.tb_next
    return trace


def _first_line(error: BaseException) -> str:
    lines = str(error).splitlines()
    return f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__
