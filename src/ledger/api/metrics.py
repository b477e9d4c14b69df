"""Figures for the people who run the ledger: how many requests, of which kind, how fast.

Labels hold the route's template, the method and the status; no principal, no topic, nothing that a
caller wrote. They are of the worker that answers, since its start.

Source: DESIGN sections 3 (G1, G3) and 8.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector
from starlette.types import Scope

REGISTRY = CollectorRegistry()
CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

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

HELD_BACK = Gauge(
    "ledger_sweep_held_back",
    "Tables whose vacuum after the last sweep of this worker an older transaction held back.",
    registry=REGISTRY,
)

BEHIND = Gauge(
    "ledger_record_ahead",
    "1 where the record is ahead of the database, as after a restore: agents get nothing, till it is reconciled.",
    registry=REGISTRY,
)


def count(scope: Scope, status: int, seconds: float) -> None:
    """Count a request that was answered with `status`."""
    method = scope["method"] if scope["method"] in _METHODS else "other"
    requests, latency = _children(method, getattr(scope.get("route"), "path", "none"), status)
    requests.inc()
    latency.observe(seconds)


@cache
def _children(method: str, route: str, status: int) -> tuple[Counter, Histogram]:
    return REQUESTS.labels(method, route, str(status)), SECONDS.labels(route)


class _WithoutInstants(Collector):
    """Our figures without the instant at which each was first counted, which the client library adds."""

    def collect(self) -> Iterator[Metric]:
        for metric in REGISTRY.collect():
            metric.samples = [sample for sample in metric.samples if not sample.name.endswith("_created")]
            yield metric


_SHOWN = CollectorRegistry()
_SHOWN.register(_WithoutInstants())


def exposition() -> bytes:
    """The figures in the text format of Prometheus."""
    return generate_latest(_SHOWN)
