"""What an agent does about each label before a turn: ask, leave it, reconfirm, or know.

Source: design, section 7.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ledger.core.model import Do, Entry, Freshness, PlanItem
from ledger.core.prompt import MOST_ENTRIES


def plan(
    labels: Sequence[str],
    keys: Mapping[str, str],
    entries: Mapping[str, Entry],
    covered: Mapping[str, Freshness],
    questions: Mapping[str, str],
    similar: Mapping[str, tuple[str, ...]],
) -> list[PlanItem]:
    """One item for each label, in order, from what this agent may see and nothing else.

    `keys` holds label -> key, as far as a label names a topic; `entries` holds key -> entry where the
    content is visible; `covered` holds key -> freshness where the key is; `questions` holds the approved
    questions of listed topics; `similar` holds, of keys that are not listed, the listed ones that may be
    meant. The tier shows in what the database let through, so none is passed.

    The first twelve topics carry content. A later one says whether it is covered and no more.
    """
    seen = dict.fromkeys(keys[label] for label in labels if label in keys)
    with_content = {key: entries[key] for key in [k for k in seen if k in entries][:MOST_ENTRIES]}
    freshness = {**covered, **{key: entry.freshness for key, entry in entries.items()}}

    def item(label: str) -> PlanItem:
        key = keys.get(label)
        if key is None:
            return PlanItem(label, None, Do.ASK)
        entry = with_content.get(key)
        match freshness.get(key, Freshness.DROPPED):
            case Freshness.FRESH:
                do = Do.KNOWN if entry is not None else Do.COVERED
            case Freshness.RECONFIRM:
                do = Do.RECONFIRM
            case Freshness.DROPPED:
                do, entry = Do.ASK, None
        return PlanItem(label, key, do, entry, questions.get(key), similar.get(key, ()))

    return [item(label) for label in labels]


def shown(items: Sequence[PlanItem]) -> list[Entry]:
    """The entries that a plan gives content of, each once, in its order: those of the prompt block."""
    return list({item.entry.topic: item.entry for item in items if item.entry is not None}.values())
