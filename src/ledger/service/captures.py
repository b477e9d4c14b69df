"""Use cases of the application that carries the chats: after a turn, "this is what he typed".

The message is judged and forgotten. What a capture answers depends on the request and the listed
registry alone: `accepted` means "passed the gate", not "kept".
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from uuid import UUID

from ledger.core.model import Candidate, Handling, Outcome, Reason, Verdict
from ledger.core.registry.label import normalise
from ledger.db import capture as db
from ledger.db.failures import TopicGone
from ledger.db.operation import UseCase
from ledger.errors import BadLabel, InvalidRequest, Problem, Unavailable
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
    names = (*context.avoid, *avoid)
    keys = [_key(candidate.topic, names) for candidate in candidates]
    labels = sorted({key for key in keys if isinstance(key, str)})
    reading = context.gate.read(message, lang=lang, asked=asked)
    for _ in range(3):
        named: list[db.Named] = (yield db.topics_for(labels, said_on, coin=True)) if labels else []
        today: date = named[0].today if named else (yield db.today())
        day = _not_to_come(said_on, today)
        topics = dict(zip(labels, named, strict=True))
        outcomes = [
            Outcome(candidate.topic, key)
            if isinstance(key, Verdict)
            else Outcome(
                topics[key].key if topics[key].listed else key,
                _forbidden(topics[key]) or reading.judge(candidate.span, topics[key].question, names),
            )
            for candidate, key in zip(candidates, keys, strict=True)
        ]
        answers = {
            topics[str(key)].key: outcome.verdict.answer
            for key, outcome in zip(keys, outcomes, strict=True)
            if outcome.verdict.answer is not None
        }
        if not answers:
            return outcomes
        questions = {topic.key: topic.question for topic in named}
        marks = {topic.key: context.marks(principal, topic.names) for topic in named if topic.key in answers}
        try:
            yield db.keep(principal, answers, questions, day, marks, context.identity.mark_all(principal))
        except TopicGone:
            continue
        return outcomes
    raise Unavailable("The registry is being rearranged right now. Nothing was kept; try again.")


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
    """His answer to "is that still so?". The gate judges the span; a bare yes or no is enough here.

    Accepted, it confirms or takes back an entry that would now be offered as a question, and does nothing
    where there is none. Raises BadLabel, and InvalidRequest for a day that has yet to come.
    """
    names = (*context.avoid, *avoid)
    (key,) = keys_of([topic], at="topic")
    (named,) = yield db.topics_for([key], said_on, coin=False)
    day = _not_to_come(said_on, named.today)
    question = named.question or _STILL
    verdict = _forbidden(named) or context.gate.judge(
        message, span, question=question, asked=question, avoid=names
    )
    if verdict.answer is None:
        return verdict
    if context.gate.polarity(verdict.answer) is (not still_true):
        return Verdict(
            False,
            reason=Reason.MEANING_CUT,
            detail="The span says the opposite of `still_true`.",
            rule="contradiction",
        )
    marks = context.marks(principal, named.names)
    counted, weeks = yield db.reconfirm(
        principal, named.key, day, still_true, marks, context.identity.mark_all(principal)
    )
    if counted:
        yield db.outcome_add(named.key, weeks, still_true)
    return verdict


def _key(label: str, avoid: Sequence[str]) -> str | Verdict:
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


def _not_to_come(said_on: date, today: date) -> date:
    if said_on > today + timedelta(days=1):
        raise InvalidRequest(
            "A message can't have been typed on a day that has yet to come.",
            [Problem("said_on", "must not be later than tomorrow (UTC)")],
        )
    return min(said_on, today)
