"""Bots and their tokens: who may play, for whom, and the private log of each. Who may read or change what is decided by
the services; nothing here knows a caller."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b

from agon_server.names import BOT_NAME, BOT_RULE
from agon_server.store import keys
from agon_server.store.connection import Store

TOKEN_PREFIX = "agon_"  # noqa: S105 - how tokens begin, so that people and scanners know them
_MAX_TOKEN = 200
_LINE_BYTES = 8 * 1024
"""A longer line of a private log is cut, with a mark."""


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
    """Oldest first; where something was cut before them, the first one says `truncated N bytes`."""
    truncated: int
    """Bytes at the log's beginning that are no longer there."""


class Accounts:
    """The bots of an installation."""

    def __init__(self, store: Store, *, log_bytes: int = 256 * 1024) -> None:
        """`log_bytes` is what is kept of each private log."""
        self._store = store
        self._log_bytes = log_bytes

    async def register(self, name: str, owner: str | None = None, *, house: bool = False, trusted: bool = False) -> str:
        """Register a bot and return its token, which is shown this once. Its owner is by default one of its own.

        Raise AccountError when the name is taken or cannot be one.
        """
        _check_name("a bot's name", name)
        if owner is not None:
            _check_name("an owner", owner)
        token = _new_token()
        if not await self._store.script("bot_register", name, owner or name, _hashed(token), int(trusted), int(house)):
            raise AccountError(f"there is a bot of that name already {name!r}")
        return token

    async def renew(self, name: str) -> str:
        """Return a new token; the old one is invalid at once. Raise AccountError when there is no such bot."""
        token = _new_token()
        if not await self._store.script("bot_renew", name, _hashed(token)):
            raise _no_bot(name)
        return token

    async def authenticate(self, token: str) -> Bot | None:
        """Return the bot of a token, suspended ones too; None for anything else."""
        if len(token) > _MAX_TOKEN:
            return None
        hashed = _hashed(token)
        name = await self._store.command("HGET", keys.TOKENS, hashed)
        if name is None:
            return None

        fields = await self._fields(name.decode())
        # The look-up was by the hash, which tells nothing of the token; the comparison is constant in time anyway.
        if fields is None or not hmac.compare_digest(fields["token"], hashed):
            return None
        return _bot(name.decode(), fields)

    async def get(self, name: str) -> Bot | None:
        fields = await self._fields(name)
        return None if fields is None else _bot(name, fields)

    async def list(self) -> list[Bot]:
        """Return all bots, in the order of their registration."""
        names = [name.decode() for name in await self._store.command("ZRANGE", keys.BOTS, 0, -1)]
        return [bot for name in names if (bot := await self.get(name)) is not None]

    async def suspend(self, name: str, reason: str) -> None:
        """Keep a bot from new matches; running ones go on. Raise AccountError when there is no such bot."""
        if not reason.strip():
            raise AccountError(f"a suspension needs a reason that the owner can read, not {reason!r}")
        await self._set(name, "suspended", reason, "suspended_at", "NOW")

    async def resume(self, name: str) -> None:
        """Let a suspended bot play again. Raise AccountError when there is no such bot."""
        await self._set(name, "suspended", "", "suspended_at", "")

    async def set_trusted(self, name: str, *, trusted: bool) -> None:
        """Declare whether a bot is trusted not to remember. Raise AccountError when there is no such bot."""
        await self._set(name, "trusted", str(int(trusted)))

    # -- the private log -----------------------------------------------------------------------------------------

    async def append_notes(self, bot: str, lines: Sequence[str]) -> None:
        """Add lines to the bot's private log; beyond its cap the oldest go, and are counted."""
        if lines:
            whole = (part for line in lines for part in line.splitlines() or [""])
            await self._store.script("notes_append", bot, self._log_bytes, *map(_cut_line, whole))

    async def read_notes(self, bot: str, count: int = 1_000) -> Notes:
        """Return the newest lines of the bot's private log, for its owner alone."""
        if count < 1:
            raise AccountError(f"at least one line is read, not {count!r}")
        raw = await self._store.command("LRANGE", keys.NOTES + bot, -count, -1)
        cut = int(await self._store.command("HGET", keys.NOTES_SIZE + bot, "cut") or 0)
        lines = [line.decode("utf-8", "replace") for line in raw]
        if cut and len(lines) < count:
            lines.insert(0, f"truncated {cut} bytes")
        return Notes(tuple(lines), cut)

    # -- fields --------------------------------------------------------------------------------------------------

    async def _fields(self, name: str) -> dict[str, str] | None:
        flat = await self._store.command("HGETALL", keys.BOT + name)
        if not flat:
            return None
        return {field.decode(): value.decode() for field, value in zip(flat[::2], flat[1::2], strict=True)}

    async def _set(self, name: str, *pairs: str) -> None:
        if not await self._store.script("bot_set", name, *pairs):
            raise _no_bot(name)


def _bot(name: str, fields: dict[str, str]) -> Bot:
    return Bot(
        name=name,
        owner=fields["owner"],
        created=int(fields["created"]),
        trusted=fields.get("trusted") == "1",
        house=fields.get("house") == "1",
        suspended=fields.get("suspended", ""),
        suspended_at=int(fields.get("suspended_at", 0)),
    )


def _no_bot(name: str) -> AccountError:
    return AccountError(f"there is no bot {name!r}")


def _check_name(what: str, name: str) -> None:
    if BOT_NAME.fullmatch(name) is None:
        raise AccountError(f"{what} is {BOT_RULE}, not {name!r}")


def _new_token() -> str:
    return TOKEN_PREFIX + secrets.token_urlsafe(32)


def _hashed(token: str) -> str:
    return blake2b(token.encode("utf-8", "replace"), digest_size=32).hexdigest()


def _cut_line(line: str) -> bytes:
    raw = line.encode("utf-8", "replace")
    if len(raw) <= _LINE_BYTES:
        return raw
    kept = raw[:_LINE_BYTES].decode("utf-8", "ignore").encode()
    return kept + f" (truncated {len(raw) - len(kept)} bytes)".encode()
