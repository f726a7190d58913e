"""Files of records: canonical lines, gzipped (`.jsonl.gz`). Bytes in, bytes out; no file is opened here."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterable, Iterator

from agon_engine.core.errors import RecordError
from agon_engine.core.record import MAX_LINE, MatchRecord


def write_records(records: Iterable[MatchRecord]) -> bytes:
    """Return the records as the bytes of a `.jsonl.gz` file; the same records give the same bytes.

    Such files can be joined end to end.
    """
    return gzip.compress("".join(record.to_line() + "\n" for record in records).encode(), mtime=0)


def read_records(data: bytes) -> Iterator[MatchRecord]:
    """Read the records of a `.jsonl.gz` file one after the other, or of the same lines not gzipped.

    Raise RecordError, with the number of the line, for what is damaged, cut off or no record. However much the
    bytes unpack to, no more than a line of them is held at a time.
    """
    for number, line in enumerate(_lines(data), 1):
        try:
            text = line.decode("ascii")
        except UnicodeDecodeError:
            raise RecordError(f"line {number}: not ASCII") from None
        try:
            yield MatchRecord.from_line(text)
        except RecordError as error:
            raise RecordError(f"line {number}: {error}") from None


def _lines(data: bytes) -> Iterator[bytes]:
    number, rest = 1, b""
    for chunk in _unpacked(data) if data[:2] == b"\x1f\x8b" else _slices(data):
        *lines, rest = (rest + chunk).split(b"\n")
        yield from lines
        number += len(lines)
        if len(rest) > MAX_LINE:
            raise RecordError(f"line {number}: a line has at most {MAX_LINE} bytes")
    if rest:
        raise RecordError(f"line {number}: cut off, there is no line feed at its end")


def _slices(data: bytes) -> Iterator[bytes]:
    for start in range(0, len(data), 1 << 16):
        yield data[start : start + (1 << 16)]


def _unpacked(data: bytes) -> Iterator[bytes]:
    while data:
        member = zlib.decompressobj(wbits=31)
        pending = data
        while not member.eof:
            try:
                chunk = member.decompress(pending, 1 << 16)
            except zlib.error as error:
                raise RecordError(f"damaged gzip data: {error}") from None
            if not chunk and not member.eof:
                raise RecordError("the gzip data is cut off")
            yield chunk
            pending = member.unconsumed_tail
        data = member.unused_data
