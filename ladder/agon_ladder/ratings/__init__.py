"""Rating systems: each turns ratings and placements into new ratings; a new one is a module and a line here."""

from __future__ import annotations

from agon_ladder.errors import UnknownSystemError
from agon_ladder.ratings.elo import Elo
from agon_ladder.ratings.system import POINT, Rating, RatingSystem

__all__ = ["DEFAULT_SYSTEM", "POINT", "Elo", "Rating", "RatingSystem", "get_system", "system_names"]

_SYSTEMS: dict[str, RatingSystem] = {system.name: system for system in (Elo(),)}

DEFAULT_SYSTEM = Elo.name


def system_names() -> tuple[str, ...]:
    """Return the names of all rating systems, in alphabetical order."""
    return tuple(sorted(_SYSTEMS))


def get_system(name: str) -> RatingSystem:
    """Return a rating system by its name. Raise UnknownSystemError when there is none; the message lists all."""
    try:
        return _SYSTEMS[name]
    except KeyError:
        raise UnknownSystemError(f"rating systems are {', '.join(system_names())}, not {name!r}") from None
