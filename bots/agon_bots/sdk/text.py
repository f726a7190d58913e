"""Text on its way from servers to terminals and from bots to servers: printable, and no longer than it may be. Pure."""

from __future__ import annotations

from collections.abc import Callable

from agon.codec.up import NOTE_BYTES

SHOWN = 500
"""Characters of a server's message that are shown."""


def printable(text: str) -> str:
    """Return what another side said, cut to fit a line, and with all escaped that could command a terminal.

    >>> printable("a\\x1b[31mb\\n")
    'a\\\\x1b[31mb\\\\n'
    """
    cut = text if len(text) <= SHOWN else text[: SHOWN - 2] + " …"
    return "".join(item if item.isprintable() else ascii(item)[1:-1] for item in cut)


def cut_note(text: str) -> str:
    """Return the text within the contract's limit for notes, with a mark of what was cut."""
    data = text.encode("utf-8", "replace")
    if len(data) <= NOTE_BYTES:
        return data.decode()

    mark = f" … ({len(data)} bytes)"
    return data[: NOTE_BYTES - len(mark.encode())].decode("utf-8", "ignore") + mark


def told(value: object, way: Callable[[object], str] = repr) -> str:
    """Return the `repr` or `str` of something that a bot made, whose own method for that may fail."""
    try:
        return way(value)
    except Exception as error:
        return f"<{type(value).__name__}, whose {way.__name__} raises {type(error).__name__}>"
