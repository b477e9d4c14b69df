"""A language file that is not as it should be is refused at the start, with its line and field."""

from __future__ import annotations

from importlib.resources import files

import pytest

from ledger.errors import SetupError
from ledger.languages import load, parse
from ledger.languages.file import schema

HEAD = 'code = "xx"\nname = "Test"\nscript = "Latin"\ntelling = ["foo"]\n'


def test_a_file_of_the_head_alone_is_a_language() -> None:
    language = parse(HEAD, "xx.toml")
    assert (language.code, language.scripts, language.telling) == ("xx", {"Latin"}, {"foo"})


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ('[negation]\nahead = [\n  "not",\n  "Never",\n]\n', r"line 8, negation\.ahead: 'Never' is not in folded form: 'never'"),
        ('[negation]\nahead = ["don’t"]\n', r"line 6, negation\.ahead: .*folded form"),
        ('[negation]\nahead = ["do  not"]\n', r"line 6, negation\.ahead: a word is empty"),
        ('[negation]\nahead = ["no*t here*"]\n', r"line 6, negation\.ahead: a pattern with \* stands alone"),
        ('[clause]\njoins = ["and*"]\n', r"line 6, clause\.joins: a pattern with \*"),
        ('[subject]\nover = ["my @person"]\n', r"line 6, subject\.over: @person names no list"),
        ('[lists]\nperson = ["a @person"]\n[subject]\nover = ["@person"]\n', r"line 8, subject\.over: @person names itself"),
        ('[lists]\nperson = ["son*"]\n[subject]\nover = ["my @person"]\n', r"line 8, subject\.over: @person holds a pattern"),
        ('[hedge]\nahead = ["would not~ be"]\n', r"line 6, hedge\.ahead: ~ stands before the first word"),
        ('[hedge]\nahead = ["would ~not so?"]\n', r"line 6, hedge\.ahead: what ~ parts from the phrase are single words"),
        ('[negations]\nahead = ["not"]\n', r"line 5, negations: there is no such"),
        ('[condition]\nunder = ["so if"]\n[negation]\nbehind = ["not"]\n', r"line 8, negation\.behind: there is no such"),
        ('[negation]\nahead = ["not", 7]\n', r"line 6, negation\.ahead: .*string"),
        ('colour = "red"\n', r"line 5, colour: there is no such"),
        ('[negation\n', r"line 5"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_with_its_line_and_field(body: str, told: str) -> None:
    with pytest.raises(SetupError, match=rf"^xx\.toml.*{told}"):
        parse(HEAD + body, "xx.toml")


@pytest.mark.parametrize("field", ["code", "name", "script", "telling"])
def test_a_field_that_is_missing_is_told(field: str) -> None:
    head = "".join(line for line in HEAD.splitlines(keepends=True) if not line.startswith(field))
    with pytest.raises(SetupError, match=field):
        parse(head, "xx.toml")


def test_the_schema_that_editors_use_is_that_of_the_loader() -> None:
    assert files("ledger.languages").joinpath("language.schema.json").read_text("utf-8") == schema()


def test_every_file_tells_where_its_lists_come_from() -> None:
    for entry in files("ledger.languages").iterdir():
        if entry.name.endswith(".toml"):
            head = entry.read_text("utf-8").partition("code =")[0].replace("\n# ", " ")
            assert (
                "Written by this project from what its rules need; no list is taken from elsewhere." in head
            )


def test_no_tag_falls_back_to_two_languages() -> None:
    tags = [tag for language in load().all for tag in (language.code, *language.also)]
    assert len(tags) == len(set(tags))


def test_a_word_is_found_in_all_its_spellings() -> None:
    body = '[negation]\nahead = ["für|müde"]\n[spellings.two]\n"ü" = "ue"\n[spellings.plain]\n"ü" = "u"\n'
    (cue,) = parse(HEAD + body, "xx.toml").cues
    assert cue.phrase.words == ({"für", "fuer", "fur", "müde", "muede", "mude"},)


def test_a_phrase_of_a_script_without_spaces_is_a_word_a_character() -> None:
    body = '[negation]\nahead = ["要是|如果 不"]\n'
    found = parse(HEAD.replace("Latin", "Han") + body, "xx.toml").cues
    assert [["".join(word) for word in cue.phrase.words] for cue in found] == [
        ["要", "是", "不"],
        ["如", "果", "不"],
    ]
