"""The creatures as people read them (C9)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from agon_engine.cyclades.enums import FIRST_FIGURINE, Creature

EFFECTS: Final = {
    Creature.SIREN: (
        "a sea with exactly one enemy fleet: it goes home, one of yours takes its place, "
        "from the reserve or, if that is empty, from another sea"
    ),
    Creature.PEGASUS: "troops of one of your islands go to any other; battle as usual",
    Creature.GIANT: "destroy a building anywhere",
    Creature.CHIMERA: "play a card of the discard pile for nothing; then the pile is shuffled into the deck",
    Creature.CYCLOPS: "replace a building of yours by another type",
    Creature.SPHINX: "sell troops, fleets, priests, philosophers for 2 gold each",
    Creature.SYLPH: "1 to 10 steps of fleets for nothing",
    Creature.HARPY: "remove a troop from any island",
    Creature.GRIFFON: "take half of another player's gold, rounded down",
    Creature.FATES: "your revenue again",
    Creature.SATYR: "steal a philosopher of another player",
    Creature.DRYAD: "steal a priest of another player",
    Creature.KRAKEN: (
        "put it in any sea, then move it for 1 gold a sea: all fleets there die; "
        "it bars its sea until it is played again"
    ),
    Creature.MINOTAUR: "a figurine that defends an island with 2",
    Creature.CHIRON: "a figurine: no Giant, no Harpy, no Pegasus but the owner's",
    Creature.MEDUSA: "a figurine: troops do not leave, but to retreat",
    Creature.POLYPHEMUS: "a figurine: fleets around go, and none may come",
}
"""What each creature does, as the README has it."""


def reference() -> Mapping[str, str]:
    """Return all creatures, by id."""
    return {creature.name.lower(): f"{_head(creature)}\n{effect}" for creature, effect in EFFECTS.items()}


def _head(creature: Creature) -> str:
    kind = "an island figurine" if creature >= FIRST_FIGURINE else "a creature"
    return f"{creature.name.capitalize()} ({creature.name.lower()}): {kind}, 1 in the game"
