"""The end of a match and who is where (C10.4, C10.5, C7.12)."""

from collections.abc import Mapping, Sequence

import pytest
from tests.engine.cyclades.positions import Table, lay_out, random_match

from agon_engine.core import IllegalActionError, OptionValue
from agon_engine.cyclades.enums import Ending


def end_cycle(
    metropolises: Sequence[int],
    gold: Mapping[int, int],
    islands: Sequence[int] = (),
    cycle: int = 4,
    seats: int | None = None,
    fallen: Sequence[int] = (),
    **options: OptionValue,
) -> Table:
    """End a cycle in which the seats have so many Metropolises, other islands and gold."""
    seats = seats or len(metropolises)
    names = iter(f"IS{number}" for number in range(1, 14))
    isles: dict[str, str] = {}
    for seat, count in enumerate(metropolises):
        isles |= {next(names): f"{seat} metropolis" for _ in range(count)}
        isles |= {next(names): f"{seat}" for _ in range(islands[seat] if islands else 1)}
    table = lay_out(seats, isles=isles, gold=gold, cycle=cycle, options=options)
    table.state.fallen = list(fallen)
    table.state.next_order = [1]
    return table.do("end")


def placements(table: Table) -> tuple[int, ...]:
    outcome = table.state.outcome()
    assert outcome is not None
    return outcome.placements


@pytest.mark.parametrize(("seats", "number"), [(2, 3), (3, 2), (4, 2), (5, 2)])
def test_the_winning_number_ends_the_match_at_the_end_of_the_cycle(seats: int, number: int) -> None:
    """C10.4: three with two players, else two."""
    less = [number - 1, *[0] * (seats - 1)]

    assert end_cycle(less, {}).prompt == "god"
    table = end_cycle([number, *less[1:]], {})
    assert (table.state.decision, table.state.ending) == (None, Ending.METROPOLISES)
    assert placements(table)[0] == 1
    assert table.told[-1] == "over metropolises"
    assert [f"{seat}: score {count}" for seat, count in enumerate([number, *less[1:]])] == table.told[-1 - seats : -1]


def test_it_does_not_end_in_the_middle_of_a_cycle() -> None:
    """C10.4."""
    isles = {"IS5": "0 metropolis", "IS8": "0 x1", "IS7": "1"}
    table = lay_out(3, "athena", isles=isles, philosophers={0: 3}, later="zeus:1")
    table.do("recruit philosopher")

    assert (table.prompt, table.state.ending) == ("turn athena", Ending.NONE)
    table.do("end")
    assert table.prompt == "turn zeus"
    table.do("end")
    assert Ending.METROPOLISES is table.state.ending


@pytest.mark.parametrize(
    ("metropolises", "gold", "tie_break", "expected"),
    [
        ((2, 0, 0), (0, 9, 8), "gold", (1, 2, 3)),
        # Those with the winning number come first, by gold; equal gold is shared.
        ((2, 2, 0), (5, 6, 99), "gold", (2, 1, 3)),
        ((2, 2, 0), (5, 5, 99), "gold", (1, 1, 3)),
        ((3, 2, 0), (5, 6, 0), "gold", (2, 1, 3)),
        ((3, 2, 0), (5, 5, 0), "gold", (1, 1, 3)),
        ((3, 2, 0), (5, 6, 0), "metropolises_then_gold", (1, 2, 3)),
        ((2, 2, 0), (5, 6, 0), "metropolises_then_gold", (2, 1, 3)),
        ((2, 2, 0), (5, 5, 0), "metropolises_then_gold", (1, 1, 3)),
        # The others by Metropolises, islands, gold.
        ((2, 0, 1), (0, 9, 0), "gold", (1, 3, 2)),
    ],
)
def test_who_is_where(
    metropolises: Sequence[int], gold: Sequence[int], tie_break: str, expected: tuple[int, ...]
) -> None:
    """C10.4: option tie_break."""
    assert expected == placements(end_cycle(metropolises, dict(enumerate(gold)), tie_break=tie_break))


@pytest.mark.parametrize(
    ("metropolises", "islands", "gold", "expected"),
    [
        ((2, 1, 0), (1, 1, 3), (0, 0, 9), (1, 2, 3)),
        ((2, 0, 0), (1, 1, 2), (0, 9, 0), (1, 3, 2)),
        ((2, 0, 0), (1, 2, 2), (0, 9, 8), (1, 2, 3)),
        ((2, 0, 0), (1, 2, 2), (0, 9, 9), (1, 2, 2)),
    ],
)
def test_the_others_are_ranked_by_metropolises_islands_and_gold(
    metropolises: Sequence[int], islands: Sequence[int], gold: Sequence[int], expected: tuple[int, ...]
) -> None:
    """C10.4."""
    assert expected == placements(end_cycle(metropolises, dict(enumerate(gold)), islands))


def test_the_eliminated_are_below_all_others_later_ones_above_earlier_ones() -> None:
    """C7.12, C10.4."""
    table = end_cycle((2, 0, 0, 0, 0), {}, islands=(1, 1, 0, 0, 1), fallen=(3, 2))

    assert placements(table) == (1, 2, 4, 5, 2)


@pytest.mark.parametrize(("cap", "cycle", "ends"), [(5, 4, False), (5, 5, True), (30, 29, False), (30, 30, True)])
def test_the_cap_ends_the_match_as_it_stands(cap: int, cycle: int, ends: bool) -> None:
    """C10.5: option max_cycles; no winner by rule."""
    table = end_cycle((1, 0, 0), {0: 1, 1: 5, 2: 4}, cycle=cycle, max_cycles=cap)

    assert ends == (table.state.decision is None)
    if ends:
        outcome = table.state.outcome()
        assert outcome is not None
        assert (table.state.ending, outcome.by_cap, outcome.placements) == (Ending.CAP, True, (1, 2, 3))


def test_the_winning_number_is_looked_at_before_the_cap() -> None:
    """C10.5."""
    table = end_cycle((2, 0, 0), {}, cycle=30)
    outcome = table.state.outcome()

    assert outcome is not None
    assert (table.state.ending, outcome.by_cap) == (Ending.METROPOLISES, False)


def test_after_the_end_nothing_is_asked_and_nothing_taken() -> None:
    """C10.4."""
    table = end_cycle((2, 0, 0), {})

    with pytest.raises(IllegalActionError, match="the match is over"):
        table.do("end")
    assert table.state.view(None).pending.steps == ()


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_the_standing_of_a_running_match_ranks_all_seats(seats: int) -> None:
    """C10.4: as if it ended now."""
    for state in random_match(seats, 1, max_cycles=5):
        standing = state.standing()

        assert seats == len(standing.placements)
        assert min(standing.placements) == 1
    assert state.outcome() == standing
