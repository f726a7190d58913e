"""What a server's Refused means for a run: some end it, all others are tried again. Pure."""

from __future__ import annotations

from agon.address import Address
from agon.codec.frames import Refused, RefusedCode
from agon_bots.sdk.errors import BotError, StoppedError, SurroundingsError, UsageError

_FATAL: dict[int, tuple[type[BotError], str]] = {
    RefusedCode.TOKEN: (UsageError, "the server does not know this token"),
    RefusedCode.GAME: (UsageError, "the server has none of the bot's games in this rules version"),
    RefusedCode.PROTOCOL: (SurroundingsError, "the server speaks another version of the protocol"),
    RefusedCode.HELLO_FIRST: (SurroundingsError, "the server does not understand this version's greeting"),
    RefusedCode.SUSPENDED: (StoppedError, "the bot is suspended"),
    RefusedCode.REPLACED: (StoppedError, "another process of this bot and instance has taken over"),
}


def fatal_error(address: Address, refused: Refused | None) -> BotError | None:
    """Return the error that ends the run; None where coming back may help."""
    if refused is None or refused.code not in _FATAL:
        return None

    kind, what = _FATAL[refused.code]
    details = [refused.message, f"it needs {refused.needed}" if refused.needed else ""]
    return kind("".join(f": {part}" for part in (f"{address}: {what}", *details) if part)[2:])
