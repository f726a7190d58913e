"""Records of an installation that is no more: kept, but apart from those of the one that has begun anew."""

from __future__ import annotations

import logging
from datetime import UTC, datetime
from pathlib import Path

from agon_server.store.connection import Store
from agon_server.store.errors import DataFolderError
from agon_server.store.folder import RECORDS, DataFolder, write_private
from agon_server.surroundings import reason_of

_MARK = "installation"
"""A file beside the records that says of which installation they are."""

log = logging.getLogger(__name__)


def set_others_aside(folder: DataFolder, store: Store) -> Path | None:
    """Let the archive of the data folder be that of this store. Where it is another's, or this one's from before it was
    emptied, give its folder another name, since its records would count in the new ladders; return where they are then.

    Raise DataFolderError where that cannot be done.
    """
    records = folder.sub(RECORDS)
    known = _mark(records)
    if known == store.mark:
        return None

    moved = None
    if known:
        moved = folder.path / f"{RECORDS}-until-{datetime.now(UTC):%Y%m%dT%H%M%S%fZ}"
        try:
            records.rename(moved)
        except OSError as error:
            raise DataFolderError(f"cannot set records aside ({reason_of(error)}): {str(records)!r}") from None
        log.warning(
            "the store at %s was emptied, or is another one than before: the records of matches until then are kept in "
            "%s; if it is only the wrong store, end this server and give that folder its name %r back",
            store.shown_url,
            moved,
            RECORDS,
        )
    write_private(folder.sub(RECORDS) / _MARK, f"{store.mark}\n".encode())
    return moved


def _mark(records: Path) -> str:
    """Return the mark of the installation whose records these are; empty where there is none yet."""
    try:
        return (records / _MARK).read_text(encoding="ascii").strip()
    except FileNotFoundError:
        return ""
    except (OSError, ValueError) as error:
        raise DataFolderError(f"cannot read of which installation records are ({error}): {str(records)!r}") from None
