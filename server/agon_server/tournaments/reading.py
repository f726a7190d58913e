"""From a tournament's file to its definition: the one place that knows the file's keys. All that is wrong is said in
one go, each mistake with its line and what is allowed. `server/TOURNAMENTS.md`
describes them for people.
"""

from __future__ import annotations

import errno
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

from agon_engine.core.errors import FileError, MissingFileError, OptionsError
from agon_engine.core.game import Game
from agon_engine.core.options import Option, OptionValue
from agon_engine.core.policy import FaultPolicy, OnFault
from agon_engine.core.record import MAX_SEATS, Deals
from agon_engine.core.record_values import MAX_INT
from agon_engine.core.timing import LIMITS, TimeControl
from agon_engine.registry import game_names, get_game
from agon_ladder.errors import ScheduleError
from agon_ladder.pairing.blocks import MAX_ALL_SEATS, Rotations
from agon_ladder.pairing.schedules.deals import tournament_chance
from agon_server.config import ConfigError
from agon_server.names import LADDER_NAME, LADDER_RULE
from agon_server.surroundings import SMALL, read_up_to, reason_of
from agon_server.toml_text import TomlError, parsed, text_of
from agon_server.tournaments.asking import (
    MAX_TEXT,
    Asked,
    Mistakes,
    WrongError,
    did_you_mean,
    microseconds,
    name_of,
    one_of,
    shortened,
    shown,
    text,
    whole,
    word,
)
from agon_server.tournaments.bots import MAX_BOTS, Field
from agon_server.tournaments.definition import BotDef, FormatDef, TournamentDef, schedule_of
from agon_server.tournaments.formats import read_format
from agon_server.tournaments.schedule_def import MAX_CONCURRENCY
from agon_server.tournaments.toml_lines import line_numbers

MAX_TOLD: Final = 100
"""Mistakes that are listed; a file with more has one that is behind most of them."""


class TournamentFileError(ConfigError):
    """A tournament's file cannot be used; `mistakes` lists all that is wrong with it, each a line of its own."""

    def __init__(self, path: Path, mistakes: list[str]) -> None:
        self.path = path
        left_out = len(mistakes) - MAX_TOLD
        self.mistakes = tuple(mistakes[:MAX_TOLD]) + ((f"and {left_out} more",) if left_out > 0 else ())
        super().__init__(f"{path}: " + "; ".join(self.mistakes))


def read_tournament(path: Path, *, needs_bots: bool = True) -> TournamentDef:
    """Return the tournament that a file describes. Raise TournamentFileError with all that is wrong with it.

    `needs_bots`: what its bots are must be there, so that it can be played. Whether a server knows its connected bots
    is not asked here.
    """
    content = _content(path)
    return _definition(path, _parsed(path, content), Mistakes(line_numbers(content)), needs_bots=needs_bots)


def _content(path: Path) -> str:
    try:
        data = read_up_to(path)
    except FileNotFoundError:
        raise TournamentFileError(path, ["there is no such file"]) from None
    except OSError as error:
        too_big = error.errno == errno.EFBIG
        why = f"it has more than {SMALL >> 20} MiB" if too_big else reason_of(error)
        raise TournamentFileError(path, [f"cannot read it: {why}"]) from None
    except ValueError:
        raise TournamentFileError(path, ["no file has such a name"]) from None

    try:
        return text_of(data)
    except TomlError as error:
        raise _refused(path, error) from None


def _parsed(path: Path, content: str) -> dict[str, Any]:
    try:
        return parsed(content)
    except TomlError as error:
        raise _refused(path, error) from None


def _refused(path: Path, error: TomlError) -> TournamentFileError:
    return TournamentFileError(path, [f"line {error.line}: {error}" if error.line else str(error)])


def _definition(path: Path, values: dict[str, Any], mistakes: Mistakes, *, needs_bots: bool) -> TournamentDef:
    asked = Asked(values, (), mistakes, "a tournament")
    folder = path.parent.resolve()
    name = asked.need("name", name_of(LADDER_NAME, LADDER_RULE), 'name = "spring"')
    game = asked.need("game", _game, f"it is one of {', '.join(game_names())}")
    seats = asked.need("seats", _seats(game), "seats = 2, those of a match")
    seed = asked.need("seed", _seed, 'seed = "any text", from which pairings and deals follow')
    deals = asked.get("deals", one_of(Deals), Deals.FRESH)
    rotations = asked.get("rotations", one_of(Rotations), Rotations.CYCLIC)
    concurrency = asked.get("concurrency", whole(1, MAX_CONCURRENCY), None)
    played_by = "" if game is None or seats is None else game.spec.name
    field = Field(asked.tables("bots", "a bot"), folder, are_needed=needs_bots, game=played_by, seats=seats or 0)
    format_ = read_format(asked.table("format", "a format"), field.names)
    options = asked.table("options", "options")
    played = None if game is None else _options(options, game, folder)
    time = _time(asked.table("time", "time"))
    policy = _policy(asked.table("policy", "policy"), 2 if seats is None else seats)
    asked.done()

    if deals is Deals.SHARED:
        _check_trust(field.bots, mistakes)
    if seats is not None:
        _check_schedule(field, format_, seats, rotations, mistakes)
    if (
        len(mistakes)
        or name is None
        or seats is None
        or seed is None
        or format_ is None
        or played is None
        or time is None
        or policy is None
    ):
        raise TournamentFileError(path, mistakes.told())

    game, chosen = played
    return TournamentDef(
        name=name,
        game=game.spec.name,
        version=game.spec.version,
        seats=seats,
        seed=seed,
        bots=tuple(field.bots),
        format=format_,
        options=chosen,
        files={option: file.text for option, file in game.files.items()},
        deals=deals,
        rotations=rotations,
        time=time,
        policy=policy,
        concurrency=concurrency,
    )


# -- what a file says, key by key ------------------------------------------------------------------------------


def _game(value: Any) -> Game[Any]:
    return get_game(word(game_names())(value))


def _seats(game: Game[Any] | None) -> Callable[[Any], int]:
    counts = range(2, MAX_SEATS + 1) if game is None else game.spec.seat_counts

    def read(value: Any) -> int:
        if type(value) is not int or value not in counts:
            whose = "a tournament" if game is None else game.spec.name
            raise WrongError(f"{whose} has {counts[0]} to {counts[-1]} seats, not {shown(value)}")
        return value

    return read


def _seed(value: Any) -> str:
    return str(value) if type(value) is int and 0 <= value <= MAX_INT else text(value)


def _options(asked: Asked, game: Game[Any], folder: Path) -> tuple[Game[Any], dict[str, OptionValue]] | None:
    """Return the game with the files that its options name, and all its options; None where one is wrong."""
    before = len(asked.mistakes)
    names = [option.name for option in game.spec.options]
    chosen: dict[str, OptionValue] = {}
    for name, value in asked.items():
        path = (*asked.path, name)
        if name not in names:
            meant = did_you_mean(name, names)
            has = f"{game.spec.name} has {', '.join(names) or 'none'}"
            asked.mistakes.add(path, f"unknown option; {meant + '; ' if meant else ''}{has}")
            continue
        try:
            option = game.spec.option(name)
            if not isinstance(value, bool | int | str) or (isinstance(value, int) and abs(value) > MAX_INT):
                asked.mistakes.add(path, f"expected true, false, a whole number or a text, not {shown(value)}")
            elif _is_path(option, value):
                game = game.with_file(name, _option_file(folder, str(value)))
            else:
                chosen[name] = option.check(value)
        except FileError as error:
            for mistake in error.mistakes:
                asked.mistakes.add(path, shortened(f"{value}: {mistake}", MAX_TEXT))
        except (OptionsError, WrongError) as error:
            asked.mistakes.add(path, shortened(str(error), MAX_TEXT))
    if len(asked.mistakes) > before:
        return None

    try:
        return game, game.check_options(chosen)
    except MissingFileError as error:
        asked.mistakes.add(
            (*asked.path, error.option), "give the file by its path, not by its hash " + shown(error.file)
        )
    except OptionsError as error:
        asked.mistakes.add(asked.path, shortened(str(error), MAX_TEXT))
    return None


def _is_path(option: Option, value: OptionValue) -> bool:
    """Tell whether a value that no other way of the option knows may be a file."""
    if not option.is_file or not isinstance(value, str):
        return False
    try:
        option.check(value)
    except OptionsError:
        return True
    return False


def _option_file(folder: Path, name: str) -> str:
    try:
        return read_up_to(folder / text(name)).decode("utf-8")
    except UnicodeDecodeError as error:
        raise WrongError(f"the file is not UTF-8 at byte {error.start}: {shown(name)}") from None
    except OSError as error:
        raise WrongError(f"no such value, and no file that can be read ({reason_of(error)}): {shown(name)}") from None


def _time(asked: Asked) -> TimeControl | None:
    default = TimeControl()
    limits = {name: asked.get(name, microseconds, getattr(default, name)) for name in LIMITS}
    asked.done()
    try:
        return TimeControl(**limits)
    except OptionsError as error:
        asked.mistakes.add(asked.path, str(error))
        return None


def _policy(asked: Asked, seats: int) -> FaultPolicy:
    default = FaultPolicy.default(seats)
    policy = FaultPolicy(
        asked.get("on_fault", _on_fault, default.on_fault),
        asked.get("attempts", whole(1, 100), default.attempts),
        asked.get("strikes", whole(1, 100), default.strikes),
    )
    asked.done()
    return policy


def _on_fault(value: Any) -> OnFault:
    # A bot could choose by void which of its matches count.
    return OnFault(word([OnFault.SUBSTITUTE, OnFault.FORFEIT])(value))


# -- what contradicts what -------------------------------------------------------------------------------------


def _check_trust(bots: Sequence[BotDef], mistakes: Mistakes) -> None:
    remembering = [bot.name for bot in bots if not bot.may_share_deals]
    if remembering:
        mistakes.add(
            ("deals",),
            "shared deals need bots that do not remember one match in the next: write trusted = true for "
            f"{_listed(remembering)} where you know that of them, or deals = \"fresh\", not 'shared'",
        )


def _check_schedule(
    field: Field, format_: FormatDef | None, seats: int, rotations: Rotations, mistakes: Mistakes
) -> None:
    if rotations is Rotations.ALL and seats > MAX_ALL_SEATS:
        mistakes.add(
            ("rotations",), f"a block of all permutations is for 2 to {MAX_ALL_SEATS} seats, with {seats}: cyclic"
        )
        rotations = Rotations.CYCLIC  # to see whether more is wrong
    if field.count < seats:
        mistakes.add(("bots",), f"a match of {seats} seats needs {seats} [[bots]] or more, not {field.count!r}")
    elif field.count > MAX_BOTS:
        mistakes.add(("bots",), f"a tournament has at most {MAX_BOTS} bots, not {field.count!r}")
    elif format_ is not None and field.is_whole:
        try:
            schedule_of(format_, list(field.names), seats, rotations, tournament_chance(""))
        except ScheduleError as error:
            mistakes.add(("format",), str(error))


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:10]) + (f" and {len(names) - 10} more" if len(names) > 10 else "")
