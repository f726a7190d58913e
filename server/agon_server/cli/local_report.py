"""What `agon play` prints: for people two tables that fit 80 columns, each bot's errors, and what the columns mean; for
a pipe one table; for programs JSON. Nothing here plays.
"""

from __future__ import annotations

from collections import Counter

from agon_bots import BotSummary, LocalRules, Summary
from agon_engine.core.record import Deals
from agon_ladder.report.tables import points
from agon_ladder.report.testing import comparison_json, comparison_lines
from agon_ladder.stats.interval import Interval, block_interval, elo_of_score
from agon_server.cli.elo import elo_text, interval_text
from agon_server.cli.output import Output
from agon_server.cli.sequential import SequentialTest

SHOWN_KINDS = 3
"""Kinds of errors of one bot that are listed."""

RESULTS = ("bot~", "score#", "Elo#", "95 %#", "seats#", "places#", "points#")
CONDUCT = ("bot~", "ms#", "max ms#", "errors#", "ended otherwise")
LEGEND = """
score   mean pairwise score: 1 for each opponent placed below, 1/2 for a tie
Elo     of play: that as points above the opponents met; 95 %  its interval,
        inf where there is no bound, as for a clean score; ?  nothing to tell
seats   how often it sat in a match; places  how often it came 1st/2nd/...
points  the game's own, a match; ms  a decision, on average; max ms  at most
errors  in its own code; ended otherwise  seats not played to the end, and why
"""


def tell(
    out: Output,
    rules: LocalRules,
    summary: Summary,
    deals: Deals = Deals.SHARED,
    test: SequentialTest | None = None,
    places: int | None = None,
) -> None:
    """Print what came of a run, the sequential test last. `places` are the matches of a block, by default one for each
    seat."""
    size = rules.seats if places is None else places
    intervals = [interval_of(summary, index, rules.seats, size) for index in range(len(summary.bots))]
    described = _described(rules, summary, intervals)
    if test is not None:
        described["comparison"] = comparison_json(test.comparison, test.test)
    out.json(described)
    order = sorted(range(len(summary.bots)), key=lambda index: -summary.bots[index].pairwise)
    results = [_results(summary.bots[index], intervals[index], rules.seats) for index in order]
    conduct = [_conduct(summary.bots[index]) for index in order]
    if out.is_terminal:
        title = f"{rules.game}, {rules.seats} seats: {summary.matches} matches, {summary.decisions} decisions"
        out.table(RESULTS, results, title=title)
        out.line()
        out.table(CONDUCT, conduct)
        out.hint(LEGEND.rstrip())
    else:
        both = [(*left, *right[1:]) for left, right in zip(results, conduct, strict=True)]
        out.table((*RESULTS, *CONDUCT[1:]), both)
    for index in order:
        _tell_errors(out, summary.bots[index])
    if test is not None:
        _tell_test(out, rules, deals, test)


def _tell_test(out: Output, rules: LocalRules, deals: Deals, test: SequentialTest) -> None:
    out.line()
    about = f"{rules.game}, {rules.seats} seats, {deals} deals"
    for line in comparison_lines(test.comparison, test.test, about):
        out.text(line)
    if test.left_out:
        out.text(f"{test.left_out} blocks are left out, since a match of theirs does not count")


def interval_of(summary: Summary, index: int, seats: int, places: int) -> Interval:
    """Return the interval of a bot's mean pairwise score, by its blocks of so many matches.

    A block in which the bot met fewer opponents, since it sat twice, counts by its mean like all others.
    """
    most = 2 * places * (seats - 1)
    histogram: Counter[int] = Counter()
    for blocks in summary.blocks.values():
        scores = blocks[index]
        if scores:
            histogram[round(most * sum(scores) / len(scores))] += 1
    return block_interval(histogram, most, f"play/{index}")


def elo_of(bot: BotSummary) -> int | None:
    """Return the bot's score as thousandths of an Elo point above its opponents; None where it met none, and where it
    is clean."""
    return elo_of_score(bot.pairwise) if bot.pairs else None


def _results(bot: BotSummary, interval: Interval, seats: int) -> tuple[object, ...]:
    return (
        bot.name,
        f"{bot.pairwise:.3f}" if bot.pairs else "?",
        elo_text(elo_of(bot), bot.pairwise if bot.pairs else None),
        interval_text(interval),
        bot.seats,
        "/".join(str(bot.placements[place]) for place in range(1, seats + 1)),
        f"{bot.mean_score:.1f}",
    )


def _conduct(bot: BotSummary) -> tuple[object, ...]:
    ended = ", ".join(f"{name} {number}" for name, number in sorted(bot.terminations.items()))
    return (bot.name, f"{bot.mean_us / 1000:.2f}", f"{bot.longest_us / 1000:.1f}", bot.faults, ended)


def _tell_errors(out: Output, bot: BotSummary) -> None:
    """Print how many errors a bot had and of which kinds, the first with its traceback."""
    if not bot.faults:
        return

    errors = f"{bot.faults} error{'s' if bot.faults != 1 else ''}"
    out.text(f"\n{bot.name}: {errors}, in {bot.failed} of its {bot.seats} matches")
    for kind in list(bot.kinds.values())[:SHOWN_KINDS]:
        out.text(f"  {kind.count} x {kind.first.line}")
    if len(bot.kinds) > SHOWN_KINDS:
        out.line(f"  and {len(bot.kinds) - SHOWN_KINDS} more kinds")
    if traceback := next((kind.first.traceback for kind in bot.kinds.values() if kind.first.traceback), ""):
        out.text("\n".join(f"  {line}" for line in traceback.splitlines()))


def _described(rules: LocalRules, summary: Summary, intervals: list[Interval]) -> dict[str, object]:
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
                "elo": points(elo_of(bot)),
                "elo_low": points(interval.low),
                "elo_high": points(interval.high),
                "blocks": interval.blocks,
                "seats": bot.seats,
                "placements": {str(place): number for place, number in sorted(bot.placements.items())},
                "mean_points": bot.mean_score,
                "terminations": dict(bot.terminations),
                "errors": bot.faults,
                "failed": bot.failed,
                "decisions": bot.decisions,
                "mean_ms": bot.mean_us / 1000,
                "longest_ms": bot.longest_us / 1000,
            }
            for bot, interval in zip(summary.bots, intervals, strict=True)
        ],
        "errors": [
            {"bot": bot.name, "error": kind.first.line, "count": kind.count, "traceback": kind.first.traceback}
            for bot in summary.bots
            for kind in bot.kinds.values()
        ],
    }
