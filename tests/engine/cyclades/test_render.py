"""A view as text: the map with all that stands on it, and that no two positions look the same."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import dedent
from typing import Any

import pytest
from tests.engine.cyclades.crowded import crowded_turns
from tests.engine.cyclades.positions import lay_out

from agon_engine.core import Chance
from agon_engine.cyclades import GAME, View
from agon_engine.cyclades.data import MAPS
from agon_engine.cyclades.enums import NOBODY, Creature, Ending, God, Phase, Todo
from agon_engine.cyclades.grid import grid_of
from agon_engine.cyclades.render import WIDTH
from agon_engine.cyclades.view import Battle, Due, Figurine, Fleet, Island, Roll, Seas

SEATS = GAME.spec.seat_counts
every_map = pytest.mark.parametrize("seats", SEATS)


def start(seats: int, seat: int | None = None) -> View:
    return GAME.start(seats, Chance(bytes(16))).view(seat)


def change_island(view: View, number: int, **changes: Any) -> View:
    islands = list(view.islands)
    islands[number - 1] = islands[number - 1]._replace(**changes)
    return view._replace(islands=tuple(islands))


def cell_of(text: str, cell: str) -> list[str]:
    """Return both lines of what is written at a cell or island of that name."""
    lines = text.splitlines()
    row = next(row for row, line in enumerate(lines) if f"|{cell}" in line)
    column = lines[row].index(f"|{cell}") + 1
    return [line[column : column + 6].rstrip() for line in lines[row : row + 2]]


def random_views(seats: int, matches: int) -> Iterator[View]:
    for number in range(matches):
        seed = number.to_bytes(16, "big")
        options: dict[str, Any] = {"max_cycles": 12, "two_player_gods": 3 + number % 2}
        state = GAME.start(seats, Chance(seed), options)
        choices = Chance(seed).fork("choices")
        while state.decision is not None:
            yield state.view(None)
            state.apply(choices.choice("choices", state.decision.actions))
        yield state.view(None)


# -- the map -------------------------------------------------------------------------------------------------


def test_the_map_of_two_seats_as_it_begins() -> None:
    text = GAME.render(start(2))

    expected = """
                         +------+------+
                         |A1    |A2  *1|
                         |      |      |
                      +--+---+--+---+--+---+
                      |IS1 *2|B2    |B3    |
                      |0:1.  |0:1   |      |
                  +---+--+---+--+---+------+--+
                  |C1    |C2    |IS2 *1       |
                  |      |      |1:1.      .  |
               +--+---+--+---+--+---+------+--+---+
               |D1    |IS3 *1|D3    |D4    |D5    |
               |      |   .  |1:1   |      |      |
           +---+--+---+--+   +--+---+--+---+--+---+--+
           |E1    |E2    |      |E4    |IS4 *2|E6    |
           |      |      |   .  |      |   .  |      |
        +--+---+--+---+--+---+--+---+--+---+--+---+--+---+
        |F1  *1|IS5   |F3    |F4    |F5    |F6    |F7  *1|
        |      |   .  |      |      |      |      |      |
        +--+---+      +--+---+--+---+--+---+--+---+--+---+
           |             |G3    |IS6 *2|G5    |IS7   |
           |   .      .  |      |   .  |0:1   |0:1.  |
           +---+------+--+---+--+---+--+---+--+   +--+
               |H1    |H2    |H3    |H4    |      |
               |      |      |      |      |   .  |
               +--+---+--+---+--+---+--+---+  +---+
                  |IS8   |I2    |I3    |      |
                  |1:1.  |      |      |   .  |
                  +---+  +---+--+---+--+   +--+
                      |      |J2    |      |
                      |   .  |      |   .  |
                      +--+   +--+---+--+---+
                         |      |K2  *1|
                         |   .  |1:1   |
                         +------+------+
    """
    assert dedent(expected).strip("\n").rstrip() in dedent(text[text.index("\n\n") + 2 :])


@every_map
def test_the_map_shows_every_cell_and_touching_cells_touch(seats: int) -> None:
    """Of the cells drawn at one place and just right of or below it, each pair touches in the data, and all such pairs
    are found."""
    printed = MAPS[seats]
    area_of = {sea.cell: sea.cell for sea in printed.seas[1:]}
    for number, island in enumerate(printed.islands):
        area_of |= dict.fromkeys(island.cells, f"IS{number}")
    lines = list(grid_of(seats).draw({cell: (cell.ljust(6, "."), cell.ljust(6, ".")) for cell in area_of}))

    def cell_at(row: int, column: int) -> str:
        """Return the name of the cell that is drawn around a place, which is not on a wall."""
        line = lines[row] if row < len(lines) else ""
        if column >= len(line) or line[column] in " |":
            return ""
        begin = max(line.rfind(wall, 0, column) for wall in "| ") + 1
        return line[begin : begin + 6].rstrip(".")

    touching = set()
    for row in range(1, len(lines), 3):
        for column in range(len(lines[row])):
            here = cell_at(row, column)
            for other in (cell_at(row, column + 2), cell_at(row + 3, column)):
                if here and other and area_of[here] != area_of[other]:
                    touching |= {frozenset((area_of[here], area_of[other]))}

    seas = {frozenset((sea.cell, printed.seas[near].cell)) for sea in printed.seas[1:] for near in sea.seas}
    shores = {frozenset((sea.cell, f"IS{island}")) for sea in printed.seas[1:] for island in sea.islands}
    isles = {pair for pair in touching if all(name.startswith("IS") for name in pair)}
    assert touching - isles == seas | shores
    assert set(area_of) == {name for line in lines[1::3] for name in line.replace("|", " ").replace(".", " ").split()}


@every_map
def test_an_island_is_drawn_in_one_piece_with_its_horns_and_slots(seats: int) -> None:
    text = GAME.render(start(seats))

    for number, island in enumerate(MAPS[seats].islands[1:], 1):
        horns = f"*{island.horns}" if island.horns else ""
        assert f"{f'IS{number}':<4}{horns}".rstrip() == cell_of(text, f"IS{number}")[0]
    assert sum(island.slots for island in MAPS[seats].islands) == sum(
        line.count(".") for line in text.splitlines() if "|" in line
    )


@every_map
def test_every_island_has_a_cell_for_each_slot(seats: int) -> None:
    assert all(len(island.cells) == island.slots for island in MAPS[seats].islands)


@every_map
def test_no_line_is_too_long_even_with_everything_on_the_map(seats: int) -> None:
    view = start(seats, 0)
    for number in range(1, len(view.islands) + 1):
        view = change_island(view, number, owner=seats - 1, troops=8, prosperity=16, metropolis=True)
    creatures = view.creatures._replace(
        spaces=(Creature.POLYPHEMUS,) * 3,
        discard=tuple(Creature)[1:],
        gone=tuple(Creature)[1:],
        figurines=tuple(Figurine(Creature(14 + place), 4, place + 1, 100) for place in range(4)),
        kraken=3,
    )
    players = tuple(player._replace(least_gold=100, most_gold=999) for player in view.players)
    lines = GAME.render(view._replace(creatures=creatures, players=players)).splitlines()

    assert max(map(len, lines)) <= WIDTH
    assert not [line for line in lines if line != line.rstrip()]


# -- what stands there ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"owner": 3, "troops": 8}, "3:8."),
        ({"owner": 0, "troops": 0}, "0:0."),
        ({"owner": NOBODY, "troops": 0}, "   ."),
        ({"owner": 1, "troops": 2, "buildings": (1, 0, 0, 0)}, "1:2P"),
        ({"owner": 1, "troops": 2, "buildings": (0, 1, 0, 0)}, "1:2F"),
        ({"owner": 1, "troops": 2, "buildings": (0, 0, 1, 0)}, "1:2T"),
        ({"owner": 1, "troops": 2, "buildings": (0, 0, 0, 1)}, "1:2U"),
        ({"owner": 1, "troops": 2, "metropolis": True}, "1:2M"),
    ],
)
def test_an_island_shows_its_owner_troops_and_building(changes: dict[str, Any], expected: str) -> None:
    text = GAME.render(change_island(start(4), 4, **changes))

    assert ["IS4 *2", expected] == cell_of(text, "IS4")


def test_the_buildings_of_an_island_are_spread_over_its_cells() -> None:
    """C10.8: a Metropolis covers two of the four slots."""
    text = GAME.render(change_island(start(5), 2, owner=2, troops=1, metropolis=True, buildings=(0, 1, 0, 1)))

    assert "|2:1M      M  |" in text
    assert "|   F      U  |" in text


def test_buildings_under_a_new_frame_are_shown_until_they_go() -> None:
    """C10.8: while its owner is asked which go, they and the Metropolis have more slots than the island."""
    isles = {"IS5": "0 port temple fortress", "IS1": "0", "IS7": "1"}
    table = lay_out(3, "athena", isles=isles, philosophers={0: 3}).do("recruit philosopher", "found IS5")
    before = GAME.render(table.state.view(None))
    after = GAME.render(table.do("raze port IS5").state.view(None))

    assert "Seat 0 is asked which building goes on IS5, of 2 that have to." in before
    assert cell_of(before, "IS5")[1] == "0:0P"
    assert cell_of(after, "IS5")[1] == "0:0M"


@every_map
def test_crowded_positions_can_be_drawn(seats: int) -> None:
    drawn = [GAME.render(state.view(None)) for number in range(12) for state in crowded_turns(seats, number)]

    assert len(drawn) > 150
    assert max(len(line) for text in drawn for line in text.splitlines()) <= WIDTH


@pytest.mark.parametrize(("markers", "expected"), [(0, "IS11*2"), (7, "IS11*9"), (8, "IS11*+")])
def test_an_island_shows_what_it_brings(markers: int, expected: str) -> None:
    text = GAME.render(change_island(start(5), 11, prosperity=markers))

    assert expected == cell_of(text, "IS11")[0]
    assert ("*+ is IS11 10." in text) == (markers == 8)


def test_a_sea_shows_its_fleets_and_whether_trade_passes() -> None:
    text = GAME.render(start(5)._replace(seas=Seas((Fleet(1, 4, 8), Fleet(2, 0, 1)))))

    assert cell_of(text, "A1") == ["A1  *1", "4:8"]
    assert cell_of(text, "A2") == ["A2", "0:1"]
    assert cell_of(text, "A3") == ["A3", ""]


def test_the_kraken_shows_in_its_sea_which_is_barred() -> None:
    view = start(5)

    text = GAME.render(view._replace(creatures=view.creatures._replace(kraken=1)))
    assert cell_of(text, "A1") == ["A1 #*1", "Kraken"]


@pytest.mark.parametrize(
    ("creature", "sign"),
    [
        (Creature.MINOTAUR, "mi"),
        (Creature.CHIRON, "ch"),
        (Creature.MEDUSA, "me"),
        (Creature.POLYPHEMUS, "po"),
    ],
)
def test_a_figurine_shows_on_its_island(creature: Creature, sign: str) -> None:
    view = start(5)
    creatures = view.creatures._replace(figurines=(Figurine(creature, 2, 11, 7),))

    text = GAME.render(view._replace(creatures=creatures))
    assert ["IS11*2", f"   .{sign}"] == cell_of(text, "IS11")
    assert f"Figurines: {creature.name.lower()} on IS11 of seat 2 since cycle 7." in text


def test_polyphemus_bars_the_seas_around() -> None:
    view = start(3)
    creatures = view.creatures._replace(figurines=(Figurine(Creature.POLYPHEMUS, 2, 1, 7),))

    text = GAME.render(view._replace(creatures=creatures))
    assert {"A1", "B2", "C1", "C2"} == {
        sea.cell for sea in MAPS[3].seas[1:] if "#" in cell_of(text, sea.cell.ljust(3))[0]
    }


# -- beside the map ------------------------------------------------------------------------------------------


def test_gods_bids_and_track() -> None:
    view = start(4)
    gods = [offer._replace(god=God(number)) for number, offer in enumerate(view.gods.offers, 1)]
    gods[1] = gods[1]._replace(bidder=3, amount=12)
    view = view._replace(
        gods=view.gods._replace(offers=tuple(gods), apollo=(2, 0), out=(God.POSEIDON,)),
        table=view.table._replace(order=(3, 2, 0, 1), placed=3),
    )

    text = GAME.render(view)
    expected = "Gods: zeus -, athena 12 by seat 3, ares -, apollo by seat 2, 0; not in this cycle: poseidon."
    assert expected in text.replace("\n  ", " ")
    assert "Turn track: 3 2 0, to come 1;" in text


def test_gold_is_shown_as_a_range_where_it_is_one() -> None:
    view = start(3, 1)
    players = tuple(player._replace(least_gold=2, most_gold=11) for player in view.players)

    rows = GAME.render(view._replace(players=players)).splitlines()
    gold = {row.split()[0]: row[7:14].strip() for row in rows if row[:1].isdigit()}
    assert gold == {"0": "2-11", "1": "7", "2": "2-11"}


def test_a_battle_shows_its_sides_and_rolls() -> None:
    view = start(3)
    on_land = Battle(5, 0, 2, 3, 1, (Roll(2, 1), Roll(0, 3)))
    at_sea = Battle(0, 1, 2, 3, 1, ())
    past = Battle(0, 0, NOBODY, 0, NOBODY, (Roll(2, 1),))

    shown = [GAME.render(view._replace(battle=battle)) for battle in (on_land, at_sea, past)]
    assert "Battle for IS5: seat 2 with 3 against seat 1; rolls 2-1, 0-3." in shown[0]
    assert "Battle for A1: seat 2 with 3 against seat 1; rolls -." in shown[1]
    assert "Rolls of the last battle: 2-1." in shown[2]


@pytest.mark.parametrize("todo", [todo for todo in Todo if todo >= Todo.GOD])
def test_every_question_is_put_in_words(todo: Todo) -> None:
    view = start(4)
    step = Due(todo, 2, 3, 3, 1)
    pending = view.pending._replace(todo=todo, seat=2, steps=(step,))

    [line] = [line for line in GAME.render(view._replace(pending=pending)).splitlines() if "is asked" in line]
    assert line.startswith(("Seat 2 is asked wh", "Seat 2 is asked how"))
    assert "{" not in line


@pytest.mark.parametrize("ending", [ending for ending in Ending if ending])
def test_the_end_is_told(ending: Ending) -> None:
    view = start(4)
    table = view.table._replace(phase=Phase.OVER, ending=ending, cycle=9, fallen=(2,))

    text = GAME.render(view._replace(table=table, pending=view.pending._replace(seat=NOBODY, steps=())))
    assert text.startswith("Cycle 9 of 30, the match is over: ")
    assert "Eliminated: 2." in text
    assert "asked" not in text


def test_your_own_seat_is_marked() -> None:
    assert "0 (you)" in GAME.render(start(2, 0))
    assert "(you)" not in GAME.render(start(2, None))


# -- over whole matches --------------------------------------------------------------------------------------


@every_map
def test_views_that_differ_look_different(seats: int) -> None:
    """All but what the options are and what follows the open question."""
    seen: dict[str, View] = {}
    asked: set[Todo] = set()
    for view in random_views(seats, 2):
        key = view._replace(
            deal=view.deal._replace(two_player_gods=4),
            pending=view.pending._replace(steps=view.pending.steps[-1:]),
        )
        text = GAME.render(view)
        assert max(map(len, text.splitlines())) <= WIDTH

        asked.add(view.pending.todo)
        assert key == seen.setdefault(text, key)

    assert len(seen) > 300
    assert len(asked) > 10


@pytest.mark.parametrize(
    ("field", "value"),
    [("owner", 0), ("troops", 5), ("buildings", (0, 1, 0, 0)), ("metropolis", True), ("prosperity", 3)],
)
@every_map
def test_every_island_shows_each_of_its_fields(seats: int, field: str, value: Any) -> None:
    for number in range(1, len(MAPS[seats].islands)):
        view = change_island(start(seats), number, owner=1)

        assert GAME.render(view) != GAME.render(change_island(view, number, **{field: value})), number


def test_an_island_names_all_its_fields() -> None:
    """A new field of an island has to be drawn, and tested above."""
    assert Island._fields == ("island", "owner", "troops", "buildings", "metropolis", "prosperity")


@every_map
def test_the_islands_of_each_seat_are_counted(seats: int) -> None:
    """They rank seats with as many Metropolises (C10.4)."""
    view = change_island(start(seats), len(MAPS[seats].islands) - 1, owner=1)
    owned = [sum(island.owner == seat for island in view.islands) for seat in range(seats)]

    assert owned[1] > 0
    assert f"Islands by seat: {' '.join(map(str, owned))}. " in " ".join(GAME.render(view).split())
