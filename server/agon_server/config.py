"""The settings of a server: what they are, their defaults, and where they come from (flag, then `AGON_*`
environment, then a TOML file). Pure apart from reading those; opens no socket, folder or store.

`SETTINGS` is the one list: the file's keys, the environment's names, `--set` and the documentation follow from it.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from agon_engine.core.errors import OptionsError
from agon_engine.core.policy import FaultPolicy
from agon_engine.core.timing import MICROSECONDS, TimeControl

DEFAULT_DATA = "agon-data"
DEFAULT_PORT = 7420
DEFAULT_METRICS_PORT = 7421
KIB = 1024
FRAME_BYTES = 16 * KIB
"""The largest frame that a bot may send; part of the contract, not a setting."""
MESSAGE_BYTES = 128 * KIB
"""The largest message that a bot may send; part of the contract, not a setting."""

_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,62}")


class ConfigError(ValueError):
    """A setting is unknown, malformed, out of range or contradicts another; the message names it."""


@dataclass(frozen=True, slots=True)
class Address:
    """A host and a port; port 0 lets the system choose one."""

    host: str
    port: int

    @classmethod
    def parse(cls, text: str) -> Address:
        """Read `HOST:PORT` or `[IPV6]:PORT`. Raise ConfigError for anything else."""
        host, separator, port = text.rpartition(":")
        if host.startswith("[") and host.endswith("]"):
            host = host[1:-1]
        elif ":" in host:
            raise ConfigError(f"expected an IPv6 address as [HOST]:PORT, not {text!r}")
        if not separator or not host or any(character.isspace() for character in host):
            raise ConfigError(f"expected HOST:PORT, not {text!r}")
        if not (port.isascii() and port.isdigit()) or int(port) > 65_535:
            raise ConfigError(f"expected a port from 0 to 65535, not {port!r}")
        return cls(host, int(port))

    @property
    def is_loopback(self) -> bool:
        if self.host == "localhost":
            return True
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return False

    @property
    def is_unspecified(self) -> bool:
        """Tell whether it stands for all addresses of this machine, so that nobody can dial it."""
        try:
            return ip_address(self.host).is_unspecified
        except ValueError:
            return False

    def with_port(self, port: int) -> Address:
        return Address(self.host, port)

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


@dataclass(frozen=True, slots=True)
class Limits:
    """What one bot, or all together, may take of a server."""

    streams: int = 2_000
    """Open Play streams; one more is refused with a retry delay."""
    streams_per_bot: int = 64
    slots_per_bot: int = 256
    """Matches at a time that Welcome grants at most."""
    frames_per_second: int = 20_000
    """Frames of one stream, averaged over a second or two; more are rejected with a retry delay."""
    rejected_per_minute: int = 100
    """More refused frames than this end the stream."""
    unsent_bytes: int = 1024 * KIB
    """A stream with more waiting than this does not read, and ends."""
    calls: int = 64
    """Unary calls and watching streams served at a time."""
    log_bytes: int = 256 * KIB
    """What is kept of a bot's private log; older lines are cut with a mark."""


@dataclass(frozen=True, slots=True)
class ServerConfig:
    """Everything that a server is told before it starts. Seconds unless a name says otherwise."""

    data: Path = Path(DEFAULT_DATA)
    redis: str | None = None
    """URL of a Redis or Valkey server; None: an embedded one in the data folder."""
    listen: Address = Address("127.0.0.1", DEFAULT_PORT)
    advertise: Address | None = None
    """Where bots reach this server's referee from outside; None: where it listens."""
    name: str | None = None
    """The server's own name, under which it takes its matches back; None: one kept in the data folder."""
    tls_cert: Path | None = None
    tls_key: Path | None = None
    insecure: bool = False
    """Allow plain text beyond loopback."""
    metrics: Address = Address("127.0.0.1", DEFAULT_METRICS_PORT)
    house: tuple[str, ...] = ()
    """House bots to run beside the server, by their names."""
    time: TimeControl = field(default_factory=TimeControl)
    """The default time control of new ladders."""
    attempts: int = 3
    strikes: int = 3
    lease: float = 10.0
    """How long a claimed match may go without a sign of life before another server takes it."""
    deliveries: int = 5
    """How often a match is tried before it is a dead letter."""
    ping: float = 10.0
    drain: float = 300.0
    """How long a server that was told to end waits for its running matches."""
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        if (self.tls_cert is None) != (self.tls_key is None):
            missing = "tls.key" if self.tls_key is None else "tls.cert"
            raise ConfigError(f"TLS needs a certificate and its key; {missing} is missing")
        for path in (self.tls_cert, self.tls_key):
            if path is not None and not path.is_file():
                raise ConfigError(f"there is no file {str(path)!r}")
        if not self.listen.is_loopback and self.tls_cert is None and not self.insecure:
            raise ConfigError(
                "listening beyond this machine needs TLS (--tls-cert, --tls-key), or --insecure where tokens may "
                f"travel in plain text; listen is {str(self.listen)!r}"
            )
        if self.tls_cert is not None and self.insecure:
            raise ConfigError("--insecure and TLS contradict each other; leave one out")
        if self.advertise is not None and self.advertise.port == 0:
            raise ConfigError(f"advertise names the port that bots dial, not {str(self.advertise)!r}")

    @property
    def tls(self) -> bool:
        return self.tls_cert is not None

    def default_policy(self, seats: int) -> FaultPolicy:
        """Return the failure policy of a new ladder with that many seats."""
        return FaultPolicy(FaultPolicy.default(seats).on_fault, self.attempts, self.strikes)


# -- reading one value -----------------------------------------------------------------------------------------


def check_name(text: str) -> str:
    """Return `text` where it can name a server, a bot, an owner or a ladder. Raise ConfigError otherwise."""
    if not _NAME.fullmatch(text):
        raise ConfigError(
            f"expected a name of 1 to 63 of a-z, 0-9, '.', '_', '-', a letter or digit first, not {text!r}"
        )

    return text


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise ConfigError(f"expected a text, not {value!r}")
    return value


def _path(value: Any) -> Path:
    return Path(_text(value)).expanduser()


def _address(value: Any) -> Address:
    return Address.parse(_text(value))


def _server_name(value: Any) -> str:
    return check_name(_text(value))


def _redis_url(value: Any) -> str:
    text = _text(value)
    parts = urlsplit(text)
    if parts.scheme not in ("redis", "rediss", "unix") or not (parts.netloc or parts.path):
        raise ConfigError(f"expected a URL such as redis://HOST:6379/0, rediss://… or unix:///PATH, not {text!r}")
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
    return tuple(check_name(_text(item)) for item in items if item != "")


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
    {"data", "redis", "listen", "advertise", "name", "tls.cert", "tls.key", "insecure", "metrics", "house", "drain"}
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
        return "--" + self.key.replace(".", "-") if self.key in FLAGGED else f"--set {self.key}"

    @property
    def path(self) -> tuple[str, ...]:
        return tuple((self.target or self.key).split("."))


_COUNT = _whole(1, 1_000_000)

SETTINGS = (
    Setting("data", _path, "folder of the store, the records and the keys"),
    Setting("redis", _redis_url, "URL of a Redis >= 7 or Valkey to use instead of the embedded store"),
    Setting("listen", _address, "HOST:PORT for bots and commands"),
    Setting("advertise", _address, "HOST:PORT at which bots reach this server from outside"),
    Setting("name", _server_name, "name under which a restarted server takes its matches back"),
    Setting("tls.cert", _path, "PEM file with the certificate chain", "tls_cert"),
    Setting("tls.key", _path, "PEM file with its private key", "tls_key"),
    Setting("insecure", _flag, "allow plain text beyond this machine"),
    Setting("metrics", _address, "HOST:PORT of /metrics and /healthz"),
    Setting("house", _names, "house bots to run beside the server"),
    Setting("time.connect", _microseconds, "new ladders: seconds from Offer to Join"),
    Setting("time.ready", _microseconds, "new ladders: seconds from Start to Ready"),
    Setting("time.move", _microseconds, "new ladders: seconds for each decision"),
    Setting("time.bank", _microseconds, "new ladders: seconds for all overruns of a seat together"),
    Setting("time.increment", _microseconds, "new ladders: seconds added to the bank after each decision"),
    Setting("time.grace", _microseconds, "new ladders: seconds over the limit at which an answer still counts"),
    Setting("attempts", _whole(1, 100), "new ladders: answers that a seat may give to one decision"),
    Setting("strikes", _whole(1, 100), "new ladders: the strike with this number makes a seat fall"),
    Setting("lease", _seconds(0.1, 3_600), "seconds without a sign of life after which a match is taken over"),
    Setting("deliveries", _whole(1, 100), "how often a match is tried before it is a dead letter"),
    Setting("ping", _seconds(0.05, 3_600), "seconds between Pings"),
    Setting("drain", _seconds(0, 86_400), "seconds that an ending server waits for its running matches"),
    Setting("limits.streams", _COUNT, "open Play streams"),
    Setting("limits.streams_per_bot", _COUNT, "open Play streams of one bot"),
    Setting("limits.slots_per_bot", _COUNT, "matches at a time of one bot"),
    Setting("limits.frames_per_second", _COUNT, "frames of one stream"),
    Setting("limits.rejected_per_minute", _COUNT, "refused frames of one stream before it is ended"),
    Setting("limits.unsent_bytes", _whole(MESSAGE_BYTES, 1 << 30), "bytes that may wait for a bot that does not read"),
    Setting("limits.calls", _COUNT, "calls other than Play served at a time"),
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
        raise ConfigError(f"--set knows {', '.join(_BY_KEY)}; not {key!r}")

    return key, value


def _read_all(given: Mapping[str, Any], source: Callable[[str], str]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for key, value in given.items():
        if key not in _BY_KEY:
            raise ConfigError(f"{source(key)} is no setting; the settings are {', '.join(_BY_KEY)}")
        try:
            values[key] = _BY_KEY[key].read(value)
        except ConfigError as error:
            raise ConfigError(f"{source(key)}: {error}") from None
    return values


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ConfigError(f"there is no file {str(path)!r}") from None
    except OSError as error:
        raise ConfigError(f"cannot read {str(path)!r}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ConfigError(f"not a UTF-8 text: {str(path)!r}") from None
    except tomllib.TOMLDecodeError as error:
        what, place, rest = str(error).partition(" (at ")
        line = re.match(r"line (\d+)", rest) if place else None
        where = f"{path}:{line[1]}" if line else f"{path}"
        raise ConfigError(f"{where}: not TOML: {what[:1].lower()}{what[1:]}") from None


def _flatten(table: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in table.items():
        if isinstance(value, dict):
            flat |= _flatten(value, f"{prefix}{name}.")
        else:
            flat[f"{prefix}{name}"] = value
    return flat
