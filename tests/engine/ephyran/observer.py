"""An observer who keeps the table from event codes alone, as a bot without views would: a second, naive bookkeeping.

It reads codes, card names and the card file and imports no rules. Tests compare it with the views.
"""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

_DATA: dict[str, Any] = json.loads(files("agon_engine.ephyran").joinpath("cards.json").read_text("utf-8"))
_DECK = {card["id"]: card for card in _DATA["deck"]}
_COLOURS = ("blue", "red", "green", "brown")


class Observer:
    """One seat's notes (None: a spectator's)."""

    def __init__(self, seat: int | None, seats: int) -> None:
        self.seat = seat
        self.seats = seats
        self.first = self.turn = 0
        self.round = 0
        self.deck = len(_DECK)
        self.tokens_left = sum(row["count"] for row in _DATA["tokens"])
        self.gods = [""] * seats
        self.sizes = [0] * seats
        self.known: list[list[str]] = [[] for _ in range(seats)]
        self.hand: list[str] = []
        self.first_discard: list[str] = []
        self.second_discard: list[str] = []
        self.cities: list[dict[str, list[str]]] = [{colour: [] for colour in _COLOURS} for _ in range(seats)]
        self.tokens: list[dict[str, int]] = [{} for _ in range(seats)]
        self.locks: list[dict[str, str]] = [{} for _ in range(seats)]
        self.token_in_hand = 0
        self.items: dict[int, str] = {}
        self.ending = ""
        self.over = False
        self.play: list[str] = []
        """What the next events are about: the last codes of the support in play, or of the taking of a Dionysos."""
        self.closed = False

    def hear(self, code: str, seat: int | None) -> None:
        """Take one event down."""
        verb, *words = code.split()
        getattr(self, f"_{verb}")(seat, *words)

    # -- set-up and ends -------------------------------------------------------------------------------------

    def _first(self, seat: int) -> None:
        self.first = seat

    def _god(self, seat: int, colour: str) -> None:
        self.gods[seat] = colour

    def _deal(self, seat: int, dionysos: str, *cards: str) -> None:
        self.sizes[seat] = 5
        self.deck -= 4
        self.known[seat] = [dionysos]
        if seat == self.seat:
            self.hand = [dionysos, *cards]

    def _turn(self, seat: int) -> None:
        self.turn = seat
        self.round += seat == self.first
        self.play = []
        self.closed = False

    def _last(self, _: int, __: str, cause: str) -> None:
        self.ending = cause

    def _show(self, _: int, token: str, item: str) -> None:
        self.items[int(token)] = item

    def _score(self, seat: int, points: str) -> None:
        assert int(points) >= -12
        assert seat in range(self.seats)

    def _over(self, seat: None, cause: str) -> None:
        assert seat is None
        self.over = True
        self.ending = cause

    # -- cards -----------------------------------------------------------------------------------------------

    def _leave(self, seat: int, card: str) -> None:
        self.sizes[seat] -= 1
        if card in self.known[seat]:
            self.known[seat].remove(card)
        if seat == self.seat:
            self.hand.remove(card)

    def _draw(self, seat: int, source: str, card: str = "") -> None:
        self.sizes[seat] += 1
        if source == "deck":
            self.deck -= 1
        else:
            self.known[seat].append(self.first_discard.pop())
        if seat == self.seat:
            self.hand.append(card)

    def _discard(self, seat: int, card: str) -> None:
        self._leave(seat, card)
        self.first_discard.append(card)
        self.closed = True

    def _look(self, seat: int, *_: str) -> None:
        assert seat == self.turn

    def _keep(self, seat: int, card: str = "") -> None:
        self.deck -= 1
        self.sizes[seat] += 1
        if seat == self.seat:
            self.hand.append(card)

    def _dig(self, seat: int, card: str) -> None:
        self.first_discard.remove(card)
        self.known[seat].append(card)
        self.sizes[seat] += 1
        if seat == self.seat:
            self.hand.append(card)

    # -- zones -----------------------------------------------------------------------------------------------

    @staticmethod
    def _colour(card: str, words: tuple[str, ...]) -> str:
        return words[0] if card.startswith("D") else str(_DECK[card][words[0]]["zone"][0])

    @staticmethod
    def _name(card: str, words: tuple[str, ...]) -> str:
        return card if card.startswith("D") else f"{card} {words[0]}"

    def _build(self, seat: int, card: str, *words: str) -> None:
        colour = self._colour(card, words)
        column = self.cities[seat][colour]
        if self.play and self.play[0] == "take":
            _, half, side, owner = self.play
            home = self._colour(half, (side,))
            place = self.cities[int(owner)][home].index(card)
            self.cities[int(owner)][home][place] = f"{half} {side}"
            token = self.tokens[int(owner)].pop(f"{home} {place + 1}", 0)
            if token:
                self.tokens[seat][f"{colour} {len(column) + 1}"] = token
            self.play = []
        elif self.play and self.play[0] == "recall":
            self.first_discard.remove(card)
        else:
            self._leave(seat, card)
        column.append(self._name(card, words))

    def _exchange(self, seat: int, card: str, *words: str) -> None:
        self._leave(seat, card)
        colour = self._colour(card, words)
        old = self.cities[seat][colour].pop()
        self.cities[seat][colour].append(self._name(card, words))
        self.tokens[seat].pop(f"{colour} {len(self.cities[seat][colour])}", 0)
        self.first_discard.append(old.split()[0])
        self.closed = True

    def _drop(self, seat: int, *half: str) -> None:
        assert self.first_discard[-1] == half[0]
        assert seat == self.turn

    def _gone(self, _: int, token: str) -> None:
        assert not any(int(token) in row.values() for row in self.tokens)

    def _take(self, seat: int, card: str, side: str) -> None:
        self._leave(seat, card)
        self.play = ["take", card, side]

    def _from(self, _: int, owner: str) -> None:
        self.play.append(owner)

    # -- supports --------------------------------------------------------------------------------------------

    def _play(self, seat: int, card: str) -> None:
        self._leave(seat, card)
        self.play = ["play", card]

    def _spend(self, _: None, card: str) -> None:
        self.second_discard.append(card)

    def _target(self, _: int, *target: str) -> None:
        self.play = ["target", *target]

    def _token(self, _: int, token: str) -> None:
        self.play = ["token", token]

    def _recall(self, _: int, *half: str) -> None:
        self.play = ["recall", *half]

    def _lock(self, seat: int, colour: str) -> None:
        self.locks[seat][colour] = self.play[1]

    def _unlock(self, _: int, owner: str, colour: str) -> None:
        del self.locks[int(owner)][colour]

    def _pass(self, seat: int) -> None:
        assert seat != self.turn

    def _cancel(self, seat: int, card: str) -> None:
        self._leave(seat, card)

    def _lose(self, seat: int, *half: str) -> None:
        colour = self.play[2]
        assert self.cities[seat][colour].pop() == " ".join(half)
        self.tokens[seat].pop(f"{colour} {len(self.cities[seat][colour]) + 1}", 0)

    def _steal(self, seat: int, *half: str) -> None:
        owner, colour = int(self.play[1]), self.play[2]
        assert self.cities[owner][colour].pop() == " ".join(half)
        self.cities[seat][colour].append(" ".join(half))
        number = len(self.cities[seat][colour])
        token = self.tokens[owner].pop(f"{colour} {number}", 0)
        if token:
            self.tokens[seat][f"{colour} {number}"] = token

    # -- tokens ----------------------------------------------------------------------------------------------

    def _win(self, _: int, token: str) -> None:
        self.tokens_left -= 1
        self.token_in_hand = int(token)

    def _see(self, seat: int, token: str, item: str = "") -> None:
        if seat == self.seat:
            self.items[int(token)] = item

    def _lift(self, owner: int, token: str) -> None:
        self.token_in_hand = int(token)
        zone = next(zone for zone, lying in self.tokens[owner].items() if lying == int(token))
        del self.tokens[owner][zone]

    def _place(self, seat: int, *zone: str) -> None:
        self.tokens[seat][" ".join(zone)] = self.token_in_hand
        self.token_in_hand = 0

    def _done(self, seat: int) -> None:
        assert seat == self.turn
