"""The most memory that something takes in this process meanwhile."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.bench.load import resident_memory

MIB = 1 << 20


class Peak:
    """Filled when the block of `peak_memory` is over."""

    mib = 0.0
    """The most resident memory in the block, beyond that before it."""


@contextmanager
def peak_memory() -> Iterator[Peak]:
    """Measure the block's peak by the kernel's own mark (Linux), which is set back first."""
    peak = Peak()
    before = resident_memory(trim=True)
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    yield peak
    status = Path("/proc/self/status").read_text(encoding="ascii")
    peak.mib = (int(status.partition("VmHWM:")[2].split()[0]) * 1024 - before) / MIB
