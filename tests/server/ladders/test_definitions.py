"""What a ladder may be, how it is stored, made, closed and listed."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from typing import Any

import pytest
from tests.support.ladder_store import Ladders, ladder
from tests.support.valkey import GAME

from agon_engine.core.policy import FaultPolicy, OnFault
from agon_engine.core.record import Deals
from agon_engine.core.timing import TimeControl
from agon_engine.registry import get_game
from agon_ladder.pairing.blocks import Rotations
from agon_ladder.ratings import get_system
from agon_server.config import DEFAULT_HOUSE_GAMES
from agon_server.ladders.definitions import DefinitionError, LadderDef, LadderExistsError, UnknownLadderError
from agon_server.store import keys

VOID = FaultPolicy(OnFault.VOID)


def test_a_ladder_is_named_after_game_and_seats_and_has_all_options() -> None:
    made = ladder(3)

    assert made.name == f"{GAME}-3"
    assert made.version == get_game(GAME).spec.version
    assert made.options == get_game(GAME).spec.check_options({})
    assert made.open
    assert made.rated


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"game": "hounds"}, "unknown game 'hounds'"),
        ({"seats": 9}, "has 2 to 4 seats, not 9"),
        ({"seats": 1}, "has 2 to 4 seats, not 1"),
        ({"options": {"nonsense": True}}, "has no option 'nonsense'"),
        ({"name": "Big Ladder"}, "a ladder's name is .* not 'Big Ladder'"),
        ({"name": "-x"}, "not '-x'"),
        ({"name": "x" * 64}, "not 'xxx"),
        ({"house_games": -1}, "house_games is 0 to 1000000, not -1"),
        ({"policy": VOID}, "a rated ladder's on_fault is substitute or forfeit, not 'void'"),
        ({"seats": 4, "rotations": Rotations.ALL}, "rotations = all is for 2 to 3 seats, not 4"),
        ({"short_handed": True}, "cannot be played short-handed in a ladder with the fewest seats, 2"),
        ({"system": "glicko"}, "rating systems are elo, weng-lin, not 'glicko'"),
    ],
)
def test_a_ladder_that_cannot_be_is_refused_in_one_clear_line(changes: dict[str, object], message: str) -> None:
    with pytest.raises(DefinitionError, match=message) as caught:
        ladder(**{"seats": 2, **changes})  # type: ignore[arg-type]  # facts by name

    assert "\n" not in str(caught.value)


def test_a_ladder_whose_rating_system_lacks_its_library_is_refused_and_the_extra_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    get_system.cache_clear()
    monkeypatch.setitem(sys.modules, "openskill", None)

    with pytest.raises(DefinitionError, match=r"pip install 'agon-arena\[rate\]'"):
        ladder(2, system="weng-lin")


def test_an_unrated_ladder_may_void_its_matches() -> None:
    assert ladder(2, policy=VOID, rated=False).policy.on_fault is OnFault.VOID


def test_a_definition_reads_what_it_stores() -> None:
    made = ladder(4, deals=Deals.SHARED, time=TimeControl(move=1, bank=2), policy=FaultPolicy(OnFault.FORFEIT, 1, 2))

    assert LadderDef.from_json(made.to_json()) == made


def test_a_ladder_made_before_it_could_be_played_short_handed_is_not() -> None:
    stored = json.loads(ladder(3, short_handed=True).to_json())
    assert ladder(3, short_handed=True) == LadderDef.from_json(json.dumps(stored))
    del stored["short_handed"]

    assert ladder(3) == LadderDef.from_json(json.dumps(stored))


def test_a_ladder_made_before_there_was_a_choice_of_rotations_is_cyclic() -> None:
    stored = json.loads(ladder(3, rotations=Rotations.ALL).to_json())
    assert ladder(3, rotations=Rotations.ALL) == LadderDef.from_json(json.dumps(stored))
    del stored["rotations"]

    assert ladder(3) == LadderDef.from_json(json.dumps(stored))


def test_a_ladder_made_before_there_was_a_pace_for_house_bots_has_the_default() -> None:
    stored = json.loads(ladder(2, house_games=7).to_json())
    del stored["house_games"]

    assert LadderDef.from_json(json.dumps(stored)) == ladder(2, house_games=DEFAULT_HOUSE_GAMES)


@pytest.mark.parametrize(
    "damage",
    [
        *("", "[]", "{}", "null", "x", "[" * 100_000),
        *({"deals": "some"}, {"time": {"move": -1}}, {"policy": {}}, {"extra": 1}),
        *({"seats": "2"}, {"seats": True}, {"open": 1}, {"name": None}, {"options": []}, {"house_games": "many"}),
    ],
)
def test_a_damaged_definition_is_refused(damage: object) -> None:
    text = damage if isinstance(damage, str) else json.dumps({**json.loads(ladder().to_json()), **damage})  # type: ignore[dict-item]  # facts by name

    with pytest.raises(DefinitionError):
        LadderDef.from_json(text)


# -- the catalogue ---------------------------------------------------------------------------------------------


async def test_ladders_are_listed_in_the_order_of_their_creation(ladders: Ladders) -> None:
    first = await ladders.catalogue.create(ladder(3, name="zeta"))
    second = await ladders.catalogue.create(ladder(2, name="alpha"))
    assert 0 < first.created <= second.created

    listed = await ladders.catalogue.list()

    assert sorted(listed, key=lambda one: (one.created, one.seats)) == listed
    assert {first.name, second.name} == {one.name for one in listed}
    assert first == await ladders.catalogue.get("zeta")


async def test_a_name_is_taken_once(ladders: Ladders) -> None:
    made = await ladders.catalogue.create(ladder(2))

    with pytest.raises(LadderExistsError, match=f"'{made.name}'"):
        await ladders.catalogue.create(ladder(2))


async def test_an_unknown_ladder_is_refused_with_a_list_of_those_there_are(ladders: Ladders) -> None:
    with pytest.raises(UnknownLadderError, match="the ladders here are none, not 'x'"):
        await ladders.catalogue.close("x")

    await ladders.catalogue.create(ladder(2, name="one"))
    with pytest.raises(UnknownLadderError, match="the ladders here are one, not 'x'"):
        await ladders.catalogue.get("x")


async def test_a_closed_ladder_stays_closed_and_listed(ladders: Ladders) -> None:
    made = await ladders.catalogue.create(ladder(2))

    assert await ladders.catalogue.close(made.name) == replace(made, open=False)
    assert await ladders.catalogue.close(made.name) == replace(made, open=False)
    assert [replace(made, open=False)] == await ladders.catalogue.list()


async def test_closing_a_ladder_loses_no_change_that_is_made_meanwhile(
    ladders: Ladders, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What somebody else wrote after the ladder was read is not written over with what it was before."""
    made = await ladders.catalogue.create(ladder(2))
    other = replace(made, house_games=made.house_games + 1)
    script = ladders.store.script

    async def overtaken(name: str, *args: Any) -> Any:
        monkeypatch.undo()
        await ladders.store.command("HSET", keys.LADDERS, made.name, other.to_json())
        return await script(name, *args)

    monkeypatch.setattr(ladders.store, "script", overtaken)

    assert await ladders.catalogue.close(made.name) == replace(other, open=False)
    assert [replace(other, open=False)] == await ladders.catalogue.list()


async def test_a_new_store_gets_one_open_ladder_for_each_seat_count_once(ladders: Ladders) -> None:
    made = await ladders.catalogue.make_first(TimeControl(move=7), FaultPolicy.default, [GAME], house_games=9)

    assert [one.name for one in made] == [f"{GAME}-{seats}" for seats in get_game(GAME).spec.seat_counts]
    assert {one.time.move for one in made} == {7}
    assert {one.house_games for one in made} == {9}
    assert {one.policy for one in made} == {FaultPolicy.default(2), FaultPolicy.default(3)}

    await ladders.catalogue.close(made[0].name)
    assert await ladders.catalogue.make_first(TimeControl(), FaultPolicy.default, [GAME]) == []
    assert len(await ladders.catalogue.list()) == len(made)


async def test_first_ladders_are_completed_after_a_crash_in_between(ladders: Ladders) -> None:
    await ladders.catalogue.create(ladder(3))

    made = await ladders.catalogue.make_first(TimeControl(), FaultPolicy.default, [GAME])

    assert {2, 4} == {one.seats for one in made}


async def test_a_ladder_that_cannot_be_read_does_not_hide_the_others(
    ladders: Ladders, caplog: pytest.LogCaptureFixture
) -> None:
    """X15."""
    made = await ladders.catalogue.create(ladder(2))
    await ladders.store.command("HSET", keys.LADDERS, "broken", "{}")

    assert [made] == await ladders.catalogue.list()
    assert "ladder 'broken' is left out" in caplog.text
