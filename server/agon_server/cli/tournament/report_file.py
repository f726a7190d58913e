"""`agon tournament report --format F`: the whole report of a tournament, from its records."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

from agon_engine.core.options import option_text
from agon_engine.core.record import MatchRecord
from agon_ladder.ratings import Elo
from agon_ladder.report.facts import MatchFacts, facts_of
from agon_ladder.report.forms import Form, rendered
from agon_ladder.report.gathering import Gathering
from agon_ladder.report.wording import RANKS
from agon_server.cli.output import Output
from agon_server.cli.whole_file import whole_file
from agon_server.config import ConfigError
from agon_server.ladders.reports import told_time
from agon_server.surroundings import reason_of
from agon_server.tournaments.bot_files import BotFiles
from agon_server.tournaments.competition import competition_of
from agon_server.tournaments.definition import TournamentDef, kind_of
from agon_server.tournaments.folder import TournamentFolder
from agon_server.tournaments.places import read_block_id
from agon_server.tournaments.progress import Progress

NOTES = (
    RANKS,
    "Elo is what a ladder that began with these matches, in the order of the schedule, would show.",
    "Time is measured where the bots run, in one process with the game.",
)


def write_report(
    out: Output, definition: TournamentDef, folder: TournamentFolder, progress: Progress, form: Form, to: Path | None
) -> None:
    """Print the report, or write it to a file (CSV: to a folder). Raise ConfigError where that cannot be."""
    if form is Form.CSV and to is None:
        raise ConfigError("csv is a file for each table: name a folder for them by --out DIR")

    gathering = Gathering()
    for facts in _in_order(definition, folder):
        gathering.add(facts)
    competition = competition_of(progress)
    ranks = {row.bot: row.rank for row in competition.ranking}
    title = f"{definition.name}: {definition.game}"
    files = BotFiles.read(folder.path)
    notes = (*NOTES, *(change.told for change in files.changes))
    about = _about(definition, progress, files)
    report = gathering.report(title, about, ranks=ranks, competition=competition, notes=notes)
    texts = rendered(report, form)
    if to is None:
        out.raw("".join(texts.values()))
        return

    if form is Form.CSV:
        try:
            to.mkdir(exist_ok=True)
        except OSError as error:
            raise ConfigError(f"cannot make the folder {str(to)!r}: {reason_of(error)}") from None
    with ExitStack() as stack:
        for name, text in texts.items():
            stack.enter_context(whole_file(to / name if form is Form.CSV else to)).write(text)
    out.hint(f"the report is in {to}")


def _in_order(definition: TournamentDef, folder: TournamentFolder) -> list[MatchFacts]:
    """Return the facts of all matches by their place in the schedule, so that a report is the same however many were
    played at a time."""
    elo = Elo()
    ratings = dict.fromkeys((bot.name for bot in definition.bots), elo.initial)
    found = []
    results = sorted(folder.results(), key=lambda item: (read_block_id(item.block, item.index), item.attempt))
    for item in results:
        record = MatchRecord.from_line(item.record)
        counts = record.result.rated
        told = None
        if counts:
            bots = [row.bot for row in record.seats]
            after = elo.update([ratings[bot] for bot in bots], record.result.placements)
            ratings.update(zip(bots, after, strict=True))
            told = [elo.value(rating) for rating in after]
        found.append(facts_of(record, counts=counts, ratings=told, block_size=definition.places))
    return found


def _about(definition: TournamentDef, progress: Progress, files: BotFiles) -> list[tuple[str, str]]:
    options = ", ".join(f"{name}={option_text(value)}" for name, value in sorted(definition.options.items()))
    hashes = ", ".join(f"{name} {value}" for of_bot in files.now.values() for name, value in of_bot.items())
    left = ", all" if progress.is_over else f", {progress.remaining} left: it is not finished"
    return [
        ("format", kind_of(definition.format)),
        ("game", f"{definition.game}, rules version {definition.version}"),
        ("seats", str(definition.seats)),
        ("matches", f"{progress.done} of {progress.planned}{left}"),
        *([("options", options)] if options else []),
        ("deals", str(definition.deals)),
        ("rotations", str(definition.rotations)),
        ("time", told_time(definition.time)),
        ("on fault", str(definition.policy.on_fault)),
        # Deals follow from it: it is told when none is left to play.
        *([("seed", definition.seed)] if progress.is_over else []),
        *([("bots' files, BLAKE2b-256", hashes)] if hashes else []),
    ]
