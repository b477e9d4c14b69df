"""Previews: what a step would destroy, told before it is done.

A step that destroys wants two things: If-Match, the ETag of what it changes as it was seen, and the preview that a dry
run of the very same step gave. A preview vouches for the step, for the rows of the registry that it is about, and for
the figures that it showed; it is stale when any of these has changed. All of it is made of the registry and of the
weekly snapshot: no live row of a principal shows in a preview, or in whether it is stale.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from ledger.core.figures import Figure, Figures
from ledger.core.model import Topic
from ledger.db import operator as db
from ledger.db.operation import UseCase
from ledger.errors import PreconditionFailed, PreviewNeeded
from ledger.service.context import Context


@dataclass(frozen=True, slots=True)
class Shown:
    """The figures of a step, by the weekly snapshot. None where they do not concern it."""

    principals: Figure  # who have an answer that it is about
    dropped: Figure | None = None  # answers that a shorter window may drop
    asked_again: Figure | None = None  # answers that a shorter window may make a question


@dataclass(frozen=True, slots=True)
class Preview:
    """What a step would do. `token` vouches for the dry run; None where the step needs no preview."""

    destroys: tuple[str, ...]
    drawn_on: date | None  # the day of the snapshot
    shown: Shown
    token: str | None


@dataclass(frozen=True, slots=True)
class Asked:
    """How a step comes: what was seen of the thing, the preview of its dry run; or that it is to be run dry."""

    if_match: str | None = None
    preview: str | None = None
    dry_run: bool = False


def document(topic: Topic) -> db.Document:
    """The row of a topic, without its aliases."""
    return {
        "key": topic.key,
        "question": topic.question,
        "handling": topic.handling.value,
        "given": topic.given,
        "authority": topic.authority,
        "reconfirm_after": topic.reconfirm_after,
        "drop_after": topic.drop_after,
        "listed": topic.listed,
    }


def etag(topic: Topic) -> str:
    """Changes whenever the topic does (its aliases apart). Source: RFC 9110, section 8.8.3."""
    return etag_of(document(topic))


def etag_of(row: Mapping[str, Any]) -> str:
    return f'"{hashlib.sha256(json.dumps(row, sort_keys=True).encode()).hexdigest()[:32]}"'


def allowed(
    context: Context,
    asked: Asked,
    tag: str,
    step: Mapping[str, Any],
    destroys: tuple[str, ...],
    about: str | None,
    figures: Callable[[Figures], Shown],
) -> UseCase[Preview | None]:
    """None where the step may be done; of a dry run its Preview. `about` is the topic of the figures, None: all.

    Raises PreviewNeeded where the step destroys and comes without If-Match or without a preview, and PreconditionFailed
    where one of the two is stale.
    """
    if asked.if_match is not None and asked.if_match not in ("*", tag):
        raise PreconditionFailed("This has changed since it was read. Read it again, then decide.")
    if not destroys and not asked.dry_run:
        return None
    snapshot: Figures = yield db.snapshot_read(about)
    shown = figures(snapshot)
    vouched = {
        **step,
        "drawn_on": str(snapshot.drawn_on),
        "shown": [shown.principals, shown.dropped, shown.asked_again],
    }
    token = context.identity.preview(vouched) if destroys else None
    if asked.dry_run:
        return Preview(destroys, snapshot.drawn_on, shown, token)
    if asked.if_match is None or asked.preview is None:
        raise PreviewNeeded(
            "This step destroys answers, or has people asked again. Run it with `?dry_run=true`, then send its `preview` "
            "and, in If-Match, the ETag of what it changes."
        )
    if asked.preview != token:
        raise PreconditionFailed(
            "The preview is not of this step as it would be done now. Run it with `?dry_run=true` again, then decide."
        )
    return None
