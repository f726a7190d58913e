"""Whoever asks the metrics' port slowly keeps nobody from it, and no server from ending."""

from __future__ import annotations

import http.client
import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress

import pytest
from prometheus_client import CollectorRegistry
from tests.support.patience import PATIENCE

from agon.address import Address
from agon_server.exposition import REQUESTS, Exposition


@contextmanager
def dawdlers(address: Address, count: int) -> Iterator[None]:
    """Clients whose requests come letter by letter and never end."""
    done = threading.Event()

    def drip(client: socket.socket) -> None:
        with suppress(OSError):
            client.sendall(b"GET /metrics HTTP/1.1\r\nX: ")
            while not done.wait(0.05):
                client.sendall(b"y")

    with ExitStack() as stack:
        clients = [
            stack.enter_context(socket.create_connection((address.host, address.port), timeout=PATIENCE))
            for _ in range(count)
        ]
        threads = [threading.Thread(target=drip, args=(client,)) for client in clients]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            done.set()
            for thread in threads:
                thread.join()


@pytest.fixture
def exposition() -> Iterator[Exposition]:
    made = Exposition(Address("127.0.0.1", 0), CollectorRegistry(), str)
    yield made
    made.close()


def test_who_dawdles_makes_room(exposition: Exposition) -> None:
    with dawdlers(exposition.address, REQUESTS * 2):
        connection = http.client.HTTPConnection(exposition.address.host, exposition.address.port, timeout=PATIENCE)
        connection.request("GET", "/healthz")

        assert connection.getresponse().read() == b"serving\n"
        connection.close()


def test_who_dawdles_keeps_no_server_from_ending(exposition: Exposition, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agon_server.exposition.ROOM_SECONDS", float("inf"))
    closing = threading.Thread(target=exposition.close, daemon=True)
    with dawdlers(exposition.address, REQUESTS * 2):
        closing.start()
        closing.join(PATIENCE)

        assert not closing.is_alive()
