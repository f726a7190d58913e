"""The hot path's histogram gives what the client library's own gives."""

from __future__ import annotations

import random

import pytest
from prometheus_client import CollectorRegistry, Histogram, generate_latest
from prometheus_client.parser import text_string_to_metric_families

from agon_server.histogram import LoopHistogram

BOUNDS = (0.001, 0.01, 0.5, 2)


def samples(registry: CollectorRegistry) -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    text = generate_latest(registry).decode()
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
        if not sample.name.endswith("_created")
    }


def test_it_exposes_the_same_samples_as_the_library() -> None:
    ours, theirs = CollectorRegistry(), CollectorRegistry()
    mine = LoopHistogram("took_seconds", "How long.", ("game",), BOUNDS, ours)
    library = Histogram("took_seconds", "How long.", ("game",), buckets=BOUNDS, registry=theirs)
    values = [*BOUNDS, 0.0, 3.0, *(random.Random(1).expovariate(1) for _ in range(500))]
    for game in ("one", "two"):
        for value in values:
            mine.labels(game).observe(value)
            library.labels(game).observe(value)

    assert samples(theirs) == pytest.approx(samples(ours))


def test_a_wrong_number_of_labels_is_refused() -> None:
    histogram = LoopHistogram("took_seconds", "How long.", ("game",), BOUNDS, CollectorRegistry())

    with pytest.raises(ValueError, match="has the labels"):
        histogram.labels()


def test_a_name_is_registered_once() -> None:
    registry = CollectorRegistry()
    LoopHistogram("took_seconds", "How long.", (), BOUNDS, registry)

    with pytest.raises(ValueError, match="Duplicated"):
        LoopHistogram("took_seconds", "How long.", (), BOUNDS, registry)
