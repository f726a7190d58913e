"""Run benchmarks: `python -m tests.bench [SECTION ...]`; without a section all of them, one after the other."""

from __future__ import annotations

import argparse
import multiprocessing
import os
import signal
import sys
import traceback
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from importlib import import_module

from tests.bench.report import Line, Report

SECTIONS = {
    "engine": "random and greedy playouts of every game, and what a decision, a view and a clone cost",
    "profile": "where random playouts spend their time",
    "memory": "a thousand running matches",
    "codec": "building and encoding a Decide, from kept parts and from scratch",
    "sizes": "bytes of a Decide",
    "rivals": "random play beside public engines, in processes of their own on one core",
    "referee": "decisions per server CPU-second over bare gRPC round trips, and the cost by part",
    "overhead": "host time of a decision under load",
    "idle": "memory of idle bot connections",
    "streams": "memory and tasks after 20,000 streams opened and dropped",
    "store": "finish and claims against a real store",
    "journal": "what storing accepted choices costs a decision, by how many go in one call",
    "ladder": "ratings, folds, pairing and intervals",
    "rebuild": "a rebuild of a million results in full (minutes)",
    "fit": "fitted strengths of 200 bots and their intervals: time and memory",
    "calibration": "whether fitted strengths are as sure as they say, on simulated bots (minutes)",
    "schedules": "memory and time of a million planned matches, and of rounds of Swiss tournaments",
    "simulation": "an endless ladder of 2,000 simulated bots: how true the table is, how even the games (minutes)",
    "report": "what a report costs, by match and for many bots",
    "deals": "how many blocks with fresh deals one with a shared deal is worth, per game (minutes)",
    "sprt": "error rates of the sequential test on simulated bots, and what it costs",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the named sections; return 1 where a bar was missed or a section failed. Ctrl-C ends it: what was measured
    is written, and KeyboardInterrupt goes on."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench",
        description="Measure Agon. Ratios are measured in one run, since machines are noisy.",
        epilog="\n".join(f"{name:<9} {text}" for name, text in SECTIONS.items()),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("sections", nargs="*", metavar="SECTION", help="what to measure (default: everything)")
    parser.add_argument("--quick", action="store_true", help="fewer and shorter rounds, to see that it works")
    options = parser.parse_args(arguments)
    if unknown := [name for name in options.sections if name not in SECTIONS]:
        parser.error(f"unknown section {unknown[0]!r}; there are {', '.join(SECTIONS)}")

    os.environ.setdefault("GRPC_VERBOSITY", "NONE")  # what it says of streams that end is no result
    shortcomings: list[str] = []
    for name in options.sections or SECTIONS:
        run(partial(measure, name), Report(name, SECTIONS[name], sys.stdout), options.quick, shortcomings)
    for shortcoming in shortcomings:
        sys.stdout.write(f"{shortcoming}\n")
    return 1 if shortcomings else 0


def measure(section: str, *, quick: bool) -> Iterable[Line]:
    """Measure a section by its module's function of this name: it yields each line when it is measured, or returns
    them all."""
    lines: Iterable[Line] = import_module(f"tests.bench.bench_{section}").measure(quick=quick)
    return lines


def run(measure: Callable[..., Iterable[Line]], report: Report, quick: bool, shortcomings: list[str]) -> None:
    """Measure one section and write it; add what failed in it and the bars it missed to the shortcomings."""
    try:
        for line in measure(quick=quick):
            report.add(line)
    except KeyboardInterrupt:
        report.write("interrupted")
        raise
    except Exception as error:
        traceback.print_exc()
        report.write(f"failed: {error!r}")
        shortcomings.append(f"{report.section} failed: {error!r}")
    else:
        report.write()
    shortcomings += [f"missed: {row.line}" for row in report.missed]


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        for child in multiprocessing.active_children():
            child.terminate()
            child.join()
        # Die of the signal, so that the shell and make which started this end too.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)
