"""Results read from their records: what the ladder needs, whatever the moves hold, and nothing that is another's."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given, strategies as st
from tests.support.ladder_store import record_of, score
from tests.support.valkey import entry

from agon_engine.core.policy import Termination
from agon_engine.core.record import By, Move
from agon_ladder.errors import ResultError
from agon_ladder.results import Position
from agon_server.queue.ids import new_id
from agon_server.queue.outcome import Outcome
from agon_server.queue.reading import read_result
from agon_server.queue.results import Kind, Result

MATCH = entry("a", "b", block=new_id(), block_size=2, index=1, attempt=2)
RECORD = record_of(MATCH, score(2, 1))
RESULT = Result(
    id="17-3",
    kind=Kind.PLAYED,
    match=MATCH.match,
    game=MATCH.game,
    version=1,
    ladder=MATCH.ladder,
    block=MATCH.block,
    index=1,
    attempt=2,
    rated=True,
    termination=Termination.SCORE,
    server="server-1",
    epoch=1,
    reason="",
    record_hash="",
    record=RECORD.to_line(),
    plays_again=False,
    outcome=Outcome(("a", "b"), (2, 1), (Termination.SCORE,) * 2),
)


def test_a_result_is_read_from_the_ends_of_its_record() -> None:
    read = read_result(RESULT)

    assert (read.position, read.match, read.ladder) == (Position(17, 3), MATCH.match, MATCH.ladder)
    assert (read.bots, read.placements) == (("a", "b"), (2, 1))
    assert (read.block, read.place, read.attempt) == (MATCH.block, 1, 2)
    assert (read.commitment, read.deals, read.rated) == (RECORD.commitment, MATCH.deals, True)


nasty = st.text(st.sampled_from('\\",[]{}:movesrult ')).filter(lambda text: 0 < len(text) <= 200)


@given(nasty, nasty)
def test_no_text_in_a_record_can_pass_for_its_structure(action: str, version: str) -> None:
    """The cut is made at quotes that no string can hold unescaped."""
    fake = ',"moves":{"seats":[],"result":{"termination":"score","placements":[1,1]'
    seats = tuple(row._replace(bot_version=version + fake) for row in RECORD.seats)
    record = replace(RECORD, moves=(Move(0, action + fake, By.SEAT), Move(1, fake, By.SEAT)), seats=seats)

    read = read_result(replace(RESULT, record=record.to_line()))

    assert read == read_result(RESULT)


@pytest.mark.parametrize("kind", [Kind.DEAD, Kind.CANCELLED])
def test_a_match_that_was_never_played_has_no_bots_and_does_not_count(kind: Kind) -> None:
    read = read_result(replace(RESULT, kind=kind, record="", termination=Termination.INFRASTRUCTURE))

    assert read.bots == ()
    assert not read.rated


def changed(**changes: object) -> str:
    return json.dumps({**json.loads(RESULT.record), **changes}, separators=(",", ":"))


@pytest.mark.parametrize(
    "record",
    [
        "",
        "{}",
        RESULT.record[:-1],
        RESULT.record[1:],
        RESULT.record.replace('"moves"', '"movements"', 1),
        changed(seats=[{}]),
        changed(seats=[{"bot": 5}]),
        changed(result={"termination": "luck", "placements": [1, 2], "seats": ["score", "score"]}),
        changed(result={"termination": "score", "placements": ["1", 2], "seats": ["score", "score"]}),
        changed(match="another"),
        changed(ladder="another"),
        changed(block="another"),
        changed(result={"termination": "no_show", "placements": [1, 1], "seats": ["no_show", "no_show"]}),
        changed(deals="some"),
        '{"match":' + "[" * 100_000 + ',"moves":[],"result":{"termination":"score"}}',
        RESULT.record.replace('"format":2,', "").replace(',"rated":', ',"format":2,"rated":', 1),
    ],
    ids=map(str, range(16)),  # the records hold ids of their own, which are new each time
)
def test_a_record_that_is_damaged_or_another_matchs_is_refused_with_its_id(record: str) -> None:
    with pytest.raises(ResultError, match=f"the record of match {MATCH.match} .*'17-3'|is another one's"):
        read_result(replace(RESULT, record=record))
