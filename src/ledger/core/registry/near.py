"""Whether a label is near a listed one: the same topic, one to choose from a few, or neither.

Letters are compared here and nowhere else in the ledger, and only with labels that operators listed. "same"
has a high bar, since a wrong merge misquotes a person while a missed one only asks twice: the label is the
listed one but for plurals, an order of words, a gap between words, or one slip of the keyboard in a long word
that is no word of its own; another accent, or a letter that looks alike, makes another word. "similar" has a low
one: it only puts topics up for choice. A label that is negated, opposite or numbered is near nothing.

Source: design, section 5; the bars are measured by `benchmarks/registry.py`.
"""

from __future__ import annotations

from bisect import bisect
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import log
from typing import Literal

import regex
from rapidfuzz import process
from rapidfuzz.distance import OSA

from ledger.core.registry.forms import Label, Lists, Word
from ledger.core.registry.label import fold

SHORTEST_TYPO = 5  # code points of the word that was meant: "cats" and "cars" are two words
MOST_SIMILAR = 5  # keys
SIMILAR = 0.2  # share of their weight that two labels must have in common to be put up for choice, 0..1
AKIN = 0.9  # what a word of the same stem counts for, against the word itself
GROWN = 0.7  # what a word counts for that the other one begins: "tech" and "technical"
SHORTEST_BEGINNING = 4  # code points of a stem: shorter ones begin too much
ASKED = 0.8  # what the words of an approved question count for, against those of a label
UNSHARED = 0.25  # what a label's own words count for, against those of the listed one: a question is long


@dataclass(frozen=True, slots=True)
class Near:
    """same: `keys` holds the one listed key. similar: 1 to 5 listed keys, best first. far: none."""

    kind: Literal["same", "similar", "far"]
    keys: tuple[str, ...] = ()


FAR = Near("far")


class Listed:
    """The listed labels, made ready for many questions. Takes 0.1 s for 5,000."""

    def __init__(
        self, names: Mapping[str, str], lists: Lists, questions: Mapping[str, str] | None = None
    ) -> None:
        """`names` holds every listed key and alias, normalised, and the key that it leads to.

        `questions` holds key -> approved question: its words make a topic similar to a label, never the same.
        """
        self.names = dict(names)
        self._lists = lists
        known: dict[str, Word] = {}
        parted = [(Label(name, lists, known), names[name]) for name in sorted(names)]
        self._labels = [label for label, _ in parted if label.may_be_near]
        self._keys = [key for label, key in parted if label.may_be_near]

        self._by_bag: dict[tuple[str, ...], list[int]] = defaultdict(list)
        self._by_form: dict[str, list[int]] = defaultdict(list)
        self._by_word: dict[str, list[int]] = defaultdict(list)
        for at, label in enumerate(self._labels):
            self._by_bag[label.bag].append(at)
            for form in {label.spelt, label.canon}:
                self._by_form[form].append(at)
            for singular in label.content:
                self._by_word[singular].append(at)
        rarest = 1 + len(self._labels)
        self._weight = {singular: log(rarest / len(found) + 1) for singular, found in self._by_word.items()}
        self._unheard = log(rarest + 1)

        self._worth = [1.0] * len(self._labels)
        for key, question in sorted((questions or {}).items()):
            label = Label("_".join(_WORDS.findall(fold(question))), lists, known)
            for singular in label.content:
                self._by_word[singular].append(len(self._labels))
                self._weight.setdefault(singular, self._unheard)
            self._labels.append(label)
            self._keys.append(key)
            self._worth.append(ASKED)
        self._total = [sum(self._weight[word] for word in label.content) for label in self._labels]

        self._vocabulary = {
            singular: word for label in self._labels for singular, word in label.content.items()
        }
        self._plain_vocabulary = {word.plain_singular for word in self._vocabulary.values()}
        self._by_stem: dict[str, list[str]] = defaultdict(list)
        for singular, word in self._vocabulary.items():
            self._by_stem[word.stem].append(singular)
        self._stems = sorted(self._by_stem)
        self._forms, self._words = _Spellings(self._by_form), _Spellings(self._vocabulary)

    def near(self, key: str) -> Near:
        """What a normalised label is near to. Deterministic, whatever the order of the listed names."""
        if key in self.names:
            return Near("same", (self.names[key],))
        label = Label(key, self._lists)
        if not label.may_be_near:
            return FAR
        if found := self._reorderings(label) or self._slips(label):
            keys = tuple(dict.fromkeys(self._keys[at] for at in found))
            return Near("same" if len(keys) == 1 else "similar", keys[:MOST_SIMILAR])
        keys = tuple(self._similar(label))
        return Near("similar", keys) if keys else FAR

    def alike(self, key: str) -> tuple[str, ...]:
        """The keys of the labels that this one is, or of which it is a plural, another order of words, or a slip: to each
        of them it leads, or would if the others were not there."""
        found = [self.names[key]] if key in self.names else []
        label = Label(key, self._lists)
        if label.may_be_near:
            found += [self._keys[at] for at in (*self._reorderings(label), *self._slips(label))]
        return tuple(dict.fromkeys(found))

    def _reorderings(self, label: Label) -> list[int]:
        """Labels of the same words, in the singular. Another order of "from a to b" says another thing."""
        return [
            at
            for at in self._by_bag.get(label.bag, ())
            if self._labels[at].canon == label.canon or not (label.directed or self._labels[at].directed)
        ]

    def _slips(self, label: Label) -> list[int]:
        return sorted(
            {
                at
                for form in {label.spelt, label.canon}
                for close in self._forms.one_letter_from(form)
                for at in self._by_form[close]
                if self._is_slip(label, self._labels[at])
            }
        )

    def _is_slip(self, label: Label, listed: Label) -> bool:
        """Whether one letter, typed wrong in one long word, or one gap is all that differs."""
        if len(label.words) != len(listed.words):
            return len(label.spelt) > SHORTEST_TYPO
        pairs = zip(label.words, listed.words, strict=True)
        match [(a, b) for a, b in pairs if a.singular != b.singular]:
            case [(typed, meant)]:
                pass
            case _:
                return False
        return (
            len(meant.plain) >= SHORTEST_TYPO
            and len(typed.plain) >= SHORTEST_TYPO - 1
            and typed.plain.isascii()  # words of other scripts are not in the lists
            and not {typed.plain, typed.plain_singular} & self._lists.real_words
            and typed.plain_singular not in self._plain_vocabulary  # that of `meant` too: no accent is a slip
            and not (
                len(typed.plain) == len(meant.plain) and typed.stem == meant.stem
            )  # "insurer", "insured"
            and not typed.reverses(meant, self._lists)
        )

    def _similar(self, label: Label) -> Iterator[str]:
        """Keys whose labels share much with this one, best first; ties by key."""
        shared: dict[int, float] = defaultdict(float)
        ours = 0.0
        for word in label.content.values():
            kin = dict(self._kin(word))
            ours += max((self._weight[other] for other in kin), default=self._unheard)
            best: dict[int, float] = {}
            for other, share in kin.items():
                for at in self._by_word[other]:
                    best[at] = max(best.get(at, 0.0), self._weight[other] * share)
            for at, weight in best.items():
                shared[at] += weight
        ranked = sorted(
            (-weight * self._worth[at] / (self._total[at] + UNSHARED * ours), self._keys[at], at)
            for at, weight in shared.items()
        )
        given: set[str] = set()
        for score, key, at in ranked:
            if -score < SIMILAR or len(given) == MOST_SIMILAR:
                return
            if key not in given and not self._told_apart(label, self._labels[at]):
                given.add(key)
                yield key

    def _kin(self, word: Word) -> Iterator[tuple[str, float]]:
        """Words of listed labels and questions that are akin to this one, and what each counts for.

        Akin are the word itself and words of its stem; where there is none, such as grow from it, and slips of it.
        """
        found = self._by_stem.get(word.stem, ())
        for other in found:
            yield other, 1.0 if other == word.singular else AKIN
        if found:
            return
        for stem in self._grown(word.stem):
            yield from ((other, GROWN) for other in self._by_stem[stem] if not self._reverses(word, other))
        if len(word.singular) > SHORTEST_TYPO and word.plain not in self._lists.real_words:
            for other in self._words.one_letter_from(word.singular):
                if not self._reverses(word, other):
                    yield other, AKIN

    def _grown(self, stem: str) -> Iterator[str]:
        """Stems of which one begins the other."""
        if len(stem) < SHORTEST_BEGINNING:
            return
        yield from (stem[:n] for n in range(SHORTEST_BEGINNING, len(stem)) if stem[:n] in self._by_stem)
        for at in range(bisect(self._stems, stem), len(self._stems)):
            if not self._stems[at].startswith(stem):
                return
            yield self._stems[at]

    def _reverses(self, word: Word, other: str) -> bool:
        return word.reverses(self._vocabulary[other], self._lists)

    def _told_apart(self, label: Label, listed: Label) -> bool:
        """Whether a word that only one of them has says the opposite of a word that only the other has."""
        ours = {word.plain: word for word in label.words}
        theirs = {word.plain: word for word in listed.words}
        return any(
            ours[one].reverses(theirs[other], self._lists)
            for one in ours.keys() - theirs.keys()
            for other in theirs.keys() - ours.keys()
        )


class _Spellings:
    """Texts, found by one slip of the keyboard: a letter more, less, changed, or swapped with the next."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._of_length: dict[int, list[str]] = defaultdict(list)
        for text in texts:
            self._of_length[len(text)].append(text)

    def one_letter_from(self, text: str) -> Iterator[str]:
        for length in (len(text) - 1, len(text), len(text) + 1):
            near = self._of_length.get(length, ())
            for found, _, _ in process.extract(text, near, scorer=OSA.distance, score_cutoff=1, limit=None):
                yield found


_WORDS = regex.compile(r"[\p{L}\p{M}]+")
