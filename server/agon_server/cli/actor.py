"""Who rules, where a command keeps that."""

from __future__ import annotations

import getpass
from typing import Annotated

import typer

from agon_server.operations.errors import InvalidError

ByOption = Annotated[
    str, typer.Option("--by", metavar="NAME", help="Who rules; it is kept with the reason.  [default: your user name]")
]


def user_name() -> str:
    """Return the name of who runs the command."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        raise InvalidError("you have no user name here; say who rules by --by NAME") from None
