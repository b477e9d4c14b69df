"""What a refusal says, in our words: never the caller's.

Source: DESIGN section 3, G8.
"""

from __future__ import annotations

from collections.abc import Mapping

from ledger.core.model import Reason

LONGEST = 500  # code points of an answer

BY_REASON: Mapping[Reason, str] = {
    Reason.NOT_VERBATIM: "The span does not stand in the message. Send a literal part of it.",
    Reason.AMBIGUOUS: "The span stands at several places in the message and would not pass at each. Send a longer part.",
    Reason.MID_WORD: "The span starts or ends inside a word, a number or a character.",
    Reason.TOO_SHORT: "The span holds nothing but punctuation or blanks.",
    Reason.TOO_LONG: f"The span has more than {LONGEST} characters.",
    Reason.QUESTION: "The span is a question of the person, not an answer.",
    Reason.NOT_OWN_WORDS: "The span stands in somebody else's words: a quotation, a quoted or forwarded block, code, or reported speech.",
    Reason.NEEDS_QUESTION: "The span means nothing without its question, and the last turn sent as `asked` does not hold the topic's.",
    Reason.NEEDS_CONTEXT: "The span leans on the listener or the place, and would mean something else elsewhere.",
    Reason.SECRET: "The span holds a credential, or a card, account or identity number.",
    Reason.NAMES_COUNTERPARTY: "The span holds one of the names to avoid.",
}

BY_RULE: Mapping[str, str] = {
    "negation": "A negation that reaches the span stands outside of it.",
    "condition": "A condition on the span stands outside of it.",
    "exception": "An exception from the span stands outside of it.",
    "hedge": "A hedge that reaches the span stands outside of it.",
    "opinion": "What marks the span as an opinion stands outside of it.",
    "wish": "A wish or plan that reaches the span stands outside of it.",
    "past": "The span tells of a past that is over, and what says so stands outside of it.",
    "subject": "The subject of the span is somebody else, and stands outside of it.",
    "correction": "The person takes the span back in words that stand outside of it.",
    "irony": "What marks the span as not meant stands outside of it.",
    "second": "A second opinion that is plugged in refuses the span.",
    "sentence": "There is no data for the language of this message, so only whole sentences pass.",
    "label": "What is said of it stands outside the span; offer it with that.",
    "phrase": "The span ends inside its phrase or clause; offer it whole.",
    "front": "Words in front of the clause belong to it and are left behind; offer them with it.",
    "frame": "What governs the span is left behind, and is none of the words that affirm; offer the whole clause.",
}


def detail(reason: Reason, rule: str) -> str:
    return BY_RULE[rule] if reason is Reason.MEANING_CUT else BY_REASON[reason]
