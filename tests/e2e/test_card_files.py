"""A ladder with another card set, made by the command line from a file: servers, one of them killed, bots, replays."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import grpc
import grpc.aio
import pytest
from tests.support import card_files
from tests.support.card_files import GAME, OTHER_ID
from tests.support.cli import Ran, run
from tests.support.e2e import CALL_SECONDS, ServerProcess, Site, until
from tests.support.own_store import OwnStore, sharing

from agon.codec import admin, ladder as calls
from agon_engine.core import MatchRecord, Termination, verify
from agon_engine.registry import get_game

LADDER = "own"
BOT = f'''
import time

from agon_bots import Bot

class Careful(Bot):
    """Reads the actions as its own game's, and draws a whole state from a view now and then."""

    games = ["{GAME}"]

    def start(self, match):
        assert "{OTHER_ID}" in match.engine.reference()

    def choose(self, turn):
        time.sleep(0.01)  # a match is to be longer than the way to its server's end
        if "take {OTHER_ID}" in turn.actions:
            return "take {OTHER_ID}"
        actions = tuple(map(turn.match.engine.notation.parse, turn.actions))
        if turn.decision % 16 == 1:
            assert turn.sample().decision.actions == actions
        return turn.random.choice(turn.actions)
'''


def agon(*arguments: object) -> Ran:
    return run(*map(str, arguments))


async def runs_at(server: ServerProcess, name: str) -> bool:
    """Tell whether matches run at the server of that name."""
    items = (await server.call(admin.INSPECT_QUEUE, admin.InspectQueueRequest())).items
    return sum(item.owner == name for item in items) >= 2


def with_other(records: Sequence[MatchRecord]) -> list[MatchRecord]:
    """Return the records in which somebody took the card."""
    return [record for record in records if any(move.action == f"take {OTHER_ID}" for move in record.moves)]


async def create_by(server: ServerProcess, file: Path) -> Ran:
    """Make the ladder with a file, as a person does."""
    line = ("ladder", "create", LADDER, "--game", GAME, "--seats", "2", "--option", f"cards={file}", "--json")
    return await asyncio.to_thread(agon, *line, "--data", server.data)


async def create(server: ServerProcess, file: Path) -> str:
    """Make the ladder; return the hash of its set."""
    ran = await create_by(server, file)
    assert ran.code == 0, ran
    value: str = json.loads(ran.out)["options"]["cards"]
    return value


async def more(server: ServerProcess, results: int) -> None:
    """Wait for so many more results."""
    wanted = await server.rated() + results

    async def enough() -> bool:
        return await server.rated() >= wanted

    await until(enough, what=f"{results} more results; the log:\n{server.log[-2_000:]}", every=CALL_SECONDS)


async def test_a_ladder_with_another_set_is_played_on_every_server_of_the_store_and_after_a_kill(site: Site) -> None:
    file = card_files.write(site.folder)
    bot = site.folder / "careful.py"
    bot.write_text(BOT)
    store = await OwnStore.started(site)
    one = await sharing(site, store, "one")
    value = await create(one, file)
    await one.close_ladders(LADDER)
    two = await sharing(site, store, "two")
    for name, home in (("ajax", one), ("briseis", one), ("calchas", two)):
        spec = "greedy" if name == "briseis" else str(bot)
        site.bot(spec, await one.register(name), *{home.address, one.address, two.address}, slots=3)

    async def both_have_played() -> bool:
        return {("one",), ("two",)} <= {record.servers for record in await two.records()}

    await until(both_have_played, what="each server has played a match", every=CALL_SECONDS)
    await until(lambda: runs_at(two, "one"), what="matches run at the first server", every=CALL_SECONDS)
    one.kill()
    one = await sharing(site, store, "one")
    await more(one, 2)

    async def it_was_taken() -> bool:
        return bool(with_other(await two.records()))

    await until(it_was_taken, what="the card that the house set does not have was taken", every=CALL_SECONDS)
    await one.close_ladders()
    await one.settled()
    records = await two.records()

    assert value == card_files.hash_of(card_files.other_text())
    assert {record.options["cards"] for record in records} == {value}
    assert {seat for record in records for seat in record.result.seats} == {Termination.SCORE}
    played = get_game(GAME).with_file("cards", file.read_text())
    for record in records:
        verify(record, played)
    assert any(record.epoch > 1 for record in records)
    assert not await one.findings()
    await asyncio.to_thread(replayed, two, with_other(records)[0].match, value, file, site.folder)


def replayed(server: ServerProcess, match: str, value: str, file: Path, folder: Path) -> None:
    """Replay a record as a person does, without the set and with it."""
    shown = agon("match", "show", match, "--data", server.data)
    assert f"options: cards={value}, families=random" in shown.out

    record = folder / "match.jsonl"
    record.write_text(agon("match", "record", match, "--data", server.data).out)
    without = agon("replay", "verify", record)
    without.assert_one_line(2)
    assert value in without.err
    assert "give it by --file FILE" in without.err

    printed = folder / "printed.json"
    printed.write_text(agon("ladder", "file", value, "--data", server.data).out)
    assert agon("replay", "verify", record, "--file", file).code == 0
    assert f"take {OTHER_ID}" in agon("replay", "show", record, "--file", printed).out


async def test_any_client_can_read_the_set_without_a_token_and_check_it(site: Site) -> None:
    """The public contract alone: a call by its name, and a hash that every language has."""
    server = await site.server()
    value = await create(server, card_files.write(site.folder))
    async with grpc.aio.insecure_channel(server.address) as channel:
        call: Any = channel.unary_unary("/agon.v1.LadderService/GetFile")
        answer = calls.GET_FILE.response.decode(await call(calls.GET_FILE.request.encode(calls.GetFileRequest(value))))
        with pytest.raises(grpc.aio.AioRpcError) as unknown:
            await call(calls.GET_FILE.request.encode(calls.GetFileRequest("0" * 32)))

    assert hashlib.blake2b(answer.text.encode(), digest_size=16).hexdigest() == value
    assert OTHER_ID in {card["id"] for card in json.loads(answer.text)["cards"]}
    assert unknown.value.code() is grpc.StatusCode.NOT_FOUND


async def test_a_ladder_is_not_made_with_a_broken_set(site: Site) -> None:
    server = await site.server()
    file = card_files.write(site.folder, card_files.broken_text())
    ran = await create_by(server, file)

    assert (ran.code, ran.out) == (2, "")
    assert [line.strip().partition(":")[0] for line in ran.err.splitlines()[1:]] == [
        OTHER_ID,
        "zeus-semele",
        "zeus-dodona",
    ]
    assert LADDER not in {table.ladder.name for table in await server.standings()}
