"""Match records: one canonical line, read strictly whoever wrote it; the commitment (H1, H8, L3)."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from hashlib import blake2b
from typing import Any

import pytest
from hypothesis import given, strategies as st
from tests.support.matches import new_table, played_record, record_of, record_with_faults
from tests.support.toy_game import GAME

from agon_engine.core import (
    By,
    Deals,
    Fault,
    FaultKind,
    MatchRecord,
    Move,
    OnFault,
    RecordError,
    Result,
    SeatRow,
    Termination,
    commitment,
    mismatches,
)
from agon_engine.core.record import MAX_LINE

RECORD = record_with_faults()
LINE = RECORD.to_line()

Change = Callable[[dict[str, Any]], object]


def changed(change: Change) -> str:
    data = json.loads(LINE)
    change(data)
    return json.dumps(data, separators=(",", ":"))


def put(*path: str | int, value: Any) -> Change:
    def change(data: Any) -> None:
        for step in path[:-1]:
            data = data[step]
        data[path[-1]] = value

    return change


# -- the line ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", range(20))
def test_a_record_that_is_read_gives_the_same_line_again(number: int) -> None:
    record = played_record(2 + number % 3, number)
    again = MatchRecord.from_line(record.to_line())

    assert again == record
    assert again.to_line() == record.to_line()
    assert again.hash() == record.hash()


def test_the_line_is_ascii_without_spaces_or_line_feeds_and_starts_with_its_format() -> None:
    record = replace(RECORD, seats=(SeatRow("bot", "Ödipus", "1", "Θέτις"), *RECORD.seats[1:]))
    line = record.to_line()

    assert line.isascii()
    assert "\n" not in line
    assert line.startswith('{"format":2,"match":"m-1",')
    assert MatchRecord.from_line(line).seats[0].alias == "Θέτις"


def test_the_hash_is_over_the_line() -> None:
    assert RECORD.hash() == blake2b(LINE.encode(), digest_size=32).hexdigest()


def test_options_are_written_in_one_order() -> None:
    backwards = replace(RECORD, options={name: RECORD.options[name] for name in sorted(RECORD.options, reverse=True)})

    assert backwards.to_line() == LINE


def test_a_whole_match_of_two_seats_takes_little_space() -> None:
    assert len(played_record(2, 1).to_line()) < 2_000


# -- strictness ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "line",
    [
        "",
        "nonsense",
        "null",
        "[]",
        "1e999",
        '"text"',
        LINE[:-1],
        LINE + "x",
        LINE + LINE,
        "\ufeff" + LINE,
        " " + LINE,
        LINE + "\n",
        LINE.replace(":", ": ", 1),
        LINE.replace('"rated":true', '"rated":1'),
        LINE.replace('"epoch":1', '"epoch":1.0'),
        LINE.replace('"epoch":1', '"epoch":NaN'),
        LINE.replace('"epoch":1', '"epoch":Infinity'),
        LINE.replace('"epoch":1', '"epoch":1,"epoch":1'),
        LINE.replace('"epoch":1', '"epoch":' + "9" * 5_000),
        LINE.replace('"match":"m-1"', '"match":"\\u006d-1"'),
        LINE.replace('"match":"m-1"', '"match":"\\ud800"'),
        "[" * 100_000,
        '{"format":2,"options":' + '{"a":' * 100_000,
        '{"match":' + "[" * 2_000 + "]" * 2_000 + "}",
    ],
)
def test_text_that_is_no_canonical_record_is_refused(line: str) -> None:
    with pytest.raises(RecordError):
        MatchRecord.from_line(line)


def test_a_line_has_a_bounded_size() -> None:
    with pytest.raises(RecordError, match=f"at most {MAX_LINE} bytes"):
        MatchRecord.from_line('{"match":"' + "m" * MAX_LINE + '"}')


@pytest.mark.parametrize("number", [0, 1, 3, "2", None, True, 2.0])
def test_another_format_is_refused_by_its_number(number: object) -> None:
    with pytest.raises(RecordError, match=r"reads records of format 2, not "):
        MatchRecord.from_line(changed(put("format", value=number)))


@pytest.mark.parametrize("key", [key for key in json.loads(LINE) if key != "format"])
def test_no_field_may_lack_or_have_another_type(key: str) -> None:
    with pytest.raises(RecordError, match=key):
        MatchRecord.from_line(changed(lambda data: data.pop(key)))
    for value in (None, 1.5, {"a": [1]}, [{"a": 1}]):
        with pytest.raises(RecordError):
            MatchRecord.from_line(changed(put(key, value=value)))


def test_an_unknown_field_is_refused_by_its_name() -> None:
    with pytest.raises(RecordError, match=r"has no \['extra'\]$"):
        MatchRecord.from_line(changed(put("extra", value=1)))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (put("match", value=""), "match is printable text"),
        (put("match", value="m\x1b[2J"), "match is printable text"),
        (put("match", value="m" * 201), "match is printable text"),
        (put("version", value=0), "version is a whole number"),
        (put("version", value=True), "version is a whole number"),
        (put("epoch", value=1 << 60), "epoch is a whole number"),
        (put("seed", value="00"), "seed is 32 hex digits"),
        (put("seed", value="G" * 32), "seed is 32 hex digits"),
        (put("commitment", value=""), "commitment is 64 hex digits"),
        (put("digest", value="ab"), "digest is 64 hex digits"),
        (put("started", value="yesterday"), "started is a UTC time"),
        (put("started", value="2030-02-30T12:00:00Z"), "started is a UTC time"),
        (put("ended", value="2030-01-31T12:00:00+02:00"), "ended is a UTC time"),
        (put("servers", value=[""]), "a server is printable text"),
        (put("servers", value=[7]), "a server is printable text"),
        (put("options", "hand", value=2.5), "option hand is a whole number"),
        (put("options", "hand", value=[2]), "option hand is a whole number"),
        (put("options", "bad\nname", value=1), "an option's name is printable text"),
        (put("deals", value="marked"), "deals is one of fresh, shared, not 'marked'"),
        (put("seats", value=[]), "a record has 1 to 16 seats"),
        (put("seats", 0, "bot", value=""), "bot is printable text"),
        (put("seats", 0, "alias", value=None), "alias is printable text"),
        (put("seats", 0, "secret", value=1), r"a seat has no \['secret'\]"),
        (lambda data: data["seats"].pop(), "one value a seat"),
        (put("time", "move", value=-1), "move is 0 to"),
        (put("time", "blitz", value=1), "a time control has no"),
        (lambda data: data["time"].pop("move"), "not written as records are"),
        (put("policy", "on_fault", value="shrug"), "on_fault is one of"),
        (lambda data: data["policy"].pop("strikes"), "not written as records are"),
        (put("moves", value=[]), "moves is a JSON object, not list"),
        (put("moves", "seats", 0, value=3), "a seat is 0 to 2, not 3"),
        (put("moves", "seats", 0, value=-1), "a seat is 0 to 2, not -1"),
        (put("moves", "seats", 0, value=False), "a seat is 0 to 2, not False"),
        (put("moves", "seats", value="0"), "moves.seats is a JSON array, not str"),
        (put("moves", "actions", 0, value=""), "a move's action is printable text"),
        (put("moves", "actions", 0, value="a" * 201), "a move's action is printable text"),
        (put("moves", "actions", 0, value="play\n1"), "a move's action is printable text"),
        (put("moves", "actions", 0, value=["play"]), "a move's action is printable text"),
        (lambda data: data["moves"]["actions"].pop(), r"moves.actions has one value a move, that is \d+, not \d+"),
        (put("moves", "charge_us", 0, value=-5), "moves.charge_us is a whole number"),
        (put("moves", "charge_us", 0, value="5"), "moves.charge_us is a whole number"),
        (put("moves", "host_us", 0, value=1.5), "moves.host_us is a whole number"),
        (put("moves", "thought_ms", 0, value=1 << 53), "thought_us is a whole number"),
        (put("moves", "elapsed_us", value=[[0, -1]]), "elapsed_us is a whole number"),
        (put("moves", "elapsed_us", value=[[0, [1]]]), "elapsed_us is a whole number"),
        (put("moves", "elapsed_us", value=[[0]]), "a value of moves.elapsed_us has 2 columns, not 1"),
        (put("moves", "elapsed_us", value=[7]), "a value of moves.elapsed_us is a JSON array, not int"),
        (put("moves", "elapsed_us", value=[[0, 0], [0, 0]]), "not written as records are"),
        (put("moves", "substitutes", value=[10_000]), "not written as records are"),
        (put("moves", "substitutes", value=[[]]), "moves.substitutes is a whole number"),
        (put("moves", "late", value=[True]), "moves.late is a whole number"),
        (put("moves", "attempts", value=[[0, True]]), "attempts is a whole number"),
        (put("moves", "attempts", value=[["0", 2]]), "a number in moves.attempts is a whole number"),
        (put("moves", "by", value=[]), r"moves has no \['by'\]"),
        (lambda data: data["moves"].pop("late"), r"moves lacks \['late'\]"),
        (put("faults", 0, 0, value=10_000), "faults are in order"),
        (put("faults", -1, 0, value=0), "faults are in order"),
        (put("faults", 0, 2, value="sin"), "kind is one of strike, fall"),
        (put("faults", 0, 3, value="sin"), "termination is one of"),
        (lambda data: data["faults"][0].append(1), "a fault has 11 columns, not 12"),
        (put("result", "termination", value={}), "termination is one of"),
        (put("result", "placements", 0, value=0), "a placement is 1 to 3, not 0"),
        (put("result", "placements", 0, value=4), "a placement is 1 to 3, not 4"),
        (put("result", "scores", 0, value=0.5), "a score is a whole number"),
        (put("result", "seats", 0, value=None), "a seat's termination is one of"),
        (put("result", "winner", value=0), "result has no"),
    ],
)
def test_a_field_out_of_range_is_refused_by_its_name(change: Change, message: str) -> None:
    with pytest.raises(RecordError, match=message):
        MatchRecord.from_line(changed(change))


def test_the_record_that_the_rows_above_change_has_moves_and_faults() -> None:
    assert len(RECORD.faults) >= 2
    assert RECORD.faults[-1].at > 0
    assert MatchRecord.from_line(changed(put("format", value=2))) == RECORD


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(0, 4)
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from(["seat", "substitute", "strike", "fall", "timeout", "illegal", "resigned", "peek", "pass"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@given(st.data(), json_values)
def test_whatever_is_put_somewhere_it_is_refused_or_canonical_and_then_judged(
    data: st.DataObject, value: object
) -> None:
    tree = json.loads(LINE)
    node: Any = tree
    while True:
        keys = list(node) if isinstance(node, dict) else list(range(len(node)))
        key = data.draw(st.sampled_from(keys))
        inner = node[key]
        if not isinstance(inner, (dict, list)) or not inner or data.draw(st.booleans()):
            node[key] = value
            break
        node = inner
    line = json.dumps(tree, separators=(",", ":"))
    try:
        record = MatchRecord.from_line(line)
        found = mismatches(record, GAME)
    except RecordError:
        return

    assert record.to_line() == line
    assert all(isinstance(text, str) for text in found)


@given(st.text(max_size=40))
def test_any_text_is_refused_with_a_record_error(text: str) -> None:
    with pytest.raises(RecordError):
        MatchRecord.from_line(text)


# -- building one --------------------------------------------------------------------------------------------


def test_a_record_is_checked_when_it_is_built() -> None:
    with pytest.raises(RecordError, match="bot is printable text"):
        replace(RECORD, seats=(SeatRow("bell\a", "o", "1", "a"), *RECORD.seats[1:]))


def test_what_is_only_told_of_time_is_whole_milliseconds() -> None:
    """Else a line would say less than its record."""
    move = RECORD.moves[0]
    for wrong, column in (
        (move._replace(latency_us=1_001), "latency_us"),
        (move._replace(thought_us=1_001), "thought_us"),
    ):
        with pytest.raises(RecordError, match=f"{column} of a move is whole milliseconds, not 1001"):
            replace(RECORD, moves=(wrong,), faults=())


def test_a_record_of_a_running_match_cannot_be_had() -> None:
    with pytest.raises(ValueError, match=r"'m-1'$"):
        record_of(new_table())


@pytest.mark.parametrize(
    ("rated", "termination", "counts"),
    [
        (True, Termination.SCORE, True),
        (True, Termination.RESIGNED, True),
        (False, Termination.SCORE, False),
        (True, Termination.INFRASTRUCTURE, False),
        (True, Termination.CANCELLED, False),
    ],
)
def test_a_result_counts_when_it_was_played_for_a_rating_and_no_server_spoilt_it(
    rated: bool, termination: Termination, counts: bool
) -> None:
    result = replace(RECORD.result, termination=termination)

    assert replace(RECORD, rated=rated, result=result).counts is counts


def test_rows_say_who_chose_and_why_a_seat_fell() -> None:
    moves = (
        Move(0, "peek", By.SEAT, 5_000, 5_700, 700, 0, 4_000, attempts=1),
        Move(1, "pass", By.SUBSTITUTE),
        Move(0, "peek", By.SEAT, 9_000, 12_000, 700, 1_000, 0, late=True, attempts=3),
    )
    fault = Fault(1, 0, FaultKind.FALL, Termination.RESIGNED)
    record = replace(
        RECORD,
        moves=moves,
        faults=(fault,),
        deals=Deals.SHARED,
        result=Result(Termination.SCORE, (3, 1, 1), (0, 1, 1), (Termination.RESIGNED, *[Termination.SCORE] * 2)),
    )
    data = json.loads(record.to_line())

    assert data["moves"] == {
        "seats": [0, 1, 0],
        "actions": ["peek", "pass", "peek"],
        "charge_us": [5_000, 0, 9_000],
        "host_us": [700, 0, 700],
        "latency_ms": [0, 0, 1],
        "thought_ms": [4, 0, 0],
        "elapsed_us": [[2, 12_000]],
        "substitutes": [1],
        "late": [2],
        "attempts": [[2, 3]],
    }
    assert MatchRecord.from_line(record.to_line()) == record
    assert data["faults"] == [[1, 0, "fall", "resigned", 0, 0, 0, 0, 0, False, 0]]
    assert data["result"]["seats"] == ["resigned", "score", "score"]
    assert data["policy"]["on_fault"] == OnFault.SUBSTITUTE


# -- the commitment ------------------------------------------------------------------------------------------


def test_the_commitment_can_be_computed_from_what_start_and_over_say() -> None:
    """The encoding written out by hand, as a bot author in another language would."""
    text = "agon deal 1\ngame toy\nversion 1\noption hand=2\noption wards=true\nseed 000102030405060708090a0b0c0d0e0f\n"

    assert (
        commitment("toy", 1, {"wards": True, "hand": 2}, bytes(range(16)))
        == blake2b(text.encode(), digest_size=32).hexdigest()
        == "9b17b6b8b948fded88c8e4f2a7d203d98757bf81a3c1b70fd87e7cffa8c92823"
    )


def test_the_commitment_binds_game_version_options_and_seed() -> None:
    seed = bytes(16)
    made = {
        commitment("toy", 1, {"hand": 2}, seed),
        commitment("boy", 1, {"hand": 2}, seed),
        commitment("toy", 2, {"hand": 2}, seed),
        commitment("toy", 1, {"hand": 3}, seed),
        commitment("toy", 1, {}, seed),
        commitment("toy", 1, {"hand": 2}, bytes(15) + b"\x01"),
    }

    assert len(made) == 6
