"""Matches whose options name a file: played and taken over with it, buried without it, kept while the store is away."""

from __future__ import annotations

import pytest
from tests.support import card_files
from tests.support.card_files import GAME, OPTION, OTHER_ID
from tests.support.doors import Door
from tests.support.e2e import until
from tests.support.referee import Bench, make_entry

from agon.codec.client import decode_down
from agon.codec.frames import Decide, Over
from agon_engine.core import Termination, verify
from agon_engine.core.options import GameFile
from agon_engine.registry import get_game
from agon_server.queue.entry import MatchEntry
from agon_server.store.errors import StoreError, StoreUnavailableError

OTHER = get_game(GAME).with_file(OPTION, card_files.other_text())
FILE = OTHER.files[OPTION]


def entry_with(file: str) -> MatchEntry:
    return make_entry(game=GAME, options={"families": "first", OPTION: file}, seed="4" * 32)


def prefers_other(decide: Decide) -> int:
    """Choose the card that the house set does not have, wherever it is listed."""
    return next((index for index, code in enumerate(decide.actions) if OTHER_ID in code), 0)


def played() -> Bench:
    """Play a match to its end with the other set."""
    bench = Bench(entry=entry_with(FILE.hash), game=OTHER).begin()
    bench.play_out(pick=prefers_other)
    return bench


def test_a_match_is_played_with_the_codes_of_its_file() -> None:
    bench = played()
    record = bench.record()
    listed = {
        code
        for stream in bench.streams
        for frame in stream.frames
        if isinstance(frame.body, Decide)
        for code in frame.body.actions
    }

    assert any(OTHER_ID in code for code in listed)
    assert any(OTHER_ID in move.action for move in record.moves)
    assert record.options == {"families": "first", OPTION: FILE.hash}
    verify(record, OTHER)


async def test_a_match_is_taken_over_with_its_file(door: Door) -> None:
    """Its journal has codes that the house set does not have."""
    door.files.texts[FILE.hash] = FILE.text
    bench = played()
    await door.run(entry=bench.entry, journal=bench.journal.lines)
    record = await door.queue.find_record(bench.entry.match)

    assert any(OTHER_ID.encode() in line for line in bench.journal.lines)
    assert door.queue.buried == {}
    assert record is not None
    assert (record.moves, record.result) == (bench.record().moves, bench.record().result)


@pytest.mark.parametrize(
    ("file", "text", "reason"),
    [
        (FILE.hash, None, f"option cards names a file that the store does not have: {FILE.hash!r}"),
        (
            GameFile.of("nonsense").hash,
            "nonsense",
            "this version of the game cannot play with the file for option cards: the file is no JSON: Expecting "
            "value: line 1 column 1 (char 0)",
        ),
        ("mine", None, "option cards is one of house or a file, by its hash, not 'mine'"),
    ],
)
async def test_a_match_whose_file_cannot_be_had_is_a_dead_letter_and_others_play_on(
    door: Door, caplog: pytest.LogCaptureFixture, file: str, text: str | None, reason: str
) -> None:
    if text is not None:
        door.files.texts[file] = text
    entry = await door.run(entry=entry_with(file))
    await door.run()
    told = [body for _, piece in door.lobby.sent for body in [decode_down(piece)[0].body] if isinstance(body, Over)]

    assert door.queue.buried == {entry.match: reason}
    assert f"match {entry.match} is a dead letter: {reason}" in caplog.text
    assert [over.termination for over in told] == [Termination.INFRASTRUCTURE] * 2
    assert door.referee.running == 1


async def test_a_match_waits_while_the_store_is_away_and_is_no_dead_letter(
    door: Door, caplog: pytest.LogCaptureFixture
) -> None:
    door.files.texts[FILE.hash] = FILE.text
    door.files.fails = StoreUnavailableError("away")
    await door.run(entry=entry_with(FILE.hash))
    before = door.referee.running
    door.files.fails = None
    await until(lambda: door.referee.running)

    assert before == 0
    assert door.queue.buried == {}
    assert "claiming" in caplog.text


async def test_a_match_is_delivered_again_where_the_store_refuses(door: Door, caplog: pytest.LogCaptureFixture) -> None:
    """Its lease runs out, and it is nobody's fault but the store's."""
    door.files.fails = StoreError("no")
    await door.run(entry=entry_with(FILE.hash))
    door.files.fails = None
    await door.run()
    await until(lambda: door.referee.running)

    assert door.queue.buried == {}
    assert "claiming" in caplog.text
