"""The names of the calls and services, for who serves or calls them with bytes for messages, and for reflection."""

from __future__ import annotations

from typing import Final

from agon.v1 import play_pb2

PLAY_SERVICE: Final[str] = play_pb2.DESCRIPTOR.services_by_name["PlayService"].full_name
PLAY: Final[str] = f"/{PLAY_SERVICE}/Play"
SERVICES: Final[tuple[str, ...]] = (PLAY_SERVICE,)
"""The services of the contract; importing this module has put their descriptors where reflection looks."""
