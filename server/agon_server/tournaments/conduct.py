"""How the bots of a tournament behaved: how often each did not play to the end, and what its code raised, each kind
once with its traceback. The first follows from the results; the second is kept in `errors.json` of its folder.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

from agon_engine.core.policy import Termination
from agon_server.store.folder import write_private
from agon_server.surroundings import SMALL, read_up_to, reason_of
from agon_server.tournaments.errors import TournamentError

MAX_KINDS: Final = 20
"""Kinds of errors of one bot that are kept."""
MAX_TEXT: Final = 4_000
"""Characters of a traceback that are kept: its end, where the error is."""
MAX_LINE: Final = 500
MAX_KIND: Final = 200
"""The same of what is told in a line, and of the name of a kind: their beginnings."""
MAX_ERRORS: Final = 500
"""Kinds of errors of all bots that are kept, so that the file is always one that can be read again."""
_FILE: Final = "errors.json"
_FORMAT: Final = 1
MAX_BYTES: Final = 64 * SMALL


class Conduct:
    """Counts, by bot, how its seats ended."""

    def __init__(self) -> None:
        self.seats: Counter[str] = Counter()
        self.otherwise: defaultdict[str, Counter[Termination]] = defaultdict(Counter)
        """How often, where the game did not come to its end by the rules for that seat."""

    def add(self, bots: Sequence[str], terminations: Sequence[Termination]) -> None:
        """Count a match in; both by seat."""
        for bot, why in zip(bots, terminations, strict=True):
            self.seats[bot] += 1
            if why is not Termination.SCORE:
                self.otherwise[bot][why] += 1

    def told(self) -> list[str]:
        """Return a line for each bot that did not always play to the end."""
        return [
            f"{bot}: {ended.total()} of its {self.seats[bot]} matches ended otherwise: "
            + ", ".join(f"{why} {count}" for why, count in sorted(ended.items()))
            for bot, ended in sorted(self.otherwise.items())
        ]


class KeptError(NamedTuple):
    """The first error of its kind."""

    bot: str
    match: str
    kind: str
    line: str
    traceback: str


class ErrorBook:
    """The errors that a tournament's folder keeps."""

    def __init__(self, folder: Path) -> None:
        """Read those that were kept before. Raise TournamentError where the file is damaged."""
        self.path = folder / _FILE
        self.errors = _read(self.path)
        self._known = {(error.bot, error.kind) for error in self.errors}
        self._kinds = Counter(error.bot for error in self.errors)

    def add(self, error: KeptError) -> bool:
        """Keep an error that is the first of its kind, as long as there is room; tell whether it is kept."""
        error = KeptError(
            error.bot, error.match, error.kind[:MAX_KIND], error.line[:MAX_LINE], error.traceback[-MAX_TEXT:]
        )
        if (error.bot, error.kind) in self._known or self._kinds[error.bot] >= MAX_KINDS:
            return False
        if len(self.errors) >= MAX_ERRORS:
            return False

        self._known.add((error.bot, error.kind))
        self._kinds[error.bot] += 1
        self.errors.append(error)
        told = {"format": _FORMAT, "errors": [kept._asdict() for kept in self.errors]}
        write_private(self.path, (json.dumps(told, indent=1) + "\n").encode())
        return True


def _read(path: Path) -> list[KeptError]:
    try:
        data = json.loads(read_up_to(path, MAX_BYTES))
        if data["format"] != _FORMAT:
            raise ValueError(f"its format is {data['format']!r}, this version of Agon reads {_FORMAT}")
        return [KeptError(*(str(each[name]) for name in KeptError._fields)) for each in data["errors"]]
    except FileNotFoundError:
        return []
    except OSError as error:
        raise TournamentError(f"cannot read a tournament's file ({reason_of(error)}): {str(path)!r}") from None
    except (KeyError, RecursionError, TypeError, ValueError) as error:
        raise TournamentError(f"a tournament's file is damaged ({error}): {str(path)!r}") from None
