"""`agon tournament show` on a terminal: the table of the format, in 80 columns and explained."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.support.shown import NAMES, WIDTH, FakeDoor, ladder_of, shown

from agon.codec import ladder as calls
from agon.codec.tournament_standings import TournamentRow, TournamentStandings
from agon_server.cli.tournament import commands


def cup() -> calls.GetTournamentStandingsResponse:
    rows = tuple(
        TournamentRow(
            rank=rank,
            bot=name,
            half_points=21,
            matches=12_340,
            blocks=6_170,
            byes=1,
            tie_breaks=(88.5, 1234.5),
            score=0.512,
            elo=8_345,
            elo_low=-1_000,
            elo_high=17_000,
        )
        for rank, name in enumerate(NAMES, 1)
    )
    ladder = replace(ladder_of(2), name="cup", format="swiss", open=False)
    return calls.GetTournamentStandingsResponse(
        ladder,
        TournamentStandings(
            format="swiss",
            planned=20,
            done=10,
            lost=2,
            round=2,
            rounds=5,
            round_name="round 2 of 5",
            over=False,
            given_up=("1.3",),
            rows=rows,
            tie_breaks=("Buchholz", "Sonneborn–Berger"),
        ),
    )


def test_a_tournament_is_shown_with_its_round_and_why_it_does_not_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = shown(monkeypatch, lambda out: commands.show(out, FakeDoor(cup()), "cup"))

    words = {word for line in lines for word in line.split()}
    assert [line for line in lines if len(line) > WIDTH] == []
    assert {*NAMES, "Sonneborn–Berger", "10.5", "0.512"} <= words
    for meant in ("points", "score", "Elo", "blocks"):
        assert any(line.startswith(f"{meant} ") for line in lines), meant
    assert lines[0] == f"cup: swiss, {ladder_of(2).game}, 2 seats, 10 matches, 8 left to play"
    assert [line for line in lines if line.startswith(("blocks that", "round", "it waits"))] == [
        "blocks that could not be played to their end: 1.3",
        "round 2 of 5",
        "it waits until its organiser lets it go on",
    ]
