"""Whether a Hello is welcome: protocol, games, slots. Pure; who the token belongs to is found out before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from agon.codec.frames import PROTOCOL, Hello, RefusedCode, WelcomeGame
from agon_engine.core.game import GameSpec
from agon_server.referee.stream import Ending


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

    games: list[WelcomeGame] = []
    seats: list[tuple[int, ...]] = []
    for wanted in hello.games:
        spec = specs.get(wanted.name)
        if spec is None or wanted.version not in (0, spec.version):
            continue

        counts = tuple(count for count in spec.seat_counts if not wanted.seats or count in wanted.seats)
        if counts:
            games.append(WelcomeGame(spec.name, spec.version))
            seats.append(counts)
    if not games:
        served = ", ".join(
            f"{spec.name} version {spec.version} with {spec.min_seats} to {spec.max_seats} seats"
            for spec in specs.values()
        )
        asked = [f"{game.name} version {game.version or 'any'}" for game in hello.games]
        return Ending(RefusedCode.GAME, f"none of the bot's games is played here: {asked!r}", needed=served)

    return Terms(tuple(games), tuple(seats), min(hello.slots, max_slots))
