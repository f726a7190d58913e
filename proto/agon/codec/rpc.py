"""The names of the contract's services and of the Play call, for who serves or calls them with bytes for messages.

The unary calls have their names, and their values, in `ladder`, `admin` and `tournament`.
"""

from __future__ import annotations

from typing import Final

from agon.v1 import admin_pb2, ladder_pb2, play_pb2, tournament_pb2

PLAY_SERVICE: Final[str] = play_pb2.DESCRIPTOR.services_by_name["PlayService"].full_name
PLAY: Final[str] = f"/{PLAY_SERVICE}/Play"

SERVICES: Final[tuple[str, ...]] = tuple(
    service.full_name
    for file in (play_pb2.DESCRIPTOR, ladder_pb2.DESCRIPTOR, admin_pb2.DESCRIPTOR, tournament_pb2.DESCRIPTOR)
    for service in file.services_by_name.values()
)
"""All services of the contract; importing this module has put their descriptors where reflection looks."""
