"""Pending steps of a turn as plain data, so that a state can be cloned, hashed and resumed in mid-effect.

Effects never ask: they push steps. A step is a tuple whose first item is its kind, an index into the game's
table of handlers; the rest are ints, or tuples of ints. `run_agenda` pops steps until one of them opens a decision.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from agon_engine.core.errors import RulesBug

Step = tuple[Any, ...]
MAX_STEPS = 20_000
"""More automatic steps than this between two decisions mean that the rules do not end."""


def run_agenda(
    state: Any,
    handlers: Sequence[Callable[..., None]],
    *,
    spread: bool = True,
    answer_forced: Callable[[Any], bool] | None = None,
) -> None:
    """Run the steps in the state's `agenda`, the last pushed first, until a `decision` is open or none is left.

    A handler gets the state and what follows the kind, item by item; without `spread` the state and the step, which
    then is a named tuple. `answer_forced` is called with each decision that is opened: it answers one that nobody has
    to be asked, and returns whether it did. Raise RulesBug when the steps do not come to an end.
    """
    agenda: list[Step] = state.agenda
    for _ in range(MAX_STEPS):
        if state.decision is not None:
            if answer_forced is None or not answer_forced(state):
                return
        elif not agenda:
            return
        else:
            step = agenda.pop()
            if spread:
                handlers[step[0]](state, *step[1:])
            else:
                handlers[step[0]](state, step)
    raise RulesBug(f"more than {MAX_STEPS} steps without a decision, the next is {agenda[-1:]!r}")
