"""Settings: precedence, every error in one line that names its source, and the safety of the listening address."""

from __future__ import annotations

import runpy
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from agon_engine.core.policy import OnFault
from agon_engine.core.timing import MICROSECONDS, TimeControl
from agon_server.config import ConfigError, Limits, ServerConfig, check_bot_name, check_server_name
from agon_server.settings import SETTINGS, default_text, load_config, misspelt_variables, parse_assignment

SERVER = Path(__file__).parents[2] / "server"


def write(folder: Path, text: str) -> Path:
    path = folder / "agon.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_the_defaults_are_those_of_the_documentation() -> None:
    config = load_config()

    assert config == ServerConfig()
    assert str(config.listen) == "127.0.0.1:7420"
    assert config.time == TimeControl()
    assert (config.lease, config.deliveries, config.ping, config.attempts, config.strikes) == (10, 5, 10, 3, 3)
    assert config.limits.unsent_bytes == 1 << 20


def test_a_flag_wins_over_the_environment_and_that_over_the_file(tmp_path: Path) -> None:
    file = write(tmp_path, "deliveries = 2\nlease = 2\nping = 2\n[limits]\nstreams = 2\n[tls]\n")
    env = {"AGON_LEASE": "3", "AGON_PING": "3", "AGON_TOKEN": "not a setting", "PATH": "/bin"}

    config = load_config({"ping": "4", "drain": None}, env, file)

    assert (config.deliveries, config.lease, config.ping, config.drain) == (2, 3, 4, 300)
    assert config.limits == Limits(streams=2)


def test_a_bot_can_always_join_all_its_matches_at_once() -> None:
    """Else it would be refused, then put out, for coming back."""
    assert load_config({"limits.frames_per_second": "12800"}).limits.slots_per_bot == 256
    assert load_config({"limits.frames_per_second": "50", "limits.slots_per_bot": "1"}).limits.slots_per_bot == 1
    with pytest.raises(ConfigError, match=r"limits\.frames_per_second is at least 12800"):
        load_config({"limits.frames_per_second": "12799"})


def test_a_redis_password_is_not_in_what_a_config_prints_as() -> None:
    assert "secret" not in repr(load_config({"redis": "redis://:secret@127.0.0.1:1"}))


def test_times_are_given_in_seconds_and_kept_in_microseconds(tmp_path: Path) -> None:
    config = load_config({"time.move": "0.5"}, {"AGON_TIME_BANK": "7"}, write(tmp_path, "[time]\ngrace = 0.1\n"))

    assert config.time == TimeControl(move=MICROSECONDS // 2, bank=7 * MICROSECONDS, grace=MICROSECONDS // 10)


def test_a_list_is_written_with_commas_or_as_an_array(tmp_path: Path) -> None:
    expected = ("greedy", "random")

    assert load_config({"house": "greedy, random"}).house == expected
    assert load_config(file=write(tmp_path, 'house = ["greedy", "random"]')).house == expected
    assert load_config({"house": ""}).house == ()


def test_new_ladders_forfeit_with_two_seats_and_substitute_with_more() -> None:
    config = load_config({"strikes": "5"})

    assert [config.default_policy(seats).on_fault for seats in (2, 3)] == [OnFault.FORFEIT, OnFault.SUBSTITUTE]
    assert config.default_policy(2).strikes == 5


LISTENS = "an address is HOST:PORT, or [IPV6]:PORT, with a port from 0 to 65535"
BAD_VALUES = [
    ("listen", "7420", f"--listen: {LISTENS}, not '7420'"),
    ("listen", ":7420", f"--listen: {LISTENS}, not ':7420'"),
    (
        "listen",
        "::1:7420",
        f"--listen: {LISTENS}, not '::1:7420'",
    ),
    (
        "listen",
        "127.0.0.1:65536",
        f"--listen: {LISTENS}, not '127.0.0.1:65536'",
    ),
    (
        "listen",
        "127.0.0.1:-1",
        f"--listen: {LISTENS}, not '127.0.0.1:-1'",
    ),
    (
        "listen",
        "127.0.0.1:٣",
        f"--listen: {LISTENS}, not '127.0.0.1:٣'",
    ),
    ("name", "", "--name: expected a text, not ''"),
    ("name", "Zeus", "letter or digit first, not 'Zeus'"),
    ("name", "a" * 64, "letter or digit first, not 'aaaa"),
    ("name", "a/b", "letter or digit first, not 'a/b'"),
    ("redis", "localhost:6379", "--redis: expected a URL such as redis://HOST:6379/0"),
    ("redis", "redis://[::1", "or unix:///PATH, not 'redis://[::1'"),
    ("redis", "redis://host:port", "or unix:///PATH, not 'redis://host:port'"),
    ("redis", "http://me:secret@host/", "or unix:///PATH, not 'http://host/'"),
    ("insecure", "maybe", "--insecure: expected true or false, not 'maybe'"),
    ("house", 3, "--house: expected a list of names, not 3"),
    ("deliveries", "0", "--set deliveries: expected a whole number from 1 to 100, not '0'"),
    ("deliveries", True, "--set deliveries: expected a whole number from 1 to 100, not True"),
    ("lease", "soon", "--set lease: expected 0.1 to 3600 seconds, not 'soon'"),
    ("lease", "nan", "--set lease: expected 0.1 to 3600 seconds, not 'nan'"),
    ("lease", "0", "--set lease: expected 0.1 to 3600 seconds, not '0'"),
    ("time.move", "-1", "--set time.move: expected 0 to 86400 seconds, not '-1'"),
    ("limits.unsent_bytes", "1", "--set limits.unsent_bytes: expected a whole number from 131072"),
    ("tls.cert", "/no/such.pem", "TLS needs a certificate and its key; tls.key is missing"),
    ("advertise", "arena.example:0", "with a port from 1 to 65535, not 'arena.example:0'"),
]


@pytest.mark.parametrize(("key", "value", "message"), BAD_VALUES)
def test_a_bad_value_is_one_line_that_ends_with_it(key: str, value: Any, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load_config({key: value})

    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_error_names_the_environment_variable_or_the_file_it_came_from(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"^AGON_LIMITS_STREAMS: expected a whole number"):
        load_config(env={"AGON_LIMITS_STREAMS": "many"})
    with pytest.raises(ConfigError, match=r"agon\.toml: limits\.streams: expected a whole number"):
        load_config(file=write(tmp_path, "[limits]\nstreams = 1.5"))


def test_an_unknown_key_is_refused_and_the_known_ones_are_listed(tmp_path: Path) -> None:
    with pytest.raises(
        ConfigError,
        match=r"agon\.toml: limit\.streams is no setting; did you mean limits.streams\? `agon settings` lists all",
    ):
        load_config(file=write(tmp_path, "[limit]\nstreams = 1"))


def test_broken_toml_is_told_with_file_and_line(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"agon\.toml:2: not TOML: [a-z]"):
        load_config(file=write(tmp_path, "lease = 1\nping = = 2\n"))


def test_toml_that_cannot_be_read_is_told_whatever_is_wrong_with_it(tmp_path: Path) -> None:
    for text, message in (
        ("lease = " + "9" * 5_000, "not TOML that can be read: it has a number that is too long"),
        ("lease = " + "[" * 9_999, "not TOML that can be read: nested too deeply"),
    ):
        with pytest.raises(ConfigError, match=message):
            load_config(file=write(tmp_path, text))


def test_a_byte_order_mark_changes_nothing(tmp_path: Path) -> None:
    assert load_config(file=write(tmp_path, "\ufeffping = 7\n")).ping == 7


def test_a_file_that_is_missing_or_no_text_is_told(tmp_path: Path) -> None:
    binary = tmp_path / "binary.toml"
    binary.write_bytes(b"\xff\xfe")

    with pytest.raises(ConfigError, match="there is no file"):
        load_config(file=tmp_path / "none.toml")
    with pytest.raises(ConfigError, match="not a UTF-8 text"):
        load_config(file=binary)
    with pytest.raises(ConfigError, match="cannot read"):
        load_config(file=tmp_path)


@pytest.mark.parametrize("listen", ["0.0.0.0:7420", "[::]:7420", "192.0.2.1:7420", "arena.example:7420"])
def test_listening_beyond_loopback_needs_tls_or_an_explicit_insecure(listen: str, tmp_path: Path) -> None:
    cert, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    cert.touch()
    key.touch()

    with pytest.raises(ConfigError, match="needs TLS"):
        load_config({"listen": listen})
    assert load_config({"listen": listen, "insecure": True}).insecure
    assert load_config({"listen": listen, "tls.cert": str(cert), "tls.key": str(key)}).tls


@pytest.mark.parametrize("listen", ["127.0.0.1:0", "127.9.9.9:1", "localhost:7420", "[::1]:7420"])
def test_loopback_needs_neither(listen: str) -> None:
    assert str(load_config({"listen": listen}).listen) == listen


def test_metrics_go_beyond_loopback_where_the_server_may() -> None:
    with pytest.raises(ConfigError, match=r"--insecure\); metrics is '0\.0\.0\.0:7421'"):
        load_config({"metrics": "0.0.0.0:7421"})
    assert not load_config({"metrics": "0.0.0.0:7421", "insecure": True}).metrics.is_loopback


@pytest.mark.parametrize("listen", ["0.0.0.0:7420", "[::]:7420"])
def test_a_server_that_shares_its_store_says_where_bots_dial_it(listen: str) -> None:
    shared = {"redis": "redis://db", "listen": listen, "insecure": True}

    with pytest.raises(ConfigError, match="say by --advertise HOST:PORT where they reach this one"):
        load_config(shared)
    assert load_config({**shared, "advertise": "arena.example:7420"}).advertise
    assert load_config({"listen": listen, "insecure": True}).advertise is None


def test_tls_files_must_exist_and_exclude_insecure(tmp_path: Path) -> None:
    here = tmp_path / "here.pem"
    here.touch()

    with pytest.raises(ConfigError, match=r"there is no file '/no/such\.pem'"):
        load_config({"tls.cert": "/no/such.pem", "tls.key": str(here)})
    with pytest.raises(ConfigError, match="contradict"):
        load_config({"tls.cert": str(here), "tls.key": str(here), "insecure": True})


def test_a_time_control_without_any_time_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"^time: a time control gives some time"):
        load_config({"time.move": 0, "time.bank": 0})


def test_set_takes_a_known_key_and_a_value() -> None:
    assert parse_assignment("limits.streams=5") == ("limits.streams", "5")
    with pytest.raises(ConfigError, match="KEY=VALUE, not 'lease'"):
        parse_assignment("lease")
    with pytest.raises(ConfigError, match="leash is no setting"):
        parse_assignment("leash=5")


@pytest.mark.parametrize(("check", "longest"), [(check_bot_name, 40), (check_server_name, 63)])
def test_names_are_checked_by_one_rule(check: Callable[[str], str], longest: int) -> None:
    for good in ("greedy-2.b_x", "0", "a" * longest):
        assert check(good) == good
    for bad in ("", "-a", ".a", "a b", "ä", "a\n", "A", "a" * (longest + 1)):
        with pytest.raises(ConfigError, match=f"'s name is 1 to {longest} of a-z"):
            check(bad)


def test_a_house_bot_has_a_bots_name() -> None:
    with pytest.raises(ConfigError, match=r"^--house: a bot's name is 1 to 40"):
        load_config({"house": "a" * 41})


def test_every_field_can_be_set_and_every_default_reads_back() -> None:
    """Cross-check of the list of settings against the dataclasses it fills."""
    targets = {setting.path for setting in SETTINGS}
    expected: set[tuple[str, ...]] = {
        (item.name,) for item in fields(ServerConfig) if item.name not in ("time", "limits")
    }
    expected |= {("time", item.name) for item in fields(TimeControl)}
    expected |= {("limits", item.name) for item in fields(Limits)}

    assert targets == expected
    for setting in SETTINGS:
        text = default_text(ServerConfig(), setting)
        if text:
            assert load_config({setting.key: text}) == ServerConfig()


def test_the_reference_pages_are_what_the_code_says() -> None:
    """To write them anew: `python server/reference.py`."""
    pages = runpy.run_path(str(SERVER / "reference.py"))["PAGES"]

    assert {name: page() for name, page in pages.items()} == {
        name: (SERVER / name).read_text(encoding="utf-8") for name in pages
    }


def test_a_variable_that_is_nearly_a_setting_is_told() -> None:
    env = {
        "AGON_LISTN": "x",
        "AGON_TIME_MOV": "1",
        "AGON_LISTEN": "127.0.0.1:1",
        "AGON_TOKEN": "agon_x",
        "AGON_SERVER": "h:1",
        "AGON_ADMIN_TOKEN": "x",
        "AGON_TOKEN_FILE": "x",
        "PATH": "x",
    }

    told = misspelt_variables(env)

    assert told == [
        "the variable AGON_LISTN is no setting; did you mean AGON_LISTEN? `agon settings` lists all",
        "the variable AGON_TIME_MOV is no setting; did you mean AGON_TIME_MOVE? `agon settings` lists all",
    ]


def test_a_setting_that_is_like_none_is_only_told_where_all_are_listed() -> None:
    with pytest.raises(ConfigError, match=r"^--set: zzz is no setting; `agon settings` lists all$"):
        parse_assignment("zzz=1")
    with pytest.raises(
        ConfigError, match=r"^--set: time.movee is no setting; did you mean time.move\? `agon settings`"
    ):
        parse_assignment("time.movee=1")
