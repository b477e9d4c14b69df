"""Rule 4: the principal's own words, not somebody else's that stand in his message."""

from __future__ import annotations

import pytest

from ledger.core.gate import Gate
from ledger.core.prompt import CLOSE, OPEN


@pytest.mark.parametrize(
    ("message", "span"),
    [
        ('my ex said "never have kids" and I laughed', "never have kids"),
        ("My mum thinks “I smoke too much” lol", "I smoke too much"),
        ("«Quiero tres hijos», dijo mi hermana", "Quiero tres hijos"),
        ("“You should quit smoking.” Ha.", "quit smoking"),
        ('he goes "I love kids" all day', "I love kids"),
        ("> I want kids\nme too!", "I want kids"),
        ("On Mon, 3 Aug 2026, Kim wrote:\nI want two kids", "I want two kids"),
        ("Am 3. August 2026 um 10:00 schrieb Kim:\nIch will zwei Kinder", "Ich will zwei Kinder"),
        ("Le 3 août 2026 à 10:00, Kim a écrit :\nJe veux deux enfants", "Je veux deux enfants"),
        ("Em 3 de agosto de 2026, Kim escreveu:\nQuero dois filhos", "Quero dois filhos"),
        ("-- Ursprüngliche Nachricht --\nIch will zwei Kinder", "Ich will zwei Kinder"),
        ("Von: Kim\nGesendet: Montag\nIch will zwei Kinder", "Ich will zwei Kinder"),
        ("发件人：王芳\n发送时间：星期一\n我想要两个孩子", "我想要两个孩子"),
        ("-----Original Message-----\nI smoke", "I smoke"),
        ("[03/08/2026, 14:02] Kim: I smoke", "I smoke"),
        ("try `I smoke` here", "I smoke"),
        ("```\nI smoke\n```", "I smoke"),
        ("my doctor told me I smoke too much", "I smoke too much"),
        ("they say I drink", "I drink"),
        ("I was told I need glasses", "I need glasses"),
        ("according to my boss I work hard", "I work hard"),
        ("mi madre dice que fumo mucho", "fumo mucho"),
    ],
)
def test_somebody_else_s_words_are_refused_without_a_suggestion(gate: Gate, message: str, span: str) -> None:
    verdict = gate.judge(message, span)
    assert verdict.reason == "not_own_words"
    assert verdict.nearest is None


@pytest.mark.parametrize(
    ("message", "span"),
    [
        ('my favourite book is "Becoming Nicole"', "Becoming Nicole"),
        ('I loved "The Catcher in the Rye"', '"The Catcher in the Rye"'),
        ('we call it "home office" now', "home office"),
        ('I told her "I want kids"', "I want kids"),
        ("I said I smoke", "I smoke"),
        ('my ex said "never have kids" and I laughed', 'my ex said "never have kids" and I laughed'),
        ("it's 5 o\"clock and I smoke", "I smoke"),
        ("> are you vegan?\nI eat meat", "I eat meat"),
        ("'cause I like dogs' toys", "I like dogs' toys"),
        ("5 > 3 and I smoke", "I smoke"),
    ],
)
def test_his_own_words_are_kept(outcome, message, span):
    assert outcome(message, span) == "kept"


def test_recalled_text_does_not_renew_itself(outcome):
    block = f'{OPEN}\nEarlier words.\n{{"topic": "kids", "said": "I want two kids"}}\n{CLOSE}'
    for message in (block, f"{block} ok", block.upper(), block.removesuffix(CLOSE), block.split("\n")[2]):
        span = "I WANT TWO KIDS" if message.isupper() else "I want two kids"
        assert outcome(message, span) == "not_own_words"
    assert outcome(f"{block}\nI want three kids", "I want three kids") == "kept"
