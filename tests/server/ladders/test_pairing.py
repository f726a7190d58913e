"""Pairing on a real store: whole blocks, one deal a match or a block, and bounded replays."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from tests.support.fairness import verify_schedule
from tests.support.ladder_store import (
    Ladders,
    by_chance,
    first_wins,
    infrastructure,
    opened,
    schedule,
    score,
    stored_blocks,
    unrated,
)
from tests.support.valkey import GAME, present, reserved

from agon_engine.core import Chance
from agon_engine.core.policy import FaultPolicy, OnFault, Result, Termination
from agon_engine.core.record import Deals
from agon_ladder.pairing.blocks import Rotations
from agon_ladder.pairing.rests import FIRST_REST_MS, LONGEST_REST_MS
from agon_ladder.report.forms import Form as ReportForm
from agon_server.ladders.company import ACCOUNT_MS
from agon_server.ladders.resting import read_rests
from agon_server.presence import BotGame
from agon_server.queue.entry import MatchEntry

# -- blocks ----------------------------------------------------------------------------------------------------


async def test_a_block_is_played_under_all_rotations_and_then_leaves(ladders: Ladders) -> None:
    """M6."""
    await opened(ladders, 3)
    await ladders.join("a", "b", "c", slots=1)

    played = await ladders.play_rounds(3, first_wins)

    assert [match.index for match in played] == [0, 1, 2]
    assert len({match.block for match in played}) == 1
    assert verify_schedule(schedule(played)) == []
    assert ladders.pairing.blocks == ()
    assert await stored_blocks(ladders) == 0
    assert await reserved(ladders.store) == {}


async def test_a_ladder_of_all_permutations_plays_each_line_up_six_times(ladders: Ladders) -> None:
    """M6: each bot sits twice at each seat, and the table counts the block when all six are rated."""
    await opened(ladders, 3, rotations=Rotations.ALL)
    await ladders.join("a", "b", "c", slots=1)

    played = await ladders.play_rounds(6, first_wins)

    assert [match.index for match in played] == list(range(6))
    assert len({match.block for match in played}) == 1
    assert verify_schedule(schedule(played), rotations=Rotations.ALL) == []
    assert ladders.pairing.blocks == ()
    state = await ladders.fold.state("ephyran-3")
    assert {6} == {bot.games for bot in state.bots.values()}
    assert {1} == {sum(bot.blocks.values()) for bot in state.bots.values()}
    assert (await ladders.auditor.audit("ephyran-3")).findings == ()


async def test_all_slots_are_used_while_there_is_work(ladders: Ladders) -> None:
    await opened(ladders, 2)
    await ladders.join("a", "b", "c", "d", slots=3)

    await ladders.pairing.round()

    assert await reserved(ladders.store) == {"a/": 3, "b/": 3, "c/": 3, "d/": 3}


async def test_a_schedule_over_many_rounds_is_fair(ladders: Ladders) -> None:
    """M1, M6, M9: three ladders, two bots of one owner, house bots, replays and faults."""
    await opened(ladders, 2, 3, 4)
    await ladders.join("a.x", "b.x", "c", "d", "e", slots=4)
    await ladders.join("f", "g", house=True, slots=4)

    played = await ladders.play_rounds(40, by_chance(Chance(bytes(16))))

    players = {bot.name: ladders.pairing._company.player(bot.name) for bot in await ladders.accounts.list()}
    assert verify_schedule(schedule(played), players) == []
    assert len(schedule(played)) > 200
    for name in ("ephyran-2", "ephyran-3", "ephyran-4"):
        state = await ladders.fold.state(name)
        games = [bot.games for bot in state.bots.values()]
        assert len(games) == 7
        assert min(games) > 0.7 * max(games)
        assert (await ladders.auditor.audit(name)).findings == ()


async def test_house_bots_play_each_other_up_to_the_ladders_games_and_then_only_with_others(ladders: Ladders) -> None:
    await opened(ladders, 2, house_games=10)
    await ladders.join("house-1", "house-2", "house-3", house=True)

    alone = await ladders.play_rounds(40, first_wins)
    await ladders.join("remote")
    together = await ladders.play_rounds(10, first_wins)
    await ladders.leave("remote")
    await ladders.play_rounds(2, first_wins)
    state = await ladders.fold.state("ephyran-2")
    afterwards = await ladders.play_rounds(5, first_wins)

    games = Counter(seat.bot for match in alone for seat in match.seats)
    assert all(10 <= count <= 14 for count in games.values())
    assert len(games) == 3
    assert len(together) > 20
    assert all("remote" in [seat.bot for seat in match.seats] for match in together)
    assert afterwards == []
    assert state.bots["remote"].games == len(together)


async def test_house_bots_play_on_where_a_new_process_takes_over_and_stop_at_the_same_games(ladders: Ladders) -> None:
    """What counts is in the store: a restart begins nothing anew."""
    await opened(ladders, 2, house_games=10)
    await ladders.join("house-1", "house-2", house=True)
    await ladders.play_rounds(40, first_wins)

    again = Ladders(ladders.store, ladders.archive, server="server-2")
    await ladders.lease.release(ladders.pairing._token)
    await again.lead()

    assert await again.play_rounds(5, first_wins) == []


async def test_bots_of_one_owner_alone_play_nothing(ladders: Ladders) -> None:
    """M9."""
    await opened(ladders, 2)
    await ladders.join("a.x", "b.x", "c.x")

    assert await ladders.play_rounds(2, first_wins) == []


async def test_a_bot_plays_only_in_ladders_whose_seats_it_names(ladders: Ladders) -> None:
    await opened(ladders, 2, 3)
    await ladders.join("a", "b", slots=0)
    for bot in ("a", "b"):
        await ladders.presence.put(replace(present(bot, token=bot), games=(BotGame(GAME, 0, (2,)),)))
    await ladders.join("c", slots=4)

    played = await ladders.play_rounds(6, first_wins)

    assert {len(match.seats) for match in played} == {2}
    assert {seat.bot for match in played for seat in match.seats} == {"a", "b", "c"}


async def test_of_a_bots_versions_the_newest_plays_and_an_older_one_only_where_it_is_left(ladders: Ladders) -> None:
    """Versions are numbered as they first come, so one that merely comes again is no newer for that."""

    async def connect(instance: str, version: str) -> None:
        process = present("a", instance=instance, token=instance, slots=1)
        await ladders.presence.put(replace(process, bot_version=version))

    await opened(ladders, 2)
    await ladders.join("a", slots=0)
    await ladders.join("b", slots=4)
    await connect("old", "1")
    first = await ladders.play_rounds(1, first_wins)
    await connect("new", "2")
    await connect("old", "1")
    both = await ladders.play_rounds(6, first_wins)
    await ladders.presence.remove("a", "new", "new")
    back = await ladders.play_rounds(2, first_wins)

    def instances(played: list[MatchEntry]) -> set[str]:
        return {seat.instance for match in played for seat in match.seats if seat.bot == "a"}

    assert {"old"} == instances(first)
    assert {"new"} == instances(both)
    assert {"old"} == instances(back)


async def test_matches_are_made_as_the_ladder_says(ladders: Ladders) -> None:
    policy = FaultPolicy(OnFault.SUBSTITUTE, 2, 5)
    await opened(ladders, 2, policy=policy, name="mine")
    await ladders.join("a", "b", slots=1)
    made = await ladders.catalogue.get("mine")

    (match,) = await ladders.play_rounds(1, first_wins)

    assert (match.ladder, match.game, match.version) == ("mine", made.game, made.version)
    assert (match.options, match.time, match.policy) == (made.options, made.time, policy)
    assert match.rated
    assert {seat.bot: seat.owner for seat in match.seats} == {"a": "a", "b": "b"}


async def test_an_unrated_ladder_makes_unrated_matches_for_all_its_bots(ladders: Ladders) -> None:
    await opened(ladders, 2, rated=False)
    await ladders.join("a", "b", "c", "d", slots=1)

    played = await ladders.play_rounds(8, first_wins)

    assert not any(match.rated for match in played)
    games = Counter(seat.bot for match in played for seat in match.seats)
    assert set(games) == {"a", "b", "c", "d"}
    assert max(games.values()) - min(games.values()) <= 4
    assert (await ladders.fold.state("ephyran-2")).results == 0


async def test_a_ladder_with_too_few_bots_waits(ladders: Ladders) -> None:
    """C18."""
    await opened(ladders, 4)
    await ladders.join("a", "b", "c")

    assert await ladders.play_rounds(2, first_wins) == []


async def test_where_the_ladder_says_so_too_few_bots_play_short_handed_and_unrated(ladders: Ladders) -> None:
    """C18: with as many seats as there are bots for, and rated with all seats as soon as there are enough."""
    await opened(ladders, 4, short_handed=True)
    await ladders.join("a", "b", slots=1)
    two = await ladders.play_rounds(2, first_wins)
    await ladders.join("c.a", slots=1)
    await ladders.join("d", slots=1)
    three = await ladders.play_rounds(5, first_wins)
    before = (await ladders.fold.state("ephyran-4")).results
    await ladders.join("e", slots=1)
    four = await ladders.play_rounds(14, first_wins)

    assert {2} == {len(match.seats) for match in two}
    assert {3} == {len(match.seats) for match in three}
    assert not any(match.rated for match in two + three)
    assert before == 0
    assert verify_schedule(schedule(two + three)) == []
    assert all(match.rated == (len(match.seats) == 4) for match in four)
    assert (await ladders.fold.state("ephyran-4")).results == sum(match.rated for match in four) > 0
    assert (await ladders.auditor.audit("ephyran-4")).findings == ()


async def test_nobody_plays_short_handed_with_a_seat_count_that_it_does_not_name(ladders: Ladders) -> None:
    await opened(ladders, 4, short_handed=True)
    await ladders.join("a", "b", "c", slots=0)
    for bot, counts in (("a", (3, 4)), ("b", (2, 4)), ("c", (2, 4))):
        await ladders.presence.put(replace(present(bot, token=bot, slots=1), games=(BotGame(GAME, 0, counts),)))

    played = await ladders.play_rounds(3, first_wins)

    assert {("b", "c")} == {tuple(sorted(seat.bot for seat in match.seats)) for match in played}


# -- deals -----------------------------------------------------------------------------------------------------


async def test_fresh_deals_are_one_a_match(ladders: Ladders) -> None:
    """H5; also where shared ones were asked for, since a remote bot takes part."""
    await opened(ladders, 2, deals=Deals.SHARED)
    await ladders.join("a", "b", slots=2)

    played = await ladders.play_rounds(2, first_wins)

    assert {match.deals for match in played} == {Deals.FRESH}
    assert len({match.seed for match in played}) == len(played) == 4


async def test_shared_deals_are_one_a_block_and_secret_until_it_is_over(ladders: Ladders) -> None:
    """H5."""
    await opened(ladders, 2, deals=Deals.SHARED)
    await ladders.join("a", "b", trusted=True, slots=1)

    first = await ladders.play_rounds(1, first_wins)
    assert await ladders.queue.deal_is_open(first[0].block)
    played = first + await ladders.play_rounds(3, first_wins)

    assert not await ladders.queue.deal_is_open(first[0].block)
    assert {match.deals for match in played} == {Deals.SHARED}
    assert verify_schedule(schedule(played)) == []
    assert len({match.seed for match in played}) == len({match.block for match in played}) == 2


async def test_the_report_says_in_how_many_matches_deals_were_shared(ladders: Ladders) -> None:
    """Which deals a block of a ladder with shared ones has depends on who is in it."""
    await opened(ladders, 2, deals=Deals.SHARED)
    await ladders.join("a", "b", trusted=True, slots=1)
    await ladders.play_rounds(2, first_wins)
    await ladders.leave("b")
    await ladders.join("c", slots=1)
    await ladders.play_rounds(4, first_wins)

    text = "".join([piece async for _, piece in ladders.auditor.report("ephyran-2", ReportForm.TEXT)])

    told = "shared in 2 of 6 rated matches; fresh where a bot took part that is neither of the house nor trusted"
    assert told in " ".join(text.split())


async def test_who_is_trusted_no_more_plays_no_further_match_of_a_shared_deal(
    ladders: Ladders, caplog: pytest.LogCaptureFixture
) -> None:
    """H5: what is left of the block is given up, the next one has fresh deals, and the ladder goes on."""
    await opened(ladders, 2, deals=Deals.SHARED)
    await ladders.join("a", "b", trusted=True, slots=1)
    (first,) = await ladders.play_rounds(1, first_wins)

    await ladders.accounts.set_trusted("a", trusted=False)
    ladders.now += ACCOUNT_MS
    played = await ladders.play_rounds(3, first_wins)

    assert first.block not in {match.block for match in played}
    assert {match.deals for match in played} == {Deals.FRESH}
    assert len(played) >= 2
    assert not await ladders.queue.deal_is_open(first.block)
    assert "a is not trusted with its shared deal any more" in caplog.text


async def test_a_place_with_a_shared_deal_is_played_again_with_that_deal(ladders: Ladders) -> None:
    await opened(ladders, 2, deals=Deals.SHARED)
    await ladders.join("a", "b", house=True, slots=1)

    (lost,) = await ladders.play_rounds(1, infrastructure)
    (again,) = await ladders.play_rounds(1, first_wins)

    assert (again.block, again.index, again.attempt, again.seed) == (lost.block, lost.index, 1, lost.seed)


# -- matches that do not count ---------------------------------------------------------------------------------


@pytest.mark.parametrize("why", [Termination.INFRASTRUCTURE, Termination.NO_SHOW])
async def test_a_place_without_a_result_that_counts_is_played_again_as_a_new_match(
    ladders: Ladders, why: Termination
) -> None:
    """C7, R15: with a new deal."""
    await opened(ladders, 2)
    await ladders.join("a", "b", slots=1)

    (lost,) = await ladders.play_rounds(1, lambda _: unrated(2, why))
    ladders.now += LONGEST_REST_MS
    (again,) = await ladders.play_rounds(1, first_wins)

    assert (again.block, again.index, again.attempt) == (lost.block, lost.index, 1)
    assert [seat.bot for seat in again.seats] == [seat.bot for seat in lost.seats]
    assert again.match != lost.match
    assert again.seed != lost.seed


async def test_a_place_is_played_three_times_at_most_and_then_the_block_is_given_up_and_said_so(
    ladders: Ladders, caplog: pytest.LogCaptureFixture
) -> None:
    """C7: bounded."""
    await opened(ladders, 2)
    await ladders.join("a", "b", slots=1)

    lost = await ladders.play_rounds(3, infrastructure)

    assert [match.attempt for match in lost] == [0, 1, 2]
    assert ladders.pairing.blocks == ()
    assert f"block {lost[0].block} of ladder ephyran-2 is given up: place 0 was played 3 times" in caplog.text
    (next_block,) = await ladders.play_rounds(1, first_wins)
    assert next_block.block != lost[0].block


async def test_a_bot_that_did_not_come_rests_while_the_others_play_on(ladders: Ladders) -> None:
    """C18: a broken bot has the fewest games, and must not be seated first for ever."""
    await opened(ladders, 2)
    await ladders.join("a", "b", slots=1)
    missed = Result(Termination.NO_SHOW, (1, 1), (0, 0), (Termination.NO_SHOW, Termination.CANCELLED))
    (lost,) = await ladders.play_rounds(1, lambda _: missed)
    broken = lost.seats[0].bot

    assert await ladders.play_rounds(1, first_wins) == []
    assert ladders.pairing.due_in() == FIRST_REST_MS
    assert await read_rests(ladders.store, ladders.now) == {broken: ladders.now + FIRST_REST_MS}
    await ladders.join("c", slots=1)
    meanwhile = await ladders.play_rounds(4, first_wins)
    assert len(meanwhile) == 4
    assert broken not in {seat.bot for match in meanwhile for seat in match.seats}

    ladders.now += FIRST_REST_MS
    (again,) = await ladders.play_rounds(1, first_wins)
    assert (again.block, again.attempt) == (lost.block, 1)
    assert await read_rests(ladders.store, ladders.now - 1) == {}
    # The third one is free, and waits a quarter of the time since its last block before it is given busy company.
    assert ladders.pairing.due_in() == FIRST_REST_MS // 4


async def test_a_match_that_the_organiser_cancels_gives_its_block_up(
    ladders: Ladders, caplog: pytest.LogCaptureFixture
) -> None:
    await opened(ladders, 2)
    await ladders.join("a", "b", slots=1)

    (cancelled,) = await ladders.play_rounds(1, lambda _: unrated(2, Termination.CANCELLED))

    assert ladders.pairing.blocks == ()
    assert f"match {cancelled.match} was cancelled" in caplog.text


async def test_a_dead_letter_gives_its_block_up_and_opens_its_shared_deal(
    ladders: Ladders, caplog: pytest.LogCaptureFixture
) -> None:
    await opened(ladders, 2, deals=Deals.SHARED)
    await ladders.join("a", "b", trusted=True, slots=2)
    await ladders.pairing.round()
    dead, other = await ladders.claim_all()
    await ladders.queue.bury(dead, "cannot be set up")
    await ladders.take()

    assert [block.abandoned != "" for block in ladders.pairing.blocks] == [True]
    assert await ladders.queue.deal_is_open(dead.entry.block), "the other place is still played"
    await ladders.finish(other, score(1, 2))
    await ladders.take()

    assert ladders.pairing.blocks == ()
    assert not await ladders.queue.deal_is_open(dead.entry.block)
    assert caplog.text.count("is given up") == 1
    assert f"match {dead.entry.match} ended as dead: cannot be set up" in caplog.text
