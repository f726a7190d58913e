"""Views: parts are kept while they hold and made anew when they do not; a state can be drawn back from any (C10.6)."""

import pytest
from tests.engine.cyclades.positions import lay_out, random_match, seed

from agon_engine.cyclades import GAME, CycladesState, View
from agon_engine.cyclades.enums import NOBODY, God, Todo

SEATS = (2, 3, 4, 5)


def view_anew(state: CycladesState, seat: int | None) -> View:
    """Return the view as it is where nobody has ever looked."""
    fresh = state.clone()
    fresh.stale = -1
    fresh.parts = [None] * len(fresh.parts)
    return fresh.view(seat)


@pytest.mark.parametrize("seats", SEATS)
def test_a_view_of_kept_parts_is_the_view_made_anew(seats: int) -> None:
    """At every decision: no move forgets to say which parts it makes stale."""
    for number in range(3):
        for step, state in enumerate(random_match(seats, number, busy=True)):
            seat = (None, *range(seats))[step % (seats + 1)]

            assert view_anew(state, seat) == state.view(seat)


def test_a_move_changes_the_parts_that_it_touches_alone() -> None:
    table = lay_out(3, "ares", isles={"IS5": "0 x1", "IS7": "1 x1", "IS8": "2"})
    before = table.state.view(0)
    table.do("recruit troop IS5")
    after = table.state.view(0)

    changed = {part for part in View._fields if getattr(before, part) is not getattr(after, part)}
    assert changed == {"turn", "players", "islands"}
    assert [seat for seat in range(3) if before.players[seat] is after.players[seat]] == [1, 2]
    assert [new.island for old, new in zip(before.islands, after.islands, strict=True) if old is not new] == [5]


def test_what_is_asked_is_the_last_of_the_steps_and_those_before_it_follow() -> None:
    isles = {"IS5": "0 port fortress", "IS7": "0 port temple", "IS8": "1"}
    table = lay_out(3, "athena", isles=isles).do("build university IS5")
    pending = table.state.view(1).pending

    assert (pending.todo, pending.seat) == (Todo.GIVE, 0)
    assert [step.todo for step in pending.steps][:4] == [Todo.NEXT_TURN, Todo.TURN, Todo.SETS, Todo.FOUND]
    assert [step.what for step in pending.steps[4:]] == [4, 3, 2, 1]


@pytest.mark.parametrize("seats", SEATS)
def test_a_state_drawn_from_a_view_goes_on_as_the_match_would(seats: int) -> None:
    """All but gold and the deck is in the view: with both alike, the same choices lead to the same table."""
    compared = 0
    for step, state in enumerate(random_match(seats, 7, busy=True)):
        if state.decision is None or step % 5:
            continue
        drawn = GAME.sample(state.view(step % seats), seed(step))
        drawn.deck = state.deck[:]
        drawn.chance = state.chance.clone()
        same = state.clone()
        for _ in range(6):
            if same.decision is None or drawn.decision is None:
                break
            action = same.decision.actions[-1 - step % len(same.decision.actions)]
            same.apply(action)
            drawn.apply(action)
            compared += 1

            assert same.view(None) == drawn.view(None)
            assert _listed(same) == _listed(drawn)
    assert compared > 150


def _listed(state: CycladesState) -> tuple[int, ...]:
    return () if state.decision is None else state.decision.actions


def test_between_turns_and_after_the_end_a_view_says_that_nothing_is_under_way() -> None:
    first = next(random_match(3, 0)).view(None)
    assert (first.turn.seat, first.turn.god) == (NOBODY, God.NONE)
    assert (first.battle.attackers, first.battle.rolls) == (0, ())

    *_, last = random_match(3, 0, max_cycles=5)
    view = last.view(None)
    assert tuple(view.pending) == (Todo.NONE, NOBODY, ())
    assert view.turn.seat == NOBODY
