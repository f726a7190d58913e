"""From a Start to the facts that a bot is handed, checked: a match that this installation cannot play is refused."""

from __future__ import annotations

from typing import Any

from agon.codec.errors import CodecError
from agon.codec.frames import Start
from agon_bots.sdk.bot import Match
from agon_engine.core import Game, OptionsError, OptionValue, Seat
from agon_engine.registry import get_game


def checked_options(start: Start) -> dict[str, OptionValue]:
    """Return the options of a match. Raise CodecError where it cannot be played here."""
    try:
        spec = get_game(start.game).spec
        spec.check_seats(len(start.aliases))
        options = spec.check_options(dict(spec.parse_option(f"{name}={text}") for name, text in start.options.items()))
    except OptionsError as error:
        raise CodecError(str(error)) from error

    if start.version != spec.version:
        raise CodecError(f"this installation has rules version {spec.version} of {start.game}, not {start.version}")
    return options


def match_facts(start: Start, match: str, seat: Seat, engine: Game[Any]) -> Match:
    """Return the facts of a match for a seat. Raise CodecError where there is no such seat.

    `engine` is the game with the match's options. Does not check what `checked_options` does.
    """
    seats = len(start.aliases)
    if not 0 <= seat < seats:
        raise CodecError(f"a match of {seats} seats has no seat {seat}")

    return Match(
        id=match,
        game=start.game,
        version=start.version,
        seat=seat,
        seats=seats,
        aliases=start.aliases,
        options=checked_options(start),
        engine=engine,
        time=start.time,
        policy=start.policy,
        deals=start.deals,
        rated=start.rated,
        commitment=start.seed_commitment,
    )
