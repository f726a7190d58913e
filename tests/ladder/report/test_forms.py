"""A report as text, JSON, CSV and one HTML page: whole, for other programs too, and safe whatever bots are called."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise

import pytest
from tests.support.report_facts import match, seat, tournament

from agon_engine.core.policy import Termination
from agon_ladder.report import charts, wording
from agon_ladder.report.crosstable import LARGEST
from agon_ladder.report.forms import Form, rendered
from agon_ladder.report.gathering import Gathering
from agon_ladder.report.page import to_html
from agon_ladder.report.tables import tables, to_csv, to_json
from agon_ladder.report.text import to_text
from agon_ladder.report.values import Report

HOSTILE = (
    "<script>alert(1)</script>",
    "\"><img src=x onerror='alert(2)'>",
    "</style></title><b>",
    "&lt;&amp;",
    "=1+cmd()",
    "a\x1b[31m\x00\nb\r\tc",
    "\u202egnp.exe",
    "javascript:alert(3)",
    "x" * 300,
)
VOID = {"meta", "br", "img", "link", "input", "hr"}
DRAWN = {"svg", "line", "circle", "polyline", "text"}


def report_of(bots: tuple[str, ...], rounds: int = 2, title: str = "toy, 2 seats") -> Report:
    gathering = Gathering()
    for facts in tournament(bots, 2, rounds):
        gathering.add(facts)
    gathering.add(
        match(
            seat(bots[0], 1, termination=Termination.TIMEOUT, strikes=(Termination.TIMEOUT,), late=1, substitutes=3),
            seat(bots[1], 1, version=bots[-1], errors=2),
            counts=False,
        )
    )
    return gathering.report(
        title, [("game", "toy"), (bots[0], bots[1])], notes=[bots[0]], comparison=[f"Results of {bots[0]}"]
    )


@pytest.fixture(scope="module")
def plain() -> Report:
    return report_of(("hector", "paris", "ajax"))


@pytest.fixture(scope="module")
def with_retired() -> Report:
    """As `plain`, but paris is retired."""
    gathering = Gathering()
    for facts in tournament(("hector", "paris", "ajax"), 2, 2):
        gathering.add(facts)
    return gathering.report("toy", [], retired={"paris", "nobody"})


@pytest.fixture(scope="module")
def by_mu() -> Report:
    """Of a ladder whose rating system has a sigma."""
    gathering = Gathering()
    bots = ("hector", "paris", "ajax")
    for facts in tournament(bots, 2, 2):
        gathering.add(facts)
    return gathering.report("toy", [], live=dict.fromkeys(bots, 1_512_000), sigmas=dict.fromkeys(bots, 98_765))


@pytest.fixture(scope="module")
def hostile() -> Report:
    return report_of(HOSTILE, title=HOSTILE[0])


class Page(HTMLParser):
    """Reads a page strictly: every element is closed, in its order."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[tuple[str, str]] = []
        self.feed(source)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len(dict(attrs)) == len(attrs), (tag, attrs)
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in DRAWN
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if data.strip():
            self.texts.append((self.open[-1], data))

    def texts_of(self, tag: str) -> list[str]:
        return [data for inside, data in self.texts if inside == tag]


@pytest.mark.parametrize("which", ["plain", "hostile"])
def test_the_page_is_well_formed_and_needs_nothing_else(which: str, request: pytest.FixtureRequest) -> None:
    page = Page(to_html(request.getfixturevalue(which)))

    names = {tag for tag, _ in page.tags}
    assert not names & {"script", "link", "img", "iframe", "object", "embed", "base", "form", "a", "use", "image", "b"}
    for tag, attributes in page.tags:
        assert not {"src", "href", "xlink:href", "action", "srcset"} & set(attributes), tag
        assert not [name for name in attributes if name.startswith("on")], tag
        assert "url(" not in (attributes.get("style") or "")
    (style,) = page.texts_of("style")
    assert not re.search(r"@import|url\(|expression", style)
    assert page.tags[0][0] == "html"


def test_hostile_names_are_shown_and_do_nothing(hostile: Report) -> None:
    page = Page(to_html(hostile))

    shown = set(page.texts_of("bdi"))
    assert {
        "<script>alert(1)</script>",
        "&lt;&amp;",
        "=1+cmd()",
        "a\\x1b[31m\\x00\\nb\\r\\tc",
        "\\u202egnp.exe",
    } <= shown
    assert page.texts_of("title") == page.texts_of("h1") == ["<script>alert(1)</script>"]
    assert not [data for _, data in page.texts if "\x1b" in data or "\u202e" in data]


def test_hostile_names_are_visible_in_the_text_and_do_nothing(hostile: Report) -> None:
    told = to_text(hostile)

    assert all(line.isprintable() for line in told.splitlines())
    assert "a\\x1b[31m\\x00\\nb\\r\\tc" in told


def test_hostile_names_come_back_from_json_and_no_cell_of_csv_is_a_formula(hostile: Report) -> None:
    assert {row["bot"] for row in json.loads(to_json(hostile))["standings"]} == set(HOSTILE)

    for text in to_csv(hostile).values():
        for row in csv.reader(io.StringIO(text)):
            assert not [cell for cell in row if cell[:1] in ("=", "+", "@", "\t", "\r")]


def test_a_rating_is_called_what_its_system_calls_it(by_mu: Report, plain: Report) -> None:
    heads = Page(to_html(by_mu)).texts_of("th")
    assert heads[heads.index("mu") + 1] == "sigma"
    assert "Elo" not in heads
    standings = to_text(by_mu).partition("Points against")[0]
    assert [line.split()[2:4] for line in standings.splitlines() if "ajax" in line] == [["1512", "99"]]
    assert "mu  sigma" in standings
    assert json.loads(to_json(by_mu))["standings"][0]["sigma"] == 98.765
    assert json.loads(to_json(plain))["standings"][0]["sigma"] is None


@pytest.mark.parametrize("which", ["plain", "by_mu"])
def test_columns_that_do_not_explain_themselves_have_a_legend(which: str, request: pytest.FixtureRequest) -> None:
    """On the page, and in the text, which leaves versions out."""
    report = request.getfixturevalue(which)
    told = to_text(report)

    page = Page(to_html(report))
    known = {"#", "bot", "seat", "decisions", "mean", "longest", *"123"}
    explained = {*page.texts_of("dt")}
    for head in {*page.texts_of("th")} - known:
        assert head in explained or " to " in head, head
        assert re.search(rf"(?m)^{re.escape(head)}  +\S", told) or head == "version" or " to " in head, head


def test_an_open_interval_is_told_as_open_in_every_form(plain: Report) -> None:
    first = replace(plain.standings[0], high=None)
    report = replace(plain, standings=(first, *plain.standings[1:]))

    assert f"{wording.difference(first.low)} to +inf" in to_text(report)
    assert f"{wording.difference(first.low)} to +inf" in Page(to_html(report)).texts_of("td")
    assert json.loads(to_json(report))["standings"][0]["strength_high"] is None
    assert charts.bar(first, -1_000_000, 1_000_000).count('x2="100.0"') == 1


def test_the_page_has_every_section_and_every_bot(plain: Report) -> None:
    page = Page(to_html(plain))

    assert page.texts_of("h2") == [
        "Standings",
        "Sequential test",
        "Rating over time",
        "Points against each other, of comparisons",
        "Seats",
        "Faults",
        "Time charged for a decision, in milliseconds",
        "Notes",
    ]
    assert [tag for tag, _ in page.tags].count("polyline") == 3
    assert {attributes.get("class") for tag, attributes in page.tags if tag == "svg"} == {"bar", "curves", None}
    assert {"hector", "paris", "ajax"} == set(page.texts_of("bdi"))
    assert "timeout 1" in page.texts_of("td")


def test_the_page_is_for_narrow_screens_dark_ones_and_paper(plain: Report) -> None:
    page = Page(to_html(plain))
    (style,) = page.texts_of("style")

    assert ("meta", {"name": "viewport", "content": "width=device-width, initial-scale=1"}) in page.tags
    assert "prefers-color-scheme: dark" in style
    assert "@media print" in style
    # Only what scrolls by itself is wider than the screen.
    before = [page.tags[at - 1] for at, (tag, _) in enumerate(page.tags) if tag == "table"]
    assert before == [("div", {"class": "wide"})] * 5
    curves = next(attributes for _, attributes in page.tags if attributes.get("class") == "curves")
    assert curves["viewbox"] == f"0 0 {charts.WIDTH} {charts.HEIGHT}"
    assert charts.WIDTH <= 360


def test_a_large_ladder_shows_its_first_bots_and_says_so() -> None:
    bots = tuple(f"bot-{number:02}" for number in range(LARGEST + 3))
    report = report_of(bots, rounds=1)
    page = Page(to_html(report))

    assert "3 bots further down are left out." in page.texts_of("p")
    assert f"The first {charts.COLOURS} of {len(bots)} bots." in page.texts_of("p")
    assert [tag for tag, _ in page.tags].count("polyline") == charts.COLOURS
    assert set(page.texts_of("bdi")) == set(bots)


def test_csv_files_are_rectangles_of_the_same_values_as_json(plain: Report) -> None:
    files = {name: list(csv.DictReader(io.StringIO(text))) for name, text in to_csv(plain).items()}
    told = json.loads(to_json(plain))

    assert set(files) == {f"{name}.csv" for name in tables(plain)}
    for name in tables(plain):
        rows, objects = files[f"{name}.csv"], told[name]
        assert len(rows) == len(objects) > 0
        for row, item in zip(rows, objects, strict=True):
            assert None not in row
            assert row == {key: "" if value is None else str(value) for key, value in item.items()}


def test_json_has_points_scores_and_milliseconds(plain: Report) -> None:
    told = json.loads(to_json(plain))
    (first, *_), (row, *_) = told["standings"], plain.standings

    assert row.rating is not None
    assert row.strength is not None
    assert first["rating"] == row.rating / 1000
    assert first["strength"] == row.strength / 1000
    assert first["place_1"] == row.places[0]
    assert told["times"][0]["p95_ms"] == (plain.times[0].p95_us or 0) / 1000
    assert (told["matches"], told["counted"], told["blocks"]) == (13, 12, 6)
    assert {(item["kind"], item["reason"], item["count"]) for item in told["faults"]} == {
        ("ended", "timeout", 1),
        ("strike", "timeout", 1),
        ("substitute", "", 3),
        ("error", "", 2),
    }


def test_bots_that_are_retired_are_marked_in_every_form(with_retired: Report, plain: Report) -> None:
    files = {name: list(csv.DictReader(io.StringIO(text))) for name, text in to_csv(with_retired).items()}
    told = json.loads(to_json(with_retired))
    text = to_text(with_retired)

    assert {row["bot"]: row["retired"] for row in told["standings"]} == {"hector": False, "paris": True, "ajax": False}
    assert {row["bot"] for row in files["standings.csv"] if row["retired"] == "True"} == {"paris"}
    assert [line.split()[1:3] for line in text.splitlines() if "(retired)" in line] == [["paris", "(retired)"]]
    assert to_html(with_retired).count("<bdi>paris</bdi> (retired)") == 1
    for form in (to_text(plain), to_html(plain)):
        assert "retired" not in form


def test_the_text_has_aligned_tables(plain: Report) -> None:
    lines = to_text(plain).splitlines()
    at = lines.index("Points against each other (of comparisons)")

    header, *rows = lines[at + 2 : at + 6]
    assert header.split() == ["bot", "1", "2", "3"]
    assert len({len(row) for row in rows}) <= 2
    assert [row.split()[1] for row in rows] == [row.bot for row in plain.standings]
    assert all(line == line.rstrip() for line in lines)


@pytest.mark.parametrize("form", Form)
def test_a_report_of_nothing_is_a_whole_file_in_every_form(form: Form) -> None:
    files = rendered(Gathering().report("nothing yet", ()), form)

    assert all(text.endswith("\n") for text in files.values())
    if form is Form.HTML:
        assert Page(files["report.html"]).texts_of("h2") == ["Notes"]


@pytest.mark.parametrize(("least", "most"), [(0, 0), (1_499_999, 1_500_001), (-881_000, 881_000), (5, 10**9)])
def test_ticks_enclose_what_is_drawn(least: int, most: int) -> None:
    ticks = charts.ticks_of(least, most)

    assert ticks[0] <= least <= most <= ticks[-1]
    assert 2 <= len(ticks) <= 7
    assert len({after - before for before, after in pairwise(ticks)}) == 1
