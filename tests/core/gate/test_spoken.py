"""Which languages a message may be in, when nobody says so."""

from __future__ import annotations

import pytest

from ledger.core.gate import Gate
from ledger.core.gate.spoken import Ear, Spoken
from ledger.core.text import fold
from ledger.languages import load


@pytest.fixture(scope="module")
def spoken():
    ear = Ear(load())

    def told(message: str) -> Spoken:
        return ear.spoken(message, fold(message))

    return told


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ("I live near the river with my two dogs", "en"),
        ("Ich wohne mit meinen zwei Hunden am Fluss", "de"),
        ("Jeg bor ved floden med mine to hunde", "da"),
        ("Ik woon met mijn twee honden bij de rivier", "nl"),
        ("Abito vicino al fiume con i miei due cani", "it"),
        ("Vivo cerca del río con mis dos perros", "es"),
        ("Moro perto do rio com os meus dois cachorros", "pt"),
        ("J'habite près de la rivière avec mes deux chiens", "fr"),
        ("Saya tinggal dekat sungai dengan dua anjing saya", "id"),
        ("Nehrin yakınında iki köpeğimle yaşıyorum", "tr"),
        ("Živim pored reke sa moja dva psa", "sr"),
        ("Живим поред реке са моја два пса", "sr"),
        ("أعيش قرب النهر مع كلبي", "ar"),
        ("我和两只狗住在河边", "zh"),
        ("私は犬と川の近くに住んでいます", "ja"),
    ],
)
def test_a_language_is_told_by_its_words(spoken, message: str, code: str) -> None:
    languages, known, _ = spoken(message)
    assert known
    assert languages[0].code == code


@pytest.mark.parametrize(
    "message",
    [
        "Jag bor vid floden med mina två hundar och röker inte",
        "Mieszkam nad rzeką z moimi dwoma psami",
        "Bydlím u řeky se svými dvěma psy",
        "Asun joen lähellä kahden koirani kanssa",
        "Gyvenu prie upės su dviem šunimis",
        "Я живу у реки с двумя собаками",
        "من با دو سگم کنار رودخانه زندگی می‌کنم",
        "나는 강 근처에 개 두 마리와 산다",
    ],
)
def test_a_language_without_data_is_not_taken_for_another(spoken, gate: Gate, message: str) -> None:
    assert not spoken(message).known
    words = message.split()
    assert gate.judge(message, " ".join(words[1:])).rule == "sentence"
    assert gate.judge(message, message).accepted


def test_a_second_language_in_a_message_applies_too(spoken, gate: Gate) -> None:
    message = "I have two dogs and a cat here. Ich rauche nicht."
    assert [language.code for language in spoken(message).languages] == ["en", "de"]
    assert gate.judge(message, "rauche").rule == "negation"
    assert gate.judge(message, "two dogs").accepted


def test_words_that_two_languages_share_make_no_second_language(spoken) -> None:
    message = (
        "I am in the band with men who had a fast war game and wine"  # each a word of German or Danish too
    )
    assert [language.code for language in spoken(message).languages] == ["en"]


def test_a_span_has_to_pass_under_each_language_that_a_message_may_be_in(gate: Gate) -> None:
    message, span = "Non fumo", "fumo"  # nothing tells Italian from its neighbours
    assert not gate.judge(message, span).accepted


def test_a_hint_outweighs_what_the_words_tell(gate: Gate) -> None:
    assert gate.judge("Ich habe zwei Kinder", "zwei Kinder", lang="pl").rule == "sentence"
    assert gate.judge("Ich habe zwei Kinder", "zwei Kinder", lang="de-CH").accepted


@pytest.mark.parametrize("lang", ["de", "es", "fr", "ja", "tr"])
def test_a_hint_that_is_plainly_wrong_lets_no_lie_through(gate: Gate, lang: str) -> None:
    assert gate.judge("I don't want to have any kids at all", "kids", lang=lang).rule == "negation"
    assert gate.judge("I have two dogs and a cat in this house", "two dogs", lang=lang).accepted
