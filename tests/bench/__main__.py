"""Run benchmarks: `python -m tests.bench [SECTION ...]`; without a section all of them, one after the other."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module

from tests.bench.report import Row, build, table, write

SECTIONS = {
    "engine": "random playouts and views of every game",
    "codec": "building and encoding a Decide, from kept parts and from scratch",
    "referee": "decisions per server CPU-second over bare gRPC round trips, and the cost by part",
    "overhead": "host time of a decision under load",
    "idle": "memory of idle bot connections",
    "streams": "memory and tasks after 20,000 streams opened and dropped",
    "store": "finish and claims against a real store",
    "journal": "what storing accepted choices costs a decision, by how many go in one call",
    "ladder": "ratings, folds, pairing and intervals",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the named sections; return 1 where a bar was missed."""
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
    missed = 0
    for name in options.sections or SECTIONS:
        measure: Callable[..., list[Row]] = import_module(f"tests.bench.bench_{name}").measure
        rows = measure(quick=options.quick)
        sys.stdout.write(table(f"{name} ({build()}): {SECTIONS[name]}", rows))
        sys.stdout.write(f"written to {write(name, rows)}\n\n")
        sys.stdout.flush()
        missed += sum(row.met is False for row in rows)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
