"""The command that measures balance: `python -m tests.balance [--matches N] [--seats 2,4] [--seed S] …`."""

from __future__ import annotations

import argparse
import os
import signal
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from tests.balance import report
from tests.balance.playing import LEDGERS, Plan, Playing, played
from tests.balance.report import ENOUGH
from tests.balance.summary import Summary, Tally
from tests.bench.report import RESULTS

from agon_engine.core import OptionsError
from agon_engine.registry import get_game
from agon_server.cli.output import Output, Progress

EPILOG = """\
Seats are played by the greedy house bot. In three quarters of the matches it drafts by lot every other time, in an
eighth it plays as it likes, in an eighth half of the seats play at random. What an item does is measured on the lots.

  points, place   of seats that took it, and of the others in matches where it was offered: how those seats
                  ended, not what the item does, since who wins takes more
  effect          points further ahead at the end for having taken it, by lot, rather than the mean of its peers
  flag            the whole 95 % interval of the effect lies outside the band of its peers
  -               too few draws or matches to say

The same seed gives the same figures, whatever the number of processes. Flags are findings, not failures: the exit code
is 0. Intervals are 95 %, each by itself: of 90, four or five miss the truth by chance, so measure what was flagged
again with another seed. Half as wide takes four times the matches.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure as the command line says. Return 130 where Ctrl-C or SIGTERM ended it."""
    out = Output()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        _run(_parsed(arguments), out)
    except KeyboardInterrupt:
        out.line("interrupted; nothing is written")
        return 128 + signal.SIGINT

    return 0


def _run(options: argparse.Namespace, out: Output) -> None:
    measured: list[tuple[Plan, Summary]] = []
    began = time.monotonic()
    for seats in options.seats:
        here = Playing(Plan(options.game, seats, options.seed, options.plain, options.files))
        with out.live() as progress:
            summary = _measure(here, options.matches, options.processes, progress)
        measured.append((here.plan, summary))
        report.tell(out, here.plan, summary)
        out.line()
    report.write(options.json, measured)
    seconds = time.monotonic() - began
    out.line(f"{report.told_plan(here.plan)}, --seed {options.seed}: {seconds:.0f} s; written to {options.json}")


def _measure(here: Playing, matches: int, processes: int, progress: Progress) -> Summary:
    plan = here.plan
    tally = Tally(plan.seats, here.ledger.items, here.fact_names())
    began = time.monotonic()
    with closing(played(plan, matches, processes)) as accounts:
        for number, account in enumerate(accounts, 1):
            tally.add(account)
            left = (time.monotonic() - began) / number * (matches - number)
            progress.show(f"{plan.seats} seats: {number:,} of {matches:,} matches, about {left:,.0f} s left")
    progress.show(f"{plan.seats} seats: {matches:,} matches, reckoning")
    return tally.summary()


def _parsed(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.balance",
        description="Measure how balanced a game's cards and quests are, by self-play.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--game", default="elysium", choices=sorted(LEDGERS), help="which one (elysium)")
    parser.add_argument("--matches", type=int, default=ENOUGH, metavar="N", help=f"for each seat count ({ENOUGH})")
    parser.add_argument("--seats", metavar="N,N", help="seat counts (default: the fewest and the most of the game)")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="decides deals, seats and draws (1)")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1, metavar="N", help="(one a core)")
    parser.add_argument(
        "--option", action="append", default=[], metavar="NAME=VALUE", help="of the game; of a file: its path"
    )
    parser.add_argument("--json", type=Path, default=RESULTS / "balance.json", metavar="FILE", help="(%(default)s)")
    options = parser.parse_args(arguments)
    for name in ("matches", "processes"):
        if getattr(options, name) < 1:
            parser.error(f"--{name} is 1 or more, not {getattr(options, name)}")
    if not 0 <= options.seed < 1 << 128:
        parser.error(f"--seed is 0 or more, below 2**128, not {options.seed}")

    counts = get_game(options.game).spec.seat_counts
    texts = options.seats.split(",") if options.seats else [str(counts[0]), str(counts[-1])]
    if wrong := [text for text in texts if not text.isdigit() or int(text) not in counts]:
        parser.error(f"--seats are of {', '.join(map(str, counts))} with commas between, not {wrong[0]!r}")
    options.seats = [int(text) for text in dict.fromkeys(texts)]
    try:
        options.plain, options.files = _game_options(options.game, options.option)
        Playing(Plan(options.game, options.seats[0], options.seed, options.plain, options.files))
    except (OptionsError, OSError, UnicodeDecodeError) as error:
        parser.error(str(error))
    return options


def _game_options(
    game: str, texts: Sequence[str]
) -> tuple[tuple[tuple[str, str | int | bool], ...], tuple[tuple[str, str], ...]]:
    """Return the options of the game that are plain, and those that are files with their text."""
    spec = get_game(game).spec
    files = {option.name: option.allowed for option in spec.options if option.is_file}
    plain, loaded = [], []
    for text in texts:
        name, _, value = text.partition("=")
        if name in files and value not in files[name]:
            loaded.append((name, Path(value).read_text("utf-8")))
        else:
            plain.append(spec.parse_option(text))
    return tuple(plain), tuple(loaded)
