"""Rules for all tracked files that no linter checks: suppressions, length, leftovers, tests that do not run."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from tests.support.tree import ROOT, named, syntax_of, text_of, tracked, tracked_files

LINES = 500
"""A module that is longer does two things. Data is no module."""
SKIPS = {
    "tests/e2e/test_sdk.py": 1,  # openssl makes the certificate
    "tests/packaging/test_compiled.py": 1,  # compiling needs a C compiler and Python's headers
    "tests/server/store/test_connection.py": 1,  # AGON_TEST_STORE may name a server without WAITAOF
    "tests/server/test_metrics.py": 1,  # promtool looks a second time at what the client library's parser accepts
}
"""How many conditions there are, by file, under which a test does not run."""
SUPPRESSIONS = 16
"""In the packages. It may fall; a rise needs a reason here."""
SUPPRESSIONS_IN_TESTS = 48
"""In tests: mostly calls that are wrong on purpose."""

_SUPPRESSION = re.compile(r"#\s*(?:type:\s*ignore|noqa|nosec|pragma:|mypy:|ruff:|pylint:|fmt:\s*(?:off|skip))")
_WITH_REASON = re.compile(
    r"# (?:type: ignore\[[a-z-]+(?:, ?[a-z-]+)*\]|noqa: [A-Z]+\d+(?:, ?[A-Z]+\d+)*)(?:  #| -) \S.*"
)
_LAYOUT = re.compile(r"#\s*fmt:\s*(?:off|skip|on)")
_LEFTOVER = re.compile(r"\b(?:TO" + r"DO|FIX" + r"ME|XX" + r"X|HA" + r"CK)\b")
_LOCAL_PATH = re.compile(r"(?:^|[^A-Za-z0-9_.$}/])/(?:home|root|tmp|work|Users)/[A-Za-z]")
_SKIPPED = re.compile(r"\b(?:skip|skipif|xfail|importorskip)\b *\(|mark\.(?:skip|xfail)")

PYTHON = tracked(".py")
TEXTS = [path for path in map(ROOT.joinpath, tracked_files()) if path.name != "LICENSE"]


def comments(path: Path) -> list[str]:
    tokens = tokenize.generate_tokens(io.StringIO(text_of(path)).readline)
    return [token.string for token in tokens if token.type == tokenize.COMMENT]


def suppressions(path: Path) -> list[str]:
    found = [comment for comment in comments(path) if _SUPPRESSION.match(comment)]
    return [comment for comment in found if not _LAYOUT.match(comment)]


def offenders(paths: Iterable[Path], found: Callable[[Path], Sequence[object]]) -> dict[str, Sequence[object]]:
    """Return what was found, by the file it was found in."""
    return {named(path): things for path in paths if (things := found(path))}


def lines_with(pattern: re.Pattern[str]) -> Callable[[Path], list[str]]:
    return lambda path: [line.strip() for line in text_of(path).splitlines() if pattern.search(line)]


def test_every_suppression_has_a_code_and_a_reason() -> None:
    def bare(path: Path) -> list[str]:
        return [comment for comment in suppressions(path) if not _WITH_REASON.fullmatch(comment)]

    assert offenders(PYTHON, bare) == {}


def test_suppressions_are_few() -> None:
    counts = {named(path): len(suppressions(path)) for path in PYTHON}
    in_tests = sum(count for name, count in counts.items() if name.startswith("tests/"))

    assert sum(counts.values()) - in_tests <= SUPPRESSIONS, counts
    assert in_tests <= SUPPRESSIONS_IN_TESTS, counts


def test_no_file_has_leftovers() -> None:
    assert offenders(TEXTS, lines_with(_LEFTOVER)) == {}


def test_no_file_has_a_path_of_one_machine() -> None:
    assert offenders(TEXTS, lines_with(_LOCAL_PATH)) == {}


def test_no_module_is_longer_than_a_reader_bears() -> None:
    lengths = {named(path): len(text_of(path).splitlines()) for path in tracked(".py", ".lua", ".proto", ".md")}

    assert {name: length for name, length in lengths.items() if length > LINES} == {}


def test_every_module_says_what_lives_in_it() -> None:
    assert [named(path) for path in PYTHON if syntax_of(path).body and not ast.get_docstring(syntax_of(path))] == []


def test_no_test_is_skipped_or_expected_to_fail() -> None:
    """What does not run proves nothing. A tool that is no Python package may be missing, and another store may be
    tested that can less: those few are named here."""
    others = [path for path in tracked(".py", below=("tests",)) if path != Path(__file__)]
    found = offenders(others, lines_with(_SKIPPED))

    assert {name: len(lines) for name, lines in found.items()} == SKIPS


def test_generated_code_is_not_committed() -> None:
    assert [name for name in tracked_files() if "_pb2" in name] == []
