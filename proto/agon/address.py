"""Where a server listens or is reached, as text `HOST:PORT`: in Offers and lists of lobbies, in settings and on command
lines. One set of rules for bots and servers; nothing is looked up. Standard library only.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address

_NAME = re.compile(r"[\w.-]{1,253}")
_MAX_PORT = 65_535
_SHOWN = 100


class AddressError(ValueError):
    """A text is no address; the message says what one is."""


@dataclass(frozen=True, slots=True)
class Address:
    """A host, by name or number, and a port."""

    host: str
    port: int
    """1 to 65535; where something is to listen also 0, by which the system chooses one."""

    @classmethod
    def parse(cls, text: str, *, listens: bool = False) -> Address:
        """Read `HOST:PORT` or `[IPV6]:PORT`; space around it counts for nothing. Raise AddressError for anything else.

        `listens` allows port 0.

        >>> Address.parse("[::1]:7420")
        Address(host='::1', port=7420)
        """
        host, _, port = text.strip().rpartition(":")
        is_bracketed = host.startswith("[") and host.endswith("]")
        host = host[1:-1] if is_bracketed else host
        is_host = _is_ipv6(host) if is_bracketed else _NAME.fullmatch(host) is not None
        lowest = 0 if listens else 1
        # ASCII digits only, which \d and isdigit do not say.
        is_port = re.fullmatch(r"[0-9]{1,5}", port) is not None and lowest <= int(port) <= _MAX_PORT
        if not (is_host and is_port):
            shown = text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."
            raise AddressError(
                f"an address is HOST:PORT, or [IPV6]:PORT, with a port from {lowest} to {_MAX_PORT}, not {shown!r}"
            )

        return cls(host, int(port))

    @property
    def is_loopback(self) -> bool:
        """Tell whether what is said to it cannot leave this machine."""
        if self.host == "localhost":
            return True
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return False

    @property
    def is_unspecified(self) -> bool:
        """Tell whether it stands for all addresses of this machine, so that nobody can dial it."""
        try:
            return ip_address(self.host).is_unspecified
        except ValueError:
            return False

    def with_port(self, port: int) -> Address:
        return Address(self.host, port)

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def _is_ipv6(host: str) -> bool:
    try:
        IPv6Address(host)
    except ValueError:
        return False
    return True
