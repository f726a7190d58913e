"""URLs of stores: which texts are one, and how one may be shown. Pure; opens nothing."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

FORMS = "redis://HOST:6379/0, rediss://… or unix:///PATH"


def is_store_url(text: str) -> bool:
    """Tell whether the text has one of the `FORMS`; that something answers there is another matter."""
    try:
        parts = urlsplit(text)
        _ = parts.port  # it is looked at only when it is asked for
    except ValueError:
        return False
    return parts.scheme in ("redis", "rediss", "unix") and bool(parts.netloc or parts.path)


def with_password(shown: str) -> str:
    """Return the form that a URL, given as it is shown, has with a password in it.

    >>> with_password("redis://host:6379/0"), with_password("unix:///run/valkey.sock")
    ('redis://:PASSWORD@host:6379/0', 'unix://:PASSWORD@/run/valkey.sock')
    """
    scheme, separator, rest = shown.partition("://")
    return f"{scheme}://:PASSWORD@{rest}" if separator else "redis://:PASSWORD@HOST"


def shown_url(text: str) -> str:
    """Return a URL, or what was given for one, without all that could be a user, a password or a part of them."""
    scheme, separator, rest = text.partition("://") if "://" in text else ("", "", text)
    address, *others = re.split(r"[?#]", rest, maxsplit=1)
    if any("@" in other for other in others):
        shown = "…"  # a password that should have been quoted, or one in the query
    elif address.startswith("/"):
        shown = address
    else:
        shown = address.rpartition("@")[2]
    return f"{scheme}{separator}{shown}"
