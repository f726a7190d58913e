"""Files of records: gzip in and out, damage told by its line, bounded memory whatever comes (L3)."""

from __future__ import annotations

import gzip
import tracemalloc
import zlib

import pytest
from tests.support.matches import played_record

from agon_engine.core import RecordError, read_records, write_records
from agon_engine.core.record import MAX_LINE

RECORDS = [played_record(2 + number % 3, number) for number in range(6)]
DATA = write_records(RECORDS)


def test_records_come_back_from_their_file() -> None:
    assert list(read_records(DATA)) == RECORDS


def test_the_same_records_give_the_same_bytes() -> None:
    assert write_records(iter(RECORDS)) == DATA


def test_files_can_be_joined_end_to_end() -> None:
    joined = write_records(RECORDS[:2]) + write_records([]) + write_records(RECORDS[2:])

    assert list(read_records(joined)) == RECORDS


def test_the_lines_can_be_read_without_gzip() -> None:
    assert list(read_records(gzip.decompress(DATA))) == RECORDS


def test_an_empty_file_has_no_records() -> None:
    assert list(read_records(b"")) == []
    assert list(read_records(write_records([]))) == []


def test_a_damaged_line_is_told_by_its_number_after_the_good_ones() -> None:
    lines = gzip.decompress(DATA).splitlines(keepends=True)
    reader = read_records(gzip.compress(b"".join([*lines[:2], b"{}\n", *lines[2:]])))

    assert [next(reader), next(reader)] == RECORDS[:2]

    with pytest.raises(RecordError, match="line 3: "):
        next(reader)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (DATA[:-9], "cut off"),
        (DATA[: len(DATA) // 2], "cut off"),
        (DATA[:40] + b"\xff" * 8 + DATA[48:], "damaged gzip"),
        (DATA + b"trailing", "damaged gzip"),
        (gzip.compress(gzip.decompress(DATA)[:-1]), "line 6: cut off"),
        (b"\n", "line 1: not a line of JSON"),
        ("é\n".encode(), "line 1: not ASCII"),
        (b"\x1f\x8b", "cut off"),
        (bytes(100), "line 1: cut off"),
    ],
)
def test_damage_is_a_record_error(data: bytes, message: str) -> None:
    with pytest.raises(RecordError, match=message):
        list(read_records(data))


def test_a_bomb_is_refused_without_unpacking_it() -> None:
    """256 MB of zeros in 250 KB; a line's worth is all that may be held."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    zeros = bytes(1 << 20)
    bomb = b"".join(packer.compress(zeros) for _ in range(256)) + packer.flush()
    tracemalloc.start()
    try:
        with pytest.raises(RecordError, match=f"line 1: a line has at most {MAX_LINE} bytes"):
            list(read_records(bomb))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert peak < 8 * MAX_LINE
