"""How often a server process looks for garbage that counting references does not free.

There is hardly any: a match that has ended is freed by counting. But each match keeps its moves and events to its end,
and with Python's defaults these are looked at again and again, for a tenth of the server's time and with pauses of up
to a tenth of a second.
"""

from __future__ import annotations

import gc

YOUNG_OBJECTS = 10_000
"""New objects before a look at them: a millisecond or two."""
YOUNG_LOOKS = 50
MIDDLE_LOOKS = 50


def collect_seldom() -> None:
    """Let the process look seldom for garbage, and never again at what exists already. For a process that is a server,
    or works for one, and nothing else, once it has started."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(YOUNG_OBJECTS, YOUNG_LOOKS, MIDDLE_LOOKS)
