"""Use cases of operators: they own the topic registry and the windows, and have no way to an entry.

A step that destroys something wants two things: the ETag of the topic as it was seen, and the preview
that a dry run of the very same step returned. Figures come from the weekly snapshot, so that no
difference of two calls shows a person.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from unicodedata import category
from uuid import UUID

from ledger.core import windows
from ledger.core.model import Handling, Topic, Window
from ledger.core.registry import handling as handlings
from ledger.core.registry.label import normalise
from ledger.db import operator as db
from ledger.db.operation import UseCase
from ledger.errors import InvalidRequest, NotFound, PreconditionFailed, PreviewNeeded, Problem
from ledger.service.context import Context

LONGEST = {"question": 300, "authority": 120}  # characters
_NOT_ON_A_LINE = frozenset(
    {"Cc", "Cs", "Zl", "Zp"}
)  # general categories; Unicode Standard Annex 44, section 5.7.1
FEWEST = 5  # principals; below it a figure is "fewer than 5"

_NO_TOPIC = "There is no such topic. List the topics to see which there are."


@dataclass(frozen=True, slots=True)
class Preview:
    """What a step would do. `token` vouches for the dry run; None where the step needs no preview."""

    destroys: tuple[str, ...]
    principals: str  # by the weekly snapshot: "fewer than 5" or a number rounded to 5
    token: str | None


def etag(topic: Topic) -> str:
    """Changes whenever the topic does (its aliases apart). Source: RFC 9110, section 8.8.3."""
    text = json.dumps(_document(topic), sort_keys=True)
    return f'"{hashlib.sha256(text.encode()).hexdigest()[:32]}"'


def topics(context: Context) -> UseCase[list[Topic]]:
    """The whole registry, by key; the sweep's proposals are marked."""
    found: list[Topic] = yield db.topics()
    return found


def topic(context: Context, label: str) -> UseCase[Topic]:
    """The topic that a label names, key or alias. Raises BadLabel, NotFound."""
    key = normalise(label)
    for one in (yield db.topics()):
        if one.key == key or key in one.aliases:
            found: Topic = one
            return found
    raise NotFound(_NO_TOPIC)


def change(
    context: Context,
    label: str,
    fields: Mapping[str, Any],
    if_match: str | None = None,
    preview: str | None = None,
    *,
    dry_run: bool = False,
) -> UseCase[Topic | Preview]:
    """Sets fields of a topic: question, handling, authority, reconfirm_after, drop_after, listed.

    A dry run gives the Preview. Raises InvalidRequest, NotFound, PreconditionFailed, and PreviewNeeded
    where the step destroys something and no preview of it is shown.
    """
    old = yield from topic(context, label)
    wanted = dict(fields)
    _check_fields(wanted)
    if (
        wanted.get("listed")
        and old.handling is Handling.SEALED
        and not old.listed
        and "handling" not in wanted
    ):
        wanted["handling"] = Handling.OPEN.value
    _check(context, old, wanted)
    if "reconfirm_after" in wanted or "drop_after" in wanted:
        windows.checked(
            wanted.get("reconfirm_after", old.reconfirm_after), wanted.get("drop_after", old.drop_after)
        )
    step = {"step": "change", "topic": _document(old), "fields": wanted}
    destroys = tuple(_destroyed(old, wanted))
    seen = yield from _allowed(context, old, step, destroys, if_match, preview, dry_run)
    if isinstance(seen, Preview):
        return seen
    yield db.topic_change(old.key, _document(old), wanted)
    changed = yield from topic(context, old.key)
    return changed


def merge(
    context: Context,
    label: str,
    into: str,
    if_match: str | None = None,
    preview: str | None = None,
    *,
    dry_run: bool = False,
) -> UseCase[Topic | Preview]:
    """Merges a topic into another, whose label it becomes. Raises as `change` does."""
    old = yield from topic(context, label)
    target = yield from topic(context, into)
    if old.key == target.key:
        raise InvalidRequest(
            "A topic can't be merged into itself.", [Problem("into", "names the same topic")]
        )
    given = old.listed or old.handling.rank > Handling.SEALED.rank  # by an operator, that is
    strictest = max(old.handling, target.handling, key=lambda h: h.rank) if given else target.handling
    _check_category(
        context,
        target,
        listed=target.listed,
        handling=strictest,
        question=target.question,
        words=(old.key, *old.aliases),
    )
    step = {"step": "merge", "topic": _document(old), "into": _document(target)}
    destroys = (
        "the topic itself: its key becomes a label of the other",
        "of two answers the older one",
        "bare answers",
    )
    seen = yield from _allowed(context, old, step, destroys, if_match, preview, dry_run)
    if isinstance(seen, Preview):
        return seen
    yield db.topics_merge(old.key, _document(old), target.key)
    merged = yield from topic(context, target.key)
    return merged


def coin(context: Context, label: str) -> UseCase[None]:
    """Registers a topic, unlisted, if its label names none. Raises BadLabel."""
    yield db.topic_coin(normalise(label))


def adopt(context: Context, wanted: Topic) -> UseCase[None]:
    """Lists a topic of a starter pack with its labels. One that is listed already stays as its operators have it.

    Labels that are topics of their own, or labels of another topic, are left to them. Raises InvalidRequest.
    """
    yield from coin(context, wanted.key)
    old = yield from topic(context, wanted.key)
    if not old.listed:
        yield from change(
            context,
            old.key,
            {name: value for name, value in _document(wanted).items() if name != "key"} | {"listed": True},
        )
    taken = {name for one in (yield db.topics()) for name in (one.key, *one.aliases)}
    new = [alias for alias in wanted.aliases if alias not in taken]
    if new:
        now = yield from topic(context, old.key)
        _check_category(context, now, listed=now.listed, handling=now.handling, words=new)
    for alias in new:
        yield db.alias_put(alias, old.key)


def put_alias(context: Context, label: str, alias: str) -> UseCase[None]:
    """Another label for a topic; moves an alias of another one. Raises BadLabel, NotFound, Conflict."""
    key = normalise(alias)
    named = yield from topic(context, label)
    _check_category(context, named, listed=named.listed, handling=named.handling, words=(key,))
    yield db.alias_put(key, named.key)


def delete_alias(context: Context, label: str, alias: str) -> UseCase[None]:
    yield db.alias_delete(normalise(alias), normalise(label))


def default_window(context: Context) -> UseCase[Window]:
    setting = yield db.setting_read()
    return Window(setting["reconfirm_after"], setting["drop_after"])


def set_default_window(
    context: Context, reconfirm_after: int | None, drop_after: int | None
) -> UseCase[Window]:
    """Changes the default; what is not given stays. Holds for every entry at once. Raises InvalidRequest."""
    old = yield from default_window(context)
    new = (
        windows.checked(
            old.reconfirm_after if reconfirm_after is None else reconfirm_after,
            old.drop_after if drop_after is None else drop_after,
        )
        or old
    )
    setting = yield db.setting_change({"reconfirm_after": new.reconfirm_after, "drop_after": new.drop_after})
    return Window(setting["reconfirm_after"], setting["drop_after"])


def place_hold(context: Context, principal: UUID) -> UseCase[None]:
    """Nothing of his is swept, deleted or replaced from now on."""
    yield db.hold_place(principal)


def lift_hold(context: Context, principal: UUID) -> UseCase[None]:
    """Lifts a hold, and completes an erasure that waited for it."""
    yield db.hold_lift(principal, context.identity.mark_all(principal))


def _document(topic: Topic) -> db.Document:
    return {
        "key": topic.key,
        "question": topic.question,
        "handling": topic.handling.value,
        "authority": topic.authority,
        "reconfirm_after": topic.reconfirm_after,
        "drop_after": topic.drop_after,
        "listed": topic.listed,
    }


def problem_of(name: str, text: str) -> str | None:
    """What is wrong with the text of a topic's field, such as its question, if anything is."""
    if not text.strip() or len(text) > LONGEST[name]:
        return f"must be 1 to {LONGEST[name]} characters and not blank, or null"
    if any(category(char) in _NOT_ON_A_LINE for char in text):
        return "must be one line of text without control characters"
    return None


def _check_fields(wanted: Mapping[str, Any]) -> None:
    problems = [
        Problem(name, "must not be null") for name in ("handling", "listed") if wanted.get(name, ...) is None
    ]
    for name in LONGEST:
        text = wanted.get(name)
        wrong = None if text is None else problem_of(name, text)
        if wrong is not None:
            problems.append(Problem(name, wrong))
    if problems:
        raise InvalidRequest("See `problems` for what to change.", problems)


def _check(context: Context, old: Topic, wanted: Mapping[str, Any]) -> None:
    listed = wanted.get("listed", old.listed)
    handling = Handling(wanted.get("handling", old.handling))
    if not listed and handling is not Handling.SEALED and "handling" in wanted:
        raise InvalidRequest(
            "An unlisted topic is handled as sealed.", [Problem("handling", "needs `listed: true` beside it")]
        )
    _check_category(
        context, old, listed=listed, handling=handling, question=wanted.get("question", old.question)
    )


def _check_category(
    context: Context,
    old: Topic,
    *,
    listed: bool,
    handling: Handling,
    question: str | None = None,
    words: Sequence[str] = (),
) -> None:
    kind = handlings.special_category(context.categories, old.key, question, (*old.aliases, *words))
    if listed and handling is Handling.OPEN and kind is not None:
        raise InvalidRequest(
            "A topic that touches a special category of personal data can't be open.",
            [Problem("handling", f"touches {kind}: give sealed, confirm or forbidden")],
        )


def _destroyed(old: Topic, wanted: Mapping[str, Any]) -> Sequence[str]:
    destroyed = []
    if wanted.get("handling") == Handling.FORBIDDEN and old.handling is not Handling.FORBIDDEN and old.listed:
        destroyed.append("every answer on this topic")
    if old.question is not None and "question" in wanted and wanted["question"] != old.question:
        destroyed.append("bare answers that were given under the old question")
    return destroyed


def _allowed(
    context: Context,
    old: Topic,
    step: Mapping[str, Any],
    destroys: tuple[str, ...],
    if_match: str | None,
    preview: str | None,
    dry_run: bool,
) -> UseCase[Preview | None]:
    if if_match is not None and if_match not in ("*", etag(old)):
        raise PreconditionFailed("This topic has changed since it was read. Read it again, then decide.")
    token = context.identity.preview(step)
    if dry_run:
        ages: list[tuple[int, int]] = yield db.snapshot_read(old.key)
        total = sum(n for _, n in ages)
        return Preview(
            destroys, str(total) if total >= FEWEST else f"fewer than {FEWEST}", token if destroys else None
        )
    if destroys and (if_match is None or preview != token):
        raise PreviewNeeded(
            "This step destroys answers. Run it with `?dry_run=true`, then send its `preview` and the topic's ETag "
            "in If-Match."
        )
    return None
