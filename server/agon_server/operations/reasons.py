"""Reasons that organisers give, and who gives them: bots and their owners read them in terminals and logs."""

from __future__ import annotations

from agon_server.operations.errors import InvalidError

MAX_REASON = 200


def check_reason(text: str) -> str:
    """Return a reason without surrounding blanks, possibly empty; raise InvalidError for what is no plain line."""
    reason = text.strip()
    if len(reason) > MAX_REASON or not reason.isprintable():
        raise InvalidError(f"a reason is printable text of at most {MAX_REASON} characters, not {text!r}")
    return reason


def check_actor(text: str, missing: str) -> str:
    """Return who does something, as `check_reason` does; raise InvalidError with the text `missing` for nobody."""
    if not (actor := check_reason(text)):
        raise InvalidError(missing)
    return actor
