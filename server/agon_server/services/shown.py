"""What the outside sees of the store's state: health, metrics."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agon_server.metrics import Metrics
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
