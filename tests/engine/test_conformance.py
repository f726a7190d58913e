"""Every registered game fulfils the contract, and plays the same match in every process (H3, H4, H7)."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter

import pytest
from tests.support.swaps import SWAPS

from agon_engine.conformance import Case, Check, Parting, checks, fingerprint, follow, worlds
from agon_engine.registry import game_names, get_game

PLAYED = [(name, seats) for name in game_names() for seats in get_game(name).spec.seat_counts]
CHECKS = [
    pytest.param(check, seats, id=f"{name}-{seats}-{check}")
    for name, seats in PLAYED
    for check in checks(get_game(name), SWAPS.get(name))
]


@pytest.mark.parametrize(("check", "seats"), CHECKS)
def test_a_game_fulfils_the_contract(check: Check, seats: int) -> None:
    for seed in range(3):
        check(seats, seed, positions=8)


@pytest.mark.parametrize(("name", "seats"), PLAYED)
def test_a_match_is_the_same_under_any_hash_seed(name: str, seats: int) -> None:
    script = (
        "import sys; from agon_engine.conformance import fingerprint; from agon_engine.registry import get_game; "
        f"sys.stdout.write(fingerprint(get_game({name!r}), {seats}, 1))"
    )
    expected = fingerprint(get_game(name), seats, 1)

    for hash_seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": os.pathsep.join(sys.path)}
        done = subprocess.run(
            [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=False, timeout=60
        )

        assert (done.returncode, done.stderr, done.stdout) == (0, "", expected)


@pytest.mark.parametrize("name", SWAPS)
def test_the_leak_test_of_a_game_reaches_far(name: str) -> None:
    """Worlds that part at once would find nothing: with swaps, many must stay together to the end of the match."""
    game = get_game(name)
    seats = game.spec.max_seats
    parted = Counter(
        follow(pair, Case(game, seats).chance("far"), steps=400)
        for pair in worlds(game, seats, 0, 4, swaps=SWAPS[name])
        if pair.origin == "swap"
    )

    assert parted[Parting.OVER] >= 3
