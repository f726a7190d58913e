"""What a ladder is: one game and seat count, and how its matches are played. Checked values and their stored form."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Self

from agon_engine.core.errors import OptionsError
from agon_engine.core.options import OptionValue
from agon_engine.core.policy import FaultPolicy, OnFault
from agon_engine.core.record import Deals
from agon_engine.core.timing import TimeControl
from agon_engine.registry import get_game
from agon_ladder.errors import LadderError, MissingLibraryError, ScheduleError, UnknownSystemError
from agon_ladder.fold import LadderState
from agon_ladder.pairing.blocks import Rotations, places_of
from agon_ladder.ratings import DEFAULT_SYSTEM, get_system
from agon_server.config import DEFAULT_HOUSE_GAMES, MAX_HOUSE_GAMES
from agon_server.names import LADDER_NAME, LADDER_RULE
from agon_server.tournaments.schedule_def import ScheduleDef


class DefinitionError(LadderError):
    """A ladder that cannot be."""


class UnknownLadderError(LadderError, LookupError):
    """There is no ladder of that name."""


class LadderExistsError(LadderError):
    """The name is taken."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LadderDef:
    """One ladder. `define` makes it from what somebody asked for, checked against the installed games."""

    name: str
    game: str
    version: int
    """The rules version that it is played by, since ratings of another one do not compare."""
    seats: int
    options: Mapping[str, OptionValue]
    """All options of the game."""
    time: TimeControl
    policy: FaultPolicy
    deals: Deals = Deals.FRESH
    """What its blocks have where nobody in them could remember a deal; other blocks always have fresh ones."""
    rated: bool = True
    house_games: int = DEFAULT_HOUSE_GAMES
    """A house bot with so many rated games plays only as company for others."""
    system: str = DEFAULT_SYSTEM
    """The name of its rating system."""
    rotations: Rotations = Rotations.CYCLIC
    """Under which orders of its seats a block plays its line-up."""
    short_handed: bool = False
    """Whether bots that are too few for its seats play with fewer of them, unrated."""
    schedule: ScheduleDef | None = None
    """Of a tournament: its blocks follow from this. Any other ladder is endless."""
    open: bool = True
    """Whether new blocks are made."""
    created: int = 0
    """Milliseconds since 1970."""

    @property
    def fewest_seats(self) -> int:
        """The fewest seats that its game has; its own, where that game is not installed and so nobody plays it."""
        try:
            return get_game(self.game).spec.min_seats
        except OptionsError:
            return self.seats

    def empty_table(self) -> LadderState:
        """Return the ladder's table before its first result."""
        return LadderState(self.name, self.seats, self.system, rotations=self.rotations)

    def to_json(self) -> str:
        """Return the definition as one line of JSON."""
        data: dict[str, Any] = {item.name: getattr(self, item.name) for item in fields(self)}
        data |= {"options": dict(self.options), "time": self.time.to_json(), "policy": self.policy.to_json()}
        data["schedule"] = None if self.schedule is None else self.schedule.to_json()
        return json.dumps(data, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Read what `to_json` wrote. Raise DefinitionError for anything else.

        Does not check that the game is installed: ladders of a game that is gone are still shown.
        """
        try:
            data = json.loads(text)
            if isinstance(data, dict):
                # A ladder that was made before there were these fields.
                data.setdefault("house_games", DEFAULT_HOUSE_GAMES)
                data.setdefault("rotations", Rotations.CYCLIC.value)
                data.setdefault("short_handed", False)
                data.setdefault("schedule", None)
            if set(data) != {item.name for item in fields(cls)}:
                raise DefinitionError(f"a ladder's definition has other fields: {', '.join(sorted(data))}")

            for item in ("name", "game", "system"):
                _check(item, data[item], str)
            for item in ("version", "seats", "created", "house_games"):
                _check(item, data[item], int)
            for item in ("rated", "open", "short_handed"):
                _check(item, data[item], bool)
            _check("options", data["options"], dict)
            data |= {
                "time": TimeControl.from_json(data["time"]),
                "policy": FaultPolicy.from_json(data["policy"]),
                "deals": Deals(data["deals"]),
                "rotations": Rotations(data["rotations"]),
                "schedule": None if (given := data["schedule"]) is None else ScheduleDef.read(given),
            }
            places_of(data["seats"], data["rotations"])
            return cls(**data)
        except DefinitionError:
            raise
        except (RecursionError, TypeError, ValueError) as error:
            raise DefinitionError(f"a ladder's definition cannot be read ({error}): {text[:200]!r}") from None


def _check(name: str, value: Any, kind: type) -> None:
    if type(value) is not kind:
        raise DefinitionError(f"{name} of a ladder's definition is no {kind.__name__}: {value!r}")


def define(
    *,
    game: str,
    seats: int,
    time: TimeControl,
    policy: FaultPolicy,
    name: str = "",
    options: Mapping[str, OptionValue] | None = None,
    deals: Deals = Deals.FRESH,
    rated: bool = True,
    house_games: int = DEFAULT_HOUSE_GAMES,
    system: str = DEFAULT_SYSTEM,
    rotations: Rotations = Rotations.CYCLIC,
    short_handed: bool = False,
    schedule: ScheduleDef | None = None,
    created: int = 0,
) -> LadderDef:
    """Return a new open ladder; without a name it is called after game and seats (`chess-2`).

    Raise DefinitionError for an unknown game, option or rating system, a system whose library is not installed, numbers
    out of range, a name that cannot be one, or a rated ladder whose policy is `void`: bots could choose which of their
    matches count.
    """
    try:
        spec = get_game(game).spec
        spec.check_seats(seats)
        all_options = spec.check_options(options or {})
        get_system(system)
        places_of(seats, rotations)
    except (OptionsError, MissingLibraryError, ScheduleError, UnknownSystemError) as error:
        raise DefinitionError(str(error)) from None

    name = name or f"{game}-{seats}"
    if not LADDER_NAME.fullmatch(name):
        raise DefinitionError(f"a ladder's name is {LADDER_RULE}, not {name!r}")
    if not 0 <= house_games <= MAX_HOUSE_GAMES:
        raise DefinitionError(f"a ladder's house_games is 0 to {MAX_HOUSE_GAMES}, not {house_games!r}")
    if short_handed and schedule is not None:
        raise DefinitionError("a tournament plays with all its seats: leave short_handed out")
    if short_handed and seats == spec.min_seats:
        raise DefinitionError(f"{game} cannot be played short-handed in a ladder with the fewest seats, {seats!r}")
    if rated and policy.on_fault is OnFault.VOID:
        raise DefinitionError(f"a rated ladder's on_fault is substitute or forfeit, not {policy.on_fault.value!r}")

    return LadderDef(
        name=name,
        game=game,
        version=spec.version,
        seats=seats,
        options=all_options,
        time=time,
        policy=policy,
        deals=deals,
        rated=rated,
        house_games=house_games,
        system=system,
        rotations=rotations,
        short_handed=short_handed,
        schedule=schedule,
        created=created,
    )
