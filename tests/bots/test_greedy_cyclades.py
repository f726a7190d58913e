"""The greedy bot at Cyclades: what it prefers, how strong it is, and that matches among its like come to an end."""

from __future__ import annotations

from math import isfinite
from typing import Any

import pytest
from tests.engine.cyclades.positions import BUILDING, Dice, Table, lay_out, random_match, seed
from tests.engine.cyclades.test_offerings import offerings

from agon_bots.house.greedy import heuristic
from agon_bots.house.greedy.cyclades_position import Position, odds
from agon_engine.core import Chance, OptionValue, Outcome
from agon_engine.cyclades import GAME, CycladesState, pieces
from agon_engine.cyclades.data import DIE
from agon_engine.cyclades.enums import Ending
from agon_engine.cyclades.notation import MOVES, Kind

SEATS = GAME.spec.seat_counts
every_number_of_seats = pytest.mark.parametrize("seats", SEATS)
CLEARLY_STRONGER = 0.85


def rating(state: CycladesState) -> list[float]:
    decision = state.decision
    assert decision is not None
    codes = [GAME.notation.code(action) for action in decision.actions]
    return heuristic("cyclades")(GAME, state.view(decision.seat), codes)


def choice(state: CycladesState) -> int:
    """Return what the seat that is asked would do; of equals the first."""
    decision = state.decision
    assert decision is not None
    worth = rating(state)
    return decision.actions[worth.index(max(worth))]


def best(table: Table) -> str:
    return GAME.notation.code(choice(table.state))


def turn_of(table: Table) -> list[str]:
    """Return all that the seat on turn does until its turn ends."""
    seat, done = table.seat, []
    while table.seat == seat and table.prompt != "god" and "end" not in done:
        done.append(best(table))
        table.do(done[-1])
    return done


# -- what it prefers -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("why", "position", "wanted"),
    [
        (
            "the building that is missing",
            {"god": "zeus", "isles": {"IS7": "0 x1 port fortress university", "IS1": "1 x1", "IS2": "2 x1"}},
            "build temple IS7",
        ),
        (
            "the building before a creature, where there is gold for one of them",
            {
                "god": "zeus",
                "isles": {"IS7": "0 x1 port fortress university", "IS1": "1 x1", "IS2": "2 x1"},
                "gold": {0: 2},
                "priests": {1: 1},
                "spaces": "- - dryad",
            },
            "build temple IS7",
        ),
        (
            "gold before all else",
            {
                "god": "zeus",
                "isles": {"IS7": "0 x1 port fortress university", "IS1": "1 x1", "IS2": "2 x1"},
                "gold": {0: 4, 1: 16, 2: 0},
                "spaces": "- griffon -",
            },
            "buy griffon",
        ),
        (
            "the philosophers that make a Metropolis",
            {
                "god": "athena",
                "isles": {"IS7": "0 x1", "IS1": "1 x1", "IS2": "2 x1"},
                "philosophers": {0: 3},
                "gold": {0: 0},
            },
            "recruit philosopher",
        ),
        (
            "no march against odds",
            {
                "god": "ares",
                "isles": {"IS3": "0 x1", "IS1": "1 x4 fortress", "IS5": "1 x1", "IS2": "2 x1"},
                "seas": {"C1": "0 x1"},
                "gold": {0: 1},
            },
            "recruit troop IS3",
        ),
        (
            "the flight to the Metropolis that wins",
            {
                "god": "zeus",
                "isles": {"IS3": "0 x3 metropolis", "IS1": "1 metropolis", "IS5": "1 x1", "IS2": "2 x1"},
                "spaces": "pegasus - -",
            },
            "buy pegasus",
        ),
    ],
    ids=lambda value: value.replace(" ", "-") if isinstance(value, str) else "",
)
def test_it_prefers(why: str, position: dict[str, Any], wanted: str) -> None:
    assert best(lay_out(**position)) == wanted, why


def test_it_takes_a_free_island_and_the_weaker_of_two_rivals() -> None:
    table = lay_out(
        isles={"IS3": "0 x3", "IS2": "1 x3 fortress", "IS1": "1", "IS5": "2 x1", "IS8": "2 x1"},
        seas={"C2": "0 x1", "D3": "0 x1"},
        gold={0: 3},
        later="zeus:1",
    )

    marches = [code for code in turn_of(table) if code.startswith("move")]
    assert marches
    assert "0" in table.isle("IS1")
    assert table.isle("IS2").startswith("1")


def test_it_recruits_for_the_campaign_that_needs_it() -> None:
    """A lone troop does not beat two in a Metropolis; three more do so more often than not."""
    table = lay_out(
        isles={"IS3": "0 x1 metropolis", "IS1": "1 x1 metropolis", "IS5": "1 x1", "IS2": "2 x1"},
        seas={"C1": "0 x1"},
        gold={0: 10},
        later="zeus:1",
    )

    turn = turn_of(table)
    march = next(place for place, code in enumerate(turn) if code.startswith("move IS3>IS1"))
    assert turn[:march].count("recruit troop IS3") >= 2


def test_it_founds_where_no_building_is_lost() -> None:
    table = lay_out(
        god="athena",
        isles={"IS4": "0 x1 port", "IS7": "0 x1", "IS1": "1 x1", "IS2": "2 x1"},
        philosophers={0: 3},
    ).do("recruit philosopher")

    assert (table.prompt, best(table)) == ("found", "found IS7")


def test_it_does_not_move_fleets_to_and_fro() -> None:
    """A free step is made for good or not at all."""
    table = lay_out(
        god="ares",
        isles={"IS5": "0 x1", "IS1": "1 x1", "IS2": "2 x1"},
        seas={"F3": "0 x1", "H1": "0 x1"},
        spaces="- - sylph",
        later="zeus:1",
    ).do("buy sylph")

    seen = set()
    while table.prompt == "sylph":
        seas = table.seas_of(0)
        assert seas not in seen
        seen.add(seas)
        table.do(best(table))


def test_it_rates_every_kind_of_action() -> None:
    """Also what it would never come to by itself."""
    rated: set[Kind] = set()
    for number in range(24):
        for state in random_match(2 + number % 4, number, busy=True, max_cycles=20):
            if state.decision is not None:
                worth = rating(state)
                assert len(worth) == len(state.decision.actions)
                assert all(map(isfinite, worth))
                rated |= {MOVES[action].kind for action in state.decision.actions}

    assert set(Kind) == rated


# -- bids ----------------------------------------------------------------------------------------------------


def about_to_complete(gold: dict[int, int], order: str = "0 1 2") -> Table:
    """Return offerings in which seat 0 lacks a Temple alone."""
    table = offerings(3, "ares zeus", order, gold)
    pieces.own_island(table.state, 0, 7, 1)
    for name in ("port", "fortress", "university"):
        pieces.add_building(table.state, 7, BUILDING[name])
    return table


def test_it_bids_for_the_god_that_completes_its_set() -> None:
    assert best(about_to_complete({0: 9, 1: 5, 2: 5})) == "god zeus"


@pytest.mark.parametrize(
    ("why", "gold", "wanted"),
    [
        ("no more than anybody could outbid", {0: 9, 1: 5, 2: 3}, "bid zeus 5"),
        ("the price of the Temple is kept", {0: 6, 1: 20, 2: 20}, "bid zeus 4"),
    ],
)
def test_it_bids(why: str, gold: dict[int, int], wanted: str) -> None:
    assert best(about_to_complete(gold).do("god zeus")) == wanted, why


def test_the_last_marker_bids_the_least() -> None:
    table = about_to_complete({0: 9, 1: 5, 2: 5}, order="1 2 0").do("god zeus", "bid zeus 2", "god apollo", "god zeus")

    assert best(table) == "bid zeus 3"


def test_a_poor_seat_with_one_island_goes_to_apollo() -> None:
    """C7.9: 4 gold."""
    assert best(offerings(3, "ares poseidon", "0 1 2", {0: 1, 1: 5, 2: 5})) == "god apollo"


# -- battles -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("bonus", "wins"), [(0, 13 / 36), (1, 5 / 36), (2, 1 / 36), (3, 0.0)])
def test_the_odds_of_one_against_one(bonus: int, wins: float) -> None:
    """C8.2: a tie costs both a unit, and then the defender keeps the place (C8.4)."""
    assert odds(1, 1, bonus) == pytest.approx((wins, wins))
    assert wins * 36 == sum(attack > defence + bonus for attack in DIE for defence in DIE)


@pytest.mark.parametrize(
    ("attackers", "defence"), [(3, "x2"), (3, "x2 fortress"), (2, "x2"), (4, "x2 metropolis"), (3, "minotaur:1")]
)
def test_the_odds_are_those_of_the_rules(attackers: int, defence: str) -> None:
    """Against 400 battles that are fought to their end."""
    battles, won, left = 400, 0, 0
    isles = {"IS3": f"0 x{attackers}", "IS1": f"1 {defence}", "IS5": "1 x1", "IS2": "2 x1"}
    for number in range(battles):
        table = lay_out(isles=isles, seas={"C1": "0 x1"}, later="zeus:1")
        table.state.chance = seed(number)
        table.do(f"move IS3>IS1 x{attackers}")
        while "fight" in table.codes:
            table.do("fight")
        won += table.state.island_owner[1] == 0
        left += table.state.troops[1] * (table.state.island_owner[1] == 0)

    table = lay_out(isles=isles, seas={"C1": "0 x1"}, later="zeus:1")
    wins, remain = Position(table.state.view(0)).landing(attackers, 1, int(defence[1]) if defence[0] == "x" else 0)
    assert won / battles == pytest.approx(wins, abs=0.08)
    assert left / battles == pytest.approx(remain, abs=0.2)


# -- how strong it is ----------------------------------------------------------------------------------------


def play(seats: int, number: int, greedy: set[int], **options: OptionValue) -> CycladesState:
    """Play a match, the seats that are not greedy by chance."""
    state = GAME.start(seats, seed(number), options)
    dice = Dice(number)
    while state.decision is not None:
        seat, actions = state.decision.seat, state.decision.actions
        state.apply(choice(state) if seat in greedy else actions[dice.below(len(actions))])
    return state


def points(outcome: Outcome, seat: int) -> float:
    """Return the pairwise score of a seat."""
    mine = outcome.placements[seat]
    others = [place for other, place in enumerate(outcome.placements) if other != seat]
    return sum((mine < place) + 0.5 * (mine == place) for place in others) / len(others)


def outcome_of(state: CycladesState) -> Outcome:
    outcome = state.outcome()
    assert outcome is not None
    return outcome


@every_number_of_seats
def test_it_is_clearly_stronger_than_random_moves(seats: int) -> None:
    """In seats that rotate."""
    matches = 2 * seats
    scored = [points(outcome_of(play(seats, number, {number % seats})), number % seats) for number in range(matches)]

    assert sum(scored) / matches > CLEARLY_STRONGER


@every_number_of_seats
def test_matches_among_its_like_end_before_the_cap(seats: int) -> None:
    ends = [play(seats, number, set(range(seats))) for number in range(6)]

    assert Ending.CAP not in [state.ending for state in ends]
    assert 6 <= sum(state.cycle for state in ends) / len(ends) <= 15


@pytest.mark.long
@every_number_of_seats
def test_at_most_one_match_in_twenty_runs_into_the_cap(seats: int) -> None:
    ends = [play(seats, number, set(range(seats))).ending for number in range(200)]

    assert ends.count(Ending.CAP) <= 10


@pytest.mark.parametrize("options", [{"metropolis_over_buildings": "forbid"}, {"two_player_gods": 3}])
def test_it_plays_by_other_options(options: dict[str, OptionValue]) -> None:
    ends = [play(2, number, {0, 1}, **options) for number in range(4)]

    assert [state.ending for state in ends].count(Ending.CAP) <= 1


def test_it_plays_the_same_again() -> None:
    first, again = (list(play(3, 5, {0, 1, 2}).events_since(0)) for _ in range(2))

    assert first == again


@every_number_of_seats
def test_it_decides_by_the_view_alone(seats: int) -> None:
    """H3: in a state that was drawn from the view it rates every action the same."""
    state, dice, compared = GAME.start(seats, seed(seats)), Dice(seats), 0
    while state.decision is not None:
        seat = state.decision.seat
        if dice.below(10) == 0:
            drawn = GAME.sample(state.view(seat), Chance(bytes(16)))
            assert rating(state) == rating(drawn)
            compared += 1
        state.apply(choice(state))

    assert compared > 5


def test_a_spectator_has_no_position() -> None:
    with pytest.raises(ValueError, match="spectator"):
        Position(GAME.start(2, seed(0)).view(None))
