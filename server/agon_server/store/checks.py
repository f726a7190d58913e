"""What a server must be before Agon relies on it, read from its INFO. Pure; each refusal says what to change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from agon_server.store.errors import StoreRefusedError

OLDEST_REDIS = 7


class Weakness(NamedTuple):
    """Why a server can lose what it was given."""

    what: str
    setting: str
    """The one that makes it so."""
    value: str
    """What that must be."""
    found: str
    """What it is, where that tells more; empty: it does not."""


def parse_info(text: bytes) -> dict[str, str]:
    """Read the answer to INFO."""
    pairs = (line.partition(":") for line in text.decode("utf-8", "replace").splitlines() if not line.startswith("#"))
    return {name: value for name, separator, value in pairs if separator}


def check_server(info: Mapping[str, str], where: str) -> None:
    """Raise StoreRefusedError for a server that is too old, a cluster or a replica."""
    version = info.get("redis_version", "unknown")
    major = version.partition(".")[0]
    if not (major.isdigit() and int(major) >= OLDEST_REDIS):
        raise StoreRefusedError(
            f"the store at {where} must be Redis {OLDEST_REDIS} or newer, or Valkey, not {version!r}"
        )
    mode = info.get("server_mode", info.get("redis_mode", "standalone"))
    if mode != "standalone":
        raise StoreRefusedError(
            f"the store at {where} must be a single server, since scripts use many keys, not {mode!r}"
        )
    role = info.get("role", "master")
    if role != "master":
        raise StoreRefusedError(f"the store at {where} must be a primary, which can be written to, not {role!r}")


def check_keeping(info: Mapping[str, str], where: str) -> None:
    """Raise StoreRefusedError for a server that would evict data when full, or lose it in a crash."""
    if (weak := weakness(info)) is not None:
        found = f": {weak.found!r}" if weak.found else ""
        raise StoreRefusedError(
            f"the store at {where} {weak.what}; set {weak.setting} to {weak.value}, or allow that by --allow-volatile "
            f"(AGON_ALLOW_VOLATILE=true){found}"
        )


def weakness(info: Mapping[str, str]) -> Weakness | None:
    """Return why a server can lose what it was given; None where it keeps it."""
    policy = info.get("maxmemory_policy", "noeviction")
    if policy != "noeviction":
        what = "would throw results away when its memory is full"
        return Weakness(what, "maxmemory-policy", "noeviction", policy)
    if info.get("aof_enabled") != "1":
        return Weakness("keeps no append-only file, so a crash would lose results", "appendonly", "yes", "")
    return None
