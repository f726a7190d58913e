"""`agon play`: a tournament at home, without a server. The SDK plays, in worker processes; here it is told.

The one module that uses the SDK, and only what it exports; bots are loaded by its workers, never here.
"""

from __future__ import annotations

import gzip
import os
import secrets
from collections import Counter
from collections.abc import Generator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Annotated, cast

import typer

from agon_bots import BotError, BotSummary, LocalMatch, LocalRules, OnError, Summary, bot_labels, play_matches
from agon_engine.core.record import Deals
from agon_engine.registry import get_game
from agon_ladder.stats.interval import WIDEST, Interval, block_interval, elo_of_score
from agon_server.cli.failures import Failed
from agon_server.cli.output import Output
from agon_server.config import ConfigError

EXAMPLES = """
agon play GAME --bots random,greedy --matches 100
agon play GAME --bots mybot.py:MyBot,greedy --seats 3 --jobs 4 --records matches.jsonl.gz
agon play GAME --bots mybot.py,greedy --option NAME=VALUE --seed 7 --json
"""

MAX_SEATS = 16
SHOWN_FAULTS = 3


def play(
    out: Output,
    game: Annotated[str, typer.Argument(metavar="GAME", help="What is played; `agon games` lists them.")],
    bots: Annotated[
        str, typer.Option("--bots", metavar="BOT,BOT", help="FILE.py[:CLASS], MODULE:CLASS or an installed bot each.")
    ],
    matches: Annotated[int, typer.Option("--matches", min=1, help="At least so many, in whole blocks.")] = 100,
    seats: Annotated[
        int | None, typer.Option("--seats", help="Seats of a match.  [default: one for each bot, if the game has it]")
    ] = None,
    option: Annotated[
        list[str] | None, typer.Option("--option", metavar="NAME=VALUE", help="An option of the game; repeatable.")
    ] = None,
    deals: Annotated[
        Deals, typer.Option("--deals", help="shared: the matches of a block have one deal, which takes luck out.")
    ] = Deals.SHARED,
    seed: Annotated[
        str | None, typer.Option("--seed", metavar="TEXT", help="Makes deals, seats and the bots' draws repeatable.")
    ] = None,
    jobs: Annotated[
        int | None, typer.Option("--jobs", help="Worker processes; 0 plays in this one.  [default: one a CPU]")
    ] = None,
    records: Annotated[
        Path | None, typer.Option("--records", metavar="FILE", help="Write the records there, gzipped.")
    ] = None,
    on_error: Annotated[
        OnError, typer.Option("--on-error", help="A bot that raises: give the match up, or draw an action at random.")
    ] = OnError.RESIGN,
    ceiling: Annotated[
        float, typer.Option("--ceiling", metavar="SECONDS", help="The longest that a call of a bot may take.")
    ] = 60.0,
) -> None:
    """Play matches between bots here, without a server.

    Every line-up is played under all rotations of its seats. Time is measured and shown to the bots, and enforced by
    the ceiling alone. Score is the mean pairwise score: 1 for each opponent placed below, a half for a tie; the
    interval is 95 %, by block bootstrap.
    """
    spec = get_game(game).spec
    named = [text.strip() for text in bots.split(",") if text.strip()]
    if not named:
        raise ConfigError(f"--bots names at least one bot, not {bots!r}")
    count = seats if seats is not None else min(max(len(named), spec.min_seats), spec.max_seats)
    options = dict(spec.parse_option(text) for text in option or ())
    workers = len(os.sched_getaffinity(0)) if jobs is None else jobs
    summary = Summary.of(bot_labels(named))
    faults: list[tuple[str, str]] = []
    try:
        rules = LocalRules(
            spec.name,
            count,
            options,
            on_error=on_error,
            ceiling=ceiling,
            seed=seed if seed is not None else secrets.token_hex(16),
        )
        with ExitStack() as stack:
            write = stack.enter_context(_writing(records)) if records is not None else None
            progress = stack.enter_context(out.live())
            played = play_matches(rules, named, matches, deals=deals, jobs=workers)
            # Closing it ends the workers.
            stack.enter_context(closing(cast("Generator[LocalMatch]", played)))
            for match in played:
                summary.add(match)
                faults += [(summary.bots[match.plan.bots[seat]].name, fault.line) for seat, fault in match.faults]
                if write is not None and match.record is not None:
                    write.write(match.record.to_line().encode() + b"\n")
                progress.show(_running(summary, matches))
    except BotError as error:
        raise Failed(str(error), error.exit_code) from error
    except KeyboardInterrupt:
        _tell(out, rules, summary, faults)
        raise

    _tell(out, rules, summary, faults)
    if records is not None:
        out.hint(f"records: {records}; `agon replay verify {records}` proves them, `agon replay show` tells them")


def _writing(path: Path) -> gzip.GzipFile:
    try:
        return gzip.GzipFile(filename="", fileobj=path.open("wb"), mode="wb", mtime=0)
    except OSError as error:
        raise ConfigError(f"--records: cannot write {str(path)!r}: {(error.strerror or 'unknown').lower()}") from None


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
