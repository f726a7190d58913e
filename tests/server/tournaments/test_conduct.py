"""How bots behaved: what is counted and what is kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from agon_engine.core.policy import Termination
from agon_server.tournaments.conduct import MAX_BYTES, MAX_ERRORS, MAX_KINDS, MAX_TEXT, Conduct, ErrorBook, KeptError
from agon_server.tournaments.errors import TournamentError

ERROR = KeptError("a", "cup-1.1.1", "ValueError (a.py, line 3)", "choose raised ValueError", "Traceback")


def test_seats_that_were_not_played_to_the_end_are_counted_by_reason() -> None:
    conduct = Conduct()
    conduct.add(("a", "b"), (Termination.SCORE, Termination.RESIGNED))
    conduct.add(("b", "a"), (Termination.TIMEOUT, Termination.SCORE))
    conduct.add(("a", "b"), (Termination.SCORE, Termination.SCORE))

    assert conduct.told() == ["b: 2 of its 3 matches ended otherwise: resigned 1, timeout 1"]


def test_each_kind_of_error_is_kept_once_also_over_a_restart(tmp_path: Path) -> None:
    book = ErrorBook(tmp_path)

    assert [book.add(ERROR), book.add(ERROR._replace(match="cup-1.2.1")), book.add(ERROR._replace(bot="b"))] == [
        True,
        False,
        True,
    ]
    again = ErrorBook(tmp_path)
    assert again.errors == [ERROR, ERROR._replace(bot="b")]
    assert not again.add(ERROR)


def test_what_a_bot_raises_takes_little_room(tmp_path: Path) -> None:
    book = ErrorBook(tmp_path)
    added = [book.add(ERROR._replace(kind=str(kind), traceback="x" * 10_000)) for kind in range(MAX_KINDS + 5)]

    assert added == [True] * MAX_KINDS + [False] * 5
    assert {len(error.traceback) for error in ErrorBook(tmp_path).errors} == {MAX_TEXT}


def test_however_many_bots_raise_whatever_the_file_can_be_read_again(tmp_path: Path) -> None:
    """One that had outgrown what is read was taken for damaged, and its tournament was not resumed."""
    worst = "\U0001f3db"  # the most bytes that a character takes in JSON
    book = ErrorBook(tmp_path)
    raised = KeptError("b" * 40, "m" * 200, worst * 99_999, worst * 99_999, worst * 99_999)
    assert book.add(raised)
    of_one = book.path.stat().st_size
    book.errors *= MAX_ERRORS - 1

    assert of_one * MAX_ERRORS <= MAX_BYTES
    assert [book.add(raised._replace(bot=bot)) for bot in "abc"] == [True, False, False]
    assert len(ErrorBook(tmp_path).errors) == MAX_ERRORS


@pytest.mark.parametrize("text", ["", "[]", '{"format": 2}', '{"format": 1, "errors": [{"bot": "a"}]}'])
def test_a_file_that_is_damaged_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "errors.json").write_text(text)

    with pytest.raises(TournamentError, match="is damaged"):
        ErrorBook(tmp_path)
