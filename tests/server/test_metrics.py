"""Metrics: the exposition is valid, names are unique, labels bounded."""

from __future__ import annotations

import http.client
import re
import shutil
import socket
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from agon.address import Address
from agon_engine.core.policy import Termination
from agon_engine.registry import game_names
from agon_server.exposition import Exposition
from agon_server.metrics import REFUSED_CODES, REJECTED_CODES, Metrics

SERVER = Path(__file__).parents[2] / "server"
UNBOUNDED = {"match", "bot", "owner", "seat", "ladder", "instance", "address", "token"}
ANY = Address("127.0.0.1", 0)


@pytest.fixture
def served() -> Iterator[tuple[Metrics, Exposition, list[str]]]:
    why_not = [""]
    metrics = Metrics()
    exposition = Exposition(ANY, metrics.registry, lambda: why_not[0])
    yield metrics, exposition, why_not
    exposition.close()


def get(address: Address, path: str, method: str = "GET") -> tuple[int, str]:
    connection = http.client.HTTPConnection(address.host, address.port, timeout=10)
    try:
        connection.request(method, path)
        response = connection.getresponse()
        return response.status, response.read().decode()
    finally:
        connection.close()


def count_something(metrics: Metrics) -> None:
    for game in game_names():
        of_game = metrics.for_game(game)
        of_game.started.inc()
        of_game.running.set(3)
        of_game.finished[Termination.SCORE].inc()
        of_game.decision_seconds.observe(0.03)
        of_game.overhead_seconds.observe(0.0004)
        of_game.faults[Termination.TIMEOUT].inc()
        of_game.strikes[Termination.ILLEGAL].inc()
    metrics.rejected["stale"].inc()
    metrics.refused["token"].inc()
    metrics.finish_seconds.observe(0.001)
    metrics.loop_lag_seconds.observe(0.001)


def test_the_exposition_is_valid_and_holds_every_declared_metric(
    served: tuple[Metrics, Exposition, list[str]],
) -> None:
    metrics, exposition, _ = served
    count_something(metrics)

    status, text = get(exposition.address, "/metrics")

    families = {family.name: family for family in text_string_to_metric_families(text)}
    assert status == 200
    for item in metrics.declarations:
        family = families[item.name.removesuffix("_total") if item.kind == "counter" else item.name]
        assert item.kind == family.type
        assert item.help == family.documentation
    assert {item.name.removesuffix("_total") for item in metrics.declarations} == {
        name for name in families if name.startswith("agon_")
    }


def test_counted_values_come_out_as_they_went_in(served: tuple[Metrics, Exposition, list[str]]) -> None:
    metrics, exposition, _ = served
    count_something(metrics)

    _, text = get(exposition.address, "/metrics")

    samples = {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }
    game = ("game", game_names()[0])
    assert samples[("agon_matches_finished_total", (game, ("termination", "score")))] == 1
    assert samples[("agon_matches_finished_total", (game, ("termination", "timeout")))] == 0
    assert samples[("agon_running_matches", (game,))] == 3
    assert samples[("agon_decision_seconds_count", (game,))] == 1
    assert samples[("agon_decision_seconds_sum", (game,))] == 0.03
    assert samples[("agon_rejected_frames_total", (("code", "stale"),))] == 1


def test_every_name_is_declared_once_and_in_the_form_that_prometheus_asks_for() -> None:
    names = [item.name for item in Metrics().declarations]

    assert len(set(names)) == len(names)
    for item in Metrics().declarations:
        assert re.fullmatch(r"agon_[a-z_]+", item.name)
        assert (item.kind == "counter") == item.name.endswith("_total")
        assert item.help.endswith(".")


def test_labels_are_bounded_and_name_no_match_bot_or_owner() -> None:
    metrics = Metrics()
    count_something(metrics)

    bounds = {"game": set(game_names()), "code": {*REJECTED_CODES, *REFUSED_CODES}}
    bounds["termination"] = bounds["kind"] = {why.value for why in Termination}
    for item in metrics.declarations:
        assert not UNBOUNDED & set(item.labels)
    for family in metrics.registry.collect():
        for sample in family.samples:
            for label, value in sample.labels.items():
                if label in bounds:
                    assert value in bounds[label]


def test_a_game_that_was_not_declared_has_no_metrics() -> None:
    with pytest.raises(KeyError):
        Metrics().for_game("no such game")


def test_two_servers_in_one_process_count_apart() -> None:
    first, second = Metrics(), Metrics()

    first.redeliveries.inc()

    assert first.registry.get_sample_value("agon_redeliveries_total") == 1
    assert second.registry.get_sample_value("agon_redeliveries_total") == 0


@pytest.mark.skipif(shutil.which("promtool") is None, reason="promtool is not installed")
def test_promtool_has_no_complaint(served: tuple[Metrics, Exposition, list[str]]) -> None:
    metrics, exposition, _ = served
    count_something(metrics)

    _, text = get(exposition.address, "/metrics")

    ours = "".join(line for line in text.splitlines(keepends=True) if "agon_" in line)
    done = subprocess.run(["promtool", "check", "metrics"], input=ours, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


def test_every_metric_is_fed_somewhere_in_the_server() -> None:
    """A metric that nothing counts would stand at 0 for ever and be believed."""
    source = "".join(
        path.read_text(encoding="utf-8") for path in SERVER.rglob("*.py") if path.name not in ("metrics.py",)
    )
    public = [name for name in vars(Metrics()) if not name.startswith("_")]
    of_game = list(type(Metrics().for_game(game_names()[0])).__slots__)

    unfed = [name for name in [*public, *of_game] if not re.search(rf"\.{name}\b", source) and name != "declarations"]
    assert unfed == []


def test_healthz_tells_whether_the_server_serves_and_why_not(served: tuple[Metrics, Exposition, list[str]]) -> None:
    _, exposition, why_not = served

    assert get(exposition.address, "/healthz") == (200, "serving\n")
    why_not[0] = "the store's disk is full"
    assert get(exposition.address, "/healthz") == (503, "not serving: the store's disk is full\n")


def test_other_paths_and_methods_are_refused(served: tuple[Metrics, Exposition, list[str]]) -> None:
    _, exposition, _ = served

    assert get(exposition.address, "/")[0] == 404
    assert get(exposition.address, "/metrics", "POST")[0] == 405


def test_closing_frees_the_port_and_ends_the_thread() -> None:
    exposition = Exposition(ANY, Metrics().registry, str)
    exposition.close()
    exposition.close()

    again = Exposition(exposition.address, Metrics().registry, str)
    again.close()
    assert [thread.name for thread in threading.enumerate() if thread.name == "exposition"] == []


def test_a_port_in_use_is_an_error_at_once(served: tuple[Metrics, Exposition, list[str]]) -> None:
    _, exposition, _ = served

    with pytest.raises(OSError, match="in use"):
        Exposition(exposition.address, Metrics().registry, str)


def test_a_client_that_hangs_up_leaves_no_word_on_stderr(
    served: tuple[Metrics, Exposition, list[str]], capfd: pytest.CaptureFixture[str]
) -> None:
    _, exposition, _ = served

    with socket.create_connection((exposition.address.host, exposition.address.port)) as client:
        client.sendall(b"GET /met")
    get(exposition.address, "/healthz")

    assert tuple(capfd.readouterr()) == ("", "")


def test_only_so_many_requests_are_answered_at_a_time(served: tuple[Metrics, Exposition, list[str]]) -> None:
    _, exposition, _ = served
    idle = [socket.create_connection((exposition.address.host, exposition.address.port)) for _ in range(40)]
    for client in idle:
        client.close()

    assert get(exposition.address, "/metrics")[0] == 200
