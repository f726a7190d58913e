"""What a server is told before it starts: addresses, limits, defaults, and what contradicts what. Pure values; where
they come from (flags, environment, a file) is `settings`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from agon.address import Address, AddressError
from agon_engine.core.policy import FaultPolicy
from agon_engine.core.timing import TimeControl
from agon_server.names import BOT_NAME, BOT_RULE, SERVER_NAME, SERVER_RULE

DEFAULT_DATA = "agon-data"
DEFAULT_LISTEN = Address("127.0.0.1", 7420)
DEFAULT_METRICS = Address("127.0.0.1", 7421)
DEFAULT_HOUSE_GAMES = 200
MAX_HOUSE_GAMES = 1_000_000
FRAME_WEIGHTS = {"join": 100, "slots": 100, "resign": 10, "note": 10}
"""As how many frames these count for `Limits.frames_per_second`: each can cost a call of the store, a Start with a full
Decide, or a stored line."""
KIB = 1024


class ConfigError(ValueError):
    """A setting is unknown, malformed, out of range or contradicts another; the message names it."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one bot, or all together, may take of a server."""

    streams: int = 2_000
    """Open Play streams that are welcome; one more is refused with a retry delay."""
    streams_per_bot: int = 64
    slots_per_bot: int = 256
    """Matches at a time that Welcome grants at most."""
    frames_per_second: int = 20_000
    """Frames of one stream by weight, averaged over two seconds; more are rejected with a retry delay."""
    rejected_per_minute: int = 100
    """More refused frames than this end the stream."""
    unsent_bytes: int = 1024 * KIB
    """A stream with more waiting than this does not read, and ends."""
    calls: int = 64
    """Public calls with one answer served at a time; the admin's have places of their own."""
    watches: int = 32
    """Public calls that watch served at a time."""
    log_bytes: int = 256 * KIB
    """What is kept of a bot's private log; older lines are cut with a mark."""


@dataclass(frozen=True, slots=True)
class ServerConfig:
    """Everything that a server is told before it starts. Seconds unless a name says otherwise."""

    data: Path = Path(DEFAULT_DATA)
    redis: str | None = field(default=None, repr=False)
    """URL of a Redis or Valkey server, which may hold a password; None: an embedded one in the data folder."""
    allow_volatile: bool = False
    """Use a store that can evict data or lose it in a crash; results are then lost with it."""
    listen: Address = DEFAULT_LISTEN
    advertise: Address | None = None
    """Where bots reach this server's referee from outside; None: where it listens."""
    name: str | None = None
    """The server's own name, under which it takes its matches back; None: one kept in the data folder."""
    tls_cert: Path | None = None
    tls_key: Path | None = None
    insecure: bool = False
    """Allow plain text beyond loopback."""
    metrics: Address = DEFAULT_METRICS
    """Where metrics are served, in plain text also beside TLS: they name no bot, match or token. Beyond loopback only
    where the server itself is meant to be reached from there, by TLS or `insecure`."""
    house: tuple[str, ...] = ()
    """House bots to run beside the server, by their names."""
    time: TimeControl = field(default_factory=TimeControl)
    """The default time control of new ladders."""
    house_games: int = DEFAULT_HOUSE_GAMES
    """New ladders: a house bot with so many rated games plays only as company for others."""
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
        if not self.metrics.is_loopback and self.tls_cert is None and not self.insecure:
            raise ConfigError(
                "metrics beyond this machine are plain text: they need a server that is open to others anyway "
                f"(--tls-cert and --tls-key, or --insecure); metrics is {str(self.metrics)!r}"
            )
        if self.redis is not None and self.listen.is_unspecified and self.advertise is None:
            raise ConfigError(
                "servers that share a store offer each other's matches, so bots must be able to dial each one: say by "
                f"--advertise HOST:PORT where they reach this one; listen is {str(self.listen)!r}"
            )
        if self.tls_cert is not None and self.insecure:
            raise ConfigError("--insecure and TLS contradict each other; leave one out")
        if len(set(self.house)) != len(self.house):
            raise ConfigError(f"house names a bot twice: {', '.join(self.house)!r}")
        joining = FRAME_WEIGHTS["join"] * self.limits.slots_per_bot
        if 2 * self.limits.frames_per_second < joining:
            raise ConfigError(
                f"a bot that comes back joins up to {self.limits.slots_per_bot} matches at once, {joining} frames by "
                f"weight in two seconds: limits.frames_per_second is at least {(joining + 1) // 2}, or "
                f"limits.slots_per_bot lower; it is {self.limits.frames_per_second}"
            )
        if self.advertise is not None and self.advertise.port == 0:
            raise ConfigError(f"advertise names the port that bots dial, not {str(self.advertise)!r}")

    @property
    def tls(self) -> bool:
        return self.tls_cert is not None

    def default_policy(self, seats: int) -> FaultPolicy:
        """Return the failure policy of a new ladder with that many seats."""
        return FaultPolicy(FaultPolicy.default(seats).on_fault, self.attempts, self.strikes)


def read_address(text: str, *, listens: bool = False) -> Address:
    """Return the address that the text is; `listens` allows port 0. Raise ConfigError for anything else."""
    try:
        return Address.parse(text, listens=listens)
    except AddressError as error:
        raise ConfigError(str(error)) from error


def check_server_name(text: str) -> str:
    """Return `text` where it can name a server. Raise ConfigError otherwise."""
    if not SERVER_NAME.fullmatch(text):
        raise ConfigError(f"a server's name is {SERVER_RULE}, not {text!r}")

    return text


def check_bot_name(text: str) -> str:
    """Return `text` where it can name a bot. Raise ConfigError otherwise."""
    if not BOT_NAME.fullmatch(text):
        raise ConfigError(f"a bot's name is {BOT_RULE}, not {text!r}")

    return text
