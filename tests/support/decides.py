"""Decides as a match makes them: what each seat is asked, with everything that its encoder is given."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from agon.codec.down import SeatEncoder, Told
from agon.codec.frames import Clock
from agon_engine.core import Chance, Deal, FaultPolicy, OptionValue, State, Table, TimeControl, Timing
from agon_engine.registry import get_game


class Asked(NamedTuple):
    """One decision of a match."""

    seat: int
    sequence: int
    decision: int
    prompt: str
    events: list[Told]
    view: Any
    actions: tuple[int, ...]
    clock: Clock
    table: Table
    """The match itself, as it stands at this decision."""

    def encode(self, encoder: SeatEncoder, *, full: bool = False) -> bytes:
        return encoder.decide(
            self.sequence, self.decision, self.prompt, self.events, self.view, self.actions, self.clock, full=full
        )


def account_of(table: Table, seat: int) -> Clock:
    account = table.accounts[seat]
    return Clock(
        account.allowed,
        account.bank,
        table.conduct.strikes[seat],
        account.last_charge,
        account.last_elapsed,
        account.last_host,
        account.last_late,
        812,
    )


def random_match(
    game: str, seats: int, number: int, options: Mapping[str, OptionValue] | None = None
) -> Iterator[Asked]:
    """Play a match by seeded choices and yield every decision in it; the number decides deal and choices."""
    choices = Chance(number.to_bytes(16, "big")).fork("choices")

    def choose(state: State[Any]) -> int:
        assert state.decision is not None
        return choices.choice("choice", state.decision.actions)

    return asked_in(game, seats, number, choose, options)


def asked_in(
    game: str,
    seats: int,
    number: int,
    choose: Callable[[State[Any]], int],
    options: Mapping[str, OptionValue] | None = None,
) -> Iterator[Asked]:
    """Play a match with the choices of all seats and yield every decision in it; the number decides the deal."""
    seed = number.to_bytes(16, "big")
    deal = Deal.of(get_game(game), seats, options or {}, seed)
    table = Table(get_game(game), deal, FaultPolicy.default(seats), TimeControl())
    times = Chance(seed).fork("choices")
    while table.decision is not None:
        seat, prompt, actions = table.decision.seat, table.decision.prompt, table.decision.actions
        events = table.news(seat)
        yield Asked(
            seat=seat,
            sequence=table.sequence(seat),
            decision=table.asked[seat],
            prompt=prompt,
            events=events,
            view=table.state.view(seat),
            actions=actions,
            clock=account_of(table, seat),
            table=table,
        )
        table.choose(seat, choose(table.state), Timing(times.below("time", 3_000_000), 600, 812))
