"""The proof that a schedule is fair: whoever plans it, these are checked over what it planned (M6)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from agon_engine.core.record import Deals
from agon_ladder.pairing.players import Player


@dataclass(frozen=True, slots=True)
class PlannedMatch:
    """One match of a schedule."""

    match: str
    block: str
    place: int
    bots: tuple[str, ...]
    """By seat."""
    deals: Deals
    deal: str
    """Anything that is equal for two matches exactly when their deals are: the seed, or its commitment."""


def verify_schedule(matches: Iterable[PlannedMatch], players: Mapping[str, Player] | None = None) -> list[str]:
    """Return all that is wrong with a schedule of complete blocks, one line each; empty when it is fair.

    Each block plays every place once, each of its bots sits at each seat once, in one cyclic order; fresh deals are
    distinct over all matches, shared ones are one a block and distinct over the blocks. With `players` given, none
    meets whom it may not, and nobody who could remember plays shared deals.
    """
    blocks: dict[str, list[PlannedMatch]] = {}
    for match in matches:
        blocks.setdefault(match.block, []).append(match)

    problems: list[str] = []
    block_of_deal: dict[str, str] = {}
    for block, planned in blocks.items():
        problems += _seats(block, planned)
        problems += _deals(block, planned)
        for deal in {match.deal for match in planned}:
            if block_of_deal.setdefault(deal, block) != block:
                problems.append(f"block {block} has a deal of block {block_of_deal[deal]!r}")
        if players is not None:
            problems += _company(block, planned, players)
    return problems


def _seats(block: str, planned: list[PlannedMatch]) -> list[str]:
    bots = planned[0].bots
    size = len(bots)
    problems = []
    if any(set(match.bots) != set(bots) or len(match.bots) != size for match in planned):
        return [f"block {block} has more than one line-up: {sorted({match.bots for match in planned})!r}"]
    if len(set(bots)) != size:
        problems.append(f"block {block} seats a bot twice: {bots!r}")
    if sorted(match.place for match in planned) != list(range(size)):
        problems.append(f"block {block} does not play each place once: {sorted(match.place for match in planned)!r}")
    for bot in sorted(set(bots)):
        seats = sorted(match.bots.index(bot) for match in planned)
        if seats != list(range(size)):
            problems.append(f"block {block} does not seat {bot} once at each seat: {seats!r}")
    orders = {_from_first(match.bots) for match in planned}
    if len(orders) > 1:
        problems.append(f"block {block} has more than one cyclic order: {sorted(orders)!r}")
    return problems


def _from_first(bots: tuple[str, ...]) -> tuple[str, ...]:
    start = bots.index(min(bots))
    return (*bots[start:], *bots[:start])


def _deals(block: str, planned: list[PlannedMatch]) -> list[str]:
    kinds = {match.deals for match in planned}
    deals = {match.deal for match in planned}
    if len(kinds) > 1:
        return [f"block {block} has both kinds of deals: {sorted(kinds)!r}"]

    wanted = 1 if kinds == {Deals.SHARED} else len(planned)
    if len(deals) != wanted:
        return [f"block {block} with {planned[0].deals} deals has {wanted} of them, not {len(deals)!r}"]

    return []


def _company(block: str, planned: list[PlannedMatch], players: Mapping[str, Player]) -> list[str]:
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
