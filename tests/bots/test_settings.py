"""Command line, environment, back-off, lobbies: what decides where a bot connects, and when."""

from __future__ import annotations

import argparse
import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from agon_bots import Address, LoadError, OnError, Settings, UsageError
from agon_bots.sdk import channel
from agon_bots.sdk.backoff import Backoff
from agon_bots.sdk.errors import BotError, SurroundingsError
from agon_bots.sdk.lobbies import Lobbies
from agon_bots.sdk.settings import add_arguments, settings_from
from agon_server.listening import GRPC_OPTIONS

A, B, C = (Address("lobby", port) for port in (1, 2, 3))


def parsed(*argv: str, servers: Sequence[str] = (), environ: Mapping[str, str] | None = None) -> Settings:
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    return settings_from(parser.parse_args(argv), servers, {"AGON_TOKEN": "t", **(environ or {})})


def test_flags_stand_over_the_environment_and_that_over_what_the_bot_names() -> None:
    assert parsed("--server", "a:1,b:2", "--server", "a:1", environ={"AGON_SERVER": "c:3"}).servers == (
        Address("a", 1),
        Address("b", 2),
    )
    assert parsed(servers=["d:4"], environ={"AGON_SERVER": "c:3"}).servers == (Address("c", 3),)
    assert parsed(servers=["d:4"]).servers == (Address("d", 4),)


def test_every_flag_reaches_the_settings(tmp_path: Path) -> None:
    ca = tmp_path / "ca.pem"
    ca.write_bytes(b"pem")
    words = "--server a:1 --slots 7 --instance x --insecure --silence 9 --on-error random --seed s"
    flags = words.split(" ")

    found = parsed(*flags, "--ca", str(ca))

    assert (found.slots, found.instance, found.insecure, found.silence) == (7, "x", True, 9.0)
    assert (found.on_error, found.seed, found.ca) == (OnError.RANDOM, "s", b"pem")


def test_a_token_comes_from_a_file_or_the_environment_and_is_shown_nowhere(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text(" agon_secret \n")

    by_flag = parsed("--server", "a:1", "--token-file", str(file))
    by_environment = parsed("--server", "a:1", environ={"AGON_TOKEN": "", "AGON_TOKEN_FILE": str(file)})

    assert by_flag.token == by_environment.token == "agon_secret"
    assert "agon_secret" not in repr(by_flag)


@pytest.mark.parametrize(
    ("argv", "environ", "message"),
    [
        ([], {}, "no server is named"),
        (
            ["--server", "lobby"],
            {},
            "with a port from 1 to 65535, not 'lobby'",
        ),
        (
            ["--server", "a:7,a:0"],
            {},
            "with a port from 1 to 65535, not 'a:0'",
        ),
        (["--server", "a:1"], {"AGON_TOKEN": ""}, "no usable token"),
        (["--server", "a:1"], {"AGON_TOKEN": "naïve"}, "no usable token"),
        (["--server", "a:1", "--token-file", "/no/such"], {}, "the token file cannot be read: No such file"),
        (["--server", "a:1", "--token-file", "/dev/zero"], {}, "the token file is over 1 MiB: '/dev/zero'"),
        (["--server", "a:1", "--ca", "/no/such"], {}, "the certificates file cannot be read: No such file"),
        (["--server", "a:1", "--slots", "0"], {}, "slots is a number of matches from 1, not 0"),
        (["--server", "a:1", "--silence", "-1"], {}, "silence is a number of seconds from 0, not -1.0"),
        (["--server", "a:1", "--instance", "x" * 65], {}, "an instance is printable text of at most 64"),
    ],
)
def test_a_value_that_cannot_be_used_is_one_clear_line(argv: list[str], environ: dict[str, str], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        parsed(*argv, environ=environ)

    assert message in str(caught.value)
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    ("address", "loopback"),
    [("localhost:1", True), ("127.3.2.1:1", True), ("[::1]:1", True), ("10.0.0.1:1", False), ("example.org:1", False)],
)
def test_plaintext_goes_to_loopback_only_unless_it_is_asked_for(address: str, loopback: bool) -> None:
    """The token must not leave this machine unencrypted."""
    there = Address.parse(address)
    plain = Settings(servers=(there,), token="t")

    assert plain.is_plaintext(there) is loopback
    assert replace(plain, insecure=True).is_plaintext(there)
    assert not replace(plain, ca=b"pem").is_plaintext(there)
    assert Address.parse(str(there)) == there


def test_delays_grow_by_half_with_jitter_up_to_a_limit_and_never_undercut_what_was_asked_for() -> None:
    backoff = Backoff(first=1.0, longest=4.0, rng=random.Random(1))

    delays = [backoff.next() for _ in range(6)]

    for delay, full in zip(delays, (1, 1.5, 2.25, 3.375, 4, 4), strict=True):
        assert full / 2 <= delay <= full
    assert len(set(delays)) == 6
    assert 20 <= backoff.next(20.0) <= 25
    backoff.reset()
    assert backoff.next() <= 1.0


def test_a_lobby_that_worked_is_tried_again_before_the_others() -> None:
    lobbies = Lobbies([A, B])

    lobbies.failed(A, 0.0, 0.0, welcomed=True)
    assert lobbies.pick(0.0) == (A, 0.0)
    lobbies.failed(A, 0.0, 0.0, welcomed=False)
    assert lobbies.pick(0.0) == (B, 0.0)
    lobbies.failed(B, 0.0, 0.0, welcomed=False)
    assert lobbies.pick(0.0) == (A, 0.0)


def test_a_lobby_that_asked_for_a_delay_comes_after_it_or_when_no_other_is_left() -> None:
    lobbies = Lobbies([A, B])

    lobbies.failed(A, 0.0, 5.0, welcomed=False)
    lobbies.failed(B, 0.0, 9.0, welcomed=False)
    assert lobbies.pick(1.0) == (A, 4.0)
    lobbies.learn(["nonsense", str(C), str(A)])
    assert lobbies.pick(1.0) == (C, 0.0)


def test_a_lobby_that_is_ending_comes_after_all_others_and_at_once_where_it_is_the_only_one() -> None:
    two, one = Lobbies([A, B]), Lobbies([A])

    two.ends(A, 0.0)
    one.ends(A, 0.0)

    assert two.pick(0.0) == (B, 0.0)
    two.failed(B, 0.0, 0.0, welcomed=False)
    assert two.pick(0.0) == (B, 0.0)
    assert one.pick(0.0) == (A, 0.0)


def test_keepalive_pings_are_no_more_often_than_the_server_permits() -> None:
    """G3: the two halves of a pair, which lie in different packages."""
    ours, theirs = dict(channel.OPTIONS), dict(GRPC_OPTIONS)

    assert ours["grpc.keepalive_time_ms"] > theirs["grpc.http2.min_recv_ping_interval_without_data_ms"]
    assert ours["grpc.keepalive_permit_without_calls"] == theirs["grpc.keepalive_permit_without_calls"] == 1
    assert ours["grpc.keepalive_timeout_ms"] < ours["grpc.keepalive_time_ms"]
    assert ours["grpc.http2.max_pings_without_data"] == 0


def test_every_error_has_the_exit_code_of_its_branch() -> None:
    assert [error.exit_code for error in (BotError, UsageError, LoadError, SurroundingsError)] == [1, 2, 2, 3]
