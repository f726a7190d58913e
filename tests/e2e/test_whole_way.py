"""The whole way of real matches on a real server: register, connect, be paired, play, be rated, be archived; and what
must then be true of records, ratings, metrics and of what bots were told."""

from __future__ import annotations

import asyncio
import gzip
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import ClassVar, NamedTuple

import pytest
from tests.support.bots import running
from tests.support.e2e import CALL_SECONDS, Samples, ServerProcess, Site, until
from tests.support.patience import PATIENCE

from agon.codec import admin, ladder as calls, ledger
from agon_bots import Bot, MatchResult, Turn
from agon_engine.core.record import Deals, MatchRecord, commitment
from agon_engine.core.replay import verify
from agon_engine.registry import get_game

pytestmark = [
    pytest.mark.xdist_group("whole way"),  # one play serves all
    pytest.mark.timeout(3 * PATIENCE),
]

FRESH = ("ajax", "briseis", "calchas", "dolon")
TRUSTED = ("electra", "faunus")
MATCHES = 24
PATIENT = ("time.connect=120", "time.ready=60", "time.move=60", "ping=60")
"""Nobody fails here, also where all stand still for a while."""


class Player(Bot):
    """Plays every game at random, quickly, and keeps how its matches went."""

    quick = True
    ended: ClassVar[list[tuple[Player, MatchResult]]]

    def choose(self, turn: Turn) -> str:
        return turn.random.choice(turn.actions)

    def over(self, result: MatchResult) -> None:
        self.ended.append((self, result))


class Played(NamedTuple):
    """A server on which matches were played to their end, and what is known of them."""

    server: ServerProcess
    told: dict[tuple[str, str], tuple[Player, MatchResult]]
    """What each bot (second) was told of each match (first)."""
    records: list[MatchRecord]
    """In the order in which the matches ended."""
    standings: dict[str, calls.Standings]
    metrics: Samples


@pytest.fixture(scope="module")
def played() -> Iterator[Played]:
    with Site() as site:
        yield asyncio.run(_play(site.launch_server(*(item for limit in PATIENT for item in ("--set", limit)))))


async def _play(server: ServerProcess) -> Played:
    made = admin.CreateLadderRequest(name="shared", game="ephyran", seats=2, deals=Deals.SHARED)
    await server.call(admin.CREATE_LADDER, made)
    bots: dict[str, type[Player]] = {}
    async with AsyncExitStack() as stack:
        for name in (*TRUSTED, *FRESH):
            if name == FRESH[0]:  # the trusted play shared deals among themselves alone: later they may hardly meet
                await until(lambda: _have_met(server), what="whole blocks of shared deals", every=CALL_SECONDS)
            request = admin.RegisterBotRequest(name, trusted=name in TRUSTED)
            token = (await server.call(admin.REGISTER_BOT, request)).token
            bots[name] = type("Player", (Player,), {"ended": []})
            await stack.enter_async_context(running(bots[name], server.address, token=token, slots=4))
        what = "enough matches of each ladder"
        await until(lambda: _is_enough(server), 2 * PATIENCE, what, every=CALL_SECONDS)
        await server.close_ladders()
        await server.settled()
    told = {(player.match.id, name): (player, result) for name in bots for player, result in bots[name].ended}
    standings = {table.ladder.name: table for table in await server.standings()}
    return Played(server, told, await server.records(), standings, await server.samples())


async def _have_met(server: ServerProcess) -> bool:
    return any(table.ladder.name == "shared" and table.results >= 4 for table in await server.standings())


async def _is_enough(server: ServerProcess) -> bool:
    tables = await server.standings()
    return sum(table.results for table in tables) >= MATCHES and all(
        table.results >= table.ladder.seats for table in tables
    )


def test_every_record_replays_to_what_it_states(played: Played) -> None:
    """H8."""
    assert len(played.records) >= MATCHES
    for record in played.records:
        verify(record, get_game(record.game))


def test_each_match_is_recorded_and_told_once_and_alike(played: Played) -> None:
    """R1, R12: every seat of every record was told its Over, and nobody of a match without a record."""
    seats = {
        (record.match, row.bot): (record, seat) for record in played.records for seat, row in enumerate(record.seats)
    }

    assert seats.keys() == played.told.keys()
    assert len(played.records) == len({record.match for record in played.records})
    for key, (record, seat) in seats.items():
        player, result = played.told[key]
        assert (player.match.seat, player.match.commitment) == (seat, record.commitment)
        assert (result.placements, result.scores) == (record.result.placements, record.result.scores)
        assert (result.record_hash, result.rated) == (record.hash(), record.counts)


def test_opponents_are_known_by_aliases_alone(played: Played) -> None:
    """M9: a bot is told its own name, and no other."""
    for (_, name), (player, _) in played.told.items():
        others = [alias for seat, alias in enumerate(player.match.aliases) if seat != player.match.seat]

        assert player.match.aliases[player.match.seat] == name
        assert not {*FRESH, *TRUSTED} & set(others)


def test_the_seed_that_is_shown_at_the_end_fits_what_start_committed_to(played: Played) -> None:
    """H1, H5."""
    fresh = [record for record in played.records if record.deals is Deals.FRESH]
    for record in fresh:
        for row in record.seats:
            player, result = played.told[record.match, row.bot]
            seed = bytes.fromhex(result.seed)
            assert commitment(record.game, record.version, player.match.options, seed) == player.match.commitment

    assert len({record.seed for record in fresh}) == len(fresh)


def test_a_shared_deal_is_shown_with_the_last_match_of_its_block_and_not_before(played: Played) -> None:
    blocks = defaultdict(list)
    for record in played.records:
        if record.deals is Deals.SHARED:
            blocks[record.block].append(record)
    whole = [block for block in blocks.values() if len(block) == 2]

    assert whole
    for first, last in whole:
        shown = [[played.told[record.match, row.bot][1].seed for row in record.seats] for record in (first, last)]
        assert first.seed == last.seed
        assert shown == [["", ""], [last.seed, last.seed]]
        assert {row.bot for row in first.seats} == set(TRUSTED)


def test_line_ups_play_under_all_rotations_of_their_seats(played: Played) -> None:
    """M6: no bot has a seat twice in a block, nor is missing from a match of it."""
    blocks = defaultdict(list)
    for record in played.records:
        blocks[record.block].append(tuple(row.bot for row in record.seats))

    for line_ups in blocks.values():
        assert len({frozenset(bots) for bots in line_ups}) == 1
        assert len({bots[0] for bots in line_ups}) == len(line_ups)


async def test_every_rated_match_has_one_rating_row_a_seat_and_the_tables_equal_their_rebuild(played: Played) -> None:
    """X2, X4: the audit folds all again and compares rows and tables; rebuilding then finds nothing to change."""
    assert await played.server.findings() == []
    for name, table in played.standings.items():
        rebuilt = await played.server.call(admin.REBUILD_LADDER, ledger.RebuildLadderRequest(name))
        ladder = [record for record in played.records if record.ladder == name and record.counts]

        assert not rebuilt.findings
        assert table.results == len(ladder)
        assert {row.bot: row.games for row in table.rows} == Counter(
            row.bot for record in ladder for row in record.seats
        )
        assert sum(row.rating for row in table.rows) == 1_500_000 * len(table.rows)


def test_the_metrics_count_what_the_records_tell(played: Played) -> None:
    """R12."""
    metrics, records = played.metrics, played.records
    ended = Counter(record.result.termination.value for record in records)
    seats = sum(len(record.seats) for record in records if record.counts)

    assert metrics.by("agon_matches_finished_total", "termination") == ended
    assert metrics.sum("agon_matches_started_total") == len(records)
    assert metrics.sum("agon_finish_seconds_count") == len(records)
    assert metrics.sum("agon_decision_seconds_count") == sum(len(record.moves) for record in records)
    assert metrics.sum("agon_rating_updates_total") == seats
    assert metrics.sum("agon_running_matches") == metrics.sum("agon_redeliveries_total") == 0
    assert metrics.by("agon_faults_total", "kind") == metrics.by("agon_rejected_frames_total", "code") == {}


async def test_what_is_recorded_is_archived_in_files_that_verify(played: Played) -> None:
    """X11: the stream is not the only place where a match is."""
    archive = played.server.data / "records"
    stored = await until(lambda: _archived(archive, len(played.records)), what="all records are archived")

    assert stored == [record.to_line() for record in played.records]


def _archived(folder: Path, count: int) -> list[str] | None:
    """Return the stored lines once there are so many: files of lines, gzipped, by day."""
    lines: list[str] = []
    for file in sorted(folder.glob("*.jsonl.gz")):
        lines += gzip.decompress(file.read_bytes()).decode().splitlines()
    return lines if len(lines) >= count else None
