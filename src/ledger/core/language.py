"""What the gate knows of a language: lists of words and phrases, checked when they are read.

A phrase is written with one space between its words; each word may be a choice (`stop|stopped`), a reference to a named list of the
same language (`@person`), and optional (`@quality?`). `#` stands for any number. A last word after `~` has to follow and is not part of
the phrase. A cue of one word may end in `*`: all words that start so. Words are in folded form: lower case, straight apostrophes.

Source: DESIGN section 6, rules 3 to 5.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import product
from typing import Any, Generic, NamedTuple, TypeVar

from ledger.core.text import fold
from ledger.errors import SetupError

T = TypeVar("T")
Words = tuple[str, ...]


class Phrase(NamedTuple):
    """For each word its choices; `length` of them are the phrase, the others have to follow it."""

    words: tuple[frozenset[str], ...]
    length: int


_STEM = 4  # letters by which stems are looked up; a stem is at least as long


class Reach(StrEnum):
    """Which part of a message a cue turns."""

    AHEAD = "ahead"  # what follows with the same verb
    OVER = "over"  # what follows in its clause, second verbs too
    ON = "on"  # what follows in its sentence, over clauses that a comma parts
    NEXT = "next"  # the next word alone
    BACK = "back"  # what stands before it in its clause, or in the sentence before when it opens a short one
    UNDER = "under"  # what stands under a condition in front of it
    AROUND = "around"  # back and under
    TAIL = "tail"  # what stands before it in its clause, or in the one before when it is one itself; where nothing follows it
    CLAUSE = "clause"  # its clause
    WITHIN = "within"  # nothing but itself: an idiom that must not be cut


_REACHES = frozenset(reach.value for reach in Reach)


@dataclass(frozen=True, slots=True)
class Cue:
    """Words that turn the meaning of others. `rule` names why: negation, hedge, condition, ..."""

    phrase: Phrase
    rule: str
    reach: Reach


# The tables of a data file that hold cues, each by reach.
CUE_TABLES = (
    "negation", "condition", "exception", "hedge", "opinion", "wish", "past", "subject", "correction", "irony", "speech",
)  # fmt: skip
# Of these a phrase hides the shorter ones in it: "no wait" negates nothing.
CLOSED = frozenset({"correction", "irony", "opinion", "speech"})
# The other tables, each with its lists of phrases.
LISTS: Mapping[str, frozenset[str]] = {
    "sentence": frozenset({"abbreviations", "fillers"}),
    "clause": frozenset({"own", "subjects", "joins", "parts", "openers", "verbs"}),
    "particle": frozenset({"words", "before"}),
    "question": frozenset(
        {
            "openers",
            "alone",
            "names",
            "which",
            "verbs",
            "stated",
            "inverts",
            "relatives",
            "marked",
            "tags",
            "afterthoughts",
            "requests",
            "offers",
            "services",
            "indirect",
        }
    ),
    "bare": frozenset({"fillers", "yes", "no", "yes_tails", "no_tails", "pointers", "still", "changed"}),
    "value": frozenset({"words", "leads"}),
    "context": frozenset({"phrases"}),
    "secret": frozenset({"words", "numbers", "links"}),
    "harmless": frozenset({"phrases"}),
}
_PLAIN = frozenset({"code", "name", "script", "suffixes", "telling", "lists"})


@dataclass(frozen=True, slots=True)
class Language:
    """The data of one language. Absent lists are empty."""

    code: str  # BCP 47, the language subtag alone
    name: str
    script: str  # Unicode's name of its script: "Latin"
    suffixes: Words  # ends of words that negate: "n't"
    telling: frozenset[str]  # frequent words that are none of another language of the script
    cues: tuple[Cue, ...]
    phrases: Mapping[tuple[str, str], tuple[Phrase, ...]]  # (table, list) -> phrases

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

    Raises SetupError for an unknown table, list or reference, and for a word that is not in folded form.
    """
    cues: list[Cue] = []
    phrases: dict[tuple[str, str], tuple[Phrase, ...]] = {}
    named: Mapping[str, Sequence[str]] = source.get("lists", {})
    for table, body in source.items():
        if table in _PLAIN:
            continue
        takes = _REACHES if table in CUE_TABLES else LISTS.get(table)
        if takes is None:
            raise SetupError(f"{where}: there is no table [{table}].")
        for name, items in body.items():
            if name not in takes:
                raise SetupError(
                    f"{where}: [{table}] has no list {name}; it takes {', '.join(sorted(takes))}."
                )
            forms = tuple(dict.fromkeys(form for item in items for form in expand(item, named, where)))
            if table in CUE_TABLES:
                cues += [Cue(form, table, Reach(name)) for form in forms]
            else:
                phrases[table, name] = forms
    try:
        return Language(
            code=source["code"],
            name=source["name"],
            script=source["script"],
            suffixes=tuple(source.get("suffixes", ())),
            telling=frozenset(source["telling"]),
            cues=tuple(cues),
            phrases=phrases,
        )
    except KeyError as missing:
        raise SetupError(f"{where}: {missing.args[0]} is missing.") from None


def expand(phrase: str, named: Mapping[str, Sequence[str]], where: str = "a phrase") -> list[Phrase]:
    """The forms of a phrase as it is written: one for each way to leave out what is optional and to take longer list items."""
    written = phrase.split(" ")
    ahead = written[-1].startswith("~")
    slots = [_choices(word.removeprefix("~"), named, where) for word in written]
    forms = [tuple(word for part in parts for word in part) for parts in product(*slots)]
    return [Phrase(form, len(form) - ahead) for form in forms if form]


def _choices(word: str, named: Mapping[str, Sequence[str]], where: str) -> list[tuple[frozenset[str], ...]]:
    """What may stand in the place of one written word."""
    optional = len(word) > 1 and word.endswith("?")
    words: set[str] = set()
    forms: list[tuple[frozenset[str], ...]] = []
    for choice in (word[:-1] if optional else word).split("|"):
        if choice.startswith("@"):
            if choice[1:] not in named:
                raise SetupError(f"{where}: {choice} names no list of [lists].")
            for form in (form.words for item in named[choice[1:]] for form in expand(item, named, where)):
                if len(form) == 1:
                    words |= form[0]
                else:
                    forms.append(form)
        elif not choice or fold(choice).text != choice:
            raise SetupError(f"{where}: a phrase holds an empty word, or one that is not in folded form.")
        else:
            words.add(choice)
    if words:
        forms.append((frozenset(words),))
    return [*forms, ()] if optional else forms


class PhraseIndex(Generic[T]):
    """Phrases, each with what it stands for, found by their first two words."""

    def __init__(self, phrases: Iterable[tuple[Phrase, T]]) -> None:
        # By the first word: those of one word, and the longer ones by the second.
        self.firsts: dict[str, tuple[list[tuple[int, T]], dict[str, list[tuple[Phrase, T]]]]] = {}
        for phrase, value in sorted(phrases, key=lambda item: -len(item[0].words)):
            for first in phrase.words[0]:
                single, seconds = self.firsts.setdefault(first, ([], {}))
                if len(phrase.words) == 1:
                    single.append((1, value))
                    continue
                for second in phrase.words[1]:
                    seconds.setdefault(second, []).append((phrase, value))

    def in_none(self, tokens: Iterable[str]) -> bool:
        """Whether no phrase starts with any of the tokens."""
        return self.firsts.keys().isdisjoint(tokens)

    def find(self, tokens: Sequence[str], at: int) -> list[tuple[int, T]]:
        """What starts at a token, the longest phrase first, with how many tokens each takes."""
        entry = self.firsts.get(tokens[at])
        if entry is None:
            return []
        single, seconds = entry
        if not seconds or at + 1 >= len(tokens) or tokens[at + 1] not in seconds:
            return single
        found: list[tuple[int, T]] = []
        for phrase, value in seconds[tokens[at + 1]]:
            words = phrase.words
            if len(words) == 2 or (
                at + len(words) <= len(tokens)
                and all(tokens[at + index] in words[index] for index in range(2, len(words)))
            ):
                found.append((phrase.length, value))
        return found + single if single else found

    def match(self, tokens: Sequence[str], at: int) -> int:
        """How many tokens the longest phrase takes that starts at a token; 0 for none."""
        found = self.find(tokens, at)
        return found[0][0] if found else 0


_SUFFIXED = Cue(Phrase((), 1), "negation", Reach.AHEAD)


class Lexicon:
    """The data of the languages that apply to one text together, made ready for matching."""

    def __init__(self, languages: Sequence[Language]) -> None:
        self.languages = tuple(languages)
        self.scripts = frozenset(language.script for language in languages)
        self._suffixes = tuple(suffix for language in languages for suffix in language.suffixes)
        self.telling = frozenset[str]().union(*(language.telling for language in languages))
        self.abbreviations = frozenset(word for (word,) in self.spelt("sentence", "abbreviations"))
        self._tables: dict[tuple[str, str], PhraseIndex[None]] = {}
        cues = [(cue.phrase, cue) for language in languages for cue in language.cues]
        self._stems: dict[str, list[tuple[str, Cue]]] = {}
        for phrase, cue in cues:
            for word in phrase.words[0]:
                if word.endswith("*"):
                    self._stems.setdefault(word[:_STEM], []).append((word[:-1], cue))
        # Of phrases of one length a harmless one comes first.
        harmless = [(phrase, None) for phrase in self.phrases("harmless", "phrases")]
        self._cues = PhraseIndex[Cue | None]([*harmless, *cues])

    def cues_at(self, tokens: Sequence[str], at: int) -> list[tuple[int, Cue | None]]:
        """The cues that start at a token, the longest first, with how many tokens each takes; None is a harmless phrase."""
        word = tokens[at]
        found = self._cues.find(tokens, at)
        if self._suffixes and word.endswith(self._suffixes):
            found = [*found, (1, _SUFFIXED)]
        stems = self._stems.get(word[:_STEM])
        if stems is not None:
            found = [*found, *((1, cue) for stem, cue in stems if word.startswith(stem))]
        return found

    def may_be_cues(self, tokens: Sequence[str]) -> list[int]:
        """The tokens at which a cue or a harmless phrase may start; at none of the others there is one."""
        firsts, stems, suffixes = self._cues.firsts, self._stems, self._suffixes
        return [
            at
            for at, word in enumerate(tokens)
            if word in firsts or word[:_STEM] in stems or word.endswith(suffixes)
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


@dataclass(frozen=True, eq=False)
class Languages:
    """All languages that there is data for."""

    all: tuple[Language, ...]
    _made: dict[tuple[str, ...], Lexicon] = field(default_factory=dict, repr=False)

    @property
    def scripts(self) -> frozenset[str]:
        return frozenset(language.script for language in self.all)

    def of_tag(self, tag: str) -> Lexicon | None:
        """The data that a BCP 47 tag asks for; a dialect falls back to its language. None when there is none."""
        code = tag.replace("_", "-").split("-")[0].lower()
        return self._lexicon(tuple(language for language in self.all if language.code == code))

    def of_script(self, script: str) -> Lexicon | None:
        """All data of a script together. None when there is none."""
        return self._lexicon(tuple(language for language in self.all if language.script == script))

    def everything(self) -> Lexicon:
        return Lexicon(self.all)

    def _lexicon(self, languages: tuple[Language, ...]) -> Lexicon | None:
        codes = tuple(language.code for language in languages)
        if codes and codes not in self._made:
            self._made[codes] = Lexicon(languages)
        return self._made.get(codes)
