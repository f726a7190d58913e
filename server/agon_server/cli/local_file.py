"""`agon play --report FILE`: the report of a run as a file, in the form that its name asks for. Nothing here plays."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from agon_bots import LocalMatch, LocalRules
from agon_engine.core.options import option_text
from agon_engine.core.record import Deals
from agon_ladder.ratings import Elo
from agon_ladder.report.facts import MatchFacts, SeatFacts, facts_of
from agon_ladder.report.forms import Form, rendered
from agon_ladder.report.gathering import Gathering
from agon_ladder.report.testing import comparison_json, comparison_lines
from agon_server.cli.sequential import InBlocks, SequentialTest
from agon_server.config import ConfigError
from agon_server.surroundings import reason_of

FORMS: Final = {".html": Form.HTML, ".json": Form.JSON, ".txt": Form.TEXT}
_NOTES: Final = (
    "Elo is what a ladder that began with these matches would show; strengths are fitted to all blocks at once.",
    "Time is measured where the bots run, in one process with the game.",
)


class ReportFile:
    """What is gathered for a report, and where it goes."""

    def __init__(self, path: Path, rules: LocalRules, names: Sequence[str], places: int) -> None:
        """`places` are the matches of a block. Raise ConfigError for a name that asks for no form, or a file that
        cannot be written."""
        if path.suffix not in FORMS:
            raise ConfigError(
                f"--report: the file's name ends in {', '.join(FORMS)}, not {path.suffix!r}: {str(path)!r}"
            )

        self._path = path
        self._rules = rules
        self._names = names
        self._places = places
        self._gathering = Gathering()
        self._elo = Elo()
        self._ratings = dict.fromkeys(names, self._elo.initial)
        # By block, so that a rating over time is the same whoever plays how fast.
        self._blocks: InBlocks[LocalMatch] = InBlocks(places)
        # Beside it until it is whole: an older report there stays until then.
        self._part = path.with_name(f"{path.name}.part")
        try:
            self._file = self._part.open("w", encoding="utf-8")
        except OSError as error:
            raise ConfigError(f"--report: cannot write {str(path)!r}: {reason_of(error)}") from None

    def add(self, match: LocalMatch) -> None:
        """Take a match, in any order."""
        for block in self._blocks.take(match.plan.block, match.plan.number, match):
            for one in block:
                self._gathering.add(self._facts(one))

    def write(self, deals: Deals, test: SequentialTest | None) -> None:
        """Write the report of all matches so far."""
        with self._file:
            for match in self._blocks.rest():
                self._gathering.add(self._facts(match))
            report = self._gathering.report(
                f"{self._rules.game}: {', '.join(self._names)}",
                self._about(deals),
                notes=_NOTES,
                comparison=() if test is None else comparison_lines(test.comparison, test.test, self._rules.game),
                comparison_values=None if test is None else comparison_json(test.comparison, test.test),
            )
            (text,) = rendered(report, FORMS[self._path.suffix]).values()
            self._file.write(text)
        self._part.replace(self._path)

    def discard(self) -> None:
        """Write none, since nothing was played."""
        self._file.close()
        with suppress(OSError):
            self._part.unlink()

    def _about(self, deals: Deals) -> list[tuple[str, str]]:
        rules = self._rules
        options = ", ".join(f"{name}={option_text(value)}" for name, value in sorted(rules.options.items()))
        return [
            ("game", f"{rules.game}, rules version {rules.engine.spec.version}"),
            ("seats", str(rules.seats)),
            *([("options", options)] if options else []),
            ("deals", str(deals)),
            *([("matches of a block", str(self._places))] if self._places != rules.seats else []),
            ("seed", rules.seed),
        ]

    def _facts(self, match: LocalMatch) -> MatchFacts:
        seats = range(self._rules.seats)
        errors = [sum(at == seat for at, _ in match.faults) for seat in seats]
        ratings = self._rated(match)
        if match.record is not None:
            return facts_of(
                match.record, counts=match.result.rated, ratings=ratings, errors=errors, block_size=self._places
            )

        result = match.result
        return MatchFacts(
            match=f"local-{match.plan.number}",
            block=f"block-{match.plan.block}",
            counts=result.rated,
            termination=result.termination,
            ended="",
            seats=tuple(
                SeatFacts(
                    bot=self._names[match.plan.bots[seat]],
                    version="",
                    placement=result.placements[seat],
                    score=result.scores[seat],
                    termination=result.seats[seat],
                    charged_us=(),
                    errors=errors[seat],
                    rating=ratings[seat] if ratings else None,
                )
                for seat in seats
            ),
            block_size=self._places,
        )

    def _rated(self, match: LocalMatch) -> list[int] | None:
        """Return the ratings after a match; None where it moves none, since it does not count or seats a bot twice."""
        bots = [self._names[bot] for bot in match.plan.bots]
        if not match.result.rated or len(set(bots)) < len(bots):
            return None

        after = self._elo.update([self._ratings[bot] for bot in bots], match.result.placements)
        self._ratings.update(zip(bots, after, strict=True))
        return [self._elo.value(rating) for rating in after]
