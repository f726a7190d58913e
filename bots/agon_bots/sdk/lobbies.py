"""The lobbies of an installation that a bot knows, and which to try next. Pure; the time is passed in."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from agon.address import Address, AddressError

ENDING_SECONDS = 60.0
"""How long a lobby that is ending is not tried before all others."""
MAX_LOBBIES = 64
"""More are not kept, whoever names them."""


class Lobbies:
    """The same lobby first, after a failure the next one; one that asked for a delay only after it."""

    def __init__(self, addresses: Sequence[Address]) -> None:
        self._addresses = list(addresses)
        self._next = 0
        self._not_before: dict[Address, float] = {}
        """What each one asked for."""
        self._ending_until: dict[Address, float] = {}

    def pick(self, now: float) -> tuple[Address, float]:
        """Return the lobby to try next, and for how many seconds it asked to be left alone."""
        count = len(self._addresses)
        order = [self._addresses[(self._next + step) % count] for step in range(count)]
        address = min(order, key=lambda address: (self._asked(address, now), self._is_ending(address, now)))
        self._next = self._addresses.index(address)
        return address, self._asked(address, now)

    def _asked(self, address: Address, now: float) -> float:
        return max(0.0, self._not_before.get(address, 0.0) - now)

    def _is_ending(self, address: Address, now: float) -> bool:
        return now < self._ending_until.get(address, 0.0)

    def failed(self, address: Address, now: float, asked: float, *, welcomed: bool) -> None:
        """Note that a stream to a lobby ended; one that had worked is tried once more before the others."""
        if asked:
            self._not_before[address] = now + asked
        if asked or not welcomed:
            self._next = (self._addresses.index(address) + 1) % len(self._addresses)

    def ends(self, address: Address, now: float) -> None:
        """Note that a lobby takes no new matches: others are tried before it. Where all end, as in a rolling restart,
        the first is soon back, and is not waited for."""
        self._ending_until[address] = now + ENDING_SECONDS
        self._next = (self._addresses.index(address) + 1) % len(self._addresses)

    def has_other(self, address: Address) -> bool:
        return any(other != address for other in self._addresses)

    def learn(self, addresses: Sequence[str]) -> None:
        """Add the lobbies that a server names; what is no address is left out, and what is too many."""
        for text in addresses[:MAX_LOBBIES]:
            with suppress(AddressError):
                address = Address.parse(text)
                if address not in self._addresses and len(self._addresses) < MAX_LOBBIES:
                    self._addresses.append(address)

    def __str__(self) -> str:
        return ", ".join(map(str, self._addresses))
