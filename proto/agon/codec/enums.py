"""The contract's numbers for the engine's word-like enums, by name, both ways. Int-like ones need no table."""

from __future__ import annotations

from typing import Final

from agon.v1 import match_pb2 as pb
from agon_engine.core.policy import OnFault, Termination
from agon_engine.core.record import Deals

TERMINATION_NUMBERS: Final = {why: pb.Termination.Value(f"TERMINATION_{why.name}") for why in Termination}
ON_FAULT_NUMBERS: Final = {mode: pb.OnFault.Value(f"ON_FAULT_{mode.name}") for mode in OnFault}
DEALS_NUMBERS: Final = {deals: pb.Deals.Value(f"DEALS_{deals.name}") for deals in Deals}

TERMINATIONS: Final[dict[int, Termination]] = {number: why for why, number in TERMINATION_NUMBERS.items()}
ON_FAULTS: Final[dict[int, OnFault]] = {number: mode for mode, number in ON_FAULT_NUMBERS.items()}
DEALS: Final[dict[int, Deals]] = {number: deals for deals, number in DEALS_NUMBERS.items()}
