"""The house set's literals against the reference file, field by field; the frame of the game; sets from files."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import FrozenInstanceError, replace
from importlib.resources import files
from typing import Any

import pytest

from agon_engine.core import Chance
from agon_engine.elysium import GAME, CardSetError, game_with, read_set
from agon_engine.elysium.cards import HOUSE
from agon_engine.elysium.checking import mistakes_in
from agon_engine.elysium.enums import Family
from agon_engine.elysium.vocabulary import Gain
from agon_engine.elysium.words import VP
from agon_engine.elysium.writing import card_object, set_object, set_text, step_object

REFERENCE: dict[str, Any] = json.loads(files("agon_engine.elysium").joinpath("cards.json").read_text("utf-8"))
READ = {card.id: card for card in read_set(json.dumps(REFERENCE)).cards}
BY_ID = {card.id: card for card in HOUSE.cards}


@pytest.mark.parametrize("row", REFERENCE["cards"], ids=lambda row: row["id"])
def test_a_literal_is_what_the_reference_says_field_by_field(row: dict[str, Any]) -> None:
    written = card_object(BY_ID[row["id"]])

    for field in ("id", "name", "family", "level", "copies", "columns", "activation", "text", "estimate"):
        assert row[field] == written[field], field
    assert BY_ID[row["id"]].effect == READ[row["id"]].effect


def test_the_whole_set_is_the_reference() -> None:
    assert read_set(json.dumps(REFERENCE)) == HOUSE
    assert [row["id"] for row in REFERENCE["cards"]] == [card.id for card in HOUSE.cards]


def test_the_marks_of_what_is_printed_and_what_is_house_are_kept() -> None:
    assert (REFERENCE["status"], HOUSE.status) == ("house", "house")
    assert REFERENCE["label"].startswith("HOUSE SET")
    assert REFERENCE["quests"]["incomplete"]["status"] == HOUSE.incomplete.status == "printed"
    assert {quest.status for quest in (*HOUSE.quests_two, *HOUSE.quests_more)} == {"house"}


def test_whether_a_card_interacts_follows_from_its_effect() -> None:
    """The reference marks designs that touch other players, the rows or the shared draw pile."""
    words = {"each_opponent", "pick_opponent", "take", "take_citizen", "row_move", "peek", "peek_take", "reserve"}
    words |= {"row_access", "opponent_take", "agora", "oracle", "opp_domain", "row_cards", "none_below", "none_above"}
    for row in REFERENCE["cards"]:
        text = json.dumps(step_object(BY_ID[row["id"]].effect))
        found = any(f'"{word}"' in text for word in words)

        assert row["interaction"] == found or row["id"] in {"athena-aegis"}, row["id"]


def test_the_frame() -> None:
    """E1.1: eight families of 21 cards in 11 designs, 168 in all; the counts of the set's document."""
    assert (GAME.tables.count, GAME.tables.designs) == (168, 88)
    for family in Family:
        if family:
            cards = [card for card in HOUSE.cards if card.family is family]
            assert (len(cards), sum(card.copies for card in cards)) == (11, 21)

    symbols: Counter[str] = Counter()
    activations: Counter[str] = Counter()
    for card in HOUSE.cards:
        activations[card.activation.name] += card.copies
        for colour in card.columns:
            symbols[colour.name] += card.copies
    assert symbols == {"RED": 50, "YELLOW": 50, "GREEN": 50, "BLUE": 50, "ANY": 32}
    assert activations == {
        "INSTANT": 48,
        "ACTIVATE": 34,
        "TRIGGER": 22,
        "PERMANENT": 14,
        "LEGEND": 12,
        "CHRONOS": 16,
        "ELEUSIS": 22,
    }


def test_a_literal_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        object.__getattribute__(BY_ID["zeus-io"], "__setattr__")("level", 3)


def test_a_set_survives_its_own_json_and_has_one_text() -> None:
    text = json.dumps(set_object(HOUSE), indent=4)
    other = replace(HOUSE, cards=(replace(HOUSE.cards[0], effect=Gain(VP, 2)), *HOUSE.cards[1:]))

    assert read_set(text) == HOUSE
    assert set_text(read_set(text)) == set_text(HOUSE)
    assert set_text(other) != set_text(HOUSE)


def test_the_house_set_has_no_mistakes() -> None:
    assert mistakes_in(HOUSE) == []


def test_another_set_is_played_as_it_is() -> None:
    """A set is a value given at the start; its state, notation and hash are its own."""
    renamed = replace(HOUSE.cards[0], id="zeus-other", name="Other", effect=Gain(VP, 9))
    game = game_with(replace(HOUSE, cards=(renamed, *HOUSE.cards[1:])))
    state = game.start(2, Chance(bytes(16)), {"families": "first"})
    while state.decision is not None:
        state.apply(state.decision.actions[0])

    assert "take zeus-other" in game.notation.codes
    assert "take zeus-leda" not in game.notation.codes
    assert state.cards_hash == game.cards_hash != GAME.cards_hash
    assert state.outcome() is not None


def broken(change: str) -> str:
    """Return the reference with something wrong in it."""
    data = json.loads(json.dumps(REFERENCE))
    card = data["cards"][0]
    effect = card["effect"]
    if change == "op":
        card["effect"] = {"op": "explode"}
    elif change == "resource":
        effect["res"] = "silver"
    elif change == "missing":
        del effect["n"]
    elif change == "field":
        effect["twice"] = True
    elif change == "counter":
        effect["n"]["per"] = "clouds"
    elif change == "family":
        card["family"] = "Titan"
    elif change == "columns":
        card["columns"] = ["pink"]
    elif change == "level":
        card["level"] = 4
    elif change == "copies":
        card["copies"] = 3
    elif change == "twice":
        data["cards"][1]["id"] = card["id"]
    elif change == "T4":
        card["effect"] = {"op": "each_opponent", "do": {"op": "take", "from": "agora", "filter": {}}}
    elif change == "turn":
        card["effect"] = {"op": "pick_opponent", "do": {"op": "row_access", "row": "oracle", "scope": "turn"}}
    elif change == "recharge":
        card["effect"] = {"op": "recharge", "activation": ["Activate", "Instantaneous"], "filter": {}}
    elif change == "not_source":
        card["effect"] = {"op": "take", "from": "agora", "filter": {"not_source": "yes"}}
    elif change == "on":
        card["effect"] = {"op": "on", "event": "income", "filter": {}, "do": {"op": "gain", "res": "vp", "n": 1}}
    elif change == "peek":
        card["effect"] = {"op": "peek", "n": 4, "put": "top"}
    elif change == "from":
        card["effect"] = {"op": "take", "from": "deck", "filter": {}}
    elif change == "quests":
        data["quests"]["players_2"].pop()
    elif change == "pediment":
        data["pediment"]["side_A"][0] = "blue"
    elif change == "id":
        card["id"] = "Zeus Leda"
    return json.dumps(data)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("op", "zeus-leda: effect.op is one of seq, choose, may, .*, not 'explode'"),
        ("resource", "zeus-leda: effect.res is one of gold, vp, pp, not 'silver'"),
        ("missing", "zeus-leda: effect.n is missing; it is a whole number from 1 to 99 or an object with 'per'"),
        ("field", "zeus-leda: effect has the fields n, op, res, to, and not 'twice'"),
        ("counter", "zeus-leda: effect.n.per is one of gold, pp, .*, not 'clouds'"),
        ("family", "zeus-leda: family is one of Apollo, .*, not 'Titan'"),
        ("columns", "zeus-leda: columns.0. is one of red, yellow, green, blue, any, not 'pink'"),
        ("level", "zeus-leda: level is a whole number from 1 to 3, not 4"),
        ("copies", "zeus: a family has 21 cards, not 22"),
        ("twice", "zeus-leda: the id is given 2 times"),
        ("T4", "zeus-leda: inside each_opponent and pick_opponent there is never 'take'"),
        ("turn", "zeus-leda: inside each_opponent and pick_opponent there is never 'row_access'"),
        ("recharge", "zeus-leda: recharge.activation is of Activate, Trigger, Eleusis, not 'Instantaneous'"),
        ("not_source", "zeus-leda: effect.filter.not_source is one of true, not 'yes'"),
        ("on", "zeus-leda: 'on' is for permanent or chronos cards"),
        ("peek", "zeus-leda: effect.n is a whole number from 1 to 3, not 4"),
        ("from", "zeus-leda: take.from is one of agora, oracle, discard, not 'deck'"),
        ("quests", "quests: players_2 are numbered 1 to 2"),
        ("pediment", "pediment: side_A has each of the four colours once"),
        ("id", "Zeus Leda: an id is small letters"),
    ],
)
def test_a_broken_set_is_refused_with_the_card_and_what_is_allowed(change: str, message: str) -> None:
    """T4 says what may happen to others; the vocabulary what a step holds."""
    with pytest.raises(CardSetError, match=message):
        read_set(broken(change))


def test_all_mistakes_are_listed() -> None:
    data = json.loads(broken("op"))
    data["cards"][1]["columns"] = ["pink", "blue"]
    data["cards"][2]["effect"]["n"]["per"] = "clouds"

    with pytest.raises(CardSetError) as caught:
        read_set(json.dumps(data))

    assert [text.split(":")[0] for text in caught.value.mistakes] == ["zeus-leda", "zeus-semele", "zeus-dodona"]


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"cards": 3}', "nonsense"])
def test_a_file_that_is_no_set_is_refused(text: str) -> None:
    with pytest.raises(CardSetError):
        read_set(text)
