"""Rule 6: fit to keep."""

from __future__ import annotations

import pytest

from ledger.core.gate import Gate, Names

SECRETS = [
    "my password is hunter2!",
    "pw: Tr0ub4dor",
    "mi contraseña es gato99",
    "the pin is 4711",
    "CVV: 123",
    "card 4111 1111 1111 1111",
    "pay with 5500-0000-0000-0004 please",
    "IBAN DE89 3704 0044 0532 0130 00",
    "account number: 12345678",
    "my ssn is 536-22-1234",
    "536-22-1234",
    "DNI 12345678Z",
    "X1234567L",
    "AKIAIOSFODNN7EXAMPLE",
    "ghp_" + "a1B2" * 9,
    "sk-proj-" + "Ab3d" * 8,
    "dapi" + "0a1b" * 8,
    "NRAK-" + "Q7W8" * 7,
    "hvs." + "Ab3d" * 6,
    "-----BEGIN RSA PRIVATE KEY-----",
    "postgres://kim:s3cret@db.example/x",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abcdefghijk",
    "Zx9kQ2mN7vB4tR8wL1pS6yD3fG5hJ0cA",
]
HARMLESS = [
    "I forgot my password",
    "call me at 8 and bring 4 cards",
    "my budget is 4111 1111 at most",
    "order 1234567890123 came late",
    "born 1990-05-04, twins in 2019",
    "2f1c9a0e-7f3b-4c57-9d3e-5b1f6a7c8d90",
    "I use AES-256-GCM and ed25519",
    "https://example.org/a/very/long/path/that/goes/on/and/on",
    "my secret is cinnamon",
]


@pytest.mark.parametrize("text", SECRETS)
def test_a_secret_is_never_kept_nor_suggested(gate: Gate, text: str) -> None:
    verdict = gate.judge(text, text)
    assert verdict.reason == "secret"
    assert verdict.nearest is None
    assert gate.fit(text).reason == "secret"


@pytest.mark.parametrize("text", HARMLESS)
def test_ordinary_numbers_and_words_are_no_secrets(gate: Gate, text: str) -> None:
    assert gate.fit(text).accepted


@pytest.mark.parametrize(
    ("text", "avoid"),
    [
        ("Sure Marta, I smoke", ["Marta"]),
        ("I like marta's flat", ["Marta"]),
        ("MARTA knows", ["marta"]),
        ("Márta knows", ["Marta"]),
        ("Mar\u200bta knows", ["Marta"]),
        ("@marta knows", ["Marta"]),
        ("I work at Acme Corp now", ["Acme Corp"]),
        ("I work at Acme  corp's site", ["ACME Corp"]),
        ("AcmeCorp it is", ["Acme Corp"]),
        ("我喜欢李雷的家", ["李雷"]),
        ("I met M. Ruiz there", ["Marta Ruiz"]),
        ("that was Marta R., I think", ["Marta Ruiz"]),
        ("J. F. Klein knows", ["Jan Frederik Klein"]),
        ("Radim za Markom", ["Marko"]),
        ("Кажи Марку да пушим", ["Марко"]),
        ("Das ist Martas Wohnung", ["Marta"]),
    ],
)
def test_names_to_avoid_are_found_however_they_are_typed(gate: Gate, text: str, avoid: list[str]) -> None:
    assert gate.fit(text, avoid).reason == "names_counterparty"
    assert not gate.judge(text, text, avoid=avoid).accepted


@pytest.mark.parametrize(
    ("text", "avoid"),
    [
        ("Martian food", ["Marta"]),
        ("I smoke", ["Marta", "", "..."]),
        ("a corp", ["Acme Corp"]),
        ("marmalade", ["Marko"]),
        ("I am R, not M", ["Marta Ruiz"]),
    ],
)
def test_other_words_are_no_names(gate: Gate, text: str, avoid: list[str]) -> None:
    assert gate.fit(text, avoid).accepted


@pytest.mark.parametrize("text", ["Marta smokes", "I work at Acme Corp", "I met M. Ruiz", "李雷", "I smoke"])
@pytest.mark.parametrize("own", [(), ("Marta",), ("Acme Corp", "李雷")])
@pytest.mark.parametrize("callers", [(), ("Marta Ruiz",), ("Acme Corp",)])
def test_a_callers_names_come_on_top_of_a_deployments(
    gate: Gate, text: str, own: tuple[str, ...], callers: tuple[str, ...]
) -> None:
    both = Names(own).and_(callers)
    assert gate.fit(text, both) == gate.fit(text, (*own, *callers))
    assert bool(both) == bool(own or callers)
    assert Names.of(both) is both


def test_a_name_outside_of_the_span_does_no_harm(gate: Gate) -> None:
    verdict = gate.judge("Sure Marta, I smoke", "I smoke", avoid=["Marta"])
    assert verdict.answer == "I smoke"


def test_what_the_principal_writes_himself_needs_no_message(gate: Gate) -> None:
    assert gate.fit("I want three kids, if any").answer == "I want three kids, if any"
    assert gate.fit("no").bare
    assert gate.fit(" . ").reason == "too_short"
    assert gate.fit("x" * 501).reason == "too_long"
    assert gate.fit("x " * 250).accepted
