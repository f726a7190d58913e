"""The fold: rated results move the table once, nothing else does, and any way of folding gives the same bytes."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings, strategies as st
from tests.support.ladders import LADDER, history, result

from agon_engine.core import Chance, standard_placements
from agon_engine.core.policy import Termination
from agon_ladder import fold
from agon_ladder.errors import OrderError, ResultError
from agon_ladder.fold import BotState, LadderState, PartialBlock
from agon_ladder.pairing.blocks import Rotations, rotation
from agon_ladder.ratings import Elo
from agon_ladder.results import MatchResult, Position

histories = st.builds(
    lambda seed, seats, bots, blocks: (seats, history(Chance(seed), seats=seats, bots=seats + bots, blocks=blocks)),
    st.binary(min_size=16, max_size=16),
    st.integers(2, 5),
    st.integers(0, 4),
    st.integers(1, 12),
)


def folded(seats: int, results: list[MatchResult]) -> LadderState:
    state = LadderState(LADDER, seats)
    for one in results:
        state.apply(one)
    return state


def test_a_result_moves_ratings_games_scores_and_faults() -> None:
    state = LadderState(LADDER, 3)
    seats = (Termination.SCORE, Termination.RESIGNED, Termination.TIMEOUT)

    step = state.apply(result("a", "b", "c", at=7, placements=(1, 2, 3), seats=seats))

    assert [(row.seat, row.bot, row.placement) for row in step.rows] == [(0, "a", 1), (1, "b", 2), (2, "c", 3)]
    assert [row.after for row in step.rows] == [(1512_000,), (1500_000,), (1488_000,)]
    assert state.bots["a"] == BotState((1512_000,), games=1, half_points=4, faults=0)
    assert state.bots["b"] == BotState((1500_000,), games=1, half_points=2, faults=0, resigned=1)
    assert state.bots["c"] == BotState((1488_000,), games=1, half_points=0, faults=1)
    assert (state.results, state.position) == (1, Position(7, 0))


@pytest.mark.parametrize("termination", [Termination.NO_SHOW, Termination.INFRASTRUCTURE, Termination.CANCELLED])
def test_an_unrated_result_moves_the_position_alone(termination: Termination) -> None:
    """X6, E6: nothing by server fault, no-show or cancelling."""
    state = folded(2, [result("a", "b", at=1)])
    before = state.copy()

    step = state.apply(result("a", "b", at=2, placements=(1, 1), termination=termination))

    assert (step.rows, step.bots, step.blocks) == ((), (), ())
    assert state == replace(before, position=Position(2, 0))


def test_a_match_that_was_played_unrated_moves_nothing() -> None:
    state = LadderState(LADDER, 2)

    step = state.apply(result("a", "b")._replace(may_rate=False))

    assert (step.rows, step.bots, step.blocks) == ((), (), ())
    assert state.bots == {}


@pytest.mark.parametrize("at", [4, 5])
def test_a_result_that_is_not_later_is_refused(at: int) -> None:
    state = folded(2, [result("a", "b", at=5)])
    before = state.canonical()

    with pytest.raises(OrderError, match="before the last result"):
        state.apply(result("a", "b", at=at))

    assert before == state.canonical()


@pytest.mark.parametrize(
    ("foreign", "message"),
    [
        (result("a", "b", at=2, ladder="other"), "belongs to another ladder"),
        (result("a", "b", "c", at=2), "has not 2 seats"),
        (result("a", "a", at=2), "seats a bot twice"),
        (result("a", "b", at=2, placements=(2, 3)), "no ranking"),
        (result("a", "c", at=2, block="k", place=1), "seats others than block"),
    ],
)
def test_a_foreign_or_damaged_result_changes_nothing(foreign: MatchResult, message: str) -> None:
    state = folded(2, [result("a", "b", at=1, block="k")])
    before = state.canonical()

    with pytest.raises(ResultError, match=message):
        state.apply(foreign)

    assert before == state.canonical()


# -- blocks ----------------------------------------------------------------------------------------------------


def test_a_block_counts_once_all_its_places_are_rated() -> None:
    """R15: an incomplete block is excluded from the statistics of blocks."""
    state = LadderState(LADDER, 2)

    first = state.apply(result("a", "b", at=1, block="k", place=0))
    assert state.partial == {"k": PartialBlock(1, {"a": 2, "b": 0}, 0b01)}
    assert state.bots["a"].blocks == {}

    second = state.apply(result("b", "a", at=2, placements=(1, 1), block="k", place=1))
    assert state.partial == {}
    assert (state.bots["a"].blocks, state.bots["b"].blocks) == ({3: 1}, {1: 1})
    assert first.blocks == second.blocks == ("k",)


def test_a_block_of_all_permutations_counts_once_all_six_are_rated() -> None:
    state = LadderState(LADDER, 3, rotations=Rotations.ALL)
    for place in range(6):
        assert state.bots.get("a", BotState((0,))).blocks == {}
        seated = rotation("abc", place)
        placements = standard_placements([-ord(bot) for bot in seated])
        state.apply(result(*seated, at=1 + place, placements=placements, block="k", place=place))

    assert state.most_per_block == 24
    assert {bot: known.blocks for bot, known in state.bots.items()} == {"a": {24: 1}, "b": {12: 1}, "c": {0: 1}}
    assert state == LadderState.from_json(state.to_json())
    assert state != LadderState.from_json({**state.to_json(), "rotations": "cyclic"})


def test_the_form_of_a_cyclic_table_is_the_one_from_before_there_was_a_choice() -> None:
    assert "rotations" not in folded(2, [result("a", "b", at=1)]).to_json()
    with pytest.raises(ResultError, match="rotations = all is for 2 to 3 seats, not 4"):
        LadderState.from_json({**LadderState(LADDER, 4).to_json(), "rotations": "all"})


@pytest.mark.parametrize(("rotations", "places"), [(Rotations.CYCLIC, 3), (Rotations.ALL, 6)])
def test_a_place_that_a_block_has_not_is_refused(rotations: Rotations, places: int) -> None:
    state = LadderState(LADDER, 3, rotations=rotations)
    state.apply(result("a", "b", "c", at=1, placements=(1, 2, 3), block="k", place=places - 1))

    with pytest.raises(ResultError, match=f"is place {places} of a block of {places}"):
        state.apply(result("a", "b", "c", at=2, placements=(1, 2, 3), block="k", place=places))


def test_an_unrated_place_leaves_its_block_open_until_it_is_played_again() -> None:
    """R15: it is rescheduled, and then counts."""
    gone = result("b", "a", at=2, placements=(1, 1), termination=Termination.INFRASTRUCTURE, block="k", place=1)
    state = folded(2, [result("a", "b", at=1, block="k", place=0), gone])
    assert state.partial["k"].places == 0b01

    state.apply(gone._replace(position=Position(3, 0), termination=Termination.SCORE, placements=(2, 1), attempt=1))

    assert state.bots["a"].blocks == {4: 1}


def test_a_place_that_is_rated_twice_counts_once_in_its_block() -> None:
    state = folded(2, [result("a", "b", at=1, block="k", place=0)])

    step = state.apply(result("a", "b", at=2, placements=(2, 1), block="k", place=0))

    assert step.blocks == ()
    assert state.partial["k"].points == {"a": 2, "b": 0}
    assert state.bots["a"].games == 2


def test_the_oldest_unfinished_block_is_dropped_when_there_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fold, "MAX_PARTIAL_BLOCKS", 2)
    state = folded(2, [result("a", "b", at=at, block=f"k{at}") for at in (1, 2)])

    step = state.apply(result("a", "b", at=3, block="k3"))

    assert set(step.blocks) == {"k1", "k3"}
    assert list(state.partial) == ["k2", "k3"]
    assert list(LadderState.from_json(json.loads(state.canonical())).partial) == ["k2", "k3"]


# -- any history -----------------------------------------------------------------------------------------------


@settings(max_examples=60)
@given(histories, st.data())
def test_stopping_anywhere_and_going_on_from_the_stored_form_changes_nothing(
    drawn: tuple[int, list[MatchResult]], data: st.DataObject
) -> None:
    """X4: live equals rebuilt, bit for bit, wherever the process was killed."""
    seats, results = drawn
    at_once = folded(seats, results)
    cut = data.draw(st.integers(0, len(results)))

    state = LadderState.from_json(json.loads(folded(seats, results[:cut]).canonical()))
    for one in results[cut:]:
        state.apply(one)

    assert at_once.canonical() == state.canonical()
    assert at_once == state


@settings(max_examples=60)
@given(histories)
def test_the_books_of_any_history_balance(drawn: tuple[int, list[MatchResult]]) -> None:
    """X2: one row a seat of each rated match; sums and counts follow from the results."""
    seats, results = drawn
    state = LadderState(LADDER, seats)
    rated = [one for one in results if one.rated]

    rows = [row for one in results for row in state.apply(one).rows]

    assert [(one.match, seat, bot) for one in rated for seat, bot in enumerate(one.bots)] == [
        (row.match, row.seat, row.bot) for row in rows
    ]
    assert sum(bot.rating[0] for bot in state.bots.values()) == len(state.bots) * Elo.initial[0]
    assert sum(bot.games for bot in state.bots.values()) == len(rated) * seats
    assert sum(bot.half_points for bot in state.bots.values()) == len(rated) * seats * (seats - 1)
    assert sum(sum(bot.blocks.values()) for bot in state.bots.values()) == len({one.block for one in rated}) * seats
    assert state.partial == {}


@settings(max_examples=30)
@given(histories)
def test_only_rows_and_blocks_that_a_step_names_have_changed(drawn: tuple[int, list[MatchResult]]) -> None:
    """What is stored after a step is what the step names, so nothing else may move."""
    seats, results = drawn
    state, stored = LadderState(LADDER, seats), LadderState(LADDER, seats)

    for one in results:
        step = state.apply(one)
        stored.position, stored.results = state.position, state.results
        for bot in step.bots:
            stored.bots[bot] = BotState.from_json(state.bots[bot].to_json())
        for block in step.blocks:
            if block in state.partial:
                stored.partial[block] = PartialBlock.from_json(state.partial[block].to_json())
            else:
                stored.partial.pop(block, None)

        assert state.canonical() == stored.canonical()


@pytest.mark.parametrize(
    "damage",
    [
        {"seats": 1},
        {"seats": "2"},
        {"system": "none"},
        {"position": "now"},
        {"bots": {"a": {"rating": [1.5], "games": 0, "half_points": 0, "faults": 0, "blocks": []}}},
        {"bots": {"a": {"rating": [1], "games": -1, "half_points": 0, "faults": 0, "blocks": []}}},
        {"bots": {"a": {"rating": [1], "games": 1, "half_points": 0, "faults": 0, "resigned": True, "blocks": []}}},
        {"bots": {"a": {"rating": [1]}}},
        {"bots": {"a": 7}},
        {"bots": []},
        {"partial": {"k": {"began": 0, "points": {}, "places": 0}}},
        {"partial": {"k": {"began": 1, "points": {"a": None}, "places": 0}}},
        {"results": True},
    ],
)
def test_a_damaged_state_is_refused(damage: dict[str, object]) -> None:
    whole = folded(2, [result("a", "b", block="k")]).to_json()

    with pytest.raises(ResultError, match="not the state of a"):
        LadderState.from_json({**whole, **damage})
