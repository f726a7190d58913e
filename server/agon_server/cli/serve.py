"""`agon serve`: a server, until it is told to end."""

from __future__ import annotations

import logging
import os
from collections.abc import Sequence
from enum import StrEnum
from importlib.metadata import entry_points
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

import typer

from agon_server.cli.command import a_path
from agon_server.config import ConfigError
from agon_server.polling import read_where_it_waits
from agon_server.settings import load_config, misspelt_variables, parse_assignment
from agon_server.store.folder import owner_of
from agon_server.store.urls import shown_url
from agon_server.trace import start_log

EXAMPLES = """
agon serve                                      a server for this machine, data in ./agon-data
agon serve --data /var/lib/agon --house greedy,random
agon serve --listen 0.0.0.0:7420 --tls-cert fullchain.pem --tls-key key.pem
agon serve --config agon.toml --set limits.streams=500
"""


class LogLevel(StrEnum):
    """How much a server says on stderr."""

    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


def serve(
    data: Annotated[
        str | None, typer.Option("--data", metavar="DIR", help="Data folder.  [default: agon-data]")
    ] = None,
    config: Annotated[
        Path | None, typer.Option("--config", metavar="FILE", parser=a_path, help="Settings in TOML.")
    ] = None,
    listen: Annotated[
        str | None, typer.Option("--listen", metavar="HOST:PORT", help="For bots.  [default: 127.0.0.1:7420]")
    ] = None,
    advertise: Annotated[
        str | None, typer.Option("--advertise", metavar="HOST:PORT", help="Where bots reach this server from outside.")
    ] = None,
    name: Annotated[
        str | None, typer.Option("--name", help="The name under which a restarted server takes its matches back.")
    ] = None,
    redis: Annotated[
        str | None, typer.Option("--redis", metavar="URL", help="A Redis >= 7 or Valkey instead of the embedded store.")
    ] = None,
    allow_volatile: Annotated[
        bool, typer.Option("--allow-volatile", help="Use a store that can evict data or lose it in a crash.")
    ] = False,
    tls_cert: Annotated[str | None, typer.Option("--tls-cert", metavar="FILE", help="Certificate chain, PEM.")] = None,
    tls_key: Annotated[str | None, typer.Option("--tls-key", metavar="FILE", help="Its private key, PEM.")] = None,
    insecure: Annotated[bool, typer.Option("--insecure", help="Allow plain text beyond this machine.")] = False,
    metrics: Annotated[
        str | None,
        typer.Option("--metrics", metavar="HOST:PORT", help="/metrics and /healthz.  [default: 127.0.0.1:7421]"),
    ] = None,
    house: Annotated[
        str | None, typer.Option("--house", metavar="BOT,BOT", help="House bots to run beside the server.")
    ] = None,
    drain: Annotated[
        str | None, typer.Option("--drain", metavar="SECONDS", help="How long ending waits for running matches.")
    ] = None,
    settings: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Any other setting; repeatable.")
    ] = None,
    log: Annotated[LogLevel, typer.Option("--log", help="How much to say on stderr.")] = LogLevel.INFO,
) -> int:
    """Run a server until it is told to end.

    Lobby, referee, queue, ladders, archive and metrics are one process, with an embedded store. A new data folder has
    one open ladder for each game and seat count. SIGTERM or Ctrl-C drains: no new matches, the running ones end, then
    it exits with 0; a second one ends it at once. Flags win over AGON_* variables, those over --config;
    `agon settings` lists all settings.
    """
    flags: dict[str, Any] = dict(parse_assignment(text) for text in settings or ())
    flags |= {
        key: value
        for key, value in {
            "data": data,
            "listen": listen,
            "advertise": advertise,
            "name": name,
            "redis": redis,
            "allow_volatile": allow_volatile or None,
            "tls.cert": tls_cert,
            "tls.key": tls_key,
            "insecure": insecure or None,
            "metrics": metrics,
            "house": house,
            "drain": drain,
        }.items()
        if value is not None
    }
    loaded = load_config(flags, os.environ, config)
    _check_house(loaded.house)
    _check_store(loaded.redis)
    start_log(logging.getLevelNamesMapping()[log.value.upper()])
    for line in misspelt_variables(os.environ):
        logging.getLogger(__name__).warning("%s", line)

    read_where_it_waits(os.environ)
    # Here and not above: everything else of the command line works without loading a whole server.
    import uvloop

    from agon_server.lifetime import serve as run

    return uvloop.run(run(loaded))


def _check_house(names: Sequence[str]) -> None:
    """Raise ConfigError for a house bot that is not installed. By its name alone: the server never loads a bot."""
    installed = sorted(point.name for point in entry_points(group="agon.bots"))
    for name in names:
        if name not in installed:
            raise ConfigError(f"house: the installed bots are {', '.join(installed) or 'none'}, not {name!r}")


def _check_store(url: str | None) -> None:
    """Raise ConfigError for the embedded store of a data folder: the archive there takes all others for gone."""
    if url is not None and (owner := owner_of(urlsplit(url).path)) is not None:
        raise ConfigError(
            f"redis: the store at {shown_url(url)} is the embedded one of the data folder {str(owner)!r}, which its "
            "own server alone uses; for several servers run a Redis >= 7 or Valkey of your own and give each --redis"
        )
