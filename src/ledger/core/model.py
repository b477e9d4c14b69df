"""The words of the ledger as types. Frozen values; units stand in the comments."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from typing import NamedTuple


class Tier(StrEnum):
    """What agents may read of a principal. Ordered: none < topics < full."""

    NONE = "none"
    TOPICS = "topics"
    FULL = "full"

    @property
    def rank(self) -> int:
        return list(Tier).index(self)


class Decision(StrEnum):
    """The principal's consent; undecided is the absence of a decision."""

    GRANTED = "granted"
    REVOKED = "revoked"


class Handling(StrEnum):
    """How a topic is treated. Ordered from loose to strict: open < sealed < confirm < forbidden."""

    OPEN = "open"
    SEALED = "sealed"  # its very existence needs consent
    CONFIRM = "confirm"  # sealed, and waits for the principal's own yes
    FORBIDDEN = "forbidden"  # never stored; another system is its authority

    @property
    def rank(self) -> int:
        return list(Handling).index(self)


class Freshness(StrEnum):
    FRESH = "fresh"  # age <= reconfirm_after
    RECONFIRM = "reconfirm"  # reconfirm_after < age < drop_after
    DROPPED = "dropped"  # age >= drop_after: served nowhere


class Do(StrEnum):
    """What a plan tells an agent to do about a label."""

    ASK = "ask"
    COVERED = "covered"
    RECONFIRM = "reconfirm"
    KNOWN = "known"


class Reason(StrEnum):
    """Why the gate refused a span. Stable on the wire."""

    NOT_VERBATIM = "not_verbatim"
    AMBIGUOUS = "ambiguous"
    MID_WORD = "mid_word"
    TOO_SHORT = "too_short"
    TOO_LONG = "too_long"
    MEANING_CUT = "meaning_cut"
    QUESTION = "question"
    NOT_OWN_WORDS = "not_own_words"
    NEEDS_QUESTION = "needs_question"
    NEEDS_CONTEXT = "needs_context"
    SECRET = "secret"  # noqa: S105 - a reason, not a secret
    NAMES_COUNTERPARTY = "names_counterparty"
    FORBIDDEN_TOPIC = "forbidden_topic"
    BAD_LABEL = "bad_label"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the gate says of one span.

    Accepted: `answer` is `message[start:start + len(answer)]`, code point for code point.
    Refused: `reason`, `detail` (our words, never the caller's), and `nearest`, a slice of the
    message that would pass, where one exists.
    """

    accepted: bool
    answer: str | None = None
    start: int | None = None  # code points into the message
    bare: bool = False  # a yes, no or pointer that means nothing without its question
    reason: Reason | None = None
    detail: str = ""
    nearest: str | None = None
    rule: str = ""  # the name of the rule that refused, for `gate try` and benchmarks
    left_behind: tuple[int, int] | None = None  # code points; what turns the meaning, for `gate try`


@dataclass(frozen=True, slots=True)
class Window:
    """Staleness, in whole days of age (today - as_of, UTC)."""

    reconfirm_after: int = 120
    drop_after: int = 540


@dataclass(frozen=True, slots=True)
class Topic:
    """A row of the registry. Windows are None where the defaults hold."""

    key: str
    question: str | None = None
    handling: Handling = Handling.SEALED
    authority: str | None = None
    reconfirm_after: int | None = None  # days
    drop_after: int | None = None  # days
    listed: bool = False
    aliases: tuple[str, ...] = ()
    proposed: bool = False  # unlisted, and five principals have it
    given: bool = False  # an operator gave its handling: to loosen it is a step
    retired: tuple[str, ...] = ()  # keys that were merged into it; aliases too

    @property
    def names(self) -> tuple[str, ...]:
        """The key and those merged into it: under each something may have been deleted."""
        return (self.key, *self.retired)


class Entry(NamedTuple):
    """What an agent may see of an entry. `as_of` is cut to the first of its month before it gets here.

    A tuple, since a dozen of them are made in every recall.
    """

    topic: str
    freshness: Freshness
    answer: str
    question: str | None
    month: date


@dataclass(frozen=True, slots=True)
class PlanItem:
    label: str
    key: str | None
    do: Do
    entry: Entry | None = None
    question: str | None = None
    similar: tuple[str, ...] = ()  # listed keys, best first, where the label's topic is not listed


@dataclass(frozen=True, slots=True)
class Candidate:
    """A span offered for a topic, named by a label."""

    topic: str
    span: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a candidate, as the caller may know it: the gate's verdict, never what is stored."""

    topic: str  # the key, or the label where it names no topic
    verdict: Verdict
    similar: tuple[str, ...] = ()  # listed keys, best first, where the topic is not listed


@dataclass(frozen=True, slots=True)
class OwnEntry:
    """What the principal himself sees of an entry."""

    id: str
    topic: str
    answer: str
    as_of: date
    freshness: Freshness
    fresh_until: date
    kept_until: date
    withheld: bool
    pending: bool
    question: str | None = None


@dataclass(frozen=True, slots=True)
class Withheld:
    """A topic that the principal keeps back from all agents, with or without an entry."""

    id: str  # that of an entry on it
    topic: str


@dataclass(frozen=True, slots=True)
class Consent:
    """The decision that stands, and the tier that agents have by it. None, all three: undecided."""

    decision: Decision | None
    decided_on: date | None
    notice: str | None
    tier: Tier

    @property
    def document(self) -> dict[str, str | None]:
        """What was decided, without what follows from it."""
        day = None if self.decided_on is None else self.decided_on.isoformat()
        return {"decision": self.decision, "decided_on": day, "notice": self.notice}

    @property
    def etag(self) -> str:
        """The same as long as decision, day and notice are. Source: RFC 9110, section 8.8.3."""
        text = json.dumps(self.document, sort_keys=True)
        return f'"{hashlib.sha256(text.encode()).hexdigest()[:32]}"'


@dataclass(frozen=True, slots=True)
class Counts:
    """How much was, or would be, done: action -> rows. Names nothing and nobody."""

    of: Mapping[str, int] = field(default_factory=dict)
