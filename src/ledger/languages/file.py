"""One language file: read, held against its schema and the rules of phrases, refused with the line and the field.

    parse(text, "de.toml") -> Language

The schema is a model, LanguageFile; language.schema.json beside this module is the same as JSON Schema, for editors.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError, create_model

from ledger.core.language import CUE_TABLES, LISTS, REACHES, BadLanguage, Language, read
from ledger.errors import SetupError

At = tuple[str | int, ...]

Text = Annotated[str, StringConstraints(min_length=1)]
Code = Annotated[str, StringConstraints(pattern=r"^[a-z]{2,3}$")]
Script = Annotated[str, StringConstraints(pattern=r"^[A-Z][A-Za-z_]+$")]
Phrases = list[Text]
_STRICT = ConfigDict(extra="forbid", strict=True)


def _table(name: str, lists: frozenset[str]) -> Any:
    """The model of one table: each of its lists may be absent."""
    fields: Any = {each: (Phrases, Field(default_factory=list)) for each in sorted(lists)}
    return create_model(name.capitalize(), __config__=_STRICT, **fields)


class _Head(BaseModel):
    model_config = _STRICT

    code: Code = Field(description="BCP 47, the language subtag alone")
    name: Text = Field(description="of the language, in English")
    script: Script | Annotated[list[Script], Field(min_length=1)] = Field(
        description="Unicode's names of its scripts"
    )
    telling: Annotated[Phrases, Field(min_length=1)] = Field(
        description="frequent words, by which a text in the language is told"
    )
    foreign: Phrases = Field(
        default=[], description="frequent words of its neighbours without data, told from it by them"
    )
    also: list[Code] = Field(default=[], description="subtags of dialects that fall back to it")
    guests: list[Script] = Field(default=[], description="scripts in which names stand in its sentences")
    never: str = Field(default="", description="letters of its script that it does not have")
    suffixes: Phrases = Field(default=[], description="ends of words that negate")
    spellings: dict[str, dict[Text, str]] = Field(
        default={}, description="how else its letters are typed, a table a way of typing"
    )
    lists: dict[str, Phrases] = Field(default={}, description="phrases that others name: @person")


_TABLES: Any = {
    name: (_table(name, lists) | None, None)
    for name, lists in {**dict.fromkeys(CUE_TABLES, REACHES), **LISTS}.items()
}
LanguageFile = create_model("LanguageFile", __base__=_Head, **_TABLES)


def parse(text: str, where: str) -> Language:
    """The language of a file. `where` names it in errors.

    Raises SetupError with the line and the field for what is no TOML, not in the schema, or not written as phrases are.
    """
    try:
        source = tomllib.loads(text)
    except tomllib.TOMLDecodeError as bad:
        raise SetupError(f"{where}: {bad}.") from None
    try:
        LanguageFile.model_validate(source)
    except ValidationError as bad:
        error = bad.errors(include_url=False, include_input=False)[0]
        unknown = error["type"] == "extra_forbidden"
        problem = "there is no such field, table or list" if unknown else error["msg"]
        raise _refused(text, source, where, error["loc"], problem) from None
    try:
        return read(source, where)
    except BadLanguage as bad_:
        raise _refused(text, source, where, bad_.at, bad_.problem) from None


def _refused(text: str, source: dict[str, Any], where: str, at: At, problem: str) -> SetupError:
    field = ".".join(str(part) for part in at if isinstance(part, str))
    return SetupError(f"{where}, line {line_of(text, source, at)}, {field}: {problem}.")


def line_of(text: str, source: dict[str, Any], at: At) -> int:
    """The line on which a field stands, counted from 1: that of the item, else of its list, else of its table, else the first.

    TOML as this project writes it: a table's header and a list's key each open a line.
    """
    lines = text.splitlines()
    keys = [part for part in at if isinstance(part, str)]
    first, last = 0, len(lines)
    found = 0
    for depth, key in enumerate(keys):
        header = re.compile(rf"\s*\[\s*{re.escape('.'.join(keys[: depth + 1]))}\s*\]")
        opens = re.compile(rf"\s*[\"']?{re.escape(key)}[\"']?\s*=")
        line = next((n for n in range(first, last) if header.match(lines[n]) or opens.match(lines[n])), None)
        if line is None:
            break
        found = first = line
        if header.match(lines[line]):
            last = next((n for n in range(line + 1, last) if lines[n].startswith("[")), last)
    item = _value(source, at)
    if isinstance(item, str) and at and isinstance(at[-1], int):
        written = {json.dumps(item, ensure_ascii=False), f"'{item}'"}
        found = next((n for n in range(found, last) if any(form in lines[n] for form in written)), found)
    return found + 1


def _value(source: Any, at: Sequence[str | int]) -> Any:
    for part in at:
        try:
            source = source[part]
        except (KeyError, IndexError, TypeError):
            return None
    return source


def schema() -> str:
    """The schema of language files as JSON Schema."""
    return json.dumps(LanguageFile.model_json_schema(), indent=2, ensure_ascii=False) + "\n"
