"""What must be true of a ladder, checked over its results, its rating rows and its table. Pure: the server gathers
them, in the order of the stream; the caller decides what to do about findings.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from agon_engine.core.record import Deals
from agon_ladder.errors import ResultError
from agon_ladder.fold import FinalTable, LadderState, RatingRow
from agon_ladder.pairing.blocks import line_up_of
from agon_ladder.results import MatchResult, Position
from agon_ladder.rulings import Purge, Ruling, Season, purged_by

MAX_FINDINGS: Final = 1000
"""No more are kept: beyond that the table is wrong as a whole, and a list helps nobody."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is not as it must be."""

    check: str
    """Which check found it: `table`, `rows`, `blocks`, `counts`, `seasons`, `rulings` or `records`."""
    subject: str
    """The match, bot, block or ladder that it is about."""
    text: str


@dataclass(slots=True)
class Counts:
    """What an audit came past."""

    matches: int = 0
    """Results, whatever came of them."""
    records: int = 0
    """Of them, matches that were played, and so have a record."""
    unreadable: int = 0
    """Of them, matches whose record cannot be read."""
    rated: int = 0
    ratings: int = 0
    """Rating rows that are stored."""
    purged: int = 0
    """Results that would count but for a purge."""


class Tally(NamedTuple):
    """How many ratings a process has changed for its metric while it folded a part of a ladder's results."""

    after: Position
    until: Position
    ratings: int
    generation: int
    """Of the table; one that was replaced is not what was counted."""


class Audit:
    """One pass over a ladder from its first result: folds it again, checks rows and blocks on the way, and counts."""

    def __init__(self, rebuilt: LadderState, purges: Sequence[Purge] = (), tally: Tally | None = None) -> None:
        """`rebuilt` is an empty table of the ladder; it holds the rebuild when the pass is over. `purges` are those
        that stand at the end. A `tally` is checked against the ratings that the results give."""
        self.rebuilt = rebuilt
        self.seasons: list[FinalTable] = []
        """Those that are over, as the rebuild has them."""
        self._purges = purges
        self.findings: list[Finding] = []
        self.counts = Counts()
        self._blocks = _Blocks()
        self._ruled: list[Ruling] = []
        self._tally = tally
        self._tallied = 0

    @property
    def is_full(self) -> bool:
        """Whether no more findings are kept."""
        return len(self.findings) >= MAX_FINDINGS

    def result(self, result: MatchResult, stored: Sequence[RatingRow] | None) -> tuple[RatingRow, ...]:
        """Check one result of the ladder, unrated ones too, against the rating rows stored at its position.

        They must be exactly those that the fold gives: one a seat of a rated match, none of another. Return these.
        None stands for rows that are not kept any more.
        A result that the fold refuses is refused here too, and must have no rows.
        """
        counts, tally = self.counts, self._tally
        counts.matches += 1
        counts.records += bool(result.bots)
        counts.ratings += len(stored or ())
        purged = result.rated and purged_by(self._purges, result) is not None
        counts.purged += purged
        try:
            rows = self.rebuilt.apply(result, purged=purged).rows
        except ResultError:
            rows = ()
        else:
            self._add(self._blocks.check(result))
        counts.rated += bool(rows)
        if tally is not None and tally.after < result.position <= tally.until:
            self._tallied += len(rows)
        if stored is not None and tuple(stored) != rows:
            found = [(row.seat, row.bot, row.before, row.after) for row in stored]
            due = [(row.seat, row.bot, row.before, row.after) for row in rows]
            self._add([Finding("rows", result.match, f"rating rows are {found!r}, {len(due)} are due: {due!r}")])
        return rows

    def ruling(self, ruling: Ruling) -> None:
        """Take a ruling of the ladder."""
        self._ruled.append(ruling)
        try:
            if isinstance(ruling, Season):
                self.seasons.append(self.rebuilt.begin_season(ruling))
            else:
                self.rebuilt.pass_over(ruling.position)
        except ResultError as error:
            self._add([Finding("seasons", ruling.id, str(error))])

    def unreadable(self, match: str, reason: str) -> None:
        """Take a result whose record cannot be read; it counts in no table."""
        self.counts.matches += 1
        self.counts.records += 1
        self.counts.unreadable += 1
        self._add([Finding("records", match, reason)])

    def differs(self, match: str, text: str) -> None:
        """Take a result that is not what its record tells; what is folded again is the record."""
        self._add([Finding("records", match, text)])

    def stray(self, stored: Sequence[RatingRow]) -> None:
        """Take rating rows at a position where the ladder has no result."""
        where = str(stored[0].position)
        self._add([Finding("rows", stored[0].match, f"{len(stored)} rating rows stand where no result is: {where!r}")])

    def finish(self, live: LadderState, kept: Sequence[FinalTable] = (), made: Sequence[Ruling] = ()) -> list[Finding]:
        """Compare the rebuild with the live table at the same position, the seasons that are over with those that are
        kept, and the rulings among the results with those that organisers have made; return all findings."""
        self._add(compare_tables(live, self.rebuilt))
        self._add(list(compare_seasons(live.ladder, kept, self.seasons)))
        self._add(list(compare_rulings(self._ruled, made)))
        self._add(list(self._miscounted(live)))
        return self.findings

    def _miscounted(self, live: LadderState) -> Iterator[Finding]:
        """Compare what the process has counted."""
        tally = self._tally
        if tally is not None and tally.ratings != self._tallied:
            yield Finding(
                "counts",
                live.ladder,
                f"agon_rating_updates_total grew by {tally.ratings} from {tally.after} to {tally.until}, the results "
                f"give {self._tallied!r}",
            )

    def _add(self, findings: Sequence[Finding]) -> None:
        self.findings += findings[: MAX_FINDINGS - len(self.findings)]


def compare_tables(live: LadderState, rebuilt: LadderState) -> list[Finding]:
    """Return where the live table differs from one that was folded again from the first result."""
    if live.canonical() == rebuilt.canonical():
        return []

    findings = []
    for name in ("ladder", "seats", "system", "position", "results", "season"):
        kept, right = str(getattr(live, name)), str(getattr(rebuilt, name))
        if kept != right:
            findings.append(Finding("table", live.ladder, f"{name} is {kept!r}, a rebuild gives {right!r}"))
    for bot in sorted(live.bots.keys() | rebuilt.bots.keys()):
        findings += _difference(bot, live.bots.get(bot), rebuilt.bots.get(bot))
    for block in sorted(live.partial.keys() | rebuilt.partial.keys()):
        findings += _difference(block, live.partial.get(block), rebuilt.partial.get(block))
    return findings


def compare_seasons(ladder: str, kept: Sequence[FinalTable], rebuilt: Sequence[FinalTable]) -> Iterator[Finding]:
    """Tell where the tables that are kept of past seasons differ from those of a rebuild."""
    right = {final.begun.label: final for final in rebuilt}
    found = {final.begun.label: final for final in kept}
    for label in sorted(right.keys() | found.keys()):
        if label not in right or label not in found:
            what = "is kept, a rebuild has none" if label in found else "is not kept"
            yield Finding("seasons", ladder, f"the table of season {label} {what}")
        elif found[label].table.canonical() != right[label].table.canonical():
            yield Finding("seasons", ladder, f"the table of season {label} is not what a rebuild gives")
        elif found[label]._replace(table=right[label].table) != right[label]:
            yield Finding("seasons", ladder, f"what is kept of season {label} is not what its ruling says")


def compare_rulings(found: Sequence[Ruling], made: Sequence[Ruling]) -> Iterator[Finding]:
    """Tell where the rulings among the results are not those that organisers have made."""
    left = {ruling.position: ruling for ruling in made}
    for ruling in found:
        if left.pop(ruling.position, None) != ruling:
            yield Finding("rulings", ruling.id, f"stands among the results, and nobody has made it: {ruling!r}")
    for ruling in left.values():
        yield Finding("rulings", ruling.id, f"was made, and does not stand among the results: {ruling!r}")


def _difference(subject: str, kept: object, right: object) -> Iterator[Finding]:
    if kept != right:
        yield Finding("table", subject, f"the table has {kept!r}, a rebuild gives {right!r}")


@dataclass(slots=True)
class _Blocks:
    """Checks that blocks are what they must be: one line-up, each place rated at most once and rotated as its number
    says, and deals distinct: one a match where they are fresh, one a block where they are shared.

    Deals are told apart by their commitments; a result without one is not judged by its deal.
    """

    line_ups: dict[str, tuple[str, ...]] = field(default_factory=dict)
    rated: dict[str, int] = field(default_factory=dict)
    first_with: dict[str, tuple[str, str]] = field(default_factory=dict)
    """By commitment: the first match that had it, and its block where the deal is shared."""

    def check(self, result: MatchResult) -> list[Finding]:
        findings = []
        if result.block and result.bots:
            line_up = line_up_of(result.bots, result.place)
            if self.line_ups.setdefault(result.block, line_up) != line_up:
                findings.append(Finding("blocks", result.block, f"match {result.match} has other bots or rotation"))
        if result.block and result.rated:
            places = self.rated.get(result.block, 0)
            if places >> result.place & 1:
                findings.append(Finding("blocks", result.block, f"place {result.place} is rated more than once"))
            self.rated[result.block] = places | 1 << result.place
        if result.commitment:
            shared = result.block if result.deals is Deals.SHARED else ""
            match, block = self.first_with.setdefault(result.commitment, (result.match, shared))
            if match != result.match and not (block == shared != ""):
                findings.append(Finding("blocks", result.match, f"has the deal of match {match!r}"))
        return findings
