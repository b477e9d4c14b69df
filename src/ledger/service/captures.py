"""Use cases of the application that carries the chats: after a turn, "this is what he typed".

The message is judged and forgotten. What a capture answers depends on the request and the listed
registry alone: `accepted` means "passed the gate", not "kept".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from uuid import UUID

from ledger.core.gate import Names, Reading
from ledger.core.model import Candidate, Handling, Outcome, Reason, Verdict
from ledger.core.registry.label import normalise
from ledger.db import capture as db
from ledger.db.operation import UseCase
from ledger.errors import BadLabel, Unavailable
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
) -> UseCase[list[Outcome]]:
    """Judges each candidate, keeps what passes, and says what became of each, in order.

    `said_on` is the day the message was typed; tomorrow (UTC) is read as today. Several candidates on one
    topic: each is judged, the last accepted stands. A label that was never coined is coined, unless it is a
    bad one. Raises InvalidRequest for a day that has yet to come.
    """
    names = context.avoid.and_(avoid)
    keys = [_key(candidate.topic, names) for candidate in candidates]
    labels = sorted({key for key in keys if isinstance(key, str)})
    reading = context.gate.read(message, lang=lang, asked=asked)
    # Most captures are of topics named by their keys, and their answers stand alone: then the registry need
    # not be asked first. What it has otherwise, the one statement finds.
    taken = {label: db.Named(label, names=(label,)) for label in labels}
    outcomes = [
        _judge(reading, c, key, taken, names, suggest=False) for c, key in zip(candidates, keys, strict=True)
    ]
    if (
        outcomes
        and all(outcome.verdict.accepted for outcome in outcomes)
        and (yield db.keep(principal, said_on, _kept(context, principal, outcomes, keys, taken)))
    ):
        return outcomes
    for _ in range(3):
        named = yield db.topics_for(labels, said_on, coin=True)
        topics = dict(zip(labels, named, strict=True))
        outcomes = [_judge(reading, c, key, topics, names) for c, key in zip(candidates, keys, strict=True)]
        kept = _kept(context, principal, outcomes, keys, topics)
        if not kept or (yield db.keep(principal, said_on, kept)):
            return outcomes
    raise Unavailable("The registry is being rearranged right now. Nothing was kept; try again.")


def _judge(
    reading: Reading,
    candidate: Candidate,
    key: str | Verdict,
    topics: Mapping[str, db.Named],
    avoid: Names,
    *,
    suggest: bool = True,
) -> Outcome:
    """What becomes of a candidate whose label has the normal form `key`, or names no topic (a verdict)."""
    if isinstance(key, Verdict):
        return Outcome(candidate.topic, key)
    topic = topics[key]
    verdict = _forbidden(topic) or reading.judge(candidate.span, topic.question, avoid, suggest=suggest)
    return Outcome(topic.key if topic.listed else key, verdict)


def _kept(
    context: Context,
    principal: UUID,
    outcomes: Sequence[Outcome],
    keys: Sequence[str | Verdict],
    topics: Mapping[str, db.Named],
) -> list[db.Kept]:
    """The answers that passed, one a topic: the last."""
    kept: dict[str, db.Kept] = {}
    for outcome, key in zip(outcomes, keys, strict=True):
        verdict = outcome.verdict
        if verdict.answer is not None and isinstance(key, str):
            topic = topics[key]
            question = topic.question if verdict.bare else None
            kept[topic.key] = db.Kept(
                topic.key, verdict.answer, question, context.marks(principal, topic.names)
            )
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
    (named,) = yield db.topics_for([key], said_on, coin=False)
    question = named.question or _STILL
    reading = context.gate.read(message, asked=question)
    verdict = _forbidden(named) or reading.judge(span, question, names)
    if not verdict.accepted:
        return verdict
    if (not still_true) in context.gate.polarity(reading.around(verdict)):
        return Verdict(
            False,
            reason=Reason.MEANING_CUT,
            detail="The span, or the sentence that it stands in, says the opposite of `still_true`.",
            rule="contradiction",
        )
    marks = context.marks(principal, named.names)
    # the figure first, in a transaction without a row of his: afterwards nothing tells what there was to do
    yield db.outcome_add(principal, named.key, said_on, still_true, marks)
    yield db.reconfirm(principal, named.key, said_on, still_true, marks)
    return verdict


def _key(label: str, avoid: Names) -> str | Verdict:
    try:
        return normalise(label, avoid)
    except BadLabel as error:
        return Verdict(False, reason=Reason.BAD_LABEL, detail=error.detail, rule="label")


def _forbidden(topic: db.Named) -> Verdict | None:
    if topic.handling is not Handling.FORBIDDEN:
        return None
    detail = "This topic is never stored."
    if topic.authority:
        detail = f"This topic is never stored; its authority is {topic.authority}."
    return Verdict(False, reason=Reason.FORBIDDEN_TOPIC, detail=detail, rule="handling")
