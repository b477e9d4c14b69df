"""`topics` and `windows`: what operators decide, on the command line."""

from __future__ import annotations

from typing import Any

import pytest

from ledger.packs import load_pack


def topics(command: Any) -> dict[str, Any]:
    return {one["key"]: one for one in command("topics", "list", "--json").json}


def test_a_pack_lists_its_topics_with_questions_labels_and_windows(command: Any) -> None:
    assert command("topics", "import", "dating").code == 0
    found = topics(command)
    for wanted in load_pack("dating").topics:
        assert found[wanted.key]["listed"]
        assert found[wanted.key]["question"] == wanted.question
        assert found[wanted.key]["handling"] == wanted.handling
        assert found[wanted.key]["reconfirm_after"] == wanted.reconfirm_after
        assert set(found[wanted.key]["aliases"]) == set(wanted.aliases)


def test_importing_again_changes_nothing_and_leaves_what_operators_wrote(command: Any) -> None:
    command("topics", "import", "dating")
    command("topics", "set", "kids", "--question", "Would you like children?", "--yes")
    before = topics(command)
    assert command("topics", "import", "dating").code == 0
    assert topics(command) == before
    assert before["kids"]["question"] == "Would you like children?"


def test_packs_can_be_imported_together(command: Any) -> None:
    for pack in ("dating", "recruiting", "support"):
        assert command("topics", "import", pack).code == 0
    assert len(topics(command)) > 60


def test_a_pack_of_ones_own_is_a_file(command: Any, tmp_path: Any) -> None:
    (tmp_path / "lettings.yaml").write_text(
        "pack: lettings\nabout: What landlords ask.\ntopics:\n  - key: move_in_date\n    question: When could you move in?\n"
    )
    assert command("topics", "import", "lettings.yaml").code == 0
    assert topics(command)["move_in_date"]["question"] == "When could you move in?"


@pytest.mark.parametrize("pack", ["absent", "absent.yaml", ""])
def test_a_pack_that_is_not_there_is_told_with_those_that_are(command: Any, pack: str) -> None:
    done = command("topics", "import", pack)
    assert done.code == 2
    assert "dating" in done.err


def test_a_pack_with_a_fault_stores_nothing_and_names_the_place(command: Any, tmp_path: Any) -> None:
    (tmp_path / "bad.yaml").write_text(
        "pack: bad\nabout: Bad.\ntopics:\n  - key: one\n    question: One?\n  - key: Not Normal\n    question: Two?\n"
    )
    done = command("topics", "import", "bad.yaml")
    assert done.code == 2
    assert "topics.1.key" in done.err
    assert "Not Normal" not in done.err
    assert topics(command) == {}


def test_a_step_that_destroys_nothing_is_done_at_once(command: Any) -> None:
    command("topics", "import", "dating")
    done = command("topics", "set", "pets", "--reconfirm-after", "1100", "--drop-after", "3650")
    assert (done.code, done.err) == (0, "")
    assert (topics(command)["pets"]["reconfirm_after"], topics(command)["pets"]["drop_after"]) == (1100, 3650)


def test_a_step_that_destroys_shows_what_and_waits_for_a_yes(command: Any) -> None:
    command("topics", "import", "dating")
    done = command("topics", "set", "kids", "--question", "Kids?")
    assert done.code == 1
    assert "bare answers" in done.err
    assert "fewer than 5" in done.err
    assert "--yes" in done.err
    assert topics(command)["kids"]["question"] == "Do you want children?"
    assert command("topics", "set", "kids", "--question", "Kids?", "--yes").code == 0
    assert topics(command)["kids"]["question"] == "Kids?"


@pytest.mark.parametrize(
    "change",
    [("--reconfirm-after", "10", "--drop-after", "20"), ("--handling", "sealed"), ("--unlisted",)],
)
def test_so_does_a_step_after_which_people_are_asked_again(command: Any, change: tuple[str, ...]) -> None:
    command("topics", "import", "dating")
    before = topics(command)
    done = command("topics", "set", "pets", *change)
    assert done.code == 1
    assert "asked again" in done.err
    assert topics(command) == before
    assert command("topics", "set", "pets", *change, "--yes").code == 0
    assert topics(command) != before


def test_a_shorter_window_is_shown_and_asked(command: Any) -> None:
    command("topics", "import", "dating")
    for arguments in (("90", "365"), ("30", "60", "--topic", "pets")):
        done = command("windows", "set", *arguments)
        assert done.code == 1
        assert "Answers that are gone then, at the most: fewer than 5" in done.err
    shown = command("windows", "show", "--json").json
    assert shown["default"] == {"reconfirm_after": 120, "drop_after": 540}
    assert shown["topics"]["pets"] != [30, 60]


def test_the_list_can_be_searched(command: Any) -> None:
    command("topics", "import", "dating")
    found = {one["key"] for one in command("topics", "list", "--find", "smok", "--json").json}
    assert "smoking" in found and len(found) < 5
    assert "No topic" in command("topics", "list", "--find", "zebra").out


def test_the_list_shows_all_of_a_registry_that_has_pages(command: Any, tmp_path: Any) -> None:
    lines = [f"  - key: topic_{n}\n    question: What about {n}?\n" for n in range(230)]
    (tmp_path / "many.yaml").write_text("pack: many\nabout: Many.\ntopics:\n" + "".join(lines))
    assert command("topics", "import", "many.yaml").code == 0
    assert len(topics(command)) == 230


def test_a_topic_is_merged_after_a_yes(command: Any) -> None:
    command("topics", "import", "dating")
    assert command("topics", "merge", "alcohol", "smoking").code == 1
    assert command("topics", "merge", "alcohol", "smoking", "--yes").code == 0
    found = topics(command)
    assert "alcohol" not in found
    assert "alcohol" in found["smoking"]["aliases"]


def test_special_categories_stay_closed(command: Any) -> None:
    command("topics", "import", "dating")
    done = command("topics", "set", "religion", "--handling", "open")
    assert done.code == 2
    assert "special category" in done.err
    assert topics(command)["religion"]["handling"] != "open"


def test_nothing_to_set_says_what_the_topic_is_now_and_what_can_be_set(command: Any) -> None:
    command("topics", "import", "dating")
    done = command("topics", "set", "children")
    assert (done.code, done.out) == (2, "")
    for told in ("kids: listed, open", "Do you want children?", "--question", "--handling", "--listed"):
        assert told in done.err
    assert command("topics", "set", "new one", "--new").code == 0, "creating it is something"
    assert topics(command)["new_one"]["listed"]
    assert command("topics", "set", "another", "--new", "--unlisted").code == 2


def test_without_topics_the_list_names_the_first_step(command: Any) -> None:
    assert "answer-ledger topics import dating" in command("topics", "list").out
    assert command("topics", "list", "--json").json == []


def test_a_change_says_what_the_topic_is_then(command: Any) -> None:
    command("topics", "import", "recruiting")
    told = command(
        "topics", "set", "pets", "--new", "--listed", "--handling", "forbidden", "--authority", "the vet's file",
        "--reconfirm-after", "10", "--drop-after", "20",
    ).out  # fmt: skip
    assert told == (
        "pets: listed, forbidden, its authority is the vet's file, without a question, "
        "a question after 10 days, gone at 20\n"
    )


def test_a_topic_that_is_not_there_is_a_no(command: Any) -> None:
    for arguments in (("set", "zebra", "--listed"), ("merge", "zebra", "lion", "--yes")):
        done = command("topics", *arguments)
        assert done.code == 1, arguments
        assert "zebra" not in done.err
        assert "topics list" in done.err and "--new" in done.err


def test_the_default_window_is_120_and_540_until_it_is_set(command: Any) -> None:
    assert command("windows", "show", "--json").json["default"] == {"reconfirm_after": 120, "drop_after": 540}
    assert command("windows", "set", "90", "365", "--yes").code == 0
    assert command("windows", "show", "--json").json["default"] == {"reconfirm_after": 90, "drop_after": 365}
    refused = command("windows", "set", "365", "90")
    assert refused.code == 2
    assert "drop_after" in refused.err


def test_a_topic_has_a_window_of_its_own(command: Any) -> None:
    command("topics", "import", "dating")
    assert command("windows", "set", "30", "60", "--topic", "pets", "--yes").code == 0
    assert command("windows", "show", "--json").json["topics"]["pets"] == [30, 60]


def test_every_step_has_machine_output_too(command: Any) -> None:
    assert "kids" in command("topics", "import", "dating", "--json").json["listed"]
    made = command(
        "topics", "set", "progeny", "--new", "--listed", "--question", "Any?", "--yes", "--json"
    ).json
    assert made["key"] == "progeny" and made["listed"]
    assert "progeny" in command("topics", "merge", "progeny", "kids", "--yes", "--json").json["aliases"]
    assert command("windows", "set", "90", "365", "--topic", "kids", "--yes", "--json").json == {
        "topic": "kids",
        "reconfirm_after": 90,
        "drop_after": 365,
    }


def test_an_import_shows_what_a_proposal_would_lose_and_asks(
    command: Any, database: Any, tmp_path: Any
) -> None:
    (tmp_path / "lettings.yaml").write_text(
        "pack: lettings\nabout: Lets.\ntopics:\n  - key: move_in_date\n    question: When?\n"
        "    reconfirm_after: 30\n    drop_after: 60\n"
    )
    database.installer.execute("insert into ledger.proposal values ('move_in_date')")
    done = command("topics", "import", "lettings.yaml")
    assert done.code == 1
    assert "at least 5" in done.err
    assert "proposed" in command("topics", "list").out
    assert command("topics", "import", "lettings.yaml", "--yes").code == 0
    assert topics(command)["move_in_date"]["listed"]
