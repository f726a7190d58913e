"""The schedule verifier: silent on a fair schedule, and one line for each way in which one is not (M6, M9, H5)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
from tests.support.fairness import verify_schedule

from agon_engine.core import Deals
from agon_ladder.pairing.blocks import Rotations, places_of, rotation
from agon_ladder.pairing.players import Player
from agon_ladder.pairing.schedules.schedule import Promise
from agon_ladder.pairing.verify import MAX_PROBLEMS, PlannedMatch, Verifier

LINE_UP = ("a", "b", "c")
PLAYERS = {bot: Player(bot, f"owner of {bot}", trusted=True) for bot in "abcd"}


def planned(
    block: str = "k",
    deals: Deals = Deals.FRESH,
    line_up: tuple[str, ...] = LINE_UP,
    rotations: Rotations = Rotations.CYCLIC,
) -> list[PlannedMatch]:
    return [
        PlannedMatch(
            f"{block}{place}",
            block,
            place,
            rotation(line_up, place),
            deals,
            f"deal {block}" if deals is Deals.SHARED else f"deal {block}{place}",
        )
        for place in range(places_of(len(line_up), rotations))
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


def test_a_block_of_all_permutations_is_fair_as_such_alone() -> None:
    every = planned(rotations=Rotations.ALL)

    assert verify_schedule(every, rotations=Rotations.ALL) == []
    assert verify_schedule(planned(line_up=("a", "b"), rotations=Rotations.ALL)) == []
    assert any("does not play each place once" in line for line in verify_schedule(every))
    assert any("does not play each place once" in line for line in verify_schedule(planned(), rotations=Rotations.ALL))
    swapped = [replace(every[0], bots=every[1].bots), replace(every[1], bots=every[0].bots), *every[2:]]
    assert any(
        "other rotations than their numbers say" in line for line in verify_schedule(swapped, None, Rotations.ALL)
    )


# -- long schedules, block by block --------------------------------------------------------------------------

PAIRS = [("a", "b"), ("b", "c"), ("c", "a")]
EVEN = Promise((("a", "b", "c"),), 0, 0)


def verify(blocks: list[list[PlannedMatch]], promise: Promise | None = EVEN) -> list[str]:
    verifier = Verifier("abc", 2, Rotations.CYCLIC, promise)
    for block in blocks:
        verifier.add(block)
    return verifier.finish()


def rounds(pairs: Sequence[tuple[str, ...]], deals: Deals = Deals.FRESH) -> list[list[PlannedMatch]]:
    return [planned(str(number), deals, pair) for number, pair in enumerate(pairs)]


@pytest.mark.parametrize("deals", list(Deals))
def test_a_fair_schedule_is_proved_block_by_block(deals: Deals) -> None:
    verifier = Verifier("abc", 2, Rotations.CYCLIC, EVEN)
    for block in rounds(PAIRS, deals):
        verifier.add(block)

    assert verifier.finish() == []
    assert (verifier.blocks, verifier.matches) == (3, 6)
    assert Verifier("abc", 2, Rotations.CYCLIC, EVEN).finish() == []


@pytest.mark.parametrize(
    ("blocks", "problem"),
    [
        (rounds([*PAIRS, ("a", "b")]), "a has 3 blocks and c 2: they differ by at most 0"),
        (rounds([("a", "b"), ("a", "b"), ("c", "a"), ("c", "b")]), "a and b meet in 2 blocks, a and c in 1"),
        (
            [planned("0", line_up=("a", "b")), planned("1", line_up=("b", "d"))],
            "block 1 seats bots that nobody knows: ['d']",
        ),
        ([planned("0")], "block 0 is no 2 matches of 2 seats: ('a', 'b', 'c')"),
        ([planned("0", line_up=("a", "b"))[:1]], "block 0 is no 2 matches of 2 seats"),
        ([[replace(one, bots=("a", "b")) for one in planned("0", line_up=("a", "b"))]], "a does not sit equally often"),
        ([planned("0", line_up=("a", "b"))] * 2, "of 4 deals that must be distinct so many were there before: 2"),
        ([planned("0", Deals.SHARED, ("a", "b"))] * 3, "of 3 deals that must be distinct so many were there before: 2"),
    ],
)
def test_each_unfairness_of_a_long_schedule_is_named(blocks: list[list[PlannedMatch]], problem: str) -> None:
    assert any(problem in line for line in verify(blocks))


def test_groups_are_compared_among_themselves() -> None:
    """A gauntlet: the challenger has two blocks, and those that it meets one each, who never meet."""
    gauntlet = rounds([("a", "b"), ("a", "c")])

    assert verify(gauntlet, Promise((("a",), ("b", "c")), 0, 0)) == []
    assert verify(gauntlet, None) == []
    assert verify(gauntlet, Promise((("a", "b", "c"),), 1, None)) == []
    assert len(verify(gauntlet)) == 2


def test_of_a_schedule_that_is_wrong_as_a_whole_not_all_is_told() -> None:
    told = verify([planned(str(number)) for number in range(MAX_PROBLEMS + 5)])

    assert len(told) == MAX_PROBLEMS + 1
    assert told[-1] == "and 5 more"
