"""Whether any live object of this process holds a marked text: whatever the globals of modules, the frames of threads and
all objects that the garbage collector tracks lead to."""

from __future__ import annotations

import gc
import re
import sys
from collections.abc import Iterator, Sequence
from types import FrameType
from typing import Any

import regex
from psycopg.pq import PGconn

_COMPILED = (re.Pattern, regex.Pattern)
_MOST_STEPS = 16


def holders(*stems: str) -> list[str]:
    """The way to each object that holds one of the stems, as the kinds of the objects from it back to a root; each way once.

    Stems are in lower case; texts are searched in any case, bytes too, the patterns of compiled expressions, and the last
    error of each connection to a database, which lies outside of Python.
    """
    while gc.collect():
        pass
    raws = [stem.encode() for stem in stems]
    ways: dict[int, tuple[str, int]] = {}  # of each object met: what it is, and from which it was met
    met: list[Any] = []  # keeps them alive: no id is given a second time meanwhile
    found: dict[str, None] = {}
    own = {id(sys._getframe()), *map(id, (stems, *stems, raws, *raws, ways, met, found))}
    own.add(id(own))
    at = 0
    for roots in (_modules(), _others()):  # modules first, so that a way leads to one where there is one
        for name, root in roots:
            if id(root) not in ways and id(root) not in own:
                ways[id(root)] = (name, 0)
                met.append(root)
        while at < len(met):
            one = met[at]
            at += 1
            if _holds(one, stems, raws):
                found.setdefault(_way(one, ways))
            keys = (
                list(dict.keys(one)) if isinstance(one, dict) else ()
            )  # the collector passes by keys that are texts
            for inner in (*gc.get_referents(one), *keys):
                if id(inner) not in ways and id(inner) not in own:
                    ways[id(inner)] = (_kind(inner), id(one))
                    met.append(inner)
    return list(found)


def _modules() -> Iterator[tuple[str, Any]]:
    for name in sorted(sys.modules):
        yield f"the module {name}", sys.modules[name]


def _others() -> Iterator[tuple[str, Any]]:
    for frame in sys._current_frames().values():
        calling: FrameType | None = frame
        while calling is not None:
            if calling.f_globals is not globals():
                yield "the frame of a thread", calling.f_locals  # a frame that runs leads nowhere by itself
            calling = calling.f_back
    for one in gc.get_objects():
        yield f"a {_kind(one)} that no module leads to", one


def _holds(one: Any, stems: Sequence[str], raws: Sequence[bytes]) -> bool:
    if isinstance(one, _COMPILED):
        one = one.pattern
    elif isinstance(one, PGconn):
        one = one.error_message
    if isinstance(one, str):
        low = one.lower()
        return any(stem in low for stem in stems)
    return isinstance(one, bytes | bytearray) and any(raw in one.lower() for raw in raws)


def _kind(one: Any) -> str:
    kind = type(one)
    return f"{kind.__module__}.{kind.__qualname__}".removeprefix("builtins.")


def _way(one: Any, ways: dict[int, tuple[str, int]]) -> str:
    steps: list[str] = []
    at = id(one)
    while at and len(steps) < _MOST_STEPS:
        step, at = ways[at]
        steps.append(step)
    return " < ".join(steps)
