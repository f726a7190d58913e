"""Rating systems: each turns ratings and placements into new ratings; a new one is a module and a line here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Final

from agon_ladder.errors import UnknownSystemError
from agon_ladder.ratings.elo import Elo
from agon_ladder.ratings.system import POINT, Estimate, Rating, RatingSystem
from agon_ladder.ratings.weng_lin import WengLin

__all__ = [
    "DEFAULT_SYSTEM",
    "POINT",
    "Elo",
    "Estimate",
    "Rating",
    "RatingSystem",
    "WengLin",
    "get_system",
    "system_names",
]

_SYSTEMS: Final[Mapping[str, Callable[[], RatingSystem]]] = {Elo.name: Elo, WengLin.name: WengLin}

DEFAULT_SYSTEM = Elo.name


def system_names() -> tuple[str, ...]:
    """Return the names of all rating systems, in alphabetical order, also of those whose library is not installed."""
    return tuple(sorted(_SYSTEMS))


@cache
def get_system(name: str) -> RatingSystem:
    """Return a rating system by its name.

    Raise UnknownSystemError when there is none (the message lists all), MissingLibraryError when it needs a library
    that is not installed.
    """
    try:
        make = _SYSTEMS[name]
    except KeyError:
        raise UnknownSystemError(f"rating systems are {', '.join(system_names())}, not {name!r}") from None

    return make()
