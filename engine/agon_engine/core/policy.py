"""What happens when a seat fails to play: strikes, falls and the final ranking. Pure, so that a replay, the
referee and local play judge alike. Measuring time and noticing that a bot is gone is theirs; this module is told.

A *strike* is a decision without a usable answer. A seat *falls* when its strikes are spent or when it is gone,
floods or resigns; it stays out. What a fall means for the match is the policy's `on_fault`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from agon_engine.core.errors import OptionsError
from agon_engine.core.game import Outcome, Seat, standard_placements


class Termination(StrEnum):
    """Why a match, or a seat in it, ended."""

    SCORE = "score"
    """By the rules."""
    CAP = "cap"
    """By a bound of the rules, ranked as it stood."""
    RESIGNED = "resigned"
    TIMEOUT = "timeout"
    """The seat's strikes were spent, the last one on a missed deadline."""
    DISCONNECT = "disconnect"
    """The seat had no joined stream for longer than the connect limit (a local process: it ended)."""
    ILLEGAL = "illegal"
    """The seat's strikes were spent, the last one on unusable answers."""
    PROTOCOL = "protocol"
    """The seat flooded the server or broke the contract past its limits."""
    NO_SHOW = "no_show"
    """A seat did not come before the first decision."""
    INFRASTRUCTURE = "infrastructure"
    """A server fault, or all seats gone together."""
    CANCELLED = "cancelled"
    """By the organiser."""


RATED_TERMINATIONS = frozenset(
    {
        Termination.SCORE,
        Termination.CAP,
        Termination.RESIGNED,
        Termination.TIMEOUT,
        Termination.DISCONNECT,
        Termination.ILLEGAL,
        Termination.PROTOCOL,
    }
)
"""A match that ended otherwise is never rated."""


class OnFault(StrEnum):
    """What a fall means for the match."""

    SUBSTITUTE = "substitute"
    """Substitute moves play on for the seat; it is placed last, of several the first to fall lowest."""
    FORFEIT = "forfeit"
    """The match ends at once; the seat is last, all others share the first place."""
    VOID = "void"
    """The match ends unrated. Not for rated ladders; a resignation never voids."""


@dataclass(frozen=True, slots=True)
class FaultPolicy:
    """The failure policy of a ladder or match; part of its record."""

    on_fault: OnFault
    attempts: int = 3
    """Answers that a seat may give to one decision, all inside its one deadline."""
    strikes: int = 3
    """The strike with this number makes the seat fall."""

    def __post_init__(self) -> None:
        if not 1 <= self.attempts <= 100:
            raise OptionsError(f"attempts is 1 to 100, not {self.attempts!r}")
        if not 1 <= self.strikes <= 100:
            raise OptionsError(f"strikes is 1 to 100, not {self.strikes!r}")

    @classmethod
    def default(cls, seats: int) -> FaultPolicy:
        """Return the default for a seat count: forfeit with two seats, substitute with more."""
        return cls(OnFault.FORFEIT if seats == 2 else OnFault.SUBSTITUTE)

    def to_json(self) -> dict[str, Any]:
        return {"on_fault": self.on_fault.value, "attempts": self.attempts, "strikes": self.strikes}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> FaultPolicy:
        """Read what `to_json` wrote. Raise OptionsError for unknown keys or values."""
        unknown = set(data) - {"on_fault", "attempts", "strikes"}
        if unknown:
            raise OptionsError(f"a policy has no {sorted(unknown)!r}")
        try:
            on_fault = OnFault(data["on_fault"])
        except (KeyError, ValueError):
            choices = ", ".join(OnFault)
            raise OptionsError(f"on_fault is one of {choices}, not {data.get('on_fault')!r}") from None

        for name in ("attempts", "strikes"):
            if type(data.get(name, 3)) is not int:
                raise OptionsError(f"{name} is a whole number, not {data[name]!r}")
        return cls(on_fault, data.get("attempts", 3), data.get("strikes", 3))


@dataclass(frozen=True, slots=True)
class Result:
    """How a match ended: one value a seat, and why."""

    termination: Termination
    placements: tuple[int, ...]
    """1 = best, ties share (1, 2, 2, 4). All 1 where the match is not rated."""
    scores: tuple[int, ...]
    seats: tuple[Termination, ...]
    """Why each seat ended: `score` for those that played to the end."""

    @property
    def rated(self) -> bool:
        return self.termination in RATED_TERMINATIONS


@dataclass(slots=True)
class Conduct:
    """The running account of strikes and falls in one match, and what follows from them."""

    policy: FaultPolicy
    seats: int
    strikes: list[int] = field(init=False)
    fallen: dict[Seat, Termination] = field(init=False)
    """The seats that are out, in the order they fell, each with its termination."""
    attempts_used: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        self.strikes = [0] * self.seats
        self.fallen = {}

    # -- within one decision ---------------------------------------------------------------------------------

    def open_decision(self) -> None:
        """Begin a decision with all its attempts."""
        self.attempts_used = 0

    def unusable(self) -> int:
        """Count an unusable answer to the open decision; return the attempts left (0: it is a strike)."""
        self.attempts_used += 1
        return max(0, self.policy.attempts - self.attempts_used)

    def strike(self, seat: Seat, why: Termination) -> bool:
        """Count a strike (`timeout` or `illegal`). Return True when it was the last and the seat falls."""
        self.strikes[seat] += 1
        if self.strikes[seat] < self.policy.strikes:
            return False

        return self.fall(seat, why)

    # -- falling ---------------------------------------------------------------------------------------------

    def fall(self, seat: Seat, why: Termination) -> bool:
        """Put the seat out for good. Return False where it already was."""
        if seat in self.fallen:
            return False

        self.fallen[seat] = why
        return True

    def is_out(self, seat: Seat) -> bool:
        return seat in self.fallen

    def ends_match(self) -> bool:
        """Tell whether the falls so far end the match now."""
        if not self.fallen:
            return False

        return len(self.fallen) == self.seats or any(
            self._on_fault(why) is not OnFault.SUBSTITUTE for why in self.fallen.values()
        )

    def _on_fault(self, why: Termination) -> OnFault:
        if self.policy.on_fault is OnFault.VOID and why is Termination.RESIGNED:
            return FaultPolicy.default(self.seats).on_fault

        return self.policy.on_fault

    # -- the end ---------------------------------------------------------------------------------------------

    def result(self, outcome: Outcome | None, standing: Outcome) -> Result:
        """Return the result of a match that has ended: by the rules (`outcome`) or by its falls.

        A fall outranks any score. Natural end comes before a fall that would end the match in the same moment.
        """
        seats = tuple(self.fallen.get(seat, Termination.SCORE) for seat in range(self.seats))
        if outcome is not None:
            why = Termination.CAP if outcome.by_cap else Termination.SCORE
            return Result(why, self._fallen_last(outcome.placements), outcome.scores, seats)

        # Falls are judged one by one, so the last one is what ended the match.
        last_seat, last_why = list(self.fallen.items())[-1]
        mode = self._on_fault(last_why)
        if mode is OnFault.VOID:
            return Result(Termination.CANCELLED, (1,) * self.seats, standing.scores, seats)
        if mode is OnFault.FORFEIT:
            placements = tuple(self.seats if seat == last_seat else 1 for seat in range(self.seats))
            return Result(last_why, placements, standing.scores, seats)

        return Result(last_why, self._fallen_last(standing.placements), standing.scores, seats)

    def unrated(self, why: Termination, standing: Outcome, seats: Sequence[Termination] | None = None) -> Result:
        """Return the result of a match that ends without counting (`infrastructure`, `no_show`, `cancelled`)."""
        terminations = tuple(seats) if seats is not None else (why,) * self.seats
        return Result(why, (1,) * self.seats, standing.scores, terminations)

    def _fallen_last(self, placements: Sequence[int]) -> tuple[int, ...]:
        order = list(self.fallen)
        # A greater key is better: those still playing by their placement, then the fallen, the latest best.
        keys = [(0, order.index(seat)) if seat in self.fallen else (1, -placements[seat]) for seat in range(self.seats)]
        return standard_placements(keys)
