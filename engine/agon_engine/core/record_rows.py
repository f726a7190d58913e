"""The moves and faults of a record: their values, their checks, and how a line has them.

A line has the moves by columns, since like values compress well beside each other, and what is nearly always the same
only where it is not. All by the move's number, from 0:

    seats, actions           one value a move
    charge_us, host_us       one value a move, exact: the clocks' formula starts from them
    latency_ms, thought_ms   one value a move, in whole milliseconds: they are told, and charge nobody
    elapsed_us               [number, value] of those moves where it is not charge and host together
    substitutes, late        the numbers of those moves
    attempts                 [number, value] of those moves that did not take one answer (a substitute's: none)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Any, Final, NamedTuple

from agon_engine.core.errors import RecordError
from agon_engine.core.game import Seat
from agon_engine.core.policy import Termination
from agon_engine.core.record_values import check_int, check_ints, check_texts, to_enum, to_object, to_row, typed


class By(StrEnum):
    """Who answered a decision."""

    SEAT = "seat"
    SUBSTITUTE = "substitute"


class FaultKind(StrEnum):
    STRIKE = "strike"
    FALL = "fall"


class Move(NamedTuple):
    """An answered decision. Times are in microseconds; a substitute's are 0, since its seat's time is in the strike."""

    seat: Seat
    action: str
    by: By
    charge_us: int = 0
    elapsed_us: int = 0
    """From asked to read, the host's part included."""
    host_us: int = 0
    latency_us: int = 0
    """The round trip as last measured, in whole milliseconds."""
    thought_us: int = 0
    """What the bot said it thought, in whole milliseconds."""
    late: bool = False
    attempts: int = 0
    """Answers that it took, the usable one included."""


class Fault(NamedTuple):
    """A strike or a fall. Times are in microseconds; a fall's are 0."""

    at: int
    """How many moves there were before it."""
    seat: Seat
    kind: FaultKind
    termination: Termination
    """Why: for a strike `timeout` or `illegal`."""
    charge_us: int = 0
    elapsed_us: int = 0
    host_us: int = 0
    latency_us: int = 0
    thought_us: int = 0
    late: bool = False
    attempts: int = 0
    """Unusable answers to the decision."""


_TIMES: Final = ("charge_us", "elapsed_us", "host_us", "latency_us", "thought_us", "attempts")
_WHOLE: Final = ("seats", "actions", "charge_us", "host_us", "latency_ms", "thought_ms")
"""The columns with a value for each move, in their order."""
_SPARSE: Final = ("elapsed_us", "substitutes", "late", "attempts")
_USUAL: Final = {By.SEAT: 1, By.SUBSTITUTE: 0}
"""Answers that a move takes."""


# -- checks --------------------------------------------------------------------------------------------------


def check_moves(moves: Sequence[Move], seats: int) -> None:
    """Raise RecordError for a move that none can be."""
    if not moves:
        return

    # By columns, since records are made while matches run.
    seat, actions, _, *times, late, attempts = zip(*moves, strict=True)
    check_texts("a move's action", actions, 1)
    _check_columns(seats, seat, times, late, attempts)
    for name, told in (("latency_us", times[3]), ("thought_us", times[4])):
        if wrong := [value for value in told if value % 1000]:
            raise RecordError(f"{name} of a move is whole milliseconds, not {wrong[0]!r}")


def check_faults(faults: Sequence[Fault], seats: int, moves: int) -> None:
    """Raise RecordError for a fault that none can be, or one that is not in its order among so many moves."""
    if not faults:
        return

    places, seat, _, _, *times, late, attempts = zip(*faults, strict=True)
    at = 0
    for place in places:
        check_int("a fault's place", place, 0)
        if not at <= place <= moves:
            raise RecordError(f"faults are in order, and within the {moves} moves: {place!r}")
        at = place
    _check_columns(seats, seat, times, late, attempts)


def _check_columns(
    seats: int, seat: Sequence[Any], times: Sequence[Sequence[Any]], late: Sequence[Any], attempts: Sequence[Any]
) -> None:
    if set(map(type, seat)) != {int} or not 0 <= min(seat) <= max(seat) < seats:
        wrong = next(value for value in seat if type(value) is not int or not 0 <= value < seats)
        raise RecordError(f"a seat is 0 to {seats - 1}, not {wrong!r}")
    if set(map(type, late)) != {bool}:
        wrong = next(value for value in late if type(value) is not bool)
        raise RecordError(f"late is true or false, not {wrong!r}")
    for name, values in zip(_TIMES, (*times, attempts), strict=True):
        check_ints(name, values, 0)


# -- the line's form -----------------------------------------------------------------------------------------


def moves_to_json(moves: Sequence[Move]) -> dict[str, Any]:
    """Return the moves as values of JSON, by columns."""
    columns: Any = zip(*moves, strict=True) if moves else ((),) * len(Move._fields)
    seats, actions, by, charge, elapsed, host, latency, thought, late, attempts = columns
    usual = by.count(By.SEAT) == len(by) == attempts.count(1)
    return {
        "seats": seats,
        "actions": actions,
        "charge_us": charge,
        "host_us": host,
        "latency_ms": [value // 1000 for value in latency],
        "thought_ms": [value // 1000 for value in thought],
        "elapsed_us": [
            (at, value)
            for at, (value, charged, hosted) in enumerate(zip(elapsed, charge, host, strict=True))
            if value != charged + hosted
        ],
        "substitutes": [] if usual else [at for at, who in enumerate(by) if who is By.SUBSTITUTE],
        "late": [at for at, is_late in enumerate(late) if is_late] if True in late else [],
        "attempts": []
        if usual
        else [(at, move.attempts) for at, move in enumerate(moves) if move.attempts != _USUAL[move.by]],
    }


def moves_from_json(data: Any) -> tuple[Move, ...]:
    """Read what `moves_to_json` gave. Raise RecordError for anything else, as far as the checks above do not."""
    columns = {
        name: typed(f"moves.{name}", column, list)
        for name, column in to_object("moves", data, (*_WHOLE, *_SPARSE)).items()
    }
    count = len(columns["seats"])
    for name in _WHOLE:
        if len(columns[name]) != count:
            raise RecordError(f"moves.{name} has one value a move, that is {count}, not {len(columns[name])!r}")
    for name in ("charge_us", "host_us", "latency_ms", "thought_ms"):
        check_ints(f"moves.{name}", columns[name], 0)
    for name in ("substitutes", "late"):
        check_ints(f"moves.{name}", columns[name], 0)
    elapsed, attempts = (_pairs(name, columns[name]) for name in ("elapsed_us", "attempts"))
    substitutes, late = set(columns["substitutes"]), set(columns["late"])
    moves = []
    for at, (seat, action, charge, host, latency, thought) in enumerate(zip(*map(columns.get, _WHOLE), strict=True)):
        by = By.SUBSTITUTE if at in substitutes else By.SEAT
        moves.append(
            Move(
                seat,
                action,
                by,
                charge,
                elapsed.get(at, charge + host),
                host,
                latency * 1000,
                thought * 1000,
                at in late,
                attempts.get(at, _USUAL[by]),
            )
        )
    return tuple(moves)


def _pairs(name: str, data: Iterable[Any]) -> dict[int, Any]:
    rows = [to_row(f"a value of moves.{name}", row, ("number", "value")) for row in data]
    check_ints(f"a number in moves.{name}", [row[0] for row in rows], 0)
    return dict(rows)


def faults_from_json(data: Any) -> tuple[Fault, ...]:
    """Read faults, which a line has as rows. Raise RecordError for anything else, as far as the checks do not."""
    rows = [to_row("a fault", row, Fault._fields) for row in typed("faults", data, list)]
    return tuple(
        Fault(row[0], row[1], to_enum("kind", FaultKind, row[2]), to_enum("termination", Termination, row[3]), *row[4:])
        for row in rows
    )
