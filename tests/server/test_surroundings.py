"""Files are read up to a limit."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from agon_server.surroundings import SMALL, read_up_to


@pytest.mark.parametrize("size", [0, 1, SMALL, SMALL + 1])
def test_what_fits_is_read_whole(tmp_path: Path, size: int) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"x" * size)

    assert read_up_to(file, size) == b"x" * size


@pytest.mark.parametrize("limit", [0, 1, SMALL, SMALL + 1])
def test_a_device_without_an_end_is_refused(limit: int) -> None:
    with pytest.raises(OSError, match="too large") as caught:
        read_up_to(Path("/dev/zero"), limit)
    assert caught.value.errno == errno.EFBIG
