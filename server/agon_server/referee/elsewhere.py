"""What a bot learns that joins a match which does not run in this process: its Over where it has ended, an Offer where
another process runs it, or that it has to wait."""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING

from agon.codec import down
from agon.codec.frames import Clock, NoticeKind, RejectedCode
from agon_engine.core.record import Deals, MatchRecord
from agon_server.queue.claim import Phase, Running
from agon_server.store.errors import StoreUnavailableError
from agon_server.trace import places

if TYPE_CHECKING:
    from agon.codec.up import Up
    from agon_server.queue.entry import MatchEntry
    from agon_server.queue.queue import Queue
    from agon_server.referee.stream import BotStream
    from agon_server.referee.tickets import Tickets

log = logging.getLogger(__name__)

RECENT = 4_096
"""Overs kept for seats that come back after the end, and matches of which late frames are no offence."""


class Elsewhere:
    """Matches that ended here not long ago, and all that do not run here."""

    def __init__(
        self,
        server: str,
        queue: Queue,
        tickets: Tickets,
        find_record: Callable[[str], Awaitable[MatchRecord | None]],
    ) -> None:
        self._server = server
        self._queue = queue
        self._tickets = tickets
        self._find_record = find_record
        self._overs: OrderedDict[tuple[str, int], tuple[str, bytes]] = OrderedDict()
        self._matches: OrderedDict[str, None] = OrderedDict()

    def remember(self, entry: MatchEntry, pieces: Sequence[bytes]) -> None:
        """Keep the Overs of a match, by seat, for bots that come back for them."""
        for seat, piece in enumerate(pieces):
            self._overs[entry.match, seat] = (entry.seats[seat].bot, piece)
            if len(self._overs) > RECENT:
                self._overs.popitem(last=False)
        self.note(entry.match)

    def note(self, match: str) -> None:
        """Keep in mind that a match has ended here, or was let go."""
        self._matches[match] = None
        if len(self._matches) > RECENT:
            self._matches.popitem(last=False)

    def __contains__(self, match: str) -> bool:
        return match in self._matches

    async def answer(self, stream: BotStream, frame: Up) -> None:
        """Answer a Join whose ticket is right: from what is remembered, or what the store says."""
        recent = self._overs.get((frame.match, frame.seat))
        if recent is not None:
            bot, piece = recent
            if bot == stream.bot.name:
                stream.send(piece)
            else:
                stream.reject(frame, RejectedCode.NO_TICKET, "the seat is another bot's")
            return
        try:
            await self._ask(stream, frame)
        except StoreUnavailableError:
            _send_wait(stream, frame, "the store is away; join again later")
        except Exception as error:
            log.error("a Join of match %s has no answer now:\n%s", frame.match, places(error))
            _send_wait(stream, frame, "the server cannot tell now; join again later")

    async def _ask(self, stream: BotStream, frame: Up) -> None:
        where = await self._queue.whereabouts(frame.match)
        running = await self._running_of(stream, frame) if where.phase is Phase.RUNNING else None
        if running is not None and running.owner != self._server:
            stream.send(
                down.offer(
                    frame.match,
                    frame.seat,
                    running.epoch,
                    ticket=self._tickets.issue(frame.match, frame.seat),
                    address=running.address,
                    game=running.game,
                    seats=running.seats,
                )
            )
        elif where.phase in (Phase.WAITING, Phase.RUNNING):
            _send_wait(stream, frame, "no referee runs the match now; its Offer follows")
        elif where.phase in (Phase.PLAYED, Phase.UNKNOWN):  # unknown: perhaps it has ended long ago
            await self._send_kept_over(stream, frame)
        else:
            stream.reject(frame, RejectedCode.NO_TICKET, f"the match is {where.phase}")

    async def _running_of(self, stream: BotStream, frame: Up) -> Running | None:
        for running in await self._queue.running_of(stream.bot.name, stream.hello.instance):
            if (running.match, running.seat) == (frame.match, frame.seat):
                return running
        return None

    async def _send_kept_over(self, stream: BotStream, frame: Up) -> None:
        """Make the Over of a match that ended elsewhere, or long ago, from its record."""
        record = await self._find_record(frame.match)
        if record is None or frame.seat >= len(record.seats) or record.seats[frame.seat].bot != stream.bot.name:
            stream.reject(
                frame, RejectedCode.NO_TICKET, "no such match runs, and no record of one with this bot is kept"
            )
            return

        open_deal = record.deals is Deals.SHARED and await self._queue.deal_is_open(record.block)
        stream.send(
            down.over(
                record.match,
                frame.seat,
                record.epoch,
                0,
                (),
                record.result,
                rated=record.counts,
                record_hash=record.hash(),
                seed="" if open_deal else record.seed,
                clock=Clock(0, 0),
            )
        )


def _send_wait(stream: BotStream, frame: Up, message: str) -> None:
    stream.send(down.notice(frame.match, frame.seat, kind=NoticeKind.WAIT, message=message))
