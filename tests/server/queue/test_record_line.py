"""A record's line read in parts: the same facts as the whole, whatever its texts are."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from tests.support.ladder_store import record_of, score
from tests.support.valkey import entry

from agon_engine.core.options import OptionValue
from agon_engine.core.record import By, MatchRecord, Move, SeatRow
from agon_server.queue.record_line import read_parts

HOSTILE = (
    '","seat",',
    ',"seat",',
    "seat",
    '"],["',
    ',"moves":[',
    ',"moves":{"seats":[0,1]',
    ',"result":{"termination":',
    "\\",
    '\\","substitute",',
)


def record(*moves: Move) -> MatchRecord:
    made = record_of(entry("a", "b"), score(1, 2))
    seats = tuple(SeatRow("a", text, text, "seat") for text in HOSTILE[:2])
    return replace(made, moves=moves, seats=seats, servers=("a", "seat", "substitute", "b"))


@pytest.mark.parametrize("text", HOSTILE)
def test_moves_are_counted_exactly_whatever_the_texts_are(text: str) -> None:
    moves = (Move(0, text, By.SEAT), Move(1, "x", By.SUBSTITUTE), Move(0, text, By.SEAT))

    assert [read_parts(record(*moves[:count]).to_line()).moves for count in range(4)] == [0, 1, 2, 3]


def in_format_1(whole: MatchRecord) -> str:
    """Write a record as earlier versions did, which archives may still have."""
    data = json.loads(whole.to_line())
    data |= {"format": 1, "moves": whole.moves}
    return json.dumps(data, separators=(",", ":"))


@pytest.mark.parametrize("text", HOSTILE)
def test_moves_of_the_first_format_are_counted_too(text: str) -> None:
    moves = (Move(0, text, By.SEAT), Move(1, "x", By.SUBSTITUTE), Move(0, text, By.SEAT))

    for count in range(4):
        whole = record(*moves[:count])
        parts = read_parts(whole.to_line())
        assert read_parts(in_format_1(whole)) == parts._replace(head={**parts.head, "format": 1})


def test_the_parts_say_what_the_record_does() -> None:
    whole = record(Move(0, "x", By.SEAT))

    head, _, end = read_parts(whole.to_line())

    assert (head["match"], head["seed"], head["seats"][0]["owner"]) == (whole.match, whole.seed, HOSTILE[0])
    assert (end["result"]["placements"], end["servers"], end["digest"]) == ([1, 2], list(whole.servers), whole.digest)


@pytest.mark.parametrize("value", [7, True, "seats", ',"moves":{'])
def test_a_game_may_have_options_that_are_called_like_parts(value: OptionValue) -> None:
    options = {"lives": 3, "moves": value, "result": value}
    whole = replace(record(Move(0, "x", By.SEAT)), options=options)

    for line in (whole.to_line(), in_format_1(whole)):
        head, moves, end = read_parts(line)
        assert (head["options"], moves, end["result"]["placements"]) == (options, 1, [1, 2])


@pytest.mark.parametrize("line", ["", "{}", '[,"moves":[],"result":{"termination":1}]', '1,"moves":[,"result":{'])
def test_what_is_no_line_is_an_error(line: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        read_parts(line)
