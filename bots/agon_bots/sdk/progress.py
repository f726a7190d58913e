"""How far a seat has come in its match: the events it was told, the decisions it was asked, the answer it gave. Pure.

Both numberings follow from the match alone, so that after a cut or a takeover it can be told what is new.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from agon.codec.errors import CodecError
from agon.codec.frames import Decide, ToldEvent

MAX_UNTOLD = 100_000
"""Events that are kept for a bot that still thinks; no match has as many."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What was answered to a decision, and to what, so that it can be told whether that is asked again."""

    decision: int
    index: int
    took_us: int
    actions: tuple[str, ...]
    view: Any


class Progress:
    """How far a seat has come; the module's docstring says of what."""

    def __init__(self) -> None:
        self.sequence = 0
        """Events told so far."""
        self.decision = 0
        """The decision asked last."""
        self.is_open = False
        """The decision asked last is being thought about, or is answered."""
        self.answer: Answer | None = None
        """The answer to the decision asked last."""
        self._untold: list[ToldEvent] = []

    def hear(self, sequence: int, events: tuple[ToldEvent, ...]) -> None:
        """Keep the events that were not told before; after a cut some may come twice. Raise CodecError for too many."""
        known = self.sequence - (sequence - len(events))
        self._untold.extend(events[max(0, known) :])
        self.sequence = max(self.sequence, sequence)
        if len(self._untold) > MAX_UNTOLD:
            raise CodecError(f"more than {MAX_UNTOLD} events between two turns")

    def news(self) -> tuple[ToldEvent, ...]:
        """Return the events that the bot has not seen yet; it then has."""
        news = tuple(self._untold)
        self._untold.clear()
        return news

    def asks_again(self, decide: Decide) -> bool:
        """Take note of a decision; tell whether it was asked before and is not to be thought about anew."""
        again = decide.decision == self.decision and self.is_open
        if not again:
            self.decision = decide.decision
            self.is_open = True
            self.answer = None
        return again

    def ask_anew(self) -> None:
        """Think anew about the open decision when it is asked again: its answer was refused."""
        self.is_open = False

    def begins_anew(self, decide: Decide, view: Any) -> bool:
        """Tell whether another referee plays the match again from its start, rather than going on where it stood."""
        if decide.decision != self.decision:
            return decide.decision < self.decision

        answer = self.answer
        return decide.sequence != self.sequence or (
            answer is not None and (answer.actions != decide.actions or answer.view != view)
        )
