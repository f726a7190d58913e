"""The contract that every game fulfils, and what follows from it for all games: chance, records, replay, policy."""

from agon_engine.core.agenda import Step, run_agenda
from agon_engine.core.chance import SEED_BYTES, Chance
from agon_engine.core.errors import (
    ActionSyntaxError,
    EngineError,
    IllegalActionError,
    OptionsError,
    RecordError,
    ReplayMismatchError,
    RulesBug,
)
from agon_engine.core.game import (
    MAX_ACTIONS,
    Action,
    Decision,
    Event,
    Game,
    GameSpec,
    Maker,
    Notation,
    Option,
    OptionValue,
    Outcome,
    Seat,
    State,
    View,
    standard_placements,
)

__all__ = [
    "MAX_ACTIONS",
    "SEED_BYTES",
    "Action",
    "ActionSyntaxError",
    "Chance",
    "Decision",
    "EngineError",
    "Event",
    "Game",
    "GameSpec",
    "IllegalActionError",
    "Maker",
    "Notation",
    "Option",
    "OptionValue",
    "OptionsError",
    "Outcome",
    "RecordError",
    "ReplayMismatchError",
    "RulesBug",
    "Seat",
    "State",
    "Step",
    "View",
    "run_agenda",
    "standard_placements",
]
