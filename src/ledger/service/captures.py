"""Use cases of the application that carries the chats: after a turn, "this is what he typed".

The message is judged and forgotten. What a capture answers depends on the request and the listed
registry alone: `accepted` means "passed the gate", not "kept".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import NamedTuple
from uuid import UUID

from ledger.core.gate import Names, Reading
from ledger.core.model import Candidate, Handling, Outcome, Reason, Topic, Verdict
from ledger.core.registry.label import normalise
from ledger.core.registry.named import Named, Registry
from ledger.db import capture as db
from ledger.db.operation import Surface, UseCase
from ledger.errors import BadLabel, Unavailable
from ledger.service import taking
from ledger.service.context import Context, keys_of

_STILL = "Is that still so?"  # stands in for the question of a topic that has none, in a reconfirmation


def capture(
    context: Context,
    principal: UUID,
    message: str,
    said_on: date,
    candidates: Sequence[Candidate],
    avoid: Sequence[str] = (),
    asked: str | None = None,
    lang: str | None = None,
    admit: Callable[[int], None] = lambda unlisted: None,
) -> UseCase[list[Outcome]]:
    """Judges each candidate, keeps what passes, and says what became of each, in order.

    `said_on` is the day the message was typed; tomorrow (UTC) is read as today. Several candidates on one
    topic: each is judged, the last accepted stands. Where an accepted answer is on a topic that is not listed,
    its key is coined first, by the same statement whether it was there or not, and `admit` is told before that
    how many there are; what it raises keeps everything out. Raises InvalidRequest for a day that has yet to come.
    """
    names = context.avoid.and_(avoid)
    keys = [_key(candidate.topic, names) for candidate in candidates]
    reading = context.gate.read(message, lang=lang, asked=asked)
    admitted: set[str] = set()
    for anew in (False, True, True):
        registry = yield from context.listed.registry(Surface.CAPTURE, anew=anew)
        named = [registry.named(key) if isinstance(key, str) else key for key in keys]
        outcomes = [_judge(reading, c, one, names) for c, one in zip(candidates, named, strict=True)]
        by_registry = any(outcome.verdict.reason in _BY_THE_REGISTRY for outcome in outcomes)
        if by_registry and (yield from context.listed.registry(Surface.CAPTURE, anew=True)) is not registry:
            continue  # what is seconds old refuses nothing
        accepted = [
            _Accepted(key, one, outcome.verdict)
            for key, one, outcome in zip(keys, named, outcomes, strict=True)
            if isinstance(key, str) and isinstance(one, Named) and outcome.verdict.accepted
        ]
        unlisted = sorted({one.named.key for one in accepted if one.named.topic is None})
        places: dict[str, db.Place] = {}
        if unlisted:
            if more := set(unlisted) - admitted:
                admit(len(more))
                admitted |= more
            found = yield db.topics_for(unlisted, said_on, coin=True)
            places = dict(zip(unlisted, found, strict=True))
        if any(place.listed for place in places.values()):
            continue  # by another name, or since a moment ago
        if (yield db.keep(principal, said_on, _kept(context, principal, registry, accepted, places))):
            return outcomes
    raise Unavailable("The registry is being rearranged right now. Nothing was kept; try again.")


_BY_THE_REGISTRY = (Reason.FORBIDDEN_TOPIC, Reason.NEEDS_QUESTION)


def _judge(reading: Reading, candidate: Candidate, named: Named | Verdict, avoid: Names) -> Outcome:
    """What becomes of a candidate whose label names this, or nothing (a verdict)."""
    if isinstance(named, Verdict):
        return Outcome(candidate.topic, named)
    question = named.topic.question if named.topic is not None else None
    verdict = _forbidden(named.topic) or reading.judge(candidate.span, question, avoid)
    return Outcome(named.key, verdict, named.similar)


class _Accepted(NamedTuple):
    """A label in normal form, what it names, and the span that passed."""

    key: str
    named: Named
    verdict: Verdict


def _kept(
    context: Context,
    principal: UUID,
    registry: Registry,
    accepted: Sequence[_Accepted],
    places: Mapping[str, db.Place],
) -> list[db.Kept]:
    """The answers that passed, one a topic: the last."""
    kept: dict[str, db.Kept] = {}
    for key, named, verdict in accepted:
        if verdict.answer is None:
            continue
        topic = named.topic or places[named.key]
        question = named.topic.question if named.topic is not None and verdict.bare else None
        names = registry.names(key, topic.names)
        marks = context.marks(principal, names)
        kept[topic.key] = db.Kept(topic.key, named.label, verdict.answer, question, names, marks)
    return list(kept.values())


def reconfirm(
    context: Context,
    principal: UUID,
    topic: str,
    message: str,
    span: str,
    said_on: date,
    still_true: bool,
    avoid: Sequence[str] = (),
) -> UseCase[Verdict]:
    """Their answer to "is that still so?". The gate judges the span; a bare yes or no is enough here. The sentence that it
    stands in must not say the opposite of `still_true`, nor both.

    Accepted, it confirms or takes back an entry that would now be offered as a question, and does nothing
    where there is none. Raises BadLabel, and InvalidRequest for a day that has yet to come.
    """
    names = context.avoid.and_(avoid)
    (key,) = keys_of([topic], at="topic")
    registry = yield from context.listed.registry(Surface.CAPTURE, anew=True)
    named = registry.named(key)
    (place,) = yield db.topics_for([named.key], said_on, coin=False)
    question = (named.topic.question if named.topic is not None else None) or _STILL
    reading = context.gate.read(message, asked=question)
    verdict = _forbidden(named.topic) or reading.judge(span, question, names)
    if not verdict.accepted:
        return verdict
    if (not still_true) in context.gate.polarity(reading.around(verdict)):
        return Verdict(
            False,
            reason=Reason.MEANING_CUT,
            detail="The span, or the sentence that it stands in, says the opposite of `still_true`.",
            rule="contradiction",
        )
    marks = context.marks(principal, registry.names(key, place.names))
    # the figure first, in a transaction without a row of his: afterwards nothing tells what there was to do
    yield db.outcome_add(principal, place.key, said_on, still_true, marks)
    answer = db.reconfirm(principal, place.key, said_on, still_true, marks)
    if still_true:
        yield answer
    else:
        yield from taking.take(context, principal, answer)
    return verdict


def _key(label: str, avoid: Names) -> str | Verdict:
    try:
        return normalise(label, avoid)
    except BadLabel as error:
        return Verdict(False, reason=Reason.BAD_LABEL, detail=error.detail, rule="label")


def _forbidden(topic: Topic | None) -> Verdict | None:
    if topic is None or topic.handling is not Handling.FORBIDDEN:
        return None
    detail = "This topic is never stored."
    if topic.authority:
        detail = f"This topic is never stored; its authority is {topic.authority}."
    return Verdict(False, reason=Reason.FORBIDDEN_TOPIC, detail=detail, rule="handling")
