"""Where a server's settings come from: flags, then `AGON_*` environment, then a TOML file. Reads these; opens no
socket, folder or store.

`SETTINGS` is the one list: the file's keys, the environment's names, `--set` and the documentation follow from it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from agon.address import Address
from agon.codec.up import MESSAGE_BYTES
from agon_engine.core.errors import OptionsError
from agon_engine.core.timing import MICROSECONDS, TimeControl
from agon_server.config import (
    KIB,
    MAX_HOUSE_GAMES,
    ConfigError,
    Limits,
    ServerConfig,
    check_bot_name,
    check_server_name,
    read_address,
)
from agon_server.store.urls import FORMS, is_store_url, shown_url
from agon_server.surroundings import read_up_to, reason_of
from agon_server.toml_text import NoTextError, TomlError, parsed, text_of

# -- reading one value -----------------------------------------------------------------------------------------


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise ConfigError(f"expected a text, not {value!r}")
    return value


def _path(value: Any) -> Path:
    return Path(_text(value)).expanduser()


def _listens(value: Any) -> Address:
    return read_address(_text(value), listens=True)


def _reached(value: Any) -> Address:
    return read_address(_text(value))


def _server_name(value: Any) -> str:
    return check_server_name(_text(value))


def _redis_url(value: Any) -> str:
    text = _text(value)
    if not is_store_url(text):
        raise ConfigError(f"expected a URL such as {FORMS}, not {shown_url(text)!r}")
    return text


def _flag(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    words = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}
    if isinstance(value, str) and value.lower() in words:
        return words[value.lower()]
    raise ConfigError(f"expected true or false, not {value!r}")


def _names(value: Any) -> tuple[str, ...]:
    items = [item.strip() for item in value.split(",")] if isinstance(value, str) else value
    if not isinstance(items, list | tuple):
        raise ConfigError(f"expected a list of names, not {value!r}")
    return tuple(check_bot_name(_text(item)) for item in items if item != "")


def _whole(low: int, high: int) -> Callable[[Any], int]:
    def read(value: Any) -> int:
        number = value
        if isinstance(value, str) and value.isascii() and value.isdigit():
            number = int(value)
        if type(number) is not int or not low <= number <= high:
            raise ConfigError(f"expected a whole number from {low} to {high}, not {value!r}")
        return number

    return read


def _seconds(low: float, high: float) -> Callable[[Any], float]:
    def read(value: Any) -> float:
        number = value
        if isinstance(value, str):
            try:
                number = float(value)
            except ValueError:
                number = None
        if isinstance(number, bool) or not isinstance(number, int | float) or not low <= number <= high:
            raise ConfigError(f"expected {low:g} to {high:g} seconds, not {value!r}")
        return float(number)

    return read


def _microseconds(value: Any) -> int:
    return round(_seconds(0, 86_400)(value) * MICROSECONDS)


FLAGGED = frozenset(
    {
        *("data", "redis", "allow_volatile", "listen", "advertise", "name", "tls.cert", "tls.key", "insecure"),
        *("metrics", "house", "drain"),
    }
)
"""The settings that have a flag of their own; the others are given by `--set`."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting: its key in the file (`limits.streams`), which also makes its environment name."""

    key: str
    read: Callable[[Any], Any]
    help: str
    target: str = ""
    """The field it fills: of `ServerConfig`, or `time.…` and `limits.…` of its parts. Empty: as the key."""

    @property
    def env(self) -> str:
        return "AGON_" + self.key.upper().replace(".", "_")

    @property
    def flag(self) -> str:
        """How it is given on the command line."""
        return "--" + re.sub(r"[._]", "-", self.key) if self.key in FLAGGED else f"--set {self.key}"

    @property
    def path(self) -> tuple[str, ...]:
        return tuple((self.target or self.key).split("."))


_COUNT = _whole(1, 1_000_000)

SETTINGS = (
    Setting("data", _path, "folder of the store, the records and the keys"),
    Setting("redis", _redis_url, "URL of a Redis >= 7 or Valkey to use instead of the embedded store"),
    Setting("allow_volatile", _flag, "use a store that can evict data or lose it in a crash"),
    Setting("listen", _listens, "HOST:PORT for bots and commands"),
    Setting("advertise", _reached, "HOST:PORT at which bots reach this server from outside"),
    Setting("name", _server_name, "name under which a restarted server takes its matches back"),
    Setting("tls.cert", _path, "PEM file with the certificate chain", "tls_cert"),
    Setting("tls.key", _path, "PEM file with its private key", "tls_key"),
    Setting("insecure", _flag, "allow plain text beyond this machine"),
    Setting(
        "metrics",
        _listens,
        "HOST:PORT of /metrics and /healthz, in plain text; beyond this machine only with TLS or insecure",
    ),
    Setting("house", _names, "house bots to run beside the server"),
    Setting("time.connect", _microseconds, "new ladders: seconds from Offer to Join"),
    Setting("time.ready", _microseconds, "new ladders: seconds from Start to Ready"),
    Setting("time.move", _microseconds, "new ladders: seconds for each decision"),
    Setting("time.bank", _microseconds, "new ladders: seconds for all overruns of a seat together"),
    Setting("time.increment", _microseconds, "new ladders: seconds added to the bank after each decision"),
    Setting("time.grace", _microseconds, "new ladders: seconds over the limit at which an answer still counts"),
    Setting("attempts", _whole(1, 100), "new ladders: answers that a seat may give to one decision"),
    Setting("strikes", _whole(1, 100), "new ladders: the strike with this number makes a seat fall"),
    Setting(
        "house_games",
        _whole(0, MAX_HOUSE_GAMES),
        "new ladders: rated games after which house bots only keep others company",
    ),
    Setting(
        "lease",
        _seconds(0.1, 3_600),
        "seconds without a sign of life after which a match, or the lead of the ladders, is taken over",
    ),
    Setting("deliveries", _whole(1, 100), "how often a match is tried before it is a dead letter"),
    Setting("ping", _seconds(0.05, 3_600), "seconds between Pings"),
    Setting("drain", _seconds(0, 86_400), "seconds that an ending server waits for its running matches"),
    Setting("limits.streams", _COUNT, "open Play streams"),
    Setting("limits.streams_per_bot", _COUNT, "open Play streams of one bot"),
    Setting("limits.slots_per_bot", _COUNT, "matches at a time of one bot"),
    Setting(
        "limits.frames_per_second",
        _COUNT,
        "frames of one stream; a Join or Slots counts as 100, a Note or Resign as 10",
    ),
    Setting("limits.rejected_per_minute", _COUNT, "refused frames of one stream before it is ended"),
    Setting("limits.unsent_bytes", _whole(MESSAGE_BYTES, 1 << 30), "bytes that may wait for a bot that does not read"),
    Setting("limits.calls", _COUNT, "public calls with one answer served at a time; the admin's are apart"),
    Setting("limits.watches", _COUNT, "public calls that watch served at a time"),
    Setting("limits.log_bytes", _whole(KIB, 1 << 30), "bytes kept of a bot's private log"),
)
_BY_KEY = {setting.key: setting for setting in SETTINGS}


# -- putting the sources together ------------------------------------------------------------------------------


def load_config(
    flags: Mapping[str, Any] | None = None,
    env: Mapping[str, str] | None = None,
    file: Path | None = None,
) -> ServerConfig:
    """Return the settings: `flags` (by key) over `env` over the TOML `file`, defaults below all.

    Raise ConfigError, naming the source, for an unknown key, a bad value or settings that contradict each other.
    """
    values: dict[str, Any] = {}
    if file is not None:
        values |= _read_all(_flatten(_read_toml(file)), lambda key: f"{file}: {key}")
    given_env = {setting.key: env[setting.env] for setting in SETTINGS if setting.env in env} if env else {}
    values |= _read_all(given_env, lambda key: _BY_KEY[key].env)
    given_flags = {key: value for key, value in (flags or {}).items() if value is not None}
    values |= _read_all(given_flags, lambda key: _BY_KEY[key].flag if key in _BY_KEY else key)

    parts: dict[str, dict[str, Any]] = {"": {}, "time": {}, "limits": {}}
    for key, value in values.items():
        *group, name = _BY_KEY[key].path
        parts[".".join(group)][name] = value
    try:
        return ServerConfig(**parts[""], time=TimeControl(**parts["time"]), limits=Limits(**parts["limits"]))
    except OptionsError as error:
        raise ConfigError(f"time: {error}") from None


def default_text(config: ServerConfig, setting: Setting) -> str:
    """Return the setting's value in `config` as it is written in a file; empty where there is none."""
    value: Any = config
    for name in setting.path:
        value = getattr(value, name)
    if value is None or value == ():
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if setting.read is _microseconds:
        return f"{value / MICROSECONDS:g}"
    return f"{value:g}" if isinstance(value, float) else str(value)


def parse_assignment(text: str) -> tuple[str, str]:
    """Read `KEY=VALUE` as given to `--set`. Raise ConfigError when it is not of that form or the key is unknown."""
    key, separator, value = text.partition("=")
    if not separator:
        raise ConfigError(f"--set takes KEY=VALUE, not {text!r}")
    if key not in _BY_KEY:
        raise ConfigError(f"--set: {_no_setting(key)}")

    return key, value


def _read_all(given: Mapping[str, Any], source: Callable[[str], str]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for key, value in given.items():
        if key not in _BY_KEY:
            raise ConfigError(source(_no_setting(key)))
        try:
            values[key] = _BY_KEY[key].read(value)
        except ConfigError as error:
            raise ConfigError(f"{source(key)}: {error}") from None
    return values


def misspelt_variables(env: Mapping[str, str]) -> list[str]:
    """Return a line for each AGON_* variable that is no setting and very like one: nothing else would say so."""
    names = [setting.env for setting in SETTINGS]
    return [
        f"the variable {name} is no setting; did you mean {close[0]}? `agon settings` lists all"
        for name in sorted(env)
        if name.startswith("AGON_") and name not in names and (close := get_close_matches(name, names, 1, 0.85))
    ]


def _no_setting(key: str) -> str:
    close = get_close_matches(key, _BY_KEY, 1)
    meant = f"did you mean {close[0]}? " if close else ""
    return f"{key} is no setting; {meant}`agon settings` lists all"


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        return parsed(text_of(read_up_to(path)))
    except FileNotFoundError:
        raise ConfigError(f"there is no file {str(path)!r}") from None
    except OSError as error:
        raise ConfigError(f"cannot read {str(path)!r}: {reason_of(error)}") from None
    except NoTextError:
        raise ConfigError(f"not a UTF-8 text: {str(path)!r}") from None
    except TomlError as error:
        where = f"{path}:{error.line}" if error.line else f"{path}"
        raise ConfigError(f"{where}: {error}") from None


def _flatten(table: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in table.items():
        if isinstance(value, dict):
            flat |= _flatten(value, f"{prefix}{name}.")
        else:
            flat[f"{prefix}{name}"] = value
    return flat
