"""An observer who keeps the table from event codes alone, as a bot without views would: a second, naive bookkeeping.

It reads codes and the map file and imports no rules. Tests compare it with the views.
"""

from __future__ import annotations

import json
from collections import Counter
from importlib.resources import files
from typing import Any

_MAPS: dict[str, Any] = json.loads(files("agon_engine.cyclades").joinpath("maps.json").read_text("utf-8"))["maps"]
FIGURINES = ("minotaur", "chiron", "medusa", "polyphemus")


class Observer:
    """The notes of somebody who hears all that is public."""

    def __init__(self, seats: int) -> None:
        entry = _MAPS[str(seats)]
        self.seats = seats
        self.cycle = 0
        self.order: list[int] = []
        self.next_order: list[int] = []
        self.fallen: list[int] = []
        self.gods: list[str] = []
        self.out: list[str] = []
        self.bids: dict[str, tuple[int, int]] = {}
        self.apollo: list[int] = []
        self.turn: tuple[int, str] | None = None
        self.over = ""

        self.gold = [5] * seats
        self.priests = [0] * seats
        self.philosophers = [0] * seats
        self.troop_reserve = [8] * seats
        self.fleet_reserve = [8] * seats
        self.discounts = [0] * seats
        self.owner: dict[str, int] = {}
        self.troops: Counter[str] = Counter()
        self.buildings: dict[str, Counter[str]] = {island["id"]: Counter() for island in entry["islands"]}
        self.metropolises: set[str] = set()
        self.horns: Counter[str] = Counter()
        self.fleets: dict[str, tuple[int, int]] = {}
        for start in entry["starts"]:
            for sea in start["fleets"]:
                self.fleets[sea] = (start["seat"], 1)
                self.fleet_reserve[start["seat"]] -= 1

        self.deck = 17
        self.spaces: dict[int, str] = {}
        self.discard: list[str] = []
        self.gone: list[str] = []
        self.playing: list[str] = []
        self.figurines: dict[str, tuple[int, str, int]] = {}
        self.kraken = ""
        self.battle: tuple[str, int, int] | None = None
        """Where, attacker, units left."""
        self.arriving: dict[int, int] = {}
        """By seat: troops that come to the island that is taken next."""
        self.lured: tuple[int, str] | None = None
        self.price = 0
        """Of the space of the card being bought, until it is paid."""

    def hear(self, code: str, seat: int | None) -> None:
        """Take one event down."""
        verb, *words = code.split()
        getattr(self, f"_{verb}")(seat, *words)

    # -- the cycle -------------------------------------------------------------------------------------------

    def _order(self, _: None, *seats: str) -> None:
        self.order = list(map(int, seats))

    def _cycle(self, _: None, number: str) -> None:
        self._close_apollo()
        self.cycle = int(number)
        self.bids, self.apollo = {}, []
        self.discounts = [0] * self.seats
        self.next_order = [] if self.cycle == 1 else self.next_order
        if self.cycle > 1:
            self.order, self.next_order = self.next_order, []

    def _close_apollo(self) -> None:
        if self.turn and self.turn[1] == "apollo":
            self.next_order.insert(0, self.turn[0])
            self.turn = None

    def _gods(self, _: None, *names: str) -> None:
        up = names.index("out") if "out" in names else len(names)
        self.gods, self.out = list(names[:up]), list(names[up + 1 :])

    def _god(self, seat: int, god: str) -> None:
        assert god == "apollo"
        self.apollo.append(seat)

    def _bid(self, seat: int, god: str, amount: str) -> None:
        self.bids[god] = (seat, int(amount))

    def _turn(self, seat: int, god: str) -> None:
        self._close_apollo()
        self.turn = (seat, god)

    def _end(self, seat: int) -> None:
        self.next_order.insert(0, seat)
        self.turn = None

    def _score(self, seat: int, score: str) -> None:
        assert int(score) == sum(self.owner[island] == seat for island in self.metropolises)

    def _over(self, _: None, why: str) -> None:
        self._close_apollo()
        self.over = why

    def _eliminated(self, seat: int) -> None:
        self.fallen.append(seat)
        self.gold[seat] = self.priests[seat] = self.philosophers[seat] = 0
        self.troop_reserve[seat] = self.fleet_reserve[seat] = 0
        self.fleets = {sea: held for sea, held in self.fleets.items() if held[0] != seat}
        self.bids = {god: held for god, held in self.bids.items() if held[0] != seat}
        self.order = [other for other in self.order if other != seat]
        self.next_order = [other for other in self.next_order if other != seat]

    # -- gold and cards --------------------------------------------------------------------------------------

    def _revenue(self, _: None, *amounts: str) -> None:
        for seat, amount in enumerate(amounts):
            self.gold[seat] += int(amount)

    def _offerings(self, _: None, *amounts: str) -> None:
        for seat, amount in enumerate(amounts):
            self.gold[seat] -= int(amount)

    def _gain(self, seat: int, amount: str) -> None:
        self.gold[seat] += int(amount)

    def _pay(self, seat: int, amount: str) -> None:
        self.gold[seat] -= int(amount)
        if self.price:
            self.discounts[seat] += self.price - int(amount)
            self.price = 0

    def _slide(self, _: None, card: str, price: str) -> None:
        self._leave_space(card)
        self.spaces[int(price)] = card

    def _leave_space(self, card: str) -> int:
        price = next((price for price, there in self.spaces.items() if there == card), 0)
        self.spaces.pop(price, None)
        return price

    def _discard(self, _: None, card: str) -> None:
        self._leave_space(card)
        if card in self.playing:
            self.playing.remove(card)
        self.discard.append(card)

    def _reveal(self, _: None, card: str, price: str) -> None:
        self.deck -= 1
        self.spaces[int(price)] = card

    def _shuffle(self, _: None) -> None:
        self.deck += len(self.discard)
        self.discard = []

    def _change(self, _: int, card: str) -> None:
        assert card in self.spaces.values()

    def _buy(self, _: int, card: str) -> None:
        self.price = self._leave_space(card)
        self.playing.append(card)

    def _replay(self, _: int, card: str) -> None:
        self.discard.remove(card)
        self.playing.append(card)

    # -- pieces ----------------------------------------------------------------------------------------------

    def _recruit(self, seat: int, what: str, where: str = "") -> None:
        if what == "fleet":
            self.fleet_reserve[seat] -= 1
            self._add_fleets(seat, where, 1)
        elif what == "troop":
            self.troop_reserve[seat] -= 1
            self.troops[where] += 1
        elif what == "priest":
            self.priests[seat] += 1
        else:
            self._learn(seat)

    def _learn(self, seat: int) -> None:
        self.philosophers[seat] += 1
        if self.philosophers[seat] == 4:
            self.philosophers[seat] = 0

    def _add_fleets(self, seat: int, sea: str, count: int) -> None:
        owner, there = self.fleets.get(sea, (seat, 0))
        assert owner == seat, f"{sea} has fleets of {owner}, not {seat}"
        self.fleets[sea] = (seat, there + count)

    def _take_fleets(self, sea: str, count: int) -> None:
        owner, there = self.fleets.pop(sea)
        if there > count:
            self.fleets[sea] = (owner, there - count)

    def _build(self, _: int, building: str, island: str) -> None:
        self.buildings[island][building] += 1

    def _give(self, _: int, building: str, island: str) -> None:
        self.buildings[island][building] -= 1

    _raze = _give
    _destroy = _give

    def _replace(self, seat: int, old: str, island: str, new: str) -> None:
        self._give(seat, old, island)
        self._build(seat, new, island)

    def _found(self, _: int, island: str) -> None:
        self.metropolises.add(island)

    def _no(self, _: int, what: str) -> None:
        assert what == "metropolis"

    def _prosper(self, _: int, island: str) -> None:
        self.horns[island] += 1

    # -- moves and battles -----------------------------------------------------------------------------------

    def _move(self, seat: int, route: str, count: str) -> None:
        place, target = route.split(">")
        units = int(count[1:])
        if place.startswith("IS"):
            self._march(seat, place, target, units)
            return

        self._take_fleets(place, units)
        if self.fleets.get(target, (seat, 0))[0] == seat:
            self._add_fleets(seat, target, units)
        else:
            self.battle = (target, seat, units)

    def _fly(self, seat: int, route: str, count: str) -> None:
        place, target = route.split(">")
        self._march(seat, place, target, int(count[1:]))

    def _march(self, seat: int, place: str, target: str, units: int) -> None:
        self.troops[place] -= units
        if self.owner.get(target) == seat:
            self.troops[target] += units
        elif target in self.owner and (self.troops[target] or self._figurine_on(target) == "minotaur"):
            self.battle = (target, seat, units)
        else:
            self.arriving[seat] = units

    def _figurine_on(self, island: str) -> str:
        return next((name for name, (_, there, _) in self.figurines.items() if there == island), "")

    def _roll(self, _: None, attack: str, defence: str) -> None:
        assert self.battle is not None
        place, seat, units = self.battle
        assert attack.split("+")[1] >= str(units)
        assert "+" in defence
        assert seat != self.fleets.get(place, (self.owner.get(place),))[0]

    def _lose(self, seat: int, what: str, place: str, count: str) -> None:
        units = int(count[1:])
        reserve = self.fleet_reserve if what == "fleet" else self.troop_reserve
        reserve[seat] += units
        if self.battle and self.battle[:2] == (place, seat):
            left = self.battle[2] - units
            self.battle = (place, seat, left) if left else None
        elif what == "troop":
            self.troops[place] -= units
        else:
            self._take_fleets(place, units)
            self._come_in(place)
        if self.battle and what == "troop" and not self._is_held(place):
            self.arriving[self.battle[1]] = self.battle[2]
            self.battle = None

    def _is_held(self, island: str) -> bool:
        return self.troops[island] > 0 or self._figurine_on(island) == "minotaur"

    def _come_in(self, sea: str) -> None:
        """Let fleets come to a sea that has been left to them."""
        if sea in self.fleets:
            return
        if self.battle and self.battle[0] == sea:
            self._add_fleets(self.battle[1], sea, self.battle[2])
            self.battle = None
        if self.lured and self.lured[1] == sea and self.fleet_reserve[self.lured[0]]:
            self.fleet_reserve[self.lured[0]] -= 1
            self._add_fleets(self.lured[0], sea, 1)
            self.lured = None

    def _fight(self, _: int) -> None:
        assert self.battle is not None

    def _retreat(self, seat: int, target: str) -> None:
        assert self.battle is not None
        place, attacker, units = self.battle
        by_land = place.startswith("IS")
        if seat == attacker:
            self.battle = None
        else:
            units = self.troops.pop(place) if by_land else self.fleets.pop(place)[1]
        if not by_land:
            self._add_fleets(seat, target, units)
            self._come_in(place)
            return

        if self.owner.get(target) == seat:
            self.troops[target] += units
        else:
            self.arriving[seat] = units
        if self.battle:
            self.arriving[attacker] = self.battle[2]
            self.battle = None

    def _take(self, seat: int, island: str) -> None:
        self.owner[island] = seat
        if not self.cycle:
            self.troop_reserve[seat] -= 1
        self.troops[island] = self.arriving.pop(seat) if self.cycle else 1

    # -- creatures -------------------------------------------------------------------------------------------

    def _lure(self, seat: int, sea: str) -> None:
        self.lured = (seat, sea)

    def _from(self, seat: int, sea: str) -> None:
        assert self.lured is not None
        self._take_fleets(sea, 1)
        self._add_fleets(seat, self.lured[1], 1)
        self.lured = None

    def _kill(self, _: int, island: str) -> None:
        assert self.troops[island] > 0

    def _rob(self, seat: int, other: str) -> None:
        if self.playing[-1] == "satyr":
            self.philosophers[int(other)] -= 1
            self._learn(seat)
        elif self.playing[-1] == "dryad":
            self.priests[int(other)] -= 1
            self.priests[seat] += 1

    def _sell(self, seat: int, what: str, where: str = "") -> None:
        if what == "fleet":
            self._take_fleets(where, 1)
            self.fleet_reserve[seat] += 1
        elif what == "troop":
            self.troops[where] -= 1
            self.troop_reserve[seat] += 1
        elif what == "priest":
            self.priests[seat] -= 1
        else:
            self.philosophers[seat] -= 1

    def _stop(self, seat: int) -> None:
        assert self.turn is not None
        assert seat == self.turn[0]

    def _kraken(self, _: int, sea: str) -> None:
        self.kraken = sea

    def _place(self, seat: int, island: str) -> None:
        if not self._figurine_on(island):
            self.figurines[self.playing.pop()] = (seat, island, self.cycle)

    def _lift(self, _: None, card: str, island: str) -> None:
        seat, there, *_cycle = self.figurines.pop(card)
        assert there == island
        if seat in self.fallen:
            self.gone.append(card)
        if self.battle and self.battle[0] == island and not self._is_held(island):
            self.arriving[self.battle[1]] = self.battle[2]
            self.battle = None

    def _push(self, seat: int, sea: str) -> None:
        assert self.kraken != sea
        assert seat in range(self.seats)

    def _drive(self, seat: int, route: str) -> None:
        place, target = route.split(">")
        owner, count = self.fleets.pop(place)
        assert owner == seat
        self._add_fleets(seat, target, count)
