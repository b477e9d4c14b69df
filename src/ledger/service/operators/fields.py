"""What a topic's fields may be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from unicodedata import category

from ledger.core.model import Handling
from ledger.core.registry import handling as handlings
from ledger.errors import InvalidRequest, Problem
from ledger.service.context import Context

LONGEST = {"question": 300, "authority": 120}  # characters
_NOT_ON_A_LINE = frozenset(
    {"Cc", "Cs", "Zl", "Zp"}
)  # general categories; Unicode Standard Annex 44, section 5.7.1


def problem_of(name: str, text: str) -> str | None:
    """What is wrong with the text of a topic's field, such as its question, if anything is."""
    if not text.strip() or len(text) > LONGEST[name]:
        return f"must be 1 to {LONGEST[name]} characters and not blank, or null"
    if any(category(char) in _NOT_ON_A_LINE for char in text):
        return "must be one line of text without control characters"
    return None


def check(fields: Mapping[str, Any]) -> None:
    """Raises InvalidRequest, whose problems name the fields."""
    problems = [
        Problem(name, "must not be null") for name in ("handling", "listed") if fields.get(name, ...) is None
    ]
    for name in LONGEST:
        text = fields.get(name)
        wrong = None if text is None else problem_of(name, text)
        if wrong is not None:
            problems.append(Problem(name, wrong))
    if problems:
        raise InvalidRequest("See `problems` for what to change.", problems)


def check_category(
    context: Context,
    key: str,
    labels: Sequence[str],
    *,
    listed: bool,
    handling: Handling,
    question: str | None = None,
) -> None:
    """Raises InvalidRequest where a listed topic would be open and touches a special category, by any of its words."""
    kind = handlings.special_category(context.categories, key, question, labels)
    if listed and handling is Handling.OPEN and kind is not None:
        raise InvalidRequest(
            "A topic that touches a special category of personal data can't be open.",
            [Problem("handling", f"touches {kind}: give sealed, confirm or forbidden")],
        )
