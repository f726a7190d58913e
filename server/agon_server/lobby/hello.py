"""Whether a Hello is welcome: protocol, games, slots. Pure; who the token belongs to is found out before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from agon.codec.frames import PROTOCOL, Hello, HelloGame, RefusedCode, WelcomeGame
from agon_engine.core.options import GameSpec
from agon_server.referee.stream import Ending

_NAMED = 4
"""How many of a bot's games, and of a game's seat counts, a refusal repeats: its text travels in a gRPC status too."""


@dataclass(frozen=True, slots=True)
class Terms:
    """What a bot and this server have in common."""

    games: tuple[WelcomeGame, ...]
    seats: tuple[tuple[int, ...], ...]
    """For each of the games the seat counts that the bot plays."""
    slots: int


def judge_hello(hello: Hello, specs: Mapping[str, GameSpec], max_slots: int) -> Terms | Ending:
    """Return what to welcome a bot with, or why to refuse it. Does not check the token."""
    if not hello.protocol_min <= PROTOCOL <= hello.protocol_max:
        spoken = f"{hello.protocol_min} to {hello.protocol_max}"
        return Ending(
            RefusedCode.PROTOCOL,
            f"this server speaks protocol {PROTOCOL}, the bot {spoken}: use a client library for it",
            needed=f"protocol {PROTOCOL} to {PROTOCOL}",
        )

    counts: dict[str, set[int]] = {}
    for wanted in hello.games:
        spec = specs.get(wanted.name)
        if spec is None or wanted.version not in (0, spec.version):
            continue

        both = {count for count in spec.seat_counts if not wanted.seats or count in wanted.seats}
        if both:  # a game may be named twice, for example once for each seat count
            counts.setdefault(wanted.name, set()).update(both)
    if not counts:
        served = ", ".join(
            f"{spec.name} version {spec.version} with {spec.min_seats} to {spec.max_seats} seats"
            for spec in specs.values()
        )
        asked = [_describe(game) for game in hello.games[:_NAMED]]
        return Ending(
            RefusedCode.GAME, f"none of the bot's {len(hello.games)} games is played here: {asked!r}", needed=served
        )

    games = tuple(WelcomeGame(name, specs[name].version) for name in counts)
    return Terms(games, tuple(tuple(sorted(each)) for each in counts.values()), min(hello.slots, max_slots))


def _describe(game: HelloGame) -> str:
    text = f"{game.name} version {game.version or 'any'}"
    return f"{text} with {' or '.join(map(str, game.seats[:_NAMED]))} seats" if game.seats else text
