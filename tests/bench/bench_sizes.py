"""Bytes of a Decide over random and greedy matches at the fewest and the most seats: with a full view and with changed
parts only, to a seat that comes back and is told everything that happened, and that with the view as large as it could
get: of a seat that knows all that it can come to know."""

from __future__ import annotations

from collections.abc import Iterator

from tests.bench.games import promise
from tests.bench.playouts import greedy_choices
from tests.bench.report import Line, Row, quantile
from tests.support.decides import Asked, asked_in, random_match

from agon.codec.down import PartCache, SeatEncoder
from agon.codec.registry import codec_names
from agon_engine.registry import get_game


class Sizes:
    """The sizes of every Decide of some matches, by how it is sent."""

    def __init__(self, game: str, seats: int) -> None:
        self._game, self._seats = game, seats
        self._reveal = promise(game).reveal
        self.full: list[int] = []
        self.changed: list[int] = []
        self.back: list[int] = []
        self.all_known: list[int] = []

    def take(self, match: Iterator[Asked]) -> None:
        """Encode every Decide of a match in each way."""
        full, changed = self._encoders(changed=False), self._encoders(changed=True)
        for asked in match:
            self.full.append(len(asked.encode(full[asked.seat])))
            self.changed.append(len(asked.encode(changed[asked.seat])))
            told = asked.table.events_after(asked.seat, 0)
            self.back.append(self._from_scratch(asked._replace(events=told)))
            if self._reveal is not None:
                state = asked.table.state.clone()
                self._reveal(state)
                self.all_known.append(self._from_scratch(asked._replace(events=told, view=state.view(asked.seat))))

    def _encoders(self, *, changed: bool) -> list[SeatEncoder]:
        parts = PartCache()
        notation = get_game(self._game).notation
        return [SeatEncoder(notation, "0123456789abcdef", seat, 1, changed, parts) for seat in range(self._seats)]

    def _from_scratch(self, asked: Asked) -> int:
        return len(asked.encode(self._encoders(changed=False)[asked.seat]))


def sizes_of(game: str, seats: int, matches: int) -> Sizes:
    """Return the sizes over so many random matches, and as many greedy ones."""
    sizes = Sizes(game, seats)
    greedy = greedy_choices(get_game(game))
    for number in range(matches):
        sizes.take(random_match(game, seats, number))
        if greedy is not None:
            sizes.take(asked_in(game, seats, number, greedy))
    return sizes


def measure(*, quick: bool = False) -> Iterator[Line]:
    """Measure every registered game."""
    for game in codec_names():
        spec, bars = get_game(game).spec, promise(game)
        for seats in sorted({spec.min_seats, spec.max_seats}):
            sizes = sizes_of(game, seats, 1 if quick else 10)
            label = f"{game} {seats} seats: a Decide"
            half, most = f"<= {bars.decide_bytes}", f"<= {bars.decide_bytes_max}"
            for what, values in (("full view", sizes.full), ("changed parts", sizes.changed)):
                mean = {"mean": sum(values) / len(values), "p99": quantile(values, 0.99)}
                yield Row(f"{label}, {what}: p50", quantile(values, 0.5), "bytes", half, details=mean)
                yield Row(f"{label}, {what}: largest", max(values), "bytes", most)
            yield Row(f"{label}, with all events since the start: largest", max(sizes.back), "bytes", most)
            if sizes.all_known:
                yield Row(f"{label}, and everything known: largest", max(sizes.all_known), "bytes", most)
