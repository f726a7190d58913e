"""Cyclades (2–5 seats): gods for gold, fleets and troops among islands, Metropolises. See README.md beside this file."""

from agon_engine.cyclades.game import Cyclades
from agon_engine.cyclades.state import CycladesState
from agon_engine.cyclades.view import View

GAME = Cyclades()

__all__ = ["GAME", "Cyclades", "CycladesState", "View"]
