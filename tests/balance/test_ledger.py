"""What is counted of a match of Elysium: by events written by hand, and in matches that are played."""

from __future__ import annotations

import pytest
from tests.balance.elysium import ElysiumLedger
from tests.balance.playing import Plan, Playing, played
from tests.engine.elysium.positions import lay_out

from agon_engine.core import Event, Maker
from agon_engine.elysium import GAME
from agon_engine.elysium.events import turned_up

LEDGER = ElysiumLedger(GAME, 4)
NUMBERS = {item.name: number for number, item in enumerate(LEDGER.items)}


def by(seat: int, *codes: str) -> list[Event]:
    return [Event(code, seat, Maker.SEAT) for code in codes]


def named(numbers: tuple[int, ...]) -> list[str]:
    return [LEDGER.items[number].name for number in numbers]


def test_items_are_the_designs_and_the_quests_of_the_seat_count() -> None:
    assert len(GAME.cards.cards) + 4 == len(LEDGER.items)
    assert len(GAME.cards.cards) + 2 == len(ElysiumLedger(GAME, 2).items)
    assert (LEDGER.items[NUMBERS["zeus-io"]].group, LEDGER.items[NUMBERS["zeus-io"]].peers) == ("zeus", "level 2")


def test_a_copy_is_offered_when_it_comes_face_up_into_a_row() -> None:
    events = [
        turned_up("agora", "zeus-io"),
        turned_up("oracle", "zeus-leda"),
        turned_up("agora", "zeus-io"),
        turned_up("discard", "zeus-semele"),
        Event("shuffle 31", None, Maker.CHANCE),
        *by(1, "agora zeus-metis"),
    ]

    assert named(LEDGER.offered_by(events)) == ["zeus-io", "zeus-leda", "zeus-io"]


def test_takes_uses_and_transfers_are_the_seats_own() -> None:
    events = [
        *by(0, "take zeus-io", "quest 3", "take zeus-europa", "power zeus-io", "reuse zeus-leda"),
        *by(1, "take zeus-dodona", "power athena-owl", "transfer zeus-themis"),
        *by(0, "takes ares-troy", "transfer zeus-io", "place legend 1", "transfer citizen", "lose zeus-metis"),
        *by(0, "transfer ares-enyo agora", "gold +2", "end"),
        Event("incomplete 2", 0, Maker.REFEREE),
    ]

    taken, used, transferred = LEDGER.done_by(events, 0)

    assert named(taken) == ["zeus-io", "quest 3", "zeus-europa", "ares-troy"]
    assert named(used) == ["zeus-europa", "zeus-io", "zeus-leda"]
    assert named(transferred) == ["zeus-io", "ares-enyo"]


def test_what_is_drafted_is_the_turns_take() -> None:
    turn = lay_out(4, agora="zeus-leda zeus-io", domains={0: "hephaestus-cedalion"}, columns={0: "red"})
    decision = turn.state.decision
    assert decision is not None
    takes = LEDGER.takes(decision)
    turn.do("take zeus-leda")
    after = turn.state.decision
    assert after is not None

    assert named(tuple(item for _, item in takes)) == ["zeus-leda", "quest 1"]
    assert [GAME.notation.code(action) for action, _ in takes] == ["take zeus-leda", "quest 1"]
    assert LEDGER.takes(after) == ()


@pytest.mark.parametrize("seats", [2, 4])
def test_a_match_is_accounted_for_as_it_was_played(seats: int) -> None:
    """Drafting and greedy: takes were offered, what was drawn was taken, a score is the sum of its parts."""
    playing = Playing(Plan("elysium", seats, seed=7))
    drafting, greedy = playing.match(0), playing.match(3)

    for match in (drafting, greedy):
        assert {match.lineup} == {seat.player for seat in match.seats}
        assert list(range(1, seats + 1)) == sorted(seat.start for seat in match.seats)
        assert abs(sum(seat.lead for seat in match.seats)) < 1e-9
        cards = [item for seat in match.seats for item in seat.taken if LEDGER.items[item].group != "quests"]
        assert set(cards) <= set(match.offered)
        for seat in match.seats:
            assert {draw.picked for draw in seat.draws} <= set(seat.taken)
            assert all(draw.picked in draw.options for draw in seat.draws)
            facts = dict(zip(playing.fact_names(), seat.facts, strict=True))
            assert seat.score == sum(points for name, points in facts.items() if name.startswith("points: "))
            assert len(seat.transferred) <= facts["cards transferred"]
    assert all(seat.draws for seat in drafting.seats)
    assert not any(seat.draws for seat in greedy.seats)


def test_the_number_of_processes_changes_nothing() -> None:
    plan = Plan("elysium", 2, seed=3)
    alone = list(played(plan, 6, 1))

    assert alone == list(played(plan, 6, 2))
    assert alone != list(played(Plan("elysium", 2, seed=4), 6, 1))
    assert list(range(6)) == [match.number for match in alone]
