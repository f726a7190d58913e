"""What the matches of one seat count come to: figures of items, groups, seats and players, and what is flagged. What an
effect is and how it is judged says `effects.py`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from tests.balance.accounts import Item, MatchAccount, SeatAccount
from tests.balance.effects import Band, Effects, Estimate, band_of, mean_of
from tests.balance.playing import Lineup, Player

Rows = Sequence[tuple[int, SeatAccount]]
"""Seats, each with the number of its match."""
Grouped = dict[str, list[int]]
"""Items by the name of their group, or of their peers."""


@dataclass(frozen=True, slots=True)
class Counts:
    """How often something happened, over all matches."""

    offered: int
    taken: int
    used: int
    transferred: int
    drawn: int
    """Taken by lot."""


@dataclass(frozen=True, slots=True)
class Compared:
    """Seats that took an item, and the others in matches in which somebody could; random seats left out.

    How those seats ended, not what the item does: who wins takes more.
    """

    points_with: Estimate | None
    points_without: Estimate | None
    placement_with: Estimate | None
    placement_without: Estimate | None


@dataclass(frozen=True, slots=True)
class ItemFigures:
    """One card or quest."""

    item: Item
    counts: Counts
    compared: Compared
    effect: Estimate | None
    """Over the mean of its peers; None where there were too few draws or matches."""
    verdict: str
    """`strong`, `weak` or nothing."""


@dataclass(frozen=True, slots=True)
class GroupFigures:
    """Items of a group (each over its own peers), or all peers (over the mean of everything)."""

    name: str
    counts: Counts
    effect: Estimate | None


@dataclass(frozen=True, slots=True)
class StartFigures:
    """A place in the order of the first turn, in greedy matches."""

    start: int
    lead: Estimate | None
    placement: Estimate | None


@dataclass(frozen=True, slots=True)
class FactFigures:
    """Something reckoned of a seat at the end, by line-up and player."""

    name: str
    lineup: str
    player: str
    mean: Estimate | None


@dataclass(frozen=True, slots=True)
class Summary:
    """All figures of one seat count."""

    seats: int
    matches: int
    items: tuple[ItemFigures, ...]
    groups: tuple[GroupFigures, ...]
    peers: tuple[GroupFigures, ...]
    bands: dict[str, Band]
    """By peers."""
    starts: tuple[StartFigures, ...]
    facts: tuple[FactFigures, ...]

    @property
    def judged(self) -> tuple[ItemFigures, ...]:
        return tuple(figures for figures in self.items if figures.effect is not None)

    @property
    def flagged(self) -> tuple[ItemFigures, ...]:
        return tuple(figures for figures in self.items if figures.verdict)


@dataclass(slots=True)
class Tally:
    """The matches of one seat count, as they come in."""

    seats: int
    items: Sequence[Item]
    facts: Sequence[str]
    """What the facts of an account are, in their order."""
    matches: list[MatchAccount] = field(default_factory=list)

    def add(self, match: MatchAccount) -> None:
        self.matches.append(match)

    def summary(self) -> Summary:
        """Reckon everything."""
        counts = self._counts()
        fit = self._fit()
        known = [number for number in range(len(self.items)) if fit.is_known(number)]
        peers = _grouped(known, lambda number: self.items[number].peers)
        found = ((number, fit.over([(number, peers[self.items[number].peers])])) for number in known)
        effects = {number: effect for number, effect in found if effect is not None}
        judged = _grouped(list(effects), lambda number: self.items[number].peers)
        bands = {name: band_of([effects[number] for number in members]) for name, members in judged.items()}
        verdicts = {number: bands[self.items[number].peers].verdict(effect) for number, effect in effects.items()}
        return Summary(
            seats=self.seats,
            matches=len(self.matches),
            items=tuple(
                ItemFigures(item, counts[number], self._compared(number), effects.get(number), verdicts.get(number, ""))
                for number, item in enumerate(self.items)
            ),
            groups=tuple(self._groups(counts, fit, peers)),
            peers=tuple(self._peers(counts, fit, peers)),
            bands=bands,
            starts=tuple(self._starts()),
            facts=tuple(self._facts()),
        )

    # -- items -----------------------------------------------------------------------------------------------------

    def _counts(self) -> list[Counts]:
        seats = [seat for match in self.matches for seat in match.seats]
        offered = Counter(item for match in self.matches for item in match.offered)
        taken = Counter(item for seat in seats for item in seat.taken)
        used = Counter(item for seat in seats for item in seat.used)
        transferred = Counter(item for seat in seats for item in seat.transferred)
        drawn = Counter(draw.picked for seat in seats for draw in seat.draws)
        return [
            Counts(offered[item], taken[item], used[item], transferred[item], drawn[item])
            for item in range(len(self.items))
        ]

    def _fit(self) -> Effects:
        rows = self._rows(Lineup.DRAFTING, Player.DRAFTING)
        return Effects(
            leads=[seat.lead for _, seat in rows],
            draws=[seat.draws for _, seat in rows],
            starts=[seat.start for _, seat in rows],
            clusters=[match for match, _ in rows],
            items=len(self.items),
        )

    def _compared(self, item: int) -> Compared:
        with_it: list[tuple[int, SeatAccount]] = []
        without: list[tuple[int, SeatAccount]] = []
        for match in self.matches:
            if item in match.offered or any(item in seat.taken for seat in match.seats):
                for seat in match.seats:
                    if seat.player != Player.RANDOM:
                        (with_it if item in seat.taken else without).append((match.number, seat))
        return Compared(
            points_with=_mean(with_it, lambda seat: seat.score),
            points_without=_mean(without, lambda seat: seat.score),
            placement_with=_mean(with_it, lambda seat: seat.placement),
            placement_without=_mean(without, lambda seat: seat.placement),
        )

    # -- groups ----------------------------------------------------------------------------------------------------

    def _groups(self, counts: Sequence[Counts], fit: Effects, peers: Grouped) -> Iterator[GroupFigures]:
        names_of_peers = {item.peers for item in self.items}
        for name, members in _grouped(range(len(self.items)), lambda number: self.items[number].group).items():
            pairs = [(number, peers[self.items[number].peers]) for number in members if fit.is_known(number)]
            if name not in names_of_peers:
                yield GroupFigures(name, _sum(counts, members), _of_all(fit, pairs, members))

    def _peers(self, counts: Sequence[Counts], fit: Effects, peers: Grouped) -> Iterator[GroupFigures]:
        everything = [number for members in peers.values() for number in members]
        for name, members in _grouped(range(len(self.items)), lambda number: self.items[number].peers).items():
            pairs = [(number, everything) for number in peers.get(name, ())]
            yield GroupFigures(name, _sum(counts, members), _of_all(fit, pairs, members))

    # -- seats and players -----------------------------------------------------------------------------------------

    def _starts(self) -> Iterator[StartFigures]:
        rows = self._rows(Lineup.GREEDY, Player.GREEDY)
        for start in range(1, self.seats + 1):
            some = [(match, seat) for match, seat in rows if seat.start == start]
            yield StartFigures(
                start, _mean(some, lambda seat: seat.lead), _mean(some, lambda seat: float(seat.placement))
            )

    def _facts(self) -> Iterator[FactFigures]:
        for lineup, player in (
            (Lineup.GREEDY, Player.GREEDY),
            (Lineup.DRAFTING, Player.DRAFTING),
            (Lineup.MIXED, Player.GREEDY),
            (Lineup.MIXED, Player.RANDOM),
        ):
            rows = self._rows(lineup, player)
            yield FactFigures("points", lineup, player, _mean(rows, lambda seat: seat.score))
            yield FactFigures("placement", lineup, player, _mean(rows, lambda seat: seat.placement))
            for at, name in enumerate(self.facts):
                mean = mean_of([seat.facts[at] for _, seat in rows], [match for match, _ in rows])
                yield FactFigures(name, lineup, player, mean)

    def _rows(self, lineup: Lineup, player: Player) -> Rows:
        return [
            (match.number, seat)
            for match in self.matches
            if match.lineup == lineup
            for seat in match.seats
            if seat.player == player
        ]


def _grouped(numbers: Sequence[int], name: Callable[[int], str]) -> Grouped:
    groups: Grouped = {}
    for number in numbers:
        groups.setdefault(name(number), []).append(number)
    return groups


def _of_all(fit: Effects, pairs: Sequence[tuple[int, Sequence[int]]], members: Sequence[int]) -> Estimate | None:
    """Return the effect of all members of a group; None where some of them are not known."""
    return fit.over(pairs) if len(pairs) == len(members) else None


def _sum(counts: Sequence[Counts], members: Sequence[int]) -> Counts:
    some = [counts[number] for number in members]
    return Counts(
        sum(count.offered for count in some),
        sum(count.taken for count in some),
        sum(count.used for count in some),
        sum(count.transferred for count in some),
        sum(count.drawn for count in some),
    )


def _mean(rows: Rows, value: Callable[[SeatAccount], float]) -> Estimate | None:
    return mean_of([value(seat) for _, seat in rows], [match for match, _ in rows])
