"""Whom the bots of a ladder met lately, read again by a process that begins to lead: else bots that have met often
would meet again before others, after each restart. What is kept is the line-ups of the newest blocks."""

from __future__ import annotations

from agon_ladder.pairing.meetings import Meetings
from agon_server.store import keys
from agon_server.store.connection import Store

AT_ONCE = 500
"""Line-ups that are counted between two turns of the loop: a millisecond or two."""


async def read_meetings(store: Store, ladder: str) -> Meetings:
    """Return whom the bots of a ladder met in its newest blocks."""
    meetings = Meetings()
    for start in range(0, keys.LINE_UPS_KEPT, AT_ONCE):
        line_ups = await store.command("LRANGE", keys.LINE_UPS + ladder, start, start + AT_ONCE - 1)
        for line_up in line_ups:
            meetings.seated(line_up.decode().split())
        if len(line_ups) < AT_ONCE:
            break
    return meetings
