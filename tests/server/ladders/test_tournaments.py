"""Tournaments of a server on a real store: a ladder whose blocks follow from a schedule, and that ends."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from typing import Any

import pytest
from tests.support.fairness import verify_schedule
from tests.support.ladder_store import Ladders, infrastructure, ladder, opened, schedule, score, unrated
from tests.support.tournaments import FORMAT_DEFS, FORMATS

from agon_engine.core.chance import Chance
from agon_engine.core.policy import Result
from agon_engine.core.record import Deals
from agon_ladder.errors import ScheduleError
from agon_ladder.pairing.schedules.deals import deal_seed, tournament_chance
from agon_ladder.pairing.schedules.schedule import PlannedBlock, Played
from agon_ladder.pairing.schedules.swiss import Swiss
from agon_ladder.pairing.schedules.table import Row
from agon_server.ladders import tournaments
from agon_server.ladders.definitions import LadderDef
from agon_server.ladders.pairing import ABSENT_MS
from agon_server.ladders.tournaments import deals_of, read_progress
from agon_server.queue.entry import MatchEntry
from agon_server.store import keys
from agon_server.store.connection import Store
from agon_server.tournaments.definition import FORMATS as KINDS
from agon_server.tournaments.progress import Progress
from agon_server.tournaments.schedule_def import ScheduleDef


def cup(kind: str, seats: int, bots: int, **changes: Any) -> LadderDef:
    return ladder(seats, name="cup", schedule=ScheduleDef.read(stored(kind, bots) | changes))


def stored(kind: str, bots: int) -> dict[str, Any]:
    """Return a schedule as it is stored."""
    format_ = FORMAT_DEFS[kind]
    name = next(name for name, made in KINDS.items() if isinstance(format_, made))
    values = {key: list(value) if isinstance(value, tuple) else value for key, value in asdict(format_).items()}
    return {
        "bots": [f"bot-{number}" for number in range(bots)],
        "format": {"kind": name, **values},
        "seed": "7",
        "concurrency": 64,
        "definition": "",
    }


def by_name(match: MatchEntry) -> Result:
    """End a match as deterministic bots would: the lower the name, the better."""
    names = sorted(seat.bot for seat in match.seats)
    return score(*(1 + names.index(seat.bot) for seat in match.seats))


async def begun(ladders: Ladders, made: LadderDef, *, slots: int = 4, trusted: bool = False) -> None:
    await ladders.catalogue.create(made)
    await ladders.lead()
    assert made.schedule is not None
    await ladders.join(*made.schedule.bots, slots=slots, trusted=trusted)


async def progress(ladders: Ladders) -> Progress:
    return await read_progress(ladders.store, await ladders.catalogue.get("cup"))


async def table(ladders: Ladders) -> list[Row]:
    now = await progress(ladders)
    return now.schedule.table(now.played())


def by_deal(seed: str, bots: Sequence[str]) -> Result:
    """End a match as deterministic bots would whose play decides nothing: by its deal alone."""
    lucky = Chance(bytes.fromhex(seed)).below("luck", len(bots))
    return score(*(1 + (seat - lucky) % len(bots) for seat in range(len(bots))))


async def played_out(
    ladders: Ladders,
    *,
    restarts: random.Random | None = None,
    end: Callable[[MatchEntry], Result] = by_name,
) -> list[MatchEntry]:
    """Play until the tournament has closed itself; with `restarts` another process takes over at any point."""
    played: list[MatchEntry] = []
    for _ in range(200):
        if not (await ladders.catalogue.get("cup")).open:
            return played
        if restarts is not None and restarts.random() < 0.5:
            await ladders.lead()
        await ladders.pairing.round()
        if restarts is not None and restarts.random() < 0.5:
            await ladders.lead()
        played += await ladders.play(end)
        if restarts is not None and restarts.random() < 0.5:
            await ladders.lead()
        await ladders.take()
    raise AssertionError("the tournament does not end")


@pytest.mark.parametrize(("seats", "bots"), [(2, 5), (3, 5), (4, 6)])
@pytest.mark.parametrize("kind", FORMATS)
async def test_a_tournament_plays_its_schedule_and_ends(ladders: Ladders, kind: str, seats: int, bots: int) -> None:
    """M6: whole blocks, a secret deal of its own for each match; each result rated once."""
    await begun(ladders, cup(kind, seats, bots))

    played = await played_out(ladders)

    now = await progress(ladders)
    assert (now.is_over, now.remaining, now.lost) == (True, 0, 0)
    assert len(played) == now.done
    assert verify_schedule(schedule(played)) == []
    assert len(schedule(played)) == len(played)
    assert (await table(ladders))[0].bot == "bot-0"
    assert (await ladders.fold.state("cup")).results == len(played)
    assert (await ladders.auditor.audit("cup")).findings == ()
    assert ladders.pairing.blocks == ()
    assert await ladders.store.command("HLEN", keys.OPEN_BLOCKS + "cup") == 0


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("deals", Deals)
@pytest.mark.parametrize("seed", range(2))
async def test_processes_that_take_over_at_any_point_come_to_the_same_table(
    ladders: Ladders, kind: str, deals: Deals, seed: int
) -> None:
    """R11, X12: nothing is played twice, nothing is left out, and each match has the deal that it would have had: the
    results are those of a run without a break under the same secret."""
    await begun(ladders, replace(cup(kind, 2, 5), deals=deals), trusted=deals is Deals.SHARED)
    secret = await deals_of(ladders.store, "cup")

    def end(match: MatchEntry) -> Result:
        return by_deal(match.seed, [seat.bot for seat in match.seats])

    played = await played_out(ladders, restarts=random.Random(seed), end=end)

    made = cup(kind, 2, 5).schedule
    assert made is not None
    whole = Progress(made.schedule(2), 2)
    seeds = set()
    while due := list(whole.due()):
        for match in due:
            dealt = deal_seed(secret, *match.place, match.attempt, deals)
            seeds.add(dealt)
            whole.take(match.place, match.bots, by_deal(dealt, match.bots).placements)
    assert {match.seed for match in played} == seeds
    now = await progress(ladders)
    assert [list(round_) for round_ in now.played()] == [list(round_) for round_ in whole.played()]
    assert len(played) == now.done == whole.done
    assert await table(ladders) == whole.schedule.table(whole.played())


async def test_deals_are_secrets_of_a_tournament_and_do_not_follow_from_its_seed(ladders: Ladders) -> None:
    """H5: whoever has read the file, or played it before, foresees no deal."""
    await ladders.catalogue.create(cup("swiss", 2, 5))
    await ladders.catalogue.create(replace(cup("swiss", 2, 5), name="again"))
    from_file = tournament_chance("7")

    found = [await deals_of(ladders.store, name) for name in ("cup", "again", "cup")]

    first, second, repeated = (deal_seed(chance, 0, 0, 0, 0, Deals.FRESH) for chance in found)
    assert first == repeated
    assert len({first, second, deal_seed(from_file, 0, 0, 0, 0, Deals.FRESH)}) == 3


async def test_a_match_that_is_played_again_has_another_deal(ladders: Ladders) -> None:
    """Its bots have seen the first one, whose seed is told when it has ended."""
    await begun(ladders, cup("swiss", 2, 4))
    secret = await deals_of(ladders.store, "cup")
    await ladders.pairing.round()
    claims = await ladders.claim_all()
    for claim in claims:
        await ladders.finish(claim, unrated(2))
    await ladders.take()
    await ladders.lead()

    await ladders.pairing.round()
    again = [claim.entry for claim in await ladders.claim_all()]

    assert {entry.attempt for entry in again} == {1}
    assert {entry.seed for entry in again} == {
        deal_seed(secret, 0, block, place, 1, Deals.FRESH) for block in range(2) for place in range(2)
    }
    assert {entry.seed for entry in again}.isdisjoint(claim.entry.seed for claim in claims)


async def test_who_leads_anew_reads_nothing_of_tournaments_that_are_over(
    ladders: Ladders, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody waits for all that was ever played; of one that waits, what its last matches bring is still noted."""
    read = []

    async def noted(store: Store, made: LadderDef) -> Progress:
        read.append(made.name)
        return await read_progress(store, made)

    monkeypatch.setattr(tournaments, "read_progress", noted)
    await begun(ladders, cup("swiss", 2, 4))
    await played_out(ladders)
    await ladders.catalogue.create(replace(cup("swiss", 2, 4), name="waits"))
    await ladders.pairing.round()
    await ladders.catalogue.close("waits")
    read.clear()

    await ladders.lead()
    under_way = await ladders.play(by_name)
    await ladders.take()

    assert read == ["waits"]
    assert len(under_way) == 4
    assert (await read_progress(ladders.store, await ladders.catalogue.get("waits"))).done == 4


async def test_rounds_are_paired_beside_the_loop(ladders: Ladders, monkeypatch: pytest.MonkeyPatch) -> None:
    """M6: those of 200 bots take half a second, and the loop plays."""
    pair = Swiss.round
    on_loop = []

    def noted(swiss: Swiss, number: int, played: Played) -> Sequence[PlannedBlock]:
        on_loop.append(threading.current_thread() is threading.main_thread())
        return pair(swiss, number, played)

    monkeypatch.setattr(Swiss, "round", noted)
    await begun(ladders, cup("swiss", 2, 5))

    await played_out(ladders)

    assert len(on_loop) >= 2
    assert not any(on_loop)


async def test_blocks_of_an_absent_bot_wait_for_it_and_hold_up_no_other(ladders: Ladders) -> None:
    await begun(ladders, cup("round robin", 2, 4, concurrency=2))
    await ladders.leave("bot-0")

    played = await ladders.play_rounds(12, by_name)
    ladders.now += 2 * ABSENT_MS
    played += await ladders.play_rounds(2, by_name)

    assert len(played) == 12  # all between the other three, in both cycles
    assert "bot-0" not in {seat.bot for match in played for seat in match.seats}
    assert (await progress(ladders)).remaining == 12
    await ladders.come_back("bot-0")
    await played_out(ladders)
    assert (await progress(ladders)).is_over


async def test_a_block_without_results_is_given_up_and_the_tournament_goes_on(
    ladders: Ladders, caplog: pytest.LogCaptureFixture
) -> None:
    await begun(ladders, cup("swiss", 2, 4))
    await ladders.pairing.round()
    bad = ladders.pairing.blocks[0].id

    for _ in range(4):
        for claim in await ladders.claim_all():
            fails = claim.entry.block == bad
            await ladders.finish(claim, unrated(2) if fails else by_name(claim.entry))
        await ladders.take()
        await ladders.pairing.round()
    await played_out(ladders)

    now = await progress(ladders)
    assert (now.is_over, now.lost, now.remaining) == (True, 2, 0)
    assert len(now.given_up) == 1
    assert "is given up" in caplog.text


async def test_a_result_without_its_record_counts_neither_for_the_tournament_nor_for_its_ladder(
    ladders: Ladders,
) -> None:
    await begun(ladders, cup("swiss", 2, 2))
    await ladders.pairing.round()
    lost, *others = await ladders.claim_all()
    await ladders.finish(lost, by_name(lost.entry))
    ended = (await ladders.results.before("", "0-0", 1)).cursor
    await ladders.store.command("DEL", keys.RECORD + ended)
    for claim in others:
        await ladders.finish(claim, by_name(claim.entry))
    await ladders.take()
    await played_out(ladders)

    now = await progress(ladders)
    assert (now.is_over, now.lost, now.remaining) == (True, 1, 0)
    assert now.given_up == ["1.1"]
    assert now.done == (await ladders.tables.load("cup", 2)).state.results


async def test_a_tournament_that_is_closed_waits_and_goes_on_when_it_is_opened(ladders: Ladders) -> None:
    await begun(ladders, cup("swiss", 2, 4), slots=1)
    await ladders.play_rounds(1, by_name)
    done = (await progress(ladders)).done
    assert done == 2

    await ladders.catalogue.close("cup")
    assert await ladders.play_rounds(3, by_name) == []
    await ladders.lead()
    assert await ladders.play_rounds(3, by_name) == []
    await ladders.catalogue.open("cup")
    await played_out(ladders)

    now = await progress(ladders)
    assert (now.is_over, now.done, now.lost) == (True, 8, 0)


async def test_endless_ladders_go_on_beside_a_tournament_and_its_bots_play_in_both(ladders: Ladders) -> None:
    await opened(ladders, 2)
    await begun(ladders, cup("round robin", 2, 4))

    played = await ladders.play_rounds(12, by_name)

    counts = {name: sum(match.ladder == name for match in played) for name in ("cup", "ephyran-2")}
    assert counts["cup"] == 24
    assert counts["ephyran-2"] > 4


async def test_a_tournament_has_no_more_matches_under_way_than_it_was_told(ladders: Ladders) -> None:
    await begun(ladders, cup("round robin", 2, 6, concurrency=4), slots=8)

    await ladders.pairing.round()

    assert len(await ladders.claim_all()) == 4


async def test_what_was_played_and_cannot_be_read_is_left_alone_and_other_ladders_go_on(
    ladders: Ladders, caplog: pytest.LogCaptureFixture
) -> None:
    """X15."""
    await opened(ladders, 2)
    await begun(ladders, cup("swiss", 2, 4))
    await ladders.store.command("HSET", keys.PLAYED + "cup", "1.1.1", "2,2")
    await ladders.lead()

    played = await ladders.play_rounds(2, by_name)

    assert {match.ladder for match in played} == {"ephyran-2"}
    assert "tournament cup does not go on" in caplog.text


async def test_all_matches_without_a_result_end_a_tournament_too(ladders: Ladders) -> None:
    await begun(ladders, cup("swiss", 2, 2))
    for _ in range(12):
        await ladders.play_rounds(1, infrastructure)

    now = await progress(ladders)
    assert (now.is_over, now.done, now.lost) == (True, 0, now.planned)
    assert not (await ladders.catalogue.get("cup")).open


def test_a_schedule_is_stored_as_it_is() -> None:
    for kind in FORMATS:
        made = cup(kind, 3, 5)
        assert LadderDef.from_json(made.to_json()) == made
    plain = ladder(2)
    assert LadderDef.from_json(plain.to_json()) == replace(plain, schedule=None)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"bots": ["a"]}, "needs"),
        ({"bots": ["a", 1]}, "are texts"),
        ({"bots": None}, "not a schedule"),
        ({"seed": 7}, "are texts"),
        ({"concurrency": 0}, "1 to 10000"),
        ({"concurrency": True}, "1 to 10000"),
        ({"format": {"kind": "golf"}}, "golf"),
        ({"format": {"kind": "swiss"}}, "rounds is missing"),
        ({"format": {"kind": "swiss", "rounds": 1, "holes": 18}}, "holes"),
        ({"format": 7}, "not a schedule"),
    ],
)
def test_what_is_no_schedule_is_refused(change: dict[str, Any], why: str) -> None:
    with pytest.raises(ScheduleError, match=why):
        ScheduleDef.read(stored("swiss", 4) | change).schedule(2)
