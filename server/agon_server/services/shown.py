"""What the outside sees of the store's state: health, metrics, and what was lost with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agon_server.lobby.lobby import Lobby
    from agon_server.metrics import Metrics
    from agon_server.referee.referee import Referee
    from agon_server.services.health import Health
    from agon_server.store.state import Back, StoreState


class Shown:
    """Counts what the store's state becomes, and shows what it is while `run` runs."""

    def __init__(self, state: StoreState, health: Health, metrics: Metrics) -> None:
        self._state = state
        self._health = health
        self._metrics = metrics
        state.listen(self)

    async def run(self) -> None:
        """Show every change, for ever; cancel to end."""
        while True:
            is_here = self._state.is_here
            self._metrics.store_here.set(int(is_here))
            await self._health.show()
            await (self._state.wait_away() if is_here else self._state.wait_here())

    def store_away(self) -> None:
        """Count why."""
        if (away := self._state.away) is not None:
            self._metrics.store_away[away.why].inc()

    async def store_back(self, how: Back) -> None:
        """Count how."""
        self._metrics.store_back[how].inc()


class Lost:
    """Remembers what there was when the store went away, to be said where it comes back empty."""

    def __init__(self, referee: Referee, lobby: Lobby) -> None:
        self._referee = referee
        self._lobby = lobby
        self.matches = 0
        """Matches that ran here."""
        self.bots = 0
        """Bots that were connected here."""

    def store_away(self) -> None:
        """Count them."""
        self.matches = self._referee.running
        self.bots = self._lobby.bots

    async def store_back(self, _how: Back) -> None:
        """Nothing: who says it reads the counts."""
