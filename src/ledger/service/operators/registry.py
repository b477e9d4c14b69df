"""The registry as operators see it: listed topics and proposals, and what they do to one of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Any

from ledger.core import windows
from ledger.core.figures import OR_MORE, UNKNOWN, Figures
from ledger.core.model import Handling, Topic, Window
from ledger.core.registry.label import normalise
from ledger.db import operator as db
from ledger.db.operation import UseCase
from ledger.errors import InvalidRequest, NotFound, PreviewNeeded, Problem
from ledger.service import taking
from ledger.service.context import Context
from ledger.service.operators import fields as given
from ledger.service.operators.defaults import default_window
from ledger.service.operators.preview import Asked, Preview, Shown, allowed, document, etag

PAGE = 100
_NO_TOPIC = "There is no such topic. List the topics to see which there are."
_WINDOW = {"reconfirm_after", "drop_after"}


class Which(StrEnum):
    ALL = "all"
    LISTED = "listed"
    PROPOSED = "proposed"


def topics(
    context: Context, after: str = "", limit: int = PAGE, part: str = "", which: Which = Which.ALL
) -> UseCase[list[Topic]]:
    """Listed topics and proposals, by key, from the one after `after`; those with `part` in a label or the question."""
    found: list[Topic] = yield db.topics_seen(after, limit, part.casefold(), which.value)
    return found


def whole_registry(context: Context, part: str = "") -> UseCase[list[Topic]]:
    """All of them, page by page."""
    found: list[Topic] = []
    while True:
        page = yield from topics(context, found[-1].key if found else "", PAGE, part)
        found += page
        if len(page) < PAGE:
            return found


def topic(context: Context, label: str) -> UseCase[Topic]:
    """The topic that a label names, key or alias. Raises BadLabel, NotFound."""
    found: Topic | None = yield db.topic_read(normalise(label))
    if found is None:
        raise NotFound(_NO_TOPIC)
    return found


def create(context: Context, label: str, fields: Mapping[str, Any]) -> UseCase[Topic]:
    """Creates a listed topic: question, handling (open), authority, reconfirm_after, drop_after.

    Answers as if the key had never been coined, also where it was: then it becomes what is given here. Raises BadLabel,
    InvalidRequest, Conflict where the label is a listed topic or leads to one, and PreviewNeeded where it is proposed
    and the step would destroy something.
    """
    key = normalise(label)
    given.check(fields)
    windows.checked(fields.get("reconfirm_after"), fields.get("drop_after"))
    wanted = {"handling": Handling.OPEN.value} | dict(fields)
    aliases: list[str] = yield db.aliases_of(key)
    given.check_category(
        context,
        key,
        aliases,
        listed=True,
        handling=Handling(wanted["handling"]),
        question=wanted.get("question"),
    )
    seen: Topic | None = yield db.topic_read(key)
    if seen is not None and not seen.listed:
        default = yield from default_window(context)
        if any(_destroyed(seen, wanted | {"listed": True}, default)):
            raise PreviewNeeded(
                "This topic is proposed, and the step destroys answers or has people asked again. Change the topic instead, "
                "with the preview of a dry run."
            )
    created: Topic = yield from taking.step_of_the_registry(
        context, db.topic_create(key, wanted), {key}, (key,)
    )
    return created


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

    A dry run gives the Preview. Raises InvalidRequest, NotFound, PreviewNeeded where the step destroys something and
    comes without If-Match or preview, and PreconditionFailed where one of them is stale.
    """
    old = yield from topic(context, label)
    wanted = dict(fields)
    given.check(wanted)
    if wanted.get("listed") and not old.listed and not old.given:
        wanted.setdefault("handling", Handling.OPEN.value)
    listed = wanted.get("listed", old.listed)
    handling = Handling(wanted.get("handling", old.handling))
    if not listed and handling is not Handling.SEALED and "handling" in wanted:
        raise InvalidRequest(
            "An unlisted topic is handled as sealed.", [Problem("handling", "needs `listed: true` beside it")]
        )
    given.check_category(
        context,
        old.key,
        old.aliases,
        listed=listed,
        handling=handling,
        question=wanted.get("question", old.question),
    )
    default = yield from default_window(context)
    before, after = _windows(old, wanted, default)
    step = {
        "step": "change",
        "topic": document(old),
        "fields": wanted,
        "window": [after.reconfirm_after, after.drop_after],
    }
    destroys = tuple(_destroyed(old, wanted, default))

    def figures(snapshot: Figures) -> Shown:
        if not old.listed:  # the snapshot has no ages of it
            return Shown(OR_MORE, *([UNKNOWN, UNKNOWN] if windows.shorter(before, after) else []))
        if windows.shorter(before, after):
            return Shown(snapshot.all, snapshot.dropped(before, after), snapshot.asked_again(before, after))
        return Shown(snapshot.all)

    asked = Asked(if_match, preview, dry_run)
    seen = yield from allowed(context, asked, etag(old), step, destroys, old.key, figures)
    if isinstance(seen, Preview):
        return seen
    expected = document(old)
    if wanted.keys() & _WINDOW:
        expected["default"] = [default.reconfirm_after, default.drop_after]
    loosens = {old.key} if handling.rank < old.handling.rank or wanted.get("listed") else set()
    withheld = (old.key,) if wanted.keys() & {"handling", "question", "listed"} else ()
    changed: Topic = yield from taking.step_of_the_registry(
        context, db.topic_change(old.key, expected, wanted), loosens, withheld
    )
    return changed


def adopt(context: Context, wanted: Topic) -> UseCase[None]:
    """Lists a topic of a starter pack with its labels. One that is listed already stays as its operators have it.

    Labels that are topics of their own, or labels of another topic, are left to them. Raises InvalidRequest, and
    PreviewNeeded where the topic is proposed and to list it so would destroy something.
    """
    seen: Topic | None = yield db.topic_read(wanted.key)
    if seen is None or not seen.listed:
        seen = yield from create(
            context,
            wanted.key,
            {
                "question": wanted.question,
                "handling": wanted.handling.value,
                "authority": wanted.authority,
                "reconfirm_after": wanted.reconfirm_after,
                "drop_after": wanted.drop_after,
            },
        )
    taken: list[str] = yield db.labels_taken(wanted.aliases)
    new = [alias for alias in wanted.aliases if alias not in taken]
    given.check_category(context, seen.key, (*seen.aliases, *new), listed=seen.listed, handling=seen.handling)
    for alias in new:
        put = db.alias_put(alias, seen.key)
        yield from taking.step_of_the_registry(context, put, {alias}, (alias, seen.key))


def _windows(old: Topic, wanted: Mapping[str, Any], default: Window) -> tuple[Window, Window]:
    """The window that holds for a topic, before and after. Raises InvalidRequest."""
    before = windows.window_of(old, default)
    if not wanted.keys() & _WINDOW:
        return before, before
    own = windows.checked(
        wanted.get("reconfirm_after", old.reconfirm_after), wanted.get("drop_after", old.drop_after)
    )
    return before, own or default


def _destroyed(old: Topic, wanted: Mapping[str, Any], default: Window) -> Iterator[str]:
    """What a step takes away, by its kind and by the registry alone."""
    handling = Handling(wanted.get("handling", old.handling))
    if handling is not old.handling:
        if handling is Handling.FORBIDDEN:
            yield "every answer on this topic"
        elif handling.rank > old.handling.rank:
            yield "what agents may know of this topic, in part: it is handled more strictly, and people may be asked again"
        elif old.given:
            yield "what agents know of this topic: it is withheld for everybody who has an answer, until they release it"
    if old.question is not None and wanted.get("question", old.question) != old.question:
        yield "bare answers that were given under the old question"
    if windows.shorter(*_windows(old, wanted, default)):
        yield "answers that are older than the new window keeps; others become a question earlier"
    if old.listed and not wanted.get("listed", True):
        yield "the topic's place in the list: agents see it only where they name it, and people may be asked again"
