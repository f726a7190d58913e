"""A million results archived, and a wrong table rebuilt from them, as `agon ladder rebuild` does."""

from __future__ import annotations

import asyncio
import gc
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from itertools import islice
from pathlib import Path

from tests.bench.ladder_results import LADDER, SEATS, results
from tests.bench.peak import peak_memory
from tests.bench.report import Row
from tests.support.ladder_store import Ladders, ladder

from agon_server.archive.folder import INDEX, ArchiveFolder
from agon_server.garbage import collect_seldom
from agon_server.ladders.tables import ROWS_KEPT
from agon_server.store import keys
from agon_server.store.connection import Store, open_store
from agon_server.store.folder import DataFolder

MANY = 1_000_000
SECONDS = 60
"""What a rebuild of so many may take."""
_AT_ONCE = 500


def rebuild(blocks: int) -> Iterator[Row]:
    """Archive the results of so many blocks, and rebuild a table of theirs that lacks a bot."""
    count = SEATS * blocks
    with (
        tempfile.TemporaryDirectory(prefix="agon-bench-") as folder,
        closing(ArchiveFolder(Path(folder) / "records")) as archive,
    ):
        taken = _archive(archive, blocks)
        size = sum(file.stat().st_size for file in archive.path.glob(f"{INDEX}*"))
        yield Row("archive: taking results with their records", count / taken, "results/s")
        spent, computed, memory = asyncio.run(_rebuilt(Path(folder) / "data", archive, count))
        yield Row(
            f"rebuild of a wrong table from the archive: {MANY:,} results",
            spent * MANY / count,
            "s",
            f"<= {SECONDS}",
            "" if count == MANY else f"as {count:,} took",
            {"us of CPU a result": 1e6 * computed / count, "MiB more": memory, "index bytes a result": size / count},
        )


def _archive(archive: ArchiveFolder, blocks: int) -> float:
    """Archive results; return the seconds that it took, without those of making them."""
    made = results(blocks)
    spent = 0.0
    while some := list(islice(made, _AT_ONCE)):
        began = time.perf_counter()
        archive.append(some)
        spent += time.perf_counter() - began
    return spent


async def _rebuilt(path: Path, archive: ArchiveFolder, count: int) -> tuple[float, float, float]:
    """Return the seconds of a rebuild, those of this process's CPU, and the most MiB that it took."""
    with DataFolder.open(path) as data:
        store = await open_store(None, data)
        try:
            ladders = Ladders(store, archive)
            # Of a million results the rows of a tenth are kept and made anew; so here, or fewer would look slower.
            ladders.auditor._tables.rows_kept = ROWS_KEPT * count // MANY
            await ladders.catalogue.create(ladder(SEATS))
            await store.command("HSET", keys.TABLE + LADDER, "position", archive.cursor, "failed", "by hand")
            await ladders.auditor.rebuild(LADDER)
            lost = await _lose_a_bot(store)
            with as_in_a_server(), peak_memory() as peak:
                began, began_cpu = time.perf_counter(), time.process_time()
                report = await ladders.auditor.rebuild(LADDER)
                spent, computed = time.perf_counter() - began, time.process_time() - began_cpu
            assert report.results == count
            assert [finding.subject for finding in report.findings] == [lost]
            assert (await ladders.auditor.rebuild(LADDER)).findings == ()
            return spent, computed, peak.mib
        finally:
            await store.aclose()


@contextmanager
def as_in_a_server() -> Iterator[None]:
    """Look for garbage as seldom as the process of a server does."""
    before = gc.get_threshold()
    collect_seldom()
    yield
    gc.unfreeze()
    gc.set_threshold(*before)


async def _lose_a_bot(store: Store) -> str:
    lost, *_ = await store.command("HKEYS", keys.STANDING + LADDER)
    await store.command("HDEL", keys.STANDING + LADDER, lost)
    return str(lost.decode())


def measure(*, quick: bool = False) -> Iterator[Row]:
    """Measure with append-only file on, as every server runs it."""
    yield from rebuild(250 if quick else MANY // SEATS)
