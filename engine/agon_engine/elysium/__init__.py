"""Elysium (2–4 seats): five epochs, a Domain of powers, and the Legends it becomes. See README.md beside this file."""

from agon_engine.elysium import cards
from agon_engine.elysium.game import Elysium, game_with
from agon_engine.elysium.reading import CardSetError, read_set
from agon_engine.elysium.state import ElysiumState
from agon_engine.elysium.view import View

GAME = game_with(cards.HOUSE)

__all__ = ["GAME", "CardSetError", "Elysium", "ElysiumState", "View", "game_with", "read_set"]
