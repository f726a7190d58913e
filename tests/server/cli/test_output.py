"""What commands print: a table for people, tab-separated lines for pipes, JSON for machines; nothing that a bot wrote
can move the cursor of whoever reads it."""

from __future__ import annotations

import io
import json
from dataclasses import dataclass
from enum import IntEnum, StrEnum

import pytest

from agon_server.cli.output import Output, printable, to_json


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Colour(StrEnum):
    RED = "red"


class Number(IntEnum):
    ONE = 1


@dataclass
class Thing:
    colour: Colour
    items: tuple[int, ...]


def printed(*, as_json: bool = False, terminal: bool = False) -> tuple[Output, io.StringIO]:
    stream = Terminal() if terminal else io.StringIO()
    return Output(as_json=as_json, stream=stream), stream


ROWS = [("hector", 3, True), ("paris\x1b[2J\n", None, False)]


def test_a_pipe_gets_tab_separated_lines() -> None:
    out, stream = printed()

    out.table(("bot", "games#", "house"), ROWS, title="not for pipes")

    assert stream.getvalue() == "bot\tgames\thouse\nhector\t3\tyes\nparis\\x1b[2J\\n\t\tno\n"


def test_a_terminal_gets_a_table_with_a_title(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")
    out, stream = printed(terminal=True)

    out.table(("bot", "games#"), [("hector", 3)], title="ladder")

    assert [line.rstrip() for line in stream.getvalue().splitlines()] == ["ladder", "bot     games", "hector      3"]


def test_in_a_narrow_terminal_text_gives_way_before_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")
    out, stream = printed(terminal=True)

    out.table(("bot", "95 %#", "why"), [("a-name-of-a-bot" * 4, "-1072 to +1072", "three words here " * 4)])

    lines = stream.getvalue().splitlines()
    assert all(len(line.rstrip()) <= 80 for line in lines)
    assert any("-1072 to +1072" in line for line in lines)


def test_control_characters_are_shown_and_not_sent() -> None:
    """A bot's note or version can hold anything that is text."""
    for terminal in (False, True):
        out, stream = printed(terminal=terminal)
        out.table(("bot",), [("\x1b]0;pwned\x07\u202e",)])
        out.text("a\x1b[1mb\r\nc")

        assert "\x1b]0" not in stream.getvalue()
        assert "\x07" not in stream.getvalue()
        assert "\u202e" not in stream.getvalue()
        assert "a\\x1b[1mb\\r\nc\n" in stream.getvalue()


def test_rich_markup_and_emoji_codes_stay_as_they_are() -> None:
    out, stream = printed(terminal=True)

    out.table(("bot",), [("[red]x[/red] :smile:",)])
    out.line("[bold]y[/bold]")

    assert "[red]x[/red] :smile:" in stream.getvalue()
    assert "[bold]y[/bold]" in stream.getvalue()


def test_json_is_one_line_and_nothing_else() -> None:
    out, stream = printed(as_json=True, terminal=True)

    out.line("for people")
    out.table(("bot",), ROWS)
    with out.live() as progress:
        progress.show("for people")
    out.json({"thing": Thing(Colour.RED, (1, 2)), "number": Number.ONE, "none": None})

    assert stream.getvalue().count("\n") == 1
    assert json.loads(stream.getvalue()) == {
        "thing": {"colour": "red", "items": [1, 2]},
        "number": "one",
        "none": None,
    }


def test_without_json_no_json_is_printed() -> None:
    out, stream = printed()

    out.json({"a": 1})

    assert stream.getvalue() == ""


def test_what_has_no_json_is_refused() -> None:
    with pytest.raises(TypeError, match="no JSON for b'bytes'"):
        to_json(b"bytes")


def test_progress_leaves_nothing_behind_in_a_pipe() -> None:
    out, stream = printed()

    with out.live() as progress:
        progress.show("1 of 2")

    assert stream.getvalue() == ""


def test_printable_keeps_letters_of_all_languages() -> None:
    assert printable("Ἕκτωρ – 3 €") == "Ἕκτωρ – 3 €"


def test_json_is_json_in_every_encoding() -> None:
    for encoding in ("utf-8", "ascii", "latin-1"):
        raw = io.BytesIO()
        stream = io.TextIOWrapper(raw, encoding=encoding, errors="backslashreplace")
        Output(as_json=True, stream=stream).json({"name": "\xe9 \u2603 \udcff"})

        assert json.loads(raw.getvalue()) == {"name": "\xe9 \u2603 \udcff"}
