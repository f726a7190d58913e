"""On which line each key of a TOML text stands."""

from __future__ import annotations

import tomllib
from typing import Any

from hypothesis import given, settings, strategies as st

from agon_server.tournaments.toml_lines import MAX_ITEMS, Path, line_numbers

TEXT = '''\
# a comment with name = "x"
name = "a # b"   # 2
[time]           # 3
move = 1
a.b."c.d" = 5
"quoted \\u0041" = 6

[[bots]]         # 8
name = """
x = 10
""""
command = [      # 12
  "a",           # 13
  # nothing
  "]", 'c]', [ 1, 2 ],
]
[bots.more]      # 17
x = { y = 18, "z" = [ { w = 1 } ] }

[[bots]]         # 20
at = 2020-01-01 00:00:00
long = \'\'\'
\'\'\'
[outer.inner]    # 24
[outer]          # 25
last = 26'''


def test_every_key_and_item_has_the_line_on_which_it_stands() -> None:
    lines = line_numbers(TEXT)

    expected: dict[Path, int] = {
        ("name",): 2,
        ("time",): 3,
        ("time", "move"): 4,
        ("time", "a", "b", "c.d"): 5,
        ("time", "quoted A"): 6,
        ("bots",): 8,
        ("bots", 0): 8,
        ("bots", 0, "name"): 9,
        ("bots", 0, "command"): 12,
        ("bots", 0, "command", 0): 13,
        ("bots", 0, "command", 1): 15,
        ("bots", 0, "command", 3, 1): 15,
        ("bots", 0, "more"): 17,
        ("bots", 0, "more", "x", "y"): 18,
        ("bots", 0, "more", "x", "z", 0, "w"): 18,
        ("bots", 1): 20,
        ("bots", 1, "at"): 21,
        ("bots", 1, "long"): 22,
        ("outer",): 24,
        ("outer", "inner"): 24,
        ("outer", "last"): 26,
    }
    assert expected == {path: lines.get(path) for path in expected}
    assert set(paths(tomllib.loads(TEXT))) == set(lines)


def paths(value: Any, path: Path = ()) -> list[Path]:
    """All paths of what the standard library reads."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    found = [] if not path else [path]
    for key, item in inner:
        found += paths(item, (*path, key))
    return found


keys = st.one_of(st.sampled_from(["a", "b", "bots", "1", "-"]), st.text(max_size=3).map(lambda text: f"'{text}'"))
values = st.recursive(
    st.one_of(
        st.integers().map(str),
        st.booleans().map(lambda flag: str(flag).lower()),
        st.sampled_from(
            ['"x"', '"\\"]"', "'#'", '"""\n"\n"""', "'''a\n'b'\n'''", "1979-05-27T07:32:00", "inf", '""', "''"]
        ),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda items: "[" + ",\n # x ]\n".join(items) + " ]"),
        st.lists(st.tuples(keys, inner), max_size=2).map(
            lambda pairs: "{" + ", ".join(f"{key} = {value}" for key, value in pairs if "\n" not in value) + "}"
        ),
    ),
    max_leaves=6,
)
statements = st.one_of(
    st.tuples(st.lists(keys, min_size=1, max_size=3).map(" . ".join), values).map(" = ".join),
    st.lists(keys, min_size=1, max_size=2).map(lambda names: f"[{'.'.join(names)}]"),
    st.lists(keys, min_size=1, max_size=2).map(lambda names: f"[[ {'.'.join(names)} ]]"),
    st.sampled_from(["", "# [x]", "  "]),
)


@settings(max_examples=100)
@given(st.lists(statements, max_size=8).map("\n".join))
def test_all_paths_that_the_standard_library_reads_have_a_line(text: str) -> None:
    try:
        read = tomllib.loads(text)
    except ValueError:
        line_numbers(text)  # never fails, whatever the text
        return

    lines = line_numbers(text)

    assert set(paths(read)) == set(lines)
    assert all(1 <= line <= text.count("\n") + 1 for line in lines.values())


@given(st.text(alphabet="ab=.[]{}\"'#\n \\,1", max_size=60))
def test_no_text_makes_it_fail(text: str) -> None:
    assert all(line >= 1 for line in line_numbers(text).values())


def test_what_is_nested_too_deeply_has_lines_up_to_there() -> None:
    text = "a = 1\nb = " + "[" * 100_000

    assert line_numbers(text)["b",] == 2


def test_keys_and_arrays_without_end_are_given_up_soon() -> None:
    """What a megabyte of either costs is bounded; what stands before it has its line."""
    for text in ("a = 1\n" + ".".join(["b"] * 100_000) + " = 1", f"a = 1\nb = [{'1,' * 100_000}]"):
        lines = line_numbers(text)

        assert lines["a",] == 1
        assert len(lines) <= MAX_ITEMS + 2
