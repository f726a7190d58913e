"""Local play: bots and engine in one process, no server. Judged by the referee's own driver and fault policy; time is
measured and shown to the bots, and enforced only by a ceiling, far above any time control.
"""

from __future__ import annotations

import asyncio
import inspect
import random
import secrets
import signal
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from time import perf_counter_ns
from types import FrameType, TracebackType
from typing import Any, Self

from agon.codec.frames import Clock, ToldEvent
from agon_bots.sdk.bot import Bot, Match, MatchResult, Outbox, Turn, bot_name
from agon_bots.sdk.errors import CeilingError, UsageError
from agon_bots.sdk.faults import BotFault, describe
from agon_bots.sdk.loading import check_bot
from agon_bots.sdk.schedule import PlannedMatch, plan_matches
from agon_bots.sdk.settings import OnError
from agon_bots.sdk.thinking import Done, Interruption, answer, call_async, call_here
from agon_engine.core import Deal, Game, OptionsError, OptionValue, Seat, Table, Timing
from agon_engine.core.policy import FaultPolicy, Result, Termination
from agon_engine.core.record import Deals, MatchRecord, SeatRow
from agon_engine.core.timing import TimeControl
from agon_engine.registry import get_game

CEILING = 60.0
"""Seconds that a method of a bot may take in local play, unless it is set otherwise."""


@dataclass(frozen=True, slots=True)
class LocalRules:
    """What is the same for all matches of a run. Raise UsageError for what the game does not have."""

    game: str
    seats: int
    options: Mapping[str, OptionValue] = field(default_factory=dict)
    """All options of the game; those that are not given have their defaults."""
    time: TimeControl = field(default_factory=TimeControl)
    policy: FaultPolicy | None = None
    """None: the default for the seat count."""
    on_error: OnError = OnError.RESIGN
    ceiling: float = CEILING
    seed: str = field(default_factory=lambda: secrets.token_hex(16))
    """Decides deals, seats and what `Turn.random` draws."""
    ladder: str = ""
    """What the records name as the competition that the matches are part of; empty: none."""
    files: Mapping[str, str] = field(default_factory=dict, repr=False)
    """The texts of files for options that take one, by option; the option's value is then the file's hash."""
    engine: Game[Any] = field(init=False, repr=False, compare=False)
    """The game with those files."""

    def __post_init__(self) -> None:
        try:
            game = get_game(self.game)
            for option, text in self.files.items():
                game = game.with_file(option, text)
            game.spec.check_seats(self.seats)
            object.__setattr__(self, "engine", game)
            object.__setattr__(self, "options", game.check_options(self.options))
        except OptionsError as error:
            raise UsageError(str(error)) from error

        if self.policy is None:
            object.__setattr__(self, "policy", FaultPolicy.default(self.seats))
        if not 0 < self.ceiling <= 86_400:
            raise UsageError(f"the ceiling is a number of seconds up to a day, not {self.ceiling!r}")


@dataclass(frozen=True, slots=True)
class LocalMatch:
    """A match that was played."""

    plan: PlannedMatch
    result: Result
    record: MatchRecord | None
    """None where the process that played it was lost with it."""
    faults: tuple[tuple[Seat, BotFault], ...] = ()
    """What went wrong in the bots' own code, in order."""
    notes: tuple[tuple[Seat, str], ...] = ()
    """What the bots wrote to their logs, in order."""


class Arena:
    """Plays matches one after the other, in this process. Close it, or use it in a `with` statement.

    In the main thread an alarm enforces the ceiling on Python code; elsewhere only what awaits is timed out.
    """

    def __init__(
        self,
        rules: LocalRules,
        bots: Sequence[type[Bot]],
        names: Sequence[str] = (),
        before: Callable[[Seat | None], None] | None = None,
    ) -> None:
        """Check the bots. `before(seat)` is called before each call of a bot's method, `before(None)` after it.

        Raise LoadError for a class that cannot play, UsageError for one that does not play this game.
        """
        self.rules = rules
        self.bots = tuple(bots)
        self.names = tuple(names) or tuple(bot_name(bot) for bot in bots)
        self._before = before
        self._runner: asyncio.Runner | None = None
        self._alarm = False
        """This process's alarm is ours."""
        self._inside = False
        """A bot's method is running."""
        for bot, name in zip(bots, self.names, strict=True):
            games = {played.name: played.seats for played in check_bot(bot, name)}
            if rules.game not in games:
                raise UsageError(f"{name} does not play {rules.game}, but {', '.join(games)}")
            if games[rules.game] and rules.seats not in games[rules.game]:
                raise UsageError(f"{name} does not play {rules.game} with {rules.seats} seats, but {games[rules.game]}")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End what async bots have left running."""
        if self._runner is not None:
            self._runner.close()
            self._runner = None

    def play(self, plan: PlannedMatch) -> LocalMatch:
        """Play one match to its end. Whatever a bot does ends it by the fault policy; RulesBug is the game's own."""
        if threading.current_thread() is not threading.main_thread():
            return _Sitting(self, plan).play()

        before = signal.signal(signal.SIGALRM, self._ring)
        self._alarm = True
        try:
            return _Sitting(self, plan).play()
        finally:
            self._alarm = False
            signal.signal(signal.SIGALRM, before)

    def call(self, seat: Seat, function: Callable[[Any], Any], argument: object) -> Done:
        """Call a bot's method with its one argument; its error is a CeilingError where it took too long."""
        ceiling = self.rules.ceiling
        if self._before is not None:
            self._before(seat)
        began = perf_counter_ns()
        try:
            self._inside = True
            if not inspect.iscoroutinefunction(function):
                self._set_alarm(ceiling)
                return call_here(function, argument)

            if self._runner is None:
                self._runner = asyncio.Runner()
            # What awaits is timed out by the loop; the alarm is for what blocks it.
            self._set_alarm(ceiling + 1.0)
            return self._runner.run(asyncio.wait_for(call_async(function, argument), ceiling))
        except (_CeilingReached, TimeoutError):
            self._inside = False
            took = (perf_counter_ns() - began) // 1_000
            error = CeilingError(f"{function.__name__} took more than the ceiling of {ceiling:g} s")
            return Done(None, error, took)
        finally:
            self._inside = False
            self._set_alarm(0.0)
            if self._before is not None:
                self._before(None)

    def _set_alarm(self, seconds: float) -> None:
        if self._alarm:
            # Again each second, for code that swallows it.
            signal.setitimer(signal.ITIMER_REAL, seconds, 1.0 if seconds else 0.0)

    def _ring(self, _number: int, _frame: FrameType | None) -> None:
        if self._inside:
            raise _CeilingReached


class _CeilingReached(Interruption):
    """Raised into a bot's code by the alarm; no Exception, since a bot may catch all of those."""


class _Sitting:
    """One match and the bots at it."""

    def __init__(self, arena: Arena, plan: PlannedMatch) -> None:
        rules = arena.rules
        assert rules.policy is not None
        self.arena = arena
        self.plan = plan
        self.rules = rules
        self.id = plan.match_id or f"local-{plan.number}"
        self.game = rules.engine
        deal = Deal.of(self.game, rules.seats, rules.options, bytes.fromhex(plan.seed))
        self.table = Table(self.game, deal, rules.policy, rules.time)
        self.faults: list[tuple[Seat, BotFault]] = []
        self.notes: list[tuple[Seat, str]] = []
        self.aliases = tuple(f"seat {seat}" for seat in range(rules.seats))
        self.bots: list[Bot] = []
        # Of the match and not its deal: rotations of a shared deal must not repeat the bots' draws.
        draws = [f"{rules.seed}/{plan.match_id or plan.number}/{seat}" for seat in range(rules.seats)]
        self.draws = [random.Random(draw) for draw in draws]  # noqa: S311  # a bot's own draws, no secret

    def play(self) -> LocalMatch:
        started = _now()
        matches = [self._facts(seat) for seat in range(self.rules.seats)]
        for seat in range(self.rules.seats):
            self._start(seat, matches[seat])
        table = self.table
        codes = self.game.notation.codes
        while (decision := table.decision) is not None:
            seat = decision.seat
            actions = decision.actions
            turn = Turn(
                view=table.state.view(seat),
                actions=tuple([codes[action] for action in actions]),
                prompt=decision.prompt,
                events=self._news(seat),
                decision=table.asked[seat],
                clock=self._clock(seat),
                match=matches[seat],
                random=self.draws[seat],
            )
            done = self._call(seat, self.bots[seat].choose, turn)
            timing = Timing(elapsed=done.took_us, thought=done.took_us)
            if self.bots[seat]._outbox.resigned:
                table.fall(seat, Termination.RESIGNED)
                continue

            index = self._index(seat, turn, done, timing)
            if index is not None:
                table.choose(seat, actions[index], timing)
        result = table.result
        assert result is not None
        record = self._record(started, _now())
        for seat in range(self.rules.seats):
            self._over(seat, result)
        return LocalMatch(self.plan, result, record, tuple(self.faults), tuple(self.notes))

    def _facts(self, seat: Seat) -> Match:
        rules = self.rules
        assert rules.policy is not None
        aliases = list(self.aliases)
        aliases[seat] = self.arena.names[self.plan.bots[seat]]
        return Match(
            id=self.id,
            game=rules.game,
            version=self.game.spec.version,
            seat=seat,
            seats=rules.seats,
            aliases=tuple(aliases),
            options=rules.options,
            engine=self.game,
            time=rules.time,
            policy=rules.policy,
            deals=self.plan.deals,
            rated=False,
        )

    def _start(self, seat: Seat, match: Match) -> None:
        outbox = Outbox()

        def make(_: object) -> None:
            bot = self.arena.bots[self.plan.bots[seat]]()
            bot.match = match
            bot._outbox = outbox
            self.bots[seat] = bot

        # One that does nothing, until the bot's own is made.
        self.bots.append(Bot())
        self.bots[seat]._outbox = outbox
        method = make.__name__ = "__init__"
        error = self._call(seat, make, None).error
        if error is None:
            method = "start"
            error = self._call(seat, self.bots[seat].start, match).error
        gives_up = error is not None and self._fault(seat, method, error)
        if gives_up or outbox.resigned:
            self.table.fall(seat, Termination.RESIGNED)

    def _index(self, seat: Seat, turn: Turn, done: Done, timing: Timing) -> int | None:
        """Return the index to be played; None where the seat has fallen or a substitute has played."""
        index, error = answer(turn.actions, done)
        if error is None:
            return index
        if isinstance(error, CeilingError):
            self.faults.append((seat, describe("choose", error)))
            self.table.strike(seat, Termination.TIMEOUT, timing)
            return None
        if self._fault(seat, "choose", error):
            self.table.fall(seat, Termination.RESIGNED)
            return None

        return self.draws[seat].randrange(len(turn.actions))

    def _fault(self, seat: Seat, method: str, error: BaseException) -> bool:
        """Keep what went wrong; return whether the seat gives up for it."""
        fault = describe(method, error)
        self.faults.append((seat, fault))
        self.notes.append((seat, fault.line))
        return self.rules.on_error is OnError.RESIGN

    def _over(self, seat: Seat, result: Result) -> None:
        told = MatchResult(
            termination=result.termination,
            placements=result.placements,
            scores=result.scores,
            seats=result.seats,
            rated=False,
            events=self._news(seat),
            record_hash="",
            seed=self.plan.seed if self.plan.deals is Deals.FRESH else "",
        )
        done = self._call(seat, self.bots[seat].over, told)
        if done.error is not None:
            self.faults.append((seat, describe("over", done.error)))

    def _call(self, seat: Seat, function: Callable[[Any], Any], argument: object) -> Done:
        done = self.arena.call(seat, function, argument)
        notes = self.bots[seat]._outbox.notes
        while notes:
            self.notes.append((seat, notes.popleft()))
        return done

    def _news(self, seat: Seat) -> tuple[ToldEvent, ...]:
        return tuple([ToldEvent(*told) for told in self.table.news(seat)])

    def _clock(self, seat: Seat) -> Clock:
        account = self.table.accounts[seat]
        return Clock(
            account.allowed,
            account.bank,
            self.table.conduct.strikes[seat],
            account.last_charge,
            account.last_elapsed,
            account.last_host,
            account.last_late,
        )

    def _record(self, started: str, ended: str) -> MatchRecord:
        bots = [self.plan.bots[seat] for seat in range(self.rules.seats)]
        return self.table.record(
            match=self.id,
            block=self.plan.block_id or f"block-{self.plan.block}",
            ladder=self.rules.ladder,
            rated=False,
            seats=[
                SeatRow(self.arena.names[bot], "", self.arena.bots[bot].version, alias)
                for bot, alias in zip(bots, self.aliases, strict=True)
            ],
            deals=self.plan.deals,
            epoch=1,
            servers=["local"],
            started=started,
            ended=ended,
        )


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def play_match(game: str, *bots: type[Bot], seed: str | None = None, **rules: Any) -> LocalMatch:
    """Play one match of the bots, seat by seat, in this process: the quickest way to try something.

    `seed` decides everything but the bots' own doing; `rules` are further fields of LocalRules. Raise UsageError.
    """
    if seed is not None:
        rules["seed"] = seed
    local = LocalRules(game, len(bots), **rules)
    plan = next(plan_matches(len(bots), len(bots), 1, local.seed, Deals.FRESH))
    with Arena(local, bots) as arena:
        return arena.play(plan)
