"""How a bot reaches a server: the gRPC channel with its options, and which addresses may be spoken to in plaintext.

KEEPALIVE is one half of a pair. Its other half is the server's `grpc.http2.min_recv_ping_interval_without_data_ms`,
which must not be more than the time here, with `grpc.keepalive_permit_without_calls` at 1; else the server ends
connections whose pings come too often.
"""

from __future__ import annotations

import grpc
from grpc import aio

from agon.address import Address
from agon_bots.sdk.settings import Settings

KEEPALIVE_MS = 10_000
KEEPALIVE_TIMEOUT_MS = 5_000
MAX_MESSAGE_BYTES = 16 * 1024 * 1024
"""What a server may send in one message; it cuts at 128 KiB unless one frame alone is larger."""

OPTIONS: tuple[tuple[str, int], ...] = (
    ("grpc.keepalive_time_ms", KEEPALIVE_MS),
    ("grpc.keepalive_timeout_ms", KEEPALIVE_TIMEOUT_MS),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.max_pings_without_data", 0),
    ("grpc.max_receive_message_length", MAX_MESSAGE_BYTES),
    # Each attempt is a channel of its own and our own back-off decides when; gRPC would otherwise share a failed
    # connection, and its longer waits, between them.
    ("grpc.use_local_subchannel_pool", 1),
    ("grpc.enable_retries", 0),
)


def open_channel(address: Address, settings: Settings) -> aio.Channel:
    """Return a channel to the address, with TLS unless it may be plaintext. Connects on first use."""
    if settings.is_plaintext(address):
        return aio.insecure_channel(str(address), options=OPTIONS)

    return aio.secure_channel(str(address), grpc.ssl_channel_credentials(settings.ca), options=OPTIONS)
