"""Addresses, as bots and servers read them from settings, Offers and lists of lobbies."""

from __future__ import annotations

import pytest

from agon.address import Address, AddressError


@pytest.mark.parametrize(
    ("text", "host", "port"),
    [
        ("a.example:7420", "a.example", 7420),
        ("127.0.0.1:1", "127.0.0.1", 1),
        ("[::1]:65535", "::1", 65_535),
        ("[fe80::1%eth0]:5", "fe80::1%eth0", 5),
        ("a_b-c:80", "a_b-c", 80),
        (" lobby:7420\n", "lobby", 7420),
    ],
)
def test_an_address_prints_as_it_is_read(text: str, host: str, port: int) -> None:
    address = Address.parse(text)

    assert address == Address(host, port)
    assert str(address) == text.strip()
    assert address.with_port(6) == Address(host, 6)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "lobby",
        ":7420",
        "lobby:",
        "lobby:0",
        "lobby:65536",
        "lobby:-1",
        "lobby:+1",
        "lobby:٣",
        "lobby:007420",
        "::1:7420",
        "[]:7420",
        "[lobby]:7420",
        "[127.0.0.1]:7420",
        "a b:7420",
        "a,b:7420",
        "user@lobby:7420",
        "http://lobby:7420",
        "lobby/x:7420",
        "lob\x1bby:7420",
        "x" * 254 + ":7420",
        "7" * 100_000,
    ],
)
def test_anything_else_is_one_line_that_says_what_an_address_is(text: str) -> None:
    with pytest.raises(AddressError) as caught:
        Address.parse(text)

    message = str(caught.value)
    assert message.startswith("an address is HOST:PORT, or [IPV6]:PORT, with a port from 1 to 65535, not ")
    assert message.isprintable()
    assert len(message) < 250


def test_only_where_something_listens_the_system_may_choose_the_port() -> None:
    assert Address.parse("127.0.0.1:0", listens=True) == Address("127.0.0.1", 0)
    with pytest.raises(AddressError, match="with a port from 0 to 65535"):
        Address.parse("127.0.0.1:65536", listens=True)


@pytest.mark.parametrize(
    ("host", "loopback", "unspecified"),
    [
        ("localhost", True, False),
        ("127.8.9.1", True, False),
        ("::1", True, False),
        ("0.0.0.0", False, True),
        ("::", False, True),
        ("localhost.example", False, False),
        ("10.0.0.1", False, False),
    ],
)
def test_what_stays_on_this_machine_and_what_nobody_can_dial_is_known(
    host: str, loopback: bool, unspecified: bool
) -> None:
    address = Address(host, 1)

    assert (address.is_loopback, address.is_unspecified) == (loopback, unspecified)
