"""Ephyran (2–4 seats): four territories, four zones each, and gods who interfere. See README.md beside this file."""

from agon_engine.ephyran.game import Ephyran
from agon_engine.ephyran.scoring import city_score, view_parts
from agon_engine.ephyran.state import EphyranState
from agon_engine.ephyran.view import View

GAME = Ephyran()

__all__ = ["GAME", "Ephyran", "EphyranState", "View", "city_score", "view_parts"]
