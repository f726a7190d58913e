"""The files that matches' options name, such as card sets: asked of the server by their hashes when a match starts with
one that is not known yet, so that a bot's view, actions and `Turn.sample` are those of the game with that file.

What a server sends is checked: the text must have the hash that was asked for, and the game must be able to read it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any
from weakref import WeakKeyDictionary

import grpc
from grpc import aio

from agon.codec.errors import CodecError
from agon.codec.ladder import GET_FILE, GetFileRequest
from agon_bots.sdk.link import Link
from agon_bots.sdk.text import printable
from agon_engine.core import MAX_FILE, Game, GameFile, MissingFileError, OptionsError, OptionValue
from agon_engine.registry import game_of, get_game

KEPT = 32
"""Files that are kept; then the one that came first is forgotten."""
ANSWER_SECONDS = 5.0
"""How long a server may take to send a file, each time it is asked."""
PAUSE_SECONDS = 0.5
"""Between two attempts, where the server is there and cannot answer just now."""
LONGEST_SECONDS = 30.0
"""For so long it is asked for a file: a match waits no longer."""
_LATER = (
    grpc.StatusCode.UNAVAILABLE,
    grpc.StatusCode.RESOURCE_EXHAUSTED,
    grpc.StatusCode.DEADLINE_EXCEEDED,
)


class Files:
    """The files that one client has been sent."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}
        self._asking: WeakKeyDictionary[Link, asyncio.Lock] = WeakKeyDictionary()
        """One at a time of each server, since many matches start at once with the same file."""

    def game(self, name: str, options: Mapping[str, OptionValue]) -> Game[Any] | None:
        """Return the game that is played with checked options; None where a file has to be asked for.

        Raise CodecError where the game cannot play with the file.
        """
        try:
            return game_of(name, options, self._texts)
        except MissingFileError:
            return None
        except OptionsError as error:
            raise CodecError(str(error).partition("\n")[0]) from error

    async def ask(self, link: Link, name: str, options: Mapping[str, OptionValue]) -> bool:
        """Ask for the files that checked options name and that are not known. Return False where the link has ended
        before they came: whoever comes back is told the start of the match again.

        Raise CodecError where the server has none, or sends something else.
        """
        async with self._asking.setdefault(link, asyncio.Lock()):
            for file in get_game(name).spec.files_of(options).values():
                if file in self._texts:
                    continue
                text = await _fetch(link, file)
                if text is None:
                    return False
                while len(self._texts) >= KEPT:
                    del self._texts[next(iter(self._texts))]
                self._texts[file] = text
        return True


async def _fetch(link: Link, file: str) -> str | None:
    """Return the text of a file; None where the link has ended."""
    deadline = asyncio.get_running_loop().time() + LONGEST_SECONDS
    while link.is_open:
        try:
            data = await link.call(GET_FILE.path, GET_FILE.request.encode(GetFileRequest(file)), ANSWER_SECONDS)
        except aio.AioRpcError as error:
            if error.code() not in _LATER or asyncio.get_running_loop().time() > deadline:
                raise CodecError(
                    f"the server does not send the file {file}: {printable(error.details() or '')}"
                ) from None
            await asyncio.sleep(PAUSE_SECONDS)
            continue

        if data is None:
            return None
        text = GET_FILE.response.decode(data).text
        if len(text) > MAX_FILE or GameFile.of(text).hash != file:
            raise CodecError(f"the server sends another file than {file}")
        return text
    return None
