"""The command line `agon`. Commands do no work of their own: they call operations, the SDK's programs or the server."""

from agon_server.cli.main import main

__all__ = ["main"]
