"""The contract that every game fulfils, and what follows from it for all games: chance, records, replay, policy."""

from agon_engine.core.agenda import Step, run_agenda
from agon_engine.core.chance import SEED_BYTES, Chance
from agon_engine.core.driver import UNTIMED, Deal, Table, Timing, substitute_action
from agon_engine.core.errors import (
    ActionSyntaxError,
    EngineError,
    FileError,
    IllegalActionError,
    MissingFileError,
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
    Maker,
    Notation,
    Outcome,
    Seat,
    State,
    View,
    standard_placements,
)
from agon_engine.core.options import MAX_FILE, GameFile, GameSpec, Option, OptionValue, option_text
from agon_engine.core.policy import RATED_TERMINATIONS, Conduct, FaultPolicy, OnFault, Result, Termination
from agon_engine.core.record import By, Deals, Fault, FaultKind, MatchRecord, Move, SeatRow, commitment
from agon_engine.core.record_file import read_records, write_records
from agon_engine.core.replay import mismatches, replay, verify
from agon_engine.core.rotations import Rotations
from agon_engine.core.telling import Told
from agon_engine.core.timing import MICROSECONDS, Account, TimeControl

__all__ = [
    "MAX_ACTIONS",
    "MAX_FILE",
    "MICROSECONDS",
    "RATED_TERMINATIONS",
    "SEED_BYTES",
    "UNTIMED",
    "Account",
    "Action",
    "ActionSyntaxError",
    "By",
    "Chance",
    "Conduct",
    "Deal",
    "Deals",
    "Decision",
    "EngineError",
    "Event",
    "Fault",
    "FaultKind",
    "FaultPolicy",
    "FileError",
    "Game",
    "GameFile",
    "GameSpec",
    "IllegalActionError",
    "Maker",
    "MatchRecord",
    "MissingFileError",
    "Move",
    "Notation",
    "OnFault",
    "Option",
    "OptionValue",
    "OptionsError",
    "Outcome",
    "RecordError",
    "ReplayMismatchError",
    "Result",
    "Rotations",
    "RulesBug",
    "Seat",
    "SeatRow",
    "State",
    "Step",
    "Table",
    "Termination",
    "TimeControl",
    "Timing",
    "Told",
    "View",
    "commitment",
    "mismatches",
    "option_text",
    "read_records",
    "replay",
    "run_agenda",
    "standard_placements",
    "substitute_action",
    "verify",
    "write_records",
]
