"""How a check says that a game falls short: not by the assert statement, which `python -O` leaves out."""

from __future__ import annotations

MAX_TEXT = 200


def require(condition: object, message: str) -> None:
    """Raise AssertionError with the message unless the condition is true."""
    if not condition:
        raise AssertionError(message)


def require_text(text: object, what: str) -> None:
    """Demand one short line of printable text without spaces at its ends or doubled."""
    fine = isinstance(text, str) and 0 < len(text) <= MAX_TEXT and text.isprintable() and text == " ".join(text.split())
    require(fine, f"{what} is one short line of words, not {text!r}")
