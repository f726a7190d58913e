"""Queue entries and ids: their JSON both ways, and what is not understood."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, strategies as st
from tests.support.valkey import entry

from agon_engine.core.policy import FaultPolicy, OnFault, Termination
from agon_engine.core.record import Deals
from agon_engine.core.timing import TimeControl
from agon_server.queue.entry import MatchEntry, SeatEntry
from agon_server.queue.ids import is_id, new_id
from agon_server.store.errors import QueueEntryError

names = st.text("abyz09", min_size=1, max_size=20).map(lambda text: text + "._-z")
words = st.text("abcz_9", max_size=20).map(lambda text: "x" + text)
instances = st.text(max_size=64).filter(str.isprintable)
seats = st.builds(SeatEntry, names, names, instances)


@st.composite
def entries(draw: st.DrawFn) -> MatchEntry:
    size = draw(st.integers(1, 30))
    return MatchEntry(
        match=new_id(),
        game=draw(words),
        version=draw(st.integers(1, 2**53 - 1)),
        seats=tuple(draw(st.lists(seats, min_size=1, max_size=4))),
        seed=draw(st.binary(min_size=16, max_size=16)).hex(),
        options=draw(
            st.dictionaries(
                words,
                st.booleans() | st.integers(-(2**53), 2**53) | st.text(),
                max_size=3,
            )
        ),
        ladder=draw(st.just("") | names),
        rated=draw(st.booleans()),
        block=new_id(),
        index=draw(st.integers(0, size - 1)),
        block_size=size,
        attempt=draw(st.integers(0, 5)),
        deals=draw(st.sampled_from(Deals)),
        time=TimeControl(move=draw(st.integers(1, 10**7)), bank=draw(st.integers(0, 10**7))),
        policy=FaultPolicy(draw(st.sampled_from(OnFault)), draw(st.integers(1, 100)), draw(st.integers(1, 100))),
    )


@given(entries())
def test_an_entry_is_the_same_after_its_json(match: MatchEntry) -> None:
    assert match == MatchEntry.from_json(match.to_json())
    assert match == MatchEntry.from_json(match.to_json().encode())


@given(st.binary(max_size=60) | st.text(max_size=60))
def test_garbage_is_an_error_of_its_own(garbage: str | bytes) -> None:
    with pytest.raises(QueueEntryError):
        MatchEntry.from_json(garbage)


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=8,
)


@given(st.sampled_from(sorted(json.loads(entry("a", "b").to_json()))), values)
def test_a_field_with_any_other_value_is_an_error_or_an_entry_with_that_value(name: str, value: Any) -> None:
    data = json.loads(entry("a", "b").to_json()) | {name: value}
    try:
        read = MatchEntry.from_json(json.dumps(data))
    except QueueEntryError:
        return

    # What a time control or a policy leaves out has its default; all else comes back as it was given.
    if name not in ("time", "policy"):
        assert value == json.loads(read.to_json())[name]


WRONG: list[tuple[str, Any, str]] = [
    ("match", "m", "match is an id of 20 characters, not 'm'"),
    ("block", "b", "block is an id of 20 characters, not 'b'"),
    ("game", "Chess!", "game must match"),
    ("version", 0, "version is a whole number from 1"),
    ("version", True, "version is a whole number from 1"),
    ("seats", [], "seats are 1 to 16, not 0"),
    ("seats", [["a", "a"]], "a seat is"),
    ("seats", [["A", "a", ""]], "bot must match"),
    ("seats", [["a", "a", "x" * 65]], "instance is at most 64"),
    ("seats", [["a", "a", "x\n"]], "instance is at most 64"),
    ("seats", "ab", "seats is a JSON array"),
    ("options", [], "options is a JSON object"),
    ("options", {"cards": None}, "option cards is"),
    ("options", {"Cards": 1}, "an option's name must match"),
    ("ladder", "no such ladder", "ladder must match"),
    ("rated", 1, "rated is true or false, not 1"),
    ("index", 1, "index is a whole number from 0 to 0, not 1"),
    ("attempt", -1, "attempt is a whole number"),
    ("max_attempts", 0, "max_attempts is a whole number"),
    ("deals", "stacked", "deals is one of fresh, shared, not 'stacked'"),
    ("deals", "shared", "shared deals need a block"),
    ("time", {"move": -1}, "move is 0 to"),
    ("time", {"pause": 1}, "a time control has no"),
    ("policy", {"on_fault": "laugh"}, "on_fault is one of"),
    ("policy", {}, "on_fault is one of"),
    ("created", "now", "created is a whole number"),
]


@pytest.mark.parametrize(("name", "value", "message"), WRONG)
def test_a_wrong_field_is_named_with_its_value(name: str, value: Any, message: str) -> None:
    data = json.loads(entry("a", "b").to_json()) | {name: value}

    with pytest.raises(QueueEntryError, match=message):
        MatchEntry.from_json(json.dumps(data))


def test_unknown_and_missing_fields_are_named() -> None:
    data = json.loads(entry("a", "b").to_json())
    with pytest.raises(QueueEntryError, match=r"an entry has no \['colour'\]"):
        MatchEntry.from_json(json.dumps(data | {"colour": "red"}))
    del data["seed"]
    with pytest.raises(QueueEntryError, match=r"an entry lacks \['seed'\]"):
        MatchEntry.from_json(json.dumps(data))


def test_a_seed_is_in_no_text_about_an_entry() -> None:
    """H1: neither in its repr nor in the error about a wrong one."""
    match = entry("a", "b")
    with pytest.raises(QueueEntryError) as refused:
        entry("a", "b", seed=match.seed.upper() + "x")

    assert match.seed not in repr(match)
    assert match.seed not in str(refused.value).lower()


def test_the_next_attempt_is_a_new_match_of_the_same_place() -> None:
    match = entry("a", "b", block=new_id(), block_size=3, index=2)
    again = match.again(seed="1" * 32)

    assert match.match != again.match
    assert (match.block, 2, 1, "1" * 32) == (again.block, again.index, again.attempt, again.seed)


@pytest.mark.parametrize("why", Termination)
def test_only_ends_without_result_are_played_again_and_not_for_ever(why: Termination) -> None:
    """C7."""
    match = entry("a", "b", max_attempts=2)

    assert (why in (Termination.NO_SHOW, Termination.INFRASTRUCTURE)) is match.plays_again(why)
    assert not match.again(seed=match.seed).plays_again(why)


def test_ids_are_distinct_and_in_the_order_of_their_making() -> None:
    made = [new_id() for _ in range(2_000)]

    assert len(made) == len(set(made))
    assert [text[:10] for text in made] == sorted(text[:10] for text in made)
    assert all(map(is_id, made))


@pytest.mark.parametrize("wrong", ["", "x", "0" * 19, "0" * 21, "O" * 20, "l" * 20, None, 5, "0" * 19 + "/"])
def test_other_texts_are_no_ids(wrong: object) -> None:
    assert not is_id(wrong)
