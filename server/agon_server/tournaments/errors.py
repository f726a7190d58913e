"""The errors of tournaments, as a tree; each is one line that says what to do.

TournamentError
├── BegunError          the folder has a tournament already
├── NotBegunError       the folder has none
└── ChangedError        the file says something else than when the tournament began; what, line by line
"""

from __future__ import annotations

from collections.abc import Sequence


class TournamentError(Exception):
    """Base of all errors that tournaments raise on purpose."""


class BegunError(TournamentError):
    """The folder has a tournament already."""


class NotBegunError(TournamentError):
    """The folder has no tournament."""


class ChangedError(TournamentError):
    """The definition is another one than that of the tournament in the folder."""

    def __init__(self, message: str, differences: Sequence[str]) -> None:
        super().__init__(message)
        self.differences = tuple(differences)
