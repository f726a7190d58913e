"""Where a match that is over is found: the newest results are in the stream, all others in the archive. What reads the
disk or a whole record runs in the installation's background thread, never on the loop that plays.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence

from agon_engine.core.errors import RecordError
from agon_engine.core.record import MatchRecord
from agon_server.operations.installation import Installation
from agon_server.queue.results import Result
from agon_server.store import keys

log = logging.getLogger(__name__)


async def find_result(installation: Installation, match: str) -> Result | None:
    """Return the result of a match that is over."""
    result = await installation.results.find(match)
    return result if result is not None else await installation.in_background(installation.archive.find, match)


async def find_record(installation: Installation, match: str) -> MatchRecord | None:
    """Return the record of a match that was played; None also where it cannot be read, which is logged."""
    result = await find_result(installation, match)
    if result is None or not result.record:
        return None

    try:
        return await installation.in_background(MatchRecord.from_line, result.record)
    except RecordError as error:
        log.error("the record of match %s cannot be read: %s", match, error)
        return None


async def results_of_block(installation: Installation, block: str) -> Sequence[Result]:
    """Return the results of a block's matches, in the order in which they ended."""
    found = await installation.in_background(installation.archive.of_block, block)
    archived = {result.match for result in found}
    for match in await installation.store.command("HVALS", keys.PLACES + block):
        if match.decode() not in archived and (result := await installation.results.find(match.decode())):
            found.append(result)
    return sorted(found, key=lambda result: result.order)
