"""The errors of the store and of what is kept in it, as a tree; catch the narrowest that you can answer.

StoreError
├── StoreUnavailableError   the store cannot do its work now; the same call may work later
├── StoreRefusedError       the store answers, but cannot be used: too old, a cluster, evicting, not persistent
├── DataFolderError         the data folder cannot be used: in use, not writable, damaged, too deep for a socket
│   └── FolderInUseError    another process has it; `holder` is which, `is_server` what
├── QueueEntryError         a queue entry, or a part of it, that cannot be understood (also a ValueError)
├── DuplicateMatchError     the match, or its place in the block, was queued before
├── UnknownMatchError       no such match or dead letter
└── FencedError             another process leads the ladders now, and what this one would have written is not

Messages are lower case, without a full stop, and end with the offending value's repr where there is one.
"""

from __future__ import annotations

from enum import Enum


class Away(Enum):
    """Why a store cannot be used now. Few, since metrics have them as a label."""

    UNREACHABLE = "unreachable"
    """Nobody listens there, or the connection broke."""
    NO_ANSWER = "no_answer"
    """It does not answer in time: paused, stopped, or busy with something long."""
    LOADING = "loading"
    """It has just started and still reads its data."""
    DISK = "disk"
    """It cannot write to its disk, and so takes nothing."""
    MEMORY = "memory"
    """Its memory limit is reached."""
    LOGIN = "login"
    """It refuses the password, or its user may not do what Agon needs."""
    REPLICA = "replica"
    """It is a replica, which takes nothing."""
    UNFIT = "unfit"
    """It is a server that Agon cannot use: too old, or a cluster."""
    EMPTIED = "emptied"
    """All data is gone."""


class StoreError(Exception):
    """Base of all errors about the store that are raised on purpose."""


class StoreUnavailableError(StoreError):
    """The store cannot do its work now; the message says what to do about it. Whether the call took effect is unknown;
    all calls here may be repeated."""

    def __init__(self, message: str, why: Away = Away.UNREACHABLE) -> None:
        super().__init__(message)
        self.why = why


class StoreRefusedError(StoreError):
    """The store answers, but Agon cannot rely on it; the message says what to change."""


class DataFolderError(StoreError):
    """The data folder, or the embedded store in it, cannot be used; the message says why."""


class FolderInUseError(DataFolderError):
    """Another process has the data folder; `holder` is which one, None where that is not known, and `who` its name for
    people, with the command where that is known."""

    def __init__(self, message: str, holder: int | None, who: str, *, is_server: bool) -> None:
        super().__init__(message)
        self.holder = holder
        self.who = who
        self.is_server = is_server


class QueueEntryError(StoreError, ValueError):
    """A queue entry is not JSON, has unknown or missing fields, or a value out of range."""


class DuplicateMatchError(StoreError):
    """The match id, or the place in its block, was queued before.

    `match` is the id that was; after a lost answer it is how a repeated `enqueue` learns that the first one worked.
    """

    def __init__(self, message: str, match: str) -> None:
        super().__init__(message)
        self.match = match


class UnknownMatchError(StoreError, LookupError):
    """There is no match or dead letter of that id."""


class FencedError(StoreError):
    """Another process has the lease of the ladders now; what was under way under the older token changed nothing."""
