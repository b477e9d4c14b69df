"""Consent refers to a notice that the deployment has as a file, and to nothing else."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ledger import notices
from ledger.core.model import Decision
from ledger.errors import InvalidRequest, SetupError
from ledger.service.ledger import Ledger
from ledger.settings import Settings


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "notices"
    made.mkdir()
    return made


def write(folder: Path, *names: str, text: str = "What we keep, and who may see it.") -> None:
    for name in names:
        (folder / name).write_text(text, "utf-8")


@pytest.fixture
def opened(database: Any, settings_for: Callable[..., Settings], folder: Path) -> Any:
    def go(*names: str) -> Ledger:
        write(folder, *names)
        return Ledger.open(settings_for(database, notices_dir=folder))

    return go


def test_v1_ships_and_is_a_text_for_people() -> None:
    assert notices.versions() == {"v1"}
    text = (notices.SHIPPED / "v1.en.md").read_text("utf-8")
    for told in ("take it back", "see everything", "correct", "delete", "erase", "not to remember you"):
        assert told in text
    assert not re.search(r"\b(he|she|him|his|her)\b", text)


def test_without_a_folder_there_is_v1_alone(ledger: Ledger) -> None:
    ann = ledger.principal("ann")
    assert ann.decide(Decision.GRANTED, notice="v1").notice == "v1"
    with pytest.raises(InvalidRequest):
        ann.decide(Decision.GRANTED, notice="v2")


def test_a_version_is_one_in_however_many_languages_it_is_written(opened: Any) -> None:
    with opened("v2.en.md", "v2.de.md", "2026-06-01.pt-BR.md", "v2.1.en.md") as ledger:
        assert ledger.context.notices == {"v1", "v2", "v2.1", "2026-06-01"}
        ann = ledger.principal("ann")
        for notice in ("v1", "v2", "v2.1", "2026-06-01"):
            assert ann.decide(Decision.REVOKED, notice=notice).notice == notice


@pytest.mark.parametrize(
    "notice",
    [
        "2026-11-30T14:03 thread/42",
        "v3",
        "v2.en",
        "v2.en.md",
        "V2",
        "v2 ",
        "v22",
        "",
        "../v2",
        "2026-06",
    ],
)
def test_whatever_is_no_version_of_a_file_is_refused_and_decides_nothing(opened: Any, notice: str) -> None:
    with opened("v2.en.md") as ledger:
        ann = ledger.principal("ann")
        before = ann.decide(Decision.GRANTED, notice="v2")
        with pytest.raises(InvalidRequest) as refusal:
            ann.decide(Decision.REVOKED, notice=notice)
        assert [one.at for one in refusal.value.problems] == ["notice"]
        assert not notice or notice not in str(vars(refusal.value))
        assert ann.consent() == before
        assert len(ann.receipts()) == 1


@pytest.mark.parametrize(
    "name",
    [
        "v2.md",
        "V2.en.md",
        "v2.EN.md",
        "notice of June.en.md",
        "2026-11-30-14.03.en.md",
        "20261130.en.md",
        "v2..en.md",
        ".en.md",
        "thread-42-of-agent-7.en.md",
    ],
)
def test_a_notice_that_nobody_could_refer_to_stops_the_start(opened: Any, name: str) -> None:
    with pytest.raises(SetupError, match=r"<version>\.<language>\.md"):
        opened("v2.en.md", name)


def test_an_empty_notice_stops_the_start(opened: Any, folder: Path) -> None:
    write(folder, "v2.en.md", text=" \n")
    with pytest.raises(SetupError, match="empty"):
        opened()


def test_a_folder_that_is_not_there_stops_the_start(
    database: Any, settings_for: Callable[..., Settings], tmp_path: Path
) -> None:
    with pytest.raises(SetupError, match="LEDGER_NOTICES_DIR"):
        Ledger.open(settings_for(database, notices_dir=tmp_path / "nowhere"))


def test_what_is_no_notice_is_left_alone(opened: Any, folder: Path) -> None:
    (folder / "drafts.md").mkdir()
    with opened("logo.svg", "v2.en.md.bak", ".hidden") as ledger:
        assert ledger.context.notices == {"v1"}
