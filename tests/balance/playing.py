"""Self-play: who sits where, and what is kept of each match. A match depends on the seed and its number alone, so the
number of processes changes nothing.
"""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from enum import StrEnum
from multiprocessing import resource_tracker
from multiprocessing.pool import Pool
from typing import Any, Final

from tests.balance.accounts import Draw, Ledger, MatchAccount, SeatAccount
from tests.balance.elysium import ElysiumLedger

from agon_bots.house.greedy import heuristic
from agon_engine.core import Action, Chance, Decision, Game, OptionValue, Seat, State
from agon_engine.core.chance import SEED_BYTES
from agon_engine.registry import get_game

LEDGERS: Final[Mapping[str, Callable[[Any, int], Ledger]]] = {"elysium": ElysiumLedger}
"""By game: makes the ledger of a game and seat count."""
DRAWN: Final = 2
"""A drafting seat draws one take of so many."""
ENDING: Final = (signal.SIGINT, signal.SIGTERM)
"""Signals that end a run."""
CHUNK: Final = 4
"""Matches that a process takes at a time."""


class Player(StrEnum):
    """Who plays a seat."""

    GREEDY = "greedy"
    """The house bot."""
    DRAFTING = "drafting"
    """The same, but half of its takes are drawn from those that are listed: what follows from a take that was drawn
    can be told from what went before it."""
    RANDOM = "random"


class Lineup(StrEnum):
    """Who plays a match."""

    GREEDY = "greedy"
    DRAFTING = "drafting"
    MIXED = "mixed"
    """Each seat greedy or random."""


LINEUPS: Final = (*3 * (Lineup.DRAFTING,), Lineup.GREEDY, *3 * (Lineup.DRAFTING,), Lineup.MIXED)
"""By the number of the match, over and over."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is played: all that a process has to be told."""

    game: str
    seats: int
    seed: int
    options: tuple[tuple[str, OptionValue], ...] = ()
    files: tuple[tuple[str, str], ...] = ()
    """Options that are files, with their text."""


class Playing:
    """Plays the matches of a plan in this process."""

    def __init__(self, plan: Plan) -> None:
        """Load what is named. Raise OptionsError for options that the game does not have."""
        game: Game[Any] = get_game(plan.game)
        for option, text in plan.files:
            game = game.with_file(option, text)
        self.game = game
        self.options = game.check_options(dict(plan.options))
        self.plan = replace(plan, options=tuple(self.options.items()))
        """With every option of the game; that of a file is its hash."""
        self.rate = heuristic(plan.game)
        self.ledger = LEDGERS[plan.game](self.game, plan.seats)

    def match(self, number: int) -> MatchAccount:
        """Play a match."""
        seats = self.plan.seats
        secret = self.plan.seed.to_bytes(SEED_BYTES, "little")
        chance = Chance(secret).fork(f"{self.plan.game} {seats} {number}")
        dice = chance.fork("players")
        lineup = LINEUPS[number % len(LINEUPS)]
        players = [_player(lineup, dice) for _ in range(seats)]
        draws: list[list[Draw]] = [[] for _ in players]
        state = self.game.start(seats, chance.fork("deal"), self.options)
        while (decision := state.decision) is not None:
            seat = decision.seat
            if players[seat] is Player.RANDOM:
                action = dice.choice("random", decision.actions)
            else:
                action = self._best(state, decision, dice)
                if players[seat] is Player.DRAFTING:
                    action = self._drafted(decision, action, draws[seat], dice)
            state.apply(action)
        return self._account(number, lineup, state, players, draws)

    def _best(self, state: State[Any], decision: Decision, dice: Chance) -> Action:
        if len(decision.actions) == 1:
            return decision.actions[0]

        codes = [self.game.notation.code(action) for action in decision.actions]
        worth = self.rate(self.game, state.view(decision.seat), codes)
        best = max(worth)
        among = [action for action, value in zip(decision.actions, worth, strict=True) if value == best]
        return among[0] if len(among) == 1 else dice.choice("tie", among)

    def _drafted(self, decision: Decision, action: Action, draws: list[Draw], dice: Chance) -> Action:
        """Return the take instead of which another may have been drawn, and note the draw."""
        takes = self.ledger.takes(decision)
        if len(takes) < 2 or action not in [take for take, _ in takes] or dice.below("draw", DRAWN):
            return action

        drawn, item = dice.choice("take", takes)
        draws.append(Draw(tuple(number for _, number in takes), item))
        return drawn

    def _account(
        self, number: int, lineup: Lineup, state: State[Any], players: list[Player], draws: list[list[Draw]]
    ) -> MatchAccount:
        outcome = state.outcome()
        assert outcome is not None
        scores = outcome.scores

        def seat_account(seat: Seat) -> SeatAccount:
            taken, used, transferred = self.ledger.done(state, seat)
            others = [score for other, score in enumerate(scores) if other != seat]
            return SeatAccount(
                player=players[seat],
                start=self.ledger.start(state, seat),
                score=scores[seat],
                placement=outcome.placements[seat],
                lead=scores[seat] - sum(others) / len(others),
                taken=taken,
                used=used,
                transferred=transferred,
                draws=tuple(draws[seat]),
                facts=(*self.ledger.facts_of(state, seat), *(points for _, points in outcome.parts[seat])),
            )

        accounts = tuple(seat_account(seat) for seat in range(len(scores)))
        return MatchAccount(number, lineup, self.ledger.offered(state), accounts)

    def fact_names(self) -> tuple[str, ...]:
        """Return the names of what an account's `facts` are."""
        state = self.game.start(self.plan.seats, Chance(bytes(SEED_BYTES)), self.options)
        return (*self.ledger.facts, *(f"points: {name}" for name, _ in state.standing().parts[0]))


def _player(lineup: Lineup, dice: Chance) -> Player:
    if lineup is Lineup.MIXED:
        return dice.choice("player", (Player.GREEDY, Player.RANDOM))
    return Player.GREEDY if lineup is Lineup.GREEDY else Player.DRAFTING


# -- processes -----------------------------------------------------------------------------------------------------

_playing: Playing
"""In a process that plays: what it plays."""


def _begin(plan: Plan) -> None:
    global _playing
    _playing = Playing(plan)


def _one(number: int) -> MatchAccount:
    return _playing.match(number)


def played(plan: Plan, matches: int, processes: int) -> Generator[MatchAccount, None, None]:
    """Play the matches of a plan, in processes of their own where there are several; yield them in their order.

    An iterator that is closed ends its processes. Ctrl-C reaches this process only.
    """
    if processes == 1:
        yield from map(Playing(plan).match, range(matches))
        return

    resource_tracker.ensure_running()  # it would unblock SIGINT where it starts
    with ExitStack() as ending:
        with _held_back():
            pool = multiprocessing.get_context("spawn").Pool(processes, _begin, (plan,))
            ending.callback(_end, pool)
        yield from pool.imap(_one, range(matches), CHUNK)


def _end(pool: Pool) -> None:
    with _held_back():
        pool.terminate()
        pool.join()


@contextmanager
def _held_back() -> Iterator[None]:
    """Raise KeyboardInterrupt for what came of Ctrl-C and SIGTERM at the end only.

    SIGINT is blocked besides: processes that are started inherit that, from their first moment on, and so do the pool's
    threads, which replace processes. It would not do alone, since threads of libraries do not block it.
    """
    came: list[int] = []
    before = {number: signal.signal(number, lambda got, _: came.append(got)) for number in ENDING}
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        for number, handler in before.items():
            signal.signal(number, handler)
    if came:
        raise KeyboardInterrupt
