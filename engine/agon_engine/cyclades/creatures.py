"""Creatures: which have a legal effect (C9.1), how a card is played, and where it goes then; the Chimera (C9, C9.2)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from agon_engine.core import Seat
from agon_engine.cyclades import cards, havoc, moving, pieces, wealth
from agon_engine.cyclades.enums import FIRST_FIGURINE, Creature, Todo
from agon_engine.cyclades.layout import STALE_CREATURES, STALE_TURN, due
from agon_engine.cyclades.notation import REPLAY, Move

if TYPE_CHECKING:
    from agon_engine.cyclades.state import CycladesState
    from agon_engine.cyclades.view import Due

CREATURE: Final = tuple(Creature)
"""By number."""
_CHIMERA: Final = Creature.CHIMERA
_FATES: Final = Creature.FATES


def has_effect(state: CycladesState, seat: Seat, creature: Creature) -> bool:
    """Tell whether a creature has a legal effect for a seat now (C9.1)."""
    return _HAS_EFFECT[creature](state, seat)


def play_card(state: CycladesState, seat: Seat, creature: Creature) -> None:
    """Begin the effect of a card that is on no pile any more."""
    state.playing.append(creature)
    state.stale |= STALE_TURN
    state.agenda.append(due(Todo.CARD_DONE, seat, what=creature))
    if creature is _FATES:
        wealth.fates(state, seat)
    elif creature >= FIRST_FIGURINE:
        state.agenda.append(due(Todo.FIGURINE, seat, what=creature))
    else:
        state.agenda.append(due(_ASKED[creature], seat))


def card_done(state: CycladesState, step: Due) -> None:
    """Put a card on the discard pile, unless its figurine stands; a Chimera then shuffles the pile into the deck."""
    creature = CREATURE[step.what]
    state.fought = 0
    state.stale |= STALE_TURN
    if creature in state.playing:
        state.playing.remove(creature)
        pieces.discard_card(state, creature)
    if creature is _CHIMERA:
        cards.shuffle_in(state)


# -- the Chimera ---------------------------------------------------------------------------------------------


def _replayable(state: CycladesState, seat: Seat) -> list[Creature]:
    return [creature for creature in state.discard if creature is not _CHIMERA and has_effect(state, seat, creature)]


def _can_replay(state: CycladesState, seat: Seat) -> bool:
    return bool(_replayable(state, seat))


def ask_chimera(state: CycladesState, step: Due) -> None:
    pieces.ask(state, step, "chimera", [REPLAY[creature] for creature in _replayable(state, step.seat)])


def chimera(state: CycladesState, step: Due, move: Move) -> None:
    creature = CREATURE[move.what]
    state.discard.remove(creature)
    state.stale |= STALE_CREATURES
    play_card(state, step.seat, creature)


# -- tables --------------------------------------------------------------------------------------------------


def _always(_: CycladesState, __: Seat) -> bool:
    return True


_EFFECTS: Final[dict[Creature, Callable[[CycladesState, Seat], bool]]] = {
    Creature.SIREN: havoc.can_lure,
    Creature.PEGASUS: moving.can_fly,
    Creature.GIANT: havoc.can_destroy,
    Creature.CHIMERA: _can_replay,
    Creature.CYCLOPS: havoc.can_replace,
    Creature.SPHINX: wealth.can_sell,
    Creature.SYLPH: moving.can_step,
    Creature.HARPY: havoc.can_kill,
    Creature.GRIFFON: wealth.can_rob,
    Creature.FATES: wealth.has_income,
    Creature.SATYR: wealth.can_steal_philosopher,
    Creature.DRYAD: wealth.can_steal_priest,
    Creature.KRAKEN: _always,
    Creature.MINOTAUR: _always,
    Creature.CHIRON: _always,
    Creature.MEDUSA: _always,
    Creature.POLYPHEMUS: _always,
}
_HAS_EFFECT: Final = tuple(_EFFECTS.get(creature, _always) for creature in Creature)

_ASKED: Final[dict[Creature, Todo]] = {
    Creature.SIREN: Todo.SIREN,
    Creature.PEGASUS: Todo.PEGASUS,
    Creature.GIANT: Todo.GIANT,
    Creature.CHIMERA: Todo.CHIMERA,
    Creature.CYCLOPS: Todo.CYCLOPS,
    Creature.SPHINX: Todo.SPHINX,
    Creature.SYLPH: Todo.SYLPH,
    Creature.HARPY: Todo.HARPY,
    Creature.GRIFFON: Todo.GRIFFON,
    Creature.SATYR: Todo.SATYR,
    Creature.DRYAD: Todo.DRYAD,
    Creature.KRAKEN: Todo.KRAKEN,
}
