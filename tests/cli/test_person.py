"""`why`, `export`, `erase`, `legal-hold`: what an operator of the machine does for a single principal."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from ledger.core.model import Candidate, Decision
from ledger.service import principals
from ledger.service.ledger import Ledger
from ledger.settings import Settings

TODAY = datetime.now(UTC).date()


@pytest.fixture
def said(command: Any) -> Any:
    """He says something, as the application hands it over."""
    command("topics", "import", "dating")

    def say(topic: str, message: str, ago: int = 0, consent: Decision | None = None) -> None:
        with Ledger.open(Settings.load()) as ledger:
            person = ledger.principal("ann")
            (outcome,) = person.capture(message, TODAY - timedelta(days=ago), [Candidate(topic, message)])
            assert outcome.verdict.accepted
            if consent:
                ledger.run(principals.decide_consent(ledger.context, person.id, consent, "v1"))

    return say


def test_why_gives_every_reason(command: Any, said: Any) -> None:
    assert "nothing kept" in command("why", "ann", "pets").out
    said("pets", "I have two cats.", ago=400)
    done = command("why", "ann", "pets")
    assert done.code == 1
    assert "undecided" in done.out and "stale" in done.out
    assert "unknown" in command("why", "ann", "never coined").out


def test_why_is_0_where_nothing_stands_in_the_way(command: Any, said: Any) -> None:
    said("pets", "I have two cats.", consent=Decision.GRANTED)
    done = command("why", "ann", "animals")
    assert done.code == 0
    assert done.out


def test_why_as_machine_output(command: Any, said: Any) -> None:
    said("pets", "I have two cats.", consent=Decision.REVOKED)
    found = command("why", "ann", "pets", "--json").json
    assert found["state"]["key"] == "pets"
    assert [reason for reason in found["reasons"] if reason.startswith("revoked")]


def test_export_is_one_json_document_with_its_schema(command: Any, said: Any) -> None:
    said("pets", "I have two cats.", consent=Decision.GRANTED)
    done = command("export", "ann")
    assert done.code == 0
    assert [entry["answer"] for entry in done.json["entries"]] == ["I have two cats."]
    assert done.json["consent"]["decision"] == "granted"
    assert done.json["schema"]["title"] == "ExportDocument"
    assert list(done.json)[:2] == ["count", "entries"] and list(done.json)[-1] == "schema", "his words first"


def test_erase_asks_first_and_gives_a_receipt_that_names_nothing(command: Any, said: Any) -> None:
    said("pets", "I have two cats.")
    assert command("erase", "ann").code == 1
    assert command("export", "ann").json["count"] == 1
    done = command("erase", "ann", "--yes", "--json")
    assert done.code == 0
    assert done.json == {"entries": 1, "pending": 0, "withheld": 0, "on_hold": False}
    assert command("export", "ann").json["count"] == 0


def test_a_hold_keeps_what_is_erased_until_it_is_lifted(command: Any, said: Any, database: Any) -> None:
    said("pets", "I have two cats.")
    assert command("legal-hold", "place", "ann").code == 0
    done = command("erase", "ann", "--yes")
    assert "legal hold" in done.out
    assert database.rows("select count(*) from ledger.entry") == [(1,)]
    assert command("legal-hold", "lift", "ann").code == 0
    assert database.rows("select count(*) from ledger.entry") == [(0,)]


def test_sweeping_deletes_what_is_gone_and_a_dry_run_only_counts_it(
    command: Any, said: Any, database: Any
) -> None:
    said("working hours", "I work nights.", ago=300)
    database.day(TODAY + timedelta(days=100))
    assert command("sweep", "--dry-run", "--json").json["entries"] == 1
    assert database.rows("select count(*) from ledger.entry") == [(1,)]
    assert command("sweep", "--json").json["entries"] == 1
    assert database.rows("select count(*) from ledger.entry") == [(0,)]


def test_a_sweep_says_in_words_what_goes(command: Any, said: Any, database: Any) -> None:
    assert command("sweep", "--dry-run").out.startswith("Nothing is past its window.\n")
    said("working hours", "I work nights.", ago=300)
    database.day(TODAY + timedelta(days=100))
    assert command("sweep", "--dry-run").out == (
        "Past their windows, and would be deleted:\n"
        "        1  answers\n"
        "Nothing was changed. To do it: answer-ledger sweep\n"
    )
    done = command("sweep").out
    assert done.startswith("Past their windows, and deleted:\n        1  answers\n")
    assert "Rows stamped anew" in done
