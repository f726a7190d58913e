"""The conformance suite: what every game must fulfil, as checks that any test runner can call.

    import pytest
    from agon_engine.conformance import checks

    @pytest.mark.parametrize("check", checks(GAME), ids=str)
    @pytest.mark.parametrize("seats", GAME.spec.seat_counts)
    @pytest.mark.parametrize("seed", range(3))
    def test_conformance(check, seats, seed):
        check(seats, seed)

A check plays a seeded random match and looks at some of its positions; seed 0 plays with the default options, others
with drawn ones. It raises AssertionError with the seats, the seed and the number of moves, so that a failure can be
played again. `worlds` gives the pairs of positions of the leak test, for tests of what travels over a wire.
Standard library only; a game is not imported by name here.
"""

from agon_engine.conformance.leaks import Look, Parting, follow
from agon_engine.conformance.suite import Check, checks
from agon_engine.conformance.walk import Before, Case, fingerprint, misbehave, play_match
from agon_engine.conformance.worlds import Swaps, World, worlds

__all__ = [
    "Before",
    "Case",
    "Check",
    "Look",
    "Parting",
    "Swaps",
    "World",
    "checks",
    "fingerprint",
    "follow",
    "misbehave",
    "play_match",
    "worlds",
]
