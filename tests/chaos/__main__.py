"""Run chaos: `python -m tests.chaos [--seed N] [--matches N]`."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import secrets
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.bench.report import RESULTS, build, table
from tests.chaos.arena import Settings
from tests.chaos.plan import KILLS, Blow, Plan, counts_for
from tests.chaos.run import Report, run

from agon_server.cli.output import Output

MATCHES = 300
LIMIT_SECONDS = 330.0
SHOWN = 10
"""Of what contradicts a verdict so much is printed."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run chaos as the command line says; return 1 where something that must hold does not."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.chaos",
        description="Kill servers, bots and the store at random while matches are played; see that nothing is lost.",
    )
    parser.add_argument("--seed", type=int, help="what is done and in which order (default: drawn, and printed)")
    parser.add_argument("--matches", type=int, default=MATCHES, metavar="N", help=f"at least so many ({MATCHES})")
    parser.add_argument(
        "--kills", type=int, metavar="N", help="kills of servers and bots (default: 32 for 300 matches)"
    )
    parser.add_argument("--store-kills", type=int, metavar="N", help="kills of the store (default: 3 for 300 matches)")
    parser.add_argument("--servers", type=int, default=2, choices=(2, 3, 4), help="server processes on the store")
    parser.add_argument("--lease", type=float, default=3.0, metavar="SECONDS", help="the servers' lease (3)")
    parser.add_argument("--limit", type=float, default=LIMIT_SECONDS, metavar="SECONDS", help="playing ends then")
    options = parser.parse_args(arguments)
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    seed = secrets.randbelow(1_000_000) if options.seed is None else options.seed
    plan = Plan.drawn(seed, counts_for(options.matches, options.kills, options.store_kills))
    out = Output()
    out.line(
        f"chaos ({build()}), --seed {seed}: {options.matches} matches on {options.servers} servers, lease "
        f"{options.lease:g} s, {plan.count(*KILLS)} kills of servers and bots, {plan.count(Blow.STORE)} of the store"
    )
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with out.live() as progress:
            report = asyncio.run(
                run(
                    plan,
                    options.matches,
                    Settings(servers=options.servers, lease=options.lease),
                    limit=options.limit,
                    tell=out.line,
                    show=progress.show,
                    logs=RESULTS / "chaos-logs",
                )
            )
    except KeyboardInterrupt:
        out.line("interrupted; nothing is left behind")
        return 130
    except (TimeoutError, AssertionError) as error:
        out.line(f"it did not come to its end: {error}; logs are in {RESULTS / 'chaos-logs'}")
        return 1
    _tell(out, report)
    return 0 if report.good else 1


def _tell(out: Output, report: Report) -> None:
    out.line()
    out.line(table("verdict", report.verdicts))
    out.line(table("figures", report.figures))
    for name, lines in report.contradictions.items():
        out.line(f"{name}:")
        for line in lines[:SHOWN]:
            out.text(f"  {line}")
        if len(lines) > SHOWN:
            out.line(f"  and {len(lines) - SHOWN} more")
    path = _written(report)
    logs = f"; logs are in {report.logs}" if report.logs is not None else ""
    good = "nothing was lost" if report.good else "something does not hold"
    out.line(f"{good}, after {report.seconds:.0f} s, --seed {report.plan.seed}; written to {path}{logs}")


def _written(report: Report) -> Path:
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / "chaos.json"
    path.write_text(json.dumps(report.to_json(), indent=1) + "\n", encoding="utf-8")
    return path


if __name__ == "__main__":
    sys.exit(main())
