"""Blocks, their rotations and what becomes of their places; who may share deals; the free slots of a round."""

from __future__ import annotations

import json
from itertools import permutations

import pytest
from hypothesis import given, strategies as st

from agon_engine.core import Deals
from agon_ladder.errors import ScheduleError
from agon_ladder.pairing.blocks import OpenBlock, PlaceState, Rotations, line_up_of, places_of, rotation
from agon_ladder.pairing.players import Player, deals_for
from agon_ladder.pairing.slots import Process, Slots

NAMES = [f"bot-{number}" for number in range(8)]


def block(size: int = 3, deals: Deals = Deals.FRESH) -> OpenBlock:
    return OpenBlock("k", "toy", tuple(NAMES[:size]), deals, "00" * 16 if deals is Deals.SHARED else "", 1_000)


@given(st.integers(2, 8))
def test_over_a_block_everybody_sits_once_at_each_seat(seats: int) -> None:
    """M6."""
    line_up = NAMES[:seats]

    places = [rotation(line_up, place) for place in range(seats)]

    for bot in line_up:
        assert sorted(bots.index(bot) for bots in places) == list(range(seats))


@given(st.integers(2, 8), st.data())
def test_a_rotation_leads_back_to_its_line_up(seats: int, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, seats - 1))
    line_up = tuple(NAMES[:seats])

    assert line_up_of(rotation(line_up, place), place) == line_up


@pytest.mark.parametrize("seats", [2, 3])
def test_all_permutations_seat_everybody_equally_often_at_each_seat_and_after_each_other(seats: int) -> None:
    line_up = tuple(NAMES[:seats])

    places = [rotation(line_up, place) for place in range(places_of(seats, Rotations.ALL))]

    assert sorted(permutations(line_up)) == sorted(places)
    assert places[:seats] == [rotation(line_up, place) for place in range(places_of(seats, Rotations.CYCLIC))]
    assert {line_up} == {line_up_of(bots, place) for place, bots in enumerate(places)}


def test_a_block_of_all_permutations_has_as_many_places() -> None:
    one = OpenBlock("k", "toy", tuple(NAMES[:3]), Deals.FRESH, "", 0, rotations=Rotations.ALL)

    assert (6, list(range(6))) == (one.size, one.left())
    assert one == OpenBlock.from_json(json.loads(json.dumps(one.to_json())))
    with pytest.raises(ScheduleError, match="rotations = all is for 2 to 3 seats, not 4"):
        OpenBlock("k", "toy", tuple(NAMES[:4]), Deals.FRESH, "", 0, rotations=Rotations.ALL)


def test_a_block_that_was_stored_before_there_was_a_choice_is_cyclic() -> None:
    stored = block().to_json()
    del stored["rotations"]

    assert block() == OpenBlock.from_json(stored)


def test_a_block_is_complete_when_each_place_has_a_result_that_counts() -> None:
    one = block()
    for place in range(3):
        one.queued(place, f"m{place}")
    assert (one.left(), one.pending) == ([], 3)

    for place in range(3):
        assert not one.is_over
        assert one.ended(place, 0, counts=True, again=False)

    assert one.is_complete
    assert one.is_over
    assert one.pending == 0


def test_a_place_without_a_result_that_counts_is_left_to_play_again() -> None:
    """R15, C7: it is rescheduled."""
    one = block()
    one.queued(1, "m")

    assert one.ended(1, 0, counts=False, again=True)

    assert one.left() == [0, 1, 2]
    assert one.places[1].attempt == 1
    assert one.pending == 3
    one.queued(1, "m2")
    assert one.ended(1, 1, counts=True, again=False)
    assert one.places[1].state is PlaceState.DONE


def test_a_place_that_may_not_be_played_again_abandons_its_block() -> None:
    """C7: bounded, and said so; what is under way ends by itself."""
    one = block()
    one.queued(0, "m0")
    one.queued(1, "m1")

    one.ended(1, 2, counts=False, again=False)

    assert one.abandoned == "place 1 was played 3 times without a result that counts"
    assert one.left() == []
    assert (one.pending, one.is_over) == (1, False)
    one.ended(0, 0, counts=True, again=False)
    assert (one.pending, one.is_over, one.is_complete) == (0, True, False)


def test_the_first_reason_for_giving_up_stands() -> None:
    one = block()
    one.abandon("first")
    one.abandon("second")

    assert one.abandoned == "first"
    assert one.is_over


def test_a_result_that_is_told_again_changes_nothing() -> None:
    one = block()
    one.queued(0, "m")
    one.ended(0, 0, counts=False, again=True)
    one.queued(0, "m2")

    assert not one.ended(0, 0, counts=True, again=False)
    assert one.places[0].state is PlaceState.QUEUED
    assert one.ended(0, 1, counts=True, again=False)
    assert not one.ended(0, 1, counts=True, again=False)
    assert not one.ended(0, 2, counts=False, again=False)
    assert one.abandoned == ""


def test_a_result_counts_though_nobody_noted_that_its_match_was_queued() -> None:
    """A crash between queueing a match and noting it loses nothing."""
    one = block()

    assert one.ended(2, 0, counts=True, again=False)
    assert one.left() == [0, 1]


@pytest.mark.parametrize("place", [-1, 3])
def test_a_place_that_the_block_has_not_is_refused(place: int) -> None:
    with pytest.raises(ScheduleError, match=f"block k has 3 places, none of them is {place}"):
        block().queued(place, "m")
    with pytest.raises(ScheduleError, match="none of them"):
        block().ended(place, 0, counts=True, again=False)


def test_a_place_is_queued_once() -> None:
    one = block()
    one.queued(0, "m")

    with pytest.raises(ScheduleError, match="not left to play: it is 'queued'"):
        one.queued(0, "m2")


@pytest.mark.parametrize(
    ("bots", "deals", "seed"),
    [
        (("a",), Deals.FRESH, ""),
        (("a", "a"), Deals.FRESH, ""),
        (("a", "b"), Deals.FRESH, "00" * 16),
        (("a", "b"), Deals.SHARED, ""),
    ],
)
def test_a_block_that_cannot_be_is_refused(bots: tuple[str, ...], deals: Deals, seed: str) -> None:
    with pytest.raises(ScheduleError):
        OpenBlock("k", "toy", bots, deals, seed, 0)


@pytest.mark.parametrize("deals", list(Deals))
def test_a_block_reads_what_it_stores(deals: Deals) -> None:
    one = block(3, deals)
    one.queued(0, "m")
    one.ended(1, 0, counts=False, again=True)
    one.abandon("why")

    assert OpenBlock.from_json(json.loads(json.dumps(one.to_json()))) == one


@pytest.mark.parametrize(
    "damage",
    [
        {"places": [["lost", 0, ""]] * 3},
        {"places": [["left", 0, ""]]},
        {"places": 5},
        {"bots": ["a", "a"]},
        {"deals": "some"},
        {"opened": None},
        {"places": [["left", None, ""]] * 3},
    ],
)
def test_a_damaged_block_is_refused(damage: dict[str, object]) -> None:
    with pytest.raises(ScheduleError):
        OpenBlock.from_json({**block().to_json(), **damage})


def test_a_block_does_not_show_its_seed() -> None:
    assert "00" * 16 not in repr(block(3, Deals.SHARED))


# -- who shares deals ------------------------------------------------------------------------------------------

REMOTE, TRUSTED, HOUSE = Player("r", "x"), Player("t", "y", trusted=True), Player("h", "agon", house=True)


@pytest.mark.parametrize(
    ("wanted", "line_up", "deals"),
    [
        (Deals.SHARED, [TRUSTED, HOUSE], Deals.SHARED),
        (Deals.SHARED, [HOUSE, HOUSE], Deals.SHARED),
        (Deals.SHARED, [TRUSTED, REMOTE], Deals.FRESH),
        (Deals.SHARED, [REMOTE, HOUSE], Deals.FRESH),
        (Deals.FRESH, [TRUSTED, HOUSE], Deals.FRESH),
    ],
)
def test_deals_are_shared_only_where_asked_for_and_nobody_could_remember(
    wanted: Deals, line_up: list[Player], deals: Deals
) -> None:
    assert deals is deals_for(wanted, line_up)


# -- slots -----------------------------------------------------------------------------------------------------


def test_a_slot_comes_from_the_process_that_has_most_and_plays_the_ladder() -> None:
    slots = Slots([Process("a", "one", 1, {"x"}), Process("a", "two", 2, {"x"}), Process("a", "three", 9, {"y"})])

    assert slots.free("a", "x") == 3
    assert [slots.take("a", "x") for _ in range(4)] == ["two", "one", "two", None]
    assert slots.free("a", "y") == 9
    assert slots.is_present("a", "x")


def test_slots_are_taken_of_all_bots_or_of_none() -> None:
    slots = Slots([Process("a", "", 2, {"x"}), Process("b", "i", 1, {"x"})])

    assert slots.take_all(["b", "a"], "x") == ("i", "")
    assert slots.take_all(["a", "b"], "x") is None
    assert slots.free("a", "x") == 1
    assert not slots.is_present("c", "x")
    assert slots.take_all(["a", "c"], "x") is None
