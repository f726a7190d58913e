"""Cyclades positions for tests: laid out by the names of islands and seas, played by action codes, read back by names.

`lay_out` makes a god turn in any position, `random_match` plays a match. Nothing here decides what is right.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Self, TypedDict, Unpack

from agon_engine.core import Chance, Event, OptionValue
from agon_engine.cyclades import GAME, CycladesState, pieces, play
from agon_engine.cyclades.board import BOARDS, members
from agon_engine.cyclades.data import DIE
from agon_engine.cyclades.enums import (
    BUILDINGS,
    CREATURES,
    FIRST_FIGURINE,
    SHUFFLED_GODS,
    Creature,
    CreatureStart,
    God,
    OverBuildings,
    Phase,
    TieBreak,
    Todo,
)
from agon_engine.cyclades.layout import KINDS, due, figurine_index

BUILDING = {building.name.lower(): building for building in BUILDINGS}
CREATURE = {creature.name.lower(): creature for creature in Creature}


def seed(number: int) -> Chance:
    return Chance(number.to_bytes(16, "little"))


@cache
def _seed_for(rolls: tuple[int, ...]) -> int:
    number = 0
    while True:
        chance = seed(number)
        if all(DIE[chance.below("dice", len(DIE))] == face for face in rolls):
            return number
        number += 1


def dice(rolls: str) -> Chance:
    """Return the chance of a match whose first dice fall so, attacker and defender by turns: `3 0 2 2`."""
    return seed(_seed_for(tuple(map(int, rolls.split()))))


class Table:
    """A match with the words of a test."""

    def __init__(self, state: CycladesState) -> None:
        self.state = state
        self._told = state.events_count

    def do(self, *codes: str) -> Self:
        """Play action codes one after the other."""
        for code in codes:
            self.state.apply(GAME.notation.parse(code))
        return self

    @property
    def seat(self) -> int | None:
        return None if self.state.decision is None else self.state.decision.seat

    @property
    def prompt(self) -> str:
        return "" if self.state.decision is None else self.state.decision.prompt

    @property
    def codes(self) -> list[str]:
        """The listed actions."""
        decision = self.state.decision
        return [] if decision is None else [GAME.notation.code(action) for action in decision.actions]

    def listed(self, verb: str) -> list[str]:
        """Return what follows a verb in the listed actions."""
        return [code[len(verb) + 1 :] for code in self.codes if code == verb or code.startswith(f"{verb} ")]

    @property
    def events(self) -> list[Event]:
        """What was told since the position was laid out."""
        return list(self.state.events_since(self._told))

    @property
    def told(self) -> list[str]:
        return [event.code if event.seat is None else f"{event.seat}: {event.code}" for event in self.events]

    def isle(self, name: str) -> str:
        """Return an island as it is written for `lay_out`, without its name; empty: it is as nobody has touched it."""
        state, island = self.state, int(name[2:])
        owner = state.island_owner[island]
        words = [] if owner < 0 else [str(owner)]
        if state.troops[island]:
            words.append(f"x{state.troops[island]}")
        for word, building in BUILDING.items():
            words += [word] * state.buildings[island * KINDS + building]
        if state.metropolises >> island & 1:
            words.append("metropolis")
        words += ["horn"] * state.prosperity[island]
        figurine = pieces.figurine_on(state, island)
        if figurine:
            words.append(f"{figurine.name.lower()}:{state.figurine_owner[figurine_index(figurine)]}")
        return " ".join(words)

    def sea(self, name: str) -> str:
        state = self.state
        number = BOARDS[state.seats].sea_names.index(name)
        words = [f"{state.sea_owner[number]} x{state.fleets[number]}"] if state.fleets[number] else []
        if state.kraken == number:
            words.append("kraken")
        return " ".join(words)

    def seas_of(self, seat: int) -> str:
        """Return where the fleets of a seat are."""
        names = BOARDS[self.state.seats].sea_names
        return ", ".join(f"{names[sea]} x{self.state.fleets[sea]}" for sea in members(self.state.waters[seat]))

    def cards(self, pile: str) -> str:
        """Return the names on a pile: `spaces`, `deck`, `discard`, `gone` or `playing`."""
        return " ".join(card.name.lower() for card in getattr(self.state, pile) if card)


class Layout(TypedDict, total=False):
    """The keywords of `lay_out`, for helpers that hand them on."""

    seat: int
    isles: Mapping[str, str]
    seas: Mapping[str, str]
    gold: Mapping[int, int]
    priests: Mapping[int, int]
    philosophers: Mapping[int, int]
    spaces: str
    discard: str
    deck: str
    rolls: str
    later: str
    apollo: str
    cycle: int
    options: Mapping[str, OptionValue]


def lay_out(
    seats: int = 3,
    god: str = "ares",
    *,
    seat: int = 0,
    isles: Mapping[str, str] | None = None,
    seas: Mapping[str, str] | None = None,
    gold: Mapping[int, int] | None = None,
    priests: Mapping[int, int] | None = None,
    philosophers: Mapping[int, int] | None = None,
    spaces: str = "",
    discard: str = "",
    deck: str | None = None,
    rolls: str = "",
    later: str = "",
    apollo: str = "",
    cycle: int = 4,
    options: Mapping[str, OptionValue] | None = None,
) -> Table:
    """Lay a god turn out, after what happens at its beginning, and ask.

    An island is its owner, troops, buildings, a Metropolis, horns that were added, a figurine with its owner: `0 x2
    port fortress metropolis horn minotaur:1`; a sea `0 x2` or `kraken`. `later` are the gods that follow with their
    bidders, `athena:1`; `apollo` seats. Cards that are not named are in the deck, in their order, the first on top.
    """
    table = _empty(seats, options or {})
    state = table.state
    state.cycle = cycle
    state.phase = Phase.ACTIONS
    for name, text in (isles or {}).items():
        _lay_isle(state, int(name[2:]), text)
    for name, text in (seas or {}).items():
        _lay_sea(state, BOARDS[seats].sea_names.index(name), text)
    for owner in range(seats):
        state.purses[owner] = state.ledger[owner] = (gold or {}).get(owner, 20)
        state.priests[owner] = (priests or {}).get(owner, 0)
        state.philosophers[owner] = (philosophers or {}).get(owner, 0)
    state.priests_left -= sum(state.priests)
    state.philosophers_left -= sum(state.philosophers)
    _lay_cards(state, spaces, discard, deck)
    state.chance = dice(rolls)

    if god == "apollo":
        state.apollo = [seat]
    else:
        _bid(state, god, seat)
    for entry in later.split():
        name, _, bidder = entry.partition(":")
        _bid(state, name, int(bidder))
    state.apollo += map(int, apollo.split())
    state.gods_out = [other for other in SHUFFLED_GODS if other not in state.gods]
    state.agenda = [due(Todo.NEXT_TURN)]
    begun = Table(state)
    play.run(state)
    return begun


def _empty(seats: int, options: Mapping[str, OptionValue]) -> Table:
    chosen = GAME.spec.check_options(options)
    return Table(
        CycladesState(
            seats,
            CreatureStart[str(chosen["creature_start"]).upper()],
            int(chosen["two_player_gods"]),
            chosen["attacker_port_bonus"] is True,
            OverBuildings[str(chosen["metropolis_over_buildings"]).upper()],
            TieBreak[str(chosen["tie_break"]).upper()],
            int(chosen["max_cycles"]),
        )
    )


def _bid(state: CycladesState, name: str, seat: int) -> None:
    god = God[name.upper()]
    state.gods.append(god)
    state.bidders[god] = seat
    state.bids[god] = 1


def _lay_isle(state: CycladesState, island: int, text: str) -> None:
    owner, troops = -1, 0
    for word in text.split():
        name, _, holder = word.partition(":")
        if word.isdigit():
            owner = int(word)
        elif word[0] == "x" and word[1:].isdigit():
            troops = int(word[1:])
        elif word in BUILDING:
            pieces.add_building(state, island, BUILDING[word])
        elif word == "metropolis":
            state.metropolises |= 1 << island
            state.metropolises_left -= 1
        elif word == "horn":
            state.prosperity[island] += 1
            state.prosperity_left -= 1
        else:
            index = CREATURE[name] - FIRST_FIGURINE
            state.figurine_island[index] = island
            state.figurine_owner[index] = int(holder)
            state.figurine_cycle[index] = state.cycle
    if owner >= 0:
        pieces.own_island(state, owner, island, troops)
        state.troop_reserve[owner] -= troops


def _lay_sea(state: CycladesState, sea: int, text: str) -> None:
    if text == "kraken":
        state.kraken = sea
        return

    owner, _, fleets = text.partition(" x")
    pieces.add_fleets(state, int(owner), sea, int(fleets))
    state.fleet_reserve[int(owner)] -= int(fleets)


def _lay_cards(state: CycladesState, spaces: str, discard: str, deck: str | None) -> None:
    named = [CREATURE[name] for name in spaces.split() if name != "-"]
    for space, name in enumerate(spaces.split()):
        state.spaces[space] = CREATURE.get(name, Creature.NONE)
    state.discard = [CREATURE[name] for name in discard.split()]
    held = [Creature(FIRST_FIGURINE + index) for index, owner in enumerate(state.figurine_owner) if owner >= 0]
    used = {*named, *state.discard, *held}
    rest = [card for card in CREATURES if card not in used]
    if deck is not None:
        top = [CREATURE[name] for name in deck.split()]
        state.gone = [card for card in rest if card not in top]
        rest = top
    state.deck = rest[::-1]


ISLES: Mapping[str, str] = {"IS5": "0 x1", "IS7": "1 x1", "IS8": "1", "IS2": "2 x1"}
"""Where `buy` is played, if no islands are given."""


def buy(creature: str, *codes: str, **position: Unpack[Layout]) -> Table:
    """Let seat 0 of three buy a creature for 2 in a turn of Athena, and choose."""
    whole: Layout = {"isles": ISLES, **position, "spaces": f"- - {creature}"}
    table = lay_out(3, "athena", **whole)
    return table.do(f"buy {creature}", *codes)


class Dice:
    """A cheap stream of numbers for tests that play at random."""

    def __init__(self, start: int) -> None:
        self._state = start * 2_654_435_761 % 2**32

    def below(self, bound: int) -> int:
        self._state = (self._state * 1_103_515_245 + 12_345) % 2**31
        return (self._state >> 8) % bound


def random_match(seats: int, number: int, *, busy: bool = False, **options: OptionValue) -> Iterator[CycladesState]:
    """Play a match at random and yield its state at each decision and at the end.

    With `busy` the moves that few random matches have are preferred: bids, battles, creatures, buildings.
    """
    choices = Dice(number)
    state = GAME.start(seats, seed(number), options)
    while (decision := state.decision) is not None:
        yield state
        actions = decision.actions
        if busy and choices.below(3):
            actions = tuple(action for action in actions if _is_busy(GAME.notation.code(action))) or actions
        state.apply(actions[choices.below(len(actions))])
    yield state


def _is_busy(code: str) -> bool:
    return code.startswith(("god ares", "god poseidon", "build", "buy", "move IS", "fly", "fight", "recruit"))
