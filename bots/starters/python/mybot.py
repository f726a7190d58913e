"""My first Agon bot: it builds when it can, else it does something at random."""

from agon_bots import Bot, Turn, run


class MyBot(Bot):
    """Write `choose`; everything else is optional."""

    games = ("ephyran",)
    version = "1"

    def choose(self, turn: Turn) -> str:
        """Return one of `turn.actions`; `turn.view` holds everything that may be known."""
        for action in turn.actions:
            if action.startswith("build"):
                return action
        return turn.random.choice(turn.actions)


if __name__ == "__main__":
    run(MyBot)
