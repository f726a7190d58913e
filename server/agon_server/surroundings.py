"""What a server needs of its machine, and the error that says what is missing; reading files that people name. Changes
the process's limits, nothing else."""

from __future__ import annotations

import errno
import os
import resource
import socket
from pathlib import Path
from typing import BinaryIO

UNWELCOME_CONNECTIONS = 1_000
"""Connections that a server takes beside one for each stream that is welcome: of bots that are not yet, of commands."""
SPARE_FILES = 128
"""File descriptors that a server needs beside those of connections: for the store, for files."""
SMALL = 1 << 20
"""Settings, certificates and keys are smaller: a device or a pipe without an end takes no more memory."""


class SurroundingsError(Exception):
    """The machine does not let the server run: a port in use, too few file descriptors. The message says what to do."""


def processors() -> int:
    """Return on how many processors this process may run."""
    # Not every system says which of them are this process's.
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def reason_of(error: OSError) -> str:
    """Return why the system refused something, as the middle of a message."""
    return (error.strerror or "unknown error").lower()


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


def is_stopped(pid: int) -> bool:
    """Tell whether a process stands still by a signal or a debugger; False where that cannot be told."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    # The name before it is in parentheses, and may contain some.
    return text.rpartition(")")[2].split()[:1] in (["T"], ["t"])


def most_connections(streams: int) -> int:
    """Return how many connections a server for so many streams takes at a time; one more is closed at once.

    Else those that say nothing could take all file descriptors, those of the store and the archive too.
    """
    return streams + UNWELCOME_CONNECTIONS


def ensure_files(streams: int) -> None:
    """Raise the soft limit of file descriptors to what so many streams need.

    Raise SurroundingsError where the hard limit does not allow it.
    """
    spare = UNWELCOME_CONNECTIONS + SPARE_FILES
    needed = streams + spare
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= needed:
        return
    if hard != resource.RLIM_INFINITY and hard < needed:
        raise SurroundingsError(
            f"{streams} streams need {needed} file descriptors; raise the limit (ulimit -n {needed}) or allow fewer "
            f"streams (--set limits.streams={max(1, hard - spare)}), the limit is {hard!r}"
        )

    resource.setrlimit(resource.RLIMIT_NOFILE, (needed, hard))


def cannot_listen(host: str, port: int, certificate: str = "") -> SurroundingsError:
    """Return the error that says why a server cannot listen, which gRPC does not tell; `certificate` for TLS."""
    where = f"{host}:{port}"
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        with socket.socket(found[0][0]) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(found[0][4])
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            return SurroundingsError(
                f"the port is in use; end what listens there or choose another by --listen, not {where!r}"
            )
        return SurroundingsError(
            f"cannot listen there ({reason_of(error)}); choose another address by --listen, not {where!r}"
        )

    if certificate:
        return SurroundingsError(f"cannot listen with TLS: certificate and key do not fit each other: {certificate!r}")
    return SurroundingsError(f"cannot listen there; choose another address by --listen, not {where!r}")
