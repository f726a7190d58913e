"""The bot SDK: write a class with `choose`, then `run` it on a server, or play it at home.

    from agon_bots import Bot, run

    class MyBot(Bot):
        games = ["ephyran"]

        def choose(self, turn):
            return turn.random.choice(turn.actions)

    if __name__ == "__main__":
        run(MyBot)

Only what is named here is public; it is re-exported from the private modules of `sdk`.
"""

from agon.address import Address
from agon.codec.frames import Clock, ToldEvent
from agon_bots.sdk.bot import Bot, Choice, Match, MatchResult, Turn
from agon_bots.sdk.client import Client
from agon_bots.sdk.errors import (
    BotError,
    BrokenBotError,
    CeilingError,
    ChoiceError,
    InterruptedRunError,
    LoadError,
    StoppedError,
    SurroundingsError,
    UsageError,
)
from agon_bots.sdk.faults import BotFault
from agon_bots.sdk.loading import load_bot
from agon_bots.sdk.local import LocalMatch, LocalRules, play_match
from agon_bots.sdk.running import play_on_servers, run
from agon_bots.sdk.schedule import PlannedMatch, match_count
from agon_bots.sdk.settings import OnError, Settings
from agon_bots.sdk.summary import BotSummary, FaultCount, Summary
from agon_bots.sdk.workers import MAX_JOBS, LocalPlayers, bot_labels, play_matches

__all__ = [
    "MAX_JOBS",
    "Address",
    "Bot",
    "BotError",
    "BotFault",
    "BotSummary",
    "BrokenBotError",
    "CeilingError",
    "Choice",
    "ChoiceError",
    "Client",
    "Clock",
    "FaultCount",
    "InterruptedRunError",
    "LoadError",
    "LocalMatch",
    "LocalPlayers",
    "LocalRules",
    "Match",
    "MatchResult",
    "OnError",
    "PlannedMatch",
    "Settings",
    "StoppedError",
    "Summary",
    "SurroundingsError",
    "ToldEvent",
    "Turn",
    "UsageError",
    "bot_labels",
    "load_bot",
    "match_count",
    "play_match",
    "play_matches",
    "play_on_servers",
    "run",
]
