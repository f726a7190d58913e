"""The endless ladder: which line-up its next block has.

Each block is opened for the sake of one bot, its anchor: the one with the fewest games, so that new bots play at once
(M3) and games stay even (M1), of several the most uncertain (M4), then the one that met the fewest others. Its company
is, seat by seat, what adds the most expected information to the block (`information.py`), summed over its pairs, of the
bots with about as many games. Chance chooses among the best few, so that company varies. Nobody meets a third time
while another one that is as near has met less (M2), as far as both are free; who finds nobody worth meeting waits a
little (`waiting.py`).

Where bots may all meet and come free together, each for whole blocks, the games of any two differ by at most
`SPREAD_BLOCKS + 1` blocks. Else, and where some are faster than others, a ratio bounds what is played more (`pace.py`).
A slow bot keeps its company from playing; who is behind for that is not seated beside one again while others can be
waited for, until it has caught up. House bots are there for the others: one with enough games (`Candidate.settled`)
gets no block for its own sake, so that they do not play each other for ever.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from heapq import nsmallest
from typing import Final

from agon_engine.core.chance import Chance
from agon_ladder.pairing.information import expected_gain
from agon_ladder.pairing.meetings import Meetings
from agon_ladder.pairing.players import Candidate, Player, can_seat
from agon_ladder.pairing.waiting import Patience, Waiting

SPREAD_BLOCKS: Final = 1
"""Company may have this many blocks more behind it than the least that is possible."""
HELD_BLOCKS: Final = SPREAD_BLOCKS + 1
"""Who is further behind than this was held back by somebody: in a pool without slow bots nobody is."""
NEAR: Final = 32
"""Of those that may be company so many are weighed, the nearest in rating."""
SHORTLIST: Final = 4
"""Chance chooses among this many of those that tell the most."""
MAX_WAITING: Final = 2
"""A bot with this many open blocks that have places left is no company for a bot that could only wait for it."""
_STREAM: Final = "line-up"

_Turn = tuple[int, int, int, str]
_MayJoin = Callable[[Candidate, Sequence[Candidate]], bool]
"""Tells whether a candidate may sit with those that are chosen already, the anchor first."""


class Market:
    """The bots of one ladder that could be seated, during one round of pairing."""

    def __init__(
        self,
        free: Iterable[Candidate],
        seats: int,
        *,
        busy: Callable[[], Iterable[Candidate]] = tuple,
        present: Collection[str] = (),
        player: Callable[[str], Player] | None = None,
        meetings: Meetings | None = None,
        patience: Patience | None = None,
        in_line: bool = True,
    ) -> None:
        """`busy` makes the candidates without a free slot, asked for only where the free ones do not suffice; `present`
        names all of both, by default those that are free alone, and `player` says who they are. Without `patience`
        nobody waits. `in_line` tells whether a block of the ladder waits for slots, or none has to; it is false where
        the ladder may have several that wait."""
        self._seats = seats
        self._busy = busy
        self._of: dict[str, Candidate] = {candidate.player.bot: candidate for candidate in free}
        present = present or self._of
        self._has_busy = sum(candidate.free > 0 for candidate in self._of.values()) < len(present)
        """Whether somebody was busy when the round began: who is seated in it comes free only long after it."""
        self._meetings = meetings or Meetings()
        self._waiting = Waiting(
            present,
            player or (lambda bot: self._of[bot].player),
            self._meetings,
            patience if self._has_busy else None,
        )
        self.in_line = in_line
        self._on_wait: set[str] = set()
        """Who waits for better company in this round: nobody comes free in it any more."""
        self._turns: list[_Turn] = sorted(map(_turn, filter(_is_company, self._of.values())))
        """Of those that are free and not ahead, whose turn it is first."""
        self._ratings: list[tuple[int, str]] = sorted(map(_rating, filter(_is_company, self._of.values())))
        """The same, by rating."""

    def get(self, bot: str) -> Candidate | None:
        """Return a free candidate, or one that was free when the round began."""
        return self._of.get(bot)

    def update(self, candidate: Candidate) -> None:
        """Take a bot as it is now."""
        old = self._of.get(candidate.player.bot)
        if old is not None and _is_company(old):
            del self._turns[bisect_left(self._turns, _turn(old))]
            del self._ratings[bisect_left(self._ratings, _rating(old))]
        self._of[candidate.player.bot] = candidate
        if _is_company(candidate):
            insort(self._turns, _turn(candidate))
            insort(self._ratings, _rating(candidate))

    def next_line_up(self, chance: Chance, now: int = 0) -> tuple[str, ...] | None:
        """Return the line-up of the next block, in a random order of its seats; None when there is none to open now.

        All are free, and none is ahead, where that is possible. Else a free bot that waits for nothing gets company
        that may be busy, so that it has something to wait for; but nobody is waited for in more than `MAX_WAITING`
        blocks. A ladder that is not in line gets a block for a busy bot too: where bots are busy in other ladders
        whenever one is free, it would else never come to be played. In each block there is a bot that is not settled.
        The same arguments and chance give the same line-up.
        """
        if can_seat((self._of[bot].player for *_, bot in self._turns), self._seats):
            return self._of_free(chance, now)
        return self._with_busy(chance, now)

    def _of_free(self, chance: Chance, now: int) -> tuple[str, ...] | None:
        def suits(candidate: Candidate, chosen: Sequence[Candidate]) -> bool:
            return _joins_evenly(candidate, chosen) and not any(
                self._waiting.keeps_apart(candidate, one, now) for one in chosen
            )

        for *_, bot in self._turns:
            anchor = self._of[bot]
            if anchor.settled or bot in self._on_wait:
                continue

            chosen = self._company(anchor, self._ratings, self._turns, chance, suits)
            if chosen is None and not self._waiting.for_anybody_else(bot, now):
                chosen = self._company(anchor, self._ratings, self._turns, chance, _may_join)
            if chosen is None:
                continue
            if not self._waiting.for_better(anchor, chosen, now):
                return _shuffled(anchor, chosen, chance)
            self._on_wait.add(bot)
        return None

    def _with_busy(self, chance: Chance, now: int) -> tuple[str, ...] | None:
        anchors = [
            one
            for one in self._of.values()
            if one.free and not one.waiting and not one.settled
            if not self._waiting.for_anybody_else(one.player.bot, now)
        ]
        if not anchors and self.in_line:
            return None

        for candidate in self._busy():
            self._of.setdefault(candidate.player.bot, candidate)
        if not anchors:
            anchors = [one for one in self._of.values() if not one.free and not one.waiting and not one.settled]
        company = [one for one in self._of.values() if one.waiting < MAX_WAITING]
        if not can_seat((one.player for one in company), self._seats):
            return None

        turns, by_rating = sorted(map(_turn, company)), sorted(map(_rating, company))
        for anchor in sorted(anchors, key=_turn):
            for may_join in (_joins_evenly, _may_join):
                chosen = self._company(anchor, by_rating, turns, chance, may_join)
                if chosen is not None:
                    return _shuffled(anchor, chosen, chance)
        return None

    # -- company -----------------------------------------------------------------------------------------------

    def _company(
        self,
        anchor: Candidate,
        by_rating: Sequence[tuple[int, str]],
        turns: Sequence[_Turn],
        chance: Chance,
        may_join: _MayJoin,
    ) -> list[Candidate] | None:
        """Choose the other seats, one after the other; None where nobody is left who may sit there."""
        chosen = [anchor]
        while len(chosen) < self._seats:
            found = self._fitting(chosen, by_rating, turns, may_join)
            if not found:
                return None

            shortlist = nsmallest(SHORTLIST, found, key=lambda one: self._rank(one, chosen))
            # Who would meet again does not come in by chance while somebody is there who would not.
            often = self._often(shortlist[0], chosen)
            shortlist = [one for one in shortlist if self._often(one, chosen) == often]
            chosen.append(chance.choice(_STREAM, shortlist))
        return chosen[1:]

    def _fitting(
        self,
        chosen: Sequence[Candidate],
        by_rating: Sequence[tuple[int, str]],
        turns: Sequence[_Turn],
        may_join: _MayJoin,
    ) -> list[Candidate]:
        """Return the nearest that may sit with all of these and have about as few games as any that may."""
        least = self._least_games(chosen, turns, may_join)
        if least is None:
            return []

        most = least + SPREAD_BLOCKS * self._seats
        end = bisect_left(turns, (most + 1,))
        names: Iterable[str] = _outwards(by_rating, chosen[0]) if end > NEAR else (bot for *_, bot in turns[:end])
        found: list[Candidate] = []
        for bot in names:
            candidate = self._of[bot]
            if candidate.games <= most and may_join(candidate, chosen):
                found.append(candidate)
                if len(found) == NEAR:
                    break
        return found

    def _least_games(self, chosen: Sequence[Candidate], turns: Sequence[_Turn], may_join: _MayJoin) -> int | None:
        """Return the fewest games that company for these may be measured by; None: nobody may sit with them.

        Those are the fewest of all. But a slow bot keeps its company from playing, which so falls behind and would be
        its company for ever: where somebody who was met less has over `HELD_BLOCKS` blocks more, these count.
        """
        fewest: int | None = None
        least = (0, 0)
        for games, *_, bot in turns:
            candidate = self._of[bot]
            if not may_join(candidate, chosen):
                continue
            often = self._often(candidate, chosen)
            if fewest is None:
                fewest, least = games, (often, games)
            elif often < least[0]:
                least = often, games
            if not least[0]:
                break
        if fewest is None:
            return None
        return least[1] if least[1] - fewest > HELD_BLOCKS * self._seats else fewest

    def _often(self, candidate: Candidate, chosen: Sequence[Candidate]) -> int:
        """Tell in how many pairs of blocks it met the one of them that it met most: 0 for none and one."""
        met = self._meetings.of(candidate.player.bot)
        return max(met.get(one.player.bot, 0) for one in chosen) // 2

    def _rank(self, candidate: Candidate, chosen: Sequence[Candidate]) -> tuple[int, float, str]:
        met = self._meetings.of(candidate.player.bot)
        return self._often(candidate, chosen), -expected_gain(candidate, chosen, met), candidate.player.bot


def _may_join(candidate: Candidate, chosen: Sequence[Candidate]) -> bool:
    return all(candidate.player.may_meet(one.player) for one in chosen)


def _joins_evenly(candidate: Candidate, chosen: Sequence[Candidate]) -> bool:
    """Tell whether it may join, and nobody who is behind would be held back by one who is slow."""
    return _may_join(candidate, chosen) and not any(
        (candidate.far_behind and one.behind) or (candidate.behind and one.far_behind) for one in chosen
    )


def _shuffled(anchor: Candidate, chosen: Sequence[Candidate], chance: Chance) -> tuple[str, ...]:
    bots = [candidate.player.bot for candidate in (anchor, *chosen)]
    chance.shuffle(_STREAM, bots)
    return tuple(bots)


def _is_company(candidate: Candidate) -> bool:
    return candidate.free > 0 and not candidate.ahead


def _turn(candidate: Candidate) -> _Turn:
    return candidate.games, -candidate.uncertainty, candidate.met, candidate.player.bot


def _rating(candidate: Candidate) -> tuple[int, str]:
    return candidate.rating, candidate.player.bot


def _outwards(by_rating: Sequence[tuple[int, str]], anchor: Candidate) -> Iterator[str]:
    """Yield all, the nearest to the anchor's rating first."""
    above = bisect_left(by_rating, _rating(anchor))
    below = above - 1
    while below >= 0 or above < len(by_rating):
        if below < 0 or (
            above < len(by_rating) and by_rating[above][0] - anchor.rating <= anchor.rating - by_rating[below][0]
        ):
            yield by_rating[above][1]
            above += 1
        else:
            yield by_rating[below][1]
            below -= 1
