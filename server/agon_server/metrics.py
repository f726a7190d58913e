"""Every metric of a server, declared once, with bounded labels: games, terminations and codes, never a match, a
bot or an owner. Counting only; `exposition` serves the numbers, and the modules where things happen count them.

The hot path counts through children resolved beforehand: `metrics.for_game(name).decision_seconds.observe(…)`.
"""

from __future__ import annotations

import platform
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from prometheus_client import CollectorRegistry, Counter, Gauge, ProcessCollector

from agon.codec.frames import RefusedCode, RejectedCode
from agon_engine import __version__
from agon_engine.core.compiled import is_compiled
from agon_engine.core.policy import Termination
from agon_engine.registry import game_names
from agon_server.histogram import LoopHistogram
from agon_server.series import Series
from agon_server.store.errors import Away
from agon_server.store.state import Back

FALLS = (
    Termination.RESIGNED,
    Termination.TIMEOUT,
    Termination.DISCONNECT,
    Termination.ILLEGAL,
    Termination.PROTOCOL,
    Termination.NO_SHOW,
)
"""How a seat can be put out of a match by itself."""
STRIKES = (Termination.TIMEOUT, Termination.ILLEGAL)

REJECTED_CODES = tuple(code.name.lower() for code in RejectedCode)
REFUSED_CODES = tuple(code.name.lower() for code in RefusedCode)

DECISION_BUCKETS = (0.001, 0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60)
OVERHEAD_BUCKETS = (0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5)
CALL_BUCKETS = (0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5)
LAG_BUCKETS = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1)


@dataclass(frozen=True, slots=True)
class Declaration:
    """A metric as it is documented."""

    name: str
    kind: str
    help: str
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GameMetrics:
    """The metrics of one game, every label resolved."""

    started: Counter
    running: Gauge
    finished: Mapping[Termination, Counter]
    """By the match's termination."""
    decision_seconds: Series
    """One observation a decision: what its seat was charged. Its count is the number of decisions."""
    overhead_seconds: Series
    """One observation a decision: from its answer's frame read to the next frame written."""
    faults: Mapping[Termination, Counter]
    """By a fallen seat's termination, one of `FALLS`."""
    strikes: Mapping[Termination, Counter]
    """By what was missing, one of `STRIKES`."""


class Metrics:
    """All metrics of one server process, in a registry of their own."""

    def __init__(self, games: Iterable[str] | None = None) -> None:
        """Declare everything; `games` (default: all registered) are the values of the label `game`."""
        self.registry = CollectorRegistry()
        self.declarations: list[Declaration] = []
        ProcessCollector(registry=self.registry)

        started = self._counter("agon_matches_started_total", "Matches begun, deliveries after the first too.", "game")
        finished = self._counter(
            "agon_matches_finished_total", "Matches ended, by the match's termination.", "game", "termination"
        )
        running = self._gauge("agon_running_matches", "Matches that are running in this process.", "game")
        decision = self._histogram(
            "agon_decision_seconds", "Time charged to a seat for a decision.", DECISION_BUCKETS, "game"
        )
        overhead = self._histogram(
            "agon_decision_overhead_seconds",
            "Host time of a decision, from the answer's frame read to the next frame written.",
            OVERHEAD_BUCKETS,
            "game",
        )
        faults = self._counter("agon_faults_total", "Seats put out of a match, by why.", "game", "kind")
        strikes = self._counter(
            "agon_strikes_total", "Decisions answered by a substitute while the seat was in, by why.", "game", "kind"
        )
        rejected = self._counter("agon_rejected_frames_total", "Frames of bots that did not fit, by code.", "code")
        refused = self._counter("agon_refused_streams_total", "Streams refused or ended on purpose, by code.", "code")
        self.connected_bots = self._gauge("agon_connected_bots", "Bots with at least one open stream here.")
        self.streams = self._gauge("agon_streams", "Open Play streams.")
        self.queue_depth = self._gauge("agon_queue_depth", "Matches in the queue, running ones included.")
        self.queue_lag = self._gauge("agon_queue_lag", "Matches in the queue that no referee has claimed yet.")
        self.queue_oldest_seconds = self._gauge(
            "agon_queue_oldest_seconds", "Age of the oldest match in the queue that no referee has claimed yet."
        )
        self.redeliveries = self._counter(
            "agon_redeliveries_total", "Matches claimed again, after a lost lease or from a server that ended."
        )
        self.dead_letters = self._counter(
            "agon_dead_letters_total", "Matches given up: delivered too often, not understood or impossible to set up."
        )
        self.journal_seconds = self._histogram(
            "agon_journal_seconds", "Time of the one call that stores what was accepted in a turn.", CALL_BUCKETS
        ).labels()
        self.finish_seconds = self._histogram(
            "agon_finish_seconds", "Time until a finished match is stored, and on disk.", CALL_BUCKETS
        ).labels()
        self.rating_updates = self._counter("agon_rating_updates_total", "Ratings changed, one a seat and match.")
        self.loop_lag_seconds = self._histogram(
            "agon_loop_lag_seconds", "How late the event loop ran what was due.", LAG_BUCKETS
        ).labels()
        self.store_here = self._gauge("agon_store_here", "1 while the store can be used, 0 while it is away.")
        self.store_safe = self._gauge(
            "agon_store_safe",
            "1 while the store keeps what it is given, 0 while it can evict it or lose it in a crash.",
        )
        store_away = self._counter("agon_store_away_total", "How often the store went away, by why it did.", "reason")
        store_back = self._counter(
            "agon_store_back_total", "How often it came back: the same, restarted, or emptied.", "how"
        )
        build = self._gauge(
            "agon_build_info", "Always 1; the labels say what is running.", "version", "python", "build"
        )
        build.labels(__version__, platform.python_version(), "compiled" if is_compiled() else "sources").set(1)

        self.rejected: Mapping[str, Counter] = {code: rejected.labels(code) for code in REJECTED_CODES}
        self.refused: Mapping[str, Counter] = {code: refused.labels(code) for code in REFUSED_CODES}
        self.store_away: Mapping[Away, Counter] = {why: store_away.labels(why.value) for why in Away}
        self.store_back: Mapping[Back, Counter] = {how: store_back.labels(how.value) for how in Back}
        self._games = {
            game: GameMetrics(
                started=started.labels(game),
                running=running.labels(game),
                finished={why: finished.labels(game, why.value) for why in Termination},
                decision_seconds=decision.labels(game),
                overhead_seconds=overhead.labels(game),
                faults={why: faults.labels(game, why.value) for why in FALLS},
                strikes={why: strikes.labels(game, why.value) for why in STRIKES},
            )
            for game in (game_names() if games is None else games)
        }

    def for_game(self, name: str) -> GameMetrics:
        """Return the metrics of a game. Raise KeyError for one that was not declared."""
        return self._games[name]

    def table(self) -> str:
        """Return all declarations as a Markdown table, in the order of declaration."""
        rows = ["| metric | type | labels | meaning |", "|---|---|---|---|"]
        for item in self.declarations:
            labels = ", ".join(f"`{label}`" for label in item.labels)
            rows.append(f"| `{item.name}` | {item.kind} | {labels} | {item.help} |")
        return "\n".join(rows) + "\n"

    # -- declaring -------------------------------------------------------------------------------------------

    def _declare(self, name: str, kind: str, text: str, labels: tuple[str, ...]) -> None:
        self.declarations.append(Declaration(name, kind, text, labels))

    def _counter(self, name: str, text: str, *labels: str) -> Counter:
        self._declare(name, "counter", text, labels)
        return Counter(name, text, labels, registry=self.registry)

    def _gauge(self, name: str, text: str, *labels: str) -> Gauge:
        self._declare(name, "gauge", text, labels)
        return Gauge(name, text, labels, registry=self.registry)

    def _histogram(self, name: str, text: str, buckets: Sequence[float], *labels: str) -> LoopHistogram:
        self._declare(name, "histogram", text, labels)
        return LoopHistogram(name, text, labels, buckets, self.registry)
