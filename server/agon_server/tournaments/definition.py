"""What a tournament is: one game and seat count, its bots, its format, and how matches are played. Checked values; the
file that they come from is `reading`'s.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from agon_engine.core.chance import Chance
from agon_engine.core.options import OptionValue
from agon_engine.core.policy import FaultPolicy
from agon_engine.core.record import Deals
from agon_engine.core.timing import TimeControl
from agon_ladder.errors import ScheduleError
from agon_ladder.pairing.blocks import Rotations, places_of
from agon_ladder.pairing.schedules.deals import tournament_chance
from agon_ladder.pairing.schedules.gauntlet import Gauntlet
from agon_ladder.pairing.schedules.knockout import Knockout
from agon_ladder.pairing.schedules.round_robin import RoundRobin
from agon_ladder.pairing.schedules.schedule import Schedule
from agon_ladder.pairing.schedules.seating import shuffled
from agon_ladder.pairing.schedules.swiss import Swiss


class Runs(StrEnum):
    """How a bot of a tournament runs; each is the key that says so in the file."""

    BOT = "bot"
    """In one process with the match, by the SDK."""
    COMMAND = "command"
    """As a process of its own here, over gRPC."""
    CONNECTED = "connected"
    """Somewhere else: a bot that is connected to a server."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BotDef:
    """One bot of a tournament. Exactly one of `bot`, `command` and `connected` is given."""

    name: str
    """In the tournament."""
    bot: str = ""
    """An installed bot's name, MODULE:CLASS or FILE.py[:CLASS]."""
    command: tuple[str, ...] = ()
    """A program and its arguments."""
    connected: str = ""
    """The name of a bot of the server."""
    trusted: bool = False
    """The organiser says that it does not remember from one match to another."""
    folder: Path = field(default=Path(), repr=False, compare=False)
    """Of the tournament's file. Files in it are named as they stand in it, so that all of it can be moved."""

    @property
    def loaded(self) -> str:
        """What the SDK loads of `bot`: a file by its absolute path."""
        name, separator, class_ = self.bot.partition(":")
        return f"{self.folder / name}{separator}{class_}" if name.endswith(".py") else self.bot

    @property
    def started(self) -> tuple[str, ...]:
        """What is started of `command`: a program by its absolute path, unless it is found by PATH."""
        program, *arguments = self.command
        return (str(self.folder / program) if os.sep in program else program, *arguments)

    def files(self) -> Iterator[tuple[str, Path]]:
        """Iterate over the files that it is, by name: its own, or its program and those among the arguments."""
        names = [self.bot.partition(":")[0]] if self.bot.partition(":")[0].endswith(".py") else []
        if self.command and os.sep in self.command[0]:
            names.append(self.command[0])
        for name in [*names, *self.command[1:]]:
            with suppress(OSError, ValueError):  # an argument may be anything
                if (self.folder / name).is_file():
                    yield name, self.folder / name

    @property
    def runs(self) -> Runs:
        return Runs.CONNECTED if self.connected else Runs.COMMAND if self.command else Runs.BOT

    @property
    def may_share_deals(self) -> bool:
        """Whether it may play several matches of one deal: what runs here is the organiser's own."""
        return self.trusted or self.runs is not Runs.CONNECTED

    def to_json(self) -> dict[str, Any]:
        how = {Runs.BOT: self.bot, Runs.COMMAND: list(self.command), Runs.CONNECTED: self.connected}[self.runs]
        return {"name": self.name, self.runs.value: how, "trusted": self.trusted}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> BotDef:
        """Read what `to_json` wrote; it is in no folder, so that its files are not found."""
        command = {"command": tuple(data["command"])} if "command" in data else {}
        return cls(**{**data, **command})


class Seeding(StrEnum):
    """Where the order of the seeds comes from."""

    FILE = "file"
    """The order of the bots in the file, the best first."""
    RANDOM = "random"
    """Drawn from the tournament's seed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundRobinDef:
    """Every line-up `cycles` times, or a balanced part with so many blocks a bot."""

    cycles: int = 1
    blocks_per_bot: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GauntletDef:
    """The challengers against all others."""

    challengers: tuple[str, ...]
    cycles: int = 1
    blocks_per_bot: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SwissDef:
    """So many rounds among bots with about the same points."""

    rounds: int
    bye: float = 1.0
    """The share of a won block that a bye gives."""
    seeding: Seeding = Seeding.FILE


@dataclass(frozen=True, slots=True, kw_only=True)
class KnockoutDef:
    """Stages until one table decides."""

    blocks: int = 1
    """Of each table."""
    extra_blocks: int = 2
    """More of them at most where a tie must be decided; then the better seed goes on."""
    advance: int = 1
    """Bots of a table that go on."""
    seeding: Seeding = Seeding.FILE


MAX_MATCHES: Final = 10_000_000
FormatDef = RoundRobinDef | GauntletDef | SwissDef | KnockoutDef
FORMATS: Mapping[str, type[FormatDef]] = {
    "round-robin": RoundRobinDef,
    "gauntlet": GauntletDef,
    "swiss": SwissDef,
    "knockout": KnockoutDef,
}


def kind_of(format_: FormatDef) -> str:
    """Return what a format is called in files."""
    return next(name for name, kind in FORMATS.items() if isinstance(format_, kind))


def schedule_of(format_: FormatDef, bots: Sequence[str], seats: int, rotations: Rotations, chance: Chance) -> Schedule:
    """Make the schedule of a format, which takes up to seconds. Raise ScheduleError where it cannot be."""
    schedule = _schedule(format_, bots, seats, rotations, chance)
    if (planned := schedule.planned_blocks * places_of(seats, rotations)) > MAX_MATCHES:
        raise ScheduleError(
            f"a tournament has at most {MAX_MATCHES} matches: play fewer cycles, rounds or blocks, or by "
            f"blocks_per_bot a part of all line-ups, not {planned!r}"
        )

    return schedule


def _schedule(format_: FormatDef, bots: Sequence[str], seats: int, rotations: Rotations, chance: Chance) -> Schedule:
    match format_:
        case RoundRobinDef(cycles=cycles, blocks_per_bot=blocks_per_bot):
            return RoundRobin(bots, seats, chance, cycles=cycles, blocks_per_bot=blocks_per_bot)
        case GauntletDef(challengers=challengers, cycles=cycles, blocks_per_bot=blocks_per_bot):
            return Gauntlet(bots, seats, chance, challengers=challengers, cycles=cycles, blocks_per_bot=blocks_per_bot)
        case SwissDef(rounds=rounds, bye=bye, seeding=seeding):
            seeds = _seeded(bots, seeding, chance)
            return Swiss(seeds, seats, chance, rounds=rounds, places=places_of(seats, rotations), bye=bye)
        case KnockoutDef(blocks=blocks, extra_blocks=extra_blocks, advance=advance, seeding=seeding):
            seeds = _seeded(bots, seeding, chance)
            return Knockout(seeds, seats, chance, blocks=blocks, extra_blocks=extra_blocks, advance=advance)


def _seeded(bots: Sequence[str], seeding: Seeding, chance: Chance) -> Sequence[str]:
    return shuffled(bots, chance, "seeding") if seeding is Seeding.RANDOM else bots


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentDef:
    """One tournament, checked: all of it can be played here, as far as that can be known before."""

    name: str
    game: str
    version: int
    """The rules version that it is played by."""
    seats: int
    seed: str = field(repr=False)
    """All draws follow from it. Secret as long as a match is left to play, since deals follow from it too."""
    bots: tuple[BotDef, ...]
    """In the order of the file."""
    format: FormatDef
    options: Mapping[str, OptionValue]
    """All options of the game."""
    files: Mapping[str, str] = field(default_factory=dict, repr=False)
    """The text of each file that stands for an option's material, by option."""
    deals: Deals = Deals.FRESH
    rotations: Rotations = Rotations.CYCLIC
    time: TimeControl
    policy: FaultPolicy
    concurrency: int | None = None
    """Matches at a time; None: one a processor."""

    @property
    def chance(self) -> Chance:
        """The source of all draws of the schedule and the deals, at its beginning."""
        return tournament_chance(self.seed)

    @property
    def places(self) -> int:
        """Matches of a block."""
        return places_of(self.seats, self.rotations)

    def schedule(self) -> Schedule:
        """Make the schedule: the same for the same file. Raise ScheduleError where the format cannot be."""
        return schedule_of(self.format, [bot.name for bot in self.bots], self.seats, self.rotations, self.chance)

    def bot(self, name: str) -> BotDef:
        """Return a bot by its name in the tournament. Raise KeyError where there is none."""
        for bot in self.bots:
            if bot.name == name:
                return bot

        raise KeyError(name)

    def to_json(self) -> dict[str, Any]:
        """Return all that results depend on, as plain data: equal for two files exactly when one can go on with the
        results of the other. How many matches run at a time is not in it."""
        format_ = {name: getattr(self.format, name) for name in self.format.__dataclass_fields__}
        return {
            "name": self.name,
            "game": self.game,
            "version": self.version,
            "seats": self.seats,
            "seed": self.seed,
            "bots": [bot.to_json() for bot in self.bots],
            "format": {"kind": kind_of(self.format), **format_},
            "options": dict(self.options),
            "deals": self.deals.value,
            "rotations": self.rotations.value,
            "time": self.time.to_json(),
            "policy": self.policy.to_json(),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> TournamentDef:
        """Read what `to_json` wrote, to tell of what was played: it has no files. Raise KeyError, TypeError or
        ValueError for anything else, as far as that is noticed."""
        format_ = dict(data["format"])
        kind = FORMATS[format_.pop("kind")]
        if "challengers" in format_:
            format_["challengers"] = tuple(format_["challengers"])
        if "seeding" in format_:
            format_["seeding"] = Seeding(format_["seeding"])
        read = {
            "bots": tuple(BotDef.from_json(bot) for bot in data["bots"]),
            "format": kind(**format_),
            "deals": Deals(data["deals"]),
            "rotations": Rotations(data["rotations"]),
            "time": TimeControl.from_json(data["time"]),
            "policy": FaultPolicy.from_json(data["policy"]),
        }
        return cls(**dict(data) | read)
