"""What each seat of a match has been told, under which numbers. The driver (`core.driver`) feeds it."""

from __future__ import annotations

from collections.abc import Sequence

from agon_engine.core.game import Event, Maker, Seat

Told = tuple[str, Seat | None, Maker]
"""An event as one seat is told of it: its code, the seat it happened to or by, who made it."""


class Logs:
    """One log a seat, and one for spectators (seat None), each in the words that its reader is told."""

    __slots__ = ("_heard", "_told", "events")

    def __init__(self, seats: int) -> None:
        self.events: list[Event] = []
        """All events, with their audiences."""
        # The spectators' is the last.
        self._told: list[list[Told]] = [[] for _ in range(seats + 1)]
        self._heard = [0] * (seats + 1)

    def tell(self, events: Sequence[Event], *, substituted: bool = False) -> None:
        """Put events on the logs of those who are told of them; `substituted`: what a seat did, a substitute did."""
        logs = self._told
        for event in events:
            if substituted and event.maker is Maker.SEAT:
                event = event._replace(maker=Maker.SUBSTITUTE)
            self.events.append(event)
            code, seat, maker, audience, secret = event
            public: Told = (code, seat, maker)
            if not secret:
                if code:
                    for log in logs:
                        log.append(public)
                continue

            private: Told = (secret, seat, maker)
            for index, log in enumerate(logs):
                if index in audience:
                    log.append(private)
                elif code:
                    log.append(public)

    def sequence(self, seat: Seat | None) -> int:
        return len(self._told[-1 if seat is None else seat])

    def news(self, seat: Seat | None) -> list[Told]:
        """Return what the seat has not been told yet."""
        index = -1 if seat is None else seat
        told = self._told[index]
        heard = self._heard[index]
        self._heard[index] = len(told)
        return told[heard:]

    def events_after(self, seat: Seat | None, sequence: int) -> list[Told]:
        """Return what the seat was told after the event with this number, and what is new; all where it has none."""
        index = -1 if seat is None else seat
        told = self._told[index]
        self._heard[index] = len(told)
        return told[sequence:] if 0 <= sequence <= len(told) else told[:]
