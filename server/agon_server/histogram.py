"""A histogram for the hot path: observing is two additions (`series`), and the client library makes the exposition of
it.

The library's own histogram takes locks and goes through three objects for each observation; a server observes twice a
decision. Only the event loop's thread may observe; any thread may collect.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from prometheus_client.core import HistogramMetricFamily
from prometheus_client.registry import Collector, CollectorRegistry
from prometheus_client.utils import floatToGoString

from agon_server.series import Series


class LoopHistogram(Collector):
    """A histogram whose observations all come from one thread."""

    def __init__(
        self, name: str, text: str, labels: Sequence[str], bounds: Sequence[float], registry: CollectorRegistry
    ) -> None:
        """Register the metric; `bounds` are the upper ends of its buckets, ascending, without infinity."""
        self._name = name
        self._text = text
        self._label_names = tuple(labels)
        self._bounds = tuple(bounds)
        self._ends = [*map(floatToGoString, self._bounds), "+Inf"]
        self._series: dict[tuple[str, ...], Series] = {}
        registry.register(self)

    def labels(self, *values: str) -> Series:
        """Return the series of these label values, made when it is new. Raise ValueError for a wrong number of them."""
        if len(values) != len(self._label_names):
            raise ValueError(f"{self._name} has the labels {self._label_names!r}, not {values!r}")

        return self._series.setdefault(values, Series(self._bounds))

    def describe(self) -> Iterator[HistogramMetricFamily]:
        """Yield the metric without samples: what the registry checks names by."""
        yield HistogramMetricFamily(self._name, self._text, labels=self._label_names)

    def collect(self) -> Iterator[HistogramMetricFamily]:
        """Yield the metric with its samples."""
        family = HistogramMetricFamily(self._name, self._text, labels=self._label_names)
        for values, series in list(self._series.items()):
            counts, total = series.read()
            family.add_metric(values, buckets=list(zip(self._ends, counts, strict=True)), sum_value=total)
        yield family
