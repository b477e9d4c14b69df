"""From the values of the use cases to the JSON of the wire.

An agent sees a month, never a day; a stale answer only as a question; a refused span with the gate's words.
"""

from __future__ import annotations

import json
from typing import Any

from fastapi import Response
from pydantic import TypeAdapter

from ledger.api import metrics, models
from ledger.api import models_operator as wire
from ledger.core import prompt
from ledger.core.model import (
    Consent,
    Do,
    Entry,
    Freshness,
    Outcome,
    OwnEntry,
    PlanItem,
    Topic,
    Verdict,
    Window,
)
from ledger.service import operators, principals

NO_CONTENT = 204

_EXPORT = TypeAdapter(models.ExportDocument).json_schema()

_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=str).encode


def answer(value: Any, headers: dict[str, str] | None = None) -> Response:
    """A JSON response. `value` is one of `models`' typed dictionaries; dates are written as days."""
    return Response(_encode(value), 200, headers, "application/json")


def done() -> Response:
    return Response(status_code=NO_CONTENT)


def entry(one: Entry) -> models.FreshEntry | models.StaleEntry:
    if one.freshness is not Freshness.FRESH:
        return {"topic": one.topic, "freshness": Freshness.RECONFIRM, "ask": prompt.ask_text(one)}
    fresh: models.FreshEntry = {
        "topic": one.topic,
        "freshness": Freshness.FRESH,
        "quote": one.answer,
        "as_of": one.month.isoformat()[:7],
    }
    if one.question is not None:
        fresh["question"] = one.question
    return fresh


def planned(item: PlanItem) -> models.PlannedLabel:
    out: models.PlannedLabel = {"label": item.label, "key": item.key, "do": item.do}
    if item.question is not None:
        out["question"] = item.question
    if item.entry is not None and item.do is Do.KNOWN:
        out["quote"] = item.entry.answer
        out["as_of"] = item.entry.month.isoformat()[:7]
        if item.entry.question is not None:
            out["question"] = item.entry.question
    elif item.entry is not None:
        out["ask"] = prompt.ask_text(item.entry)
    if item.similar:
        out["similar"] = list(item.similar)
    return out


def outcome(one: Outcome) -> models.AcceptedSpan | models.RefusedSpan:
    similar: models.Suggestion = {"similar": list(one.similar)} if one.similar else {}
    if one.verdict.answer is not None:
        return {"topic": one.topic, "accepted": True, "answer": one.verdict.answer, **similar}
    return {"topic": one.topic, **refusal(one.verdict), **similar}


def refusal(verdict: Verdict) -> models.RefusedReconfirmation:
    if verdict.reason is None:
        raise AssertionError("a verdict is an answer or a reason")
    metrics.REFUSED_SPANS.labels(verdict.reason).inc()
    out: models.RefusedReconfirmation = {
        "accepted": False,
        "reason": verdict.reason,
        "detail": verdict.detail,
    }
    if verdict.nearest is not None:
        out["nearest"] = verdict.nearest
    return out


def own_entry(one: OwnEntry) -> models.OwnEntryItem:
    out: models.OwnEntryItem = {
        "id": one.id,
        "topic": one.topic,
        "answer": one.answer,
        "as_of": one.as_of,
        "freshness": one.freshness,
        "fresh_until": one.fresh_until,
        "kept_until": one.kept_until,
        "withheld": one.withheld,
        "pending": one.pending,
    }
    if one.question is not None:
        out["question"] = one.question
    return out


def consent(state: Consent) -> models.ConsentState:
    return {
        "decision": state.decision,
        "decided_on": state.decided_on,
        "notice": state.notice,
        "tier": state.tier,
    }


def taken_away(taken: principals.Taken) -> models.ExportDocument:
    """Everything kept about them: one document that brings its schema along, behind what they look for."""
    return {
        "count": len(taken.entries),
        "entries": [own_entry(one) for one in taken.entries],
        "consent": consent(taken.consent),
        "receipts": list(taken.receipts),
        "withheld": [one.topic for one in taken.withheld],
        "objection": taken.rest.objection,
        "legal_hold": taken.rest.legal_hold,
        "erase_asked": taken.rest.erase_asked,
        "barriers": list(taken.rest.barriers),
        "audit": [{"on_day": day, "action": action, "n": n} for day, action, n in taken.rest.audit],
        "schema": _EXPORT,
    }


def operator_topic(topic: Topic) -> wire.OperatorTopic:
    return {
        "key": topic.key,
        "question": topic.question,
        "handling": topic.handling,
        "authority": topic.authority,
        "reconfirm_after": topic.reconfirm_after,
        "drop_after": topic.drop_after,
        "listed": topic.listed,
        "proposed": topic.proposed,
        "aliases": list(topic.aliases),
        "etag": operators.etag(topic),
    }


def changed(result: Topic | operators.Preview) -> Response:
    """What a step of an operator did; of a dry run, what it would do."""
    if isinstance(result, operators.Preview):
        return answer(preview(result))
    return answer(operator_topic(result), {"ETag": operators.etag(result)})


def window(result: Window | operators.Preview) -> Response:
    """The default window, as it is or as it was changed; of a dry run, what that would do."""
    if isinstance(result, operators.Preview):
        return answer(preview(result))
    now: wire.DefaultWindow = {"reconfirm_after": result.reconfirm_after, "drop_after": result.drop_after}
    return answer(now, {"ETag": operators.default_etag(result)})


def preview(one: operators.Preview) -> wire.PreviewAnswer:
    out: wire.PreviewAnswer = {
        "preview": one.token,
        "destroys": list(one.destroys),
        "drawn_on": one.drawn_on,
        "principals": one.shown.principals,
    }
    if one.shown.dropped is not None and one.shown.asked_again is not None:
        out["dropped"] = one.shown.dropped
        out["asked_again"] = one.shown.asked_again
    return out
