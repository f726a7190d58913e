"""The endless ladder over simulated time: new bots first, games even, nobody starves, slots busy (M1, M3, M9)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given, strategies as st
from tests.support.fairness import verify_schedule
from tests.support.pairing import Arena, players

from agon_engine.core import Chance
from agon_ladder.pairing.endless import SPREAD_BLOCKS, Market
from agon_ladder.pairing.meetings import Meetings
from agon_ladder.pairing.pace import AHEAD_RATIO
from agon_ladder.pairing.players import Candidate, Player
from agon_ladder.pairing.waiting import Patience

SEED = bytes(16)


def candidate(bot: str, games: int = 0, *, free: int = 1, owner: str = "", house: bool = False) -> Candidate:
    return Candidate(Player(bot, owner or f"owner of {bot}", house=house), free, games, 1500_000, 0)


def next_line_up(candidates: Sequence[Candidate], seats: int, chance: Chance) -> tuple[str, ...] | None:
    """Return the line-up among these alone, where nobody has met before and nobody waits."""
    busy = [one for one in candidates if not one.free]
    free = [one for one in candidates if one.free]
    return Market(free, seats, busy=lambda: busy).next_line_up(chance)


# -- one line-up -----------------------------------------------------------------------------------------------


def test_the_newest_bot_is_seated_first() -> None:
    """M3: however many others are free."""
    candidates = [candidate(f"old-{number}", 40 + number) for number in range(20)]

    line_up = next_line_up([*candidates, candidate("new")], 2, Chance(SEED))

    assert line_up is not None
    assert "new" in line_up


def test_company_comes_from_those_with_few_games() -> None:
    """M1: at most one block more than the least that is possible."""
    candidates = [candidate(f"bot-{number}", 10 * number) for number in range(6)]

    for seed in range(20):
        line_up = next_line_up(candidates, 3, Chance(seed.to_bytes(16, "big")))

        assert line_up is not None
        assert set(line_up) == {"bot-0", "bot-1", "bot-2"}


def test_company_is_close_in_rating() -> None:
    candidates = [replace(candidate(f"bot-{number:02}"), rating=1500_000 + 50_000 * number) for number in range(30)]
    anchor = replace(candidate("anchor"), rating=2250_000, uncertainty=800_000)

    for seed in range(20):
        line_up = next_line_up([*candidates, anchor], 2, Chance(seed.to_bytes(16, "big")))

        assert line_up is not None
        (company,) = set(line_up) - {"anchor"}
        assert abs(int(company[4:]) - 15) <= 2


def test_an_uncertain_bot_goes_before_a_certain_one_with_as_many_games() -> None:
    """M4."""
    certain = [replace(candidate(f"bot-{number}"), uncertainty=50_000) for number in range(9)]

    line_up = next_line_up([*certain, replace(candidate("unsure"), uncertainty=400_000)], 2, Chance(SEED))

    assert line_up is not None
    assert "unsure" in line_up


def test_bots_of_one_owner_never_meet_and_house_bots_meet_everybody() -> None:
    """M9."""
    mine = [candidate(f"mine-{number}", owner="me") for number in range(4)]

    assert next_line_up(mine, 2, Chance(SEED)) is None
    assert next_line_up([*mine, candidate("other", 9)], 3, Chance(SEED)) is None

    house = [candidate(f"house-{number}", 9, owner="me", house=True) for number in range(2)]
    line_up = next_line_up([*mine, *house], 3, Chance(SEED))

    assert line_up is not None
    assert {"house-0", "house-1"} < set(line_up)


@given(
    seats=st.integers(2, 5),
    owners=st.lists(st.sampled_from("abcdef"), min_size=1, max_size=12),
    house=st.integers(0, 3),
    seed=st.binary(min_size=16, max_size=16),
)
def test_a_line_up_is_found_exactly_when_there_is_one_and_is_always_allowed(
    seats: int, owners: list[str], house: int, seed: bytes
) -> None:
    pool = [candidate(f"bot-{number}", number % 3, owner=owner) for number, owner in enumerate(owners)]
    pool += [candidate(f"house-{number}", owner="agon", house=True) for number in range(house)]
    known = {one.player.bot: one.player for one in pool}

    line_up = next_line_up(pool, seats, Chance(seed))

    assert (line_up is not None) == (len(set(owners)) + house >= seats)
    if line_up is not None:
        assert len(set(line_up)) == seats
        assert all(known[one].may_meet(known[other]) for one in line_up for other in line_up if one != other)


def test_a_busy_bot_is_seated_only_beside_one_that_has_nothing_to_wait_for() -> None:
    busy, free = candidate("busy", free=0), candidate("free", 5)

    assert next_line_up([busy, replace(free, waiting=1)], 2, Chance(SEED)) is None
    assert next_line_up([replace(busy, waiting=2), free], 2, Chance(SEED)) is None
    assert set(next_line_up([busy, free], 2, Chance(SEED)) or ()) == {"busy", "free"}
    assert set(next_line_up([busy, free, candidate("third", 9)], 2, Chance(SEED)) or ()) == {"free", "third"}


def test_a_house_bot_with_enough_games_is_company_only() -> None:
    settled = [replace(candidate(f"house-{number}", 9, house=True), settled=True) for number in range(3)]
    new = candidate("house-new", 50, house=True)
    remote = candidate("remote", 50)

    assert next_line_up(settled, 2, Chance(SEED)) is None
    assert "house-new" in (next_line_up([*settled, new], 2, Chance(SEED)) or ())
    assert "remote" in (next_line_up([*settled, remote], 3, Chance(SEED)) or ())
    assert next_line_up([*settled, replace(remote, free=0)], 2, Chance(SEED)) is None
    assert next_line_up([*settled, replace(remote, ahead=True)], 2, Chance(SEED)) is None


def test_the_same_input_and_chance_give_the_same_line_up_and_another_chance_another() -> None:
    candidates = [candidate(f"bot-{number}") for number in range(12)]

    found = {next_line_up(candidates, 4, Chance(seed.to_bytes(16, "big"))) for seed in range(30)}

    assert next_line_up(candidates, 4, Chance(SEED)) == next_line_up(candidates, 4, Chance(SEED))
    assert len(found) > 15


@given(seed=st.binary(min_size=16, max_size=16), seats=st.integers(2, 5))
def test_nobody_meets_a_third_time_while_there_is_other_company(seed: bytes, seats: int) -> None:
    """M2."""
    meetings = Meetings()
    for number in range(8):
        meetings.seated(("anchor", f"met-{number}"))
        meetings.seated(("anchor", f"met-{number}"))
    company = [candidate(f"met-{number}", 10) for number in range(8)]
    company += [replace(candidate(f"new-{number}", 10), rating=900_000) for number in range(seats - 1)]

    line_up = Market([candidate("anchor"), *company], seats, meetings=meetings).next_line_up(Chance(seed))

    assert {"anchor", *(f"new-{number}" for number in range(seats - 1))} == set(line_up or ())


def test_a_bot_waits_for_better_company_only_while_somebody_is_busy() -> None:
    """M5: for a quarter of the time of its last block at most."""
    meetings, patience = Meetings(), Patience()
    for _ in range(3):
        meetings.seated(("a", "b"))
    patience.seated(("a", "b"), 0)
    pair = [candidate("a"), candidate("b")]

    def line_up(present: str, now: int) -> tuple[str, ...] | None:
        players = {bot: Player(bot, f"owner of {bot}") for bot in present}
        market = Market(pair, 2, present=present, player=players.__getitem__, meetings=meetings, patience=patience)
        return market.next_line_up(Chance(SEED), now)

    assert {"a", "b"} == set(line_up("ab", 4_000) or ())
    assert line_up("abc", 4_000) is None
    assert {"a", "b"} == set(line_up("abc", 5_000) or ())


def test_a_bot_does_not_wait_for_one_that_it_may_not_meet() -> None:
    """M9."""
    meetings, patience = Meetings(), Patience()
    for _ in range(3):
        meetings.seated(("a", "b"))
    patience.seated(("a", "b"), 0)
    pair = [candidate("a", owner="mine"), candidate("b")]
    players = {"a": Player("a", "mine"), "b": Player("b", "owner of b"), "c": Player("c", "mine")}

    market = Market(pair, 2, present="abc", player=players.__getitem__, meetings=meetings, patience=patience)

    assert {"a", "b"} == set(market.next_line_up(Chance(SEED), 4_000) or ())


# -- over time -------------------------------------------------------------------------------------------------


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


@pytest.mark.parametrize(("seats", "slots"), [(3, 1), (4, 1)])
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
    assert min(games.values()) > 0.35 * max(games.values())
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
