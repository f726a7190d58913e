"""What a seat can do, worked out a second time: from its view alone, by names and the map file, naively.

It imports no rules. Tests compare it with what the game lists.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable
from importlib.resources import files
from itertools import product
from typing import Any

from agon_engine.cyclades.view import Due, View

_MAPS: dict[str, Any] = json.loads(files("agon_engine.cyclades").joinpath("maps.json").read_text("utf-8"))["maps"]
KINDS = ("port", "fortress", "temple", "university")
ALWAYS = ("kraken", "minotaur", "chiron", "medusa", "polyphemus")
PRICES = {"poseidon": (0, 1, 2, 3), "ares": (0, 2, 3, 4), "zeus": (0, 4), "athena": (0, 4)}
BUILT = {"poseidon": "port", "ares": "fortress", "zeus": "temple", "athena": "university"}

Held = dict[str, Counter[str]]
"""Buildings by island."""


def name(member: Any) -> str:
    return str(member.name).lower()


class Listing:
    """A view read by names, and the codes that the rules allow in it."""

    def __init__(self, view: View) -> None:
        entry = _MAPS[str(view.deal.seats)]
        self.view = view
        self.seat = view.pending.seat
        self.step: Due = view.pending.steps[-1]
        self.near = {sea["id"]: set(sea["adjacent_seas"]) for sea in entry["seas"]}
        self.shores = {sea["id"]: set(sea["adjacent_islands"]) for sea in entry["seas"]}
        self.trade = {sea["id"] for sea in entry["seas"] if sea["trade_prosperity"]}
        self.printed = {island["id"]: island for island in entry["islands"]}
        self.names = ["", *(sea["id"] for sea in entry["seas"])]
        self.me = view.players[self.seat]
        self.gold = view.own.gold
        self.owner = {f"IS{isle.island}": isle.owner for isle in view.islands}
        self.troops = {f"IS{isle.island}": isle.troops for isle in view.islands}
        self.built: Held = {
            f"IS{isle.island}": Counter(dict(zip(KINDS, isle.buildings, strict=True))) for isle in view.islands
        }
        self.metropolises = {f"IS{isle.island}" for isle in view.islands if isle.metropolis}
        self.horns = {f"IS{isle.island}": isle.prosperity for isle in view.islands}
        self.mine = [island for island, owner in self.owner.items() if owner == self.seat]
        self.fleets = {self.names[held.sea]: held.fleets for held in view.seas.fleets if held.owner == self.seat}
        self.theirs = {self.names[held.sea]: held.fleets for held in view.seas.fleets if held.owner != self.seat}
        self.stands = {name(figurine.creature): f"IS{figurine.island}" for figurine in view.creatures.figurines}
        barring = self.stands.get("polyphemus")
        self.barred = {self.names[view.creatures.kraken]} | {
            sea for sea, shores in self.shores.items() if barring in shores
        }
        self.rivals = [seat for seat in range(view.deal.seats) if seat not in (self.seat, *view.table.fallen)]

    def codes(self) -> set[str]:
        """Return what is legal now."""
        todo = name(self.view.pending.todo)
        listing: Callable[[], Iterable[str]] = getattr(self, f"_{todo}", lambda: self.effects(todo))
        return set(listing())

    # -- offerings -------------------------------------------------------------------------------------------

    def _cost(self, amount: int) -> int:
        return max(1, amount - self.me.priests)

    def _amounts(self, god: str) -> list[int]:
        offers = self.view.gods.offers
        paid = sum(self._cost(offer.amount) for offer in offers if offer.bidder == self.seat)
        standing = next(offer.amount for offer in offers if name(offer.god) == god)
        return [amount for amount in range(standing + 1, 201) if paid + self._cost(amount) <= self.gold]

    def _god(self) -> Iterable[str]:
        yield "god apollo"
        for offer in self.view.gods.offers:
            if offer.god != self.step.what and offer.bidder != self.seat and self._amounts(name(offer.god)):
                yield f"god {name(offer.god)}"

    def _bid(self) -> Iterable[str]:
        god = next(name(offer.god) for offer in self.view.gods.offers if offer.god == self.step.what)
        return [f"bid {god} {amount}" for amount in self._amounts(god)]

    # -- the turn --------------------------------------------------------------------------------------------

    def _turn(self) -> Iterable[str]:
        god = name(self.view.turn.god)
        yield "end"
        yield from self._recruits(god)
        if self.gold >= 2 and self.view.supply.buildings[KINDS.index(BUILT[god])]:
            yield from (f"build {BUILT[god]} {island}" for island in self.mine if self._free(island))
        if self.gold and self.view.turn.moves < 16:
            yield from {"poseidon": lambda: self.steps(self.fleets), "ares": self._marches}.get(god, list)()
        if god == "zeus" and self.gold and self.view.turn.changes < 16:
            yield from (f"change {name(card)}" for card in self.view.creatures.spaces if card)
        less = sum(self.built[island]["temple"] + (island in self.metropolises) for island in self.mine)
        less = max(0, less - self.me.discounts_used)
        for price, card in zip((4, 3, 2), self.view.creatures.spaces, strict=True):
            if card and card not in self.view.turn.bought and max(1, price - less) <= self.gold:
                yield from [f"buy {name(card)}"] * bool(self.effects(name(card)))

    def _recruits(self, god: str) -> Iterable[str]:
        prices, so_far = PRICES[god], self.view.turn.recruited
        if so_far >= len(prices) or prices[so_far] > self.gold:
            return
        if god == "poseidon" and self.me.fleets:
            shores = {sea for island in self.mine for sea in self.printed[island]["adjacent_seas"]}
            yield from (f"recruit fleet {sea}" for sea in shores - self.barred - set(self.theirs))
        if god == "ares" and self.me.troops:
            yield from (f"recruit troop {island}" for island in self.mine)
        if god == "zeus" and self.view.supply.priests:
            yield "recruit priest"
        if god == "athena" and self.view.supply.philosophers:
            yield "recruit philosopher"

    def _free(self, island: str) -> bool:
        printed = self.printed[island]
        covered = printed["metropolis_covers_slots"] if island in self.metropolises else 0
        return bool(printed["building_slots"] - covered > self.built[island].total())

    def _prosper(self) -> Iterable[str]:
        return [f"prosper {island}" for island in self.mine]

    # -- moves -----------------------------------------------------------------------------------------------

    def steps(self, seas: Iterable[str]) -> list[str]:
        return [
            f"move {sea}>{target} x{number}"
            for sea in seas
            for target in self.near[sea] - self.barred
            for number in range(1, self.fleets[sea] + 1)
        ]

    def _sail(self) -> Iterable[str]:
        return ["stop", *self.steps([self.names[self.step.place]])]

    def _joined(self, island: str, fleets: Iterable[str]) -> set[str]:
        """Return the islands that a chain of fleets joins to one."""
        chain = {sea for sea in fleets if island in self.shores[sea]}
        while more := {sea for sea in fleets if sea not in chain and self.near[sea] & chain}:
            chain |= more
        return {shore for sea in chain for shore in self.shores[sea]} - {island}

    def _routes(self, verb: str, targets: Callable[[str], Iterable[str]]) -> list[str]:
        return [
            f"{verb} {island}>{target} x{number}"
            for island in self.mine
            if self.stands.get("medusa") != island
            for target in targets(island)
            if not self._is_protected(target)
            for number in range(1, self.troops[island] + 1)
        ]

    def _marches(self) -> Iterable[str]:
        return self._routes("move", lambda island: self._joined(island, self.fleets))

    def _is_protected(self, island: str) -> bool:
        owner = self.owner[island]
        if owner in (-1, self.seat) or list(self.owner.values()).count(owner) > 1:
            return False

        number = 3 if self.view.deal.seats == 2 else 2
        has = len(self.metropolises & set(self.mine))
        with_it = has + (island in self.metropolises)
        if has >= number or with_it >= number:
            return has >= number
        after = {place: self.built[place] for place in (*self.mine, island)}
        return not self._can_found(after, self.metropolises, number - with_it)

    def _can_found(self, held: Held, metropolises: set[str], needed: int) -> bool:
        if needed == 0:
            return True
        for places in product(*([isle for isle in held if held[isle][kind]] for kind in KINDS)):
            left = {isle: built - Counter() for isle, built in held.items()}
            for kind, isle in zip(KINDS, places, strict=True):
                left[isle] -= Counter({kind: 1})
            for site in self._sites(left, metropolises):
                for razed in self._razed(left[site], self._under(left, site)):
                    if self._can_found({**left, site: razed}, metropolises | {site}, needed - 1):
                        return True
        return False

    def _under(self, held: Held, island: str) -> int:
        printed = self.printed[island]
        beside = int(printed["building_slots"]) - int(printed["metropolis_covers_slots"])
        return max(0, held[island].total() - beside)

    def _razed(self, built: Counter[str], under: int) -> list[Counter[str]]:
        if not under:
            return [built]
        return [left for kind in +built for left in self._razed(built - Counter({kind: 1}), under - 1)]

    def _sites(self, held: Held, metropolises: set[str]) -> list[str]:
        if len(metropolises) == 10:
            return []
        forbid = name(self.view.deal.metropolis_over_buildings) == "forbid"
        return [isle for isle in held if isle not in metropolises and not (forbid and self._under(held, isle))]

    def _retreat(self) -> Iterable[str]:
        battle = self.view.battle
        if battle.sea:
            return ["fight", *(f"retreat {sea}" for sea in self.near[self.names[battle.sea]] if self._is_open(sea))]

        joined = self._joined(f"IS{battle.island}", self.fleets)
        return ["fight", *(f"retreat {place}" for place in joined if self.owner[place] in (-1, self.seat))]

    def _is_open(self, sea: str) -> bool:
        return sea not in self.barred and sea not in self.theirs

    # -- sets ------------------------------------------------------------------------------------------------

    def _give(self) -> Iterable[str]:
        kind = KINDS[self.step.what - 1]
        return [f"give {kind} {island}" for island in self.mine if self.built[island][kind]]

    def _found(self) -> Iterable[str]:
        held = {island: self.built[island] for island in self.mine}
        return [f"found {island}" for island in self._sites(held, self.metropolises)]

    def _raze(self) -> Iterable[str]:
        island = f"IS{self.step.place}"
        return [f"raze {kind} {island}" for kind in +self.built[island]]

    # -- creatures -------------------------------------------------------------------------------------------

    def effects(self, creature: str) -> list[str]:
        """Return the first choices of a creature; none: it has no legal effect."""
        return list(getattr(self, f"_of_{creature}", self._of_others)(creature))

    def _of_others(self, creature: str) -> Iterable[str]:
        assert creature in ALWAYS
        return [f"place {island}" for island in self.owner]

    def _of_siren(self, _: str) -> Iterable[str]:
        return [f"lure {sea}" for sea, number in self.theirs.items() if number == 1]

    def _siren_from(self) -> Iterable[str]:
        return [f"from {sea}" for sea in self.fleets]

    def _of_pegasus(self, _: str) -> Iterable[str]:
        chiron = self.stands.get("chiron")
        barred = {chiron} - set(self.mine)
        return self._routes("fly", lambda island: set(self.owner) - {island} - barred)

    def _exposed(self) -> list[str]:
        return [island for island in self.owner if island != self.stands.get("chiron")]

    def _of_giant(self, _: str) -> Iterable[str]:
        return [f"destroy {kind} {island}" for island in self._exposed() for kind in +self.built[island]]

    def _of_harpy(self, _: str) -> Iterable[str]:
        return [f"kill {island}" for island in self._exposed() if self.troops[island]]

    def _of_chimera(self, _: str) -> Iterable[str]:
        cards = [name(card) for card in self.view.creatures.discard]
        return [f"replay {card}" for card in cards if card != "chimera" and self.effects(card)]

    def _of_cyclops(self, _: str) -> Iterable[str]:
        left = dict(zip(KINDS, self.view.supply.buildings, strict=True))
        return [
            f"replace {old} {island} {new}"
            for island in self.mine
            for old in +self.built[island]
            for new in KINDS
            if new != old and left[new]
        ]

    def _of_sphinx(self, _: str) -> Iterable[str]:
        yield from (f"sell troop {island}" for island in self.mine if self.troops[island])
        yield from (f"sell fleet {sea}" for sea in self.fleets)
        yield from ["sell priest"] * bool(self.me.priests) + ["sell philosopher"] * bool(self.me.philosophers)

    def _sphinx(self) -> Iterable[str]:
        return [*self.effects("sphinx"), *["stop"] * bool(self.step.number)]

    def _of_sylph(self, _: str) -> Iterable[str]:
        return self.steps(self.fleets)

    def _sylph(self) -> Iterable[str]:
        left = set(self.fleets) - {self.names[sea] for sea in self.view.turn.fought}
        return [*self.steps(left), *["stop"] * bool(self.step.number)]

    def _of_griffon(self, _: str) -> Iterable[str]:
        return [f"rob {seat}" for seat in self.rivals]

    def _of_satyr(self, _: str) -> Iterable[str]:
        return [f"rob {seat}" for seat in self.rivals if self.view.players[seat].philosophers]

    def _of_dryad(self, _: str) -> Iterable[str]:
        return [f"rob {seat}" for seat in self.rivals if self.view.players[seat].priests]

    def _of_fates(self, _: str) -> Iterable[str]:
        horns = sum(self.printed[island]["printed_prosperity"] + self.horns[island] for island in self.mine)
        return ["revenue"] * bool(horns + len(self.trade & set(self.fleets)))

    def _of_kraken(self, _: str) -> Iterable[str]:
        return [f"kraken {sea}" for sea in self.near]

    def _kraken_move(self) -> Iterable[str]:
        near = self.near[self.names[self.view.creatures.kraken]]
        return ["stop", *(f"kraken {sea}" for sea in near if self.gold)]

    def _figurine(self) -> Iterable[str]:
        return self._of_others("medusa")

    def _push(self) -> Iterable[str]:
        return [f"push {sea}" for sea in self.near[self.names[self.step.place]] if self._is_open(sea)]
