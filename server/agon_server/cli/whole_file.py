"""Files that are written whole or not at all: what was there before stays until then."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from agon_server.config import ConfigError
from agon_server.surroundings import reason_of


@contextmanager
def whole_file(path: Path) -> Iterator[TextIO]:
    """Write a file in UTF-8, which takes its name when the block ends without an error.

    Raise ConfigError where it cannot be written.
    """
    part = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with part.open("w", encoding="utf-8", newline="") as written:
            yield written
        part.replace(path)
    except OSError as error:
        raise ConfigError(f"cannot write {str(path)!r}: {reason_of(error)}") from None
    finally:
        part.unlink(missing_ok=True)
