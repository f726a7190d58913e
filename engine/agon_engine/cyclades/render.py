"""A view as text for people: at most 80 columns. Everything is named as actions and events name it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from textwrap import wrap
from typing import Final

from agon_engine.core import Seat
from agon_engine.cyclades.data import MAPS, SPACE_PRICES
from agon_engine.cyclades.enums import BUILDINGS, NOBODY, Building, Creature, Ending, God, Phase, Todo
from agon_engine.cyclades.grid import Lines, grid_of
from agon_engine.cyclades.view import Due, Figurine, Island, Player, View

WIDTH: Final = 80
_LEGEND: Final = (
    "On the map: 1:3 seat 1 with 3 troops on an island or 3 fleets in a sea; *2 gold for the owner each cycle; of an "
    "island the slots for buildings: . free, P port, F fortress, T temple, U university, M those under the "
    "Metropolis; mi minotaur, ch chiron, me medusa, po polyphemus; # no fleet may enter."
)
_PHASES: Final = {Phase.OFFERINGS: "offerings", Phase.ACTIONS: "actions", Phase.OVER: "the match is over"}
_ENDINGS: Final = {
    Ending.METROPOLISES: "the winning number of Metropolises",
    Ending.CAP: "the last cycle",
    Ending.LAST_PLAYER: "all others eliminated",
}
_LETTERS: Final = "PFTU"
"""By building."""
_FREE: Final = "."
_METROPOLIS: Final = "M"
_MOST_HORNS: Final = 9
"""So many find room on the map."""
_COLUMNS: Final = ("gold", "income", "priests", "philosophers", "Metropolises", "troops", "fleets", "discounts")

_ASKED: Final = {
    Todo.GOD: "which god its marker goes to{lost}",
    Todo.BID: "how much it bids on {god}",
    Todo.TURN: "what it does, or to end its turn",
    Todo.PROSPER: "where the prosperity marker goes",
    Todo.SAIL: "whether fleets sail on from {sea}, at most {number} more",
    Todo.RETREAT: "whether to retreat",
    Todo.GIVE: "which {building} it gives up",
    Todo.FOUND: "where the Metropolis goes",
    Todo.RAZE: "which building goes on {island}, of {number} that have to",
    Todo.SIREN: "which fleet the siren lures",
    Todo.SIREN_FROM: "which of its fleets comes to {sea}",
    Todo.PEGASUS: "which troops fly, and where",
    Todo.GIANT: "which building the giant destroys",
    Todo.CHIMERA: "which card the chimera plays",
    Todo.CYCLOPS: "which building the cyclops replaces, and by what",
    Todo.SPHINX: "what it sells to the sphinx, after {number} sales",
    Todo.SYLPH: "which fleets move by the sylph, after {number} steps",
    Todo.HARPY: "where the harpy removes a troop",
    Todo.GRIFFON: "whose gold the griffon takes",
    Todo.SATYR: "whose philosopher the satyr steals",
    Todo.DRYAD: "whose priest the dryad steals",
    Todo.KRAKEN: "where the kraken rises",
    Todo.KRAKEN_MOVE: "whether the kraken swims on, after {number} seas",
    Todo.FIGURINE: "where the {creature} goes",
    Todo.PUSH: "where its fleets in {sea} flee",
}


def render_view(view: View) -> str:
    """Draw a view; what stands on the map is explained below it."""
    return "\n".join(_Drawing(view).lines())


class _Drawing:
    def __init__(self, view: View) -> None:
        self.view = view
        self.printed = MAPS[view.deal.seats]
        self.figurines = {figurine.island: figurine for figurine in view.creatures.figurines}

    def lines(self) -> Iterator[str]:
        yield from self._head()
        yield from self._gods()
        yield from self._turn()
        yield from self._creatures()
        yield from self._battle()
        yield ""
        yield from grid_of(self.view.deal.seats).draw(self._cells())
        yield from self._crowded()
        yield from _wrapped(_LEGEND)
        yield ""
        yield from self._seats()
        yield from self._supply()

    # -- the table -------------------------------------------------------------------------------------------

    def _head(self) -> Iterator[str]:
        table, pending = self.view.table, self.view.pending
        head = f"Cycle {table.cycle} of {self.view.deal.max_cycles}, {_PHASES[table.phase]}"
        yield from _wrapped(f"{head}: {_ENDINGS[table.ending]}." if table.ending else f"{head}.")
        to_come = table.order[table.placed :]
        track = " ".join(map(str, table.order[: table.placed])) or "-"
        if table.phase is Phase.OFFERINGS and to_come:
            track += f", to come {' '.join(map(str, to_come))}"
        following = " ".join(map(str, table.next_order)) or "-"
        fallen = f" Eliminated: {' '.join(map(str, table.fallen))}." if table.fallen else ""
        yield from _wrapped(f"Turn track: {track}; at the end of the next one: {following}.{fallen}")
        if pending.seat != NOBODY:
            yield from _wrapped(
                f"{self._seat(pending.seat).capitalize()} is asked {_question(pending.steps[-1], self)}."
            )

    def _gods(self) -> Iterator[str]:
        gods = self.view.gods
        row = [f"{_name(offer.god)} {self._bid(offer.bidder, offer.amount)}" for offer in gods.offers]
        at_apollo = f"by seat {', '.join(map(str, gods.apollo))}" if gods.apollo else "-"
        row.append(f"apollo {at_apollo}")
        out = f"; not in this cycle: {', '.join(map(_name, gods.out))}" if gods.out else ""
        acted = f"; turns so far: {gods.acted}" if gods.acted else ""
        yield from _wrapped(f"Gods: {', '.join(row)}{out}{acted}.")

    def _bid(self, bidder: Seat, amount: int) -> str:
        return "-" if bidder == NOBODY else f"{amount} by seat {bidder}"

    def _turn(self) -> Iterator[str]:
        turn = self.view.turn
        if turn.seat == NOBODY:
            return

        done = [
            f"{count} {what}"
            for count, what in ((turn.recruited, "recruited"), (turn.moves, "moves"), (turn.changes, "changes"))
            if count
        ]
        if turn.bought:
            done.append(f"bought {', '.join(map(_name, turn.bought))}")
        if turn.playing:
            done.append(f"playing {', '.join(map(_name, turn.playing))}")
        if turn.fought:
            done.append(f"no fleet leaves {', '.join(map(self.sea, turn.fought))}")
        yield from _wrapped(f"Turn of {self._seat(turn.seat)} with {_name(turn.god)}: {'; '.join(done) or 'begun'}.")

    def _creatures(self) -> Iterator[str]:
        creatures = self.view.creatures
        offered = [
            f"{_name(creature) if creature else '-'} for {price}"
            for creature, price in zip(creatures.spaces, SPACE_PRICES, strict=True)
        ]
        piles = f"deck {creatures.deck}; discard {_names(creatures.discard)}"
        gone = f"; out of the game {_names(creatures.gone)}" if creatures.gone else ""
        yield from _wrapped(f"Creatures: {', '.join(offered)}; {piles}{gone}.")
        if creatures.figurines:
            yield from _wrapped(f"Figurines: {'; '.join(map(self._figurine, creatures.figurines))}.")

    def _figurine(self, figurine: Figurine) -> str:
        return (
            f"{_name(figurine.creature)} on IS{figurine.island} of seat {figurine.owner} since cycle {figurine.cycle}"
        )

    def _battle(self) -> Iterator[str]:
        battle = self.view.battle
        rolls = ", ".join(f"{roll.attack}-{roll.defence}" for roll in battle.rolls)
        if battle.attackers:
            place = f"IS{battle.island}" if battle.island else self.sea(battle.sea)
            sides = f"seat {battle.attacker} with {battle.attackers} against seat {battle.defender}"
            yield from _wrapped(f"Battle for {place}: {sides}; rolls {rolls or '-'}.")
        elif rolls:
            yield from _wrapped(f"Rolls of the last battle: {rolls}.")

    # -- the map ---------------------------------------------------------------------------------------------

    def sea(self, sea: int) -> str:
        return self.printed.seas[sea].cell

    def _cells(self) -> dict[str, Lines]:
        """Return what stands in each cell."""
        cells: dict[str, Lines] = {}
        fleets = {fleet.sea: f"{fleet.owner}:{fleet.fleets}" for fleet in self.view.seas.fleets}
        kraken, barred = self.view.creatures.kraken, self._barred()
        for sea, printed in enumerate(self.printed.seas[1:], 1):
            signs = ("#" if sea in barred else "") + ("*1" if printed.trade else "")
            cells[printed.cell] = f"{printed.cell:<3}{signs:>3}", "Kraken" if sea == kraken else fleets.get(sea, "")
        for island in self.view.islands:
            cells |= self._island(island)
        return cells

    def _barred(self) -> set[int]:
        """Return the seas that no fleet may enter (C1.4)."""
        creatures = self.view.creatures
        barred = {creatures.kraken}
        for figurine in creatures.figurines:
            if figurine.creature is Creature.POLYPHEMUS:
                barred |= {*self.printed.islands[figurine.island].seas}
        return barred

    def _island(self, island: Island) -> Iterator[tuple[str, Lines]]:
        """Write on the first cell what there is once, on each one a slot."""
        number = island.island
        printed = self.printed.islands[number]
        horns = printed.horns + island.prosperity
        worth = f"*{horns if horns <= _MOST_HORNS else '+'}" if horns else ""
        here = f"{island.owner}:{island.troops}" if island.owner != NOBODY else ""
        figurine = _name(self.figurines[number].creature)[:2] if number in self.figurines else ""
        first, *others = zip(printed.cells, _slots(island, printed.slots, printed.covered), strict=True)
        yield first[0], (f"{f'IS{number}':<4}{worth:>2}", f"{here:<3}{first[1]}{figurine}")
        for cell, slot in others:
            yield cell, ("", f"{'':<3}{slot}")

    def _crowded(self) -> Iterator[str]:
        """List the horns for which there was no room."""
        crowded = [
            f"IS{island.island} {horns}"
            for island in self.view.islands
            if (horns := self.printed.islands[island.island].horns + island.prosperity) > _MOST_HORNS
        ]
        if crowded:
            yield from _wrapped(f"*+ is {', '.join(crowded)}.")

    # -- seats -----------------------------------------------------------------------------------------------

    def _seat(self, seat: Seat) -> str:
        return f"seat {seat} (you)" if seat == self.view.seat else f"seat {seat}"

    def _seats(self) -> Iterator[str]:
        widths = [max(len(name), 6) + 1 for name in _COLUMNS]
        yield "seat   " + "".join(f"{name:>{width}}" for name, width in zip(_COLUMNS, widths, strict=True))
        for player in self.view.players:
            name = f"{player.seat} (you)" if player.seat == self.view.seat else f"{player.seat}"
            values = zip(self._values(player), widths, strict=True)
            yield f"{name:<7}" + "".join(f"{value:>{width}}" for value, width in values)

    def _values(self, player: Player) -> tuple[object, ...]:
        least, most = player.least_gold, player.most_gold
        if player.seat == self.view.seat:
            least = most = self.view.own.gold
        isles = [island for island in self.view.islands if island.owner == player.seat]
        metropolises = sum(island.metropolis for island in isles)
        temples = sum(island.buildings[Building.TEMPLE - 1] for island in isles)
        income = sum(island.prosperity + self.printed.islands[island.island].horns for island in isles)
        income += sum(
            self.printed.seas[fleet.sea].trade for fleet in self.view.seas.fleets if fleet.owner == player.seat
        )
        return (
            least if least == most else f"{least}-{most}",
            income,
            player.priests,
            player.philosophers,
            metropolises,
            player.troops,
            player.fleets,
            f"{player.discounts_used}/{temples + metropolises}",
        )

    def _supply(self) -> Iterator[str]:
        supply, owners = self.view.supply, [island.owner for island in self.view.islands]
        isles = " ".join(str(owners.count(player.seat)) for player in self.view.players)
        kinds = (f"{_name(kind)} {count}" for kind, count in zip(BUILDINGS, supply.buildings, strict=True))
        yield from _wrapped(
            f"Islands by seat: {isles}. Troops and fleets: in reserve; discounts: used/owned. "
            f"Supply: {', '.join(kinds)}, Metropolis {supply.metropolises}, prosperity {supply.prosperity}, "
            f"priest {supply.priests}, philosopher {supply.philosophers}."
        )


def _slots(island: Island, slots: int, covered: int) -> str:
    """Return the slots of an island, a letter each; under a new frame buildings stand until they go (C10.8)."""
    built = "".join(letter * count for letter, count in zip(_LETTERS, island.buildings, strict=True))
    over = _METROPOLIS * min(covered, slots - len(built)) if island.metropolis else ""
    return f"{over}{built}".ljust(slots, _FREE)


def _question(step: Due, drawing: _Drawing) -> str:
    what = step.what
    return _ASKED[step.todo].format(
        god=_name(God(what)) if what < len(God) else "",
        lost=f", outbid on {_name(God(what))}" if what and what < len(God) else "",
        building=_name(Building(what)) if what < len(Building) else "",
        creature=_name(Creature(what)),
        sea=drawing.sea(step.place) if step.place < len(drawing.printed.seas) else "",
        island=f"IS{step.place}",
        number=step.number,
    )


def _name(member: God | Building | Creature) -> str:
    return member.name.lower()


def _names(members: Iterable[Creature]) -> str:
    return ", ".join(map(_name, members)) or "-"


def _wrapped(text: str) -> list[str]:
    return wrap(text, WIDTH, subsequent_indent="  ", break_on_hyphens=False)
