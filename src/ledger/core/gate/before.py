"""What a slice leaves behind on its left: the verb that governs it, what stands in front of its subject, whose it is.

Source: DESIGN section 6, rule 3; Huddleston and Pullum 2002, chapters 4 (complements) and 8 (adjuncts).
"""

from __future__ import annotations

from collections.abc import Sequence

from ledger.core.gate.parts import ROUNDS, Parts
from ledger.core.gate.service import Service


class Before:
    """The left edges of slices of one sentence."""

    def __init__(self, parts: Parts, service: Service) -> None:
        self._parts, self._service = parts, service

    def cut(self, first: int, stop: int) -> str | None:
        """What a slice that starts at a token leaves behind on its left: its `frame`, its `front`, a `label`, a part of its `value`."""
        if not first:
            return None
        if self._parts.is_number(first) and self._parts.table("signs").match(self._parts.words, first - 1):
            return "value"
        if self._parts.is_number(first) and self._parts.is_number(first - 1):
            return "value"
        if not self._parts.known:
            return None
        bound = self._parts.bound(first)
        at = self._parts.behind_leads(bound, first)
        if at >= first:
            return self._in_front(bound, first)
        speakers = self._parts.table("speakers")
        clause = any(speakers.match(self._parts.plain(at, at + 1)[:1], 0) for at in range(first, stop))
        if self._governs(at, first, clause=clause):
            return self._in_front(bound, at)
        if self._says(at, first):
            return self._in_front(bound, at)
        if clause:
            return "frame"
        if self._service.command < first or (self._service.asked and self._service.may_start(at, first)):
            return None
        if self._parts.opens_with_cue(first) and not self._tells_of_somebody(at, first):
            return None
        return "frame"

    def _says(self, at: int, first: int) -> bool:
        """Whether the speaker says there what they say themselves: "I said | I smoke", "I said | no"."""
        opens = self._parts.table("speakers").match(self._parts.plain(first, first + 1), 0)
        if not opens and not self._parts.table("answers").match(self._parts.words, first):
            return False
        tokens = self._parts.plain(at, first)
        at = self._parts.skip(("adverbs",), tokens, self._parts.table("speakers").match(tokens, 0))
        return 0 < at < len(tokens) and at + self._parts.table("says").match(tokens, at) == len(tokens)

    def _tells_of_somebody(self, at: int, stop: int) -> bool:
        """Whether the words in front of a denial name somebody who is not the speaker, or say more of the speaker than that it denies."""
        tokens = self._parts.plain(at, stop)
        own = self._parts.table("speakers").match(tokens, 0)
        if own:  # "I simply can | not recommend it", and not "I have to | quit smoking"
            return self._parts.skip(("adverbs", "auxiliaries"), tokens, own) < len(tokens)
        return bool(self._parts.table("others").match(self._parts.words, at)) or self._parts.names_somebody(
            at, stop
        )

    def _governs(self, at: int, stop: int, *, clause: bool = False) -> bool:
        """Whether the tokens [at, stop) are an affirming frame: the speaker, a verb of the list, what leads in to its value.

        In front of a value an article or a preposition alone is one, in front of a `clause` none.
        """
        tokens = self._parts.plain(at, stop)
        size = len(tokens)
        speakers, things = self._parts.table("speakers"), self._parts.table("things")
        length = speakers.match(tokens, 0)
        thing = 0 if length else max(things.match(tokens, 0), self._parts.table("dummies").match(tokens, 0))
        at = length or thing
        if at == size or (length and self._parts.words[stop - 1] == '"'):
            return True
        verbs, adverbs = self._parts.table("copulas" if thing else "frames"), self._parts.table("adverbs")
        while at < size:
            verb = verbs.match(tokens, at)
            if verb:
                behind = self._parts.skip(("adverbs", "determiners"), tokens, at + verb)
                if behind == size:
                    return not (clause and thing)
                bare = (
                    tokens[at + verb - 1] in self._parts.table("auxiliaries").firsts and behind == at + verb
                )
                if length and not clause and not bare and self._is_deep(tokens, behind):
                    return True
            adverb = adverbs.match(tokens, at)
            if not adverb:
                break
            at += adverb
        if at == size:
            return True
        return (
            not clause
            and not length
            and not thing
            and self._parts.skip(("determiners", "leading"), tokens, at) == size
        )

    def _is_deep(self, tokens: Sequence[str], at: int) -> bool:
        """Whether what stands between an affirming verb and its further value tells where, when or with whom: "I met Kim in | Dallas"."""
        locating, determiners = self._parts.table("locating").firsts, self._parts.table("determiners")
        last = len(tokens)
        while last > at and tokens[last - 1] in determiners.firsts and tokens[last - 1] not in locating:
            last -= 1
        if last <= at + 1 or tokens[last - 1] not in locating:
            return False
        closed = self._parts.table("closed").firsts
        return not any(token in closed for token in tokens[at : last - 1])

    def _in_front(self, bound: int, first: int) -> str | None:
        """What in front of the part that starts at `bound` belongs to it: "in theory," or a label; None: nothing."""
        words = self._parts.words
        opens_clause = self._parts.opens_own(self._parts.behind_leads(bound, len(words)))
        for _ in range(ROUNDS):
            if bound <= 0:
                return None
            kind = self._parts.kind(bound)
            if kind == "fresh":
                return None
            end = self._parts.end_of_segment(bound)
            if end <= 0:
                return None
            begin = self._parts.bound(end)
            at = self._parts.behind_leads(begin, end)
            if kind == "label":
                own = self._parts.table("speakers").match(self._parts.plain(begin, end), 0)
                return "label" if not own and self._is_foreign_label(at, end) else None
            if at < end:
                if self._is_imperative(at, end):
                    return "front"
                if self._parts.table("fronts").match(self._parts.shapes, at):
                    return "front"
                if opens_clause:
                    return None
                tokens = self._parts.plain(at, end)
                if self._parts.table("others").match(tokens, 0) or self._parts.names_somebody(at, end):
                    return "frame"
                length = self._parts.table("speakers").match(tokens, 0)
                if length:
                    at = self._parts.skip(("adverbs",), tokens, length)
                    heads = {length, at, at - 1} if at > length else {length}
                    return (
                        None
                        if any(self._parts.table("frames").match(tokens, head) for head in heads)
                        else "frame"
                    )
                if self._parts.table("things").match(tokens, 0) or self._parts.table("dummies").match(
                    tokens, 0
                ):
                    return None
            bound = begin
        return None

    def _is_imperative(self, at: int, stop: int) -> bool:
        """ "pay me double": what is asked of the listener, as a condition."""
        return (
            at + 1 < stop
            and self._parts.words[at + 1] in self._parts.table("objects").firsts
            and not self._parts.opens_clause(at)
        )

    def _is_foreign_label(self, at: int, stop: int) -> bool:
        """Whether a label tells of somebody else or that what follows is not sure: "Mum:", "my guess:", "tentatively:"."""
        words = self._parts.words
        if self._parts.table("fronts").match(self._parts.shapes, at) or self._parts.names_somebody(at, stop):
            return True
        return any(words[near] in self._parts.table("unsure").firsts for near in range(at, stop))
