"""Figures for the people who run the ledger: how many requests, of which kind, how fast.

Labels hold the route's template, the method and the status; no principal, no topic, nothing that a
caller wrote. Of several workers they are added up, whichever answers: each writes its own into files of a folder that the
client library is told of (`workers.py`). They begin with the start, and end with the service.

Source: DESIGN sections 3 (G1, G3) and 8.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import date
from functools import cache

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, Summary, generate_latest
from prometheus_client.metrics_core import Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector
from starlette.types import Scope

REGISTRY = CollectorRegistry()
CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

_FIRST_DAY = date(1970, 1, 1)
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})

REQUESTS = Counter(
    "ledger_http_requests", "Requests answered.", ("method", "route", "status"), registry=REGISTRY
)
SECONDS = Histogram(
    "ledger_http_request_seconds",
    "Seconds from a request's head to the end of its response.",
    ("route",),
    registry=REGISTRY,
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5),
)

REFUSED_REQUESTS = Counter(
    "ledger_requests_refused",
    "Requests answered with a problem, by its slug.",
    ("problem",),
    registry=REGISTRY,
)
REFUSED_SPANS = Counter(
    "ledger_spans_refused", "Spans that the gate refused, by its reason.", ("reason",), registry=REGISTRY
)
POOL_WAIT = Summary(
    "ledger_pool_wait_seconds",
    "Seconds until an operation that found no idle connection had one, or none in time.",
    registry=REGISTRY,
)

HELD_BACK = Gauge(
    "ledger_sweep_held_back",
    "Tables whose vacuum after the last sweep an older transaction held back.",
    registry=REGISTRY,
    multiprocess_mode="max",
)
LAST_SWEEP = Gauge(
    "ledger_last_sweep_day",
    "The day (UTC) of the last sweep that came to its end, in days since 1970-01-01; 0: none that this service knows of.",
    registry=REGISTRY,
    multiprocess_mode="max",
)

BEHIND = Gauge(
    "ledger_record_ahead",
    "1 where the record is ahead of the database, as after a restore: agents get nothing, till it is reconciled.",
    registry=REGISTRY,
    multiprocess_mode="max",
)


def count(scope: Scope, status: int, seconds: float) -> None:
    """Count a request that was answered with `status`."""
    method = scope["method"] if scope["method"] in _METHODS else "other"
    requests, latency = _children(method, getattr(scope.get("route"), "path", "none"), status)
    requests.inc()
    latency.observe(seconds)


def swept(day: date | None) -> None:
    """Tell the day of the last sweep that came to its end."""
    if day is not None:
        LAST_SWEEP.set((day - _FIRST_DAY).days)


@cache
def _children(method: str, route: str, status: int) -> tuple[Counter, Histogram]:
    return REQUESTS.labels(method, route, str(status)), SECONDS.labels(route)


class _WithoutInstants(Collector):
    """Our figures without the instant at which each was first counted, which the client library adds."""

    def collect(self) -> Iterator[Metric]:
        several = "PROMETHEUS_MULTIPROC_DIR" in os.environ
        source = MultiProcessCollector(None) if several else REGISTRY  # type: ignore[no-untyped-call]
        for metric in source.collect():
            metric.samples = [sample for sample in metric.samples if not sample.name.endswith("_created")]
            yield metric


_SHOWN = CollectorRegistry()
_SHOWN.register(_WithoutInstants())


def exposition() -> bytes:
    """The figures in the text format of Prometheus."""
    return generate_latest(_SHOWN)
