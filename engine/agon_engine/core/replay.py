"""Plays records again. Nothing but the deal, the seats' choices and the faults is taken from a record; randomness,
substitutes, charges, strikes and the result are computed anew, by the driver that the referee uses too.

`replay` rebuilds a match, `mismatches` says where a record states something else, `verify` raises it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import zip_longest
from typing import Any

from agon_engine.core.driver import UNRATED, Deal, Table, Timing
from agon_engine.core.errors import RecordError, ReplayMismatchError, RulesBug
from agon_engine.core.game import Game
from agon_engine.core.record import By, Fault, FaultKind, MatchRecord, Move

OnStep = Callable[[Table], None]


def replay(record: MatchRecord, game: Game[Any], on_step: OnStep | None = None) -> Table:
    """Play a record's choices and faults again; return the table as it then stands, with state, events and result.

    `on_step` is called after the set-up and after each choice, strike or fall with what followed from it.
    Raise RecordError for a record of another game or rules version, ReplayMismatchError where a row cannot be
    played, RulesBug where the rules break down though the record does not say so.
    """
    table = Table(game, _deal(record, game), record.policy, record.time)
    if on_step is not None:
        on_step(table)
    try:
        while table.result is None and _step(record, table):
            if on_step is not None:
                on_step(table)
    except RulesBug:
        if record.digest:
            raise
    if table.result is None and record.result.termination in UNRATED:
        table.abandon(record.result.termination, record.result.seats)
    return table


def mismatches(record: MatchRecord, game: Game[Any]) -> list[str]:
    """Return, a line each, where a record states something else than its replay gives; empty: it is true.

    Raise RecordError for a record of another game or rules version.
    """
    deal = _deal(record, game)
    found = []
    if record.commitment != deal.commitment:
        found.append(f"the commitment is {deal.commitment}, not {record.commitment!r}")
    try:
        table = replay(record, game)
    except (ReplayMismatchError, RulesBug) as error:
        return [*found, str(error)]

    found += _different("move", table.moves, record.moves)
    found += _different("fault", table.faults, record.faults)
    if table.result is None:
        found.append(f"after {len(table.moves)} moves the match is not over")
    else:
        for name in ("termination", "placements", "scores", "seats"):
            played, stated = getattr(table.result, name), getattr(record.result, name)
            if played != stated:
                found.append(f"result.{name} is {played!r}, not {stated!r}")
    digest = "" if table.broken else table.state.digest()
    if digest != record.digest:
        found.append(f"the digest of the final state is {digest!r}, not {record.digest!r}")
    return found


def verify(record: MatchRecord, game: Game[Any]) -> None:
    """Raise ReplayMismatchError, with all that differs, unless the record is what its replay gives.

    Raise RecordError for a record of another game or rules version.
    """
    if found := mismatches(record, game):
        raise ReplayMismatchError(f"match {record.match} is not what its record states: {'; '.join(found)}")


def _deal(record: MatchRecord, game: Game[Any]) -> Deal:
    spec = game.spec
    if record.game != spec.name:
        raise RecordError(f"the record is of another game than {spec.name}: {record.game!r}")
    if record.version != spec.version:
        raise RecordError(
            f"the record is of {spec.name} rules version {record.version}, this installation has {spec.version!r}"
        )

    seats = len(record.seats)
    try:
        deal = Deal.of(game, seats, record.options, bytes.fromhex(record.seed))
    except ValueError as error:
        raise RecordError(str(error)) from None
    if deal.options != record.options:
        raise RecordError(f"the record lacks options: {sorted(set(deal.options) - set(record.options))!r}")

    return deal


def _step(record: MatchRecord, table: Table) -> bool:
    """Play the next choice or fault that does not follow from what was played; return False where there is none."""
    faults, moves = len(table.faults), len(table.moves)
    try:
        if faults < len(record.faults) and record.faults[faults].at <= moves:
            _fault(record.faults[faults], table)
        elif moves < len(record.moves):
            _move(record.moves[moves], table)
        else:
            return False
    except (ReplayMismatchError, RulesBug):
        raise
    except ValueError as error:
        raise ReplayMismatchError(f"after {moves} moves: {error}") from None

    return True


def _fault(fault: Fault, table: Table) -> None:
    if fault.at != len(table.moves):
        raise ReplayMismatchError(f"after {len(table.moves)} moves: no fault can be at {fault.at!r}")

    if fault.kind is FaultKind.STRIKE:
        _attempts(fault.attempts, fault.seat, table)
        table.strike(fault.seat, fault.termination, _timing(fault))
    elif not table.fall(fault.seat, fault.termination):
        raise ReplayMismatchError(f"after {len(table.moves)} moves: a seat that is out falls: {fault.seat!r}")


def _move(move: Move, table: Table) -> None:
    if move.by is not By.SEAT:
        raise ReplayMismatchError(f"after {len(table.moves)} moves: a substitute stands in without a fault: {move!r}")

    _attempts(move.attempts - 1, move.seat, table)
    table.choose(move.seat, table.game.notation.parse(move.action), _timing(move))


def _attempts(unusable: int, seat: int, table: Table) -> None:
    if unusable > table.policy.attempts:
        raise ReplayMismatchError(f"after {len(table.moves)} moves: more attempts than {table.policy.attempts!r}")

    for _ in range(unusable):
        table.unusable(seat)


def _timing(row: Move | Fault) -> Timing:
    return Timing(row.elapsed_us, row.host_us, row.latency_us, row.thought_us)


def _different(what: str, played: Sequence[object], stated: Sequence[object]) -> list[str]:
    """Name the first row that differs; those after it follow from it."""
    for number, (one, other) in enumerate(zip_longest(played, stated)):
        if one != other:
            return [f"{what} {number} is {_row(one)}, not {_row(other)}"]

    return []


def _row(row: object) -> str:
    return "missing" if row is None else " ".join(str(item) for item in row) if isinstance(row, tuple) else repr(row)
