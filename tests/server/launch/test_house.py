"""House bots beside a server: what their processes are told. That they play, and end with it, is shown end to end."""

from __future__ import annotations

from agon_server.launch.house import environment


def test_a_bot_process_gets_its_token_and_no_setting_of_the_server() -> None:
    """A store's password is nothing for a bot, whoever has written it."""
    server = {"PATH": "/bin", "AGON_REDIS": "redis://:secret@db", "AGON_ADMIN_TOKEN": "secret", "AGON_TOKEN": "other"}

    assert environment(server, "agon_x") == {"PATH": "/bin", "AGON_TOKEN": "agon_x"}
