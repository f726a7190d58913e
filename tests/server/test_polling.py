"""Who reads a server's sockets."""

from __future__ import annotations

import subprocess
import sys

from agon_server.polling import read_where_it_waits


def test_an_operators_own_switches_of_grpc_stand() -> None:
    chosen: dict[str, str] = {}
    given = {"GRPC_EXPERIMENTS": "tcp_rcv_lowat"}
    read_where_it_waits(chosen)
    read_where_it_waits(given)

    assert chosen == {"GRPC_EXPERIMENTS": "-event_engine_listener"}
    assert given == {"GRPC_EXPERIMENTS": "tcp_rcv_lowat"}


def test_serve_makes_the_choice_before_grpc_is_loaded() -> None:
    program = """
import os, sys
from agon_server.cli import app, serve

def choose(environment):
    assert environment is os.environ
    print(any(name.partition(".")[0] == "grpc" for name in sys.modules))
    raise SystemExit

serve.read_where_it_waits = choose
sys.argv = ["agon", "serve", "--log", "error"]
from agon_server.cli.main import main
main()
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)

    assert (ended.stdout, ended.stderr) == ("False\n", "")
