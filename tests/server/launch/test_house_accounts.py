"""House bots of servers that share a store have accounts of their own."""

from __future__ import annotations

from agon_server.launch.house import house_account
from agon_server.names import MAX_BOT_NAME


def test_a_short_name_stands_in_it_whole() -> None:
    assert house_account("greedy", "one") == "greedy.one"


def test_long_names_that_differ_at_their_end_have_different_accounts() -> None:
    servers = [f"{'rack-in-a-data-centre-far-away' * 2}-{number}" for number in range(20)]
    accounts = {house_account("greedy", server) for server in servers}

    assert len(accounts) == len(servers)
    assert {len(account) for account in accounts} == {MAX_BOT_NAME}
