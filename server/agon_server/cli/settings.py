"""`agon settings`: what a server can be told, and what holds where nothing is said."""

from __future__ import annotations

from agon_server.cli.output import Output
from agon_server.config import ServerConfig
from agon_server.settings import SETTINGS, default_text


def settings(out: Output) -> None:
    """List all settings of a server, with their defaults.

    Each can be given as --set KEY=VALUE or as a variable of the environment; in the file of --config a dotted key is
    a table.
    """
    config = ServerConfig()
    found = [(setting.key, default_text(config, setting), setting.help, setting.env) for setting in SETTINGS]
    out.json(
        [{"key": key, "default": default, "meaning": text, "environment": env} for key, default, text, env in found]
    )
    out.table(("key", "default", "meaning", "environment?"), found)
