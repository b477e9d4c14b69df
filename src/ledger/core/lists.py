"""The tables of a language file that hold no cues, each with the names of its lists.

Source: DESIGN section 6, rules 3 to 6; docs/guides/add-a-language.md.
"""

from __future__ import annotations

from collections.abc import Mapping

LISTS: Mapping[str, frozenset[str]] = {
    "sentence": frozenset({"abbreviations", "fillers"}),
    "clause": frozenset(
        {
            "own",
            "subjects",
            "joins",
            "parts",
            "openers",
            "verbs",
            "ends",
            "links",
            "relatives",
            "articles",
            "finite",
            "inner",
            "fronted",
            "resumed",
        }
    ),
    "particle": frozenset({"words", "before"}),
    "question": frozenset(
        {
            "openers",
            "closers",
            "asking",
            "listener",
            "polite",
            "impersonal",
            "alone",
            "names",
            "called",
            "which",
            "verbs",
            "stated",
            "inverts",
            "relatives",
            "marked",
            "tags",
            "afterthoughts",
            "allowed",
            "requests",
            "offers",
            "services",
            "indirect",
        }
    ),
    "bare": frozenset({"fillers", "yes", "no", "yes_tails", "no_tails", "pointers", "still", "changed"}),
    "value": frozenset({"words", "leads"}),
    "context": frozenset({"phrases"}),
    "structure": frozenset(
        {
            "adjoins",
            "adverbs",
            "answers",
            "auxiliaries",
            "behind",
            "contracted",
            "copulas",
            "counted",
            "determiners",
            "dummies",
            "excepts",
            "frames",
            "fronts",
            "greetings",
            "closed",
            "commands",
            "joins",
            "leading",
            "leads",
            "locating",
            "numbers",
            "objects",
            "others",
            "people",
            "prepositions",
            "retracts",
            "runs_on",
            "says",
            "scales",
            "services",
            "signs",
            "soft",
            "spans",
            "speakers",
            "tails",
            "things",
            "unsure",
            "wholes",
        }
    ),
    "secret": frozenset({"words", "numbers", "links"}),
    "harmless": frozenset({"phrases"}),
}
