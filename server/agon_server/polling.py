"""Who reads a server's sockets: the thread in which gRPC hands messages to Python.

Newer versions of gRPC give each message to threads of their event engine first. For Python these are only further
wake-ups on its way, a quarter of what a bare round trip costs; earlier versions read where they wait.
"""

from __future__ import annotations

from collections.abc import MutableMapping

_VARIABLE = "GRPC_EXPERIMENTS"
"""gRPC's own switches, by which its users turn off what is new."""


def read_where_it_waits(environment: MutableMapping[str, str]) -> None:
    """Let the servers of this process read where they wait, unless the environment has other switches of gRPC. For a
    process that is a server, before it loads gRPC, which reads this once."""
    environment.setdefault(_VARIABLE, "-event_engine_listener")
