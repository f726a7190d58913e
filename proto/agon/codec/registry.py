"""The games that the codec knows; a new game is one line here, beside its line in the `oneof` of `agon.v1.View`."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

from agon.codec.errors import CodecError
from agon.codec.views import GameCodec

_CODECS = {
    "cyclades": "agon.codec.cyclades:CODEC",
    "elysium": "agon.codec.elysium:CODEC",
    "ephyran": "agon.codec.ephyran:CODEC",
}


def codec_names() -> tuple[str, ...]:
    """Return the names of all games that have a codec, in alphabetical order."""
    return tuple(sorted(_CODECS))


@cache
def get_codec(game: str) -> GameCodec[Any]:
    """Return the codec of a game. Raise CodecError when there is none of that name; the message lists all."""
    if game not in _CODECS:
        raise CodecError(f"no codec for the game {game!r}; there are {', '.join(codec_names())}")

    module, _, attribute = _CODECS[game].partition(":")
    codec: GameCodec[Any] = getattr(import_module(module), attribute)
    return codec
