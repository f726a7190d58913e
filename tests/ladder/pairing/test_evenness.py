"""Games stay even over time, whatever the pool and however fast its bots are, and slots stay busy."""

from __future__ import annotations

import pytest
from tests.support.fairness import verify_schedule
from tests.support.pairing import Arena, players

from agon_engine.core import Chance
from agon_ladder.pairing.endless import SPREAD_BLOCKS
from agon_ladder.pairing.pace import AHEAD_RATIO

SEED = bytes(16)


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
@pytest.mark.parametrize("bots", [5, 7, 24])
def test_games_of_a_fixed_pool_stay_even(seats: int, bots: int) -> None:
    """M1: never more than two blocks apart, planned games included."""
    arena = Arena({"toy": seats}, players(bots), dict.fromkeys(players(bots), 2 * seats), lambda _: 10)

    arena.run(bots * 60)

    assert len(arena.matches) >= bots * 60
    assert arena.widest["toy"] <= (SPREAD_BLOCKS + 1) * seats


@pytest.mark.parametrize("seats", [2, 5])
@pytest.mark.parametrize("bots", [7, 24])
def test_games_of_bots_with_room_for_half_a_block_stay_even(seats: int, bots: int) -> None:
    """M1: blocks are always under way, and their matches wait for one another."""
    slots = dict.fromkeys(players(bots), seats // 2)
    arena = Arena({"toy": seats}, players(bots), slots, lambda _: 10, watches_spread=False)

    arena.run(bots * 60)

    games = [arena.games["toy", bot] for bot in arena.players]
    assert max(games) <= 1.2 * min(games)


def test_games_stay_even_where_matches_take_different_times() -> None:
    chance = Chance(SEED)
    arena = Arena({"toy": 3}, players(12), dict.fromkeys(players(12), 2), lambda _: 5 + chance.below("time", 100))

    arena.run(2_500)

    games = [arena.games["toy", bot] for bot in arena.slots]
    assert max(games) - min(games) <= 0.08 * max(games)


def test_fast_bots_do_not_run_away_from_slow_ones() -> None:
    """M1: a bounded ratio, where a match with a slow bot takes ten times as long."""
    known = players(6)
    slow = {"bot-0", "bot-1", "bot-2"}
    arena = Arena({"toy": 2}, known, dict.fromkeys(known, 4), lambda bots: 10_000 if slow & set(bots) else 1_000)

    arena.run(3_000)

    games = [arena.games["toy", bot] for bot in known]
    assert min(games) > 200
    assert max(games) <= (AHEAD_RATIO + 0.3) * min(games)


@pytest.mark.parametrize(("seats", "slots"), [(3, 1), (4, 1), (4, 2), (5, 1)])
def test_a_slow_bot_does_not_keep_its_company_for_ever(seats: int, slots: int) -> None:
    """M1, M2: who sat beside it has fewest games by that, and would be seated beside it again and again."""
    chance = Chance(bytes([2] * 16))
    known = players(10)

    def duration(bots: tuple[str, ...]) -> int:
        return (1_000 + chance.below("time", 2_000)) * (8 if "bot-9" in bots else 1)

    arena = Arena({"toy": seats}, known, dict.fromkeys(known, slots), duration, watches_spread=False)
    arena.run(1_000)
    before = dict(arena.games)
    arena.run(1_000)

    games = [arena.games["toy", bot] - before["toy", bot] for bot in known if bot != "bot-9"]
    assert max(games) <= (AHEAD_RATIO + 0.3) * min(games)
    assert arena.busy_time["bot-9"] > 0.9 * arena.now * slots


def test_bots_that_come_late_hold_nobody_back() -> None:
    """More newcomers than others: those go on playing one another, and the newcomers play at once."""
    known = players(10)
    arena = Arena({"toy": 2}, known, dict.fromkeys(list(known)[:4], 2), lambda _: 1_000)
    arena.run(1_000)
    before = dict(arena.games)

    for bot in list(known)[4:]:
        arena.slots[bot] = 2
    arena.run(600)

    assert all(arena.games["toy", bot] > 60 for bot in known)
    assert all(arena.games["toy", bot] - before["toy", bot] > 30 for bot in list(known)[:4])


@pytest.mark.parametrize("seats", [2, 3])
def test_house_bots_play_each_other_until_each_has_its_games_and_then_with_remote_bots_only(seats: int) -> None:
    known = players(6, house=3)
    house, remote = list(known)[:3], list(known)[3:]
    arena = Arena({"toy": seats}, known, dict.fromkeys(house, 4), lambda _: 1_000, house_games=30)

    arena.run(100_000)
    alone = {bot: arena.games["toy", bot] for bot in house}
    arena.slots |= dict.fromkeys(remote[:1], 4)
    arena.run(500)
    with_one = {bot: arena.games["toy", bot] for bot in [*house, remote[0]]}
    arena.slots |= dict.fromkeys(remote, 4)
    arena.run(2_000)
    arena.slots = dict.fromkeys(house, 4)
    arena.run(100_000)
    before = len(arena.matches)
    arena.run(100_000)

    assert all(30 <= games <= 30 + (SPREAD_BLOCKS + 1) * seats for games in alone.values())
    assert with_one[remote[0]] >= 500
    assert min(arena.games["toy", bot] for bot in remote[1:]) > 300
    assert all(set(match.bots) & set(remote) for match in arena.matches[sum(alone.values()) // seats :])
    assert len(arena.matches) == before


def test_beside_house_bots_fast_remote_bots_do_not_run_away_from_slow_ones() -> None:
    """M1: also where the house bots have long had their games, so that theirs say nothing."""
    known = players(7, house=3)
    slow = {"bot-5", "bot-6"}
    arena = Arena(
        {"toy": 2}, known, dict.fromkeys(known, 4), lambda bots: 10_000 if slow & set(bots) else 1_000, house_games=0
    )

    arena.run(3_000)

    games = [arena.games["toy", bot] for bot in list(known)[3:]]
    assert max(games) <= (AHEAD_RATIO + 0.3) * min(games)


def test_a_schedule_of_blocks_is_fair_whatever_the_pool() -> None:
    """M6, M9: verified match by match."""
    known = players(14, owners=5, house=2)
    arena = Arena({"two": 2, "three": 3, "four": 4}, known, dict.fromkeys(known, 3), lambda bots: 10 + len(bots))

    arena.run(2_000)

    assert len(arena.complete) > 500
    assert verify_schedule(arena.complete_matches(), known) == []


def test_a_bot_that_joins_late_plays_at_once() -> None:
    """M3: within the time of one match, though everybody is busy all the time."""
    arena = Arena({"toy": 2}, players(11), dict.fromkeys(players(10), 1), lambda _: 10)
    arena.run(400)
    joined = arena.now

    arena.slots["bot-10"] = 1
    arena.run(100)

    assert arena.first_game["toy", "bot-10"] - joined <= 20


def test_slots_stay_busy_while_there_is_work() -> None:
    """With one ladder of two and an even number of bots nobody ever waits for long."""
    chance = Chance(SEED)
    arena = Arena({"toy": 2}, players(20), dict.fromkeys(players(20), 2), lambda _: 50 + chance.below("time", 100))

    arena.run(2_500)

    used = sum(arena.busy_time.values()) / (arena.now * sum(arena.slots.values()))
    assert used > 0.95


@pytest.mark.parametrize("slots", [1, 4])
def test_ladders_with_more_seats_do_not_starve_beside_those_with_two(slots: int) -> None:
    """Four free slots at once are rarer than two; all ladders go on all the same, and slots are used."""
    chance = Chance(SEED)
    known = players(9)
    arena = Arena(
        {"two": 2, "three": 3, "four": 4},
        known,
        dict.fromkeys(known, slots),
        lambda _: 2_000 + chance.below("time", 8_000),
    )

    arena.run(2_000)

    games = {ladder: sum(arena.games[ladder, bot] for bot in known) for ladder in arena.ladders}
    assert min(games.values()) > (0.6 if slots == 1 else 0.35) * max(games.values())
    used = sum(arena.busy_time.values()) / (arena.now * sum(arena.slots.values()))
    assert used > (0.7 if slots == 1 else 0.85)


def test_a_bot_that_is_slow_costs_the_others_little() -> None:
    """One match of the slow bot takes as long as a thousand others, and at most 6 of the others' 14 slots."""
    known = players(8)
    arena = Arena(
        {"two": 2, "three": 3}, known, dict.fromkeys(known, 2), lambda bots: 1_000_000 if "bot-0" in bots else 1_000
    )

    arena.run(2_500)

    seats_taken = sum(len(match.bots) for match in arena.matches if "bot-0" not in match.bots)
    assert seats_taken * 1_000 / (arena.now * 8) > 0.8
