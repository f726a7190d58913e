"""The archive: every record for ever, as gzipped lines in a folder, with an index. It is the second reader of the
results stream; what the stream trims is here first."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from agon_server.queue.results import Result, Results
from agon_server.store.connection import Store


class Archive:
    """The archive in one folder. The methods that are not coroutines read the disk and are for a worker thread."""

    def __init__(self, folder: Path, store: Store, results: Results) -> None:
        """`folder` is made when missing. Raise ArchiveError when it is damaged."""
        raise NotImplementedError

    async def run(self) -> None:
        """Take results as they come, for ever; cancel to end."""
        raise NotImplementedError

    async def drain(self) -> int:
        """Take all results that there are now; return how many."""
        raise NotImplementedError

    def find(self, match: str) -> Result | None:
        """Return the archived result of a match, its record included."""
        raise NotImplementedError

    def results(self, after: str = "0-0") -> Iterator[Result]:
        """Iterate over all archived results after the cursor, in the order of the stream."""
        raise NotImplementedError

    def close(self) -> None:
        raise NotImplementedError
