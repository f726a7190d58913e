"""`/metrics` and `/healthz` over HTTP, on a port of their own. A thread serves them, so that a scrape never waits
for a match nor a match for more than the formatting of the numbers. Knows nothing of what the numbers mean.
"""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from socketserver import TCPServer, ThreadingMixIn
from time import monotonic
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from prometheus_client import CollectorRegistry, disable_created_metrics, make_wsgi_app

from agon.address import Address

READ_SECONDS = 5
"""A scraper that has not sent its request by then is cut off."""
REQUESTS = 8
"""Requests answered at a time; more wait in the kernel's queue."""
ROOM_SECONDS = 1.0
"""A request that takes longer is cut off when others wait: one that comes letter by letter could else stay for ever."""
ROOM_TRIES = 0.01
"""How often is looked whether one that is cut off has made room."""

StartResponse = Callable[[str, list[tuple[str, str]]], Any]


class _Handler(WSGIRequestHandler):
    timeout = READ_SECONDS

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # the base class's name
        """Log nothing: a scrape every few seconds is no news."""


class _Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, *args: Any) -> None:
        self._free = threading.BoundedSemaphore(REQUESTS)
        self._lock = threading.Lock()
        self._began: dict[Any, float] = {}
        """The requests that are being answered, the oldest first, and since when."""
        self._is_closing = False
        super().__init__(*args)

    def server_bind(self) -> None:
        # Not HTTPServer's: it asks the DNS for a name that nobody needs, and may wait for it.
        TCPServer.server_bind(self)
        self.server_name = str(self.server_address[0])
        self.server_port = int(self.server_address[1])
        self.setup_environ()

    def process_request(self, request: Any, client_address: Any) -> None:
        while not self._free.acquire(timeout=ROOM_TRIES):
            self._cut(0.0 if self._is_closing else ROOM_SECONDS)
        with self._lock:
            self._began[request] = monotonic()
        try:
            super().process_request(request, client_address)
        except BaseException:  # there is no thread for it
            self._ended(request)
            raise

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._ended(request)

    def _ended(self, request: Any) -> None:
        with self._lock:
            del self._began[request]
        self._free.release()

    def _cut(self, seconds: float) -> None:
        """Cut off the requests that have taken so long already; their threads notice and end."""
        with self._lock:
            late = [request for request, began in self._began.items() if monotonic() - began >= seconds]
        for request in late:
            with suppress(OSError):  # it has just ended by itself
                request.shutdown(socket.SHUT_RDWR)

    def close_all(self) -> None:
        """Stop serving, whatever is being asked, and free the port. May be called twice."""
        self._is_closing = True
        self._cut(0.0)
        self.shutdown()
        self._cut(0.0)
        self.server_close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: a client that hangs up or dawdles is no fault of this server."""


class _ServerV6(_Server):
    address_family = socket.AF_INET6


class Exposition:
    """A running HTTP server; `address` has the real port. Close it with `close`."""

    def __init__(self, address: Address, registry: CollectorRegistry, why_not: Callable[[], str]) -> None:
        """Bind and serve. `why_not` says why the server is not serving, empty while it is; any thread calls it.

        Raise OSError when the address cannot be bound.
        """
        # The library's creation timestamps would double the number of series, for nothing that we ask.
        disable_created_metrics()  # type: ignore[no-untyped-call]  # the library left it without annotations
        metrics = make_wsgi_app(registry)

        def app(environ: dict[str, Any], start_response: StartResponse) -> Iterable[bytes]:
            path = environ.get("PATH_INFO", "")
            if environ.get("REQUEST_METHOD") not in ("GET", "HEAD"):
                return answer(start_response, "405 Method Not Allowed", "only GET\n")
            if path == "/metrics":
                response: Iterable[bytes] = metrics(environ, start_response)
                return response
            if path == "/healthz":
                if reason := why_not():
                    return answer(start_response, "503 Service Unavailable", f"not serving: {reason}\n")
                return answer(start_response, "200 OK", "serving\n")
            return answer(start_response, "404 Not Found", "there are /metrics and /healthz\n")

        def answer(start_response: StartResponse, status: str, text: str) -> list[bytes]:
            body = text.encode()
            headers = [("Content-Type", "text/plain; charset=utf-8"), ("Content-Length", str(len(body)))]
            start_response(status, headers)
            return [body]

        family = socket.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM)[0][0]
        server_class = _ServerV6 if family == socket.AF_INET6 else _Server
        self._server = make_server(address.host, address.port, app, server_class, _Handler)
        self.address = address.with_port(self._server.server_port)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.1,), name="exposition", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop serving and free the port. May be called twice."""
        self._server.close_all()
        self._thread.join()
