"""A data folder for the doctor: what a killed server left in it, who can read its secrets, how much room there is; and
the checks of it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from agon.codec.admin import Condition
from agon_server.config import ServerConfig
from agon_server.operations.doctor.suspicion import Suspicion
from agon_server.store.embedded import Leftover

MIB = 1 << 20
LOW_BYTES = 256 * MIB
"""Less free space than this is told."""
_PRIVATE = ("admin.json", "store", "records")
"""`admin.json` has the admin's token, the store tokens and seeds, the records the seeds of shared deals."""
_STORE_FILES = "store/aof"


@dataclass(frozen=True, slots=True)
class FolderLook:
    """Everything that the checks of a data folder judge."""

    path: Path
    free: int
    """Bytes that the disk has left."""
    store_bytes: int = 0
    """Size of the embedded store's append-only files."""
    open_to: dict[Path, str] = field(default_factory=dict)
    """Secret files and folders that others can open, and who can."""
    leftover: Leftover | None = None
    """What a killed server left; None while one runs."""


def look_at_folder(config: ServerConfig, leftover: Leftover | None) -> FolderLook:
    """Read what the checks need. Blocking. Raise OSError where the folder cannot be read."""
    path = config.data.expanduser().absolute()
    open_to = {}
    for secret in [path / name for name in _PRIVATE]:
        if secret.exists() and (mode := secret.stat().st_mode & 0o077):
            open_to[secret] = "everybody" if mode & 0o007 else "its group"
    # A key that a group may read is often meant so.
    if config.tls_key is not None and config.tls_key.exists() and config.tls_key.stat().st_mode & 0o007:
        open_to[config.tls_key] = "everybody"
    files = (path / _STORE_FILES).glob("*")
    return FolderLook(path, shutil.disk_usage(path).free, sum(file.stat().st_size for file in files), open_to, leftover)


def check_folder(look: FolderLook) -> list[Suspicion]:
    """Return all that is suspicious about a data folder."""
    return [*left_behind(look), *secrets_open(look), *disk_space(look)]


def left_behind(look: FolderLook) -> Iterator[Suspicion]:
    """What a server removes when it ends, and did not since it was killed."""
    left = look.leftover
    if left is None:
        return
    if left.pid is not None:
        what = f"the store of a server that was killed still runs, as process {left.pid}"
        remedy = f"start the server again: `agon serve --data {look.path}`; or end the store: kill {left.pid}"
        yield Suspicion("leftover", Condition.ORPHANED, what, str(look.path), remedy)
    elif left.files:
        names = ", ".join(file.name for file in left.files)
        what = f"a server and its store were killed and left {names}"
        remedy = f"nothing: whatever opens the folder next removes them, as `agon serve --data {look.path}`"
        yield Suspicion("leftover", Condition.ORPHANED, what, str(look.path), remedy)


def secrets_open(look: FolderLook) -> Iterator[Suspicion]:
    """Secrets that others can read: tokens, keys, seeds of matches that run."""
    for path, who in sorted(look.open_to.items()):
        remedy = f"chmod go-rwx {str(path)!r}"
        yield Suspicion("secrets", Condition.UNSAFE, f"a secret is open to {who}", str(path), remedy)


def disk_space(look: FolderLook) -> Iterator[Suspicion]:
    """Room for what is written: the store needs its own size again when it rewrites its files."""
    needed = max(LOW_BYTES, 2 * look.store_bytes)
    if look.free < needed:
        what = f"{look.free // MIB} MiB are free, and {needed // MIB} may be needed"
        yield Suspicion("disk", Condition.UNSAFE, what, str(look.path), "free some space")
