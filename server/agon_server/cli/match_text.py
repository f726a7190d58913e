"""A match as text, move by move, for people at a terminal: `agon replay show` and the demo. It knows no game.

What a move answers is told where the code alone does not say it, as a question in front: `choose hermes-pan? choose 1`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from textwrap import wrap
from typing import Any

from agon_engine.core.chance import Chance
from agon_engine.core.driver import Table
from agon_engine.core.errors import RecordError
from agon_engine.core.game import Event, Game, State
from agon_engine.core.options import option_text
from agon_engine.core.record import By, MatchRecord, Move
from agon_engine.core.replay import replay

WIDTH = 80
"""Lines of a match that is told are no longer, wherever it is told."""
_INDENT = " " * 10
_STAGE = re.compile(r"([a-z]+) ([0-9]+)")


def told(record: MatchRecord, game: Game[Any], *, boards: bool = False, seat: int | None = None) -> Iterator[str]:
    """Tell a match as text, in pieces: who played what, what happened, how it ended.

    `game` is that of its options. Raise RecordError for a seat that it has not, or for what cannot be replayed here.
    """
    if seat is not None and not 0 <= seat < len(record.seats):
        raise RecordError(f"match {record.match} has seats 0 to {len(record.seats) - 1}, not {seat!r}")

    pieces: list[str] = []
    teller = _Teller(record, game)

    def on_step(table: Table) -> None:
        pieces.extend(teller.step(table))
        if boards:
            pieces.append("\n" + game.render(table.state.view(seat)) + "\n")

    table = replay(record, game, on_step)
    yield _heading(record)
    yield from pieces
    if not boards:
        yield "\n" + game.render(table.state.view(seat))
    yield "\n" + _ending(record)


class _Teller:
    """Tells a match step by step as it is replayed, and knows how much of it has been told."""

    def __init__(self, record: MatchRecord, game: Game[Any]) -> None:
        self._record = record
        self._game = game
        self._width = max(len(_name(record, number)) for number in range(len(record.seats)))
        self._asking: State[Any] | None = None
        """The match as it was when the last move was chosen: substitutes follow each other within one step, so that the
        table's state does not show what each was asked."""
        self._moves: list[Move] = []
        self._faults = 0
        self._events = 0
        self._announced: set[str] = set()
        self._stages: Counter[str] = Counter()

    def step(self, table: Table) -> Iterator[str]:
        """Tell one step: the faults, the moves, and after the last of them what followed."""
        faults, moves = table.faults[self._faults :], table.moves[len(self._moves) :]
        events = table.events[self._events :]
        self._faults, self._events = len(table.faults), len(table.events)
        for fault in faults:
            name = f"{_name(self._record, fault.seat):<{self._width}}"
            yield f"      {name}  {fault.kind.value}: {fault.termination.value}"
        for move in moves:
            question = self._question(table, move)
            self._moves.append(move)
            yield from self._told(move, question, events if move is moves[-1] else ())
        if not moves:
            for event in events:
                yield f"\n{_text(event)}" if self._is_stage(event) else f"      {_happened(event, None)}"
        self._announced.update(_text(event) for event in events)
        self._announced.difference_update(move.action for move in moves)

    def _question(self, table: Table, move: Move) -> str:
        """Return what the move answers, or nothing where its code begins with that, or an event has announced it."""
        if self._asking is None:
            self._asking = self._game.start(len(self._record.seats), Chance(table.deal.seed), table.deal.options)
        else:
            self._asking.apply(self._game.notation.parse(self._moves[-1].action))
        decision = self._asking.decision
        if decision is None or f"{move.action} ".startswith(f"{decision.prompt} "):
            return ""
        return "" if decision.prompt in self._announced else decision.prompt

    def _told(self, move: Move, question: str, events: Iterable[Event]) -> Iterator[str]:
        """Tell a move, and every event after it that says more than the move itself."""
        asked = f"{question}? " if question else ""
        code = asked + move.action + ("" if move.by is By.SEAT else " (substitute)")
        name = f"{_name(self._record, move.seat):<{self._width}}"
        line = f"{len(self._moves):4}  {name}  {move.charge_us / 1e6:7.3f} s  "
        if len(line) + len(code) <= WIDTH:
            line += f"{code:<24}"
        else:
            yield line.rstrip()
            yield from _lines(code, _INDENT)
            line = ""

        followed: list[str] = []
        for event in events:
            if _text(event) == move.action:
                continue
            if not self._is_stage(event):
                followed.append(_happened(event, move.seat))
                continue
            yield from _joined(line, followed)
            yield f"\n{_text(event)}"
            line, followed = "", []
        yield from _joined(line, followed)

    def _is_stage(self, event: Event) -> bool:
        """Whether an event begins a part of the match: no seat's, and a word with a number that counts 1, 2, 3 …"""
        found = _STAGE.fullmatch(event.code)
        if event.seat is not None or not found or int(found[2]) != self._stages[found[1]] + 1:
            return False

        self._stages[found[1]] += 1
        return True


def _joined(line: str, texts: list[str]) -> Iterator[str]:
    """Return texts behind a line, or where they do not fit below it; a line ends within a text only where that is
    longer than a line."""
    whole = "; ".join(texts)
    if line and len(line) + 2 + len(whole) <= WIDTH:
        yield f"{line}  {whole}".rstrip()
        return

    if line:
        yield line.rstrip()
    line = ""
    for at, text in enumerate(texts):
        part = text + (";" if at < len(texts) - 1 else "")
        if line and len(line) + 1 + len(part) > WIDTH:
            yield line
            line = ""
        line = f"{line} {part}" if line else _INDENT + part
        if len(line) > WIDTH:
            *full, line = _lines(line.lstrip(), _INDENT)
            yield from full
    if line:
        yield line


def _lines(text: str, indent: str) -> list[str]:
    """Return text in lines of at most WIDTH; a word that is longer, such as a hash, stays whole."""
    return wrap(
        text,
        WIDTH,
        initial_indent=indent,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _happened(event: Event, mover: int | None) -> str:
    return _text(event) if event.seat in (None, mover) else f"seat {event.seat}: {_text(event)}"


def _text(event: Event) -> str:
    return event.secret or event.code


def _name(record: MatchRecord, seat: int) -> str:
    return f"{seat} {record.seats[seat].bot}"


def _heading(record: MatchRecord) -> str:
    options = ", ".join(f"{name}={option_text(value)}" for name, value in sorted(record.options.items()))
    place = f"ladder {record.ladder}" if record.ladder else "no ladder"
    game = f"{record.game}, rules version {record.version}"
    lines = [
        *_lines(f"match {record.match}: {game}, {len(record.seats)} seats, {place}", ""),
        f"{record.started} to {record.ended}, {len(record.moves)} moves",
    ]
    if options:
        lines += _lines(f"options {options}", "  ")
    for number, row in enumerate(record.seats):
        version = f" {row.bot_version}" if row.bot_version else ""
        lines += _lines(f"seat {number}: {row.bot}{version}, shown to the others as {row.alias}", "  ")
    return "\n".join(lines) + "\n"


def _ending(record: MatchRecord) -> str:
    result = record.result
    lines = [f"over by {result.termination.value}" + ("" if result.rated else ", unrated")]
    order = sorted(range(len(record.seats)), key=lambda seat: (result.placements[seat], seat))
    lines += [
        f"  {result.placements[seat]}. {record.seats[seat].bot} (seat {seat}): {result.scores[seat]} points"
        + ("" if result.seats[seat].value == "score" else f", {result.seats[seat].value}")
        for seat in order
    ]
    return "\n".join(lines) + "\n"
