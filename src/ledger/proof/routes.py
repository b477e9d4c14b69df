"""The routes of an application, read from the application itself, and what each of them takes.

There is no list by hand: a route that somebody adds is walked the day it is written.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, get_args

from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from pydantic import BaseModel
from starlette.routing import BaseRoute, Mount, compile_path
from starlette.routing import Route as Plain

ANY = "any method"


@dataclass(frozen=True, slots=True)
class Route:
    """A path under one method. `parts` are what a caller can fill, by name: `path id`, `query limit`,
    `header If-Match`, `body candidates.topic`."""

    method: str
    path: str
    parts: frozenset[str]

    def __str__(self) -> str:
        return f"{self.method} {self.path}"

    def named(self, path: str) -> dict[str, str] | None:
        """What stands in a path for each of its parameters; None for a path that is another route's."""
        found = compile_path(self.path)[0].match(path)
        return None if found is None else found.groupdict()


def inner(app: Any) -> Any:
    """The application itself, whatever was wrapped around it."""
    while not hasattr(app, "state"):
        app = app.app
    return app


def routes_of(app: Any) -> list[Route]:
    """Every route, in the order in which the application tries them; HEAD is not told apart from GET."""
    return list(_walked(inner(app).routes, ""))


def reached(routes: Iterable[Route], method: str, path: str) -> Route | None:
    """The route that a request comes to."""
    return next((one for one in routes if one.method in (method, ANY) and one.named(path) is not None), None)


def _walked(routes: Iterable[BaseRoute], above: str) -> Iterator[Route]:
    for route in routes:
        path = above + getattr(route, "path", "")
        if isinstance(route, Mount) and route.routes:
            yield from _walked(route.routes, path)
        elif isinstance(route, Plain):
            for method in sorted(route.methods or {ANY}):
                if method != "HEAD" or "GET" not in (route.methods or ()):
                    yield Route(method, path, frozenset(_parts(route)))
        else:  # another application, which keeps its routes to itself
            yield Route(ANY, f"{path}/{{rest:path}}", frozenset({"path rest"}))


def _parts(route: Plain) -> Iterator[str]:
    yield from (f"path {name}" for name in route.param_convertors)
    if isinstance(route, APIRoute):
        yield from _given(route.dependant)
        if route.body_field is not None:
            yield from (f"body {name}" for name in _leaves(route.body_field.field_info.annotation))


def _given(dependant: Dependant) -> Iterator[str]:
    for kind, fields in (
        ("query", dependant.query_params), ("header", dependant.header_params), ("cookie", dependant.cookie_params),
    ):  # fmt: skip
        for field in fields:
            names = list(_leaves(field.field_info.annotation))
            yield from (f"{kind} {name or field.alias}" for name in names)
    for one in dependant.dependencies:
        yield from _given(one)


def _leaves(kind: Any) -> Iterator[str]:
    """The names of everything in a model that is no model itself; "" for what is none."""
    models = list(_models(kind))
    if not models:
        yield ""
    for model in models:
        for name, field in model.model_fields.items():
            for leaf in _leaves(field.annotation):
                yield f"{field.alias or name}.{leaf}".rstrip(".")


def _models(kind: Any) -> Iterator[type[BaseModel]]:
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        yield kind
    for inside in get_args(kind):
        yield from _models(inside)
