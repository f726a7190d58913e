"""Files for options in a real store: ladders bring them, servers read them, strangers ask for them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.server.services.conftest import arena, installation
from tests.support import card_files
from tests.support.card_files import GAME, OPTION, OTHER_ID
from tests.support.valkey import store, valkey_url

from agon.codec import admin, ladder as calls
from agon_engine.core.errors import FileError, MissingFileError, OptionsError
from agon_engine.registry import get_game
from agon_server import files
from agon_server.files import Files
from agon_server.operations import ladders
from agon_server.operations.errors import ExistsError, InvalidError, NotFoundError
from agon_server.operations.installation import Installation
from agon_server.store import keys
from agon_server.store.connection import Store

__all__ = ["arena", "installation", "store", "valkey_url"]

TEXT = card_files.other_text()
FILE = get_game(GAME).with_file(OPTION, TEXT).files[OPTION]
REQUEST = admin.CreateLadderRequest(name="own", game=GAME, seats=2, files={OPTION: TEXT})


async def kept(store: Store) -> dict[bytes, bytes]:
    """Return all files that the store has."""
    flat = await store.command("HGETALL", keys.FILES)
    return dict(zip(flat[::2], flat[1::2], strict=True))


# -- made with a ladder ---------------------------------------------------------------------------------------


async def test_a_ladder_brings_its_file_as_the_game_writes_it(installation: Installation, store: Store) -> None:
    made = (await ladders.create_ladder(installation, REQUEST)).ladder
    again = replace(REQUEST, name="again", files={OPTION: FILE.text}, options={OPTION: FILE.hash})
    other = (await ladders.create_ladder(installation, again)).ladder

    assert made.options == other.options == {"families": "random", OPTION: FILE.hash}
    assert await kept(store) == {FILE.hash.encode(): FILE.text.encode()}
    assert (await ladders.get_file(installation, calls.GetFileRequest(FILE.hash))).text == FILE.text


async def test_a_file_that_is_there_may_be_named_by_its_hash(installation: Installation, store: Store) -> None:
    by_hash = admin.CreateLadderRequest(name="second", game=GAME, seats=3, options={OPTION: FILE.hash})
    with pytest.raises(MissingFileError, match=FILE.hash):
        await ladders.create_ladder(installation, by_hash)
    await ladders.create_ladder(installation, REQUEST)

    assert (await ladders.create_ladder(installation, by_hash)).ladder.options[OPTION] == FILE.hash


@pytest.mark.parametrize(
    ("request_", "error", "message"),
    [
        (
            replace(REQUEST, options={OPTION: "house"}),
            InvalidError,
            f"the file for option cards is {FILE.hash}, not 'house'",
        ),
        (
            replace(REQUEST, options={OPTION: "0" * 32}),
            InvalidError,
            f"the file for option cards is {FILE.hash}, not '0",
        ),
        (replace(REQUEST, files={"families": TEXT}), OptionsError, "option families of elysium takes no file"),
        (replace(REQUEST, files={"deck": TEXT}), OptionsError, "elysium has no option 'deck'"),
        (replace(REQUEST, game="chess"), OptionsError, "unknown game 'chess'"),
        (replace(REQUEST, files={OPTION: card_files.broken_text()}), FileError, "cards has 3 mistakes:\n"),
        (replace(REQUEST, options={"families": "none"}), OptionsError, "option families is random, first or five"),
        (replace(REQUEST, name="No"), Exception, "a ladder's name is"),
    ],
)
async def test_what_cannot_be_made_leaves_nothing_behind(
    installation: Installation, store: Store, request_: admin.CreateLadderRequest, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        await ladders.create_ladder(installation, request_)

    assert await kept(store) == {}
    assert await installation.catalogue.list() == []


async def test_a_ladder_whose_name_is_taken_brings_no_file(installation: Installation, store: Store) -> None:
    """One step of the store: a file without its ladder would stay for good."""
    await ladders.create_ladder(installation, replace(REQUEST, files={}))
    with pytest.raises(ExistsError, match="'own'"):
        await ladders.create_ladder(installation, REQUEST)

    assert await kept(store) == {}


@pytest.mark.parametrize("text", ["0" * 32, "", "x" * 100_000, "house"])
async def test_a_file_that_nobody_brought_is_not_found(installation: Installation, text: str) -> None:
    with pytest.raises(NotFoundError, match="no ladder was made with a file of this hash") as refused:
        await ladders.get_file(installation, calls.GetFileRequest(text))

    assert len(str(refused.value)) < 200


# -- read by a server -----------------------------------------------------------------------------------------


async def test_a_server_reads_a_file_once(installation: Installation, store: Store) -> None:
    await ladders.create_ladder(installation, REQUEST)
    shelf = Files(store)
    options = get_game(GAME).spec.check_options({OPTION: FILE.hash})
    game = await shelf.game(GAME, options)
    await store.command("DEL", keys.FILES)

    assert OTHER_ID in game.reference()
    assert await shelf.game(GAME, options) is game
    assert await shelf.game(GAME, {}) is get_game(GAME)


async def test_only_so_many_games_are_kept(
    installation: Installation, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "GAMES_KEPT", 1)
    shelf = Files(store)
    named = []
    for name, points in (("one", 3), ("other", 4)):
        request = replace(REQUEST, name=name, files={OPTION: card_files.other_text(points)})
        named.append(dict((await ladders.create_ladder(installation, request)).ladder.options))
    for options in named:
        await shelf.game(GAME, options)
    await store.command("DEL", keys.FILES)

    await shelf.game(GAME, named[1])
    with pytest.raises(MissingFileError):
        await shelf.game(GAME, named[0])


async def test_what_a_store_has_under_a_wrong_hash_is_not_played(
    store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    await store.command("HSET", keys.FILES, FILE.hash, FILE.text + " ")

    with pytest.raises(MissingFileError, match=FILE.hash):
        await Files(store).game(GAME, {OPTION: FILE.hash})
    assert f"something else under the hash of file {FILE.hash}" in caplog.text
    caplog.clear()


async def test_options_that_the_game_does_not_have_are_refused_before_anything_is_read(store: Store) -> None:
    with pytest.raises(OptionsError, match="option cards is one of house or a file, by its hash, not 'mine'"):
        await Files(store).game(GAME, {OPTION: "mine"})
