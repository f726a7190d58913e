"""The one match driver that the referee, local play and replay share, so that all three judge alike: it holds a
match's state, clocks, strikes, moves, faults and what each seat has been told. No clock is read here and nothing is
sent or stored: who drives says what happened, with how long it took.

    table = Table(game, Deal.of(game, seats=2, options={}, seed=seed), FaultPolicy.default(2), TimeControl())
    while table.result is None:
        seat = table.decision.seat                  # a decision is open exactly while there is no result,
        ...                                         # and it is never that of a seat that is out
        table.choose(seat, action, Timing(elapsed=812, host=20, latency=300, thought=500))   # accepted, or
        if table.unusable(seat) == 0:               # an answer that is not listed: attempts left, and after the last
            table.strike(seat, Termination.ILLEGAL, timing)
        table.strike(seat, Termination.TIMEOUT, timing)     # its deadline fired
        table.fall(seat, Termination.RESIGNED)              # any seat, at any time: resigned, gone, flooding …
        table.abandon(Termination.CANCELLED)                # the match ends without counting
    record = table.record(match=…, …)

What each call does by itself:
- `choose` charges the seat's clock, applies the action and runs on to the next decision of a seat that is in.
- `strike` charges the clock and plays the substitute for the open decision; the last strike makes the seat fall.
- `fall` tells everybody (`fall 2 timeout`) and ends the match where the policy says so; where it goes on, substitutes
  play for the seat at once, now and later, without a call.
- An answer is accepted in `_play` and nowhere else; a match ends in `_end` and nowhere else. A natural end comes
  first: what falls after it changes nothing.
- Whatever escapes from rules code ends the match as `infrastructure` and is raised as RulesBug, once; the move that
  broke it is the last one in `moves`.

What the seats are told (`seat` None: spectators):
- `sequence(seat)`  events that the seat has been told; `asked[seat]` decisions it has been asked, the open one
  included: the id of its Decide.
- `news(seat)`      events since the last call, as (code, seat or None, maker); `events_after(seat, sequence)` all
  after that one, for a seat that comes back. Both count as told.
- Events of a substitute's move are told with `Maker.SUBSTITUTE`, a fall with `Maker.REFEREE`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from agon_engine.core.chance import SEED_BYTES, Chance
from agon_engine.core.errors import IllegalActionError, OptionsError, RulesBug
from agon_engine.core.game import Action, Decision, Event, Game, Maker, Outcome, Seat, State
from agon_engine.core.options import OptionValue
from agon_engine.core.policy import Conduct, FaultPolicy, Result, Termination
from agon_engine.core.record import By, Deals, Fault, FaultKind, MatchRecord, Move, SeatRow, commitment
from agon_engine.core.telling import Logs, Told
from agon_engine.core.timing import Account, TimeControl

__all__ = ["UNTIMED", "Deal", "Table", "Timing", "Told", "substitute_action"]

_new = tuple.__new__  # half the time of calling a NamedTuple, on the path that every choice takes
_BY_SEAT: Final = By.SEAT
_STRIKES = frozenset({Termination.TIMEOUT, Termination.ILLEGAL})
_FALLS = _STRIKES | {Termination.RESIGNED, Termination.DISCONNECT, Termination.PROTOCOL}
UNRATED = frozenset({Termination.NO_SHOW, Termination.INFRASTRUCTURE, Termination.CANCELLED})


@dataclass(frozen=True, slots=True)
class Deal:
    """What decides everything in a match but the choices: the game with its options, and the secret seed."""

    game: str
    version: int
    seats: int
    options: Mapping[str, OptionValue]
    """All options of the game, defaults included."""
    seed: bytes = field(repr=False)

    def __post_init__(self) -> None:
        if len(self.seed) != SEED_BYTES:
            raise ValueError(f"a seed has {SEED_BYTES} bytes, not {len(self.seed)}")

    @classmethod
    def of(cls, game: Game[Any], seats: int, options: Mapping[str, OptionValue], seed: bytes) -> Deal:
        """Make a deal of a game as it is installed. Raise OptionsError for seats or options out of range."""
        spec = game.spec
        return cls(spec.name, spec.version, spec.check_seats(seats), game.check_options(options), seed)

    @property
    def commitment(self) -> str:
        """What Start promises about the seed: see `core.record.commitment`."""
        return commitment(self.game, self.version, self.options, self.seed)


class Timing(NamedTuple):
    """How long an answer took, in microseconds."""

    elapsed: int = 0
    """From asked to read."""
    host: int = 0
    """The part of it that was the server's own."""
    latency: int = 0
    """The round trip as last measured; kept in the record, not charged."""
    thought: int = 0
    """What the bot says it thought; kept in the record, not charged."""


UNTIMED = Timing()


def substitute_action(game: Game[Any], decision: Decision, seed: bytes, number: int) -> Action:
    """Return the move that stands in at a decision before which the match had `number` others.

    It is drawn from a stream of its own, so that a bot that fails moves no other randomness of the match.
    """
    return game.substitute(decision, Chance(seed).fork(f"substitute/{number}"))


class Table:
    """One match as it is played. The module's docstring is its manual."""

    __slots__ = (
        "_logs",
        "_seen",
        "accounts",
        "asked",
        "broken",
        "conduct",
        "deal",
        "decision",
        "faults",
        "game",
        "moves",
        "policy",
        "result",
        "state",
        "time",
    )

    def __init__(
        self, game: Game[Any], deal: Deal, policy: FaultPolicy, time: TimeControl, *, state: State[Any] | None = None
    ) -> None:
        """Set the match up to its first decision, or go on from a given `state`: then its past is not told, and the
        record cannot be replayed (that is for tests that compare matches from two positions).

        Raise OptionsError where the deal does not fit the game as it is installed, or names a file that it does not
        play with (`registry.game_of` gives the game of a deal).
        """
        spec = game.spec
        if (deal.game, deal.version) != (spec.name, spec.version):
            raise OptionsError(
                f"the deal is of {deal.game} version {deal.version}, the game is {spec.name} version {spec.version!r}"
            )

        game.check_options(deal.options)
        self.game = game
        self.deal = deal
        self.policy = policy
        self.time = time
        self.conduct = Conduct(policy, deal.seats)
        self.accounts = [Account(time) for _ in range(deal.seats)]
        self.moves: list[Move] = []
        self.faults: list[Fault] = []
        self.asked = [0] * deal.seats
        self.decision: Decision | None = None
        """The open decision; None exactly when there is a result."""
        self.result: Result | None = None
        self.broken = False
        """True where the rules broke down: the state is then worth nothing."""
        self._logs = Logs(deal.seats)
        if state is None:
            state = game.start(deal.seats, Chance(deal.seed), deal.options)
            self._logs.tell(state.events_since(0))
        self.state: State[Any] = state
        self._seen = state.events_count
        self._go_on()

    # -- what happened ---------------------------------------------------------------------------------------

    def choose(self, seat: Seat, action: Action, timing: Timing = UNTIMED) -> None:
        """Accept a seat's choice and run on.

        Raise IllegalActionError, with nothing changed, when the seat is not asked, has spent its attempts, or the
        action is not listed: that is an unusable answer, which `unusable` counts.
        """
        decision = self._asked(seat)
        attempts = self.conduct.attempts_used + 1
        if attempts > self.policy.attempts:
            raise IllegalActionError(f"all attempts at this decision are spent: {self.policy.attempts!r}")
        if action not in decision.actions:
            self.state.apply(action)  # raises, and names the listed ones

        account = self.accounts[seat]
        charge = account.charge(timing.elapsed, timing.host)
        code = self.game.notation.codes[action]
        elapsed, host, latency, thought = timing
        told = latency // 1000 * 1000, thought // 1000 * 1000  # whole milliseconds, as records keep them
        move = (seat, code, _BY_SEAT, charge, elapsed, host, *told, account.last_late, attempts)
        self._play(action, _new(Move, move))
        self._go_on()

    def unusable(self, seat: Seat) -> int:
        """Count an unusable answer to the open decision; return the attempts left. At 0 `strike` is due."""
        self._asked(seat)
        return self.conduct.unusable()

    def strike(self, seat: Seat, why: Termination, timing: Timing = UNTIMED) -> None:
        """Count a strike against the open decision's seat and let a substitute answer.

        A missed deadline (`timeout`) is charged all that was allowed, spent attempts (`illegal`) what they took.
        Raise IllegalActionError when the seat is not asked, ValueError for `illegal` while there are attempts left.
        """
        if why not in _STRIKES:
            raise ValueError(f"a strike is for timeout or illegal, not {why!r}")

        self._asked(seat)
        if why is Termination.ILLEGAL and self.conduct.attempts_used < self.policy.attempts:
            left = self.policy.attempts - self.conduct.attempts_used
            raise ValueError(f"there are attempts left at this decision: {left!r}")

        account = self.accounts[seat]
        charged = account.charge_timeout if why is Termination.TIMEOUT else account.charge
        charge = charged(timing.elapsed, timing.host)
        self.faults.append(
            Fault(
                len(self.moves),
                seat,
                FaultKind.STRIKE,
                why,
                charge,
                *timing,
                account.last_late,
                self.conduct.attempts_used,
            )
        )
        if self.conduct.strike(seat, why):
            self._out(seat, why)
        if self.result is None:
            self._substitute()
            self._go_on()

    def fall(self, seat: Seat, why: Termination) -> bool:
        """Put a seat out for good. Return False, with nothing changed, where it is out or the match is over."""
        if why not in _FALLS:
            raise ValueError(f"a seat cannot fall by {why!r}")
        if self.result is not None or not self.conduct.fall(seat, why):
            return False

        self._out(seat, why)
        if self.decision is not None and self.decision.seat == seat:
            self._substitute()
            self._go_on()
        return True

    def abandon(self, why: Termination, seats: Sequence[Termination] | None = None) -> bool:
        """End the match without counting it. Return False, with nothing changed, where it is over.

        `why` is no_show, infrastructure or cancelled; `seats` says why each seat ended, where that is known better.
        """
        if why not in UNRATED:
            raise ValueError(f"a match is abandoned for no_show, infrastructure or cancelled, not {why!r}")
        if self.result is not None:
            return False

        if seats is None:
            seats = [self.conduct.fallen.get(seat, why) for seat in range(self.deal.seats)]
        self._end(self.conduct.unrated(why, self._standing(), seats))
        return True

    # -- what the seats are told -----------------------------------------------------------------------------

    @property
    def events(self) -> Sequence[Event]:
        """All that happened, what the referee did included."""
        return self._logs.events

    def sequence(self, seat: Seat | None) -> int:
        """Return how many events there are for the seat (None: for spectators), told by `news` or not yet."""
        return self._logs.sequence(seat)

    def news(self, seat: Seat | None) -> list[Told]:
        """Return what the seat has not been told yet. It then counts as told."""
        return self._logs.news(seat)

    def events_after(self, seat: Seat | None, sequence: int) -> list[Told]:
        """Return what the seat was told after the event with this number, and what is new; all for a number that
        no event has. It then counts as told."""
        return self._logs.events_after(seat, sequence)

    # -- the record ------------------------------------------------------------------------------------------

    def record(
        self,
        *,
        match: str,
        block: str,
        ladder: str,
        rated: bool,
        seats: Sequence[SeatRow],
        deals: Deals,
        epoch: int,
        servers: Sequence[str],
        started: str,
        ended: str,
    ) -> MatchRecord:
        """Return the record of a match that is over; `started` and `ended` are UTC as `2030-01-31T12:00:00Z`.

        Raise RecordError for values that a record cannot have, ValueError while the match runs.
        """
        if self.result is None:
            raise ValueError(f"the match is not over: {match!r}")

        return MatchRecord(
            match=match,
            block=block,
            ladder=ladder,
            rated=rated,
            game=self.deal.game,
            version=self.deal.version,
            options=dict(self.deal.options),
            seats=tuple(seats),
            deals=deals,
            seed=self.deal.seed.hex(),
            commitment=self.deal.commitment,
            time=self.time,
            policy=self.policy,
            moves=tuple(self.moves),
            faults=tuple(self.faults),
            result=self.result,
            epoch=epoch,
            servers=tuple(servers),
            started=started,
            ended=ended,
            digest="" if self.broken else self.state.digest(),
        )

    # -- how it goes on --------------------------------------------------------------------------------------

    def _asked(self, seat: Seat) -> Decision:
        decision = self.decision
        if decision is None:
            raise IllegalActionError("the match is over")
        if decision.seat != seat:
            raise IllegalActionError(f"the seat to choose is {decision.seat}, not {seat!r}")

        return decision

    def _play(self, action: Action, move: Move) -> None:
        """Accept an answer to the open decision: the only place that moves the state."""
        state = self.state
        # Before it is applied, so that a record of broken rules ends with what broke them.
        self.moves.append(move)
        try:
            state.apply(action)
        except Exception as error:
            raise self._broken(error) from error

        events = state.events_since(self._seen)
        self._seen += len(events)
        self._logs.tell(events, substituted=move.by is not _BY_SEAT)

    def _substitute(self) -> None:
        """Let a substitute answer the open decision. It costs nothing: what the seat has used is in its strike."""
        decision = self.decision
        assert decision is not None
        try:
            action = substitute_action(self.game, decision, self.deal.seed, len(self.moves))
        except Exception as error:
            raise self._broken(error) from error

        self._play(action, Move(decision.seat, self.game.notation.code(action), By.SUBSTITUTE))

    def _go_on(self) -> None:
        """Open the next decision of a seat that is in, with substitutes for those that are not, or end the match."""
        while True:
            decision = self.decision = self.state.decision
            if decision is None:
                outcome = self.state.outcome()
                if outcome is None:
                    bug = RulesBug("no decision is open and there is no outcome")
                    raise self._broken(bug) from bug
                self._end(self.conduct.result(outcome, outcome))
                return
            if len(self.moves) >= self.game.spec.max_decisions:
                bug = RulesBug(f"more decisions than the game can have: {self.game.spec.max_decisions!r}")
                raise self._broken(bug) from bug

            self.asked[decision.seat] += 1
            self.conduct.open_decision()
            if not self.conduct.is_out(decision.seat):
                return

            self._substitute()

    def _out(self, seat: Seat, why: Termination) -> None:
        """Tell everybody that a seat has fallen, and end the match where the policy says so."""
        self.faults.append(Fault(len(self.moves), seat, FaultKind.FALL, why))
        self._logs.tell((Event(f"fall {seat} {why}", seat, Maker.REFEREE),))
        if self.conduct.ends_match():
            self._end(self.conduct.result(None, self._standing()))

    def _end(self, result: Result) -> None:
        """End the match: the only place that sets its result."""
        self.decision = None
        self.result = result

    def _standing(self) -> Outcome:
        try:
            return self.state.standing()
        except Exception as error:
            raise self._broken(error) from error

    def _broken(self, error: Exception) -> RulesBug:
        self.broken = True
        infrastructure = Termination.INFRASTRUCTURE
        seats = self.deal.seats
        self._end(Result(infrastructure, (1,) * seats, (0,) * seats, (infrastructure,) * seats))
        # Messages reach logs, and the error's own may tell what is hidden: it is the cause of this one.
        bug = RulesBug(
            f"the rules of {self.game.spec.name} broke down in move {len(self.moves)}: {type(error).__name__}"
        )
        bug.__cause__ = error  # compiled, `raise … from` does not say it
        return bug
