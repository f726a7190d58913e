"""What a Decide costs: encoded from kept parts, as a running match does, and from scratch; and frames decoded."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from tests.bench.report import Row
from tests.support.decides import Asked, random_match

from agon.codec.client import decode_down
from agon.codec.down import PartCache, SeatEncoder
from agon.codec.frames import Choose, Decide
from agon.codec.registry import codec_names, get_codec
from agon.codec.up import decode_up, encode_up
from agon.codec.views import ViewDecoder
from agon_engine.registry import get_game

FRAMES = 32
"""Frames in a message with the answers of as many matches."""


def encode(matches: list[list[Asked]], seats: int, game: str, *, changed: bool) -> list[bytes]:
    """Encode every Decide of the matches, each seat's from what it was sent before."""
    pieces = []
    for match in matches:
        shared = PartCache()
        encoders = [
            SeatEncoder(get_game(game).notation, "0123456789abcdef", seat, 1, changed, shared) for seat in range(seats)
        ]
        pieces += [asked.encode(encoders[asked.seat]) for asked in match]
    return pieces


def encode_from_scratch(matches: list[list[Asked]], game: str) -> list[bytes]:
    """Encode every Decide as the first one of a match."""
    return [
        asked.encode(SeatEncoder(get_game(game).notation, "0123456789abcdef", asked.seat, 1, False, PartCache()))
        for match in matches
        for asked in match
    ]


def decode(matches: list[list[Asked]], seats: int, game: str, pieces: list[bytes]) -> None:
    """Do what the SDK does with every Decide: frame, view and actions."""
    at = iter(pieces)
    for match in matches:
        decoders = [ViewDecoder(get_codec(game), get_game(game).notation) for _ in range(seats)]
        for asked in match:
            [frame] = decode_down(next(at))
            assert isinstance(frame.body, Decide)
            decoders[asked.seat].view(frame.body)
            decoders[asked.seat].actions(frame.body)


def microseconds(run: Callable[[], object], rounds: int, per: int) -> float:
    """Return the time of the least disturbed round in microseconds of CPU, over `per` things that it does."""
    spent = []
    for _ in range(rounds):
        began = time.process_time()
        run()
        spent.append((time.process_time() - began) * 1e6 / per)
    return min(spent)


def _decides(game: str, seats: int, rounds: int, count: int) -> Iterator[Row]:
    """Yield what the Decides of so many random matches cost."""
    matches = [list(random_match(game, seats, number)) for number in range(count)]
    full = encode(matches, seats, game, changed=False)
    changing = encode(matches, seats, game, changed=True)
    ways: dict[str, Callable[[], object]] = {
        "encoded, full view": lambda: encode(matches, seats, game, changed=False),
        "encoded, changed parts": lambda: encode(matches, seats, game, changed=True),
        "encoded from scratch": lambda: encode_from_scratch(matches, game),
        "decoded, full view": lambda: decode(matches, seats, game, full),
        "decoded, changed parts": lambda: decode(matches, seats, game, changing),
    }
    for way, run in ways.items():
        yield Row(f"{game} {seats} seats: a Decide {way}", microseconds(run, rounds, len(full)), "us")


def _chooses(repeats: int, rounds: int, together: int) -> float:
    """Return the microseconds a Choose costs to decode, so many together in a message."""
    message = encode_up(Choose(77, 13, 1_234_567), "0123456789abcdef", 1) * together
    return microseconds(lambda: [decode_up(message) for _ in range(repeats)], rounds, together * repeats)


def measure(*, quick: bool = False) -> Iterator[Row]:
    """Measure every registered game at its fewest and most seats, and the message with the most frequent answer."""
    rounds, count, repeats = (1, 1, 100) if quick else (9, 10, 1_000)
    for game in codec_names():
        spec = get_game(game).spec
        for seats in sorted({spec.min_seats, spec.max_seats}):
            yield from _decides(game, seats, rounds, count)
    yield Row(f"a Choose decoded, {FRAMES} in a message", _chooses(repeats, rounds, FRAMES), "us")
    yield Row("a Choose decoded, alone in its message", _chooses(repeats, rounds, 1), "us")
