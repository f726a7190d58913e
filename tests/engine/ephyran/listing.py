"""What a seat can do, worked out a second time: from its view alone, by names and the card file, naively.

It imports no rules. Tests compare it with what the game lists.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib.resources import files
from typing import Any

from agon_engine.ephyran.data import CARD_NAMES, HALF_NAMES
from agon_engine.ephyran.view import View

_DATA: dict[str, Any] = json.loads(files("agon_engine.ephyran").joinpath("cards.json").read_text("utf-8"))
_DECK = {card["id"]: card for card in _DATA["deck"]}
_COLOURS = ("blue", "red", "green", "brown")


class Listing:
    """A view read by names, and the codes that the rules allow in it."""

    def __init__(self, view: View) -> None:
        self.view = view
        self.seat = view.pending.seat
        self.hand = [CARD_NAMES[card] for card in view.own_hand.cards]
        self.pile = [CARD_NAMES[card] for card in view.first_discard.cards]
        self.cities = [
            {
                colour: [HALF_NAMES[half] for half in column.zones]
                for colour, column in zip(_COLOURS, city.columns, strict=True)
            }
            for city in view.cities
        ]
        self.tokens = [
            {
                f"{colour} {number}": token
                for colour, column in zip(_COLOURS, city.columns, strict=True)
                for number, token in enumerate(column.tokens, 1)
                if token
            }
            for city in view.cities
        ]
        self.locks = [
            {colour for colour, column in zip(_COLOURS, city.columns, strict=True) if column.lock}
            for city in view.cities
        ]
        self.rivals = [seat for seat in range(len(view.cities)) if seat != self.seat]
        self.mine = self.cities[self.seat]

    def codes(self) -> set[str]:
        """Return the codes of all legal actions."""
        answers: Callable[[], set[str]] = getattr(self, f"_{self.view.pending.phase.name.lower()}")
        return answers()

    # -- what fits -------------------------------------------------------------------------------------------

    def _next(self, colour: str) -> int:
        return len(self.mine[colour]) + 1

    def _ways(self, card: str) -> set[str]:
        """Return the ways in which a card can be built: `TS05 a`, `D1 blue 3`."""
        if card.startswith("D"):
            return {f"{card} {colour} {self._next(colour)}" for colour in _COLOURS if self._next(colour) <= 4}

        zones = {side: _DECK[card][side]["zone"] for side in "ab" if "zone" in _DECK[card][side]}
        return {f"{card} {side}" for side, (colour, number) in zones.items() if number == self._next(colour)}

    def _replacements(self, card: str) -> set[str]:
        """Return the ways in which a card can take the place of an own uncovered zone."""
        if card.startswith("D"):
            return {
                f"{card} {colour} {len(column)}"
                for colour, column in self.mine.items()
                if column and not column[-1].startswith("D")
            }

        zones = {side: _DECK[card][side]["zone"] for side in "ab" if "zone" in _DECK[card][side]}
        return {f"{card} {side}" for side, (colour, number) in zones.items() if number == len(self.mine[colour])}

    def _dionysos_of(self, colour: str, number: int) -> list[int]:
        """Return the rivals with a Dionysos there that can be taken."""
        return [
            rival
            for rival in self.rivals
            if colour not in self.locks[rival] and self.cities[rival][colour][number - 1 : number]
            if self.cities[rival][colour][number - 1].startswith("D")
        ]

    def _free(self) -> set[str]:
        zones = {f"{colour} {number + 1}" for colour in _COLOURS for number in range(len(self.mine[colour]))}
        return zones - set(self.tokens[self.seat])

    # -- by phase --------------------------------------------------------------------------------------------

    def _turn(self) -> set[str]:
        codes = {f"discard {card}" for card in self.hand}
        room = any(self._next(colour) <= 4 for colour in _COLOURS)
        for card in self.hand:
            codes |= {f"build {way}" for way in self._ways(card)}
            codes |= {f"exchange {way}" for way in self._replacements(card)}
            for side in "ab" if not card.startswith("D") else "":
                half = _DECK[card][side]
                if "zone" in half and room and self._dionysos_of(*half["zone"]):
                    codes.add(f"take {card} {side}")
                if "support" in half and self._has_effect(half["support"], card):
                    codes.add(f"play {card}")
        return codes

    def _has_effect(self, support: str, card: str) -> bool:
        if support == "draw_two":
            return self.view.table.deck > 0 or bool(self.pile)
        if support == "draw_pick_three":
            return self.view.table.deck > 0
        if support == "draw_dig_discard":
            return bool(self.pile)
        if support == "athena_win_token":
            return self.view.table.tokens > 0 and bool(self._free())
        if support == "athena_double_build":
            return any(self._ways(other) for other in self.hand if other != card)
        if support == "ares_steal_token" and not self._free():
            return False
        return bool(self._targets(support))

    def _targets(self, support: str) -> set[str]:
        if support in ("shield", "hecate"):
            own = {colour for colour, column in self.mine.items() if column} - self.locks[self.seat]
            placed = {f"unlock {seat} {colour}" for seat, locks in enumerate(self.locks) for colour in locks}
            return placed | {f"lock {colour}" for colour in own}
        if support == "athena_build_from_discard":
            return {f"recall {way}" for card in self.pile for way in self._ways(card)}
        open_columns = [
            (rival, colour)
            for rival in self.rivals
            for colour in _COLOURS
            if self.cities[rival][colour] and colour not in self.locks[rival]
        ]
        if support == "ares_steal_token":
            return {
                f"token {token}"
                for rival, colour in open_columns
                for zone, token in self.tokens[rival].items()
                if zone.startswith(colour)
            }
        if support == "ares_steal_zone":
            open_columns = [
                (rival, colour)
                for rival, colour in open_columns
                if len(self.cities[rival][colour]) == self._next(colour)
            ]
        return {f"target {rival} {colour}" for rival, colour in open_columns}

    def _target(self) -> set[str]:
        pending = self.view.pending
        if pending.support:
            return self._targets(pending.support.name.lower())

        card, side = HALF_NAMES[pending.half].split()
        return {f"from {rival}" for rival in self._dionysos_of(*_DECK[card][side]["zone"])}

    def _react(self) -> set[str]:
        kind = self.view.pending.support.name.lower().split("_")[0]
        defence = {"ares": "shield", "athena": "hecate"}[kind]
        held = [card for card in self.hand if not card.startswith("D")]
        return {"pass"} | {f"cancel {card}" for card in held if _DECK[card]["b"].get("support") == defence}

    def _place(self) -> set[str]:
        return {f"place {zone}" for zone in self._free()}

    def _build(self) -> set[str]:
        pending = self.view.pending
        if pending.support:
            ways = {f"build {way}" for card in self.hand for way in self._ways(card)}
            return ways | ({"done"} if pending.built else set())

        card, side = HALF_NAMES[pending.half].split()
        colour, number = _DECK[card][side]["zone"]
        return {f"build {way}" for way in self._ways(self.cities[pending.target][colour][number - 1])}

    def _draw(self) -> set[str]:
        closed = self.view.table.closed and self.seat == self.view.table.turn
        codes = {"draw deck"} if self.view.table.deck else set()
        return codes | ({"draw discard"} if self.pile and not closed else set())

    def _keep(self) -> set[str]:
        return {f"keep {CARD_NAMES[card]}" for card in self.view.own_hand.looking}

    def _dig(self) -> set[str]:
        return {f"dig {card}" for card in self.pile}
