"""Cyclades (2–5 seats): bids for gods, fleets and troops among islands, Metropolises. See README.md beside this."""

from agon_engine.cyclades.game import Cyclades
from agon_engine.cyclades.state import CycladesState
from agon_engine.cyclades.view import View

GAME = Cyclades()

__all__ = ["GAME", "Cyclades", "CycladesState", "View"]
