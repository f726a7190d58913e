"""How a bot is run on servers: addresses, token, slots, limits; from a command line and the environment. No network.

The token never stands on a command line, where other users of the machine could read it.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from agon.address import Address, AddressError
from agon_bots.sdk.errors import UsageError
from agon_bots.sdk.loading import MAX_TEXT

SILENCE = 300.0
"""Seconds without a word from any server after which a bot gives up."""
MAX_ERRORS = 5
"""Matches in a row in which the bot's own code failed, after which it takes no more."""
_MAX_FILE = 1 << 20
"""Tokens and certificates are smaller; a device has no end."""

_ENVIRONMENT = """\
environment:
  AGON_SERVER      as --server
  AGON_TOKEN       the bot's token, as `agon bot register` printed it
  AGON_TOKEN_FILE  as --token-file

exit codes: 0 done, 1 taken over, suspended, retired, or the bot's code failed in --max-errors matches in a
row, 2 wrong usage or token, 3 no server answers, 130 Ctrl-C, or ended at once by a second signal

Ctrl-C (or SIGTERM, with exit code 0) takes no new matches and ends the running ones; a second one ends at once.
"""


class OnError(StrEnum):
    """What a seat does when its bot raises an exception or answers with something that is not listed."""

    RESIGN = "resign"
    """Give that match up, and say so."""
    RANDOM = "random"
    """Answer with a listed action at random, and say so."""


def parse_addresses(texts: Sequence[str]) -> tuple[Address, ...]:
    """Read addresses, each text one or several separated by commas; doubles are dropped. Raise UsageError."""
    parts = [part for text in texts for part in text.split(",") if part.strip()]
    try:
        return tuple(dict.fromkeys(Address.parse(part) for part in parts))
    except AddressError as error:
        raise UsageError(str(error)) from error


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All that a client needs to know beside the bot."""

    servers: tuple[Address, ...]
    """The lobbies to start from; a server names the others."""
    token: str = field(repr=False)
    slots: int | None = None
    """Matches at a time; None: what the bot's class says."""
    instance: str = ""
    """Tells processes of one bot apart."""
    ca: bytes | None = None
    """Certificates, in PEM, that a server's must be signed by; None: those that gRPC brings."""
    insecure: bool = False
    """Plaintext to anywhere; else only to loopback."""
    silence: float = SILENCE
    """Seconds without a word from any server after which to give up; 0: never."""
    on_error: OnError = OnError.RESIGN
    max_errors: int = MAX_ERRORS
    """Matches in a row in which the bot's own code failed, after which to take no more; 0: never."""
    seed: str | None = None
    """Decides what `Turn.random` draws; None: drawn anew each run."""

    def __post_init__(self) -> None:
        if not self.servers:
            raise UsageError("no server is named: use --server HOST:PORT or AGON_SERVER")
        if not self.token or not self.token.isascii() or not self.token.isprintable():
            raise UsageError("no usable token: put it into AGON_TOKEN, or into a file that --token-file names")
        if self.slots is not None and not 1 <= self.slots <= 1_000_000:
            raise UsageError(f"slots is a number of matches from 1, not {self.slots!r}")
        if len(self.instance) > MAX_TEXT or not self.instance.isprintable():
            raise UsageError(f"an instance is printable text of at most {MAX_TEXT} characters, not {self.instance!r}")
        if self.max_errors < 0:
            raise UsageError(f"max-errors is a number of matches from 0, not {self.max_errors!r}")
        if not 0 <= self.silence < float("inf"):
            raise UsageError(f"silence is a number of seconds from 0, not {self.silence!r}")

    def is_plaintext(self, address: Address) -> bool:
        """Tell whether to speak plaintext to an address: to loopback, and elsewhere only where that was asked for."""
        return self.ca is None and (self.insecure or address.is_loopback)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the flags of a bot on servers to a parser."""
    parser.add_argument(
        "--server", action="append", metavar="HOST:PORT[,HOST:PORT]", help="one or several lobbies of one installation"
    )
    parser.add_argument("--token-file", metavar="FILE", type=Path, help="a file that holds the bot's token")
    parser.add_argument("--slots", type=int, metavar="N", help="matches at a time (default: what the bot says)")
    parser.add_argument("--instance", default="", metavar="NAME", help="tells several processes of one bot apart")
    parser.add_argument("--ca", type=Path, metavar="FILE", help="certificates to trust (PEM); TLS everywhere")
    parser.add_argument("--insecure", action="store_true", help="no TLS, not even to other machines")
    parser.add_argument(
        "--silence",
        type=float,
        default=SILENCE,
        metavar="SECONDS",
        help=f"give up, with exit code 3, after so long without a word from a server (default: {SILENCE:g}; 0: never)",
    )
    parser.add_argument(
        "--on-error",
        type=OnError,
        choices=list(OnError),
        default=OnError.RESIGN,
        help="where the bot raises an error or answers what is not listed: give the match up (resign, the default), or"
        " answer with an action drawn at random",
    )
    parser.add_argument(
        "--max-errors",
        type=int,
        default=MAX_ERRORS,
        metavar="N",
        help="take no more matches, and exit with 1, when the bot's own code has failed in so many in a row"
        f" (default: {MAX_ERRORS}; 0: never)",
    )
    parser.add_argument("--seed", metavar="TEXT", help="makes what the bot draws from turn.random repeatable")
    parser.add_argument(
        "--log", default="info", choices=("debug", "info", "warning", "error"), help="how much to say on stderr"
    )
    parser.add_argument("--debug", action="store_true", help="show tracebacks, and everything that is logged")
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _ENVIRONMENT


def settings_from(
    arguments: argparse.Namespace, servers: Sequence[str] = (), environ: Mapping[str, str] | None = None
) -> Settings:
    """Make settings of parsed flags; `servers` stand where neither flag nor environment names one.

    Raise UsageError for values that cannot be used.
    """
    environ = os.environ if environ is None else environ
    named: Sequence[str] = arguments.server or ([environ["AGON_SERVER"]] if environ.get("AGON_SERVER") else servers)
    return Settings(
        servers=parse_addresses(named),
        token=read_token(arguments.token_file, environ),
        slots=arguments.slots,
        instance=arguments.instance,
        ca=_read(arguments.ca, "certificates") if arguments.ca else None,
        insecure=arguments.insecure,
        silence=arguments.silence,
        on_error=arguments.on_error,
        max_errors=arguments.max_errors,
        seed=arguments.seed,
    )


def read_token(file: Path | None, environ: Mapping[str, str]) -> str:
    """Return the token: from the file if one is named, else from AGON_TOKEN, else from the file of AGON_TOKEN_FILE.

    Empty where there is none. Raise UsageError for a file that cannot be read.
    """
    if file is None and environ.get("AGON_TOKEN"):
        return environ["AGON_TOKEN"].strip()
    if file is None and environ.get("AGON_TOKEN_FILE"):
        file = Path(environ["AGON_TOKEN_FILE"])
    if file is None:
        return ""

    return _read(file, "token").decode("utf-8", "replace").strip()


def _read(file: Any, what: str) -> bytes:
    try:
        with Path(file).open("rb") as opened:
            data = opened.read(_MAX_FILE + 1)
    except OSError as error:
        raise UsageError(f"the {what} file cannot be read: {error.strerror or error}: {str(file)!r}") from error

    if len(data) > _MAX_FILE:
        raise UsageError(f"the {what} file is over {_MAX_FILE >> 20} MiB: {str(file)!r}")
    return data
