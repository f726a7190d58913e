"""Errors of a bot's own code, told to the person who runs it: each kind once at full length, then in one line."""

from __future__ import annotations

import logging
import traceback
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from agon_bots.sdk.errors import CeilingError, ChoiceError
from agon_bots.sdk.text import told

log = logging.getLogger("agon_bots")

_SDK = str(Path(__file__).parent)


@dataclass(frozen=True, slots=True)
class BotFault:
    """What a bot's method raised, or that what `choose` returned is not listed."""

    line: str
    """The same on one line, with the place in the bot's own code."""
    traceback: str
    """From where the bot's own code begins; empty where it raised nothing."""
    kind: str
    """The same for all errors of one type that come from one place."""


def describe(method: str, error: BaseException) -> BotFault:
    """Return what is to be told of an error that came out of a bot's method."""
    trace = _outside_sdk(error.__traceback__)
    if isinstance(error, (ChoiceError, CeilingError)) and trace is None:
        return BotFault(str(error), "", type(error).__name__)

    lines = told(error, str).splitlines()
    line = f"{method} raised {type(error).__name__}{': ' + lines[0] if lines else ''}"
    frames = [frame for frame in traceback.extract_tb(trace) if not frame.filename.startswith(_SDK)]
    place = ""
    if frames:
        place = f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})"
    text = "".join(traceback.format_exception(type(error), error, trace)).rstrip()
    return BotFault(line + place, text, type(error).__name__ + place)


def _outside_sdk(trace: TracebackType | None) -> TracebackType | None:
    while trace is not None and trace.tb_frame.f_code.co_filename.startswith(_SDK):
        trace = trace.tb_next
    return trace


class FaultLog:
    """Logs faults, and remembers which were told at full length."""

    def __init__(self) -> None:
        self._told: set[str] = set()

    def tell(self, where: str, fault: BotFault, consequence: str, *, again: bool) -> None:
        """Log a fault of a bot in a match, and what follows from it; `again`: the match had one already."""
        is_new = fault.kind not in self._told
        self._told.add(fault.kind)
        log.log(logging.DEBUG if again and not is_new else logging.ERROR, "%s: %s; %s", where, fault.line, consequence)
        if is_new and fault.traceback:
            log.error("%s", fault.traceback)
