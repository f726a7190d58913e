"""The console script `agon`: hands on to the server package's command line, which the light base comes without."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec

EXIT_SURROUNDINGS = 3


def main() -> None:
    """Run the command line; exit with 3 and one clear line where it is not installed."""
    if find_spec("typer") is None:
        sys.stderr.write("agon needs the server extra: pip install 'agon-arena[server]'\n")
        sys.exit(EXIT_SURROUNDINGS)

    # By name, since nothing else that bots install may lead to the server's code.
    sys.exit(import_module("agon_server.cli").main())
