"""Following a tournament of a server: it is asked again while it does not answer, and not for ever."""

from __future__ import annotations

import io
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.support.shown import ladder_of

from agon.codec import tournament as calls
from agon.codec.calls import Method
from agon.codec.tournament_standings import TournamentStandings
from agon_server.cli.door import Door
from agon_server.cli.output import Output
from agon_server.cli.tournament import server
from agon_server.cli.tournament.where import Where
from agon_server.operations.errors import UnreachableError
from agon_server.tournaments.reading import read_tournament

CUP = calls.Tournament(
    ladder=replace(ladder_of(2), name="cup", format="swiss"),
    standings=TournamentStandings(
        format="swiss",
        planned=8,
        done=4,
        lost=0,
        round=2,
        rounds=2,
        round_name="round 2 of 2",
        over=False,
        given_up=(),
        rows=(),
        tie_breaks=(),
    ),
    definition="",
    absent=(),
    awaited=(),
)
OVER = replace(CUP, standings=replace(CUP.standings, done=8, over=True))


class Faltering:
    """A door that gives one answer after the other, or raises it; the last one for ever."""

    def __init__(self, *answers: calls.Tournament | Exception) -> None:
        self._answers = list(answers)

    async def call(self, _method: Method[Any, Any], _request: Any) -> Any:
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        if isinstance(answer, Exception):
            raise answer
        return calls.GetTournamentResponse(answer)

    async def watch(self, _method: Method[Any, Any], _request: Any) -> Any:
        yield None


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "POLL_SECONDS", 0.0)
    monkeypatch.setattr(server, "PACE", 0)


async def test_a_server_that_is_back_is_followed_to_the_end(capsys: pytest.CaptureFixture[str]) -> None:
    """Demand 5: a server that is killed and started again, or its store, ends nothing here; it is said once."""
    gone, out = UnreachableError("the server does not answer"), io.StringIO()

    await server.follow(Output(stream=out), Faltering(gone, gone, CUP, gone, OVER), CUP, lambda _: ())

    assert out.getvalue().startswith("rank\t")
    told = "agon: the server does not answer; it is asked again for 60 s"
    assert [told] * 2 == capsys.readouterr().err.splitlines()


async def test_a_server_that_stays_away_is_not_waited_for_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "AWAY_SECONDS", 0.0)
    gone = UnreachableError("the server does not answer")

    with pytest.raises(UnreachableError, match="does not answer"):
        await server.follow(Output(stream=io.StringIO()), Faltering(gone), CUP, lambda _: ())


async def test_a_server_that_goes_in_the_first_moment_of_resume_is_asked_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Looking and resuming may both be done twice."""
    file = tmp_path / "cup.toml"
    file.write_text(
        'name = "cup"\ngame = "ephyran"\nseats = 2\nseed = 7\nformat = { kind = "swiss", rounds = 2 }\n'
        'bots = [{ name = "a", connected = "a" }, { name = "b", connected = "b" }]'
    )
    definition = read_tournament(file)
    cup, over = (replace(each, definition=json.dumps(definition.to_json())) for each in (CUP, OVER))
    gone, out = UnreachableError("the server does not answer"), io.StringIO()

    @asynccontextmanager
    async def at(_where: Where) -> AsyncIterator[Door]:
        yield Faltering(gone, cup, gone, cup, cup, over)

    monkeypatch.setattr(server, "server_at", at)
    await server.play_there(Output(stream=out), definition, file, Where(), resumes=True)

    assert out.getvalue().startswith("rank\t")
    assert capsys.readouterr().err.splitlines() == ["agon: the server does not answer; it is asked again for 60 s"]
