"""The material and the maps (C1), against the grid and against counts of their own."""

import json
from collections import Counter
from importlib.resources import files

import pytest
from tests.engine.cyclades.positions import random_match

from agon_engine.cyclades import GAME
from agon_engine.cyclades.board import BOARDS, members
from agon_engine.cyclades.data import DIE, MAPS, read_maps
from agon_engine.cyclades.enums import Todo

TEXT = files("agon_engine.cyclades").joinpath("maps.json").read_text("utf-8")
SEATS = (2, 3, 4, 5)
ROWS = "ABCDEFGHIJK"


def neighbours_on_the_grid(lengths: list[int], cell: str) -> set[str]:
    """Return the cells that touch one: in its row, and the two nearest of each adjacent row."""
    row, index = ROWS.index(cell[0]), int(cell[1:])
    found = {(row, index - 1), (row, index + 1)}
    for other in (row - 1, row + 1):
        if 0 <= other < len(lengths):
            # A longer row reaches out by half a cell on both sides, a shorter one lies in between.
            first = index if lengths[other] > lengths[row] else index - 1
            found |= {(other, first), (other, first + 1)}
    return {f"{ROWS[row]}{index}" for row, index in found if 1 <= index <= lengths[row]}


@pytest.mark.parametrize("seats", SEATS)
def test_the_adjacency_of_a_map_is_that_of_its_grid(seats: int) -> None:
    """C1: recomputed from cells alone; islands are adjacent to what touches any of their cells."""
    entry = json.loads(TEXT)["maps"][str(seats)]
    lengths = entry["row_lengths"]
    island_of = {cell: island["id"] for island in entry["islands"] for cell in island["cells"]}
    every = {f"{ROWS[row]}{index}" for row, length in enumerate(lengths) for index in range(1, length + 1)}
    seas = every - set(island_of)

    assert sorted(seas) == sorted(sea["id"] for sea in entry["seas"])
    for sea in entry["seas"]:
        near = neighbours_on_the_grid(lengths, sea["id"])

        assert sorted(near & seas) == sorted(sea["adjacent_seas"]), sea["id"]
        assert sorted({island_of[cell] for cell in near - seas}) == sorted(sea["adjacent_islands"]), sea["id"]
    for island in entry["islands"]:
        near = set.union(*(neighbours_on_the_grid(lengths, cell) for cell in island["cells"]))

        assert sorted(near & seas) == sorted(island["adjacent_seas"]), island["id"]
        assert near <= seas | set(island["cells"]), f"{island['id']} touches another island"


@pytest.mark.parametrize("seats", SEATS)
def test_the_tables_say_what_the_map_says(seats: int) -> None:
    entry, board = json.loads(TEXT)["maps"][str(seats)], BOARDS[seats]
    sea_names, islands, seas = board.sea_names, entry["islands"], entry["seas"]

    assert (len(islands), len(seas)) == (board.islands, board.seas)
    for number, island in enumerate(islands, 1):
        assert island["id"] == f"IS{number}"
        assert island["adjacent_seas"] == [sea_names[sea] for sea in board.island_seas[number]]
        assert sorted(island["adjacent_seas"]) == sorted(sea_names[sea] for sea in members(board.island_waters[number]))
        printed = (island["building_slots"], island["metropolis_covers_slots"], island["printed_prosperity"])
        assert printed == (board.slots[number], board.covered[number], board.horns[number])
    for number, sea in enumerate(seas, 1):
        near = [sea_names[other] for other in members(board.sea_neighbours[number])]
        assert sorted(sea["adjacent_seas"]) == sorted(near)
        assert sorted(sea["adjacent_seas"]) == sorted(sea_names[route.target] for route in board.routes[number])
        assert sorted(sea["adjacent_islands"]) == sorted(f"IS{shore}" for shore in members(board.sea_shores[number]))
        assert sea["trade_prosperity"] == board.trade >> number & 1
        for route in board.routes[number]:
            code = GAME.notation.code(route.first)
            assert code == f"move {sea['id']}>{sea_names[route.target]} x1"
            assert code[:-1] + "8" == GAME.notation.code(route.first + 7)


@pytest.mark.parametrize("seats", SEATS)
def test_every_seat_starts_with_two_islands_two_fleets_and_an_income_of_two(seats: int) -> None:
    """C2.1, C5.1: counted from the file alone."""
    entry = json.loads(TEXT)["maps"][str(seats)]
    horns = {island["id"]: island["printed_prosperity"] for island in entry["islands"]}
    trade = {sea["id"]: sea["trade_prosperity"] for sea in entry["seas"]}
    taken: Counter[str] = Counter()
    for start in entry["starts"]:
        taken.update([*start["troops"], *start["fleets"]])

        assert (len(start["troops"]), len(start["fleets"])) == (2, 2)
        assert sum(horns[island] for island in start["troops"]) + sum(trade[sea] for sea in start["fleets"]) == 2
    assert sorted(set(taken.values())) == [1]
    assert [seats] == [len(entry["starts"])]


def test_the_dice_and_what_there_is_of_everything() -> None:
    """C1.1, C1.2, C1.3."""
    state = next(random_match(5, 0))

    assert DIE == (0, 1, 1, 2, 2, 3)
    assert dict(state.inventory()) == {
        "troops": 5 * 8,
        "fleets": 5 * 8,
        "buildings": 4 * 10,
        "metropolises": 10,
        "prosperity": 16,
        "priests": 18,
        "philosophers": 17,
        "cards": 17,
        "different cards": 17,
    }


@pytest.mark.parametrize("seats", SEATS)
def test_random_matches_keep_all_counts_true(seats: int) -> None:
    """C1.1, C1.2, C1.4: nobody's pieces are lost, no supply goes below 0, no sea has fleets of two; masks are lists."""
    for number in range(4):
        first = None
        for state in random_match(seats, number, busy=True):
            first = first or dict(state.inventory())
            board = BOARDS[seats]

            assert first == dict(state.inventory())
            numbers = (*state.buildings_left, state.metropolises_left, state.prosperity_left, state.priests_left)
            numbers += (*state.troops, *state.fleets, *state.buildings, *state.troop_reserve, *state.fleet_reserve)
            assert min(*numbers, state.philosophers_left, *state.purses, *state.priests, *state.philosophers) >= 0
            for seat in range(seats):
                isles = [island for island, owner in enumerate(state.island_owner) if owner == seat]
                seas = [sea for sea, owner in enumerate(state.sea_owner) if owner == seat]
                assert isles == list(members(state.isles[seat]))
                assert seas == list(members(state.waters[seat]))
            for sea in range(1, board.seas + 1):
                assert (state.fleets[sea] > 0) == (state.sea_owner[sea] >= 0)
            for island in range(1, board.islands + 1):
                assert not state.troops[island] or state.island_owner[island] >= 0
                under = board.covered[island] if state.metropolises >> island & 1 else 0
                to_raze = [step.number for step in state.agenda if (step.todo, step.place) == (Todo.RAZE, island)]
                built = sum(state.buildings[island * 5 : island * 5 + 5])
                assert built <= board.slots[island] - under + sum(to_raze)


def test_a_map_that_is_wrong_is_refused_with_what_is_wrong() -> None:
    for old, new, message in (
        ('"id": "IS1"', '"id": "IS99"', "not numbered in their order"),
        ('"building_slots": 1', '"building_slots": 0', "covers more slots"),
        ('{"seat": 0', '{"seat": 7', "order of the seats"),
        ('   {"seat": 1, "troops": ["IS2", "IS8"], "fleets": ["D3", "K2"]}', "", "another number of starts"),
    ):
        text = TEXT.replace(old, new, 1)
        if not new:
            text = text.replace('"fleets": ["B2", "G5"]},', '"fleets": ["B2", "G5"]}', 1)

        with pytest.raises(ValueError, match=message):
            read_maps(text)
    assert sorted(MAPS) == list(SEATS)
