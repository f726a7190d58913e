"""Card sets as files: a match and its record with another set, and files that are hostile or have mistakes."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from tests.support.card_files import OTHER_ID, hash_of, other_object, other_text

from agon_engine.conformance import Check, checks
from agon_engine.core import (
    Chance,
    Deal,
    Deals,
    FaultPolicy,
    FileError,
    MatchRecord,
    RecordError,
    SeatRow,
    Table,
    TimeControl,
    verify,
)
from agon_engine.elysium import GAME, CardSetError, read_set
from agon_engine.elysium.checking import MOST_STEPS
from agon_engine.elysium.game import Elysium
from agon_engine.elysium.reading import MAX_DEPTH, MAX_MISTAKES

OTHER = GAME.with_file("cards", other_text())
VALUE = OTHER.files["cards"].hash


def played() -> MatchRecord:
    table = Table(OTHER, Deal.of(OTHER, 2, {"families": "first"}, bytes(16)), FaultPolicy.default(2), TimeControl())
    while table.decision is not None:
        table.choose(table.decision.seat, table.decision.actions[-1])
    return table.record(
        match="m",
        block="",
        ladder="",
        rated=False,
        seats=[SeatRow("one", "", "", "a"), SeatRow("two", "", "", "b")],
        deals=Deals.FRESH,
        epoch=1,
        servers=["here"],
        started="2030-01-31T12:00:00Z",
        ended="2030-01-31T12:00:01Z",
    )


def test_another_set_is_played_as_it_is() -> None:
    """Its state, notation, reference and hash are its own."""
    assert f"take {OTHER_ID}" in OTHER.notation.codes
    assert "take zeus-leda" not in OTHER.notation.codes
    assert OTHER.reference()[OTHER_ID].startswith(f"Other ({OTHER_ID}): Zeus")
    assert hash_of(other_text()) == VALUE


def test_the_hash_is_in_the_record_and_in_the_commitment_to_the_seed() -> None:
    record = played()
    house = Deal.of(GAME, 2, {"families": "first"}, bytes(16))

    assert record.options == {"families": "first", "cards": VALUE}
    assert record.commitment != house.commitment
    assert MatchRecord.from_line(record.to_line()) == record
    verify(record, OTHER)


def test_a_replay_with_the_house_set_or_another_one_asks_for_the_file_by_its_hash() -> None:
    for game in (GAME, GAME.with_file("cards", other_text(8))):
        with pytest.raises(RecordError, match=f"names a file that is not here, by its hash '{VALUE}'"):
            verify(played(), game)


def test_a_set_is_the_same_however_it_is_written() -> None:
    data = other_object()
    turned = {key: data[key] for key in reversed(data)}

    assert hash_of(json.dumps(data)) == hash_of(json.dumps(turned, indent=8)) == hash_of(other_text())
    assert json.loads(OTHER.files["cards"].text) == data


def test_a_view_of_a_match_with_another_set_gives_samples_of_it() -> None:
    table = Table(OTHER, Deal.of(OTHER, 3, {}, bytes(16)), FaultPolicy.default(3), TimeControl())
    assert table.decision is not None
    seat = table.decision.seat
    state = OTHER.sample(table.state.view(seat), Chance(bytes(16)))

    assert state.notation is OTHER.notation
    assert state.decision is not None
    assert state.decision.actions == table.decision.actions


def test_a_number_in_a_view_leads_to_the_card_in_the_game_and_in_its_file() -> None:
    """As the README tells authors of bots: from 1, in the order of the set."""
    state = OTHER.start(2, Chance(bytes(16)))
    numbers = [number for number in state.view(0).agora.cards if number]
    exported = json.loads(OTHER.own_file("cards"))["cards"]
    assert state.decision is not None
    codes = [OTHER.notation.code(action) for action in state.decision.actions]
    takes = {code.removeprefix("take ") for code in codes if code.startswith("take ")}

    assert takes
    assert isinstance(OTHER, Elysium)
    assert takes <= {exported[number - 1]["id"] for number in numbers}
    assert takes <= {OTHER.cards.cards[number - 1].id for number in numbers}


@pytest.mark.parametrize("check", checks(OTHER), ids=str)
def test_a_game_with_another_set_is_as_sound_as_that_with_the_house_s(check: Check) -> None:
    check(3, seed=1, positions=8)


# -- what is hostile -----------------------------------------------------------------------------------------


def changed(**fields: Any) -> str:
    """Return the other set with fields of its first card changed."""
    data = other_object()
    data["cards"][0].update(fields)
    return json.dumps(data)


def mistakes(text: str) -> list[str]:
    with pytest.raises(FileError) as refused:
        GAME.with_file("cards", text)
    return list(refused.value.mistakes)


def nested(depth: int) -> dict[str, Any]:
    step: dict[str, Any] = {"op": "gain", "res": "vp", "n": 1}
    for _ in range(depth - 1):
        step = {"op": "seq", "steps": [step]}
    return step


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file is no JSON: Expecting value"),
        ("\ufeff{}", "the file is no JSON: Unexpected UTF-8 BOM"),
        ("[" * 100_000, "the file is no card set: it is nested too deeply"),
        ('{"a":' * 100_000, "the file is no card set: it is nested too deeply"),
        ('{"cards": [], "cards": []}', "the file is no JSON: an object has the key 'cards' twice"),
        ('{"version": NaN}', "the file is no JSON: no number is 'NaN'"),
        ('{"version": -Infinity}', "the file is no JSON: no number is '-Infinity'"),
        (f'{{"version": {"9" * 5_000}}}', "the file is no JSON: Exceeds the limit"),
        ("3", "the file is no card set: it is an object, not 3"),
        ("null", "the file is no card set: it is an object, not None"),
    ],
)
def test_what_is_no_set_at_all_is_refused_in_one_line(text: str, message: str) -> None:
    assert mistakes(text)[0].startswith(message)


NUMBER = "effect.n is a whole number from 1 to 99 or an object with 'per'"


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"effect": {"op": []}}, "effect.op is one of seq, .*, not a list of 0"),
        ({"effect": {"op": {"op": "gain"}}}, "effect.op is one of seq, .*, not an object of 1"),
        ({"effect": None}, "effect is an object with its op, not None"),
        ({"effect": {"op": "peek", "n": "two", "put": "top"}}, "effect.n is a whole number from 1 to 3, not 'two'"),
        ({"effect": {"op": "gain", "n": 1}}, "effect.res is missing; it is one of gold, vp, pp"),
        (
            {"effect": {"op": "sacrifice", "then": {"op": "take_citizen"}}},
            "effect.filter is missing; it is an object, which may have kind, level_min, .*, not_source",
        ),
        ({"efect": {}}, "a card has the fields activation, .*, text, and not 'efect'"),
        ({"effect": {"op": "gain", "res": "vp", "n": {"per": []}}}, "effect.n.per is one of .*, not a list of 0"),
        ({"effect": {"op": "gain", "res": ["vp"], "n": 1}}, "effect.res is one of gold, vp, pp, not a list of 1"),
        ({"effect": {"op": "gain", "res": "vp", "n": 10**300}}, f"{NUMBER}, not 10+ …"),
        ({"effect": {"op": "gain", "res": "vp", "n": 1.5}}, f"{NUMBER}, not 1.5"),
        ({"effect": {"op": "gain", "res": "vp", "n": True}}, f"{NUMBER}, not True"),
        ({"effect": nested(MAX_DEPTH + 1)}, f"effect has more than {MAX_DEPTH} steps inside each other"),
        (
            {"effect": {"op": "seq", "steps": [{"op": "take_citizen"}] * MOST_STEPS}},
            f"effect has at most {MOST_STEPS} steps, not {MOST_STEPS + 1}",
        ),
        ({"name": 7}, "name is a text of 1 to 60 printable characters, not 7"),
        ({"name": "\x1b[31m"}, r"name is a text of 1 to 60 printable characters, not '\\x1b\[31m'"),
        ({"name": "\ud800"}, r"name is a text of 1 to 60 printable characters, not '\\ud800'"),
        ({"text": "long" * 1_000}, "text is a text of 1 to 1000 printable characters, not 'longlong.* …"),
        ({"estimate": "much"}, "estimate is a number from -99 to 99, not 'much'"),
        ({"estimate": 1e300}, "estimate is a number from -99 to 99, not 1e[+]300"),
        ({"level": "1"}, "level is a whole number from 1 to 3, not '1'"),
        ({"copies": 0}, "copies is a whole number from 1 to 21, not 0"),
        ({"columns": "red"}, "columns is a list of red, yellow, green, blue, any, not 'red'"),
        ({"columns": ["red"] * 1_000}, "columns are one or two symbols, not 1000"),
        ({"activation": 3}, "activation is one of Instantaneous, .*, not 3"),
        ({"family": {}}, "family is one of Apollo, .*, not an object of 0"),
    ],
)
def test_a_wrong_value_is_named_with_its_card_and_what_is_allowed(fields: dict[str, Any], message: str) -> None:
    found = mistakes(changed(**fields))

    assert any(re.fullmatch(f"{OTHER_ID}: {message}", line) for line in found), found


def test_a_card_without_an_id_is_named_by_its_place() -> None:
    data = other_object()
    data["cards"][4]["id"] = None
    data["cards"][5] = 5

    assert [line.partition(":")[0] for line in mistakes(json.dumps(data))][:2] == ["card 5", "card 6"]


def test_mistakes_of_form_and_of_sense_are_listed_together() -> None:
    """What stands in for a value that cannot be read is not judged: it would be a mistake that nobody made."""
    data = other_object()
    data["cards"][0]["columns"] = ["pink"]
    data["cards"][8]["columns"] = []
    data["cards"][7]["copies"] = "two"

    assert mistakes(json.dumps(data)) == [
        f"{OTHER_ID}: columns[0] is one of red, yellow, green, blue, any, not 'pink'",
        f"{data['cards'][7]['id']}: copies is a whole number from 1 to 21, not 'two'",
        f"{data['cards'][8]['id']}: columns are one or two symbols, not 0",
    ]


def test_a_field_that_cannot_be_read_hides_no_mistake_of_the_others_in_the_same_object() -> None:
    """Inside an effect too; of the step that cannot be read nothing is judged, nor what depends on when it is used."""
    data = other_object()
    step = {"op": "shield", "against": ["discard"]}
    data["cards"][0] |= {
        "name": 7,
        "columns": [],
        "effect": {"op": "choose", "n": "all", "options": [{"op": "explode"}, {"op": "seq", "steps": []}]},
    }
    data["cards"][1] |= {"activation": "Never", "effect": {"op": "seq", "steps": [step, {"op": "peek", "n": 9}]}}

    first, second = OTHER_ID, data["cards"][1]["id"]
    assert [line.partition(" is ")[0].partition(" are ")[0] for line in mistakes(json.dumps(data))] == [
        f"{first}: name",
        f"{first}: effect.options[0].op",
        f"{first}: effect.n",
        f"{second}: activation",
        f"{second}: effect.steps[0].against[0]",
        f"{second}: effect.steps[1].n",
        f"{second}: effect.steps[1].put",
        f"{first}: columns",
        f"{first}: seq has at least one step",
    ]


def test_a_bad_version_hides_no_family_of_the_wrong_size() -> None:
    data = other_object()
    data["version"] = data["status"] = 0
    data["cards"][7]["copies"] = 20

    assert mistakes(json.dumps(data)) == [
        "the file: status is a text of 1 to 60 printable characters, not 0",
        "the file: version is a whole number from 1 to 1000000, not 0",
        f"zeus: a family has 21 cards, not {21 - other_object()['cards'][7]['copies'] + 20}",
    ]


def test_what_is_missing_and_what_is_too_much_is_said_of_every_part() -> None:
    """Notes for people may stand anywhere, and are the only fields that are not read."""
    data = {"about": "", "notes": [], **other_object()}
    data["level_bonus"] = {"1": 1, "2": 2, "4": 3, "reason": "so"}
    data["quests"]["incomplete"]["number"] = 0
    del data["quests"]["players_2"][0]["vp"]
    del data["pediment"]["two_players"]
    data["verison"] = 2
    found = mistakes(json.dumps(data))

    assert found == [
        "the file: a set has the fields cards, level_bonus, pediment, quests, status, version, and not 'verison'",
        "quests: players_2[0].vp is missing; it is a whole number from 0 to 99",
        "quests: incomplete has the fields gold, status, transfers, vp, and not 'number'",
        "pediment: two_players is missing; it is an object",
        "level_bonus: level_bonus has the fields 1, 2, 3, and not '4'",
        "level_bonus: level 3 is missing; it is a whole number from 0 to 99",
    ]
    assert mistakes(json.dumps({"cards": []}))[:3] == [
        f"the file: {part} is missing; it is an object" for part in ("quests", "pediment", "level_bonus")
    ]


def test_mistakes_are_named_by_the_part_of_the_set_and_listed_beside_those_of_cards() -> None:
    data = other_object()
    data["version"] = "new"
    data["cards"][2]["level"] = "high"
    data["cards"][1]["id"] = data["cards"][0]["id"]
    data["quests"]["players_2"][1]["number"] = 3
    data["pediment"]["side_B"][0] = "pink"
    data["level_bonus"]["3"] = 100

    assert [line.partition(" is ")[0] for line in mistakes(json.dumps(data))] == [
        "the file: version",
        f"{data['cards'][2]['id']}: level",
        "pediment: side_B[0]",
        "level_bonus: level 3",
        f"{OTHER_ID}: the id",
        "quests: players_2 are numbered 1 to 2, not [1, 3]",
    ]


def test_so_many_mistakes_are_listed_and_no_more() -> None:
    with pytest.raises(CardSetError) as refused:
        read_set(json.dumps({"cards": [0] * 300_000}))

    assert len(refused.value.mistakes) == MAX_MISTAKES + 1
    assert refused.value.mistakes[-1] == f"and more: only the first {MAX_MISTAKES} are listed"


def test_numbers_of_the_table_are_bounded() -> None:
    data = other_object()
    data["quests"]["players_2"][0]["gold"] = -1
    data["level_bonus"]["2"] = -5
    data["version"] = 0

    assert mistakes(json.dumps(data)) == [
        "the file: version is a whole number from 1 to 1000000, not 0",
        "quests: players_2[0].gold is a whole number from 0 to 99, not -1",
        "level_bonus: level 2 is a whole number from 0 to 99, not -5",
    ]
