"""What local play and its worker processes say to each other: one line of JSON a message, and the board, a shared word
on which a worker leaves which seat thinks, since when.
"""

from __future__ import annotations

import json
import struct
from dataclasses import asdict
from mmap import mmap
from time import monotonic_ns
from typing import Any, Final

from agon_bots.sdk.faults import BotFault
from agon_bots.sdk.local import LocalMatch, LocalRules
from agon_bots.sdk.schedule import PlannedMatch
from agon_bots.sdk.settings import OnError
from agon_engine.core import Seat
from agon_engine.core.policy import FaultPolicy
from agon_engine.core.record import Deals, MatchRecord
from agon_engine.core.timing import TimeControl

_BOARD: Final = struct.Struct("@Q")
BOARD_BYTES: Final = _BOARD.size


def mark_board(board: mmap, seat: Seat | None) -> None:
    """Leave on the board which seat thinks from now on; None: none does."""
    # Seat and time in one aligned word, which the other process can never see half written.
    _BOARD.pack_into(board, 0, monotonic_ns() // 1_000 << 8 | (0 if seat is None else seat + 1))


def read_board(board: mmap) -> tuple[Seat | None, float]:
    """Return which seat thinks, None where none does, and for how many seconds."""
    (word,) = _BOARD.unpack_from(board, 0)
    since, seat = word >> 8, word & 0xFF
    return (seat - 1 if seat else None), (monotonic_ns() // 1_000 - since) / 1e6


def encode(message: dict[str, Any]) -> bytes:
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"


def decode(line: bytes) -> dict[str, Any]:
    """Read what `encode` wrote. Raise ValueError for anything else."""
    message = json.loads(line)
    if not isinstance(message, dict):
        raise ValueError(f"a message is an object, not {type(message).__name__}")

    return message


def rules_to_json(rules: LocalRules) -> dict[str, Any]:
    assert rules.policy is not None
    return {
        "game": rules.game,
        "seats": rules.seats,
        "options": dict(rules.options),
        "files": dict(rules.files),
        "time": rules.time.to_json(),
        "policy": rules.policy.to_json(),
        "on_error": rules.on_error,
        "ceiling": rules.ceiling,
        "seed": rules.seed,
        "ladder": rules.ladder,
    }


def rules_from_json(data: dict[str, Any]) -> LocalRules:
    return LocalRules(
        **{
            **data,
            "time": TimeControl.from_json(data["time"]),
            "policy": FaultPolicy.from_json(data["policy"]),
            "on_error": OnError(data["on_error"]),
        }
    )


def plan_to_json(plan: PlannedMatch) -> dict[str, Any]:
    return asdict(plan)


def plan_from_json(data: dict[str, Any]) -> PlannedMatch:
    return PlannedMatch(**{**data, "bots": tuple(data["bots"]), "deals": Deals(data["deals"])})


def match_to_json(match: LocalMatch) -> dict[str, Any]:
    assert match.record is not None
    return {
        "record": match.record.to_line(),
        "faults": [[seat, fault.line, fault.traceback, fault.kind] for seat, fault in match.faults],
        "notes": [list(note) for note in match.notes],
    }


def match_from_json(plan: PlannedMatch, data: dict[str, Any]) -> LocalMatch:
    """Read a match that a worker played. Raise RecordError, KeyError or ValueError for what is none."""
    record = MatchRecord.from_line(data["record"])
    faults = tuple((seat, BotFault(*fault)) for seat, *fault in data["faults"])
    return LocalMatch(plan, record.result, record, faults, tuple((seat, text) for seat, text in data["notes"]))
