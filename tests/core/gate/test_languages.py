"""Language data: what is in it, how it is checked, which of it applies."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from ledger.core.gate import Gate
from ledger.core.language import Languages, read
from ledger.core.phrases import expand
from ledger.errors import SetupError
from ledger.languages import load

PLAIN = {"code": "xx", "name": "Test", "script": "Latin", "telling": ["foo"]}


def test_a_phrase_expands_to_its_forms() -> None:
    def spelt(phrase: str, **named: list[str]) -> set[str]:
        forms = expand(phrase, named)
        return {" ".join("|".join(sorted(word)) for word in form.words[: form.length]) for form in forms}

    assert spelt("stop|quit it?") == {"quit|stop it", "quit|stop"}
    assert spelt("my @person", person=["wife", "best friend", "son|sons"]) == {
        "my son|sons|wife",
        "my best friend",
    }
    assert spelt("would ~not") == {"would"}
    assert spelt("but ~i can't|won't remember") == {"but"}


@pytest.mark.parametrize(
    "data",
    [
        {"negations": {"ahead": ["not"]}},
        {"negation": {"behind": ["not"]}},
        {"negation": {"ahead": ["Not"]}},
        {"negation": {"ahead": ["don’t"]}},
        {"negation": {"ahead": ["do  not"]}},
        {"subject": {"over": ["my @person"]}},
        {"bare": {"maybe": ["perhaps"]}},
    ],
)
def test_data_that_is_not_as_it_should_be_is_refused_at_the_start(data: dict[str, object]) -> None:
    with pytest.raises(SetupError, match=r"here\.toml"):
        read({**PLAIN, **data}, "here.toml")
    with pytest.raises(SetupError, match="script"):
        read({key: value for key, value in PLAIN.items() if key != "script"}, "here.toml")


def test_a_language_is_added_by_its_data_alone() -> None:
    swedish = read(
        {
            "code": "sv", "name": "Swedish", "script": "Latin", "telling": ["jag", "vill", "ha", "röker"],
            "negation": {"ahead": ["inga|ingen|inget", "inte"], "clause": ["inte"]},
            "clause": {"subjects": ["jag"], "joins": ["och"], "parts": ["men"]},
        },
        "sv.toml",
    )  # fmt: skip
    gate = Gate(Languages((*load().all, swedish)))
    for lang in ("sv", None):
        assert gate.judge("Jag vill inte ha barn", "ha barn", lang=lang).rule == "negation"
        assert gate.judge("Jag röker inte", "Jag röker", lang=lang).rule == "negation"
    assert gate.judge("Jag röker inte, men jag dricker", "jag dricker", lang="sv").accepted


def test_the_example_of_the_guide_is_a_language() -> None:
    guide = Path(__file__).resolve().parents[3] / "docs" / "guides" / "add-a-language.md"
    example = guide.read_text("utf-8").split("```toml\n")[1].split("```")[0]
    gate = Gate(Languages((read(tomllib.loads(example), "the guide"),)))
    assert gate.judge("Ich rauche nicht, aber ich trinke", "Ich rauche").rule == "negation"
    assert gate.judge("Ich rauche nicht, aber ich trinke", "ich trinke").accepted
    assert (
        gate.judge("Der Chef von nebenan hat zwei Kinder", "zwei Kinder").rule == "sentence"
    )  # too few words tell
    assert gate.judge("Mein Chef hat zwei Kinder", "zwei Kinder", lang="de-AT").rule == "subject"


def test_these_languages_come_with_the_ledger() -> None:
    assert [language.code for language in load().all] == [
        "ar",
        "da",
        "de",
        "en",
        "es",
        "fr",
        "id",
        "it",
        "ja",
        "nl",
        "pt",
        "sr",
        "tr",
        "zh",
    ]


def test_the_hint_is_taken_and_a_dialect_falls_back_to_its_language(outcome) -> None:
    message, span = "No tengo hijos todavía", "hijos"
    for lang in (None, "es", "es-MX", "es_419", "ES"):
        assert outcome(message, span, lang=lang) == "meaning_cut"


@pytest.mark.parametrize(
    ("message", "span", "lang"),
    [
        ("Nie chcę teraz mieć dzieci", "dzieci", "pl"),
        ("Nie chcę teraz mieć dzieci", "dzieci", None),
        ("Jag vill inte ha några barn", "barn", None),
        ("En halua nyt lapsia ollenkaan", "lapsia", None),
        ("Я не хочу детей", "детей", None),
        ("아이를 원하지 않아요", "아이를", None),
        ("अभी मुझे बच्चे नहीं चाहिए", "बच्चे", None),
        ("I live here. Я не хочу детей.", "детей", None),
        ("I want kids", "kids", "zz"),
    ],
)
def test_without_data_only_whole_sentences_pass(
    gate: Gate, message: str, span: str, lang: str | None
) -> None:
    verdict = gate.judge(message, span, lang=lang)
    assert (verdict.reason, verdict.rule) == ("meaning_cut", "sentence")
    assert verdict.nearest is not None
    assert gate.judge(message, verdict.nearest, lang=lang).accepted


@pytest.mark.parametrize(
    ("message", "span"),
    [
        ("Nunca he [[fumado]]", "negation"),
        ("No me [[gustan los perros]]", "negation"),
        ("Vivo [[sin coche]]", ""),
        ("[[Quiero hijos]] si encuentro pareja", "condition"),
        ("Yo [[como de todo]] salvo cerdo", "exception"),
        ("Quizás [[quiera hijos]]", "hedge"),
        ("Ojalá [[tenga hijos]]", "wish"),
        ("Antes [[fumaba mucho]]", "past"),
        ("Mi hermana [[tiene dos hijos]]", "subject"),
        ("[[El viernes]], no, espera, el sábado", "correction"),
        ("[[Me encantan los niños]], es broma", "irony"),
        ("No, [[vivo en Madrid]]", ""),
        ("No fumo, [[tengo dos gatos]]", ""),
    ],
)
def test_spanish(gate: Gate, message: str, span: str) -> None:
    before, rest = message.split("[[")
    inside, after = rest.split("]]")
    for lang in ("es", None):
        assert gate.judge(before + inside + after, inside, lang=lang).rule == span


@pytest.mark.parametrize(
    ("message", "span", "hint"),
    [
        ("I don't want kids", "want kids", "de"),
        ("Ich rauche nicht", "Ich rauche", "en"),
        ("je fume pas", "je fume", "en"),
        ("No quiero tener hijos", "tener hijos", "fr"),
    ],
)
def test_a_hint_that_is_wrong_lets_nothing_through(gate, message, span, hint):
    assert not gate.judge(message, span).accepted
    assert not gate.judge(message, span, lang=hint).accepted
