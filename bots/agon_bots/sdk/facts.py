"""From a Start to the facts that a bot is handed, checked: a match that this installation cannot play is refused."""

from __future__ import annotations

from agon.codec.errors import CodecError
from agon.codec.frames import Start
from agon_bots.sdk.bot import Match
from agon_engine.core import OptionsError, Seat
from agon_engine.registry import get_game


def match_facts(start: Start, match: str, seat: Seat) -> Match:
    """Return the facts of a match for a seat. Raise CodecError where it cannot be played here."""
    seats = len(start.aliases)
    try:
        spec = get_game(start.game).spec
        spec.check_seats(seats)
        options = spec.check_options(dict(spec.parse_option(f"{name}={text}") for name, text in start.options.items()))
    except OptionsError as error:
        raise CodecError(str(error)) from error

    if start.version != spec.version:
        raise CodecError(f"this installation has rules version {spec.version} of {start.game}, not {start.version}")
    if not 0 <= seat < seats:
        raise CodecError(f"a match of {seats} seats has no seat {seat}")

    return Match(
        id=match,
        game=start.game,
        version=start.version,
        seat=seat,
        seats=seats,
        aliases=start.aliases,
        options=options,
        time=start.time,
        policy=start.policy,
        deals=start.deals,
        rated=start.rated,
        commitment=start.seed_commitment,
    )
