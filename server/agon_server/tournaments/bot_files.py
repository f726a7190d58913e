"""Which files the bots of a tournament are, by their hashes, kept in its folder: `bots.json` has those of the start,
and those of each time that it went on with others. What files import, or open, is not looked at.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple, Self

from agon_server.config import ConfigError
from agon_server.store.folder import write_private
from agon_server.surroundings import SMALL, read_up_to, reason_of
from agon_server.tournaments.definition import TournamentDef
from agon_server.tournaments.errors import ChangedError, TournamentError

FORMAT: Final = 1
"""The version of `bots.json`; rises with every change of what it means."""
_FILE: Final = "bots.json"
_MAX_BYTES: Final = 64 * SMALL

Hashes = Mapping[str, Mapping[str, str]]
"""By bot and file, as the tournament's file names both: BLAKE2b-256 in hex, what `b2sum -l 256` prints."""


class Change(NamedTuple):
    """A file that was another one from some match on."""

    bot: str
    file: str
    after: int
    """Matches that were played before."""

    @property
    def told(self) -> str:
        return f"{self.bot}: {self.file} was changed after {self.after} matches"


class Used(NamedTuple):
    """What was played with from some match on."""

    after: int
    """Matches that were played before."""
    bots: Hashes


@dataclass(frozen=True, slots=True)
class BotFiles:
    """All that was played with, in the order of time."""

    used: tuple[Used, ...] = ()

    @classmethod
    def read(cls, folder: Path) -> Self:
        """Return what a folder keeps; nothing where it keeps nothing. Raise TournamentError where that is damaged."""
        path = folder / _FILE
        try:
            data = json.loads(read_up_to(path, _MAX_BYTES))
            if data["format"] != FORMAT:
                raise ValueError(f"its format is {data['format']!r}, this version of Agon reads {FORMAT}")
            return cls(tuple(Used(int(each["after"]), _hashes(each["bots"])) for each in data["used"]))
        except FileNotFoundError:
            return cls()
        except OSError as error:
            raise TournamentError(f"cannot read a tournament's file ({reason_of(error)}): {str(path)!r}") from None
        except (AttributeError, KeyError, RecursionError, TypeError, ValueError) as error:
            raise TournamentError(f"a tournament's file is damaged ({error}): {str(path)!r}") from None

    def keep(self, folder: Path, now: Hashes, after: int, *, may_change: bool = False) -> BotFiles:
        """Keep what is played with from here on; return all.

        Raise ChangedError where that is something else than before, unless it may be, and TournamentError where
        matches were played and it is not known with what.
        """
        if not self.used and after:
            raise TournamentError(f"it is not known which bots were played, without {str(folder / _FILE)!r}")
        if self.used and self.used[-1].bots == now:
            return self
        before = self.used if after else ()  # what was never played with needs not be known
        if before and not may_change:
            raise ChangedError("files of bots are others than before", self.differences(now))

        kept = BotFiles((*before, Used(after, now)))
        told = [{"after": each.after, "bots": each.bots} for each in kept.used]
        write_private(folder / _FILE, (json.dumps({"format": FORMAT, "used": told}, indent=1) + "\n").encode())
        return kept

    def differences(self, now: Hashes) -> list[str]:
        """Return what is another file now, a line each."""
        before = self.used[-1].bots if self.used else {}
        return [
            f"{file} of {bot} was {before.get(bot, {}).get(file, 'not there')}, and is "
            f"{now.get(bot, {}).get(file, 'not there')}"
            for bot, file in _changed(before, now)
        ]

    @property
    def now(self) -> Hashes:
        """What was played with last."""
        return self.used[-1].bots if self.used else {}

    @property
    def changes(self) -> Sequence[Change]:
        """Return all that was changed since the start."""
        return [
            Change(bot, file, after)
            for (_, before), (after, now) in zip(self.used, self.used[1:], strict=False)
            for bot, file in _changed(before, now)
        ]


def hashes_of(definition: TournamentDef) -> Hashes:
    """Return the hashes of all files that the bots of a tournament are. Raise ConfigError where one cannot be read."""
    found: dict[str, Mapping[str, str]] = {}
    for bot in definition.bots:
        if of_bot := {name: _hash(path) for name, path in bot.files()}:
            found[bot.name] = of_bot
    return found


def _hash(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=32)).hexdigest()
    except OSError as error:
        raise ConfigError(f"cannot read a bot's file ({reason_of(error)}): {str(path)!r}") from None


def _changed(before: Hashes, now: Hashes) -> list[tuple[str, str]]:
    pairs = [(bot, file) for hashes in (before, now) for bot in hashes for file in hashes[bot]]
    return [
        (bot, file) for bot, file in dict.fromkeys(pairs) if before.get(bot, {}).get(file) != now.get(bot, {}).get(file)
    ]


def _hashes(data: Mapping[str, Mapping[str, str]]) -> Hashes:
    return {str(bot): {str(name): str(value) for name, value in files.items()} for bot, files in data.items()}
