"""The line-up of one block: new bots first, with company that tells most and may be met (M1 to M4, M9)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hypothesis import given, strategies as st
from tests.support.pairing import candidate

from agon_engine.core import Chance
from agon_ladder.pairing.endless import Market
from agon_ladder.pairing.meetings import Meetings
from agon_ladder.pairing.players import Candidate

SEED = bytes(16)


def next_line_up(candidates: Sequence[Candidate], seats: int, chance: Chance) -> tuple[str, ...] | None:
    """Return the line-up among these alone, where nobody has met before and nobody waits."""
    busy = [one for one in candidates if not one.free]
    free = [one for one in candidates if one.free]
    return Market(free, seats, busy=lambda: busy).next_line_up(chance)


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


@given(seed=st.binary(min_size=16, max_size=16), seats=st.integers(2, 5))
def test_who_has_to_catch_up_is_not_seated_beside_a_slow_bot_while_others_are_free(seed: bytes, seats: int) -> None:
    """M1: though it has fewest games, for it was its company before."""
    slow = candidate("slow", 10, far_behind=True)
    held = [candidate(f"held-{number}", 30, behind=True) for number in range(seats - 1)]
    others = [candidate(f"other-{number}", 100 + number) for number in range(seats - 1)]

    beside_others = next_line_up([slow, *held, *others], seats, Chance(seed))
    without_them = next_line_up([slow, *held], seats, Chance(seed))

    assert {"slow", *(one.player.bot for one in others)} == set(beside_others or ())
    assert {"slow", *(one.player.bot for one in held)} == set(without_them or ())
