"""Where a server listens for bots and commands: its gRPC server, before anything answers there."""

from __future__ import annotations

from typing import NamedTuple

import grpc
import grpc.aio

from agon.address import Address
from agon.codec.up import MESSAGE_BYTES
from agon_server.config import ServerConfig
from agon_server.surroundings import cannot_listen, most_connections

GRPC_OPTIONS: tuple[tuple[str, int], ...] = (
    # Else two servers on one port would silently share its connections.
    ("grpc.so_reuseport", 0),
    ("grpc.max_receive_message_length", MESSAGE_BYTES),
    # The other half of the SDK's keepalive: its pings come every ten seconds, with or without a call.
    ("grpc.http2.min_recv_ping_interval_without_data_ms", 5_000),
    ("grpc.keepalive_permit_without_calls", 1),
    # Ours: a peer that is gone without a word is found although it never reads.
    ("grpc.keepalive_time_ms", 20_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    # A connection that says nothing, or on which nothing is asked, makes room: there are so many and no more.
    ("grpc.server_handshake_timeout_ms", 10_000),
    ("grpc.max_connection_idle_ms", 60_000),
)


class Listening(NamedTuple):
    """A gRPC server whose port is bound. It serves once it is started."""

    server: grpc.aio.Server
    address: Address
    """Where it really listens: with the port that it was given."""
    local: Address
    """Where this machine reaches it without TLS."""


def listen(config: ServerConfig) -> Listening:
    """Bind the port for bots. Raise SurroundingsError where that cannot be."""
    most = most_connections(config.limits.streams)
    server = grpc.aio.server(options=(*GRPC_OPTIONS, ("grpc.max_allowed_incoming_connections", most)))
    try:
        if config.tls_cert is None or config.tls_key is None:
            port = server.add_insecure_port(str(config.listen))
        else:
            pair = (config.tls_key.read_bytes(), config.tls_cert.read_bytes())
            port = server.add_secure_port(str(config.listen), grpc.ssl_server_credentials([pair]))
    except RuntimeError:
        port = 0
    if port == 0:
        raise cannot_listen(config.listen.host, config.listen.port, str(config.tls_cert or ""))

    address = local = config.listen.with_port(port)
    if config.tls or not config.listen.is_loopback:
        # Commands and house bots of this machine need neither TLS nor the outside address.
        local = Address("127.0.0.1", server.add_insecure_port("127.0.0.1:0"))
    return Listening(server, address, local)
