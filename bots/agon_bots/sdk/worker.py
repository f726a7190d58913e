"""A worker process of local play: `python -P -m agon_bots.sdk.worker SOCKET_FD BOARD_FD`, started by `workers` only.

It reads what is to be played, answers whether it can, then plays the matches that it is given until its parent hangs
up, which may be at any time: nobody waits then for what is not said yet, and it ends without a word. Bots that hang or
end the process leave on the board whose doing it was.
"""

from __future__ import annotations

import mmap
import signal
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
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

    # The parent may hang up while something is said to it.
    with socket.socket(fileno=socket_fd) as connection, suppress(BrokenPipeError, ConnectionResetError):
        _serve(connection, before)
    return EXIT_OK


def _serve(connection: socket.socket, before: Callable[[Seat | None], None]) -> None:
    """Answer the parent's lines. Raise BrokenPipeError or ConnectionResetError where it has hung up meanwhile."""

    def say(message: dict[str, Any]) -> None:
        # Not through a buffered file, which would say again, when it is closed, what could not be said.
        connection.sendall(encode(message))

    with connection.makefile("rb") as lines:
        # Half a line is what was on its way when the parent ended.
        if not (first := lines.readline()).endswith(b"\n"):
            return

        task = decode(first)
        try:
            bots = [load_bot(spec) for spec in task["specs"]]
            arena = Arena(rules_from_json(task["rules"]), bots, task["names"], before)
        except BotError as error:
            say({"error": type(error).__name__, "message": str(error)})
            return

        say({"ready": True})
        with arena:
            while (line := lines.readline()).endswith(b"\n"):
                try:
                    match = arena.play(plan_from_json(decode(line)))
                except RulesBug as error:
                    say({"error": "RulesBug", "message": str(error)})
                else:
                    say(match_to_json(match))


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2])))
