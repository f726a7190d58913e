"""What a server's Refused means for a run: some end it, all others are tried again. Pure."""

from __future__ import annotations

from agon.address import Address
from agon.codec.frames import Refused, RefusedCode
from agon_bots.sdk.errors import BotError, StoppedError, SurroundingsError, UsageError
from agon_bots.sdk.text import printable

_FATAL: dict[int, tuple[type[BotError], str]] = {
    RefusedCode.TOKEN: (UsageError, "the server does not know this token"),
    RefusedCode.GAME: (UsageError, "the server has none of the bot's games in this rules version"),
    RefusedCode.PROTOCOL: (SurroundingsError, "the server speaks another version of the protocol"),
    RefusedCode.HELLO_FIRST: (SurroundingsError, "the server does not understand this version's greeting"),
    RefusedCode.SUSPENDED: (StoppedError, "the bot is suspended"),
    RefusedCode.RETIRED: (StoppedError, "there are no matches for it any more"),
    RefusedCode.REPLACED: (StoppedError, "another process of this bot and instance has taken over"),
}


_EVERYWHERE = (RefusedCode.SUSPENDED, RefusedCode.RETIRED, RefusedCode.REPLACED)
"""These concern the bot and not the server that says so."""


def fatal_error(address: Address, refused: Refused | None, *, is_lobby: bool) -> BotError | None:
    """Return the error that ends the run; None where coming back may help.

    A referee that an Offer named may be the wrong server, for which the others are not to blame.
    """
    if refused is None or refused.code not in (_FATAL if is_lobby else _EVERYWHERE):
        return None

    kind, what = _FATAL[refused.code]
    details = [printable(refused.message), f"it needs {printable(refused.needed)}" if refused.needed else ""]
    return kind("".join(f": {part}" for part in (f"{address}: {what}", *details) if part)[2:])


def reason(refused: Refused) -> str:
    """Return why a stream was refused, as the server says it."""
    return refused.message or f"refused: {refused.code!r}"
