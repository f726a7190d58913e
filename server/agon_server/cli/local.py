"""`agon play` at work: the SDK plays, in worker processes; `local_report` tells what came of it.

These two modules use the SDK, and only what it exports; bots are loaded by its workers (or, without any, by it).
"""

from __future__ import annotations

import gzip
import secrets
from collections.abc import Generator, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from agon_bots import (
    BotError,
    BotSummary,
    LocalMatch,
    LocalRules,
    OnError,
    Summary,
    bot_labels,
    match_count,
    play_matches,
)
from agon_engine.core.record import Deals
from agon_engine.core.rotations import Rotations
from agon_engine.registry import get_game
from agon_ladder.stats.blocks import PlayedMatch
from agon_ladder.stats.sprt import Verdict
from agon_server.cli.failures import Failed, Negative
from agon_server.cli.local_file import ReportFile
from agon_server.cli.local_report import tell
from agon_server.cli.options import given_options
from agon_server.cli.output import Output
from agon_server.cli.sequential import InBlocks, SequentialTest, read_test
from agon_server.config import ConfigError
from agon_server.surroundings import processors, reason_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What was typed."""

    game: str
    bots: str
    matches: int
    seats: int | None
    options: tuple[str, ...]
    deals: Deals
    rotations: Rotations
    seed: str | None
    jobs: int | None
    records: Path | None
    report: Path | None
    sprt: str | None
    on_error: str
    ceiling: float


def play_locally(out: Output, wanted: Wanted) -> None:
    """Play the matches and print what came of them. Raise Negative where a bot's code failed in every match, or as the
    sequential test ends."""
    named = [text.strip() for text in wanted.bots.split(",") if text.strip()]
    if not named:
        raise ConfigError(f"--bots names at least one bot, not {wanted.bots!r}")

    names = bot_labels(named)
    summary = Summary.of(names)
    with bot_errors(), ExitStack() as stack:
        rules = _rules(wanted, len(named))
        places = match_count(1, rules.seats, wanted.rotations)
        test = None if wanted.sprt is None else SequentialTest(read_test(wanted.sprt), names, rules.seats, places)
        jobs = processors() if wanted.jobs is None else wanted.jobs
        file = None if wanted.report is None else ReportFile(wanted.report, rules, names, places)
        # What was played until Ctrl-C is told too, when the progress line is gone.
        stack.callback(lambda: _tell(out, rules, summary, wanted.deals, test, file, places))
        write = stack.enter_context(_writing(wanted.records)) if wanted.records is not None else None
        progress = stack.enter_context(out.live())
        planned = match_count(wanted.matches, rules.seats, wanted.rotations)
        if test is None and planned != wanted.matches:
            progress.note(f"agon: {planned} matches are played, not {wanted.matches}: whole blocks of {places}")
        played = play_matches(rules, named, wanted.matches, deals=wanted.deals, rotations=wanted.rotations, jobs=jobs)
        # Closing it ends the workers.
        stack.enter_context(closing(cast("Generator[LocalMatch]", played)))
        for match in played if test is None else _until_decided(played, test, places, names):
            summary.add(match)
            if file is not None:
                file.add(match)
            if write is not None and match.record is not None:
                write.write(match.record.to_line().encode() + b"\n")
            progress.show(_running(summary, planned) if test is None else test.running())
    if wanted.seed is None:
        out.hint(f"played with --seed {rules.seed}")
    if wanted.records is not None:
        out.hint(f"the records are in {wanted.records}; `agon replay verify` proves them")
    if wanted.report is not None:
        out.hint(f"the report is in {wanted.report}")
    if failed := [bot for bot in summary.bots if bot.always_failed]:
        raise Negative("; ".join(f"{bot.name} failed in all its {bot.seats} matches: {_first(bot)}" for bot in failed))
    if test is not None:
        test.end()


def _tell(
    out: Output,
    rules: LocalRules,
    summary: Summary,
    deals: Deals,
    test: SequentialTest | None,
    file: ReportFile | None,
    places: int,
) -> None:
    if summary.matches:
        tell(out, rules, summary, deals, test, places)
        if file is not None:
            file.write(deals, test)
    elif file is not None:
        file.discard()


def _until_decided(
    played: Iterator[LocalMatch], test: SequentialTest, places: int, names: Sequence[str]
) -> Iterator[LocalMatch]:
    """Yield the matches of whole blocks in the order of the plan, up to the block that decides the test."""
    blocks: InBlocks[LocalMatch] = InBlocks(places)
    for ended in played:
        for block in blocks.take(ended.plan.block, ended.plan.number, ended):
            verdict = test.add([_as_played(match, names) for match in block])
            yield from block
            if verdict is not Verdict.OPEN:
                return


def _as_played(match: LocalMatch, names: Sequence[str]) -> PlayedMatch | None:
    if not match.result.rated:
        return None
    return PlayedMatch(tuple(names[bot] for bot in match.plan.bots), match.result.placements)


def _first(bot: BotSummary) -> str:
    return next(iter(bot.kinds.values())).first.line


def _running(summary: Summary, matches: int) -> str:
    scores = ", ".join(f"{bot.name} {bot.pairwise:.3f}" for bot in summary.bots)
    return f"{summary.matches} of {matches} matches: {scores}"


def _rules(wanted: Wanted, bots: int) -> LocalRules:
    game, options = given_options(get_game(wanted.game), wanted.options)
    spec = game.spec
    return LocalRules(
        spec.name,
        wanted.seats if wanted.seats is not None else min(max(bots, spec.min_seats), spec.max_seats),
        options,
        files={option: file.text for option, file in game.files.items()},
        on_error=OnError(wanted.on_error),
        ceiling=wanted.ceiling,
        seed=wanted.seed if wanted.seed is not None else secrets.token_hex(16),
    )


@contextmanager
def bot_errors() -> Iterator[None]:
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
        raise ConfigError(f"--records: cannot write {str(path)!r}: {reason_of(error)}") from None

    with file, gzip.GzipFile(filename="", fileobj=file, mode="wb", mtime=0) as packed:
        yield packed
