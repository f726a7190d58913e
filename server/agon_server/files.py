"""Files that people name: read up to a limit, so that a device or a pipe without an end takes no more memory."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import BinaryIO

SMALL = 1 << 20
"""Settings, certificates and keys are smaller."""


def read_up_to(path: Path, limit: int = SMALL) -> bytes:
    """Return what is in the file. Raise OSError where it cannot be read, or holds more than `limit` bytes."""
    with path.open("rb") as file:
        return read_stream(file, limit)


def read_stream(stream: BinaryIO, limit: int) -> bytes:
    """Return what is left of a stream. Raise OSError as above."""
    chunks: list[bytes] = []
    left = limit + 1
    while left and (chunk := stream.read(min(left, SMALL))):
        chunks.append(chunk)
        left -= len(chunk)
    if not left:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
    return b"".join(chunks)
