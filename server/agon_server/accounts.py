"""Bots and their tokens: who may play, for whom, and the private log of each. Who may read or change what is decided by
the services; nothing here knows a caller."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from agon_server.store.connection import Store


class AccountError(ValueError):
    """A bot that does not exist, exists already, or a name that cannot be one; the message says which."""


@dataclass(frozen=True, slots=True)
class Bot:
    """A registered bot."""

    name: str
    owner: str
    created: int
    """Milliseconds since 1970."""
    trusted: bool = False
    """Its organiser says that it does not remember from one match to another, so shared deals are open to it."""
    house: bool = False
    suspended: str = ""
    """The reason, which its owner can read; empty: it may play."""
    suspended_at: int = 0


@dataclass(frozen=True, slots=True)
class Notes:
    """The end of a bot's private log."""

    lines: tuple[str, ...]
    """Oldest first; where something was cut, the first one says `truncated N bytes`."""
    truncated: int
    """Bytes that are no longer there."""


class Accounts:
    """The bots of an installation."""

    def __init__(self, store: Store, *, log_bytes: int = 256 * 1024) -> None:
        raise NotImplementedError

    async def register(self, name: str, owner: str | None = None, *, house: bool = False, trusted: bool = False) -> str:
        """Register a bot and return its token, which is shown this once. Its owner is by default one of its own.

        Raise AccountError when the name is taken or cannot be one.
        """
        raise NotImplementedError

    async def renew(self, name: str) -> str:
        """Return a new token; the old one is invalid at once. Raise AccountError when there is no such bot."""
        raise NotImplementedError

    async def authenticate(self, token: str) -> Bot | None:
        """Return the bot of a token, suspended ones too; None for anything else."""
        raise NotImplementedError

    async def get(self, name: str) -> Bot | None:
        raise NotImplementedError

    async def list(self) -> list[Bot]:
        """Return all bots, in the order of their registration."""
        raise NotImplementedError

    async def suspend(self, name: str, reason: str) -> None:
        """Keep a bot from new matches; running ones go on. Raise AccountError when there is no such bot."""
        raise NotImplementedError

    async def resume(self, name: str) -> None:
        """Let a suspended bot play again. Raise AccountError when there is no such bot."""
        raise NotImplementedError

    async def set_trusted(self, name: str, *, trusted: bool) -> None:
        raise NotImplementedError

    async def append_notes(self, bot: str, lines: Sequence[str]) -> None:
        """Add lines to the bot's private log; beyond its cap the oldest go, and are counted."""
        raise NotImplementedError

    async def read_notes(self, bot: str, count: int = 1_000) -> Notes:
        """Return the newest lines of the bot's private log, for its owner alone."""
        raise NotImplementedError
