"""How the greedy bot plays Ephyran: what each action is worth at once, by the seat's view alone.

What a city gains or loses is `ephyran_city`'s; here is what it means to this seat: a point less for an opponent is
worth part of a point, a support may be cancelled, a card has other uses.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from agon_bots.house.greedy.ephyran_city import MEAN_TOKEN, CityValue
from agon_engine.core import Action, Game, Seat
from agon_engine.ephyran.data import (
    CARD_SUPPORT,
    CELLS,
    FIRST_DIONYSOS,
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
UNCANCELLED: Final = 0.85
"""The chance that one who is asked does not cancel."""
OTHER_HALF: Final = 0.1
"""How much of the other half's worth is lost where one is used."""
CARD: Final = 1.0
"""A card more in hand, early."""
DISCARD: Final = 0.2
"""What a fresh card is worth beside the mean one, since one has drawn it for a bad one."""
LOCK: Final = 0.9
"""How much of what stands in an own column a lock saves, early."""
UNLOCK: Final = 0.1
"""The same for opening an opponent's."""
FRESH: Final = 1.2
"""What the mean unseen card is worth."""
DOUBLE_BUILD: Final = 2.5
"""What an opponent is thought to gain from two zones of his hand."""
NEVER: Final = -9.0


def rate(_: Game[View], view: View, actions: Sequence[str]) -> list[float]:
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
        leader = max((seat for seat in range(seats) if seat != self.seat), key=scores.__getitem__)
        self.lead = scores[self.seat] - scores[leader]
        self.share = [0.0 if seat == self.seat else OPPONENT if seat == leader else OTHERS for seat in range(seats)]
        """By seat: what a point less for it is worth."""

    def worth(self, action: Action) -> float:
        """Return what an action is worth."""
        return _WORTH[KIND[action]](self, X[action], Y[action])

    # -- a turn's plain actions ------------------------------------------------------------------------------

    def build(self, half: int, cell: int) -> float:
        return self._built(half, cell // ZONES) - self._spent(half // 2, half)

    def _built(self, half: int, column: int) -> float:
        """Return what a zone is worth in the own city, the end that it may bring included."""
        gain = self.own.gain(half, column)
        ends_lost = self.own.zones == CELLS - 1 and self.lead + gain < 0
        return NEVER if ends_lost else gain

    def _spent(self, card: int, half: int = 0) -> float:
        """Return what is lost with a card beside the half (0: the support) that is used."""
        if is_dionysos(card):
            return self.own.card_worth(card)

        rest = [self.own.half_worth(other) for other, _ in ZONE_HALVES[card] if other != half]
        if half:
            rest.append(self.own.support_worth(card))
        return OTHER_HALF * max(rest, default=0.0)

    def exchange(self, half: int, cell: int) -> float:
        return self.own.exchange(half, cell // ZONES) - self._spent(half // 2, half)

    def discard(self, card: int, _: int) -> float:
        return (FRESH + DISCARD) * self.phase - self.own.card_worth(card)

    def take(self, half: int, cell: int) -> float:
        """Rate taking somebody's Dionysos: the half goes there, it comes here."""
        index, place = divmod(cell, ZONES)
        owners = []
        for city in self.view.cities:
            column = city.columns[index]
            there = column.zones[place] if place < len(column.zones) else 0
            if city.seat != self.seat and not column.lock and is_dionysos(there // 2):
                owners.append(self._taken(half, city.seat))
        places = [self._built(2 * FIRST_DIONYSOS, own) for own, column in enumerate(self.own.columns) if column.is_open]
        return max(owners, default=NEVER) + max(places, default=NEVER) - self._spent(half // 2, half)

    def _taken(self, half: int, owner: Seat) -> float:
        """Return what it is worth that a half stands in for an opponent's Dionysos, whose token comes along."""
        index, place = divmod(HALF_CELL[half], ZONES)
        column = self.cities[owner].columns[index]
        token = column.tokens[place] or 0.0
        change = self.cities[owner].points(half, column, place) - 1.0 - token
        return token - self.share[owner] * change * column.weight

    def take_from(self, owner: int, _: int) -> float:
        return self._taken(self.view.pending.half, owner)

    # -- supports --------------------------------------------------------------------------------------------

    def play(self, card: int, _: int) -> float:
        """Rate playing a support half by the best that it can do."""
        return _PLAYED[CARD_SUPPORT[card]](self, card) - self._spent(card)

    def _play_defence(self, card: int) -> float:
        own = [self.lock(index, 0) for index, column in enumerate(self.own.columns) if column.height]
        others = [
            self.unlock(city.seat, index)
            for city in self.cities
            for index, column in enumerate(city.columns)
            if column.locked
        ]
        return max((*own, *others), default=NEVER) - self.own.support_worth(card)

    def _play_destroy(self, _: int) -> float:
        return UNCANCELLED * max((self._destroyed(seat, index) for seat, index in self._targets()), default=0.0)

    def _play_steal_zone(self, _: int) -> float:
        mine = self.own.columns
        worths = [
            self._stolen(seat, index)
            for seat, index in self._targets()
            if self.cities[seat].columns[index].height == mine[index].height + 1
        ]
        return UNCANCELLED * max(worths, default=0.0)

    def _play_steal_token(self, _: int) -> float:
        worths = [
            self._token_stolen(seat, index, points)
            for seat, index in self._targets()
            for points in self.cities[seat].columns[index].tokens
            if points is not None
        ]
        return UNCANCELLED * max(worths, default=0.0)

    def _play_win_token(self, _: int) -> float:
        return self._unanswered() * self.own.token_worth(MEAN_TOKEN)

    def _play_double_build(self, card: int) -> float:
        """Rate the best zone in hand, and the best one besides it in another column."""
        builds = self.own.builds(other for other in self.view.own_hand.cards if other != card)
        if not builds:
            return 0.0

        worth, first, column = builds[0]
        second = [other[0] for other in builds if other[1] != first and other[2] != column and other[0] > 0]
        return self._unanswered() * (worth + (second[0] + CARD * self.phase if second else 0.0))

    def _play_build_from_discard(self, _: int) -> float:
        builds = self.own.builds(self.view.first_discard.cards)
        return self._unanswered() * builds[0][0] if builds else 0.0

    def _play_draw_two(self, _: int) -> float:
        return CARD * self.phase

    def _play_pick_three(self, _: int) -> float:
        return 0.8 * CARD * self.phase

    def _play_dig(self, _: int) -> float:
        best = max((self.own.card_worth(card) for card in self.view.first_discard.cards), default=0.0)
        return max(0.0, best - FRESH) * self.phase

    def _unanswered(self) -> float:
        """Return the chance that none of the opponents cancels."""
        return UNCANCELLED ** (len(self.cities) - 1)

    def _targets(self) -> list[tuple[Seat, int]]:
        """Return the opponents' columns that are not locked."""
        return [
            (city.seat, index)
            for city in self.cities
            if city.seat != self.seat
            for index, column in enumerate(city.columns)
            if column.height and not column.locked
        ]

    # -- targets ---------------------------------------------------------------------------------------------

    def target(self, seat: int, column: int) -> float:
        stealing = self.view.pending.support is Support.ARES_STEAL_ZONE
        return self._stolen(seat, column) if stealing else self._destroyed(seat, column)

    def _destroyed(self, seat: Seat, column: int) -> float:
        return self.share[seat] * self.cities[seat].loss(column)

    def _stolen(self, seat: Seat, column: int) -> float:
        theirs = self.cities[seat].columns[column]
        token = (theirs.tokens[-1] or 0.0) * self.own.columns[column].weight
        return self._destroyed(seat, column) + self._built(theirs.zones[-1], column) + token

    def token(self, token: int, _: int) -> float:
        for city in self.view.cities:
            for index, column in enumerate(city.columns):
                if token in column.tokens:
                    return self._token_stolen(city.seat, index, self.known.get(token, MEAN_TOKEN))
        return NEVER

    def _token_stolen(self, seat: Seat, column: int, points: float) -> float:
        return self.share[seat] * points * self.cities[seat].columns[column].weight + self.own.token_worth(points)

    def recall(self, half: int, cell: int) -> float:
        return self._built(half, cell // ZONES)

    def lock(self, column: int, _: int) -> float:
        """Rate guarding an own column."""
        own = self.own.columns[column]
        return NEVER if own.locked else LOCK * self.phase * own.guarded()

    def unlock(self, seat: int, column: int) -> float:
        return UNLOCK * self.phase * self.share[seat] * self.cities[seat].columns[column].guarded()

    # -- answers ---------------------------------------------------------------------------------------------

    def cancel(self, card: int, _: int) -> float:
        """Rate cancelling what is being played, by what it would cost here and what it would give its player."""
        return self._threat() - self.own.card_worth(card)

    def _threat(self) -> float:
        pending, actor = self.view.pending, self.cities[self.view.table.turn]
        column = pending.colour - 1
        match pending.support:
            case Support.ARES_DESTROY:
                return self.own.loss(column)
            case Support.ARES_STEAL_ZONE:
                gain = actor.gain(self.own.columns[column].zones[-1], column)
                return self.own.loss(column) + self.share[actor.seat] * gain
            case Support.ARES_STEAL_TOKEN:
                points = self.known.get(pending.token, MEAN_TOKEN)
                return points * self.own.columns[column].weight + self.share[actor.seat] * actor.token_worth(points)
            case Support.ATHENA_WIN_TOKEN:
                return self.share[actor.seat] * actor.token_worth(MEAN_TOKEN)
            case Support.ATHENA_BUILD_FROM_DISCARD:
                return self.share[actor.seat] * actor.gain(pending.half, column)
            case Support.ATHENA_DOUBLE_BUILD:
                return self.share[actor.seat] * DOUBLE_BUILD
            case _:
                return 0.0

    def place(self, cell: int, _: int) -> float:
        """Rate a zone for the token just looked at: a good one goes where it counts double and is safe."""
        index, place = divmod(cell, ZONES)
        column = self.own.columns[index]
        points = self.known.get(self.view.pending.token, MEAN_TOKEN)
        safety = 0.3 if column.locked else 0.0
        if place == column.height - 1:
            safety -= 0.2
        if is_dionysos(column.zones[place] // 2):
            safety -= 0.3
        return points * (column.weight + safety)

    def nothing(self, _: int, __: int) -> float:
        return 0.0

    def draw_deck(self, _: int, __: int) -> float:
        return FRESH

    def draw_discard(self, _: int, __: int) -> float:
        return self.own.card_worth(self.view.first_discard.cards[-1])

    def keep(self, card: int, _: int) -> float:
        return self.own.card_worth(card)


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
    Kind.PASS: Reckoning.nothing,
    Kind.PLACE: Reckoning.place,
    Kind.DONE: Reckoning.nothing,
    Kind.DRAW_DECK: Reckoning.draw_deck,
    Kind.DRAW_DISCARD: Reckoning.draw_discard,
    Kind.KEEP: Reckoning.keep,
    Kind.DIG: Reckoning.keep,
}
"""By kind of action: what rates it, from its x and y."""

_PLAYED: Final[dict[int, Callable[[Reckoning, int], float]]] = {
    Support.SHIELD: Reckoning._play_defence,
    Support.HECATE: Reckoning._play_defence,
    Support.ARES_DESTROY: Reckoning._play_destroy,
    Support.ARES_STEAL_ZONE: Reckoning._play_steal_zone,
    Support.ARES_STEAL_TOKEN: Reckoning._play_steal_token,
    Support.ATHENA_WIN_TOKEN: Reckoning._play_win_token,
    Support.ATHENA_DOUBLE_BUILD: Reckoning._play_double_build,
    Support.ATHENA_BUILD_FROM_DISCARD: Reckoning._play_build_from_discard,
    Support.DRAW_TWO: Reckoning._play_draw_two,
    Support.DRAW_PICK_THREE: Reckoning._play_pick_three,
    Support.DRAW_DIG_DISCARD: Reckoning._play_dig,
}
"""By support: what rates playing its card."""
