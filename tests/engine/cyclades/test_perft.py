"""Counts of the ways to play on from named positions, the dice fixed: a detector of changed rules.

`offerings`, `fleets`, `battle` and `set` are counted a second time by plain brute force below, which shares no code
with the rules: it reads the map file and the numbers of the rules. The other counts are the engine's own.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from itertools import product

import pytest
from tests.engine.cyclades.positions import Table, lay_out
from tests.engine.cyclades.test_data import neighbours_on_the_grid
from tests.engine.cyclades.test_offerings import offerings

from agon_engine.cyclades import CycladesState

ROLLS = "2 2 0 3 1 2 3 3"


def count_ways(state: CycladesState, depth: int) -> int:
    """Count the ways to make so many decisions, or fewer where the turn, or the offerings, end before."""
    decision = state.decision
    if depth == 0 or decision is None:
        return 1

    total = 0
    for action in decision.actions:
        after = state.clone()
        after.apply(action)
        over = (after.phase, after.turn_seat, after.cycle) != (state.phase, state.turn_seat, state.cycle)
        total += 1 if over else count_ways(after, depth - 1)
    return total


# -- the positions -------------------------------------------------------------------------------------------

SLOTS_FULL = {"IS5": "0 port port port", "IS7": "1", "IS8": "2"}


def offers() -> Table:
    return offerings(3, "ares zeus", "1 0 2", {0: 4, 1: 3, 2: 2}, {2: 1})


def fleets() -> Table:
    isles = {**SLOTS_FULL, "IS6": "polyphemus:1"}
    return lay_out(3, "poseidon", isles=isles, seas={"E2": "0 x2", "C2": "kraken", "H2": "0 x1"}, gold={0: 2})


def battle() -> Table:
    isles = {"IS5": "0 x3", "IS3": "1 x3 fortress", "IS7": "1", "IS8": "2"}
    seas = {"E2": "0 x1", "F3": "0 x1", "F4": "1 x1", "G5": "1 x1", "F5": "1 x1"}
    table = lay_out(3, "ares", isles=isles, seas=seas, gold={0: 1}, rolls=ROLLS)
    return table.do("move IS5>IS3 x3")


def set_of_four() -> Table:
    isles = {"IS5": "0 port port fortress", "IS7": "0 port temple temple", "IS3": "0 fortress", "IS8": "1"}
    return lay_out(3, "athena", isles=isles, gold={0: 2}).do("build university IS3")


def creatures() -> Table:
    isles = {"IS5": "0 x2 port", "IS7": "1 x1", "IS8": "1 fortress", "IS2": "2 x1"}
    seas = {"E2": "0 x2", "D1": "1 x1", "F3": "2 x1"}
    return lay_out(3, "zeus", isles=isles, seas=seas, spaces="harpy giant siren", deck="griffon", gold={0: 6})


def war() -> Table:
    isles = {"IS5": "0 x2", "IS3": "1 x1", "IS6": "1", "IS7": "1", "IS8": "2"}
    return lay_out(3, "ares", isles=isles, seas={"E2": "0 x1", "F3": "0 x1", "F4": "0 x1"}, gold={0: 4}, rolls=ROLLS)


def beginning() -> Table:
    return lay_out(5, "ares", isles={"IS1": "0 x1", "IS12": "0 x1"}, seas={"K1": "0 x1", "C6": "0 x1"}, gold={0: 7})


COUNTS = [
    ("offerings", offers, 14, 447),
    ("fleets", fleets, 4, 6872),
    ("battle", battle, 12, 24),
    ("set", set_of_four, 9, 30),
    ("creatures", creatures, 4, 1504),
    ("war", war, 4, 2419),
    ("beginning", beginning, 5, 7591),
]


@pytest.mark.parametrize(("name", "lay", "depth", "ways"), COUNTS, ids=[row[0] for row in COUNTS])
def test_the_ways_to_play_on_from_a_position(name: str, lay: Callable[[], Table], depth: int, ways: int) -> None:
    assert (name, ways) == (name, count_ways(lay().state, depth))


# -- brute force ---------------------------------------------------------------------------------------------


def test_brute_force_counts_the_same_offerings() -> None:
    """C6.1 to C6.4: every order of bids of three players with 4, 3 and 2 gold, one with a priest."""
    gold, priests, order = (4, 3, 2), (0, 0, 1), (1, 0, 2)

    def place(waiting: Sequence[tuple[int, str]], bids: Mapping[str, tuple[int, int]], depth: int) -> int:
        """Count the ways in which the waiting markers are placed, the first one now; beside each the god just lost."""
        if not waiting or depth == 0:
            return 1

        (seat, lost), rest = waiting[0], waiting[1:]
        total = place(rest, bids, depth - 1)
        for god in ("ares", "zeus"):
            if god == lost:
                continue
            holder, standing = bids.get(god, (None, 0))
            amounts = [bid for bid in range(standing + 1, 20) if max(1, bid - priests[seat]) <= gold[seat]]
            if amounts and depth == 1:
                total += 1
                continue
            for amount in amounts:
                after = {**bids, god: (seat, amount)}
                again = [] if holder is None else [(holder, god)]
                total += place([*again, *rest], after, depth - 2)
        return total

    for depth in range(1, 15):
        ways = place([(seat, "") for seat in order], {}, depth)

        assert ways == count_ways(offers().state, depth)


def test_brute_force_counts_the_same_moves_of_fleets() -> None:
    """C7.3, C7.4, C7.6, C1.4: two gold, three fleets, the Kraken and Polyphemus; neighbours from the grid."""
    entry = json.loads(files("agon_engine.cyclades").joinpath("maps.json").read_text("utf-8"))["maps"]["3"]
    land = {cell: island["id"] for island in entry["islands"] for cell in island["cells"]}

    @cache
    def around(cell: str) -> tuple[str, ...]:
        return tuple(neighbours_on_the_grid(entry["row_lengths"], cell))

    def is_open(sea: str) -> bool:
        return sea not in land and sea != "C2" and "IS6" not in {land.get(cell) for cell in around(sea)}

    shores = {sea for cell, island in land.items() if island == "IS5" for sea in around(cell) if is_open(sea)}

    def turn(held: dict[str, int], gold: int, recruited: int, depth: int) -> int:
        if depth == 0:
            return 1

        total = 1  # the end
        if recruited < 4 and sum(held.values()) < 8 and gold >= recruited:
            for sea in shores:
                total += turn({**held, sea: held.get(sea, 0) + 1}, gold - recruited, recruited + 1, depth - 1)
        if gold:
            for sea in held:
                total += sail(held, sea, 3, gold - 1, recruited, depth)
        return total

    def sail(held: dict[str, int], sea: str, steps: int, gold: int, recruited: int, depth: int) -> int:
        """Count the ways that begin with a step from a sea."""
        total = 0
        for target, number in product(around(sea), range(1, held[sea] + 1)):
            if not is_open(target):
                continue
            after = {place: left for place, left in {**held, sea: held[sea] - number}.items() if left}
            after[target] = after.get(target, 0) + number
            if depth == 1:
                total += 1
            elif steps == 1 or not any(map(is_open, around(target))):
                total += turn(after, gold, recruited, depth - 1)
            else:
                total += turn(after, gold, recruited, depth - 2)  # stop
                total += sail(after, target, steps - 1, gold, recruited, depth - 1)
        return total

    held = {"E2": 2, "H2": 1}
    for depth in range(1, 5):
        assert turn(held, 2, 0, depth) == count_ways(fleets().state, depth)


def test_brute_force_counts_the_same_courses_of_a_battle() -> None:
    """C8.1 to C8.4: three against three behind a Fortress, the dice as laid out; then the attacker's turn goes on."""
    dice = list(map(int, ROLLS.split()))

    def fight(attackers: int, defenders: int, rolls: Sequence[int]) -> list[str]:
        """Return how the battle can end."""
        attack, defence = rolls[0] + attackers, rolls[1] + defenders + 1
        attackers -= attack <= defence
        defenders -= defence <= attack
        if not attackers:
            return ["held"]
        if not defenders:
            return ["taken"]

        ends = ["taken"] * 3  # the defender goes to IS4, IS6 or IS7
        ends += ["back"]  # the attacker goes to IS5: his seas touch no other island but IS3
        return ends + fight(attackers, defenders, rolls[2:])

    ends = fight(3, 3, dice)
    after = {"held": 0, "taken": 0, "back": 0}
    for end in ends:
        after[end] += 1

    assert len(ends) == len(finals(battle().state))
    assert after == {end: finals(battle().state).count(end) for end in after}


def finals(state: CycladesState) -> list[str]:
    """Return how the battle under way can end."""
    assert state.decision is not None
    if not state.attackers:
        if state.island_owner[3] == 0:
            return ["taken"]
        return ["back" if state.troops[5] else "held"]

    ends = []
    for action in state.decision.actions:
        after = state.clone()
        after.apply(action)
        ends += finals(after)
    return ends


def test_brute_force_counts_the_same_ways_to_give_a_set_up() -> None:
    """C10.1, C10.2, C10.8: which buildings go, where the Metropolis comes, what goes under the frame."""
    slots = {"IS5": (3, 2), "IS7": (4, 2), "IS3": (2, 2)}
    held = {
        "IS5": ["port", "port", "fortress"],
        "IS7": ["port", "temple", "temple"],
        "IS3": ["fortress", "university"],
    }

    def raze(left: list[str], beside: int) -> list[list[str]]:
        if len(left) <= beside:
            return [left]
        if beside == 0:
            return [[]]
        return [end for kind in dict.fromkeys(left) for end in raze(without(left, kind), beside)]

    def without(left: list[str], kind: str) -> list[str]:
        place = left.index(kind)
        return left[:place] + left[place + 1 :]

    ends = 0
    kinds = ("port", "fortress", "temple", "university")
    for places in product(*([isle for isle in held if kind in held[isle]] for kind in kinds)):
        left = {isle: list(built) for isle, built in held.items()}
        for kind, isle in zip(kinds, places, strict=True):
            left[isle].remove(kind)
        for isle, built in left.items():
            size, covered = slots[isle]
            ends += len(raze(built, size - covered))

    assert ends == len(ends_of_set(set_of_four().state))


def ends_of_set(state: CycladesState) -> list[int]:
    if state.metropolises and state.decision is not None and state.decision.prompt == "turn athena":
        return [state.metropolises]

    ends = []
    assert state.decision is not None
    for action in state.decision.actions:
        after = state.clone()
        after.apply(action)
        ends += ends_of_set(after)
    return ends
