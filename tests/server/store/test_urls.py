"""URLs of stores: which texts are one, and that none is ever shown with a password in it."""

from __future__ import annotations

import pytest

from agon_server.store.urls import is_store_url, shown_url


@pytest.mark.parametrize("text", ["redis://host", "rediss://:p@host:6380/0", "unix:///run/a.sock", "redis://[::1]:1"])
def test_a_text_is_a_store_s_url(text: str) -> None:
    assert is_store_url(text)


@pytest.mark.parametrize(
    "text", ["", "host:6379", "http://host", "redis://", "redis://[::1", "redis://host:port", "redis://host:65536"]
)
def test_a_text_is_none(text: str) -> None:
    assert not is_store_url(text)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("redis://host:6379/0", "redis://host:6379/0"),
        ("rediss://user:secret@host:6380/0?password=secret", "rediss://host:6380/0"),
        ("unix://:secret@/run/a.sock", "unix:///run/a.sock"),
        ("unix:///run/a@b.sock?db=1", "unix:///run/a@b.sock"),
        ("user:secret@host:6379", "host:6379"),
        ("redis://:se?cret@host", "redis://…"),
        ("redis://:se#cret@host", "redis://…"),
        ("redis://:se/cret@host", "redis://host"),
        ("redis://:secret@[host", "redis://[host"),
        ("redis://host?password=sec@ret", "redis://…"),
    ],
)
def test_a_url_is_shown_without_a_password(text: str, shown: str) -> None:
    assert shown == shown_url(text)
