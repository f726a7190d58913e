"""What bots saw: each writes every frame that matters to a file, before it acts on it; and those files, read again.

A line is written by one call of the system, so that a bot that is killed has left all that it ever acted on.
"""

from __future__ import annotations

import json
import os
import time
import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agon.codec.frames import Choose, Decide, Down, Offer, Over, Start, UpBody

Seat = tuple[str, int]
"""A match and a seat in it."""


class Witness:
    """Writes what one bot process hears and says."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        self._open: dict[Seat, Decide] = {}

    def heard(self, address: str, frame: Down) -> None:
        """Note a frame that came from a server."""
        match, seat, epoch, body = frame
        if isinstance(body, Decide):
            self._open[match, seat] = body
            asked = zlib.crc32("\n".join((body.prompt, *body.actions)).encode())
            self._write("asked", match, seat, epoch, address, body.decision, body.sequence, asked)
        elif isinstance(body, Over):
            self._open.pop((match, seat), None)
            told = [str(body.termination), list(body.placements), body.record_hash]
            self._write("over", match, seat, epoch, address, *told)
        elif isinstance(body, Offer):
            self._write("offered", match, seat, epoch, body.address or address)
        elif isinstance(body, Start):
            self._write("started", match, seat, epoch, address)

    def said(self, address: str, body: UpBody, match: str, seat: int) -> None:
        """Note an answer that is about to be sent."""
        asked = self._open.get((match, seat))
        if isinstance(body, Choose) and asked is not None and asked.decision == body.decision:
            self._write("chose", match, seat, 0, address, body.decision, asked.actions[body.index])

    def _write(self, *values: Any) -> None:
        os.write(self._file, json.dumps([time.time(), *values], separators=(",", ":")).encode() + b"\n")


@dataclass(frozen=True, slots=True)
class Saw:
    """One line of a bot's file."""

    bot: str
    when: float
    """Seconds since 1970, by the machine's clock, which all processes of a run share."""
    what: str
    match: str
    seat: int
    epoch: int
    """0 for what the bot said itself."""
    address: str
    """Of the server."""
    more: tuple[Any, ...] = ()

    @property
    def decision(self) -> int:
        """Of what was asked or chosen."""
        return int(self.more[0])


@dataclass(slots=True)
class Account:
    """All that the bots of a run saw, each one's lines in their order."""

    by_seat: dict[Seat, list[Saw]] = field(default_factory=lambda: defaultdict(list))

    def add(self, saw: Saw) -> None:
        self.by_seat[saw.match, saw.seat].append(saw)

    @property
    def matches(self) -> set[str]:
        """All matches that any bot was offered."""
        return {match for match, _ in self.by_seat}

    def of(self, match: str) -> list[Saw]:
        """Return what all seats of a match saw, in the order of time."""
        seats = [saws for (name, _), saws in self.by_seat.items() if name == match]
        return sorted((saw for saws in seats for saw in saws), key=lambda saw: saw.when)

    def all(self, what: str) -> Iterator[Saw]:
        """Yield everything of one kind."""
        for saws in self.by_seat.values():
            yield from (saw for saw in saws if saw.what == what)


def read(files: Iterable[Path]) -> Account:
    """Read what bots wrote; the bot's name is the file's."""
    testimony = Account()
    for file in sorted(files):
        for line in file.read_text(encoding="utf-8").splitlines():
            when, what, match, seat, epoch, address, *more = json.loads(line)
            testimony.add(Saw(file.stem, when, what, match, seat, epoch, address, tuple(more)))
    return testimony
