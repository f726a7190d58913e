"""Clocks: the formula in all three time modes, forfeits by time (T5), bounds of the settings."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from agon_engine.core import MICROSECONDS, Account, OptionsError, TimeControl

SECOND = MICROSECONDS
TENTH = SECOND // 10

PER_MOVE = TimeControl(move=2 * SECOND, bank=0)
INCREMENT = TimeControl(move=0, bank=10 * SECOND, increment=3 * SECOND)
BANK = TimeControl(move=2 * SECOND, bank=30 * SECOND)


def test_an_answer_after_2_6_seconds_of_which_0_1_are_host_costs_half_a_second_of_the_bank() -> None:
    """The design's example."""
    account = Account(BANK)

    assert account.charge(26 * TENTH, TENTH) == 25 * TENTH
    assert account.bank == 295 * TENTH
    assert (account.last_charge, account.last_elapsed, account.last_host) == (25 * TENTH, 26 * TENTH, TENTH)
    assert account.last_late is False


@pytest.mark.parametrize(
    ("control", "elapsed", "host", "charge", "bank", "late"),
    [
        pytest.param(PER_MOVE, 15 * TENTH, 0, 15 * TENTH, 0, False, id="per move, in time"),
        pytest.param(PER_MOVE, 20 * TENTH, 0, 20 * TENTH, 0, False, id="per move, at the limit"),
        pytest.param(PER_MOVE, 21 * TENTH, 0, 20 * TENTH, 0, True, id="per move, late in the grace"),
        pytest.param(PER_MOVE, 21 * TENTH, TENTH, 20 * TENTH, 0, False, id="per move, the lateness is the host's"),
        pytest.param(INCREMENT, 20 * TENTH, 0, 20 * TENTH, 110 * TENTH, False, id="increment, less than it gives"),
        pytest.param(INCREMENT, 50 * TENTH, 0, 50 * TENTH, 80 * TENTH, False, id="increment, more than it gives"),
        pytest.param(INCREMENT, 100 * TENTH, 0, 100 * TENTH, 30 * TENTH, False, id="increment, all that is left"),
        pytest.param(INCREMENT, 102 * TENTH, 0, 100 * TENTH, 30 * TENTH, True, id="increment, late in the grace"),
        pytest.param(BANK, 5 * TENTH, 0, 5 * TENTH, 300 * TENTH, False, id="bank, untouched"),
        pytest.param(BANK, 320 * TENTH, 0, 320 * TENTH, 0, False, id="bank, spent"),
        pytest.param(BANK, 322 * TENTH, 0, 320 * TENTH, 0, True, id="bank, late in the grace"),
        pytest.param(BANK, TENTH, 3 * TENTH, 0, 300 * TENTH, False, id="host over elapsed charges nothing"),
    ],
)
def test_a_charge_follows_the_formula(
    control: TimeControl, elapsed: int, host: int, charge: int, bank: int, late: bool
) -> None:
    account = Account(control)

    assert account.charge(elapsed, host) == charge
    assert account.bank == bank
    assert account.last_late is late


@given(
    control=st.sampled_from([PER_MOVE, INCREMENT, BANK]),
    readings=st.lists(st.tuples(st.integers(0, 40 * SECOND), st.integers(0, 2 * SECOND)), max_size=20),
)
def test_the_charges_alone_give_the_bank(control: TimeControl, readings: list[tuple[int, int]]) -> None:
    account, bank = Account(control), control.bank
    for elapsed, host in readings:
        bank = control.bank_after(bank, account.charge(elapsed, host))

        assert account.bank == bank


@pytest.mark.parametrize(
    ("control", "allowed", "bank"),
    [
        pytest.param(PER_MOVE, 2 * SECOND, 0, id="per move"),
        pytest.param(INCREMENT, 10 * SECOND, 3 * SECOND, id="clock and increment"),
        pytest.param(BANK, 32 * SECOND, 0, id="bank"),
    ],
)
@pytest.mark.parametrize("elapsed", [0, 1, 40 * SECOND])
def test_a_missed_deadline_is_charged_all_that_was_allowed(
    control: TimeControl, allowed: int, bank: int, elapsed: int
) -> None:
    """T5; whatever was read of the clock, the timed-out decision stands at its limit."""
    account = Account(control)

    assert account.charge_timeout(elapsed, TENTH) == allowed
    assert account.bank == bank
    assert account.last_late is True


controls = st.builds(
    TimeControl,
    move=st.integers(1, 5 * SECOND),
    bank=st.integers(0, 60 * SECOND),
    increment=st.integers(0, 2 * SECOND),
)
readings = st.lists(st.tuples(st.integers(0, 90 * SECOND), st.integers(0, 2 * SECOND)), max_size=30)


@given(controls, readings)
def test_charges_stay_within_wall_time_and_the_bank_never_goes_below_zero(
    control: TimeControl, readings: list[tuple[int, int]]
) -> None:
    account = Account(control)
    for elapsed, host in readings:
        allowed, bank = account.allowed, account.bank
        charge = account.charge(elapsed, host)

        assert charge == min(allowed, max(0, elapsed - host))
        assert 0 <= charge <= elapsed
        assert account.bank == bank - max(0, charge - control.move) + control.increment
        assert account.bank >= 0


@given(controls, readings)
def test_the_charges_of_a_seat_fit_into_the_longest_life(control: TimeControl, readings: list[tuple[int, int]]) -> None:
    account = Account(control)
    total = sum(account.charge(elapsed, host) for elapsed, host in readings)

    assert total <= control.longest_life(1, len(readings)) - control.connect - control.ready


def test_the_longest_life_is_the_sum_of_all_limits() -> None:
    control = TimeControl(connect=1, ready=20, move=300, bank=4_000, increment=50_000, grace=600_000)

    assert control.longest_life(seats=3, max_decisions=2) == 1 + 20 + 3 * 4_000 + 2 * (300 + 50_000 + 600_000)


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({"move": 0, "bank": 0}, "some time"),
        ({"connect": 0}, "connect is at least"),
        ({"ready": 0}, "ready is at least"),
        ({"move": -1}, "not -1$"),
        ({"bank": 86_400 * SECOND + 1}, "not 86400000001$"),
        ({"grace": 0.5}, r"not 0\.5$"),
        ({"increment": True}, "not True$"),
    ],
)
def test_limits_out_of_range_are_refused(limits: dict[str, int], message: str) -> None:
    with pytest.raises(OptionsError, match=message):
        TimeControl(**limits)


def test_a_time_control_comes_back_from_json() -> None:
    assert TimeControl.from_json(INCREMENT.to_json()) == INCREMENT
    assert TimeControl.from_json({"move": 5}) == TimeControl(move=5)


def test_an_unknown_limit_is_refused() -> None:
    with pytest.raises(OptionsError, match="has no \\['blitz'\\]"):
        TimeControl.from_json({"move": 1, "blitz": 1})
