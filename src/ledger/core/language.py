"""What the gate knows of a language: lists of words and phrases, checked when they are read.

How a phrase is written tells ledger.core.phrases.

Source: DESIGN section 6, rules 3 to 5.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import Any

from ledger.core.cues import CLOSED, CUE_TABLES, REACHES, Cue, Reach
from ledger.core.lists import LISTS
from ledger.core.phrases import (
    SPACELESS_SCRIPTS,
    BadPhrase,
    Notation,
    Phrase,
    PhraseIndex,
    Spelling,
    Words,
    as_regex,
    is_pattern,
)
from ledger.errors import SetupError

__all__ = [
    "CLOSED", "CUE_TABLES", "LISTS", "REACHES", "BadLanguage", "Cue", "Language", "Languages", "Lexicon", "PhraseIndex", "Reach", "Words", "read",
]  # fmt: skip

_STEM = 4  # letters by which stems are looked up; a shorter one is searched for as other patterns are


class BadLanguage(SetupError):
    """A language file that is not as it should be. `at` is the way to the field: table, list, place in the list, as far as it goes."""

    def __init__(self, where: str, at: Sequence[str | int], problem: str) -> None:
        super().__init__(f"{where}: {'.'.join(map(str, at[:2]))}: {problem}.")
        self.at = tuple(at)
        self.problem = problem


# Where patterns ("sospech*") may stand, besides in the lists of cues.
_PATTERNS_IN = frozenset({("harmless", "phrases")})
_PLAIN = frozenset(
    {
        "code",
        "also",
        "name",
        "script",
        "guests",
        "never",
        "suffixes",
        "telling",
        "foreign",
        "spellings",
        "lists",
    }
)


@dataclass(frozen=True, slots=True)
class Language:
    """The data of one language. Absent lists are empty."""

    code: str  # BCP 47, the language subtag alone
    name: str
    scripts: frozenset[str]  # Unicode's names of the scripts it is written in: "Latin"
    also: frozenset[str]  # language subtags that fall back to it: "gsw"
    guests: frozenset[str]  # scripts in which names stand in its sentences
    never: frozenset[str]  # letters that tell that a text of its script is in another language
    suffixes: Words  # ends of words that negate: "n't"
    telling: frozenset[str]  # frequent words, by which a text in the language is told
    foreign: frozenset[
        str
    ]  # frequent words of its neighbours without data, by which a text in those is told from it
    cues: tuple[Cue, ...]
    phrases: Mapping[tuple[str, str], tuple[Phrase, ...]]  # (table, list) -> phrases

    @property
    def spaceless(self) -> bool:
        """Whether it is written without spaces, so that each character is a word."""
        return not self.scripts.isdisjoint(SPACELESS_SCRIPTS)

    def spelt(self, table: str, name: str) -> list[Words]:
        """Every form of the phrases of a list, word by word."""
        forms = (
            form
            for phrase in self.phrases.get((table, name), ())
            for form in product(*map(sorted, phrase.words))
        )
        return list(dict.fromkeys(forms))


def read(source: Mapping[str, Any], where: str) -> Language:
    """Check one language's data. `where` names it in errors.

    Raises BadLanguage for a field that is missing, an unknown table, list or reference, and a phrase that is not written as it should be.
    """
    for required in ("code", "name", "script", "telling"):
        if required not in source:
            raise BadLanguage(where, (required,), "it is missing")
    cues: list[Cue] = []
    phrases: dict[tuple[str, str], tuple[Phrase, ...]] = {}
    notation = Notation(source.get("lists", {}), Spelling(source.get("spellings", {}).values()))
    for table, body in source.items():
        if table in _PLAIN:
            continue
        takes = REACHES if table in CUE_TABLES else LISTS.get(table)
        if takes is None:
            raise BadLanguage(where, (table,), "there is no such table")
        for name, items in body.items():
            if name not in takes:
                raise BadLanguage(
                    where, (table, name), f"no such list; [{table}] takes {', '.join(sorted(takes))}"
                )
            forms = _expanded(items, notation, where, (table, name))
            if table in CUE_TABLES:
                reach = Reach(name)
                cues += [Cue(form, table, reach) for form in forms]
            else:
                phrases[table, name] = forms
    script = source["script"]
    telling, foreign = (
        _expanded(source.get(name, ()), notation, where, (name,)) for name in ("telling", "foreign")
    )
    return Language(
        code=source["code"],
        name=source["name"],
        scripts=frozenset((script,) if isinstance(script, str) else script),
        also=frozenset(source.get("also", ())),
        guests=frozenset(source.get("guests", ())),
        never=frozenset(source.get("never", "")),
        suffixes=tuple(source.get("suffixes", ())),
        telling=_words(telling),
        foreign=_words(foreign),
        cues=tuple(cues),
        phrases=phrases,
    )


def _words(phrases: Sequence[Phrase]) -> frozenset[str]:
    return frozenset(word for phrase in phrases if len(phrase.words) == 1 for word in phrase.words[0])


def _expanded(
    items: Sequence[str],
    notation: Notation,
    where: str,
    at: tuple[str, ...],
) -> tuple[Phrase, ...]:
    """The forms of the phrases of a list, each once."""
    found: dict[Phrase, None] = {}
    for index, item in enumerate(items):
        try:
            forms = notation.expand(item)
        except BadPhrase as bad:
            raise BadLanguage(where, (*at, index), str(bad)) from None
        found.update(dict.fromkeys(forms))
        patterns = at[0] in CUE_TABLES or at in _PATTERNS_IN
        if (
            "*" in item
            and not patterns
            and any(is_pattern(word) for form in forms for slot in form.words for word in slot)
        ):
            raise BadLanguage(where, (*at, index), "a pattern with * stands in lists of cues alone")
    return tuple(found)


_SUFFIXED = Cue(Phrase((), 1), "negation", Reach.AHEAD)
_Found = list[tuple[int, "Cue | None"]]


class Lexicon:
    """The data of the languages that apply to one text together, made ready for matching."""

    def __init__(self, languages: Sequence[Language], foreign_cues: frozenset[str] = frozenset()) -> None:
        self.languages = tuple(languages)
        self.scripts = frozenset[str]().union(*(language.scripts for language in languages))
        self.guests = frozenset[str]().union(*(language.guests for language in languages)) - self.scripts
        self.foreign_cues = foreign_cues  # words in a guest's script that are no name: they turn what is said
        self.spaceless = any(language.spaceless for language in languages)
        self.abbreviations = frozenset(word for (word,) in self.spelt("sentence", "abbreviations"))
        self._suffixes = tuple(suffix for language in languages for suffix in language.suffixes)
        self._tables: dict[tuple[str, str], PhraseIndex[None]] = {}

    @cached_property
    def words(self) -> frozenset[str]:
        """Every word that a list holds: of a word that is none of them it is not known what it is, a name mostly."""
        of_phrases = (
            word
            for language in self.languages
            for phrases in (*language.phrases.values(), [cue.phrase for cue in language.cues])
            for phrase in phrases
            for slot in phrase.words
            for word in slot
        )
        return frozenset(of_phrases).union(*(language.telling for language in self.languages))

    @cached_property
    def contracted(self) -> dict[str, Words]:
        """Contracted words, each with the words that it stands for: "i'm" for "i am"."""
        return {form[0]: form[1:] for form in self.spelt("structure", "contracted")}

    @cached_property
    def _all_cues(self) -> list[tuple[Phrase, Cue | None]]:
        # Of phrases of one length a harmless one comes first.
        harmless = [(phrase, None) for phrase in self.phrases("harmless", "phrases")]
        return [*harmless, *((cue.phrase, cue) for language in self.languages for cue in language.cues)]

    @cached_property
    def _cues(self) -> PhraseIndex[Cue | None]:
        return PhraseIndex((phrase, cue) for phrase, cue in self._all_cues if not _is_pattern(phrase))

    @cached_property
    def _stems(self) -> dict[str, list[tuple[str, Cue | None]]]:
        """The patterns that are the starts of words, by their first letters."""
        stems: dict[str, list[tuple[str, Cue | None]]] = {}
        for word, cue in self._patterns_of_cues:
            if _is_stem(word):
                stems.setdefault(word[:_STEM], []).append((word[:-1], cue))
        return stems

    @cached_property
    def _inner(self) -> list[tuple[re.Pattern[str], Cue | None]]:
        """The other patterns, one for all that stand for the same."""
        by_cue: dict[tuple[str, Reach] | None, tuple[Cue | None, list[str]]] = {}
        for word, cue in self._patterns_of_cues:
            if not _is_stem(word):
                key = (cue.rule, cue.reach) if cue else None
                by_cue.setdefault(key, (cue, []))[1].append(as_regex(word))
        return [(re.compile("|".join(dict.fromkeys(regexes))), cue) for cue, regexes in by_cue.values()]

    @cached_property
    def _any_inner(self) -> re.Pattern[str]:
        return re.compile("|".join(pattern.pattern for pattern, _ in self._inner) or r"(?!)")

    @property
    def _patterns_of_cues(self) -> list[tuple[str, Cue | None]]:
        return [
            (word, cue) for phrase, cue in self._all_cues if _is_pattern(phrase) for word in phrase.words[0]
        ]

    def cues_at(self, tokens: Sequence[str], at: int) -> _Found:
        """The cues that start at a token, the longest first, with how many tokens each takes; None is a harmless phrase."""
        word = tokens[at]
        found = self._cues.find(tokens, at)
        by_pattern: _Found = []
        if self._inner and self._any_inner.search(word):
            by_pattern += [(1, cue) for pattern, cue in self._inner if pattern.search(word)]
        if self._suffixes and word.endswith(self._suffixes):
            by_pattern.append((1, _SUFFIXED))
        stems = self._stems.get(word[:_STEM])
        if stems is not None:
            by_pattern += [(1, cue) for stem, cue in stems if word.startswith(stem)]
        if not by_pattern:
            return found
        return [*found, *sorted(by_pattern, key=lambda entry: entry[1] is not None)]

    def may_be_cues(self, tokens: Sequence[str]) -> list[int]:
        """The tokens at which a cue or a harmless phrase may start; at none of the others there is one."""
        firsts, stems, suffixes = self._cues.firsts, self._stems, self._suffixes
        inner = self._any_inner.search if self._inner else None
        return [
            at
            for at, word in enumerate(tokens)
            if word in firsts
            or word[:_STEM] in stems
            or (suffixes and word.endswith(suffixes))
            or (inner is not None and inner(word))
        ]

    def table(self, table: str, name: str) -> PhraseIndex[None]:
        """The phrases of one list, over all languages."""
        key = (table, name)
        if key not in self._tables:
            self._tables[key] = PhraseIndex((phrase, None) for phrase in self.phrases(table, name))
        return self._tables[key]

    def phrases(self, table: str, name: str) -> tuple[Phrase, ...]:
        found = (phrase for language in self.languages for phrase in language.phrases.get((table, name), ()))
        return tuple(dict.fromkeys(found))

    def spelt(self, table: str, name: str) -> list[Words]:
        """Every form of the phrases of one list, word by word."""
        return [form for language in self.languages for form in language.spelt(table, name)]


def _is_pattern(phrase: Phrase) -> bool:
    return len(phrase.words) == 1 and any(map(is_pattern, phrase.words[0]))


def _is_stem(word: str) -> bool:
    return not word.startswith("*") and len(word) > _STEM


# Rules whose words, in a guest's script, are taken for more than part of a name.
_TURNING = frozenset({"negation", "condition", "exception"})


@dataclass(frozen=True, eq=False)
class Languages:
    """All languages that there is data for."""

    all: tuple[Language, ...]
    _made: dict[tuple[str, ...], Lexicon] = field(default_factory=dict, repr=False)

    @property
    def scripts(self) -> frozenset[str]:
        return frozenset[str]().union(*(language.scripts for language in self.all))

    def of_tag(self, tag: str) -> Lexicon | None:
        """The data that a BCP 47 tag asks for; a dialect falls back to its language. None when there is none."""
        code = tag.replace("_", "-").split("-")[0].lower()
        found = (language for language in self.all if code == language.code or code in language.also)
        language = next(found, None)
        return self.alone(language) if language else None

    def of_script(self, script: str) -> tuple[Language, ...]:
        return tuple(language for language in self.all if script in language.scripts)

    def everything(self) -> Lexicon:
        return self._lexicon(self.all)

    def alone(self, language: Language) -> Lexicon:
        """The data of one language."""
        return self._lexicon((language,))

    def _lexicon(self, languages: tuple[Language, ...]) -> Lexicon:
        codes = tuple(language.code for language in languages)
        if codes not in self._made:
            guests = frozenset[str]().union(*(language.guests for language in languages))
            self._made[codes] = Lexicon(languages, self._turning_words(guests))
        return self._made[codes]

    def _turning_words(self, scripts: frozenset[str]) -> frozenset[str]:
        return frozenset(
            word
            for language in self.all
            if not language.scripts.isdisjoint(scripts)
            for cue in language.cues
            if cue.rule in _TURNING and len(cue.phrase.words) == 1
            for word in cue.phrase.words[0]
        )
