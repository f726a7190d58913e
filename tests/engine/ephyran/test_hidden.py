"""Nothing hidden is told (P8): two matches that differ in it alone look the same to those who may not know it."""

from collections.abc import Iterator

import pytest
from tests.engine.ephyran.positions import Dice, lay_out, random_match, seed

from agon_engine.ephyran import GAME, EphyranState
from agon_engine.ephyran.data import CARD_NAMES


def twins(state: EphyranState, seat: int | None, number: int) -> EphyranState:
    """Return another state that this seat cannot tell from the given one."""
    return GAME.sample(state.view(seat), seed(number))


def told_from_here(state: EphyranState, seat: int | None, since: int) -> list[tuple[str, int | None]]:
    return [(told, event.seat) for event in state.events_since(since) if (told := event.told_to(seat))]


def shown_to(state: EphyranState, seat: int | None, since: int) -> list[str]:
    """Return the secrets that the seat was told by what it did itself: a card drawn or looked at, a token seen."""
    return [event.secret for event in state.events_since(since) if event.secret and event.audience == (seat,)]


def play_both(one: EphyranState, other: EphyranState, seat: int | None, dice: Dice) -> Iterator[tuple[str, str]]:
    """Play the same moves in both until a hidden fact shows, and yield what the seat sees of each, as texts."""
    while one.decision is not None and other.decision is not None:
        if one.decision.seat == seat:
            yield str(one.decision.actions), str(other.decision.actions)
        yield repr((one.view(seat), one.decision.seat)), repr((other.view(seat), other.decision.seat))
        common = [action for action in one.decision.actions if action in other.decision.actions]
        if not common:
            return

        action = common[dice.below(len(common))]
        since = one.events_count, other.events_count
        one.apply(action)
        other.apply(action)
        if shown_to(one, seat, since[0]) != shown_to(other, seat, since[1]) or one.decision is None:
            return
        yield str(told_from_here(one, seat, since[0])), str(told_from_here(other, seat, since[1]))


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_states_that_differ_in_what_a_seat_may_not_know_look_the_same_to_it_until_the_fact_shows(seats: int) -> None:
    """P8, H3."""
    dice = Dice(seats)
    steps = 0
    for number in range(6):
        for state in random_match(seats, number, supports=True, defender_redraws=number % 2 == 0):
            if state.decision is None or dice.below(6):
                continue
            seat = (None, *range(seats))[dice.below(seats + 1)]
            for one, other in play_both(state.clone(), twins(state, seat, steps), seat, dice):
                steps += 1

                assert one == other

    assert steps > 500


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_a_secret_is_for_the_seat_alone_to_which_it_happened(seats: int) -> None:
    """P8."""
    for number in range(10):
        *_, state = random_match(seats, number, supports=True)
        secrets = [event for event in state.events_since(0) if event.secret or event.audience]

        assert all(event.audience == (event.seat,) and event.secret.startswith(event.code[:4]) for event in secrets)
        assert {"deal", "draw", "look", "keep", "see"} >= {event.code.split()[0] for event in secrets}


@pytest.mark.parametrize("seats", [2, 4])
def test_no_public_code_and_no_prompt_names_a_card_that_is_hidden(seats: int) -> None:
    """P8: a name in a public code is one of a card that is public when it is told."""
    for number in range(10):
        heard = 0
        for state in random_match(seats, number, supports=True):
            public = {*state.first_discard, *state.second_discard, state.card}
            public |= {card for known in state.known for card in known}
            public |= {half // 2 for row in state.zones for half in row} | {lock for row in state.locks for lock in row}
            hidden = {CARD_NAMES[card] for card in range(1, len(CARD_NAMES)) if card not in public}
            words = {word for event in state.events_since(heard) for word in event.code.split()}
            if state.decision is not None:
                words |= set(state.decision.prompt.split())
            heard = state.events_count

            assert not words & hidden


def test_who_is_asked_and_how_often_does_not_depend_on_hands() -> None:
    """P5.2, P8.2."""
    asked = []
    for hands in ({1: "TS22 TS25", 2: "TS34"}, {1: "TT01", 2: "TT02 TT05"}, {1: "", 2: ""}):
        table = lay_out(3, hands={0: "TS02 TT30", **hands}, cities={0: "TT09 a"})
        table.do("play TS02")
        seats = []
        while table.prompt.startswith("react"):
            seats.append((table.seat, table.prompt))
            table.do("pass")
        asked.append(seats)

    assert asked[0] == asked[1] == asked[2]


def test_the_drawer_alone_is_told_the_card_of_the_deck() -> None:
    """P8."""
    table = lay_out(3, hands={0: "TT01"}, deck="TT20 TT21")
    table.do("build TT01 a", "draw deck")

    assert "draw deck TT20" in table.told(0)
    assert ["draw deck" in table.told(other) for other in (1, 2, None)] == [True, True, True]
    assert not any("TT20" in told for other in (1, 2, None) for told in table.told(other))


def test_those_who_look_at_the_deck_are_told_the_cards_and_the_others_how_many() -> None:
    """P8.1."""
    table = lay_out(hands={0: "TS09", 1: "TT30"}, deck="TT20 TT21 TT22 TT23")
    table.do("play TS09", "keep TT21")

    assert [told for told in table.told(0) if told[:4] in ("look", "keep")] == ["look TT20 TT21 TT22", "keep TT21"]
    assert [told for told in table.told(1) if told[:4] in ("look", "keep")] == ["look 3", "keep"]
    assert table.view(1).table.under == (0, 0)
    assert table.view(1).own_memory.accounts == ()


def test_cards_known_in_a_hand_are_public_until_they_leave_it() -> None:
    """P8.1."""
    table = lay_out(
        hands={0: "TT01 TT05 D1", 1: "TT02 TT03"}, known={0: "D1"}, first_discard="TT30", deck="TT20 TT21 TT22"
    )
    table.do("build TT01 a", "draw discard")

    assert table.known(0) == "D1 TT30"
    assert " ".join(CARD_NAMES[card] for card in table.view(1).hands[0].known) == "D1 TT30"

    table.do("discard TT02", "draw deck", "discard TT30")

    assert table.known(0) == "D1"


def test_drawing_a_card_back_makes_it_known_again() -> None:
    """P8.1."""
    table = lay_out(hands={0: "TT30 TT01", 1: "TT03 TT04"}, deck="TT20 TT21 TT22")
    table.do("discard TT30", "draw deck", "build TT03 a", "draw discard")

    assert (table.known(0), table.known(1)) == ("", "TT30")


@pytest.mark.parametrize("spectator", [True, False])
def test_the_deck_and_other_hands_are_in_no_view(spectator: bool) -> None:
    """P8: changing them changes no view of others."""
    one = lay_out(hands={0: "TT01", 1: "TT02 TT03"}, deck="TT20 TT21 TT22")
    other = lay_out(hands={0: "TT01", 1: "TT20 TT21"}, deck="TT02 TT22 TT03")

    seat = None if spectator else 0

    assert one.view(seat)[:5] == other.view(seat)[:5]
    assert one.view(seat)[6:] == other.view(seat)[6:]
