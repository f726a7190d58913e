"""What a referee says to bots whose streams have not joined: the Offers of its matches' seats, and that a match is over
which nobody could play. Where a bot is connected is the lobby's."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from agon.codec import down
from agon.codec.frames import Clock
from agon_engine.core.policy import Result, Termination
from agon_server.referee.offers import SeatOffer
from agon_server.store.errors import StoreUnavailableError

if TYPE_CHECKING:
    from agon_server.queue.claim import Dead
    from agon_server.referee.match import Match
    from agon_server.referee.offers import Offers
    from agon_server.referee.tickets import Tickets

log = logging.getLogger(__name__)


class Offering:
    """Speaks to bots through the lobby."""

    def __init__(self, lobby: Offers, tickets: Tickets) -> None:
        self._lobby = lobby
        self._tickets = tickets

    async def offer(self, match: Match) -> None:
        """Offer the seats that have no stream; while the store is away that is done later."""
        try:
            await self._offer_missing(match)
        except StoreUnavailableError as error:
            log.debug("the seats of match %s are offered later: %s", match.entry.match, error)

    async def _offer_missing(self, match: Match) -> None:
        entry = match.entry
        for seat in match.missing:
            ticket = self._tickets.issue(entry.match, seat)
            place = entry.seats[seat]
            await self._lobby.offer(
                SeatOffer(
                    place.bot,
                    place.instance,
                    match=entry.match,
                    seat=seat,
                    epoch=match.epoch,
                    ticket=ticket,
                    game=entry.game,
                    seats=len(entry.seats),
                )
            )

    def tell_dead(self, dead: Dead) -> None:
        """Tell the seats of a match that nobody could play that it is over, those whose bots are connected here."""
        if dead.entry is None:
            return

        seats = len(dead.entry.seats)
        why = Termination.INFRASTRUCTURE
        result = Result(why, (1,) * seats, (0,) * seats, (why,) * seats)
        for seat, place in enumerate(dead.entry.seats):
            piece = down.over(
                dead.match, seat, dead.epoch, 0, (), result, rated=False, record_hash="", seed="", clock=Clock(0, 0)
            )
            self._lobby.send_to(place.bot, place.instance, piece)
