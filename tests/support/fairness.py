"""The proof that what was played of a ladder, in any order, is fair (M6): block by block and over all of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from agon_engine.core.record import Deals
from agon_ladder.pairing.blocks import Rotations
from agon_ladder.pairing.players import Player
from agon_ladder.pairing.verify import PlannedMatch, verify_block


def verify_schedule(
    matches: Iterable[PlannedMatch],
    players: Mapping[str, Player] | None = None,
    rotations: Rotations = Rotations.CYCLIC,
) -> list[str]:
    """Return all that is wrong with complete blocks, one line each; empty when it is fair.

    Each block is what `verify_block` asks, and no deal is that of another block. With `players` given, none meets whom
    it may not, and nobody who could remember plays shared deals.
    """
    blocks: dict[str, list[PlannedMatch]] = {}
    for match in matches:
        blocks.setdefault(match.block, []).append(match)

    problems: list[str] = []
    block_of_deal: dict[str, str] = {}
    for block, planned in blocks.items():
        problems += verify_block(planned, rotations)
        for deal in {match.deal for match in planned}:
            if block_of_deal.setdefault(deal, block) != block:
                problems.append(f"block {block} has a deal of block {block_of_deal[deal]!r}")
        if players is not None:
            problems += _company(block, planned, players)
    return problems


def _company(block: str, planned: Sequence[PlannedMatch], players: Mapping[str, Player]) -> list[str]:
    bots = planned[0].bots
    unknown = [bot for bot in bots if bot not in players]
    if unknown:
        return [f"block {block} seats bots that nobody knows: {unknown!r}"]

    problems = [
        f"block {block} seats two bots that may not meet: {[one, other]!r}"
        for number, one in enumerate(bots)
        for other in bots[number + 1 :]
        if not players[one].may_meet(players[other])
    ]
    remembering = [bot for bot in bots if not players[bot].may_share_deals]
    if remembering and any(match.deals is Deals.SHARED for match in planned):
        problems.append(f"block {block} has shared deals with bots that can remember them: {remembering!r}")
    return problems
