"""What benchmarks say and keep: bars, a section that fails, Ctrl-C, engines that are not installed; no speed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.bench import __main__ as bench, bench_rivals
from tests.bench.bench_rivals import Contestant
from tests.bench.report import Line, Remark, Row, quantile

ROOT = Path(__file__).parents[2]
FIRST, SECOND = Row("first", 3.0, "us", "<= 4"), Row("second", 5.0, "us", "<= 4")


def results(folder: Path, section: str) -> Any:
    """Return what a section has written, whichever build runs here."""
    [path] = (folder / "bench-results").glob(f"{section}*.json")
    return json.loads(path.read_text("utf-8"))


@pytest.fixture
def in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Run in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


# -- rows ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "bar", "met"),
    [
        (3.9, ">= 4", False),
        (4.0, ">= 4", True),
        (4.0, "<= 4", True),
        (4.1, "<= 4", False),
        (0.0, "", None),
    ],
)
def test_a_bar_is_met_at_its_number_and_on_its_side(value: float, bar: str, met: bool | None) -> None:
    assert Row("a", value, "us", bar).met is met


def test_a_line_says_figure_bar_verdict_and_details() -> None:
    row = Row("playouts", 39_500.4, "decisions/s", ">= 40000", "plain", {"least": 0.123456, "matches": 1_234})

    words = " ".join(row.line.split())
    assert words == "playouts 39,500 decisions/s >= 40000 MISSED plain; least 0.123, matches 1,234"


def test_a_quantile_is_one_of_the_values() -> None:
    assert [quantile([4.0, 1.0, 3.0], share) for share in (0.0, 0.5, 1.0)] == [1.0, 3.0, 4.0]


# -- sections ------------------------------------------------------------------------------------------------


def test_a_section_that_fails_keeps_its_rows_and_the_next_one_runs(
    in_folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def measure(section: str, *, quick: bool) -> Iterator[Line]:
        yield FIRST
        if section == "engine":
            raise RuntimeError("no more")
        yield Remark("not measured: the rest")

    monkeypatch.setattr(bench, "measure", measure)

    assert bench.main(["engine", "sizes"]) == 1
    failed, whole = results(in_folder, "engine"), results(in_folder, "sizes")
    assert [row["name"] for row in failed["rows"]] == ["first"]
    assert failed["ended"] == "failed: RuntimeError('no more')"
    assert (whole["ended"], whole["remarks"]) == ("complete", ["not measured: the rest"])
    assert capsys.readouterr().out.endswith("engine failed: RuntimeError('no more')\n")


def test_a_missed_bar_is_said_again_at_the_end(
    in_folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(bench, "measure", lambda _section, **_: [FIRST, SECOND])

    assert bench.main(["store"]) == 1
    last = capsys.readouterr().out.splitlines()[-1]
    assert last == f"missed: {SECOND.line}"
    assert [row["met"] for row in results(in_folder, "store")["rows"]] == [True, False]


def test_bars_that_are_met_are_a_success(in_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "measure", lambda _section, **_: [FIRST])

    assert bench.main(["store"]) == 0


def test_ctrl_c_writes_what_was_measured_and_ends_by_its_signal(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-u", "-m", "tests.bench", "engine", "--quick"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    while "decisions/s" not in process.stdout.readline():
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate()

    assert (process.returncode, errors) == (-signal.SIGINT, "")
    written = results(tmp_path, "engine")
    assert written["ended"] == "interrupted"
    assert "random playouts" in written["rows"][0]["name"]


# -- public engines ------------------------------------------------------------------------------------------


def test_an_engine_without_its_environment_is_said_to_be_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bench_rivals, "PYTHON", tmp_path / "python")

    assert (
        Contestant("rlcard", "gin_rummy", 2, "RLCard").start(0)
        == f"there is no {tmp_path}/python; make rivals installs it"
    )


def test_an_engine_that_is_not_installed_is_said_to_be_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench_rivals, "PYTHON", Path(sys.executable))
    contestant = Contestant("rlcard", "gin_rummy", 2, "RLCard")
    try:
        missing = contestant.start(min(os.sched_getaffinity(0)))
    finally:
        contestant.stop()

    assert missing == "No module named 'rlcard'"
