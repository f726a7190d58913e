"""Files that options name, and the store lacks or has wrongly: told once a file, with what to do."""

from __future__ import annotations

from tests.server.doctor.conftest import Look
from tests.support import card_files
from tests.support.card_files import GAME, OPTION, OTHER_ID
from tests.support.ladder_store import Ladders
from tests.support.referee import make_entry

from agon.codec import admin
from agon.codec.admin import Condition
from agon_engine.core import UNTIMED
from agon_engine.registry import get_game
from agon_server.operations import ladders
from agon_server.operations.doctor.journals import check_journals
from agon_server.operations.doctor.store_look import Kept, Queued, Standing, StoreLook
from agon_server.operations.doctor.suspicion import Suspicion
from agon_server.operations.installation import Installation
from agon_server.referee.entries import Opening, choice_line, opening_line, tag_of
from agon_server.store import keys
from agon_server.store.connection import Store

FILE = get_game(GAME).with_file(OPTION, card_files.other_text()).files[OPTION]


async def create(installation: Installation, *names: str) -> None:
    for name in names:
        request = admin.CreateLadderRequest(name=name, game=GAME, seats=2, files={OPTION: FILE.text})
        await ladders.create_ladder(installation, request)


async def test_a_file_that_is_there_is_no_news(healthy: Ladders, installation: Installation, look: Look) -> None:
    await create(installation, "own")

    assert await look() == []


async def test_a_file_that_the_store_lacks_is_told_once_for_all_ladders(
    healthy: Ladders, installation: Installation, look: Look, store: Store
) -> None:
    await create(installation, "own", "other")
    await store.command("DEL", keys.FILES)

    [symptom] = await look()
    assert (symptom.check, symptom.condition, symptom.where) == ("file", Condition.INCONSISTENT, FILE.hash)
    assert "the store lacks a file that options name" in symptom.what
    assert "agon ladder create" in symptom.remedy


async def test_a_file_that_is_another_one_is_told(
    healthy: Ladders, installation: Installation, look: Look, store: Store
) -> None:
    await create(installation, "own")
    await store.command("HSET", keys.FILES, FILE.hash, "{}")

    [symptom] = await look()
    assert "the store has something else under the hash of a file" in symptom.what


def test_a_journal_with_the_codes_of_a_file_is_followed() -> None:
    """And one with codes that its file does not have is not; without the file nobody can tell."""
    entry = make_entry(game=GAME, options={"families": "random", OPTION: FILE.hash})
    tag = tag_of(entry.match)
    opening = opening_line(tag, Opening(1, "2030-01-31T12:00:00Z", ("1", "1")))
    fits = [opening, choice_line(1, tag, 0, f"take {OTHER_ID}", 0, UNTIMED)]
    breaks = [*fits, choice_line(2, tag, 1, "take zeus-leda", 0, UNTIMED)]

    def found(lines: list[str], **files: str) -> list[Suspicion]:
        queued = Queued("stream", "1-0", entry.match, entry, "here", 0, {})
        kept = Kept(entry.match, "list", True, 0, 0, [line.encode() for line in lines])
        standing = Standing(0, 0, "", "", "", "", 0, "", "", {})
        look = StoreLook(now_ms=0, queued=[queued], journals=[kept], standing=standing, files=files)
        return check_journals(look)

    assert found(fits, **{FILE.hash: FILE.text}) == []
    assert [item.check for item in found(breaks, **{FILE.hash: FILE.text})] == ["journal"]
    assert found(breaks) == []
