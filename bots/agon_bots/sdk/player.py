"""One bot object at its seat: its methods run one at a time, and what it says beside its choices is collected.

A turn that comes while another one is still being thought about waits, and takes the place of one that waited before
it: that one's deadline has fired. An async `choose` that is overtaken so is cancelled; one in a thread cannot be.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Protocol

from agon.codec.frames import ToldEvent
from agon_bots.sdk.bot import Bot, Match, MatchResult, Outbox, Turn
from agon_bots.sdk.thinking import Done, Thinker


class Listener(Protocol):
    """Who is told what the bot has done."""

    def noted(self, player: Player, text: str) -> None:
        """It wrote a line to its log."""

    def ready(self, player: Player, method: str, error: BaseException | None) -> None:
        """It is made and set up, or the method named has failed."""

    def chosen(self, player: Player, turn: Turn, done: Done) -> None:
        """It has answered a turn, or failed to."""

    def left(self, player: Player, error: BaseException | None) -> None:
        """It knows how the match ended; nothing of it runs any more."""


class Player:
    """A bot in one match. What it does is told to the listener, on the loop."""

    def __init__(self, bot_class: type[Bot], match: Match, thinker: Thinker, listener: Listener) -> None:
        self.match = match
        self._bot_class = bot_class
        self._thinker = thinker
        self._listener = listener
        self._busy = False
        self._call_now: object = None
        """Stands for the call that runs; what an earlier one still says counts for nothing."""
        self._task: asyncio.Task[Done] | None = None
        self._waiting: Turn | None = None
        self._news: Callable[[], tuple[ToldEvent, ...]] = tuple
        self._result: MatchResult | None = None
        self._stopped = False
        self._outbox = Outbox()
        self._bot = Bot()
        """One that does nothing, until the bot's own is made."""

    @property
    def has_resigned(self) -> bool:
        return self._outbox.resigned

    @property
    def is_idle(self) -> bool:
        """Tell whether none of its methods runs or waits."""
        return not self._busy and self._result is None

    def start(self) -> None:
        """Make the bot and let it set up. Both may take long, so neither holds up the loop unless the bot is quick."""
        self._call(self._make, None, self._made)

    def _make(self, _: object) -> None:
        bot = self._bot_class()
        bot.match = self.match
        bot._outbox = self._outbox
        self._bot = bot

    def _made(self, done: Done) -> None:
        if done.error is not None:
            self._listener.ready(self, "__init__", done.error)
        else:
            self._call(self._bot.start, self.match, lambda done: self._listener.ready(self, "start", done.error))

    def think(self, turn: Turn, news: Callable[[], tuple[ToldEvent, ...]]) -> None:
        """Let it choose, as soon as it may; `news` then gives the turn's events."""
        self._overtake()
        if self._busy:
            self._waiting = turn
            self._news = news
            return

        turn.events = news()
        self._call(self._bot.choose, turn, lambda done: self._listener.chosen(self, turn, done))

    def forget_turns(self) -> None:
        """Let no turn be answered any more."""
        self._waiting = None

    def over(self, result: MatchResult) -> None:
        """Tell it how the match ended, after the method that runs now."""
        self.forget_turns()
        self._overtake()
        self._result = result
        self._go_on()

    def stop(self) -> None:
        """Be done with it: whatever still runs is told to nobody."""
        self._stopped = True
        self.forget_turns()
        self._result = None
        self._overtake()
        self._busy = False

    # -- one method at a time --------------------------------------------------------------------------------

    def _overtake(self) -> None:
        if self._task is not None:
            # One that does not let itself be cancelled runs on, and nobody hears of it.
            self._call_now = None
            self._task.cancel()
            self._task = None
            self._busy = False

    def _call(self, function: Callable[[Any], Any], argument: object, done: Callable[[Done], None]) -> None:
        self._busy = True
        call = self._call_now = object()

        def finished(result: Done) -> None:
            if self._stopped or self._call_now is not call:
                return

            self._busy = False
            self._task = None
            notes = self._outbox.notes
            while notes:
                self._listener.noted(self, notes.popleft())
            done(result)
            self._go_on()

        task = self._thinker.call(function, argument, finished)
        if task is not None:
            self._task = task

    def _go_on(self) -> None:
        if self._busy:
            return
        if self._result is not None:
            result, self._result = self._result, None
            self._call(self._bot.over, result, lambda done: self._listener.left(self, done.error))
        elif self._waiting is not None:
            turn, self._waiting = self._waiting, None
            self.think(turn, self._news)
