"""The standard streams of a command, as whoever started it left them: closed, or of an encoding that lacks letters."""

from __future__ import annotations

import io
import os
import sys


def prepare_streams() -> None:
    """Let all three standard streams be there, and let stdout take every text.

    A closed one becomes the null device. That also keeps its number from the next file or socket that is opened.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free, and that is this one
    if sys.stdin is None:
        sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
    if sys.stdout is None:
        sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
    if sys.stderr is None:
        sys.stderr = os.fdopen(2, "w", encoding="utf-8", errors="backslashreplace", closefd=False)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def has_all_letters(encoding: str | None) -> bool:
    """Tell whether a stream of the encoding can say every text."""
    return encoding is None or encoding.lower().replace("-", "").replace("_", "").startswith("utf")
