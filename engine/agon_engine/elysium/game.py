"""The game: its facts and options, how a match of it begins, and the move that stands in for a bot that gives none."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import ClassVar, Final

from agon_engine.core import (
    Action,
    Chance,
    Decision,
    FileError,
    Game,
    GameFile,
    GameSpec,
    Option,
    OptionsError,
    OptionValue,
)
from agon_engine.core.compiled import mypyc_attr
from agon_engine.elysium import epoch, events, play, render, sample
from agon_engine.elysium.card_set import CardSet
from agon_engine.elysium.enums import Family, Side
from agon_engine.elysium.notation import MAX_SEATS, Kind
from agon_engine.elysium.reading import CardSetError, read_set
from agon_engine.elysium.reference import set_reference
from agon_engine.elysium.scoring import MAX_DECISIONS
from agon_engine.elysium.state import ElysiumState
from agon_engine.elysium.tables import GOLD, VP, Tables
from agon_engine.elysium.view import View
from agon_engine.elysium.writing import set_lines, set_text

VERSION: Final = 1
START_GOLD: Final = 4
FAMILIES: Final = 5
FIRST: Final = "athena,hades,hephaestus,poseidon,zeus"

_NAMES: Final = tuple(family.name.lower() for family in Family if family)
CHOICES: Final = tuple(",".join(names) for names in combinations(_NAMES, FAMILIES))


def read_families(value: object) -> str:
    """Return five families as the option is kept, in alphabetical order. Raise OptionsError where they are no such."""
    names = sorted(value.split(",")) if isinstance(value, str) else []
    kept = ",".join(names)
    if kept not in CHOICES:
        known = ", ".join(_NAMES)
        raise OptionsError(
            f"option families is random, first or five different ones of {known}, with commas between, not {value!r}"
        )

    return kept


@mypyc_attr(allow_interpreted_subclasses=True)
class Elysium(Game[View]):
    """Elysium with one card set: `game_with` makes a class for each, as it makes one of the state."""

    cards: ClassVar[CardSet]
    cards_hash: ClassVar[str]
    """What states and their digests say of the set."""
    tables: ClassVar[Tables]
    state_class: ClassVar[type[ElysiumState]]

    spec = GameSpec(
        name="elysium",
        version=VERSION,
        min_seats=2,
        max_seats=MAX_SEATS,
        has_hidden_information=True,
        max_decisions=MAX_DECISIONS,
        options=(
            Option(
                "families",
                default="random",
                allowed=("random", "first"),
                help="the five families: drawn, those for a first match, or five with commas between",
                read=read_families,
                examples=CHOICES,
            ),
            Option(
                "cards",
                default="house",
                allowed=("house",),
                help="the card set: the house set, or a file with another one",
                is_file=True,
            ),
        ),
    )

    def reference(self) -> Mapping[str, str]:
        return set_reference(self.cards)

    def _with_file(self, option: str, text: str) -> Elysium:
        try:
            cards = read_set(text)
        except CardSetError as error:
            raise FileError(option, error.mistakes) from None

        return game_with(cards, {option: GameFile.of(set_text(cards))})

    def _own_file(self, option: str) -> str:
        assert option == "cards"
        return set_lines(self.cards)

    def start(self, seats: int, chance: Chance, options: Mapping[str, OptionValue] | None = None) -> ElysiumState:
        self.spec.check_seats(seats)
        chosen = self.check_options(options or {})
        families = _families(str(chosen["families"]), chance)
        side = chance.choice("side", tuple(Side))
        state = self.state_class(seats, families, side, self.cards_hash)
        state.chance = chance
        _set_up(state)
        play.run(state)
        return state

    def sample(self, view: View, chance: Chance) -> ElysiumState:
        return sample.sample_state(self.state_class, self.cards_hash, view, chance)

    def substitute(self, decision: Decision, chance: Chance) -> Action:
        """Choose a plain move: take something rather than use powers, decline what can be declined, else any."""
        actions = self.tables.actions
        for plain in (actions.skip, actions.end):
            if plain in decision.actions:
                return plain

        takes = [action for action in decision.actions if actions.kind[action] != Kind.POWER]
        return chance.choice("substitute", takes or decision.actions)

    def render(self, view: View) -> str:
        return render.render_view(self.tables, view)


def game_with(cards: CardSet, files: Mapping[str, GameFile] | None = None) -> Elysium:
    """Return the game with a card set; `files` says by which file of which option, for one that is no literal."""
    tables = Tables(cards, play.STEPS)
    notation = tables.actions.notation
    of_both = {"__slots__": (), "tables": tables, "notation": notation}
    state_class = type("ElysiumState", (ElysiumState,), of_both)
    of_game = {
        "cards": cards,
        "cards_hash": GameFile.of(set_text(cards)).hash,
        "files": files or {},
        "state_class": state_class,
    }
    game: Elysium = type("Elysium", (Elysium,), {**of_both, **of_game})()
    return game


def _families(option: str, chance: Chance) -> tuple[int, ...]:
    """Return the five families in play (E2.1), in the order of their numbers."""
    if option == "random":
        option = chance.choice("families", CHOICES)
    names = (FIRST if option == "first" else option).split(",")
    return tuple(int(Family[name.upper()]) for name in names)


def _set_up(state: ElysiumState) -> None:
    """Shuffle, hand out discs, gold and VP, and fill the rows (E2)."""
    names = [Family(family).name.lower() for family in state.families]
    state.tell(events.families(names, state.side.name.lower()))
    state.deck = [card for family in state.families for card in state.tables.by_family[family]]
    state.chance.shuffle("deck", state.deck)
    first = state.chance.below("first", state.seats)
    state.first_seat = first
    state.tell(events.first(first))
    state.order = [(first + disc) % state.seats for disc in range(state.seats)]
    for disc, seat in enumerate(state.order, 1):
        state.purses[GOLD][seat] = START_GOLD
        state.purses[VP][seat] = disc
    epoch.begin_epoch(state)
