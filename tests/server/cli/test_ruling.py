"""What is told of purges that are made and taken back."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.support.shown import FakeDoor, ladder_of, shown

from agon.codec import ladder as calls, ledger
from agon_server.cli.ladder import checks, ruling, standing
from agon_server.ladders.tables import RERATED

MADE = ledger.PurgeMatchesResponse("p-1", "7-0", repeated=False, matches=2)
UNDONE = ledger.UndoPurgeResponse("u-1", "8-0", repeated=False)
OLD = "the table is rated again; until that is done, `agon ladder show` says that it is old"


@pytest.mark.parametrize("repeated", [False, True])
def test_a_purge_says_what_it_did_that_the_table_is_old_and_how_it_is_taken_back(
    monkeypatch: pytest.MonkeyPatch, repeated: bool
) -> None:
    door = FakeDoor(replace(MADE, repeated=repeated))

    lines = shown(monkeypatch, lambda out: ruling.purge(out, door, "cup", bot="a", why="x"))

    assert lines[0] == "purge p-1 is made: 2 more rated matches do not count"
    assert ("it was there already, and is not done twice" in lines) == repeated
    assert lines[-2:] == [OLD, "`agon ladder purge cup --undo p-1 --why TEXT` takes the purge back"]


def test_an_undoing_says_that_the_table_is_old(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = shown(monkeypatch, lambda out: ruling.purge(out, FakeDoor(UNDONE), "cup", undo="p-1", why="y"))

    assert lines == ["purge p-1 is undone", OLD]


@pytest.mark.parametrize("repeated", [False, True])
def test_an_accepted_loss_says_what_is_gone_and_that_the_table_is_old(
    monkeypatch: pytest.MonkeyPatch, repeated: bool
) -> None:
    door = FakeDoor(ledger.AcceptLossResponse("l-1", "9-0", repeated, after="3-0", until="5-0", results=2))

    lines = shown(monkeypatch, lambda out: ruling.accept_loss(out, door, "cup", why="the disk is gone"))

    assert lines[:2] == [
        "ladder cup goes on without its results after 3-0 up to 5-0",
        "2 rated matches of them had counted, and do not any more",
    ]
    assert ("it was there already, and is not done twice" in lines) == repeated
    assert lines[-1] == OLD


def test_an_audit_tells_each_loss_that_was_accepted_and_finds_nothing_in_it(monkeypatch: pytest.MonkeyPatch) -> None:
    loss = ledger.Loss(id="l", made="", actor="ann", why="the disk is gone", after="3-0", until="5-0", results=2)
    door = FakeDoor(ledger.AuditLadderResponse((), 4, losses=(loss,)))

    lines = shown(monkeypatch, lambda out: checks.audit(out, door, "cup"))

    assert lines == [
        "cup: 4 rated matches, 0 of 0 records played again, 0 findings",
        "cup: 2 rated results after 3-0 up to 5-0 are gone, accepted by ann because the disk is gone",
    ]


def test_a_table_that_is_rated_again_is_shown_as_old(monkeypatch: pytest.MonkeyPatch) -> None:
    standings = calls.Standings(ladder=ladder_of(2), rows=(), results=0, position="1-0", failed=RERATED)
    answer = calls.GetStandingsResponse(standings)

    lines = shown(monkeypatch, lambda out: standing.show(out, FakeDoor(answer), "cup"))

    assert lines.count(f"this table is old: {RERATED}") == 1
