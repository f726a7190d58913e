"""Islands that change hands (C7.11, C7.12, C10.7)."""

from collections import Counter
from typing import Any, Unpack

import pytest
from tests.engine.cyclades.positions import Dice, Layout, Table, lay_out

from agon_engine.core import OptionValue
from agon_engine.cyclades import CycladesState, pieces, play, sets
from agon_engine.cyclades.enums import Ending, Phase, Todo
from agon_engine.cyclades.layout import due

SEAS = {"E2": "0 x1"}
"""Joins IS5 and IS3."""


def targets(isles: dict[str, str], seats: int = 3, **options: OptionValue) -> list[str]:
    """Return the islands to which seat 0 can march from IS5."""
    table = lay_out(seats, "ares", isles=isles, seas=SEAS, options=options)
    return sorted({code[4:7] for code in table.listed("move")})


# -- the last island -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("garrison", ["1 x2", "1", "1 minotaur:1"])
def test_the_last_island_of_a_player_may_not_be_attacked(garrison: str) -> None:
    """C7.11: an empty one is protected as well."""
    assert targets({"IS5": "0 x1", "IS3": garrison, "IS7": "2"}) == []
    assert targets({"IS5": "0 x1", "IS3": garrison, "IS8": "1", "IS7": "2"}) == ["IS3"]


def test_it_may_for_the_metropolis_that_wins() -> None:
    """C7.11."""
    isles = {"IS5": "0 x1", "IS8": "0 metropolis", "IS3": "1 metropolis", "IS7": "2"}

    assert targets(isles) == ["IS3"]
    assert targets({**isles, "IS8": "0"}) == []
    # At the winning number already: it would not be raised to it.
    assert targets({**isles, "IS7": "0 metropolis", "IS6": "2"}) == []


def test_two_players_need_three() -> None:
    """C7.11, C10.4."""
    isles = {"IS5": "0 x1", "IS8": "0 metropolis", "IS3": "1 metropolis"}

    assert targets(isles, seats=2) == []
    assert targets({**isles, "IS7": "0 metropolis"}, seats=2) == ["IS3"]


def test_it_may_for_a_set_that_is_completed_with_the_island() -> None:
    """C7.11: the Metropolis may stand on that island too."""
    isles = {"IS5": "0 x1 port fortress", "IS8": "0 metropolis temple", "IS3": "1 university", "IS7": "2"}

    assert targets(isles) == ["IS3"]
    assert targets({**isles, "IS3": "1 port"}) == []
    assert targets({**isles, "IS8": "0 temple"}) == []


def test_it_may_for_a_set_that_comes_with_a_metropolis() -> None:
    """C7.11: both count."""
    isles = {"IS5": "0 x1 port fortress temple", "IS3": "1 university metropolis", "IS7": "2"}

    assert targets({**isles, "IS3": "1 metropolis university"}) == ["IS3"]
    assert targets({**isles, "IS3": "1 university"}) == []


def test_a_set_must_find_a_place() -> None:
    """C7.11, C10.2: with `forbid` on an island without buildings under the frame, once the set is gone."""
    isles = {"IS7": "0 metropolis", "IS5": "0 x1 port fortress temple", "IS3": "1 university", "IS8": "2"}

    assert targets(isles) == ["IS3"]
    assert targets(isles, metropolis_over_buildings="forbid") == ["IS3"]
    full = {**isles, "IS5": "0 x1 port port", "IS1": "0 fortress", "IS2": "0 temple temple", "IS3": "1 university port"}
    # IS1 is free once its Fortress is gone; without it no island is.
    assert targets(full, metropolis_over_buildings="forbid") == ["IS3"]
    stuck = {"IS7": "0 metropolis fortress temple", "IS5": "0 x1 port port port", "IS3": "1 university university"}
    stuck["IS8"] = "2"
    assert targets(stuck) == ["IS3"]
    assert targets(stuck, metropolis_over_buildings="forbid") == []


def test_a_set_needs_a_metropolis_that_is_left() -> None:
    """C7.11, C10.2."""
    isles = {"IS5": "0 x1 port fortress temple", "IS7": "0 metropolis", "IS3": "1 university", "IS8": "2"}
    table = lay_out(3, "ares", isles=isles, seas=SEAS)

    assert sets.would_win(table.state, 0, 3)
    table.state.metropolises_left = 0
    assert not sets.would_win(table.state, 0, 3)


def test_two_sets_may_be_completed_at_once() -> None:
    """C7.11, C10.7: one after the other, where the first Metropolis leaves the second set whole."""
    isles = {"IS7": "0 port port fortress fortress", "IS5": "0 x1 temple temple", "IS3": "1 university university"}

    assert targets({**isles, "IS8": "2"}) == ["IS3"]
    assert targets({**isles, "IS3": "1 university", "IS8": "2"}) == []


def wins_by_exchanges(state: CycladesState) -> bool:
    """Tell whether seat 0 has two Metropolises after some answers to all that is asked."""
    if state.decision is None:
        return (state.metropolises & state.isles[0]).bit_count() >= 2

    for action in state.decision.actions:
        copy = state.clone()
        copy.apply(action)
        if wins_by_exchanges(copy):
            return True
    return False


@pytest.mark.parametrize("rule", ["remove", "forbid"])
def test_what_a_conquest_would_bring_is_what_the_exchange_of_sets_can_bring(rule: str) -> None:
    """C7.11, C10.7: in random positions, against all ways to exchange the sets once the island is taken."""
    choices, brings = Dice(3), Counter[bool]()
    for _ in range(120):
        missing = KINDS[choices.below(4)]
        isles = {island: f"0 {buildings(choices, slots, missing)}" for island, slots in SLOTS.items()}
        isles["IS3"] = f"1 {missing} {missing if choices.below(2) else ''}"
        isles["IS5"] += " metropolis" if choices.below(2) and isles["IS5"].count(" ") < 2 else ""
        state = lay_out(3, "athena", isles=isles, options={"metropolis_over_buildings": rule}).state
        taken = state.clone()
        pieces.own_island(taken, 0, 3, 1)
        taken.agenda, taken.decision = [due(Todo.SETS, 0)], None
        play.run(taken)

        would_win = sets.would_win(state, 0, 3)
        assert wins_by_exchanges(taken) == would_win, isles
        brings[would_win] += 1
    assert min(brings[False], brings[True]) > 10


SLOTS = {"IS1": 1, "IS2": 2, "IS5": 3, "IS8": 3}
"""The islands of seat 0 in these positions, with their slots."""
KINDS = ("port", "fortress", "temple", "university")


def buildings(choices: Dice, most: int, missing: str) -> str:
    """Return up to so many buildings of the other kinds."""
    kinds = [kind for kind in KINDS if kind != missing]
    return " ".join(kinds[choices.below(3)] for _ in range(most - (choices.below(4) == 0)))


def test_what_a_conquest_would_bring_is_known_soon_on_many_islands(monkeypatch: pytest.MonkeyPatch) -> None:
    """C7.11: it is asked before every action; each way to give up a set was once tried, for seconds."""
    look, looks = sets._can_found, Counter[str]()

    def counted(*position: Any) -> bool:
        looks["all"] += 1
        return look(*position)

    monkeypatch.setattr(sets, "_can_found", counted)
    built = ["F T", "P F T", "P F", "F T", "P", "T", "F T", "P", "P F T", "P P F T", "", "T", "P F F"]
    names = {"P": "port", "F": "fortress", "T": "temple"}
    isles = {
        f"IS{number}": " ".join(["0", *(names[kind] for kind in kinds.split())])
        for number, kinds in enumerate(built, 1)
    }
    table = lay_out(5, "athena", isles={**isles, "IS11": "1 university"})

    assert not sets.would_win(table.state, 0, 11)
    assert 0 < looks["all"] < 100


def test_the_last_island_rule_is_for_pegasus_too() -> None:
    """C7.11, C9 pegasus."""
    isles = {"IS5": "0 x1", "IS3": "1 x1", "IS7": "2", "IS8": "2"}
    table = lay_out(3, "zeus", isles=isles, spaces="pegasus - -")
    table.do("buy pegasus")

    assert "IS3" not in {code[4:7] for code in table.listed("fly")}
    assert {"IS7", "IS8"} <= {code[4:7] for code in table.listed("fly")}


# -- elimination ---------------------------------------------------------------------------------------------


def last_island(seats: int = 4, **more: Unpack[Layout]) -> Table:
    """Lay out an attack of seat 0 on the last island of seat 1, which is empty, that wins."""
    if seats == 4:
        isles = {"IS6": "0 x1", "IS8": "0 metropolis", "IS3": "1 metropolis", "IS1": "2", "IS2": "3"}
    else:
        isles = {"IS5": "0 x1", "IS8": "0 metropolis", "IS7": "0 metropolis", "IS3": "1 metropolis"}
    seas = {"E4" if seats == 4 else "E2": "0 x1", "D3": "1 x2"}
    more["isles"] = {**isles, **more.get("isles", {})}
    more["seas"] = seas
    return lay_out(seats, "ares", **more)


def test_who_has_no_island_is_out_at_once_with_all_that_he_has() -> None:
    """C7.12: pieces, cards, gold and markers leave the game."""
    table = last_island(
        isles={"IS4": "medusa:1"}, later="zeus:1 athena:2", priests={1: 3}, philosophers={1: 2}, apollo="1 3"
    )
    state = table.state
    state.next_order = [1]
    table.do("move IS6>IS3 x1")

    assert state.fallen == [1]
    assert "1: eliminated" in table.told
    assert [table.sea("D3"), table.isle("IS4"), table.cards("gone"), table.cards("discard")] == ["", "", "medusa", ""]
    assert [
        state.purses[1],
        state.priests[1],
        state.philosophers[1],
        state.troop_reserve[1],
        state.fleet_reserve[1],
    ] == [0, 0, 0, 0, 0]
    assert (state.priests_left, state.philosophers_left) == (18 - 3, 17 - 2)
    assert 1 not in [*state.next_order, *state.order]
    assert table.prompt == "turn ares"


def test_a_god_turn_still_to_come_is_lost_and_apollos_places_do_not_move_up() -> None:
    """C7.12: elimination in mid-cycle of a player with a standing bid; the second at Apollo gets no marker."""
    table = last_island(later="zeus:1 athena:2", apollo="1 3")
    table.do("move IS6>IS3 x1", "end")

    assert (table.seat, table.prompt) == (2, "turn athena")
    table.do("end")
    assert "3: turn apollo" in table.told
    assert not any(code.startswith(("1: turn", "3: prosper")) for code in table.told)


def test_the_last_player_left_wins_at_once() -> None:
    """C7.12."""
    table = last_island(seats=2, later="zeus:0")
    table.do("move IS5>IS3 x1")
    state = table.state

    assert (state.decision, state.phase, state.ending) == (None, Phase.OVER, Ending.LAST_PLAYER)
    outcome = state.outcome()
    assert outcome is not None
    assert (outcome.placements, outcome.scores, outcome.by_cap) == ((1, 2), (3, 0), False)
    assert table.told[-1] == "over last_player"


def test_nobody_is_eliminated_while_he_has_an_island() -> None:
    """C7.12."""
    table = lay_out(3, "ares", isles={"IS5": "0 x1", "IS3": "1", "IS7": "1", "IS8": "2"}, seas=SEAS)
    table.do("move IS5>IS3 x1")

    assert table.state.fallen == []


# -- what follows --------------------------------------------------------------------------------------------


def test_a_conquest_that_completes_a_set_is_exchanged_before_anything_else() -> None:
    """C10.7, C10.1: after the battle, in the conqueror's own turn."""
    isles = {"IS5": "0 x2 port fortress temple", "IS3": "1 x1 university", "IS7": "1", "IS8": "2"}
    table = lay_out(3, "ares", isles=isles, seas=SEAS, rolls="3 0")
    table.do("move IS5>IS3 x2")

    assert (table.prompt, table.codes) == ("found", ["found IS3", "found IS5"])
    table.do("found IS3")
    assert [table.isle("IS3"), table.isle("IS5")] == ["0 x2 metropolis", "0"]
    assert table.prompt == "turn ares"


def test_sets_are_exchanged_one_after_the_other() -> None:
    """C10.7."""
    isles = {"IS7": "0 port port fortress fortress", "IS5": "0 x1 temple temple", "IS3": "1 university university"}
    table = lay_out(3, "ares", isles={**isles, "IS8": "1", "IS1": "2"}, seas=SEAS)
    table.do("move IS5>IS3 x1", "found IS7", "found IS3")

    assert [table.isle("IS7"), table.isle("IS3"), table.isle("IS5")] == ["0 metropolis", "0 x1 metropolis", "0"]


def test_a_defender_who_retreats_completes_no_set() -> None:
    """C10.7: only in his own turn; nor does a loser of an island."""
    isles = {"IS5": "0 x3", "IS3": "1 x2", "IS7": "1 port fortress temple university", "IS8": "2"}
    table = lay_out(3, "ares", isles=isles, seas={**SEAS, "F4": "1 x1"}, rolls="3 0", later="zeus:1")
    table.do("move IS5>IS3 x3", "retreat IS6")

    assert [table.isle("IS7"), table.prompt] == ["1 port fortress temple university", "turn ares"]
