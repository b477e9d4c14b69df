"""Phrases are found word by word: however many start alike, a text is not held against each of them again and again."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ledger.core.phrases import Phrase, PhraseIndex

WORDS = st.sampled_from("abc")
SLOT = st.frozensets(WORDS, min_size=1)
PHRASES = st.lists(
    st.lists(SLOT, min_size=1, max_size=4).map(lambda slots: Phrase(tuple(slots), len(slots))), max_size=12
)


@given(PHRASES, st.lists(WORDS, min_size=1, max_size=6))
def test_what_starts_at_a_token_is_found_the_longest_first(phrases: list[Phrase], tokens: list[str]) -> None:
    index = PhraseIndex((phrase, number) for number, phrase in enumerate(phrases))
    for at in range(len(tokens)):
        expected = [
            (phrase.length, number)
            for number, phrase in enumerate(phrases)
            if at + phrase.length <= len(tokens)
            and all(tokens[at + k] in slot for k, slot in enumerate(phrase.words))
        ]
        expected.sort(key=lambda found: -found[0])
        assert index.find(tokens, at) == expected
        assert index.match(tokens, at) == (expected[0][0] if expected else 0)


class Watched(frozenset[str]):
    looked_at = 0

    def __contains__(self, word: object) -> bool:
        Watched.looked_at += 1
        return super().__contains__(word)

    def __iter__(self):  # type: ignore[no-untyped-def]
        Watched.looked_at += 1
        return super().__iter__()


def test_words_that_were_met_are_not_looked_for_in_thousands_of_phrases_again() -> None:
    phrases = [Phrase((Watched("a"), Watched("b"), Watched([f"x{n}"])), 3) for n in range(5000)]
    index = PhraseIndex((phrase, n) for n, phrase in enumerate(phrases))
    assert index.find(["a", "b", "x7"], 0) == [(3, 7)]
    before = Watched.looked_at
    assert index.find(["a", "b", "x7", "a", "b", "x7"], 3) == [(3, 7)]
    assert index.find(["a", "b", "none"], 0) == []
    assert Watched.looked_at == before
