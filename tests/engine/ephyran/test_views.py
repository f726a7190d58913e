"""Views are built of immutable parts, and an unchanged part is the same object."""

import pytest
from tests.engine.ephyran.positions import cards, lay_out, random_match

from agon_engine.ephyran import GAME, EphyranState
from agon_engine.ephyran.enums import Colour, Phase
from agon_engine.ephyran.view import OwnHand, OwnMemory, OwnTokens, View

PARTS = tuple(field for field in View._fields if field not in ("seat", "cities", "hands"))


def without_caches(state: EphyranState) -> EphyranState:
    """Return a copy that has to build every part anew."""
    copy = state.clone()
    for name in EphyranState.CACHES:
        cached = getattr(copy, name)
        setattr(copy, name, [None] * len(cached) if isinstance(cached, list) else None)
    return copy


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_kept_parts_are_those_that_building_anew_gives(seats: int) -> None:
    for number in range(4):
        for state in random_match(seats, number, supports=True, defender_redraws=True):
            fresh = without_caches(state)
            for seat in (None, *range(seats)):
                assert fresh.view(seat) == state.view(seat)


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_a_part_that_has_not_changed_is_the_same_object_and_a_view_of_one_state_is_made_of_the_same_parts(
    seats: int,
) -> None:
    for number in range(4):
        last: dict[int | None, View] = {}
        for state in random_match(seats, number, supports=number % 2 == 0):
            for seat in (None, *range(seats)):
                view, again = state.view(seat), state.view(seat)
                before = last.get(seat, view)
                for part in PARTS:
                    assert getattr(view, part) is getattr(again, part)
                    if getattr(view, part) == getattr(before, part):
                        assert getattr(view, part) is getattr(before, part), part
                for now, then in zip(view.cities + view.hands, before.cities + before.hands, strict=True):
                    assert now is then or now != then
                last[seat] = view


def test_a_typical_decision_changes_few_parts() -> None:
    changed = decisions = 0
    last: View | None = None
    for state in random_match(3, 5):
        view = state.view(0)
        if last is not None:
            decisions += 1
            changed += sum(getattr(view, part) is not getattr(last, part) for part in PARTS)
            pairs = zip(view.cities + view.hands, last.cities + last.hands, strict=True)
            changed += sum(now is not then for now, then in pairs)
        last = view

    assert changed / decisions < 5


def test_parts_are_shared_by_clones_and_changing_the_clone_leaves_the_state_alone() -> None:
    table = lay_out(hands={0: "TT01 TT02", 1: "TT03"})
    view = table.view(0)
    clone = table.state.clone()

    assert clone.view(0).own_hand is view.own_hand

    clone.apply(GAME.notation.parse("build TT01 a"))

    assert clone.view(0).cities[0] != table.view(0).cities[0]
    assert table.view(0).own_hand is view.own_hand


def test_no_part_can_be_changed() -> None:
    view = lay_out(hands={0: "TT01"}).view(0)
    for part in (view, view.table, view.cities[0], view.cities[0].columns[0], view.own_hand):
        with pytest.raises(AttributeError):
            setattr(part, part._fields[0], None)
        assert not hasattr(part, "__dict__")


def test_a_spectator_gets_all_parts_the_private_ones_empty() -> None:
    """P8."""
    view = lay_out(hands={0: "TS09"}, deck="TT20 TT21 TT22").do("play TS09").view(None)

    assert (None, OwnHand((), ()), OwnTokens(()), OwnMemory(())) == (
        view.seat,
        view.own_hand,
        view.own_tokens,
        view.own_memory,
    )


def test_a_view_shows_cities_by_column_with_halves_tokens_and_locks() -> None:
    """P8."""
    table = lay_out(
        hands={0: "TT32"},
        cities={1: "TT01 a, D2 blue 2, TT02 a"},
        tokens={(1, "blue 2"): "owl"},
        locks={(1, "red"): "TS07"},
    )
    blue, red, green, brown = table.view(0).cities[1].columns

    assert (blue.zones, blue.tokens, blue.lock) == ((2, 196), (0, 1), 0)
    assert (red.zones, red.tokens, red.lock) == ((4,), (0,), 39)
    assert ((), (), 0) == tuple(green) == tuple(brown)


def test_a_view_tells_what_is_pending_to_everybody_alike() -> None:
    """P8.2."""
    table = lay_out(3, hands={0: "TS15"}, first_discard="TT05 TT01").do("play TS15", "recall TT01 a", "pass")
    pendings = {table.view(seat).pending for seat in (None, 0, 1, 2)}

    assert len(pendings) == 1

    pending = pendings.pop()

    assert (pending.phase, pending.seat, pending.half, pending.colour) == (Phase.REACT, 2, 2, Colour.BLUE)


def test_a_view_compares_equal_exactly_when_everything_in_it_is_equal() -> None:
    one, same = lay_out(hands={0: "TT01"}), lay_out(hands={0: "TT01"})
    other = lay_out(hands={0: "TT02"})

    assert one.view(0) == same.view(0)
    assert one.view(0) != other.view(0)
    assert one.view(1) == other.view(1)
    assert tuple(cards("TT02")) == other.view(0).own_hand.cards
