"""How often a server process looks for garbage that counting references does not free.

Python's default, a look at the youngest objects after every 700 new ones and at all of them now and then, costs a
server an eighth of its time: each match keeps its events and moves to its end, so nearly all that is looked at lives.
"""

from __future__ import annotations

import gc

YOUNG_OBJECTS = 50_000
"""New objects before a look at the young ones: a few milliseconds' worth of work, and a few megabytes."""
YOUNG_LOOKS = 20
MIDDLE_LOOKS = 50


def collect_seldom() -> None:
    """Let the process look seldom for garbage, and never again at what exists already. For a process that is a server
    and nothing else, once it has started."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(YOUNG_OBJECTS, YOUNG_LOOKS, MIDDLE_LOOKS)
