"""Options that are files: how a game is made with one, and what names it by its hash without having it."""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

import pytest
from tests.support import card_files
from tests.support.toy_files import GAME

from agon_engine.core import (
    MAX_FILE,
    Chance,
    Deal,
    FaultPolicy,
    FileError,
    Game,
    GameFile,
    MissingFileError,
    OptionsError,
    Table,
    TimeControl,
)
from agon_engine.registry import game_of, get_game

NOBODY_S = "0" * 32


SPEC = GAME.spec


def test_a_file_s_hash_is_one_that_every_language_has() -> None:
    """BLAKE2b-128 over the text in UTF-8."""
    file = GameFile.of("métier")

    assert file.text == "métier"
    assert file.hash == blake2b("métier".encode(), digest_size=16).hexdigest()


def test_all_ways_to_write_a_file_have_one_hash() -> None:
    one, other = GAME.with_file("label", "two  words\n"), GAME.with_file("label", "two words")

    assert one.files == other.files == {"label": GameFile.of("two words")}
    assert GAME.with_file("label", "others").files != one.files


def test_the_value_of_an_option_that_may_be_a_file_is_a_word_or_a_hash() -> None:
    option = SPEC.option("label")

    assert option.check("plain") == "plain"
    assert option.check(NOBODY_S) == NOBODY_S
    assert not option.names_file("plain")
    assert option.names_file(NOBODY_S)
    values: tuple[object, ...] = ("other", NOBODY_S[:-1], NOBODY_S.replace("0", "A"), 3, None, [], NOBODY_S + "\n")
    for value in values:
        with pytest.raises(OptionsError) as refused:
            option.check(value)
        assert str(refused.value) == f"option label is one of plain or a file, by its hash, not {value!r}"
    with pytest.raises(OptionsError, match="option hand is one of 1, 2, 3, not"):
        SPEC.check_options({"hand": NOBODY_S})


def test_options_tell_which_files_they_name() -> None:
    assert SPEC.files_of(SPEC.check_options({"label": NOBODY_S})) == {"label": NOBODY_S}
    assert SPEC.files_of(SPEC.check_options({})) == {}
    assert SPEC.files_of({}) == {}


def test_a_game_with_a_file_plays_with_it_unasked_and_with_nothing_else() -> None:
    game = GAME.with_file("label", "mine")
    value = game.files["label"].hash

    assert game.check_options({"hand": 1}) == {"hand": 1, "wards": True, "label": value}
    assert game.check_options({"label": value})["label"] == value
    assert Deal.of(game, 2, {}, bytes(16)).options["label"] == value
    with pytest.raises(OptionsError, match=f"this game plays with the file {value} for option label, not 'plain'"):
        game.check_options({"label": "plain"})
    with pytest.raises(MissingFileError):
        game.check_options({"label": NOBODY_S})


def test_a_game_without_the_file_says_which_one_is_missing() -> None:
    """At every door: options, deal, start and table."""
    deal = Deal(SPEC.name, SPEC.version, 2, SPEC.check_options({"label": NOBODY_S}), bytes(16))
    for door in (
        lambda: GAME.check_options(deal.options),
        lambda: Deal.of(GAME, 2, deal.options, bytes(16)),
        lambda: GAME.start(2, Chance(bytes(16)), deal.options),
        lambda: Table(GAME, deal, FaultPolicy.default(2), TimeControl()),
    ):
        with pytest.raises(MissingFileError) as refused:
            door()
        assert (refused.value.option, refused.value.file) == ("label", NOBODY_S)
        assert str(refused.value) == f"option label names a file that is not here, by its hash {NOBODY_S!r}"


@pytest.mark.parametrize(
    ("game", "option", "message"),
    [
        (GAME, "hand", "option hand of toy takes no file"),
        (GAME, "lable", "toy has no option 'lable'; its options are hand, wards, label"),
        (get_game("ephyran"), "tie_break", "option tie_break of ephyran takes no file"),
    ],
)
def test_an_option_that_takes_no_file_refuses_one(game: Game[Any], option: str, message: str) -> None:
    with pytest.raises(OptionsError, match=f"^{message}$"):
        game.with_file(option, "text")


def test_a_file_with_mistakes_lists_them() -> None:
    with pytest.raises(FileError) as refused:
        GAME.with_file("label", "x@y")

    assert refused.value.mistakes == ("a label has words, and no @",)
    assert str(refused.value) == "the file for option label has a mistake:\na label has words, and no @"


def test_a_text_that_is_no_unicode_is_no_file() -> None:
    with pytest.raises(FileError, match="the text is no Unicode at character 1"):
        GAME.with_file("label", "x\ud800")


def test_a_file_is_bounded_as_the_game_writes_it() -> None:
    """Every way to write it counts the same, and it fits into one message."""
    assert GAME.with_file("label", " " * MAX_FILE + "x" * MAX_FILE).files["label"].text == "x" * MAX_FILE
    for text in ("x" * (MAX_FILE + 1), "é" * (MAX_FILE // 2 + 1)):
        with pytest.raises(FileError, match=f"the text has at most {MAX_FILE} bytes as the game writes it, not"):
            GAME.with_file("label", text)


# -- by the registry -----------------------------------------------------------------------------------------


def test_the_game_of_options_is_made_once_with_their_files() -> None:
    text = card_files.other_text()
    value = card_files.hash_of(text)
    options = get_game(card_files.GAME).spec.check_options({card_files.OPTION: value})
    game = game_of(card_files.GAME, options, {value: text})

    assert game is game_of(card_files.GAME, options, {value: text})
    assert game.files[card_files.OPTION].hash == value
    assert card_files.OTHER_ID in game.reference()
    assert game_of(card_files.GAME, get_game(card_files.GAME).spec.check_options({})) is get_game(card_files.GAME)


def test_the_game_of_options_needs_their_files_however_often_it_was_made() -> None:
    text, other = card_files.other_text(), card_files.other_text(8)
    value = card_files.hash_of(text)
    options = get_game(card_files.GAME).spec.check_options({card_files.OPTION: value})
    game_of(card_files.GAME, options, {value: text})

    for files in ({}, {card_files.hash_of(other): text}, {value: other}):
        with pytest.raises(MissingFileError, match=value):
            game_of(card_files.GAME, options, files)
    with pytest.raises(FileError):
        game_of(card_files.GAME, options, {value: "nonsense"})
