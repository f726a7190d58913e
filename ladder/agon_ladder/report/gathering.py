"""From the facts of matches, one after the other in the order in which they ended, to a report of them.

Memory grows with bots, with pairs of bots that met, and by a few words with each block; not with decisions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from agon_engine.core.policy import Termination
from agon_ladder.report.charges import Charges
from agon_ladder.report.facts import MatchFacts, SeatFacts
from agon_ladder.report.values import Competition, FaultCount, Moment, Pair, Report, SeatShare, Standing, TimeUse
from agon_ladder.report.wording import counted
from agon_ladder.results import half_points
from agon_ladder.stats.blocks import PlayedBlock, PlayedMatch
from agon_ladder.stats.strength import Fit, fit

MOMENTS: Final = 300
"""Of a bot's rating over time no more are kept than twice as many."""
_AT_95: Final = 0.95

T = TypeVar("T")


class _Curve:
    """A bot's rating over time, thinned out evenly as it grows."""

    def __init__(self) -> None:
        self._kept: list[Moment] = []
        self._every = 1
        self._count = 0
        self._last: Moment | None = None

    def add(self, moment: Moment) -> None:
        if self._count % self._every == 0:
            self._kept.append(moment)
        self._count += 1
        self._last = moment
        if len(self._kept) > 2 * MOMENTS:
            self._kept = self._kept[::2]
            self._every *= 2

    @property
    def moments(self) -> list[Moment]:
        """What is kept, the last one always."""
        last = self._last
        return self._kept if last is None or last is self._kept[-1] else [*self._kept, last]


@dataclass(slots=True)
class _Bot:
    """All that is known of a bot."""

    name: str
    version: str = ""
    rating: int | None = None
    seats: int = 0
    counted: int = 0
    half_points: int = 0
    comparisons: int = 0
    blocks: int = 0
    points: int = 0
    places: Counter[int] = field(default_factory=Counter)
    curve: _Curve = field(default_factory=_Curve)
    charges: Charges = field(default_factory=Charges)
    late: int = 0
    ended: Counter[str] = field(default_factory=Counter)
    strikes: Counter[str] = field(default_factory=Counter)
    substitutes: int = 0
    errors: int = 0

    @property
    def score(self) -> float:
        """The mean pairwise score, a half where it met no other bot."""
        return self.half_points / (2 * self.comparisons) if self.comparisons else 0.5


@dataclass(slots=True)
class _Share:
    """What was scored, at a seat or by one bot against another."""

    half_points: int = 0
    comparisons: int = 0

    def add(self, own: int, other: int) -> None:
        self.half_points += half_points((own, other))[0]
        self.comparisons += 1


class Gathering:
    """The facts so far."""

    def __init__(self) -> None:
        self._bots: dict[str, _Bot] = {}
        self._pairs: dict[tuple[str, str], _Share] = {}
        self._seats: list[_Share] = []
        self._running: dict[str, list[PlayedMatch]] = {}
        """The matches of blocks that are not complete, by block; bots by their labels."""
        self._complete: list[PlayedBlock] = []
        self._blocks = 0
        self._changed = 0
        """Blocks in which a bot changed its version."""
        self._matches = self._counted = self._rated = 0
        self._first = self._last = ""
        self._labels: dict[tuple[str, str], str] = {}
        """What bots of one version are called in the fit."""
        self._same: dict[tuple[Any, ...], tuple[Any, ...]] = {}

    @property
    def matches(self) -> int:
        return self._matches

    def add(self, match: MatchFacts) -> None:
        """Take the next match."""
        self._matches += 1
        self._first = min(self._first or match.ended, match.ended)
        self._last = max(self._last, match.ended)
        self._rated += any(seat.rating is not None for seat in match.seats)
        for seat in match.seats:
            self._add_conduct(seat, match.ended)
        if match.counts:
            self._counted += 1
            self._add_score(match.seats)
            self._add_to_block(match)

    def _add_conduct(self, seat: SeatFacts, ended: str) -> None:
        bot = self._bots.setdefault(seat.bot, _Bot(seat.bot))
        bot.version = seat.version
        bot.seats += 1
        bot.charges.add(seat.charged_us)
        bot.late += seat.late
        if seat.termination is not Termination.SCORE:
            bot.ended[str(seat.termination)] += 1
        bot.strikes.update(map(str, seat.strikes))
        bot.substitutes += seat.substitutes
        bot.errors += seat.errors
        if seat.rating is not None:
            bot.rating = seat.rating
            bot.curve.add(Moment(seat.bot, self._rated, ended, seat.rating))

    def _add_score(self, seats: Sequence[SeatFacts]) -> None:
        self._seats += [_Share() for _ in range(len(seats) - len(self._seats))]
        for at, seat in enumerate(seats):
            bot = self._bots[seat.bot]
            bot.counted += 1
            bot.places[seat.placement] += 1
            bot.points += seat.score
            for against, other in enumerate(seats):
                if against == at:
                    continue
                self._seats[at].add(seat.placement, other.placement)
                if other.bot != seat.bot:
                    bot.half_points += half_points((seat.placement, other.placement))[0]
                    bot.comparisons += 1
                    self._pairs.setdefault((seat.bot, other.bot), _Share()).add(seat.placement, other.placement)

    def _add_to_block(self, match: MatchFacts) -> None:
        if not match.block:
            return

        labels = tuple(self._label(seat) for seat in match.seats)
        played = PlayedMatch(self._once(labels), self._once(tuple(seat.placement for seat in match.seats)))
        block = self._running.setdefault(match.block, [])
        block.append(played)
        if len(block) < (match.block_size or len(match.seats)):
            return

        del self._running[match.block]
        self._blocks += 1
        for name in {seat.bot for seat in match.seats}:
            self._bots[name].blocks += 1
        if any(sorted(other.bots) != sorted(labels) for other in block):
            self._changed += 1
        else:
            self._complete.append(PlayedBlock(str(self._blocks), tuple(block)))

    def _label(self, seat: SeatFacts) -> str:
        known = (seat.bot, seat.version)
        return self._labels.setdefault(known, f"{len(self._labels):06}")

    def _once(self, values: tuple[T, ...]) -> tuple[T, ...]:
        """Return the one tuple that is kept of all equal ones."""
        return self._same.setdefault(values, values)

    # -- the report ----------------------------------------------------------------------------------------------

    def report(
        self,
        title: str,
        about: Iterable[tuple[str, str]],
        *,
        live: Mapping[str, int] | None = None,
        sigmas: Mapping[str, int] | None = None,
        ranks: Mapping[str, int] | None = None,
        competition: Competition | None = None,
        retired: Collection[str] = (),
        notes: Iterable[str] = (),
        comparison: Sequence[str] = (),
        comparison_values: Mapping[str, Any] | None = None,
    ) -> Report:
        """Return the report of all matches so far. Fits strengths, which takes seconds for thousands of blocks.

        `live`: the ratings of a table as it is now, by bot; they rank. Without them the strengths do. `sigmas`: their
        standard deviations, where the rating system has them. `ranks`: those of a tournament, by bot, as its format has
        them; then nothing else ranks. `competition`: what ranks them. `retired` are marked.
        """
        fitted = self._fit()
        return Report(
            title=title,
            about=tuple(about),
            matches=self._matches,
            counted=self._counted,
            blocks=self._blocks,
            decisions=sum(bot.charges.count for bot in self._bots.values()),
            first=self._first,
            last=self._last,
            competition=competition,
            standings=tuple(self._standings(fitted, live, sigmas or {}, ranks, retired)),
            history=tuple(sorted((m for bot in self._bots.values() for m in bot.curve.moments), key=_by_number)),
            pairs=tuple(
                Pair(bot, opponent, share.half_points / 2, share.comparisons)
                for (bot, opponent), share in sorted(self._pairs.items())
            ),
            seats=tuple(self._seat_shares(fitted)),
            faults=tuple(
                FaultCount(bot.name, bot.seats, dict(bot.ended), dict(bot.strikes), bot.substitutes, bot.errors)
                for bot in self._named()
            ),
            times=tuple(
                TimeUse(
                    bot.name,
                    bot.charges.count,
                    bot.charges.mean_us,
                    bot.charges.quantile_us(_AT_95),
                    bot.charges.max_us if bot.charges.count else None,
                    bot.late,
                )
                for bot in self._named()
            ),
            notes=(*notes, *self._notes(fitted)),
            comparison=tuple(comparison),
            comparison_values=comparison_values or {},
        )

    def _named(self) -> list[_Bot]:
        return [self._bots[name] for name in sorted(self._bots)]

    def _fit(self) -> Fit | None:
        # Who sits twice in a match has no strength of its own in it.
        blocks = [block for block in self._complete if len(set(block.line_up)) == len(block.line_up)]
        return fit(blocks, seed="report") if blocks else None

    def _standings(
        self,
        fitted: Fit | None,
        live: Mapping[str, int] | None,
        sigmas: Mapping[str, int],
        ranks: Mapping[str, int] | None,
        retired: Collection[str],
    ) -> Iterable[Standing]:
        strengths = {} if fitted is None else fitted.strengths
        label = {bot.name: self._labels.get((bot.name, bot.version), "") for bot in self._bots.values()}

        def worth(bot: _Bot) -> tuple[float, ...]:
            """What orders the table: rank, rating or strength, and behind them all the score of those without."""
            if ranks is not None:
                rank = ranks.get(bot.name)
                known = None if rank is None else -rank
            else:
                known = strengths.get(label[bot.name]) if live is None else live.get(bot.name)
            return (0, bot.score) if known is None else (1, known)

        ordered = sorted(self._named(), key=worth, reverse=True)
        rank = 0
        for at, bot in enumerate(ordered):
            rank = rank if at and worth(ordered[at - 1]) == worth(bot) else at + 1
            interval = None if fitted is None else fitted.intervals.get(label[bot.name])
            below = label[ordered[at + 1].name] if at + 1 < len(ordered) else ""
            yield Standing(
                rank=(ranks or {}).get(bot.name, rank),
                bot=bot.name,
                version=bot.version,
                rating=bot.rating if live is None else live.get(bot.name),
                strength=strengths.get(label[bot.name]),
                low=None if interval is None else interval.low,
                high=None if interval is None else interval.high,
                superiority=_superiority(fitted, label[bot.name], below),
                score=bot.score,
                matches=bot.counted,
                blocks=bot.blocks,
                places=tuple(bot.places[place] for place in range(1, len(self._seats) + 1)),
                points=bot.points / bot.counted if bot.counted else 0.0,
                retired=bot.name in retired,
                sigma=sigmas.get(bot.name),
            )

    def _seat_shares(self, fitted: Fit | None) -> Iterable[SeatShare]:
        for seat, share in enumerate(self._seats):
            interval = None if fitted is None else fitted.seat_intervals[seat]
            yield SeatShare(
                seat=seat,
                matches=self._counted,
                score=share.half_points / (2 * share.comparisons) if share.comparisons else 0.5,
                advantage=None if fitted is None else fitted.seat_advantage[seat],
                low=None if interval is None else interval.low,
                high=None if interval is None else interval.high,
            )

    def _notes(self, fitted: Fit | None) -> Iterable[str]:
        if self._counted < self._matches:
            left = self._matches - self._counted
            does = "does" if left == 1 else "do"
            yield f"{counted(left, 'match')} {does} not count for scores, ratings and strengths."
        if self._running:
            running = len(self._running)
            are = "is" if running == 1 else "are"
            yield f"{counted(running, 'block')} {are} not complete: such matches count, but not for strengths."
        if self._changed:
            they = "it is" if self._changed == 1 else "they are"
            yield f"In {counted(self._changed, 'block')} a bot changed its version; {they} left out of the strengths."
        if fitted is None:
            yield "There are no strengths: no block is complete in which every seat has a bot of its own."
            return
        names = {
            label: f"{bot} (version {version})" if version else bot for (bot, version), label in self._labels.items()
        }
        if len(fitted.components) > 1:
            yield (
                f"Bots fall into {len(fitted.components)} groups that never met; strengths of different groups do "
                "not compare."
            )
        for labels, what in ((fitted.only_won, "won"), (fitted.only_lost, "lost")):
            if labels:
                told = ", ".join(names[label] for label in labels)
                yield f"Only {what}: {told}. How far such a strength is from the others is bounded by the prior alone."


def _superiority(fitted: Fit | None, label: str, other: str) -> float | None:
    if fitted is None or label not in fitted.strengths or other not in fitted.strengths:
        return None

    if not any(label in group and other in group for group in fitted.components):
        return None
    return fitted.superiority(label, other)


def _by_number(moment: Moment) -> tuple[int, str]:
    return moment.number, moment.bot
