"""A match of every game the whole way: bots of every kind as processes of their own on a real server, records that
prove true and read well; and nothing of a match is told while it runs but that it does."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from tests.support.cli import Ran, run_process
from tests.support.e2e import CALL_SECONDS, ServerProcess, Site, until
from tests.support.players import BY_THE_RULES, ended_well, held, playing

from agon.codec import admin, ladder as calls
from agon_engine.core.record_file import write_records
from agon_engine.registry import game_names, get_game
from agon_server.operations.errors import PreconditionError

RAW = Path(__file__).resolve().parents[2] / "bots" / "starters" / "raw" / "bot.py"
KINDS = ("greedy", "random", "raw", "greedy", "random")
PATIENT = ("--set", "time.connect=120", "--set", "time.ready=60", "--set", "time.move=60", "--set", "ping=60")
WIDTH = 80


async def told(*arguments: str) -> Ran:
    """Run a command as a process, beside the loop."""
    return await asyncio.to_thread(run_process, *arguments)


async def start_bots(site: Site, server: ServerProcess, game: str, count: int) -> list[str]:
    """Start bots of several kinds; return their names."""
    names = []
    for number, kind in enumerate(KINDS[:count]):
        names.append(f"{kind}-{number}")
        token = await server.register(names[-1])
        if kind == "raw":
            site.python("raw", [str(RAW)], AGON_SERVER=server.address, AGON_TOKEN=token, AGON_GAME=game)
        else:
            site.bot(kind, token, server.address)
    return names


@pytest.mark.parametrize("game", game_names())
async def test_bots_of_every_kind_play_a_block_with_most_seats(site: Site, game: str) -> None:
    """H8: what is recorded is proved true by the command, can be read, and is counted under the game's name."""
    seats = get_game(game).spec.max_seats
    server = await site.server(*PATIENT)
    await server.close_ladders(f"{game}-{seats}")
    names = await start_bots(site, server, game, seats)

    async def block_is_over() -> bool:
        return await server.rated() >= seats

    await until(block_is_over, what="a block is played", every=CALL_SECONDS)
    await server.close_ladders()
    await server.settled()
    records = await server.records()
    file = site.folder / "records.jsonl.gz"
    file.write_bytes(write_records(records))
    verified = await told("replay", "verify", str(file))
    shown = await told("replay", "show", str(file), "--match", records[0].match)
    account = await told("match", "show", records[0].match, "--data", str(server.data))
    finished = (await server.samples()).by("agon_matches_finished_total", "game")

    assert len(records) >= seats
    assert {row.bot for record in records for row in record.seats} == set(names)
    assert {why for record in records for why in record.result.seats} <= BY_THE_RULES
    assert (verified.code, verified.err) == (0, ""), verified
    assert verified.out.startswith(f"{len(records)} records are true")
    assert (shown.code, shown.err) == (0, ""), shown
    assert [line for line in shown.out.splitlines() if len(line) > WIDTH] == []
    assert f"{game}, rules version" in account.out
    assert account.out.count("\n") > len(records[0].moves)
    assert finished == {game: len(records)}
    assert await server.findings() == []


@pytest.mark.parametrize("game", game_names())
async def test_while_a_match_runs_nobody_is_told_anything_of_its_deal(site: Site, game: str) -> None:
    """H1, M9: not by public calls, nor by what operators see, nor by metrics and logs."""
    server = await site.server(*PATIENT, "--log", "debug")
    await server.close_ladders(f"{game}-2")
    async with playing(server, "ajax", "briseis", game=game) as company:
        owned = await held(server, company)
        shown = [await server.call(calls.GET_MATCH, calls.GetMatchRequest(match)) for match in owned]
        listed = await server.call(calls.LIST_MATCHES, calls.ListMatchesRequest())
        running = await server.call(calls.LIST_QUEUE, calls.ListQueueRequest())
        queue = await server.call(admin.INSPECT_QUEUE, admin.InspectQueueRequest())
        texts = [
            *map(repr, (shown, listed, running, queue)),
            (await told("match", "show", next(iter(owned)), "--data", str(server.data))).out,
            (await told("doctor", "--data", str(server.data))).out,
            await server.scraped(),
            server.log,
        ]
        for match in owned:
            with pytest.raises(PreconditionError, match="the match is not over"):
                await server.call(calls.GET_RECORD, calls.GetRecordRequest(match))
        records = await ended_well(server, company)

    secrets = {record.seed for match, record in records.items() if match in owned}
    actions = {move.action for match in owned for move in records[match].moves if len(move.action) > 10}

    assert [(answer.options, answer.answers, answer.match.seats[0].bot) for answer in shown] == [({}, (), "")] * len(
        shown
    )
    assert len(secrets) == len(owned)
    assert not [word for text in texts for word in (*secrets, *actions) if word in text]
