"""Deletion is real: words that were deleted, by whatever deletes, are nowhere to be found, and do not come back.

Each path has a principal and a word of its own. After the deletions, and after the same messages were captured once more, the
words are searched for in every read path, in a dump, and, after the maintenance that the docs describe, in every file of the
data directory.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from house import LATE, PATHS, SAID, SERVERS, House, house, word

DOCS = Path(__file__).resolve().parents[2] / "docs" / "operations" / "postgresql.md"
NAMES = [path.__name__ for path in PATHS]


@dataclass(frozen=True, slots=True)
class Lived:
    """What is left of ten lives, and of one in which nothing was deleted."""

    at: House
    words: dict[str, str]  # path -> the word that was deleted
    kept: str
    before: dict[str, set[str]]  # word -> the files that it stood in before anything was done about it
    again: dict[str, str]  # path -> what the late capture of the same message answered


@pytest.fixture(scope="module", params=list(SERVERS))
def lived(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lived]:
    with house(tmp_path_factory.mktemp("house"), SERVERS[request.param]) as at:
        words, kept = {name: word() for name in NAMES}, word()
        for name in [*NAMES, "kept"]:
            at.me("PUT", "me/consent", {"decision": "granted", "notice": "v1"}, who=name)
        at.say("kept", "kids", f"I like {kept} best")
        for path in PATHS:
            path(at, path.__name__, f"I like {words[path.__name__]} best")
        before = at.files_with({kept, *words.values()})
        again = {}
        for name in NAMES:
            topic, day = LATE.get(name, ("kids", SAID))
            message = f"I like {words[name]} best"
            body = {
                "message": message,
                "said_on": day.isoformat(),
                "candidates": [{"topic": topic, "span": message}],
            }
            again[name] = at.api.call(
                "POST", "/v1/captures", body | {"avoid": []}, as_="capture", who=name
            ).text
        yield Lived(at, words, kept, before, again)


def test_the_search_finds_what_is_there(lived: Lived) -> None:
    """Else finding nothing would mean nothing."""
    shown = lived.at.read_paths("kept")
    holders = {name for name, text in shown.items() if lived.kept in text}
    assert holders == {"plan", "recall", "recall of named topics", "entries", "export"}
    assert lived.kept in lived.at.dump()
    assert set(lived.before) == {lived.kept, *lived.words.values()}, "each was on the disk"


@pytest.mark.parametrize("name", NAMES)
def test_a_late_capture_is_answered_as_ever(lived: Lived, name: str) -> None:
    accepted = '"accepted":true' in lived.again[name]
    assert accepted == (name != "a_topic_that_is_forbidden")


@pytest.mark.parametrize("name", NAMES)
def test_no_read_path_shows_it(lived: Lived, name: str) -> None:
    shown = lived.at.read_paths(name)
    assert [where for where, text in shown.items() if lived.words[name] in text] == []


def test_no_table_and_no_dump_holds_it(lived: Lived) -> None:
    store, dump = repr(lived.at.database.store()), lived.at.dump()
    assert [name for name, one in lived.words.items() if one in store] == []
    assert [name for name, one in lived.words.items() if one in dump] == []


def test_after_the_maintenance_of_the_docs_no_file_holds_it(lived: Lived) -> None:
    (statements,) = re.findall(r"## After a deletion\n.*?```sql\n(.*?)```", DOCS.read_text("utf-8"), re.S)
    for statement in statements.strip().splitlines():
        lived.at.database.installer.execute(statement)
    left = lived.at.files_with({lived.kept, *lived.words.values()})
    assert lived.kept in left
    assert {name: left[one] for name, one in lived.words.items() if one in left} == {}


# ── What is left to say that it happened ─────────────────────────────────────────────────────────

PROOF = {
    "one_entry": {"deleted"}, "everything": {"withheld", "erased"}, "a_correction": {"corrected"},
    "a_no_to_what_waits": {"declined"}, "a_reconfirmation": {"taken_back"}, "a_newer_answer": set(),
    "a_hold_that_is_lifted": {"hold_placed", "erase_asked", "hold_lifted", "erased"}, "a_merge": {"merged"},
    "a_topic_that_is_forbidden": {"dropped"}, "the_sweep": {"expired"},
}  # fmt: skip
"""What he says himself in place of an answer leaves no line."""


@pytest.mark.parametrize("name", NAMES)
def test_the_audit_proves_that_it_happened(lived: Lived, name: str) -> None:
    audit = lived.at.me("GET", "me/export", who=name)["audit"]
    assert {line["action"] for line in audit} - {"consent_granted"} == PROOF[name]
    assert all(
        line["n"] == 1 for line in audit if line["action"] in ("deleted", "erased", "expired", "dropped")
    )


def test_what_stays_of_a_deletion_is_the_same_whatever_was_deleted(lived: Lived) -> None:
    """No hash and no length of it: a word or five hundred characters leave equal rows, on one topic or another."""
    at, left = lived.at, {}
    for who, topic, words in (
        ("short", "kids", f"I like {word()}"),
        ("long", "kids", f"I like {word()} and " + " and ".join(word() for _ in range(26))),
        ("elsewhere", "hobby", f"I like {word()}"),
    ):
        at.say(who, topic, words)
        at.me("DELETE", at.entry(who, topic), who=who)
        principal = str(at.deployment.context.identity.principal(who))
        left[who] = {
            table: [row.replace(principal, "he") for row in rows if principal in row]
            for table, rows in at.database.store().items()
        }
    marks = {who: {row.split(",")[1] for row in of.pop("barrier")} for who, of in left.items()}
    assert left["short"] == left["long"] == left["elsewhere"]
    assert [len(mark) for mark in marks.values()] == [1, 1, 1]
    identity = at.deployment.context.identity
    for who, topic in (("short", "kids"), ("long", "kids"), ("elsewhere", "hobby")):
        assert marks[who] == {str(identity.mark(identity.principal(who), topic))}, "of the topic alone"
