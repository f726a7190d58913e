"""What an error of the client library means: the store cannot do its work now, and what to do; or the call is wrong."""

from __future__ import annotations

import pytest
from redis import exceptions

from agon_server.store.client import RestartedError, translated
from agon_server.store.errors import Away, StoreError, StoreUnavailableError

NOT_NOW: list[tuple[Exception, Away, str]] = [
    (exceptions.ConnectionError("Error 111 connecting"), Away.UNREACHABLE, "does it run"),
    (FileNotFoundError("no such file"), Away.UNREACHABLE, "does it run"),
    (RestartedError(), Away.UNREACHABLE, "is just back"),
    (TimeoutError(), Away.NO_ANSWER, "is it paused"),
    (exceptions.TimeoutError("Timeout connecting to server"), Away.NO_ANSWER, "is it paused"),
    (exceptions.ResponseError("BUSY Valkey is busy running a script."), Away.NO_ANSWER, "SCRIPT KILL"),
    (exceptions.BusyLoadingError("Redis is loading the dataset in memory"), Away.LOADING, "still reads its data"),
    (exceptions.ResponseError("MISCONF Errors writing to the AOF file"), Away.DISK, "make room there"),
    (exceptions.OutOfMemoryError("command not allowed when used memory"), Away.MEMORY, "raise its maxmemory"),
    (exceptions.ReadOnlyError("You can't write against a read only replica."), Away.REPLICA, "the primary's URL"),
    (exceptions.MasterDownError("Link with MASTER is down"), Away.REPLICA, "the primary's URL"),
    (exceptions.ResponseError("UNBLOCKED force unblock from blocking operation"), Away.REPLICA, "has become a replica"),
    (exceptions.ResponseError("NOREPLICAS Not enough good replicas to write."), Away.REPLICA, "min-replicas-to-write"),
    (exceptions.AuthenticationError("Authentication required."), Away.LOGIN, "wants a password"),
    (exceptions.AuthenticationError("invalid username-password pair"), Away.LOGIN, "refuses the password"),
    (exceptions.NoPermissionError("this user has no permissions"), Away.LOGIN, "more rights"),
]


@pytest.mark.parametrize(("error", "why", "words"), NOT_NOW, ids=lambda item: str(item)[:30])
def test_each_reason_why_a_store_cannot_be_used_has_words_that_say_what_to_do(
    error: Exception, why: Away, words: str
) -> None:
    meant = translated(error, "redis://there")

    assert isinstance(meant, StoreUnavailableError)
    assert meant.why is why
    assert str(meant).startswith("the store at redis://there ")
    assert words in str(meant)


def test_what_goes_wrong_while_the_library_connects_is_not_hidden_by_it() -> None:
    outer = exceptions.ConnectionError("Authentication required.")
    outer.__cause__ = exceptions.AuthenticationError("Authentication required.")

    meant = translated(outer, "there")

    assert isinstance(meant, StoreUnavailableError)
    assert meant.why is Away.LOGIN


@pytest.mark.parametrize(
    "text", ["ERR syntax error", "WRONGTYPE Operation against a key", "NOSCRIPT No matching script"]
)
def test_a_call_that_is_wrong_is_no_absence(text: str) -> None:
    meant = translated(exceptions.ResponseError(text), "there")

    assert type(meant) is StoreError
    assert "refuses a call" in str(meant)
