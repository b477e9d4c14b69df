"""Labels of topics: aliases, and merges, after which a key is a label of another topic."""

from __future__ import annotations

from ledger.core.figures import OR_MORE, Figures
from ledger.core.model import Topic
from ledger.core.registry.label import normalise
from ledger.db import operator as db
from ledger.db.operation import UseCase
from ledger.errors import InvalidRequest, Problem
from ledger.service import taking
from ledger.service.context import Context
from ledger.service.operators.fields import check_category
from ledger.service.operators.preview import Asked, Preview, Shown, allowed, document, etag
from ledger.service.operators.registry import topic

_DESTROYS = (
    "the topic itself: its key becomes a label of the other",
    "of two answers the older one",
    "bare answers",
)


def merge(
    context: Context,
    label: str,
    into: str,
    if_match: str | None = None,
    preview: str | None = None,
    *,
    dry_run: bool = False,
) -> UseCase[Topic | Preview]:
    """Merges a topic into another, whose label it becomes. Raises as `registry.change` does."""
    old = yield from topic(context, label)
    target = yield from topic(context, into)
    if old.key == target.key:
        raise InvalidRequest(
            "A topic can't be merged into itself.", [Problem("into", "names the same topic")]
        )
    strictest = max(old.handling, target.handling, key=lambda h: h.rank) if old.given else target.handling
    check_category(
        context,
        target.key,
        (*target.aliases, old.key, *old.aliases),
        listed=target.listed,
        handling=strictest,
        question=target.question,
    )
    step = {"step": "merge", "topic": document(old), "into": document(target)}

    def figures(snapshot: Figures) -> Shown:
        return Shown(snapshot.all if old.listed else OR_MORE)

    asked = Asked(if_match, preview, dry_run)
    seen = yield from allowed(context, asked, etag(old), step, _DESTROYS, old.key, figures)
    if isinstance(seen, Preview):
        return seen
    merge_ = db.topics_merge(old.key, document(old), target.key)
    merged: Topic = yield from taking.step_of_the_registry(context, merge_, {old.key}, (old.key, target.key))
    return merged


def put_alias(context: Context, label: str, alias: str) -> UseCase[None]:
    """Another label for a topic; moves an alias of another one. Raises BadLabel, NotFound, Conflict.

    A key that was coined under this label, and that operators do not see, goes on under the topic, silently.
    """
    key = normalise(alias)
    named = yield from topic(context, label)
    along: list[str] = yield db.aliases_of(key)
    check_category(
        context,
        named.key,
        (*named.aliases, key, *along),
        listed=named.listed,
        handling=named.handling,
        question=named.question,
    )
    put = db.alias_put(key, named.key)
    yield from taking.step_of_the_registry(context, put, {key}, (key, named.key), label=key)


def delete_alias(context: Context, label: str, alias: str) -> UseCase[None]:
    """The label leads to that topic no longer. Raises BadLabel, NotFound, Conflict."""
    key = normalise(alias)
    yield from taking.step_of_the_registry(context, db.alias_delete(key, normalise(label)), label=key)
