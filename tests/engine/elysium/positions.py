"""Elysium positions for tests: laid out by card ids, played by action codes, read back by ids.

`lay_out` makes any position of one card set, with a turn or a step of Phase III about to begin. Nothing here decides
what is right.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Self

from agon_engine.core import Chance, Event
from agon_engine.elysium import GAME, Elysium, ElysiumState, View, play
from agon_engine.elysium.enums import Colour, Family, Phase, Side, Todo
from agon_engine.elysium.layout import AGORA, DISCARD, OF_SEAT, ORACLE, RING, TURNED, Task
from agon_engine.elysium.placing import added
from agon_engine.elysium.tables import GOLD, PP, VP

FILLING = ("zeus", "hades", "hephaestus", "poseidon", "athena", "hermes", "apollo", "ares")


def families_of(*texts: str) -> str:
    """Return five families: those of the cards that are named, and others as in FILLING."""
    named = {word.split("-")[0] for text in texts for word in text.replace(",", " ").split() if "-" in word}
    return ",".join([*sorted(named), *(name for name in FILLING if name not in named)][:5])


def seed(number: int) -> Chance:
    return Chance(number.to_bytes(16, "little"))


class Table:
    """A match with the words of a test."""

    def __init__(self, state: ElysiumState, game: Elysium = GAME) -> None:
        self.state = state
        self.game = game

    # -- playing ---------------------------------------------------------------------------------------------

    def do(self, *codes: str) -> Self:
        """Play action codes one after the other."""
        for code in codes:
            self.state.apply(self.game.notation.parse(code))
        return self

    @property
    def seat(self) -> int | None:
        return None if self.state.decision is None else self.state.decision.seat

    @property
    def prompt(self) -> str:
        return "" if self.state.decision is None else self.state.decision.prompt

    @property
    def codes(self) -> list[str]:
        decision = self.state.decision
        return [] if decision is None else [self.game.notation.code(action) for action in decision.actions]

    def codes_of(self, verb: str) -> list[str]:
        return [code for code in self.codes if code.split()[0] == verb]

    # -- reading ---------------------------------------------------------------------------------------------

    def gold(self, seat: int = 0) -> int:
        return self.state.purses[GOLD][seat]

    def vp(self, seat: int = 0) -> int:
        return self.state.purses[VP][seat]

    def pp(self, seat: int = 0) -> int:
        return self.state.purses[PP][seat]

    def _ids(self, cards: Sequence[int]) -> list[str]:
        tables = self.game.tables
        return ["citizen" if card < 0 else tables.ids[tables.design[card]] for card in cards]

    def domain(self, seat: int = 0) -> list[str]:
        return sorted(self._ids(self.state.domains[seat]))

    def elysium(self, seat: int = 0) -> list[list[str]]:
        return [self._ids(legend.cards) for legend in self.state.elysiums[seat]]

    @property
    def extra(self) -> int:
        """Transfers of seat 0 over what its quest allows."""
        return self.state.extra[0]

    @property
    def agora(self) -> list[str]:
        return self._ids(self.state.rows[AGORA])

    @property
    def oracle(self) -> list[str]:
        return self._ids(self.state.rows[ORACLE])

    @property
    def discard(self) -> list[str]:
        return self._ids(self.state.rows[DISCARD])

    @property
    def deck(self) -> list[str]:
        """The draw pile, the top card first."""
        return self._ids(self.state.deck[::-1])

    def columns(self, seat: int = 0) -> str:
        standing = [colour for colour in Colour if 0 < colour < 5 and self.state.columns[seat] >> (colour - 1) & 1]
        return " ".join(colour.name.lower() for colour in standing)

    def card(self, name: str, seat: int = 0) -> int:
        """Return the card of that id in a Domain."""
        tables = self.game.tables
        return next(card for card in self.state.domains[seat] if card > 0 and tables.ids[tables.design[card]] == name)

    def is_turned(self, name: str, seat: int = 0) -> bool:
        return bool(self.state.marks[self.card(name, seat)] & TURNED)

    def has_ring(self, name: str, seat: int = 0) -> bool:
        return bool(self.state.marks[self.card(name, seat)] & RING)

    def view(self, seat: int | None) -> View:
        return self.state.view(seat)

    def told(self, seat: int | None, since: int = 0) -> list[str]:
        return [told for event in self.state.events_since(since) if (told := event.told_to(seat))]

    def events(self, since: int = 0) -> Sequence[Event]:
        return self.state.events_since(since)

    @property
    def counts(self) -> dict[str, int]:
        return dict(self.state.inventory())


class _Box:
    """The cards of the families in play, taken by id."""

    def __init__(self, game: Elysium, families: Sequence[int]) -> None:
        self.game = game
        self.left = [card for family in families for card in game.tables.by_family[family]]

    def take(self, name: str) -> int:
        tables = self.game.tables
        for card in self.left:
            if tables.ids[tables.design[card]] == name:
                self.left.remove(card)
                return card
        raise AssertionError(f"there is no other {name!r} in play")

    def some(self) -> int:
        """Take any card, for a Citizen."""
        return self.left.pop()


def lay_out(
    seats: int = 2,
    *,
    families: str = "",
    phase: Phase = Phase.ACTIONS,
    on_turn: int = 0,
    order: Sequence[int] | None = None,
    epoch: int = 2,
    in_round: int = 1,
    gold: Mapping[int, int] | int = 0,
    vp: Mapping[int, int] | int = 0,
    pp: Mapping[int, int] | int = 0,
    columns: Mapping[int, str] | None = None,
    domains: Mapping[int, str] | None = None,
    elysiums: Mapping[int, str] | None = None,
    agora: str = "",
    oracle: str = "",
    discard: str = "",
    deck: str | None = None,
    quests: Mapping[int, int] | None = None,
    taken: Mapping[int, int] | None = None,
    incomplete: Sequence[int] = (),
    turned: str = "",
    spent: str = "",
    reserved: Mapping[int, str] | None = None,
    level_tiles: Mapping[int, int] | None = None,
    family_tiles: Mapping[str, int] | None = None,
    side: Side = Side.A,
    chance: int = 0,
    game: Elysium = GAME,
) -> Table:
    """Lay a position out and ask the seat on turn.

    A Domain is ids and `citizen`, an Elysium Legends separated by commas, their cards in the order in which they came.
    The draw pile is named from the top; cards that are not named lie under it, or, where a whole pile is given, have
    left the game. `turned` and `spent` (a Trigger card without its ring) name cards of the seat on turn.
    """
    texts = (*(domains or {}).values(), *(elysiums or {}).values(), agora, oracle, discard, deck or "")
    families = families or families_of(*texts)
    numbers = tuple(sorted(int(Family[name.upper()]) for name in families.split(",")))
    state = game.state_class(seats, numbers, side, game.cards_hash)
    box = _Box(game, numbers)
    state.chance = seed(chance)
    state.epoch, state.round, state.phase = epoch, in_round, phase
    state.order = list(order or range(seats))
    state.place = state.order.index(on_turn)
    for resource, given in ((GOLD, gold), (VP, vp), (PP, pp)):
        for seat in range(seats):
            state.purses[resource][seat] = given if isinstance(given, int) else given.get(seat, 0)
    for seat, names in (columns or {}).items():
        state.columns[seat] = sum(1 << (Colour[name.upper()] - 1) for name in names.split())
    for row, names in ((AGORA, agora), (ORACLE, oracle), (DISCARD, discard)):
        state.rows[row] = [box.take(name) for name in names.split()]
    top = [box.take(name) for name in (deck or "").split()]
    citizens: list[tuple[list[int], int]] = []
    for seat, names in (domains or {}).items():
        _lay_domain(state, box, seat, names, citizens)
    for seat, legends in (elysiums or {}).items():
        for names in legends.split(","):
            _lay_legend(state, box, seat, names.split())
    for domain, index in citizens:
        domain[index] = -box.some()
    if deck is None:
        state.deck = box.left
    else:
        state.gone = box.left
        state.deck = top[::-1]
    for seat, number in (quests or {}).items():
        state.quests[seat] = number
    for seat, count in (taken or {}).items():
        state.taken[seat] = count
    for seat in incomplete:
        state.incomplete[seat] = True
    table = Table(state, game)
    for name in turned.split():
        state.marks[table.card(name, on_turn)] |= TURNED
    for name in spent.split():
        state.marks[table.card(name, on_turn)] &= ~RING
    for seat, name in (reserved or {}).items():
        state.reserved[seat] = state.rows[AGORA][table.agora.index(name)]
    for level, holder in (level_tiles or {}).items():
        state.level_tiles[level] = holder
    for name, holder in (family_tiles or {}).items():
        family, tile = name.split()
        state.family_tiles[2 * Family[family.upper()] + int(tile) - 1] = holder
    flow, ask = (Todo.NEXT_TURN, Todo.TURN) if phase is Phase.ACTIONS else (Todo.NEXT_WRITER, Todo.WRITE)
    state.agenda = [Task(todo, OF_SEAT[on_turn]) for todo in (flow, ask)]
    play.run(state)
    return table


def _lay_domain(state: ElysiumState, box: _Box, seat: int, names: str, citizens: list[tuple[list[int], int]]) -> None:
    domain = state.domains[seat]
    tables = state.tables
    for name in names.split():
        if name == "citizen":
            citizens.append((domain, len(domain)))
            domain.append(0)
            continue
        card = box.take(name)
        domain.append(card)
        if tables.cards.cards[tables.design[card] - 1].activation.name == "TRIGGER":
            state.marks[card] |= RING


def _lay_legend(state: ElysiumState, box: _Box, seat: int, names: Sequence[str]) -> None:
    """Add cards one after the other to a new Legend; `citizen` stands for the missing level or for any family,
    `citizen:2` for that level, `citizen:family` as the second card of a level Legend."""
    actions = state.tables.actions
    place = actions.place[0]
    for name in names:
        kind, _, meant = name.partition(":")
        card = -box.some() if kind == "citizen" else box.take(name)
        number = len(state.elysiums[seat])
        if name != names[0]:
            place = actions.place[number]
            if meant == "family":
                place = actions.place_family[number]
            elif meant:
                place = actions.place_level[number][int(meant)]
        number, legend = added(state, seat, card, place)
        state.elysiums[seat][number - 1 : number] = [legend]


def random_match(seats: int, number: int, families: str = "random") -> Iterator[ElysiumState]:
    """Yield a random match before each decision and at its end: one object that moves on."""
    state = GAME.start(seats, seed(number), {"families": families})
    dice = seed(number).fork("dice")
    yield state
    while state.decision is not None:
        state.apply(dice.choice("action", state.decision.actions))
        yield state
