"""How the commands name a ladder."""

from __future__ import annotations

from typing import Annotated

import typer

NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="The ladder's name.")]
