"""Where tests put what they store: in memory where there is plenty, since a busy disk holds a server up for seconds."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

ROOMY = 1 << 30
"""Bytes that must be free."""


def temporary_folder(prefix: str) -> tempfile.TemporaryDirectory[str]:
    """Make a folder, with a path short enough for a socket in it; it is gone when it is left or cleaned up."""
    memory = Path("/dev/shm")
    is_roomy = os.access(memory, os.W_OK) and shutil.disk_usage(memory).free > ROOMY
    return tempfile.TemporaryDirectory(prefix=prefix, dir=memory if is_roomy else None)
