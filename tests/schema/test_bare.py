"""SQL tells a bare answer as the gate does: when a question changes, every stored one is found, and no other."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ledger import languages
from ledger.core.gate import Gate, narrow

GATE = Gate(languages.load())
FORMS = st.sampled_from(GATE.bare_forms())
TYPED = st.lists(
    FORMS | st.sampled_from(["Ghent", "two", "smoke", "是", "我", "Ä", "."]), min_size=1, max_size=6
)
TEXT = (
    TYPED.map(" ".join)
    | TYPED.map("，".join)
    | TYPED.map("".join)
    | st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=40)
)


@given(text=TEXT | TEXT.map(str.upper) | TEXT.map(str.title))
@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_sql_and_the_gate_agree(database, text):
    found = database.installer.execute(
        "select ledger.narrow(%s), ledger.is_bare(%s)", (text, text)
    ).fetchone()
    assert found == (narrow(text), GATE.is_bare(text))


@pytest.mark.parametrize("text", ["", " ", "...", "no no no no no", "yes " * 100, "one day", "Te quiero"])
def test_nothing_and_too_much_and_more_are_not_bare(database, text):
    assert not GATE.is_bare(text)
    assert database.installer.execute("select ledger.is_bare(%s)", (text,)).fetchone() == (False,)


def test_no_form_has_more_words_than_sql_looks_at():
    assert max(len(form.split()) for form in GATE.bare_forms()) <= 12
