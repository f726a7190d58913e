"""`admin.json` in the data folder: where a running server is, and the token that lets commands change it. Readable by
the server's user only. The token stays the same over restarts; the address is empty while no server runs.
"""

from __future__ import annotations

import json
import secrets
from dataclasses import asdict, dataclass, field
from pathlib import Path

from agon_server.store.errors import DataFolderError
from agon_server.store.folder import write_private
from agon_server.surroundings import reason_of

NAME = "admin.json"
TOKEN_BYTES = 32


@dataclass(frozen=True, slots=True)
class AdminFile:
    """What the file says."""

    address: str
    """HOST:PORT for plain text on this machine; empty: no server runs, or it was killed before it could say so."""
    token: str = field(repr=False)
    metrics: str = ""
    """HOST:PORT of /metrics and /healthz; empty as above."""


def read_admin_file(folder: Path) -> AdminFile | None:
    """Return what the file says, None where there is none. Raise DataFolderError where it cannot be read."""
    path = folder / NAME
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        address, token, metrics = data["address"], data["token"], data["metrics"]
    except FileNotFoundError:
        return None
    except OSError as error:
        raise DataFolderError(f"cannot read {str(path)!r}: {reason_of(error)}") from None
    except (ValueError, KeyError, TypeError):
        raise DataFolderError(f"{str(path)!r} is damaged; stop the server, remove the file and start again") from None

    if not all(isinstance(value, str) for value in (address, token, metrics)) or len(token) < TOKEN_BYTES:
        raise DataFolderError(f"{str(path)!r} is damaged; stop the server, remove the file and start again")
    return AdminFile(address, token, metrics)


def write_admin_file(folder: Path, address: str, metrics: str = "") -> AdminFile:
    """Say where the server is; make the token on first use. Return what the file now says.

    Replaced in one step and never readable by others, whatever the umask is. Raise DataFolderError as above.
    """
    known = read_admin_file(folder)
    told = AdminFile(address, known.token if known is not None else secrets.token_urlsafe(TOKEN_BYTES), metrics)
    write_private(folder / NAME, (json.dumps(asdict(told)) + "\n").encode())
    return told
