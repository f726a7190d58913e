"""A fixed loop of plain Python, so that runs on different machines, and on a busy one, can be compared. Imports nothing
of Agon: the public engines that Agon is compared with run it too."""

from __future__ import annotations

import time

STEPS = 3_000_000


def calibration(share: float = 1.0) -> float:
    """Return the seconds of CPU time that the fixed loop takes; of a `share` of it, reckoned up to the whole."""
    began = time.process_time()
    total = 0
    for number in range(int(STEPS * share)):
        total = (total * 31 + number) & 0xFFFF
    return (time.process_time() - began) / share
