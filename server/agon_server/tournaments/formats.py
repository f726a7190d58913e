"""Reading `[format]`: which keys each format has, and what they may be."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Final

from agon_server.tournaments.asking import Asked, WrongError, did_you_mean, list_of, one_of, share, shown, whole, word
from agon_server.tournaments.definition import (
    FORMATS,
    FormatDef,
    GauntletDef,
    KnockoutDef,
    RoundRobinDef,
    Seeding,
    SwissDef,
)

MAX_CYCLES: Final = 1_000_000
MAX_BLOCKS: Final = 10_000
MAX_ROUNDS: Final = 1_000


def read_format(table: Asked, bots: Collection[str]) -> FormatDef | None:
    """Return the format that a file describes; None where there is a mistake in it. `bots` are all names there are."""
    before = len(table.mistakes)
    kind = table.need("kind", word(FORMATS), f"it is one of {', '.join(FORMATS)}")
    if kind is None:
        return None

    made = _format(kind, table, bots)
    table.done(kind, {key: " and ".join(kinds) for key, kinds in _kinds_by_key().items()})
    return made if len(table.mistakes) == before else None


def _format(kind: str, table: Asked, bots: Collection[str]) -> FormatDef | None:
    if kind == "swiss":
        rounds = table.need("rounds", whole(1, MAX_ROUNDS), "rounds = 7")
        bye = table.get("bye", share, 1.0)
        seeding = table.get("seeding", one_of(Seeding), Seeding.FILE)
        return None if rounds is None else SwissDef(rounds=rounds, bye=bye, seeding=seeding)
    if kind == "knockout":
        return KnockoutDef(
            blocks=table.get("blocks", whole(1, MAX_BLOCKS), 1),
            extra_blocks=table.get("extra_blocks", whole(0, MAX_BLOCKS), 2),
            advance=table.get("advance", whole(1, 100), 1),
            seeding=table.get("seeding", one_of(Seeding), Seeding.FILE),
        )

    cycles = table.get("cycles", whole(1, MAX_CYCLES), 1)
    blocks = table.get("blocks_per_bot", whole(1, MAX_BLOCKS), None)
    if kind == "round-robin":
        return RoundRobinDef(cycles=cycles, blocks_per_bot=blocks)

    wanted = 'challengers = ["NAME"], the bots that meet all others'
    challengers = table.need("challengers", list_of(_one_of_bots(bots), "bots' names"), wanted)
    if challengers is None:
        return None

    return GauntletDef(challengers=challengers, cycles=cycles, blocks_per_bot=blocks)


def _one_of_bots(bots: Collection[str]) -> Any:
    def read(value: Any) -> str:
        if not isinstance(value, str) or value not in bots:
            meant = did_you_mean(value, bots) if isinstance(value, str) else ""
            raise WrongError(
                f"expected the names of bots of this file, not {shown(value)}{'; ' + meant if meant else ''}"
            )
        return value

    return read


def _kinds_by_key() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for kind, made in FORMATS.items():
        for key in made.__dataclass_fields__:
            found.setdefault(key, []).append(kind)
    return found
