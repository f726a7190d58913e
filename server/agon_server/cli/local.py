"""`agon play` at work: the SDK plays, in worker processes, and here it is told.

The one module that uses the SDK, and only what it exports; bots are loaded by its workers (or, without any, by it).
"""

from __future__ import annotations

import gzip
import os
import secrets
from collections import Counter
from collections.abc import Generator, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from agon_bots import BotError, BotSummary, LocalMatch, LocalRules, OnError, Summary, bot_labels, play_matches
from agon_engine.core.record import Deals
from agon_engine.registry import get_game
from agon_ladder.stats.interval import WIDEST, Interval, block_interval, elo_of_score
from agon_server.cli.failures import Failed
from agon_server.cli.output import Output
from agon_server.config import ConfigError

SHOWN_FAULTS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What was typed."""

    game: str
    bots: str
    matches: int
    seats: int | None
    options: tuple[str, ...]
    deals: Deals
    seed: str | None
    jobs: int | None
    records: Path | None
    on_error: str
    ceiling: float


def play_locally(out: Output, wanted: Wanted) -> None:
    """Play the matches and print what came of them."""
    named = [text.strip() for text in wanted.bots.split(",") if text.strip()]
    if not named:
        raise ConfigError(f"--bots names at least one bot, not {wanted.bots!r}")

    summary = Summary.of(bot_labels(named))
    faults: list[tuple[str, str]] = []
    with _bot_errors(), ExitStack() as stack:
        rules = _rules(wanted, len(named))
        jobs = len(os.sched_getaffinity(0)) if wanted.jobs is None else wanted.jobs
        write = stack.enter_context(_writing(wanted.records)) if wanted.records is not None else None
        progress = stack.enter_context(out.live())
        played = play_matches(rules, named, wanted.matches, deals=wanted.deals, jobs=jobs)
        # Closing it ends the workers.
        stack.enter_context(closing(cast("Generator[LocalMatch]", played)))
        # What was played until Ctrl-C is told too.
        stack.callback(lambda: _tell(out, rules, summary, faults) if summary.matches else None)
        for match in played:
            summary.add(match)
            faults += [(summary.bots[match.plan.bots[seat]].name, fault.line) for seat, fault in match.faults]
            if write is not None and match.record is not None:
                write.write(match.record.to_line().encode() + b"\n")
            progress.show(_running(summary, wanted.matches))
    if wanted.records is not None:
        out.hint(f"the records are in {wanted.records}; `agon replay verify` proves them")


def _rules(wanted: Wanted, bots: int) -> LocalRules:
    spec = get_game(wanted.game).spec
    return LocalRules(
        spec.name,
        wanted.seats if wanted.seats is not None else min(max(bots, spec.min_seats), spec.max_seats),
        dict(spec.parse_option(text) for text in wanted.options),
        on_error=OnError(wanted.on_error),
        ceiling=wanted.ceiling,
        seed=wanted.seed if wanted.seed is not None else secrets.token_hex(16),
    )


@contextmanager
def _bot_errors() -> Iterator[None]:
    """Give the SDK's errors the exit codes that it has for them."""
    try:
        yield
    except BotError as error:
        raise Failed(str(error), error.exit_code) from error


@contextmanager
def _writing(path: Path) -> Iterator[gzip.GzipFile]:
    """Write a file of records; the same records give the same bytes."""
    try:
        file = path.open("wb")
    except OSError as error:
        raise ConfigError(f"--records: cannot write {str(path)!r}: {(error.strerror or 'unknown').lower()}") from None

    with file, gzip.GzipFile(filename="", fileobj=file, mode="wb", mtime=0) as packed:
        yield packed


# -- what is printed -----------------------------------------------------------------------------------------------


def _running(summary: Summary, matches: int) -> str:
    scores = ", ".join(f"{bot.name} {bot.pairwise:.3f}" for bot in summary.bots)
    return f"{summary.matches} of {matches} matches: {scores}"


def _tell(out: Output, rules: LocalRules, summary: Summary, faults: list[tuple[str, str]]) -> None:
    intervals = [interval_of(summary, index, rules.seats) for index in range(len(summary.bots))]
    out.json(_described(rules, summary, intervals, faults))
    order = sorted(range(len(summary.bots)), key=lambda index: -summary.bots[index].pairwise)
    out.table(
        (
            "bot",
            "score#",
            "Elo#",
            "95 %#",
            "seats#",
            "places",
            "points#",
            "ended otherwise",
            "errors#",
            "ms#",
            "max ms#",
        ),
        [_row(summary.bots[index], intervals[index], rules.seats) for index in order],
        title=f"{rules.game}, {rules.seats} seats: {summary.matches} matches, {summary.decisions} decisions",
    )
    for name, line in faults[:SHOWN_FAULTS]:
        out.text(f"{name}: {line}")
    if len(faults) > SHOWN_FAULTS:
        out.line(f"and {len(faults) - SHOWN_FAULTS} more errors of bots")


def _row(bot: BotSummary, interval: Interval, seats: int) -> tuple[object, ...]:
    score = bot.pairwise
    elo = "?" if interval.plus_minus >= WIDEST else f"{(interval.low + interval.high) / 2000:+.0f}"
    if 0.0 < score < 1.0:
        elo = f"{elo_of_score(score) / 1000:+.0f}"
    between = "?" if interval.blocks < 2 else f"{interval.low / 1000:+.0f} to {interval.high / 1000:+.0f}"
    places = " ".join(f"{place}.:{bot.placements[place]}" for place in range(1, seats + 1) if bot.placements[place])
    ended = ", ".join(f"{name} {number}" for name, number in sorted(bot.terminations.items()))
    mean, longest = bot.mean_us / 1000, bot.longest_us / 1000
    return (
        bot.name,
        f"{score:.3f}",
        elo,
        between,
        bot.seats,
        places,
        f"{bot.mean_score:.1f}",
        ended,
        bot.faults,
        f"{mean:.2f}",
        f"{longest:.1f}",
    )


def interval_of(summary: Summary, index: int, seats: int) -> Interval:
    """Return the interval of a bot's mean pairwise score, by its blocks.

    A block in which the bot met fewer opponents, since it sat twice, counts by its mean like all others.
    """
    most = 2 * seats * (seats - 1)
    histogram: Counter[int] = Counter()
    for blocks in summary.blocks.values():
        scores = blocks[index]
        if scores:
            histogram[round(most * sum(scores) / len(scores))] += 1
    return block_interval(histogram, most, f"play/{index}")


def _described(
    rules: LocalRules, summary: Summary, intervals: list[Interval], faults: list[tuple[str, str]]
) -> dict[str, object]:
    return {
        "game": rules.game,
        "seats": rules.seats,
        "options": dict(rules.options),
        "seed": rules.seed,
        "matches": summary.matches,
        "decisions": summary.decisions,
        "terminations": dict(summary.terminations),
        "bots": [
            {
                "name": bot.name,
                "score": bot.pairwise,
                "elo_low": interval.low / 1000,
                "elo_high": interval.high / 1000,
                "blocks": interval.blocks,
                "seats": bot.seats,
                "placements": {str(place): number for place, number in sorted(bot.placements.items())},
                "mean_points": bot.mean_score,
                "terminations": dict(bot.terminations),
                "errors": bot.faults,
                "decisions": bot.decisions,
                "mean_ms": bot.mean_us / 1000,
                "longest_ms": bot.longest_us / 1000,
            }
            for bot, interval in zip(summary.bots, intervals, strict=True)
        ],
        "errors": [{"bot": name, "error": line} for name, line in faults],
    }
