"""x"""

from __future__ import annotations

from agon_engine.core import Chance
from agon_engine.elysium.state import ElysiumState
from agon_engine.elysium.view import View


def sample_state(cls: type[ElysiumState], cards_hash: str, view: View, chance: Chance) -> ElysiumState:
    raise NotImplementedError
