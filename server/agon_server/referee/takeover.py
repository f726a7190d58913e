"""A match that was played elsewhere is led to where its journal ends: through the same table, without a word to
anybody. What its seats were asked and have answered is as it was; clocks and streams are the match's, which goes on."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from agon_engine.core.errors import RulesBug
from agon_server.referee.entries import Entry, JournalError, JournalReader, Kind, Opening
from agon_server.referee.seat import SUBSTITUTED

if TYPE_CHECKING:
    from agon_server.referee.match import Match

_AT_ONCE = 50
"""Entries that are replayed in one turn of the loop: a few milliseconds."""


async def take_over(match: Match, journal: Sequence[bytes]) -> Opening | None:
    """Replay a journal in a match that has just been set up; return what it says of the match's beginning (None: it
    ended before it began). Raise JournalError for a journal that cannot be followed."""
    entry = match.entry
    reader = JournalReader(entry.match, match.table.game.notation, len(entry.seats))
    replay = _Replay(match)
    for number, raw in enumerate(journal, 1):
        read, line = reader.read(raw)
        if reader.opening is not None and reader.opening.version != entry.version:
            raise JournalError(f"the journal is of rules version {reader.opening.version}, not {entry.version}")
        replay.take(read)
        match.lines.append(line)
        if number % _AT_ONCE == 0:
            await asyncio.sleep(0)
    return reader.opening


class _Replay:
    def __init__(self, match: Match) -> None:
        self._table = match.table
        self._seats = match.seats
        self._answerable: int | None = None
        """Whose open decision could still be answered when the match ended."""

    def take(self, entry: Entry) -> None:
        """Take an entry that is stored. Raise JournalError where it cannot follow those before it."""
        if entry.kind is Kind.BEGIN:
            return

        table, seat = self._table, entry.seat
        is_answer = entry.kind in (Kind.CHOICE, Kind.STRIKE)
        decision = table.decision
        if decision is None:
            # What was accepted before it was known that the match had ended: falls, and an answer to the decision that
            # was open then.
            if is_answer and seat != self._answerable:
                raise JournalError(f"entry {entry.number} comes after the end of the match")
            if is_answer:
                self._answerable = None
            return

        asked = decision.seat
        self._answerable = None if is_answer or seat == asked else asked
        try:
            if is_answer and seat != asked:
                raise ValueError("the seat is not asked")
            if is_answer:
                self._count_unusable(entry)
            if entry.kind is Kind.CHOICE:
                self._seats[seat].answers.append(decision.actions.index(entry.action))
                table.choose(seat, entry.action, entry.timing)
            else:
                if seat == asked:
                    self._seats[seat].answers.append(SUBSTITUTED)
                self._take_fault(entry)
        except RulesBug:
            return  # the table has ended the match, as it did when the entry was followed first
        except ValueError:
            raise JournalError(f"entry {entry.number} cannot follow those before it") from None

    def _take_fault(self, entry: Entry) -> None:
        assert entry.why is not None
        if entry.kind is Kind.STRIKE:
            self._table.strike(entry.seat, entry.why, entry.timing)
        elif entry.kind is Kind.FALL:
            self._table.fall(entry.seat, entry.why)
        else:
            self._table.abandon(entry.why, entry.seats)

    def _count_unusable(self, entry: Entry) -> None:
        conduct = self._table.conduct
        if not 0 <= entry.unusable <= conduct.policy.attempts:
            raise ValueError("more attempts than the policy has")
        while conduct.attempts_used < entry.unusable:
            self._table.unusable(entry.seat)
