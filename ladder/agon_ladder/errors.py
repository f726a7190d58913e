"""The errors of the ladder, as a tree; catch the narrowest that you can answer.

LadderError               base of all; also a ValueError, since each names a value that was given
├── ResultError           a result that cannot be rated: damaged, of another ladder, or contradicting itself
│   └── OrderError        a result that is not later in the stream than the last one folded
├── ScheduleError         a line-up, block or place that cannot be
├── SprtError             bounds of a sequential test that cannot be, or a block that is none of its own
├── UnknownSystemError    no rating system of that name
└── MissingLibraryError   what was asked for needs a library that is not installed

Messages are lower case, without a full stop, and end with the offending value's repr where there is one.
"""

from __future__ import annotations


class LadderError(ValueError):
    """Base of all errors that the ladder raises on purpose."""


class ResultError(LadderError):
    """A result is damaged, belongs to another ladder or contradicts itself; nothing was changed by it."""


class OrderError(ResultError):
    """A result is not later in the stream than the last one folded; nothing was changed by it."""


class ScheduleError(LadderError):
    """A line-up, block or place cannot be."""


class SprtError(LadderError):
    """A sequential test cannot be as asked for, or was given a block of another line-up."""


class UnknownSystemError(LadderError):
    """This installation has no rating system of that name."""


class MissingLibraryError(LadderError):
    """What was asked for needs a library that is not installed; the message says how to get it."""
