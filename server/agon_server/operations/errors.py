"""The errors of operations, as a tree: what an organiser, operator or bot author asked for and cannot have.

OperationError
├── InvalidError          the request makes no sense as it is (a name, a number, an option)
├── NotFoundError         no such bot, ladder, match, block or dead letter
├── ExistsError           the name is taken
├── PreconditionError     not now: the ladder is closed, a shared deal is not over, nothing to play it with
├── UnauthenticatedError  no token, or a wrong one
├── DeniedError           a good token, but not for this
├── LimitError            too much at a time; `retry_ms` tells when trying again may help
└── UnreachableError      the server, or the store behind it, does not answer now
    └── SilentError       a server is there, and says nothing

`services.status` gives each its gRPC status, `cli.failures` its exit code: one table each. Messages are lower case,
without a full stop, and end with the offending value's repr where there is one.
"""

from __future__ import annotations


class OperationError(Exception):
    """Base of all errors that operations raise on purpose."""


class InvalidError(OperationError, ValueError):
    """The request makes no sense as it is."""


class NotFoundError(OperationError, LookupError):
    """There is no such thing."""


class ExistsError(OperationError):
    """The name is taken."""


class PreconditionError(OperationError):
    """What was asked for cannot be done now; the message says what has to happen before."""


class UnauthenticatedError(OperationError):
    """No token was given, or one that nobody has."""


class DeniedError(OperationError):
    """The token is good, but not for this."""


class LimitError(OperationError):
    """Too much at a time."""

    def __init__(self, message: str, retry_ms: int = 0) -> None:
        super().__init__(message)
        self.retry_ms = retry_ms


class UnreachableError(OperationError):
    """The server, or the store behind it, does not answer now."""


class SilentError(UnreachableError):
    """A server is there, and says nothing: it stands still, or is held up."""
