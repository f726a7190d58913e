"""A process that plays records again, one a line of its standard input, and answers each with a line of JSON. It ends
when its input does, so none outlives whoever started it. Started by `replays`.
"""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Mapping
from typing import Any, Final

from agon_engine.core.errors import EngineError, MissingFileError, RecordError
from agon_engine.core.record import MatchRecord, line_hash
from agon_engine.core.replay import mismatches
from agon_engine.registry import game_names, game_of, get_game

MAX_DIFFERENCES: Final = 10
"""Told of one record; one is enough to know that it is false."""
MAX_TEXT: Final = 500


def check(asked: Mapping[str, Any], files: Mapping[str, str]) -> dict[str, Any]:
    """Return what there is to say of a record: `found` (a list of differences), and `skipped` where it is of a game or
    rules version that is not installed, or `missing`, the hash of a file that it needs and `files` does not have.
    """
    try:
        record = MatchRecord.from_line(asked["line"])
    except RecordError as error:
        return _told([f"the record cannot be read: {error}"])

    found = [] if line_hash(asked["line"]) == asked["hash"] else [f"the record's hash is not {asked['hash']!r}"]
    found += _other_than_the_result(record, asked)
    if record.game not in game_names() or record.version != get_game(record.game).spec.version:
        return _told(found, skipped=True)

    try:
        game = game_of(record.game, get_game(record.game).spec.check_options(record.options), files)
        found += mismatches(record, game)
    except MissingFileError as error:
        return {"missing": error.file}
    except EngineError as error:
        found.append(str(error))
    except Exception as error:
        # A record that breaks the rules' code is the finding; the other records are still to be checked.
        found.append(f"the replay breaks down: {type(error).__name__}")
    return _told(found)


def _told(found: list[str], *, skipped: bool = False) -> dict[str, Any]:
    return {"found": [text[:MAX_TEXT] for text in found[:MAX_DIFFERENCES]], "skipped": skipped}


def _other_than_the_result(record: MatchRecord, asked: Mapping[str, Any]) -> list[str]:
    stated: dict[str, Any] = {
        "match": record.match,
        "ladder": record.ladder,
        "block": record.block,
        "rated": record.counts,
        "termination": record.result.termination,
        "bots": [seat.bot for seat in record.seats],
        "placements": list(record.result.placements),
        "terminations": list(record.result.seats),
    }
    return [
        f"its result has {name} {asked['result'][name]!r}, the record {value!r}"
        for name, value in stated.items()
        if asked["result"][name] != value
    ]


def main() -> None:
    """Answer until the input ends."""
    # Ctrl-C ends whoever asks, and with that the input.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    files: dict[str, str] = {}
    for line in sys.stdin:
        asked = json.loads(line)
        files |= asked["files"]
        sys.stdout.write(json.dumps(check(asked, files)) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
