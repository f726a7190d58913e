"""The loop that does what is due: to a question, past forced answers, and never without end."""

from __future__ import annotations

from typing import Any

import pytest

from agon_engine.core import RulesBug, run_agenda
from agon_engine.core.agenda import MAX_STEPS


class Steps:
    """A state whose steps are ASK, with the number of answers, and AGAIN, which comes back for ever."""

    ASK, AGAIN = 0, 1

    def __init__(self, *agenda: tuple[int, int]) -> None:
        self.agenda = list(agenda)
        self.decision: int | None = None
        self.answered = 0


def ask(state: Steps, answers: int) -> None:
    state.decision = answers


def again(state: Steps, times: int) -> None:
    state.agenda.append((Steps.AGAIN, times + 1))


def answer_single(state: Any) -> bool:
    if state.decision != 1:
        return False

    state.decision = None
    state.answered += 1
    return True


def answer_by_asking_again(state: Any) -> bool:
    state.decision = None
    state.agenda.append((Steps.ASK, 1))
    return True


HANDLERS = (ask, again)


def test_it_stops_at_the_first_question() -> None:
    state = Steps((Steps.ASK, 2), (Steps.ASK, 1))
    run_agenda(state, HANDLERS)

    assert (state.decision, state.agenda) == (1, [(Steps.ASK, 2)])


def test_forced_answers_are_given_and_the_first_real_question_is_left_open() -> None:
    state = Steps((Steps.ASK, 3), (Steps.ASK, 2), (Steps.ASK, 1), (Steps.ASK, 1))
    run_agenda(state, HANDLERS, answer_forced=answer_single)

    assert (state.answered, state.decision, state.agenda) == (2, 2, [(Steps.ASK, 3)])


def test_it_ends_with_the_agenda() -> None:
    state = Steps((Steps.ASK, 1))
    run_agenda(state, HANDLERS, answer_forced=answer_single)

    assert (state.answered, state.decision) == (1, None)


def test_steps_or_forced_answers_that_do_not_end_are_a_bug_of_the_rules() -> None:
    with pytest.raises(RulesBug, match=f"more than {MAX_STEPS} steps"):
        run_agenda(Steps((Steps.AGAIN, 0)), HANDLERS)
    with pytest.raises(RulesBug, match=f"more than {MAX_STEPS} steps"):
        run_agenda(Steps((Steps.ASK, 1)), HANDLERS, answer_forced=answer_by_asking_again)
