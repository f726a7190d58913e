"""What a referee says to bots that have not joined its matches, and who brings it to them: the lobby, which the
referee knows by this alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from agon.codec import down


@dataclass(frozen=True, slots=True)
class SeatOffer:
    """An Offer on its way to a bot process."""

    bot: str
    instance: str
    match: str
    seat: int
    epoch: int
    ticket: str
    game: str
    seats: int
    address: str = ""
    """Where the referee is; empty: in the process that has the stream."""

    def frame(self) -> bytes:
        return down.offer(
            self.match,
            self.seat,
            self.epoch,
            ticket=self.ticket,
            address=self.address,
            game=self.game,
            seats=self.seats,
        )


class Offers(Protocol):
    """The way to bot processes, connected here or elsewhere."""

    async def offer(self, offer: SeatOffer) -> None:
        """Bring an Offer to the bot process it is for, wherever that is; where it is nowhere do nothing."""

    def send_to(self, bot: str, instance: str, piece: bytes) -> None:
        """Send a frame to a bot process that is connected here; else do nothing."""
