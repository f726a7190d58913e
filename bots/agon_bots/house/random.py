"""`random`: every listed action with the same chance. The floor that every other bot should be above."""

from __future__ import annotations

from agon_bots.sdk.bot import Bot, Turn


class RandomBot(Bot):
    """Plays all games, with any number of seats; the same again under `--seed`."""

    name = "random"
    version = "1"
    slots = 16
    quick = True

    def choose(self, turn: Turn) -> int:
        return turn.random.randrange(len(turn.actions))
