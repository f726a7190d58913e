"""Random play of one game in a process of its own, Agon's or a public engine's, for `bench_rivals`:

    python -m tests.bench.contestant GAME SEATS [CORE]

It says on its first line what plays or what is missing; then it plays so many seconds for each line that it reads, and
says how many moves it made. A public engine runs in an environment without Agon, so nothing of it is imported here but
where Agon's own games are played.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Callable
from importlib import import_module
from importlib.metadata import version

from tests.bench.calibration import calibration

Play = Callable[[int], int]
"""Plays the match of a number by random choices to its end; returns how many moves the seats made."""

CALIBRATION_SHARE = 0.25
"""Of the fixed loop, before each round."""


def agon(name: str, seats: int) -> tuple[str, Play]:
    """Play a game of Agon."""
    from agon_engine import __version__
    from agon_engine.core.chance import Chance
    from agon_engine.registry import get_game

    game = get_game(name)
    pick = 12_345

    def play(number: int) -> int:
        nonlocal pick
        state = game.start(seats, Chance(number.to_bytes(16, "little")))
        moves, last = 0, pick
        while (decision := state.decision) is not None:
            last = (last * 1_103_515_245 + 12_345) & 0x7FFFFFFF
            state.apply(decision.actions[(last >> 8) % len(decision.actions)])
            moves += 1
        pick = last
        return moves

    return f"agon {__version__}", play


def catanatron(_: str, seats: int) -> tuple[str, Play]:
    """Play Settlers of Catan by Catanatron."""
    from catanatron import Color, Game, RandomPlayer
    from catanatron.game import TURNS_LIMIT

    colors = list(Color)[:seats]
    pick = 12_345

    def choose(_player: object, _game: object, actions: list[object]) -> object:
        nonlocal pick
        pick = (pick * 1_103_515_245 + 12_345) & 0x7FFFFFFF
        return actions[(pick >> 8) % len(actions)]

    def play(number: int) -> int:
        game = Game([RandomPlayer(color) for color in colors], seed=number + 1)
        moves = 0
        while game.winning_color() is None and game.state.num_turns < TURNS_LIMIT:
            game.play_tick(decide_fn=choose)
            moves += 1
        return moves

    return f"catanatron {version('catanatron')}", play


def open_spiel(name: str, _: int) -> tuple[str, Play]:
    """Play a game of OpenSpiel. Draws of chance are no moves."""
    import pyspiel

    import_module("open_spiel.python.games")  # registers those whose rules are in Python
    game = pyspiel.load_game(name)
    pick = 12_345

    def play(_number: int) -> int:
        nonlocal pick
        state = game.new_initial_state()
        moves, last = 0, pick
        while not state.is_terminal():
            is_chance = state.is_chance_node()
            actions = state.legal_actions()  # of chance too: in these games each draw is as likely as the other
            last = (last * 1_103_515_245 + 12_345) & 0x7FFFFFFF
            state.apply_action(actions[(last >> 8) % len(actions)])
            moves += not is_chance
        pick = last
        return moves

    return f"open_spiel {version('open_spiel')}", play


def rlcard(_: str, _seats: int) -> tuple[str, Play]:
    """Play gin rummy by RLCard: the game itself, without the arrays of numbers that its environment makes of it."""
    from rlcard.games.gin_rummy import Game

    pick = 12_345

    def play(number: int) -> int:
        nonlocal pick
        game = Game()
        game.np_random.seed(number)
        game.init_game()
        moves, last = 0, pick
        while not game.is_over():
            actions = game.judge.get_legal_actions()
            last = (last * 1_103_515_245 + 12_345) & 0x7FFFFFFF
            game.step(actions[(last >> 8) % len(actions)])
            moves += 1
        pick = last
        return moves

    return f"rlcard {version('rlcard')}", play


ENGINES: dict[str, Callable[[str, int], tuple[str, Play]]] = {
    "agon": agon,
    "catanatron": catanatron,
    "open_spiel": open_spiel,
    "rlcard": rlcard,
}


def main(engine: str, game: str, seats: str, core: str = "") -> None:
    """Play for as long as there are lines to read."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # at Ctrl-C without a word
    if core and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {int(core)})
    try:
        name, play = ENGINES[engine](game, int(seats))
    except ImportError as error:
        _say({"missing": str(error)})
        return

    play(0)  # what is made at the first match is there by now
    _say({"name": name})
    number = 0
    for line in sys.stdin:
        seconds, loop = float(line), calibration(CALIBRATION_SHARE)
        moves, matches = 0, 0
        began = time.process_time()
        while (spent := time.process_time() - began) < seconds:
            number += 1
            moves += play(number)
            matches += 1
        _say({"moves": moves, "matches": matches, "seconds": spent, "calibration": loop})


def _say(words: dict[str, str | float]) -> None:
    sys.stdout.write(json.dumps(words) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
