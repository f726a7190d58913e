"""A worker process of local play: `python -P -m agon_bots.sdk.worker SOCKET_FD BOARD_FD`, started by `workers` only.

It reads what is to be played, answers whether it can, then plays the matches that it is given until its parent hangs
up. Bots that hang or end the process leave on the board whose doing it was.
"""

from __future__ import annotations

import mmap
import signal
import socket
import sys
from typing import Any

from agon_bots.sdk.errors import EXIT_OK, BotError
from agon_bots.sdk.loading import load_bot
from agon_bots.sdk.local import Arena
from agon_bots.sdk.messages import (
    BOARD_BYTES,
    decode,
    encode,
    mark_board,
    match_to_json,
    plan_from_json,
    rules_from_json,
)
from agon_engine.core import RulesBug, Seat


def main(socket_fd: int, board_fd: int) -> int:
    """Serve the parent until it hangs up."""
    # Ctrl-C is the parent's to handle: it hangs up, and then ends this process with its whole group.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    board = mmap.mmap(board_fd, BOARD_BYTES)

    def before(seat: Seat | None) -> None:
        mark_board(board, seat)

    with socket.socket(fileno=socket_fd) as connection, connection.makefile("rwb") as lines:

        def say(message: dict[str, Any]) -> None:
            lines.write(encode(message))
            lines.flush()

        task = decode(lines.readline())
        try:
            bots = [load_bot(spec) for spec in task["specs"]]
            arena = Arena(rules_from_json(task["rules"]), bots, task["names"], before)
        except BotError as error:
            say({"error": type(error).__name__, "message": str(error)})
            return EXIT_OK

        say({"ready": True})
        with arena:
            while line := lines.readline():
                try:
                    say(match_to_json(arena.play(plan_from_json(decode(line)))))
                except RulesBug as error:
                    say({"error": "RulesBug", "message": str(error)})
    return EXIT_OK


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2])))
