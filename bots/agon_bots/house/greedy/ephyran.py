"""How the greedy bot plays Ephyran: what each action is worth at once, by the seat's view alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from agon_bots.house.greedy.ephyran_city import MEAN_TOKEN, CityValue
from agon_engine.core import Action, Seat
from agon_engine.ephyran.data import (
    CARD_SUPPORT,
    CELLS,
    HALF_CELL,
    ITEM_POINTS,
    ZONES,
    is_dionysos,
)
from agon_engine.ephyran.enums import Support
from agon_engine.ephyran.fitting import ZONE_HALVES
from agon_engine.ephyran.notation import KIND, NOTATION, Kind, X, Y
from agon_engine.ephyran.scoring import city_score
from agon_engine.ephyran.view import View

LATE_TURNS: Final = 8
"""With fewer turns left than this, tempo and cards lose their worth."""
OPPONENT: Final = 0.9
"""What a point less for the only opponent, or for the best of several, is worth."""
OTHERS: Final = 0.35
"""The same for the others of several."""
UNCANCELLED: Final = 0.75
"""The chance that one who is asked does not cancel."""
OTHER_HALF: Final = 0.3
"""How much of the other half's worth is lost where one is used."""
CARD: Final = 0.45
"""A card more in hand, early."""
DISCARD: Final = 0.2
"""The fresh card that comes for a discarded one, beside what the one is worth."""
LOCK: Final = 0.12
"""How much of what stands in a column a lock saves."""
FRESH: Final = 0.9
"""What the mean unseen card is worth."""


def rate(view: View, actions: Sequence[str]) -> list[float]:
    """Return what each action is worth to the view's seat, in points."""
    reckoning = Reckoning(view)
    return [reckoning.worth(NOTATION.parse(code)) for code in actions]


class Reckoning:
    """One decision: the table as the seat sees it."""

    def __init__(self, view: View) -> None:
        assert view.seat is not None
        seats = len(view.cities)
        self.view = view
        self.seat: Seat = view.seat
        self.known = {token: float(ITEM_POINTS[item]) for token, item in view.own_tokens.tokens}
        built = max(sum(len(column.zones) for column in city.columns) for city in view.cities)
        turns = min(view.table.deck / seats, CELLS - built)
        self.phase = 0.0 if view.table.ending else min(1.0, turns / LATE_TURNS)
        self.cities = [CityValue(view, seat, self.known, self.phase) for seat in range(seats)]
        self.own = self.cities[self.seat]
        scores = [city_score(view, seat) for seat in range(seats)]
        rivals = [seat for seat in range(seats) if seat != self.seat]
        leader = max(rivals, key=lambda seat: scores[seat])
        self.lead = scores[self.seat] - scores[leader]
        self.weight = [0.0 if seat == self.seat else OPPONENT if seat == leader else OTHERS for seat in range(seats)]

    def worth(self, action: Action) -> float:
        """Return what an action is worth."""
        return _WORTH[KIND[action]](self, X[action], Y[action])

    # -- a turn's actions ------------------------------------------------------------------------------------

    def build(self, half: int, cell: int) -> float:
        card = half // 2
        return self.built(half, cell // ZONES) - self._spent(card, half)

    def built(self, half: int, column: int) -> float:
        """Return what a zone is worth in the own city, the end that it may bring included."""
        worth = self.own.gain(half, column)
        if self.own.zones == CELLS - 1 and self.lead + worth < 0:
            return -1.0  # it would end the match, lost
        return worth

    def _spent(self, card: int, half: int = 0) -> float:
        """Return what is lost with a card beside the half that is used."""
        if is_dionysos(card):
            return self.own.card_worth(card)

        rest = [self.own.half_worth(other) for other, _ in ZONE_HALVES[card] if other != half]
        if half:
            rest.append(_support_worth(card) * self.phase)
        return OTHER_HALF * max(rest, default=0.0)

    def exchange(self, half: int, cell: int) -> float:
        return self.own.exchange(half, cell // ZONES) - self._spent(half // 2, half)

    def discard(self, card: int, _: int) -> float:
        return (DISCARD + FRESH) * self.phase - self.own.card_worth(card)

    def take(self, half: int, cell: int) -> float:
        """Rate taking somebody's Dionysos: the half goes there, it comes here."""
        owners = [
            seat
            for seat, city in enumerate(self.view.cities)
            if seat != self.seat and self._has_dionysos(seat, cell) and not city.columns[cell // ZONES].lock
        ]
        best = max((self._taken(half, cell, owner) for owner in owners), default=-9.0)
        places = [self.built(2 * 97, index) for index, column in enumerate(self.own.columns) if column.height < ZONES]
        return best + max(places, default=-9.0) - self._spent(half // 2, half)

    def _has_dionysos(self, seat: Seat, cell: int) -> bool:
        zones = self.view.cities[seat].columns[cell // ZONES].zones
        return cell % ZONES < len(zones) and is_dionysos(zones[cell % ZONES] // 2)

    def _taken(self, half: int, cell: int, owner: Seat) -> float:
        column = self.cities[owner].columns[cell // ZONES]
        token = column.tokens[cell % ZONES] or 0.0
        return (
            -self.weight[owner] * (self.cities[owner].points(half, column, cell % ZONES) - 1.0 - token) * column.weight
            + token
        )

    def take_from(self, owner: int, _: int) -> float:
        half = self.view.pending.half
        return self._taken(half, HALF_CELL[half], owner)

    def play(self, card: int, _: int) -> float:
        """Rate playing a support half by the best that it can do."""
        return _PLAYED[CARD_SUPPORT[card]](self, card) - self._spent(card)

    # -- supports --------------------------------------------------------------------------------------------

    def _play_defence(self, _card: int) -> float:
        own = [
            self.lock(index, 0) for index, column in enumerate(self.own.columns) if column.height and not column.locked
        ]
        others = [
            self.unlock(city.seat, index)
            for city in self.cities
            for index, column in enumerate(city.columns)
            if column.locked
        ]
        return max((*own, *others), default=-9.0) - _support_worth(_card) * self.phase

    def _play_destroy(self, _card: int) -> float:
        return UNCANCELLED * max((self.destroyed(seat, index) for seat, index in self._open_columns()), default=0.0)

    def _play_steal_zone(self, _card: int) -> float:
        worths = [
            self.stolen(seat, index)
            for seat, index in self._open_columns()
            if self.cities[seat].columns[index].height == self.own.columns[index].height + 1
        ]
        return UNCANCELLED * max(worths, default=0.0)

    def _play_steal_token(self, _card: int) -> float:
        worths = [
            self._token_stolen(seat, index, place)
            for seat, index in self._open_columns()
            for place, token in enumerate(self.cities[seat].columns[index].tokens)
            if token is not None
        ]
        return UNCANCELLED * max(worths, default=0.0)

    def _play_win_token(self, _card: int) -> float:
        return self._uncancelled() * self.own.token_place(MEAN_TOKEN)

    def _play_double(self, card: int) -> float:
        """Rate two zones from hand: the best, and the best that is left after it in another column or on top of it."""
        hand = [other for other in self.view.own_hand.cards if other != card]
        builds = self.own.builds(hand)
        if not builds:
            return 0.0

        worth, first, column = builds[0]
        rest = [other for other in builds if other[1] != first and other[2] != column]
        return self._uncancelled() * (worth + (max(0.0, rest[0][0]) + CARD * self.phase if rest else 0.0))

    def _play_recall(self, _card: int) -> float:
        builds = self.own.builds(self.view.first_discard.cards)
        return self._uncancelled() * (builds[0][0] if builds else 0.0)

    def _play_draw(self, _card: int) -> float:
        return CARD * self.phase

    def _play_pick(self, _card: int) -> float:
        return 0.8 * CARD * self.phase

    def _play_dig(self, _card: int) -> float:
        best = max((self.own.card_worth(card) for card in self.view.first_discard.cards), default=0.0)
        return max(0.0, best - FRESH) * self.phase

    def _uncancelled(self) -> float:
        return UNCANCELLED ** (len(self.cities) - 1)

    def _open_columns(self) -> list[tuple[Seat, int]]:
        return [
            (city.seat, index)
            for city in self.cities
            if city.seat != self.seat
            for index, column in enumerate(city.columns)
            if column.height and not column.locked
        ]

    # -- targets ---------------------------------------------------------------------------------------------

    def target(self, seat: int, column: int) -> float:
        if self.view.pending.support is Support.ARES_STEAL_ZONE:
            return self.stolen(seat, column)
        return self.destroyed(seat, column)

    def destroyed(self, seat: Seat, column: int) -> float:
        return self.weight[seat] * self.cities[seat].loss(column)

    def stolen(self, seat: Seat, column: int) -> float:
        theirs = self.cities[seat].columns[column]
        token = (theirs.tokens[-1] or 0.0) * self.own.columns[column].weight
        return self.destroyed(seat, column) + self.built(theirs.zones[-1], column) + token

    def token(self, token: int, _: int) -> float:
        for city in self.view.cities:
            for index, column in enumerate(city.columns):
                if token in column.tokens:
                    return self._token_stolen(city.seat, index, column.tokens.index(token))
        return 0.0

    def _token_stolen(self, seat: Seat, column: int, place: int) -> float:
        theirs = self.cities[seat].columns[column]
        points = theirs.tokens[place] or 0.0
        return self.weight[seat] * points * theirs.weight + self.own.token_place(points)

    def recall(self, half: int, cell: int) -> float:
        return self.build(half, cell)

    def lock(self, column: int, _: int) -> float:
        """Rate guarding an own column: a share of what stands in it."""
        own = self.own.columns[column]
        return LOCK * self.phase * own.weight * (len(own.kinds) + sum(token or 0.0 for token in own.tokens))

    def unlock(self, seat: int, column: int) -> float:
        if seat == self.seat:
            return -1.0
        return LOCK * self.phase * self.weight[seat] * self.cities[seat].columns[column].height

    # -- answers ---------------------------------------------------------------------------------------------

    def cancel(self, card: int, _: int) -> float:
        """Rate cancelling what is being played, by what it would cost or what it would give its player."""
        return self._threat() - self.own.card_worth(card)

    def _threat(self) -> float:
        pending, turn = self.view.pending, self.view.table.turn
        actor = self.cities[turn]
        column = pending.colour - 1
        match pending.support:
            case Support.ARES_DESTROY:
                return self.own.loss(column)
            case Support.ARES_STEAL_ZONE:
                return self.own.loss(column) + self.weight[turn] * actor.gain(
                    self.own.columns[column].zones[-1], column
                )
            case Support.ARES_STEAL_TOKEN:
                points = self.known.get(pending.token, MEAN_TOKEN)
                return points * self.own.columns[column].weight + self.weight[turn] * actor.token_place(points)
            case Support.ATHENA_WIN_TOKEN:
                return self.weight[turn] * actor.token_place(MEAN_TOKEN)
            case Support.ATHENA_BUILD_FROM_DISCARD:
                return self.weight[turn] * actor.gain(pending.half, column)
            case Support.ATHENA_DOUBLE_BUILD:
                return self.weight[turn] * 2.5
            case _:
                return 0.0

    def place(self, cell: int, _: int) -> float:
        """Rate a place for the token just looked at: good ones where they count double and are safe."""
        column = self.own.columns[cell // ZONES]
        points = self.known.get(self.view.pending.token, MEAN_TOKEN)
        uncovered = cell % ZONES == column.height - 1
        safety = (0.3 if column.locked else 0.0) - (0.2 if uncovered else 0.0)
        if is_dionysos(column.zones[cell % ZONES] // 2):
            safety -= 0.3
        return points * (column.weight + safety)

    def done(self, _: int, __: int) -> float:
        return 0.0

    def draw_deck(self, _: int, __: int) -> float:
        return FRESH

    def draw_discard(self, _: int, __: int) -> float:
        return self.own.card_worth(self.view.first_discard.cards[-1])

    def keep(self, card: int, _: int) -> float:
        return self.own.card_worth(card)


def _support_worth(card: int) -> float:
    from agon_bots.house.greedy.ephyran_city import SUPPORTS

    return SUPPORTS[CARD_SUPPORT[card]]


_WORTH: Final[dict[int, Callable[[Reckoning, int, int], float]]] = {
    Kind.BUILD: Reckoning.build,
    Kind.EXCHANGE: Reckoning.exchange,
    Kind.DISCARD: Reckoning.discard,
    Kind.PLAY: Reckoning.play,
    Kind.TAKE: Reckoning.take,
    Kind.FROM: Reckoning.take_from,
    Kind.TARGET: Reckoning.target,
    Kind.TOKEN: Reckoning.token,
    Kind.RECALL: Reckoning.recall,
    Kind.LOCK: Reckoning.lock,
    Kind.UNLOCK: Reckoning.unlock,
    Kind.CANCEL: Reckoning.cancel,
    Kind.PASS: Reckoning.done,
    Kind.PLACE: Reckoning.place,
    Kind.DONE: Reckoning.done,
    Kind.DRAW_DECK: Reckoning.draw_deck,
    Kind.DRAW_DISCARD: Reckoning.draw_discard,
    Kind.KEEP: Reckoning.keep,
    Kind.DIG: Reckoning.keep,
}
_PLAYED: Final[dict[int, Callable[[Reckoning, int], float]]] = {
    Support.SHIELD: Reckoning._play_defence,
    Support.HECATE: Reckoning._play_defence,
    Support.ARES_DESTROY: Reckoning._play_destroy,
    Support.ARES_STEAL_ZONE: Reckoning._play_steal_zone,
    Support.ARES_STEAL_TOKEN: Reckoning._play_steal_token,
    Support.ATHENA_WIN_TOKEN: Reckoning._play_win_token,
    Support.ATHENA_DOUBLE_BUILD: Reckoning._play_double,
    Support.ATHENA_BUILD_FROM_DISCARD: Reckoning._play_recall,
    Support.DRAW_TWO: Reckoning._play_draw,
    Support.DRAW_PICK_THREE: Reckoning._play_pick,
    Support.DRAW_DIG_DISCARD: Reckoning._play_dig,
}
