"""Requests to a service: "Play ...", "book a table for two at eight". Their values stand at the edges of phrases.

Source: DESIGN section 6, rule 3.
"""

from __future__ import annotations

from functools import cached_property

from ledger.core.gate.parts import Parts

_BEFORE = (
    "commands",
    "prepositions",
    "determiners",
    "services",
    "adverbs",
    "copulas",
    "objects",
    "speakers",
    "leads",
)
_BEHIND = ("prepositions", "behind", "determiners", "copulas", "adverbs", "speakers", "objects")


class Service:
    """What one sentence asks of a service."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    @cached_property
    def asked(self) -> bool:
        tables = (
            self._parts.table("services"),
            self._parts.lexicon.table("question", "requests"),
            self._parts.lexicon.table("question", "offers"),
        )
        services = tables[0]
        at = self._parts.behind_leads(0, len(self._parts.shapes))
        if not self._parts.table("speakers").match(self._parts.plain(at, at + 1), 0) and any(
            table.match(self._parts.shapes, at) for table in tables[1:]
        ):
            return True
        return any(
            word in services.firsts and services.match(self._parts.shapes, at)
            for at, word in enumerate(self._parts.shapes)
        )

    @cached_property
    def command(self) -> int:
        """Where the verb stands that opens a sentence and asks a service for something: "Play ...", "Such ..."; its length where there is none."""
        at = self._parts.behind_leads(0, len(self._parts.words))
        if self._is_impersonal(at):
            return -1
        commands, services = self._parts.table("commands"), self._parts.table("services")
        asks = commands.match(self._parts.shapes, at) or (
            services.match(self._parts.shapes, at) > 1
            or (
                services.match(self._parts.shapes, at)
                and not self._parts.table("speakers").match(self._parts.plain(at, at + 1), 0)
            )
        )
        return at if asks else len(self._parts.words)

    def _is_impersonal(self, at: int) -> bool:
        """Whether a question opens there that asks of no person: "will it snow | tomorrow"."""
        lexicon, shapes = self._parts.lexicon, self._parts.shapes
        impersonal, listener = lexicon.table("question", "impersonal"), lexicon.table("question", "listener")
        return (
            bool(lexicon.table("question", "marked").match(shapes, at))
            and any(
                impersonal.match(shapes, near)
                for near in range(at, len(shapes))
                if shapes[near] in impersonal.firsts
            )
            and not any(
                shape in listener.firsts and listener.match(shapes, near) for near, shape in enumerate(shapes)
            )
            and not self._parts.has_clause(at + 1, len(shapes))
        )

    def may_start(self, at: int, first: int) -> bool:
        """Whether a phrase may start there: behind a preposition, an article, a verb that asks for something."""
        before, unsure = self._parts.shapes[first - 1], self._parts.table("unsure").firsts
        if any(word in unsure for word in self._parts.words[at:first]):
            return False
        return (
            before == "#"
            or not self._parts.sentence.is_word(first - 1)
            or any(before in self._parts.table(name).firsts for name in _BEFORE)
        )

    def is_half_name(self, at: int) -> bool:
        """Whether a word with a capital stands on both sides: a first name and a last one."""
        starts, message = self._parts.sentence.starts, self._parts.message
        return (
            message[starts[at]].isupper()
            and message[starts[at - 1]].isupper()
            and self._parts.words[at] not in self._parts.lexicon.words
        )

    def may_end(self, first: int, stop: int, at: int) -> bool:
        """Whether a phrase may end there: before a preposition, a verb, a time; a number before what it counts."""
        word = self._parts.shapes[at]
        if self._parts.is_number(stop - 1) and stop - first == 1:
            return (
                word in self._parts.table("counted").firsts
                or word in self._parts.table("prepositions").firsts
            )
        return (
            word == "#"
            or word in self._parts.table("counted").firsts
            or any(word in self._parts.table(name).firsts for name in _BEHIND)
        )
