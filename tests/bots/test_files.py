"""Matches with a file that the bot does not have: the SDK asks for it before the first view, come what may."""

from __future__ import annotations

import grpc
import pytest
from tests.support import card_files
from tests.support.bots import Recorder, running
from tests.support.card_files import GAME, OPTION, OTHER_ID
from tests.support.fake_server import FakeMatch, FakeServer, Stream, play_out

from agon.codec.frames import Choose, Join, Ready, Resign
from agon_bots.sdk import files
from agon_engine.core import GameFile, Notation
from agon_engine.registry import get_game

OTHER = get_game(GAME).with_file(OPTION, card_files.other_text())
FILE = OTHER.files[OPTION]
NUMBER = 4
"""A match in which this seat may take the card that the house set does not have."""


@pytest.fixture(autouse=True)
def hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "PAUSE_SECONDS", 0.01)


def bot(**facts: object) -> type[Recorder]:
    return Recorder.fresh(games=(GAME,), **facts)


async def joined(server: FakeServer, *matches: FakeMatch) -> Stream:
    """Bring the next stream to where it has joined the matches."""
    stream = await server.stream()
    stream.send(server.welcome(), *(match.offer() for match in matches))
    for _ in matches:
        await stream.next(Join)
    return stream


async def test_a_match_is_played_with_the_file_of_its_options(server: FakeServer) -> None:
    server.files[FILE.hash] = FILE.text
    match = FakeMatch(game=OTHER, number=NUMBER)
    recorder = bot()
    async with running(recorder, server.address):
        stream = await joined(server, match)
        stream.send(match.start())
        await stream.next(Ready)
        await play_out(stream, match)
        await stream.settle()

    started = recorder.started[0]
    assert server.asked == [FILE.hash]
    assert started.options[OPTION] == FILE.hash
    assert started.engine.files == OTHER.files
    assert OTHER_ID in started.engine.reference()
    codes = {code for turn in recorder.turns for code in turn.actions}
    assert any(OTHER_ID in code for code in codes)
    assert all(started.engine.notation.parse(code) >= 0 for code in codes)
    assert notation_of(recorder) is started.engine.notation
    assert recorder.results[0].placements


def notation_of(recorder: type[Recorder]) -> Notation:
    """Return what a drawn state calls its actions by."""
    return recorder.turns[-1].sample().notation


async def test_a_file_is_asked_for_once_however_many_matches_start_with_it(server: FakeServer) -> None:
    server.files[FILE.hash] = FILE.text
    matches = [FakeMatch(f"m-{number}", number=number, game=OTHER) for number in range(1, 5)]
    recorder = bot(slots=4)
    async with running(recorder, server.address):
        stream = await joined(server, *matches)
        stream.send(*(match.start() for match in matches))
        for _ in matches:
            await stream.next(Ready)

    assert server.asked == [FILE.hash]
    assert len(recorder.started) == 4


async def test_what_is_asked_before_the_file_is_here_is_answered_after_it(server: FakeServer) -> None:
    """A running match: a bot that comes back is told its start and the open decision at once."""
    server.files[FILE.hash] = FILE.text
    server.may_send.clear()
    match = FakeMatch(game=OTHER)
    async with running(bot(), server.address):
        stream = await joined(server, match)
        stream.send(match.start(), match.decide(full=True))
        await server.file_asked()
        await stream.settle()
        waiting = list(stream.waiting)
        server.may_send.set()
        await stream.next(Ready)
        choose = (await stream.next(Choose))[1]

    assert waiting == []
    assert choose.decision == 1


async def test_a_line_that_is_cut_meanwhile_begins_it_anew(server: FakeServer) -> None:
    server.files[FILE.hash] = FILE.text
    server.may_send.clear()
    match = FakeMatch(game=OTHER)
    async with running(bot(), server.address):
        stream = await joined(server, match)
        stream.send(match.start())
        await server.file_asked()
        stream.cut()
        back = await server.stream()
        back.send(server.welcome())
        await back.next(Join)
        server.may_send.set()
        back.send(match.start())
        await back.next(Ready)
        await play_out(back, match)

    assert match.is_over


@pytest.mark.parametrize(
    "code",
    [grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.RESOURCE_EXHAUSTED, grpc.StatusCode.DEADLINE_EXCEEDED],
)
async def test_a_server_that_cannot_answer_now_is_asked_again(server: FakeServer, code: grpc.StatusCode) -> None:
    server.files[FILE.hash] = FILE.text
    server.refusals += [code, code]
    match = FakeMatch(game=OTHER)
    async with running(bot(), server.address):
        stream = await joined(server, match)
        stream.send(match.start())
        await stream.next(Ready)

    assert server.asked == [FILE.hash] * 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, f"the server does not send the file {FILE.hash}: no such file"),
        (card_files.other_text(8), f"the server sends another file than {FILE.hash}"),
        (FILE.text + " ", f"the server sends another file than {FILE.hash}"),
        ("x" * 200_000, f"the server sends another file than {FILE.hash}"),
    ],
)
async def test_a_match_whose_file_cannot_be_had_is_given_up_and_the_others_go_on(
    server: FakeServer, caplog: pytest.LogCaptureFixture, text: str | None, message: str
) -> None:
    if text is not None:
        server.files[FILE.hash] = text
    match, fine = FakeMatch(game=OTHER), FakeMatch("m-2", game=get_game(GAME))
    async with running(bot(), server.address):
        stream = await joined(server, match, fine)
        stream.send(match.start())
        frame, _ = await stream.next(Resign)
        stream.send(fine.start())
        await stream.next(Ready)
        await play_out(stream, fine)

    assert frame.match == match.id
    assert f"it cannot be played here and is given up: {message}" in caplog.text


async def test_a_file_that_this_version_cannot_play_with_is_said_so(
    server: FakeServer, caplog: pytest.LogCaptureFixture
) -> None:
    """Its hash fits, and it is no set: what another version of the game might have."""
    file = GameFile.of("nonsense")
    server.files[file.hash] = file.text
    match = FakeMatch(game=OTHER)
    options = dict(match.table.deal.options)
    options[OPTION] = file.hash
    object.__setattr__(match.table.deal, "options", options)
    async with running(bot(), server.address):
        stream = await joined(server, match)
        stream.send(match.start())
        await stream.next(Resign)

    assert "given up: the file for option cards has a mistake" in caplog.text


async def test_only_so_many_files_are_kept(server: FakeServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "KEPT", 1)
    games = [get_game(GAME).with_file(OPTION, card_files.other_text(vp)) for vp in (3, 4, 3)]
    matches = [FakeMatch(f"m-{number}", number=number, game=game) for number, game in enumerate(games, 1)]
    for game in games:
        server.files[game.files[OPTION].hash] = game.files[OPTION].text
    async with running(bot(), server.address):
        stream = await joined(server, *matches)
        for match in matches:
            stream.send(match.start())
            await stream.next(Ready)

    assert server.asked == [game.files[OPTION].hash for game in games]
