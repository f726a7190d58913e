"""Results of a four-seat ladder as a server has them, with records of real size: for benchmarks of what reads many."""

from __future__ import annotations

import json
from collections.abc import Iterator

from tests.support.ladder_store import record_of
from tests.support.valkey import GAME, entry

from agon_engine.core import Chance, standard_placements
from agon_engine.core.policy import Result as End, Termination
from agon_engine.core.record import By, Move, line_hash
from agon_engine.core.record_rows import moves_to_json
from agon_ladder.pairing.blocks import rotation
from agon_server.queue.ids import new_id
from agon_server.queue.outcome import Outcome
from agon_server.queue.results import Kind, Result

SEATS = 4
BOTS = 200
LADDER = f"{GAME}-{SEATS}"
MOVES = 150
"""Moves in a record, which has about 9 KB then."""
_ENDS = (Termination.SCORE,) * SEATS


def drawn(blocks: int) -> Iterator[tuple[tuple[str, ...], tuple[int, ...], str, int]]:
    """Draw bots, placements, block and place of the matches of whole blocks."""
    chance = Chance(bytes(16))
    names = [f"bot-{number}" for number in range(BOTS)]
    for _ in range(blocks):
        chance.shuffle("line-up", names)
        block = new_id()
        for place in range(SEATS):
            keys = [chance.below("luck", 200) - int(bot[4:]) for bot in rotation(names[:SEATS], place)]
            yield rotation(names[:SEATS], place), standard_placements(keys), block, place


def results(blocks: int) -> Iterator[Result]:
    """Make the results of so many blocks, a millisecond after each other, with their records."""
    move = Move(0, "recruit athena", By.SEAT, 123_456, 124_000, 500, 900, 120_000)
    none, moves = (json.dumps(moves_to_json([move] * count), separators=(",", ":")) for count in (0, MOVES))
    for at, (bots, placements, block, place) in enumerate(drawn(blocks), start=1):
        match = entry(*bots, ladder=LADDER, block=block, block_size=SEATS, index=place)
        record = record_of(match, End(Termination.SCORE, placements, (0,) * SEATS, _ENDS))
        line = record.to_line().replace(none, moves, 1)
        yield Result(
            id=f"{1_900_000_000_000 + at}-0",
            kind=Kind.PLAYED,
            match=match.match,
            game=match.game,
            version=match.version,
            ladder=match.ladder,
            block=block,
            index=place,
            attempt=0,
            rated=True,
            termination=Termination.SCORE,
            server="server-1",
            epoch=1,
            reason="",
            record_hash=line_hash(line),
            plays_again=False,
            outcome=Outcome(bots, placements, _ENDS),
            record=line,
        )
