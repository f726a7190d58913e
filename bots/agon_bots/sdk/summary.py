"""What came of a run of local play, bot by bot, as plain numbers. Who prints or judges them does that elsewhere."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from agon_bots.sdk.faults import BotFault
from agon_bots.sdk.local import LocalMatch
from agon_engine.core.policy import Termination


@dataclass(slots=True)
class FaultCount:
    """All errors of one kind."""

    first: BotFault
    count: int = 0


@dataclass(slots=True)
class BotSummary:
    """One bot's part in all matches. A bot that sits twice in a match counts twice."""

    name: str
    seats: int = 0
    """Seats played."""
    placements: Counter[int] = field(default_factory=Counter)
    """How often it was placed first, second and so on."""
    points: int = 0
    """The sum of its scores in the game."""
    pairs: int = 0
    """Comparisons with other bots of the same match."""
    pair_points: float = 0.0
    """1 for each other bot that was placed below it, a half for each at the same place."""
    terminations: Counter[str] = field(default_factory=Counter)
    """Why its seats ended, where that was not by the rules."""
    faults: int = 0
    """Errors in its own code."""
    failed: int = 0
    """Seats of it in which there was one at least."""
    kinds: dict[str, FaultCount] = field(default_factory=dict)
    """Its errors, counted by their kind, in the order in which they came."""
    decisions: int = 0
    thought_us: int = 0
    longest_us: int = 0

    @property
    def always_failed(self) -> bool:
        """Tell whether its code failed wherever it played."""
        return 0 < self.seats == self.failed

    @property
    def pairwise(self) -> float:
        """The mean pairwise score, 0 to 1; a half where it met no other bot."""
        return self.pair_points / self.pairs if self.pairs else 0.5

    @property
    def mean_score(self) -> float:
        return self.points / self.seats if self.seats else 0.0

    @property
    def mean_us(self) -> float:
        """The mean time of a decision, in microseconds."""
        return self.thought_us / self.decisions if self.decisions else 0.0


@dataclass(slots=True)
class Summary:
    """All matches so far, in any order; `add` takes one more."""

    bots: list[BotSummary]
    matches: int = 0
    decisions: int = 0
    terminations: Counter[str] = field(default_factory=Counter)
    """How the matches ended."""
    blocks: dict[int, list[list[float]]] = field(default_factory=dict)
    """By block and bot the pairwise scores, one a comparison: what an interval is computed from."""

    @classmethod
    def of(cls, names: Sequence[str]) -> Summary:
        """Begin a summary of bots, by their place in the list."""
        return cls([BotSummary(name) for name in names])

    def add(self, match: LocalMatch) -> None:
        """Count a match in."""
        plan, result = match.plan, match.result
        self.matches += 1
        self.terminations[result.termination] += 1
        scores = self.blocks.setdefault(plan.block, [[] for _ in self.bots])
        for seat, index in enumerate(plan.bots):
            bot = self.bots[index]
            bot.seats += 1
            bot.placements[result.placements[seat]] += 1
            bot.points += result.scores[seat]
            if result.seats[seat] is not Termination.SCORE:
                bot.terminations[result.seats[seat]] += 1
            if not result.rated:
                continue
            for other, opponent in enumerate(plan.bots):
                if opponent != index:
                    score = pair_score(result.placements[seat], result.placements[other])
                    bot.pairs += 1
                    bot.pair_points += score
                    scores[index].append(score)
        for seat, fault in match.faults:
            bot = self.bots[plan.bots[seat]]
            bot.faults += 1
            bot.kinds.setdefault(fault.kind, FaultCount(fault)).count += 1
        for seat in {seat for seat, _ in match.faults}:
            self.bots[plan.bots[seat]].failed += 1
        if match.record is None:
            return

        for move in match.record.moves:
            bot = self.bots[plan.bots[move.seat]]
            self.decisions += 1
            bot.decisions += 1
            bot.thought_us += move.elapsed_us
            bot.longest_us = max(bot.longest_us, move.elapsed_us)


def pair_score(own: int, other: int) -> float:
    """Return what a placement is worth against another one: 1, a half at the same place, or 0."""
    return 1.0 if own < other else 0.5 if own == other else 0.0
