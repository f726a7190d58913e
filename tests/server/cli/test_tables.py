"""Tables on a terminal of any width: what can be copied is never broken, and every command's table fits 80 columns."""

from __future__ import annotations

import asyncio
import io
import re
from collections.abc import Callable, Coroutine
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, strategies as st
from rich.console import Console
from tests.server.cli.conftest import game
from tests.support.shown import MOMENT, NAMES, WIDTH, FakeDoor, ladder_of, shown

from agon.codec import admin, ladder as calls
from agon_engine.core.options import option_text
from agon_engine.core.policy import Termination
from agon_engine.registry import game_names, get_game
from agon_server.cli import bot, cards, games, match, queue, settings
from agon_server.cli.ladder import standing
from agon_server.cli.output import Output
from agon_server.cli.tables import fitted

ID = "01kb7n4qz9c3x8v2m5t6"
BLOCK = "01kb7n4r00aaaabbbbcc"


def drawn(columns: list[str], rows: list[list[str]], width: int, title: str = "") -> list[str]:
    stream = io.StringIO()
    Console(file=stream, width=width, force_terminal=True, color_system=None, highlight=False).print(
        fitted(columns, rows, title, width), soft_wrap=False, crop=False
    )
    return [line.rstrip() for line in stream.getvalue().splitlines()]


WORDS = st.lists(st.text("abcdefgh0123456789", min_size=1, max_size=24), max_size=4).map(" ".join)


@given(
    names=st.lists(st.sampled_from(["one", "two words", "three#", "four?", "five#?"]), min_size=1, max_size=8),
    width=st.integers(10, 200),
    data=st.data(),
)
def test_no_word_is_ever_broken_and_nothing_runs_over_but_a_word_of_its_own(
    names: list[str], width: int, data: st.DataObject
) -> None:
    rows = data.draw(st.lists(st.lists(WORDS, min_size=len(names), max_size=len(names)), max_size=4))

    needed = sum(
        max(len(word) for text in (name.rstrip("#?"), *(row[at] for row in rows)) for word in text.split() or [""])
        for at, name in enumerate(names)
        if "#" not in name
    )
    needed += sum(
        max(len(text) for text in (*name.rstrip("#?").split(), *(row[at] for row in rows)))
        for at, name in enumerate(names)
        if "#" in name
    )
    fits = needed + 2 * (len(names) - 1) <= width

    lines = drawn(names, rows, width)

    words = {word for line in lines for word in line.split()}
    assert {
        word for row in rows for at in range(len(names)) if fits or "?" not in names[at] for word in row[at].split()
    } <= words
    if fits:
        assert all(len(line) <= width for line in lines)
        assert not any("left out" in line for line in lines)


def test_texts_are_wrapped_before_columns_are_left_out_and_as_few_as_suffice() -> None:
    columns = ["match", "block?", "server?", "why"]
    rows = [[ID, BLOCK, "alpha", "three words here"]]

    wide, wrapped, narrow, narrower, listed = (drawn(columns, rows, width) for width in (100, 60, 50, 40, 22))

    assert wide == [f"match{17 * ' '}block{17 * ' '}server  why", f"{ID}  {BLOCK}  alpha   three words here"]
    assert [line.split() for line in wrapped][1:] == [[ID, BLOCK, "alpha", "three"], ["words"], ["here"]]
    assert narrow[1].split() == [ID, BLOCK, "three"]
    assert narrow[-2:] == ["left out, since the terminal is narrow: server;", "--json has all"]
    assert narrower[1].split() == [ID, "alpha", "three"]
    assert f"match  {ID}" in listed


def test_texts_that_are_whole_cost_other_columns_before_they_are_wrapped() -> None:
    columns = ["match", "block?", "why!"]
    rows = [[ID, BLOCK, "three words here"]]

    wide, narrow, narrower, listed = (drawn(columns, rows, width) for width in (60, 50, 30, 24))

    assert wide[1] == f"{ID}  {BLOCK}  three words here"
    assert narrow[1] == f"{ID}  three words here"
    assert [line.split() for line in narrower[1:4]] == [[ID, "three"], ["words"], ["here"]]
    assert f"match  {ID}" in listed


# -- what commands print -------------------------------------------------------------------------------------------


def standings(sigma: int | None = None, retired: str = "", resigned: int = 0) -> calls.GetStandingsResponse:
    rows = tuple(
        calls.Standing(
            rank=rank,
            bot=name,
            owner=name,
            rating=1_512_345,
            plus_minus=102_345,
            games=12_345,
            blocks=6_172,
            score=0.512,
            faults=0,
            provisional=False,
            sigma=sigma,
            retired=name == retired,
            resigned=resigned,
        )
        for rank, name in enumerate(NAMES, 1)
    )
    return calls.GetStandingsResponse(calls.Standings(ladder=ladder_of(4), rows=rows, results=12_345, position="1-0"))


def over(seats: int) -> calls.Match:
    return calls.Match(
        match=ID,
        phase=calls.MatchPhase.PLAYED,
        game=game(),
        version=1,
        ladder=f"{game()}-{seats}",
        block=BLOCK,
        seats=tuple(
            calls.MatchSeat(
                alias="amber",
                bot=name,
                owner=name,
                bot_version="1.0.3",
                placement=place,
                score=31,
                termination=Termination.DISCONNECT,
            )
            for place, name in enumerate(NAMES[:seats], 1)
        ),
        termination=Termination.DISCONNECT,
        started=MOMENT,
        ended=MOMENT,
        moves=123,
        record_hash="ab" * 32,
    )


def answers() -> tuple[calls.Answer, ...]:
    facts: dict[str, Any] = {"charge_us": 30_123_456, "elapsed_us": 30_123_456, "host_us": 1_234, "bank_us": 30_000_000}
    return tuple(
        calls.Answer(number=100 + number, seat=number, kind=kind, action="build TS05 a", attempts=2, late=True, **facts)
        for number, kind in enumerate((calls.AnswerKind.SEAT, calls.AnswerKind.SUBSTITUTE))
    )


QUEUE = admin.InspectQueueResponse(
    items=(
        admin.QueueItem(
            match=ID,
            phase=calls.MatchPhase.RUNNING,
            game=game(),
            version=1,
            ladder=f"{game()}-4",
            block=BLOCK,
            index=3,
            attempt=0,
            bots=NAMES,
            age_ms=123_456,
            owner="my-server-a1b2c3",
            epoch=2,
            deliveries=2,
            progress=88,
            idle_ms=3,
        ),
    ),
    waiting=1,
    running=2,
    dead=3,
    oldest_ms=4_000,
)
DEAD = admin.ListDeadLettersResponse(
    (
        admin.DeadLetter(
            match=ID,
            reason="tried 5 times without a decision",
            when=MOMENT,
            epoch=5,
            game=game(),
            ladder=f"{game()}-4",
            bots=NAMES,
        ),
    ),
    (admin.SetAside("1893456000000-12", ID, f"{game()}-4", "the record cannot be read"),),
    0,
    0,
)
BOTS = calls.ListBotsResponse(
    tuple(
        calls.Bot(
            name=name,
            owner=f"owner-of-{name}",
            created=MOMENT,
            house=False,
            trusted=True,
            suspended=False,
            processes=1,
            slots=8,
            bot_version="1.0.3",
            games=("ephyran", "elysium", "cyclades"),
        )
        for name in NAMES
    )
)
RESTING = calls.ListBotsResponse((replace(BOTS.bots[0], rests_until="2030-03-17T17:46:40.123Z"), *BOTS.bots[1:]))
RETIRED = calls.ListBotsResponse(
    (replace(BOTS.bots[0], retired=True), replace(BOTS.bots[1], retired_versions=("", "1.0.2")), *BOTS.bots[2:])
)
LADDERS = {
    calls.LIST_LADDERS.path: calls.ListLaddersResponse(
        (ladder_of(2), ladder_of(4), replace(ladder_of(4), open=False), replace(ladder_of(4), format="swiss"))
    ),
    calls.LIST_BOTS.path: calls.ListBotsResponse(
        (replace(BOTS.bots[0], suspended=True), *(replace(bot, suspended=False) for bot in BOTS.bots[1:4]))
    ),
}
Show = Callable[[Output, Any], Coroutine[Any, Any, None]]
COMMANDS: dict[str, tuple[Show, Any, tuple[str, ...]]] = {
    "queue ls": (queue.ls, QUEUE, (ID, *NAMES)),
    "queue dead": (queue.dead, DEAD, (ID, "1893456000000-12", *NAMES)),
    "match ls": (match.ls, calls.ListMatchesResponse((over(4),), ""), (ID, *NAMES)),
    "match show": (
        lambda out, door: match.show(out, door, ID),
        calls.GetMatchResponse(over(4), answers=answers()),
        (ID, *NAMES, "30.123", "substitute"),
    ),
    "ladder ls": (standing.ls, LADDERS, (f"{game()}-2",)),
    "ladder show": (lambda out, door: standing.show(out, door, "x"), standings(), (*NAMES, "1512.3", "12345")),
    "ladder show, by mu and sigma": (
        lambda out, door: standing.show(out, door, "x"),
        standings(sigma=98_765),
        (*NAMES, "mu", "sigma", "1512.3", "98.8", "102.3", "12345"),
    ),
    "ladder show, with retired bots": (
        lambda out, door: standing.show(out, door, "x"),
        standings(retired=NAMES[0]),
        (*NAMES, "1512.3", "12345"),
    ),
    "ladder show, with bots that resigned": (
        lambda out, door: standing.show(out, door, "x"),
        standings(resigned=4_321),
        (*NAMES, "1512.3", "12345", "resigned", "4321"),
    ),
    "bot ls": (bot.ls, BOTS, NAMES),
    "bot ls, with a bot that rests": (bot.ls, RESTING, (*NAMES, "2030-03-17T17:46:40Z")),
    "bot ls, with retired bots": (bot.ls, RETIRED, NAMES),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_commands_table_fits_80_columns_and_can_be_copied_from(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    show, answer, words = COMMANDS[name]

    lines = shown(monkeypatch, lambda out: show(out, FakeDoor(answer)))

    assert [line for line in lines if len(line) > WIDTH] == []
    assert set(words) <= {word.rstrip(",:") for line in lines for word in line.split()}


def test_ladders_that_have_too_few_bots_for_a_match_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """As something to know, not as an error: open and endless ones, with the connected bots that get matches."""
    lines = shown(monkeypatch, lambda out: standing.ls(out, FakeDoor(LADDERS)))

    at = lines.index("no match for now, as too few bots are connected:")
    assert [f"  {game()}-4 (3 of 4)"] == lines[at + 1 :]


@pytest.mark.parametrize("name", ["ladder show, with retired bots", "bot ls, with retired bots"])
def test_retired_bots_are_marked_in_tables_for_people_and_for_programs(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    show, answer, _ = COMMANDS[name]
    expected = ["yes", *["no"] * (len(NAMES) - 1)] if name.startswith("ladder") else ["all", "'', 1.0.2", *[""] * 8]

    lines = shown(monkeypatch, lambda out: show(out, FakeDoor(answer)))
    piped = io.StringIO()
    asyncio.run(show(Output(stream=piped), FakeDoor(answer)))
    header, *rows = [line.split("\t") for line in piped.getvalue().splitlines()]

    assert header[-1] == "retired"
    assert [row[-1] for row in rows] == expected[: len(NAMES)]
    assert any(line.endswith(" retired") for line in lines), lines


@pytest.mark.parametrize("game", game_names())
def test_a_match_is_a_table_at_80_columns_whatever_its_codes_a_line_or_two_a_move(
    monkeypatch: pytest.MonkeyPatch, game: str
) -> None:
    codes = sorted(get_game(game).notation.codes, key=lambda code: (-max(map(len, code.split())), -len(code)))[:50]
    facts = replace(answers()[0], attempts=1)
    rows = [
        *(replace(facts, number=number, action=code, charge_us=1_234_567) for number, code in enumerate(codes)),
        replace(facts, number=50, kind=calls.AnswerKind.STRIKE, action="", termination=Termination.TIMEOUT),
        replace(facts, number=50, kind=calls.AnswerKind.FALL, action="", termination=Termination.TIMEOUT),
    ]
    answer = calls.GetMatchResponse(over(4), answers=tuple(rows))

    lines = shown(monkeypatch, lambda out: match.show(out, FakeDoor(answer), ID))

    table = lines[lines.index("time account") + 1 : lines.index(match.LEGEND.splitlines()[1])]
    assert max(map(len, table)) <= WIDTH
    assert [str(number) for number in range(1, 51)] == [
        line.split()[0] for line in table if re.match(r" *[0-9]+ +[0-9] ", line) and "1.235" in line
    ]
    assert {word for code in codes for word in code.split()} <= {word for line in table for word in line.split()}
    assert len(table) < 2.5 * len(rows)
    for what in ("strike: timeout", "out: timeout"):
        assert any(line.lstrip().startswith(f"0  {what}") for line in table)
    said = " ".join(table).partition("left out, since the terminal is narrow: ")[2]
    assert "thought s" in said
    assert said.strip().endswith("; --json has all")


def test_the_games_fit_80_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = shown(monkeypatch, games.games)

    assert lines[0].split()[:3] == ["game", "rules", "seats"]
    assert [line for line in lines if len(line) > WIDTH] == []


def test_the_settings_fit_80_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = shown(monkeypatch, settings.settings)

    assert [line for line in lines if len(line) > WIDTH] == []
    assert any(line.startswith("limits.rejected_per_minute  100 ") for line in lines)


def test_a_ladder_is_shown_with_the_options_that_are_not_the_defaults(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = standings()
    spec = get_game(game()).spec
    option = next(option for option in spec.options if len(option.allowed) > 1)
    other = option_text(next(value for value in option.allowed if value != option.default))
    told = replace(plain.standings.ladder, options={**plain.standings.ladder.options, option.name: other})
    changed = replace(plain, standings=replace(plain.standings, ladder=told))
    foreign = replace(plain.standings, ladder=replace(told, game="unknown", options={"one": "1", "two": "2"}))

    def lines(answer: calls.GetStandingsResponse) -> list[str]:
        found = shown(monkeypatch, lambda out: standing.show(out, FakeDoor(answer), "x"))
        return [line for line in found if line.startswith("options ")]

    assert lines(plain) == []
    assert lines(changed) == [f"options that are not the defaults: {option.name}={other}"]
    assert lines(replace(plain, standings=foreign)) == ["options that are not the defaults: one=1, two=2"]


def test_a_tournaments_ladder_says_where_its_own_ranking_is(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = standings()
    told = replace(plain, standings=replace(plain.standings, ladder=replace(ladder_of(4), name="cup", format="swiss")))

    lines = shown(monkeypatch, lambda out: standing.show(out, FakeDoor(told), "cup"))

    assert "a tournament; its format, swiss, ranks it in `agon tournament show cup`" in lines
    assert not any(line.startswith("house bots") for line in lines)


@pytest.mark.parametrize("name", game_names())
def test_cards_are_a_table_that_uses_the_width(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    ids = list(get_game(name).reference())

    lines = shown(monkeypatch, lambda out: cards.cards(out, name))

    assert max(map(len, lines)) <= WIDTH
    assert max(map(len, lines)) > 0.9 * WIDTH
    assert lines[0].split() == ["id", "what", "it", "is", "text"]
    assert ids == [line.split()[0] for line in lines[1:] if line.partition(" ")[0] in ids]


@pytest.mark.parametrize(
    "name", [name for name in COMMANDS if not name.startswith(("bot ls", "queue dead", "match ls"))]
)
def test_columns_that_do_not_explain_themselves_have_a_legend(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    show, answer, _ = COMMANDS[name]
    meant = {
        "queue ls": ("age", "delivery", "block"),
        "match show": ("move", "charged", "elapsed", "latency", "bank"),
        "ladder ls": ("move, bank", "on fault", "deals"),
        "ladder show": ("Elo", "±", "blocks", "score", "faults"),
        "ladder show, with retired bots": ("Elo", "±", "blocks", "score", "faults"),
        "ladder show, with bots that resigned": ("Elo", "±", "blocks", "score", "faults", "resigned"),
        "ladder show, by mu and sigma": ("mu", "sigma", "±", "blocks", "score", "faults"),
    }[name]

    lines = shown(monkeypatch, lambda out: show(out, FakeDoor(answer)))

    if name == "ladder show":
        assert "house bots play each other until each has 200 rated games, then only remote bots" in lines
    for word in meant:
        assert any(line.startswith(f"{word} ") for line in lines), word


@pytest.mark.parametrize("game", game_names())
def test_the_options_of_a_game_fit_80_columns_with_every_value_whole(
    monkeypatch: pytest.MonkeyPatch, game: str
) -> None:
    lines = shown(monkeypatch, lambda out: games.games(out, game))

    words = {word.rstrip(",") for line in lines for word in line.split()}
    assert max(map(len, lines)) <= WIDTH
    for option in get_game(game).spec.options:
        assert {option.name, *map(option_text, option.allowed)} <= words


@pytest.mark.parametrize(("results", "told"), [(0, True), (1, False)])
def test_a_ladder_without_results_says_what_a_match_needs(
    monkeypatch: pytest.MonkeyPatch, results: int, told: bool
) -> None:
    answer = standings()
    answer = replace(answer, standings=replace(answer.standings, results=results))

    lines = shown(monkeypatch, lambda out: standing.show(out, FakeDoor(answer), "x"))

    assert any(line.startswith("no match is rated yet; each needs 4 different bots") for line in lines) is told
