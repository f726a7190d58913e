"""The schedule verifier: silent on a fair schedule, and one line for each way in which one is not (M6, M9, H5)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from agon_engine.core import Deals
from agon_ladder.pairing.blocks import rotation
from agon_ladder.pairing.players import Player
from agon_ladder.pairing.verify import PlannedMatch, verify_schedule

LINE_UP = ("a", "b", "c")
PLAYERS = {bot: Player(bot, f"owner of {bot}", trusted=True) for bot in "abcd"}


def planned(block: str = "k", deals: Deals = Deals.FRESH, line_up: tuple[str, ...] = LINE_UP) -> list[PlannedMatch]:
    return [
        PlannedMatch(
            f"{block}{place}",
            block,
            place,
            rotation(line_up, place),
            deals,
            f"deal {block}" if deals is Deals.SHARED else f"deal {block}{place}",
        )
        for place in range(len(line_up))
    ]


@pytest.mark.parametrize("deals", list(Deals))
def test_a_fair_schedule_has_no_problems(deals: Deals) -> None:
    schedule = [*planned("k", deals), *planned("m", deals, ("d", "a")), *planned("n", deals, ("b", "a", "d", "c"))]

    assert verify_schedule(schedule, PLAYERS) == []
    assert verify_schedule([]) == []


@pytest.mark.parametrize(
    ("damage", "problem"),
    [
        (lambda plan: plan[1:], "does not play each place once"),
        (lambda plan: [plan[0], *plan], "does not play each place once"),
        (lambda plan: [replace(plan[0], place=1), *plan[1:]], "does not play each place once"),
        (lambda plan: [replace(plan[0], bots=("b", "a", "c")), *plan[1:]], "does not seat a once at each seat"),
        (lambda plan: [replace(plan[0], bots=("a", "b", "d")), *plan[1:]], "more than one line-up"),
        (lambda plan: [replace(one, bots=("a", "a", "b")) for one in plan], "seats a bot twice"),
        (lambda plan: [replace(plan[0], deal=plan[1].deal), *plan[1:]], "has 3 of them, not 2"),
        (lambda plan: [replace(plan[0], deals=Deals.SHARED), *plan[1:]], "both kinds of deals"),
        (lambda plan: [replace(one, deals=Deals.SHARED) for one in plan], "has 1 of them, not 3"),
        (lambda plan: [*plan, *(replace(one, block="m") for one in plan)], "has a deal of block 'k'"),
        (lambda plan: [replace(one, bots=tuple("x" + bot for bot in one.bots)) for one in plan], "nobody knows"),
    ],
)
def test_each_unfairness_is_named(damage: Callable[[list[PlannedMatch]], list[PlannedMatch]], problem: str) -> None:
    assert any(problem in line for line in verify_schedule(damage(planned()), PLAYERS))


def test_one_cyclic_order_is_part_of_a_block() -> None:
    """All seats once each, but not by rotation."""
    turned = [("a", "b", "c", "d"), ("b", "a", "d", "c"), ("c", "d", "a", "b"), ("d", "c", "b", "a")]
    schedule = [
        PlannedMatch(str(place), "k", place, bots, Deals.FRESH, str(place)) for place, bots in enumerate(turned)
    ]

    (problem,) = verify_schedule(schedule)

    assert "more than one cyclic order" in problem


def test_company_and_shared_deals_are_checked_against_the_players() -> None:
    remote = {**PLAYERS, "b": Player("b", "x"), "c": Player("c", "x")}

    problems = verify_schedule(planned(deals=Deals.SHARED), remote)

    assert problems == [
        "block k seats two bots that may not meet: ['b', 'c']",
        "block k has shared deals with bots that can remember them: ['b', 'c']",
    ]
