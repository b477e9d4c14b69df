"""Starter packs: listed topics with approved questions, as YAML that an operator reads and edits.

    pack: dating
    about: What two people who may meet want to know of each other.
    topics:
      - key: kids
        question: Do you want children?
        aliases: [children, hijos]
        handling: open            # the default; sealed, confirm, forbidden
        reconfirm_after: 180      # days; with drop_after, or neither
        drop_after: 720

Checked as a whole before anything is stored: unknown fields, keys and aliases that are not in normal form or
stand twice, special categories that would be open, windows that do not hold, labels that the registry would
merge.

Source: design, section 5.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Annotated, Any

import regex
import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ledger.core import windows
from ledger.core.model import Handling, Topic
from ledger.core.registry.handling import special_category
from ledger.core.registry.label import normalise
from ledger.core.registry.near import Listed
from ledger.errors import BadLabel, InvalidRequest, NotFound, Problem
from ledger.packs.lists import data, near_lists, special_categories

PACKS = ("dating", "recruiting", "support")
LONGEST_PACK = 256 * 1024  # code points
LONGEST_QUESTION = 300  # code points

_ONE_LINE = regex.compile(r"[^\p{C}\p{Zl}\p{Zp}]+")


@dataclass(frozen=True, slots=True)
class Pack:
    name: str
    about: str
    topics: tuple[Topic, ...]


def load_pack(name_or_text: str) -> Pack:
    """The pack of that name that ships with the ledger, or the one that the text holds.

    Raises NotFound for a name that is none, and InvalidRequest, whose problems say where the text is wrong.
    """
    if "\n" not in name_or_text:
        if name_or_text not in PACKS:
            raise NotFound(f"There is no such starter pack; there are {', '.join(PACKS)}.")
        return load_pack(data(f"{name_or_text}.yaml"))
    file = _File.of(name_or_text)
    topics = tuple(topic.topic() for topic in file.topics)
    if problems := [*_wrong_alone(topics), *_wrong_together(topics)]:
        raise InvalidRequest("This pack can't be taken as it is; nothing was stored.", problems)
    return Pack(file.pack, file.about, topics)


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, hide_input_in_errors=True)


class _Topic(_Strict):
    key: str
    question: Annotated[str, Field(min_length=1, max_length=LONGEST_QUESTION)]
    aliases: list[str] = []
    handling: Annotated[Handling, Field(strict=False)] = Handling.OPEN
    authority: Annotated[str, Field(min_length=1, max_length=120)] | None = None
    reconfirm_after: int | None = None
    drop_after: int | None = None

    def topic(self) -> Topic:
        return Topic(
            self.key,
            self.question,
            self.handling,
            self.authority,
            self.reconfirm_after,
            self.drop_after,
            listed=True,
            aliases=tuple(self.aliases),
        )


class _File(_Strict):
    pack: Annotated[str, Field(min_length=1, max_length=64)]
    about: Annotated[str, Field(min_length=1, max_length=1000)]
    topics: Annotated[list[_Topic], Field(min_length=1, max_length=1000)]

    @classmethod
    def of(cls, text: str) -> _File:
        if len(text) > LONGEST_PACK:
            raise InvalidRequest(f"A pack has at most {LONGEST_PACK} characters.")
        try:
            return cls.model_validate(yaml.load(text, _Yaml))  # noqa: S506 - _Yaml is a SafeLoader
        except yaml.MarkedYAMLError as error:
            line = error.problem_mark.line + 1 if error.problem_mark else 1
            raise InvalidRequest(
                "This is not YAML of a pack.", [Problem(f"line {line}", "can't be read")]
            ) from None
        except (yaml.YAMLError, RecursionError, ValueError) as error:
            problems = list(_problems(error)) if isinstance(error, ValidationError) else []
            raise InvalidRequest("This is not a pack.", problems) from None


def _problems(error: ValidationError) -> Iterator[Problem]:
    for one in error.errors(include_input=False, include_url=False, include_context=False):
        unknown = one["type"] == "extra_forbidden"  # its place would repeat the name of the field
        place = one["loc"][:-1] if unknown else one["loc"]
        yield Problem(
            ".".join(map(str, place)) or "pack", "holds an unknown field" if unknown else one["msg"]
        )


class _Yaml(yaml.SafeLoader):
    """Plain YAML: no field twice, and no anchors, with which a few lines make a document without end."""

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            raise yaml.composer.ComposerError(None, None, "anchors are not taken", self.get_mark())
        return super().compose_node(parent, index)

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        seen: set[str] = set()
        for name, _ in node.value:
            if not isinstance(name, yaml.ScalarNode) or name.value in seen:
                raise yaml.constructor.ConstructorError(None, None, "a field stands twice", name.start_mark)
            seen.add(name.value)
        return super().construct_mapping(node, deep)


def _wrong_alone(topics: tuple[Topic, ...]) -> Iterator[Problem]:
    for at, topic in enumerate(topics):
        for place, label in _labels(at, topic):
            try:
                if normalise(label) != label:
                    yield Problem(place, "is not in normal form: small letters, `_` between words")
            except BadLabel as refusal:
                yield Problem(place, refusal.detail)
        if topic.question and not _ONE_LINE.fullmatch(topic.question):
            yield Problem(f"topics.{at}.question", "must be one line without control characters")
        if topic.handling is Handling.OPEN:
            touched = special_category(special_categories(), topic.key, topic.question, topic.aliases)
            if touched is not None:
                yield Problem(
                    f"topics.{at}.handling", f"touches {touched}: give sealed, confirm or forbidden"
                )
        try:
            windows.checked(topic.reconfirm_after, topic.drop_after)
        except InvalidRequest as refusal:
            yield from (Problem(f"topics.{at}.{wrong.at}", wrong.message) for wrong in refusal.problems)


def _wrong_together(topics: tuple[Topic, ...]) -> Iterator[Problem]:
    """A label that leads to two topics: no agent could tell which of them is meant."""
    labels = [(at, place, label) for at, topic in enumerate(topics) for place, label in _labels(at, topic)]
    first: dict[str, int] = {}
    for at, place, label in labels:
        if label in first:
            yield Problem(place, "stands twice in this pack")
        first.setdefault(label, at)
    wrong: dict[str, None] = {}
    # Any two places differ in a bit, so that each topic meets every other one in some round.
    for bit, side in product(range(len(topics).bit_length()), (0, 1)):
        listed = {label: topics[at].key for label, at in first.items() if at >> bit & 1 == side}
        near = Listed(listed, near_lists()).near
        wrong |= {
            place: None
            for at, place, label in labels
            if at >> bit & 1 != side and label not in listed and near(label).kind == "same"
        }
    yield from (Problem(place, "is the same as a label of another topic, by its letters") for place in wrong)


def _labels(at: int, topic: Topic) -> Iterator[tuple[str, str]]:
    yield f"topics.{at}.key", topic.key
    for place, alias in enumerate(topic.aliases):
        yield f"topics.{at}.aliases.{place}", alias
